//! Checks that the clocks in a game's events follow from each other.

use crate::{Event, Played, SeatLetter, TimeControl};

/// The clocks of a game, computed from its events.
#[derive(Debug, Default)]
pub struct ClockProof {
    time: Option<TimeControl>,
    remaining: Vec<(SeatLetter, i64)>,
}

impl ClockProof {
    /// Compares the clock of the next event with the one computed from those before it.
    ///
    /// # Errors
    /// A sentence that names both.
    pub fn follow(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::Created(setup) => {
                self.time = Some(setup.time);
                let full = i64::from(setup.time.initial);
                self.remaining = setup.players.iter().map(|player| (player.seat, full)).collect();
                Ok(())
            }
            Event::Played(played) => self.played(played),
            Event::Gift { to, millis, clock, .. } => {
                let before = self.of(*to)?;
                let clock = i64::from(*clock);
                self.set(*to, clock);
                let sum = before + i64::from(*millis);
                if clock == sum { Ok(()) } else { Err(format!("the gift leaves {clock} ms, not {sum} ms")) }
            }
            _ => Ok(()),
        }
    }

    fn played(&mut self, played: &Played) -> Result<(), String> {
        let time = self.time.ok_or("no time control")?;
        let before = self.of(played.seat)?;
        let clock = i64::from(played.clock);
        self.set(played.seat, clock);
        if played.by_server {
            // A flag or an absence never adds time.
            return if clock <= before {
                Ok(())
            } else {
                Err(format!("the server raised the clock from {before} ms to {clock} ms"))
            };
        }
        let leaves = played.action.contains(':');
        let charged = (i64::from(played.spent) - i64::from(played.refund) - i64::from(time.delay)).max(0);
        let increment = if leaves { 0 } else { i64::from(time.increment) };
        let due = (before - charged).max(0) + increment;
        if clock == due { Ok(()) } else { Err(format!("the clock shows {clock} ms, not {due} ms")) }
    }

    fn of(&self, seat: SeatLetter) -> Result<i64, String> {
        let found = self.remaining.iter().find(|(other, _)| *other == seat);
        found.map(|(_, clock)| *clock).ok_or_else(|| format!("there is no seat {seat}"))
    }

    fn set(&mut self, seat: SeatLetter, clock: i64) {
        if let Some(mine) = self.remaining.iter_mut().find(|(other, _)| *other == seat) {
            mine.1 = clock;
        }
    }
}
