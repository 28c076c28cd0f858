//! What is told late over REST, too: games that spectators see later than players. Lists, records and ratings all ask here.

use std::collections::HashMap;
use std::sync::Mutex;

use kingscross_protocol::{GameId, Setup, Timestamp, UserId};

/// Games that spectators see late, from their start until their end has been told.
#[derive(Default)]
pub struct Delays {
    // Tables add and requests ask; never held across an await.
    games: Mutex<HashMap<GameId, Delayed>>,
}

struct Delayed {
    /// In milliseconds.
    delay: i64,
    players: Vec<UserId>,
    ended: Option<Timestamp>,
}

impl Delayed {
    fn is_told(&self, now: Timestamp) -> bool {
        self.ended.is_some_and(|at| at.plus(self.delay) <= now)
    }
}

impl Delays {
    /// Remembers a game that spectators see late, and when it ended, if it has.
    pub fn add(&self, game: GameId, setup: &Setup, ended: Option<Timestamp>) {
        if setup.spectator_delay == 0 {
            return;
        }
        let people = setup.players.iter().filter(|player| player.bot.is_none());
        let players = people.map(|player| player.user).collect();
        let delayed = Delayed { delay: i64::from(setup.spectator_delay), players, ended };
        self.games.lock().expect("no panic while held").insert(game, delayed);
    }

    /// A game has ended.
    pub fn end(&self, game: GameId, at: Timestamp) {
        if let Some(delayed) = self.games.lock().expect("no panic while held").get_mut(&game) {
            delayed.ended = Some(at);
        }
    }

    /// A table has gone. What has ended is still kept back; what has not is added again with its next table.
    pub fn forget(&self, game: GameId) {
        self.games
            .lock()
            .expect("no panic while held")
            .retain(|&other, delayed| other != game || delayed.ended.is_some());
    }

    /// Whether all may be told to everyone.
    pub fn is_empty(&self, now: Timestamp) -> bool {
        let mut games = self.games.lock().expect("no panic while held");
        games.retain(|_, delayed| !delayed.is_told(now));
        games.is_empty()
    }

    /// Whether the end of a game, which came at `ended`, is not told to this viewer yet. Asked with the stored end, since
    /// that is there before the table has said so.
    pub fn hides(&self, viewer: Option<UserId>, game: GameId, ended: Timestamp, now: Timestamp) -> bool {
        let games = self.games.lock().expect("no panic while held");
        games.get(&game).is_some_and(|delayed| {
            ended.plus(delayed.delay) > now && !viewer.is_some_and(|user| delayed.players.contains(&user))
        })
    }

    /// Games whose end this viewer is not told yet; with a player, those of the player.
    pub fn hidden_from(&self, viewer: Option<UserId>, of: Option<UserId>, now: Timestamp) -> Vec<GameId> {
        let games = self.games.lock().expect("no panic while held");
        let hidden = games.iter().filter(|(_, delayed)| {
            delayed.ended.is_some()
                && !delayed.is_told(now)
                && of.is_none_or(|user| delayed.players.contains(&user))
                && !viewer.is_some_and(|user| delayed.players.contains(&user))
        });
        hidden.map(|(&game, _)| game).collect()
    }
}

#[cfg(test)]
mod tests {
    use kingscross_engine::{RULES_VERSION, Variant};
    use kingscross_protocol::{Player, SeatLetter, TimeControl};

    use super::*;

    fn setup(user: UserId, spectator_delay: u32) -> Setup {
        let player = Player {
            seat: SeatLetter('w'),
            user,
            name: "Ada".into(),
            bot: None,
            rating: None,
            provisional: false,
        };
        Setup {
            variant: Variant::CrossA,
            rules: RULES_VERSION,
            time: TimeControl::increment(60_000, 0),
            rated: false,
            players: vec![player],
            free_chat: false,
            spectator_delay,
            rematch_of: None,
            twin: None,
            twin_follows: false,
        }
    }

    #[test]
    fn an_end_is_hidden_from_all_but_the_players_until_its_delay_has_passed() {
        let (delays, game, player) = (Delays::default(), GameId::fresh(), UserId::fresh());
        let stranger = Some(UserId::fresh());
        delays.add(game, &setup(player, 1_000), None);
        assert!(delays.hides(None, game, Timestamp(5_000), Timestamp(5_000)), "stored, and not yet said");
        delays.end(game, Timestamp(5_000));
        let hidden = |viewer, now| {
            let hides = delays.hides(viewer, game, Timestamp(5_000), Timestamp(now));
            assert_eq!(delays.hidden_from(viewer, None, Timestamp(now)) == [game], hides);
            assert_eq!(delays.hidden_from(viewer, Some(player), Timestamp(now)) == [game], hides);
            hides
        };
        assert!(hidden(None, 5_999) && hidden(stranger, 5_999) && !hidden(Some(player), 5_000));
        assert!(!hidden(None, 6_000));
        assert_eq!(delays.hidden_from(None, stranger, Timestamp(5_000)), []);
    }

    #[test]
    fn nothing_is_kept_longer_than_it_hides() {
        let (delays, player) = (Delays::default(), UserId::fresh());
        let (at_once, told, given_up) = (GameId::fresh(), GameId::fresh(), GameId::fresh());
        delays.add(at_once, &setup(player, 0), None);
        assert!(delays.is_empty(Timestamp(0)));
        delays.add(told, &setup(player, 1_000), Some(Timestamp(0)));
        delays.add(given_up, &setup(player, 1_000), None);
        delays.forget(told);
        delays.forget(given_up);
        assert!(!delays.is_empty(Timestamp(999)) && delays.is_empty(Timestamp(1_000)));
    }
}
