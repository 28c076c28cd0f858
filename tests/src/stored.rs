//! What is in the log of a game, and whether it fits what the players were told.

use std::collections::{HashMap, HashSet};

use kingscross_client::GameView;
use kingscross_engine::{Action, Game};
use kingscross_protocol::{Event, GameId, SeatLetter, Seq};
use kingscross_storage::{Store, StoredEvent};

use crate::TestPlayer;

/// The log of a game, read and checked.
pub struct Stored {
    game: GameId,
    /// The events.
    pub events: Vec<(StoredEvent, Event)>,
}

impl Stored {
    /// Reads the log, and replays it by the rules: the hash of every event must be the position's.
    pub async fn read(store: &Store, game: GameId) -> Self {
        let rows = store.load_events(game, Seq(0)).await.expect("the log can be read");
        let events: Vec<(StoredEvent, Event)> = rows
            .into_iter()
            .map(|row| {
                let event = serde_json::from_str(&row.body).expect("an event");
                (row, event)
            })
            .collect();
        let Some((_, Event::Created(setup))) = events.first() else {
            panic!("the log begins with {:?}", events.first())
        };
        let mut replay = Game::new(setup.variant);
        for (place, (row, event)) in events.iter().enumerate() {
            assert_eq!(row.seq, Seq(u32::try_from(place + 1).expect("few events")), "no gap, nothing twice");
            if let Event::Played(played) = event {
                assert_eq!(played.ply, replay.ply(), "{played:?}");
                let action = Action::parse(setup.variant, &played.action).expect("an action");
                replay.act(&action).unwrap_or_else(|error| panic!("{played:?}: {error:?}"));
            }
            assert_eq!(format!("{:016x}", row.hash), replay.hash().to_string(), "the hash after {event:?}");
        }
        Self { game, events }
    }

    /// Nothing acknowledged is missing, nothing is there twice, and nothing was invented.
    pub fn check_commands(&self, players: &[TestPlayer]) {
        let mut stored = HashSet::new();
        for (row, event) in &self.events {
            match row.commanded {
                Some(commanded) => {
                    let key = (commanded.user, commanded.command);
                    assert!(stored.insert(key), "{commanded:?} is in the log twice");
                    let player =
                        players.iter().find(|player| player.user().id == commanded.user).expect("a player");
                    assert!(
                        player.sent.contains(&(self.game, commanded.command)),
                        "nobody sent {commanded:?}"
                    );
                }
                None => {
                    let by_player = matches!(event, Event::Played(played) if !played.by_server);
                    assert!(!by_player, "{event:?} was commanded by nobody");
                }
            }
        }
        let acknowledged = players.iter().flat_map(|player| &player.acknowledged);
        for acknowledged in acknowledged.filter(|acknowledged| acknowledged.game == self.game) {
            let place = acknowledged.seq.0 as usize - 1;
            let (row, _) =
                self.events.get(place).unwrap_or_else(|| panic!("{acknowledged:?} is not in the log"));
            let commanded = row.commanded.unwrap_or_else(|| panic!("{acknowledged:?} is another event"));
            assert_eq!((commanded.user, commanded.command), (acknowledged.user, acknowledged.id));
        }
    }

    /// Every clock runs down by what its player spent, runs up by increment and gift, and by nothing else; none is
    /// ever negative.
    pub fn check_clocks(&self) {
        let (first, Event::Created(setup)) = &self.events[0] else { panic!("a game begins") };
        let (initial, increment) = (i64::from(setup.time.initial), i64::from(setup.time.increment));
        let delay = i64::from(setup.time.delay);
        let mut clocks: HashMap<SeatLetter, i64> =
            setup.players.iter().map(|player| (player.seat, initial)).collect();
        // Since when the turn runs, and how much of that nobody pays.
        let (mut since, mut skipped) = (first.at, 0);
        for (row, event) in &self.events[1..] {
            match event {
                Event::Outage { millis, .. } => skipped += i64::try_from(*millis).expect("short"),
                Event::Gift { to, millis, clock, .. } => {
                    let left = clocks.get_mut(to).expect("a player");
                    *left += i64::from(*millis);
                    assert_eq!(i64::from(*clock), *left, "{event:?}");
                }
                Event::Played(played) => {
                    let (spent, refund) = (i64::from(played.spent), i64::from(played.refund));
                    let is_move = !played.by_server && !played.action.starts_with("resign:");
                    let passed = (row.at.since(since) - skipped).max(0);
                    // Who resigns while another is on turn has spent nothing.
                    assert!(spent == passed || (!is_move && spent == 0), "{passed} ms passed: {played:?}");
                    assert!((0..=(spent - delay).max(0)).contains(&refund), "{played:?}");
                    let left = clocks.get_mut(&played.seat).expect("a player");
                    *left = (*left - (spent - refund - delay).max(0)).max(0);
                    *left += if is_move { increment } else { 0 };
                    assert_eq!(i64::from(played.clock), *left, "{played:?}");
                    if is_move || spent > 0 {
                        (since, skipped) = (row.at, 0);
                    }
                }
                _ => {}
            }
        }
    }

    /// Every player's view is the stored position.
    pub fn check_views(&self, views: &[GameView]) {
        let (last, _) = self.events.last().expect("a game has events");
        for view in views {
            assert_eq!((view.seq, &view.hash), (last.seq, &format!("{:016x}", last.hash)), "{:?}", view.you);
        }
    }
}
