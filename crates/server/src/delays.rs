//! What is told late over REST, too: games that spectators see later than players, what their results did to ratings,
//! and the games that follow them. Lists, records, ratings and setups all ask here.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use kingscross_protocol::{GameId, Setup, Timestamp, UserId};
use kingscross_storage::HiddenGame;

/// Games that spectators see late, from their start until their end has been told.
#[derive(Default)]
pub struct Delays {
    // Tables add and requests ask; never held across an await.
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    games: HashMap<GameId, Delayed>,
    /// Rated games whose changes tell of a game that is not told yet, in the order of the ledger.
    rated: Vec<Rated>,
    /// Games that began when the other one had ended: that they exist tells of its end.
    following: HashMap<GameId, GameId>,
}

struct Delayed {
    /// In milliseconds.
    delay: i64,
    players: Vec<UserId>,
    ended: Option<Timestamp>,
}

/// A rated game that is hidden itself or began from ratings that a hidden one has changed.
struct Rated {
    game: GameId,
    pool: String,
    users: Vec<UserId>,
    /// The hidden games behind its numbers.
    roots: Vec<GameId>,
}

impl Delayed {
    fn is_end_public(&self, now: Timestamp) -> bool {
        self.ended.is_some_and(|at| at.plus(self.delay) <= now)
    }

    fn is_hidden_from(&self, viewer: Option<UserId>, now: Timestamp) -> bool {
        self.ended.is_some()
            && !self.is_end_public(now)
            && !viewer.is_some_and(|user| self.players.contains(&user))
    }
}

impl Known {
    fn hides(&self, game: GameId, viewer: Option<UserId>, now: Timestamp) -> bool {
        self.games.get(&game).is_some_and(|delayed| delayed.is_hidden_from(viewer, now))
    }

    fn hides_rated(&self, rated: &Rated, viewer: Option<UserId>, now: Timestamp) -> bool {
        rated.roots.iter().any(|&root| self.hides(root, viewer, now))
    }

    fn sweep(&mut self, now: Timestamp) {
        self.games.retain(|_, delayed| !delayed.is_end_public(now));
        let games = &self.games;
        for rated in &mut self.rated {
            rated.roots.retain(|root| games.contains_key(root));
        }
        self.rated.retain(|rated| !rated.roots.is_empty());
        self.following.retain(|_, root| games.contains_key(root));
    }
}

