//! What is in the log of a game, and whether it fits what the players were told.

use std::collections::HashSet;

use kingscross_client::GameView;
use kingscross_engine::{Action, Game};
use kingscross_protocol::{Event, GameId, Seq};
use kingscross_storage::{Store, StoredEvent};

use crate::Gamer;

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
    pub fn check_commands(&self, gamers: &[Gamer]) {
        let mut stored = HashSet::new();
        for (row, event) in &self.events {
            match row.commanded {
                Some(commanded) => {
                    let key = (commanded.user, commanded.command);
                    assert!(stored.insert(key), "{commanded:?} is in the log twice");
                    let gamer = gamers.iter().find(|gamer| gamer.user() == commanded.user).expect("a player");
                    assert!(
                        gamer.sent.contains(&(self.game, commanded.command)),
                        "nobody sent {commanded:?}"
                    );
                }
                None => {
                    let by_player = matches!(event, Event::Played(played) if !played.by_server);
                    assert!(!by_player, "{event:?} was commanded by nobody");
                }
            }
        }
        let acknowledged = gamers.iter().flat_map(|gamer| &gamer.acknowledged);
        for acknowledged in acknowledged.filter(|acknowledged| acknowledged.game == self.game) {
            let place = acknowledged.seq.0 as usize - 1;
            let (row, _) =
                self.events.get(place).unwrap_or_else(|| panic!("{acknowledged:?} is not in the log"));
            let commanded = row.commanded.unwrap_or_else(|| panic!("{acknowledged:?} is another event"));
            assert_eq!((commanded.user, commanded.command), (acknowledged.user, acknowledged.id));
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
