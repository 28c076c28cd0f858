//! That the clocks which a game's events tell follow from each other.

use crate::{Event, Played, SeatLetter, TimeControl};

/// The clocks of a game by the arithmetic of its events alone.
#[derive(Debug, Default)]
pub struct ClockProof {
    time: Option<TimeControl>,
    remaining: Vec<(SeatLetter, i64)>,
}

impl ClockProof {
    /// Compares the clock that the next event tells with the one that follows from those before.
    ///
    /// # Errors
    /// With both, as a sentence.
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
                if clock == sum { Ok(()) } else { Err(format!("a gift made {clock} ms of {sum}")) }
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
            // A flag or an absence takes time away or leaves it as it is; it never gives any.
            return if clock <= before { Ok(()) } else { Err(format!("{before} ms became {clock}")) };
        }
        let leaves = played.action.contains(':');
        let charged = (i64::from(played.spent) - i64::from(played.refund) - i64::from(time.delay)).max(0);
        let increment = if leaves { 0 } else { i64::from(time.increment) };
        let due = (before - charged).max(0) + increment;
        if clock == due { Ok(()) } else { Err(format!("the clock shows {clock} ms, not {due}")) }
    }

    fn of(&self, seat: SeatLetter) -> Result<i64, String> {
        let found = self.remaining.iter().find(|(other, _)| *other == seat);
        found.map(|(_, clock)| *clock).ok_or_else(|| format!("no seat {seat}"))
    }

    fn set(&mut self, seat: SeatLetter, clock: i64) {
        if let Some(mine) = self.remaining.iter_mut().find(|(other, _)| *other == seat) {
            mine.1 = clock;
        }
    }
}
