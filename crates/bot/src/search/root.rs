//! The root: every move of the bot is looked at deeper and deeper, until the budget is spent.

use kingscross_engine::{Game, Move, Piece, Position, Seat, Status};

use super::{Search, is_checked};
use crate::attention::Attention;
use crate::budget::Budget;
use crate::character::{Character, Kind};
use crate::evaluation::WIN;

/// A move of the bot with what is known of it.
struct Candidate {
    mv: Move,
    after: Position,
    /// The value, if the game ends at once; counts what a position does not know, such as repetition.
    ended: Option<i32>,
    value: i32,
    /// What is added to it: errors of judgement, and haste.
    error: i32,
}

/// A surrendered king may have wandered off by the next turn, which the search does not foresee.
const HASTE: i32 = 500;

fn haste(position: &Position, mv: Move) -> i32 {
    let wanders = |piece: Piece| piece.is_king() && position.status(piece.army()) == Status::Surrendered;
    if !mv.is_pass() && position.piece(mv.to()).is_some_and(wanders) { HASTE } else { 0 }
}

/// Chooses among the moves of the player on turn, of which there is at least one.
pub(crate) fn think(
    game: &Game,
    seat: Seat,
    moves: &[Move],
    character: Character,
    seed: u64,
    budget: &Budget<'_>,
) -> Move {
    let position = game.position();
    let budget = budget.at_most(character.nodes);
    let mut search = Search::new(position, seat, character, seed, budget);
    let mut candidates = candidates(game, seat, moves, &search.attention, &search);
    search.line[0] = position.hash().0;
    let mut best = candidates[0].mv;
    for depth in 1..=i32::from(character.sight.max(1)) {
        if !search.deepen(&mut candidates, depth) && depth > 1 {
            // A broken round counts as far as it went: its first move was the best of the round before.
            best = leader(&candidates);
            break;
        }
        best = leader(&candidates);
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.value + candidate.error));
        let decided = candidates[0].value.abs() > WIN - 1000;
        if search.stopped || decided || candidates.len() == 1 {
            break;
        }
    }
    best
}

fn leader(candidates: &[Candidate]) -> Move {
    let best = candidates
        .iter()
        .reduce(|best, other| if other.value + other.error > best.value + best.error { other } else { best });
    best.expect("there is at least one move").mv
}

fn candidates(
    game: &Game,
    seat: Seat,
    moves: &[Move],
    attention: &Attention,
    search: &Search<'_>,
) -> Vec<Candidate> {
    let position = game.position();
    let candidate = |&mv: &Move| {
        let mut trial = game.clone();
        // The moves come from the generator, so that none of them can be refused.
        let _ = trial.act(&game.action(mv));
        let after = trial.position().clone();
        let ended = after.is_over().then(|| search.outcome(&after, 1));
        let value = search.material.gain(position, mv) + search.evaluation.view(&after, seat) / 8;
        Candidate { mv, after, ended, value, error: attention.misjudges(mv) + haste(position, mv) }
    };
    let mut candidates: Vec<Candidate> = moves.iter().map(candidate).collect();
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.ended.unwrap_or(candidate.value)));
    candidates
}

impl Search<'_> {
    /// Looks at every candidate to a depth; tells whether it came to the end. Candidates that it did not reach are
    /// worth less than any that it did.
    fn deepen(&mut self, candidates: &mut [Candidate], depth: i32) -> bool {
        // The best so far, errors of judgement included.
        let mut best = -WIN - 1;
        for at in 0..candidates.len() {
            let candidate = &candidates[at];
            let value = match candidate.ended {
                Some(value) => value,
                None => {
                    let after = candidate.after.clone();
                    self.look(&after, depth - 1, best - candidate.error, at > 0)
                }
            };
            if self.stopped && at > 0 {
                for rest in &mut candidates[at..] {
                    rest.value = i32::MIN / 2;
                }
                return false;
            }
            candidates[at].value = value;
            best = best.max(value + candidates[at].error);
            if self.stopped {
                for rest in &mut candidates[at + 1..] {
                    rest.value = i32::MIN / 2;
                }
                return false;
            }
        }
        true
    }

    fn look(&mut self, after: &Position, depth: i32, alpha: i32, scout: bool) -> i32 {
        match self.character.kind {
            Kind::MaxN => self.max_n(after, depth, 1)[self.root.index()],
            Kind::BestReply => {
                self.windowed(alpha, scout, |search, a, b| search.best_reply(after, depth, a, b, 1))
            }
            Kind::Paranoid | Kind::Random | Kind::Greedy => {
                self.windowed(alpha, scout, |search, a, b| search.paranoid(after, depth, a, b, 1))
            }
        }
    }

    /// If it is to scout: first asks only whether the value beats alpha, and looks again if it does.
    fn windowed(&mut self, alpha: i32, scout: bool, mut look: impl FnMut(&mut Self, i32, i32) -> i32) -> i32 {
        if scout {
            let value = look(self, alpha, alpha + 1);
            if value <= alpha || self.stopped {
                return value;
            }
        }
        look(self, alpha, WIN + 1)
    }

    /// How much deeper a line goes because the bot is in check; only so far beyond the plan.
    pub(super) fn extension(&self, position: &Position, ply: usize) -> i32 {
        i32::from(ply < 24 && is_checked(position, self.root))
    }
}