impl Delays {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().expect("no panic while held")
    }

    /// Remembers a game that spectators see late, and when it ended, if it has. Said before the end is stored, so that
    /// nobody finds the end there first.
    pub fn add(&self, game: GameId, setup: &Setup, ended: Option<Timestamp>) {
        if setup.spectator_delay == 0 {
            return;
        }
        let people = setup.players.iter().filter(|player| player.bot.is_none());
        let players = people.map(|player| player.user).collect();
        let delayed = Delayed { delay: i64::from(setup.spectator_delay), players, ended };
        self.known().games.insert(game, delayed);
    }

    /// Remembers a stored game that ended before the server began.
    pub fn restore(&self, game: &HiddenGame) {
        let delay = game.hidden_until.since(game.ended_at);
        let delayed = Delayed { delay, players: game.players.clone(), ended: Some(game.ended_at) };
        self.known().games.insert(game.id, delayed);
    }

    /// A game begins, at `created`: while the one that it follows is hidden, so is this one.
    pub fn follow(&self, game: GameId, setup: &Setup, created: Timestamp) {
        let mut known = self.known();
        let before = |other: &GameId| {
            let ended = known.games.get(other).and_then(|delayed| delayed.ended);
            ended.is_some_and(|ended| ended <= created)
        };
        if let Some(root) = [setup.rematch_of, setup.other_game].into_iter().flatten().find(before) {
            known.following.insert(game, root);
        }
    }

    /// The changes of a rated game are being stored, after those of all games that were noted before it.
    pub fn note_rated(&self, game: GameId, pool: &str, users: &[UserId]) {
        let mut known = self.known();
        let mut roots: Vec<GameId> = known.games.contains_key(&game).then_some(game).into_iter().collect();
        for rated in known.rated.iter().filter(|rated| rated.pool == pool) {
            if rated.users.iter().any(|user| users.contains(user)) {
                roots.extend(&rated.roots);
            }
        }
        roots.sort();
        roots.dedup();
        // A batch that was not written is written again.
        known.rated.retain(|rated| rated.game != game);
        if !roots.is_empty() {
            known.rated.push(Rated { game, pool: pool.to_owned(), users: users.to_vec(), roots });
        }
    }

    /// A table has gone. What has ended is still kept back; what has not is added again with its next table.
    pub fn forget(&self, game: GameId) {
        self.known().games.retain(|&other, delayed| other != game || delayed.ended.is_some());
    }

    /// Whether all may be told to everyone.
    pub fn is_empty(&self, now: Timestamp) -> bool {
        let mut known = self.known();
        known.sweep(now);
        known.games.is_empty()
    }

    /// Whether the end of a game, which came at `ended`, is not told to this viewer yet.
    pub fn hides(&self, viewer: Option<UserId>, game: GameId, ended: Timestamp, now: Timestamp) -> bool {
        self.known().games.get(&game).is_some_and(|delayed| {
            ended.plus(delayed.delay) > now && !viewer.is_some_and(|user| delayed.players.contains(&user))
        })
    }

    /// Games whose end this viewer is not told yet.
    pub fn hidden_from(&self, viewer: Option<UserId>, now: Timestamp) -> Vec<GameId> {
        let known = self.known();
        known.games.keys().copied().filter(|&game| known.hides(game, viewer, now)).collect()
    }

    /// Whether this viewer is not told yet that there is this game.
    pub fn is_unseen(&self, viewer: Option<UserId>, game: GameId, now: Timestamp) -> bool {
        let known = self.known();
        known.following.get(&game).is_some_and(|&root| known.hides(root, viewer, now))
    }

    /// When everybody is told that there is this game, where that is not at once.
    pub fn seen_at(&self, game: GameId) -> Option<Timestamp> {
        let known = self.known();
        let root = known.games.get(known.following.get(&game)?)?;
        Some(root.ended?.plus(root.delay))
    }

    /// Whether this viewer is not told yet what a game did to ratings.
    pub fn hides_ratings(&self, viewer: Option<UserId>, game: GameId, now: Timestamp) -> bool {
        let known = self.known();
        known.rated.iter().any(|rated| rated.game == game && known.hides_rated(rated, viewer, now))
    }

    /// Games whose changes to a player's rating this viewer is not told yet.
    pub fn hidden_changes(
        &self,
        viewer: Option<UserId>,
        user: UserId,
        pool: &str,
        now: Timestamp,
    ) -> Vec<GameId> {
        let known = self.known();
        let of_user = known.rated.iter().filter(|rated| rated.pool == pool && rated.users.contains(&user));
        of_user.filter(|rated| known.hides_rated(rated, viewer, now)).map(|rated| rated.game).collect()
    }

    /// How many games are noted that changed a player's rating.
    pub fn noted_changes(&self, user: UserId, pool: &str) -> usize {
        let known = self.known();
        known.rated.iter().filter(|rated| rated.pool == pool && rated.users.contains(&user)).count()
    }

    /// Players of whose rating in a pool this viewer is not told all yet.
    pub fn users_with_hidden_changes(
        &self,
        viewer: Option<UserId>,
        pool: &str,
        now: Timestamp,
    ) -> Vec<UserId> {
        let known = self.known();
        let hidden = known.rated.iter().filter(|rated| rated.pool == pool);
        let hidden = hidden.filter(|rated| known.hides_rated(rated, viewer, now));
        let mut users: Vec<UserId> = hidden.flat_map(|rated| rated.users.iter().copied()).collect();
        users.sort();
        users.dedup();
        users
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
            other_game: None,
            other_game_follows: false,
        }
    }

    #[test]
    fn an_end_is_hidden_from_all_but_the_players_until_its_delay_has_passed() {
        let (delays, game, player) = (Delays::default(), GameId::fresh(), UserId::fresh());
        let stranger = Some(UserId::fresh());
        delays.add(game, &setup(player, 1_000), None);
        assert!(delays.hides(None, game, Timestamp(5_000), Timestamp(5_000)), "stored, and not yet said");
        delays.add(game, &setup(player, 1_000), Some(Timestamp(5_000)));
        let hidden = |viewer, now| {
            let hides = delays.hides(viewer, game, Timestamp(5_000), Timestamp(now));
            assert_eq!(delays.hidden_from(viewer, Timestamp(now)) == [game], hides);
            hides
        };
        assert!(hidden(None, 5_999) && hidden(stranger, 5_999) && !hidden(Some(player), 5_000));
        assert!(!hidden(None, 6_000));
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

    #[test]
    fn changes_are_hidden_with_the_game_behind_them_however_far_behind_it_is() {
        let delays = Delays::default();
        let [one, two, three, four] = std::array::from_fn(|_| UserId::fresh());
        let [hidden, next, after, apart] = std::array::from_fn(|_| GameId::fresh());
        let mut late = setup(one, 1_000);
        late.players.push(Player { user: two, ..late.players[0].clone() });
        delays.add(hidden, &late, Some(Timestamp(5_000)));
        delays.note_rated(hidden, "cross", &[one, two]);
        delays.note_rated(next, "cross", &[two, three]);
        delays.note_rated(after, "cross", &[three, four]);
        delays.note_rated(apart, "crossfire", &[two, three]);
        // Written again, since its batch was not.
        delays.note_rated(next, "cross", &[two, three]);
        let now = Timestamp(5_999);
        for (viewer, hides) in [(None, true), (Some(three), true), (Some(four), true), (Some(one), false)] {
            for game in [hidden, next, after] {
                assert_eq!(delays.hides_ratings(viewer, game, now), hides, "{viewer:?}");
            }
            assert!(!delays.hides_ratings(viewer, apart, now));
        }
        assert_eq!(delays.hidden_changes(None, four, "cross", now), [after]);
        assert_eq!(delays.users_with_hidden_changes(None, "cross", now).len(), 4);
        assert_eq!(delays.users_with_hidden_changes(Some(two), "cross", now), []);
        let told = Timestamp(6_000);
        assert!([hidden, next, after].iter().all(|&game| !delays.hides_ratings(None, game, told)));
        assert!(delays.is_empty(told) && delays.known().rated.is_empty());
    }

    #[test]
    fn a_game_that_begins_after_a_hidden_end_is_unseen_as_long_as_that_end() {
        let (delays, player) = (Delays::default(), UserId::fresh());
        let [first, rematch, other_board] = std::array::from_fn(|_| GameId::fresh());
        delays.add(first, &setup(player, 1_000), Some(Timestamp(5_000)));
        let again = Setup { rematch_of: Some(first), ..setup(player, 1_000) };
        delays.follow(rematch, &again, Timestamp(5_100));
        // The other board of a match is played at the same time.
        let other = Setup { other_game: Some(first), ..setup(player, 1_000) };
        delays.follow(other_board, &other, Timestamp(4_000));
        assert_eq!(delays.seen_at(rematch), Some(Timestamp(6_000)));
        assert!(delays.is_unseen(None, rematch, Timestamp(5_999)));
        assert!(!delays.is_unseen(Some(player), rematch, Timestamp(5_999)));
        assert!(!delays.is_unseen(None, rematch, Timestamp(6_000)));
        assert!(!delays.is_unseen(None, other_board, Timestamp(5_999)));
    }
}
