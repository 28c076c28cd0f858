//! Questions put to several players: draw, abort, rematch. One mechanism, one open at a time.

use kingscross_engine::{Seat, Seats};
use kingscross_protocol::{ProposalId, ProposalKind, Seq};

/// The open proposal of a game, if any, and who may not ask again yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Proposals {
    open: Option<Proposal>,
    // By seat: the number of own moves after which the next proposal is welcome.
    quiet_until: [u32; 4],
}

/// A question that waits for answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// Names it in votes.
    pub id: ProposalId,
    /// What is asked.
    pub what: ProposalKind,
    /// Who asks.
    pub by: Seat,
    /// The seq it was made at.
    pub seq: Seq,
    /// Who must answer.
    pub electorate: Seats,
    /// Who has accepted.
    pub accepted: Seats,
}

/// What an answer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Others must still answer.
    Waiting,
    /// Everyone has accepted.
    Carried(ProposalKind),
    /// Someone refused.
    Refused,
}

impl Proposal {
    /// Whether this player has still to answer.
    pub fn awaits(&self, seat: Seat) -> bool {
        self.electorate.has(seat) && !self.accepted.has(seat)
    }
}

impl Proposals {
    /// The open proposal.
    pub(crate) fn open(&self) -> Option<&Proposal> {
        self.open.as_ref()
    }

    /// Whether a player who has made so many moves may ask again after a refusal.
    pub(crate) fn may_ask(&self, seat: Seat, own_moves: u32) -> bool {
        own_moves >= self.quiet_until[seat.index()]
    }

    /// Opens a proposal.
    pub(crate) fn propose(&mut self, proposal: Proposal) {
        self.open = Some(proposal);
    }

    /// Counts an answer. `quiet_until` is the number of the proposer's own moves after which it may ask again.
    pub(crate) fn vote(&mut self, by: Seat, accept: bool, quiet_until: impl Fn(Seat) -> u32) -> Outcome {
        let Some(open) = &mut self.open else { return Outcome::Waiting };
        if !accept {
            // A refused rematch takes no moves to wait for; it can be asked for by the others.
            if open.what != ProposalKind::Rematch {
                self.quiet_until[open.by.index()] = quiet_until(open.by);
            }
            self.open = None;
            return Outcome::Refused;
        }
        open.accepted.insert(by);
        if open.electorate.without(open.accepted).is_empty() {
            let what = open.what;
            self.open = None;
            Outcome::Carried(what)
        } else {
            Outcome::Waiting
        }
    }

    /// Closes the open proposal, as a move or a departure does.
    pub(crate) fn lapse(&mut self) -> Option<ProposalId> {
        self.open.take().map(|open| open.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposals(what: ProposalKind) -> Proposals {
        let mut all = Proposals::default();
        let electorate = [Seat::West, Seat::North, Seat::East].into_iter().collect();
        let id = ProposalId::fresh();
        all.propose(Proposal { id, what, by: Seat::South, seq: Seq(2), electorate, accepted: Seats::NONE });
        all
    }

    #[test]
    fn all_must_accept() {
        let mut all = proposals(ProposalKind::Abort);
        assert_eq!(all.vote(Seat::West, true, |_| 0), Outcome::Waiting);
        assert_eq!(all.vote(Seat::North, true, |_| 0), Outcome::Waiting);
        assert!(all.open().is_some_and(|open| open.awaits(Seat::East) && !open.awaits(Seat::West)));
        assert_eq!(all.vote(Seat::East, true, |_| 0), Outcome::Carried(ProposalKind::Abort));
        assert_eq!(all.open(), None);
    }

    #[test]
    fn one_refusal_closes_it_and_quiets_the_proposer_alone() {
        let mut all = proposals(ProposalKind::Draw);
        assert_eq!(all.vote(Seat::East, false, |_| 13), Outcome::Refused);
        assert_eq!(all.open(), None);
        assert!(!all.may_ask(Seat::South, 12));
        assert!(all.may_ask(Seat::South, 13));
        assert!(all.may_ask(Seat::East, 3));
    }

    #[test]
    fn a_lapsed_proposal_quiets_nobody() {
        let mut all = proposals(ProposalKind::Draw);
        assert!(all.lapse().is_some());
        assert_eq!(all.lapse(), None);
        assert!(all.may_ask(Seat::South, 0));
    }
}
