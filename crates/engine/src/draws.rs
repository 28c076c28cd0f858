//! The endings that come by themselves: repetition, quiet plies, length, and of several the one that counts.

use crate::games::Decision;
use crate::outcome::Reason;
use crate::position::Position;

/// The game ends at this ply at the latest.
pub const GREATEST_LENGTH: u32 = 6_000;

/// Plies without progress that end the game, for each active player.
pub(crate) const QUIET_PLIES_EACH: u32 = 50;

/// The positions that have stood in a game, as far as they can come again.
#[derive(Clone, Debug, Default)]
pub(crate) struct History(Vec<u64>);

impl History {
    /// Takes down a position; the number tells how often it has stood by now.
    pub(crate) fn record(&mut self, position: &Position) -> usize {
        // Nothing is forgotten on the way: a pawn move can be undone where soldiers step sideways, and at most 6,000
        // numbers are looked through.
        self.0.push(position.hash);
        self.0.iter().filter(|&&hash| hash == position.hash).count()
    }
}

/// Whether the endings that need a memory, or only limit a game's length, are looked for.
pub(crate) enum Draws<'a> {
    Counted(&'a mut History),
    Ignored,
}

impl Position {
    /// Of the ending that follows from a lack of moves, and the draws that hold now, the one that counts.
    #[inline]
    pub(crate) fn first_ending(&self, stuck: Option<Decision>, draws: Draws<'_>) -> Option<Decision> {
        let winners = self.active;
        let n = winners.len();
        let bare = n == 2 && winners.iter().all(|seat| self.armies[seat.index()].is_one());
        let deadlock = usize::from(self.passes) >= n;
        let (repeated, quiet, long) = match draws {
            Draws::Counted(history) => (
                self.rules.counts_quiet() && history.record(self) >= 3,
                self.quiet >= QUIET_PLIES_EACH * n as u32,
                self.ply >= GREATEST_LENGTH,
            ),
            Draws::Ignored => (false, false, false),
        };
        if stuck.is_none() && !(bare | deadlock | repeated | quiet | long) {
            return None;
        }
        let holds = |reason: Reason| match reason {
            Reason::BareKings => bare,
            Reason::Deadlock => deadlock,
            Reason::Repetition => repeated,
            Reason::Quiet => quiet,
            Reason::Length => long,
            other => stuck.is_some_and(|ending| ending.reason == other),
        };
        let reason = self.rules.reasons.iter().copied().find(|&reason| holds(reason))?;
        Some(stuck.filter(|ending| ending.reason == reason).unwrap_or(Decision { reason, winners }))
    }
}
