//! Mate batches, transfers and the unresolved position of quaternity.

use super::moving::Move;
use super::situation::Situation;

/// Why quaternity refuses a move that its pieces could make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Refusal {
    /// A king of the mover is not safe after the move or after its batch.
    Illegal,
    /// The next player would be in check without a move.
    Unresolved,
}

impl Situation {
    /// Steps 1 to 4 of the mate batch: the situation after the move and its cascade, the turn not yet moved on.
    fn after_batch(&self, mover: char, mv: &Move) -> Option<Situation> {
        let mut next = self.clone();
        next.make(mv);
        if next.is_in_check(mover) {
            return None;
        }
        loop {
            let mated = next.mated_kings(mover);
            if mated.is_empty() {
                break;
            }
            let snapshot = next.clone();
            if mated.iter().any(|&king| snapshot.controller(snapshot.board[&king]) == mover) {
                return None;
            }
            for &king in &mated {
                let piece = snapshot.board[&king];
                let loser = snapshot.controller(piece);
                let keeps_a_king = snapshot.kings_of(loser).iter().any(|other| !mated.contains(other));
                for army in &mut next.armies {
                    if army.letter == piece.army
                        || (!keeps_a_king && snapshot.army(army.letter).controller == loser)
                    {
                        army.controller = mover;
                    }
                }
                if !keeps_a_king {
                    next.army_mut(loser).status = "eliminated";
                }
                next.board.remove(&king);
            }
        }
        (!next.is_in_check(mover)).then_some(next)
    }

    fn next_active(&self, player: char) -> char {
        self.round_after(player).into_iter().find(|&letter| self.is_active(letter)).expect("an active player")
    }

    /// Steps 1 to 5. A player who is left alone has won and leaves nobody unresolved.
    pub(crate) fn try_quaternity(&self, mover: char, mv: &Move) -> Result<Situation, Refusal> {
        let next = self.after_batch(mover, mv).ok_or(Refusal::Illegal)?;
        let successor = next.next_active(mover);
        let is_stuck = successor != mover
            && next.is_in_check(successor)
            && next.piece_moves(successor).iter().all(|answer| next.after_batch(successor, answer).is_none());
        if is_stuck { Err(Refusal::Unresolved) } else { Ok(next) }
    }
}
