//! Games that nobody played, in any number: what lists, exports and `verify` are measured with.
//!
//! A few hundred short games are really played, by chance and by the table's own rules; each generated game is one of
//! them with other players at another time. So every one of them replays, and the ledger is what a rebuild finds.

mod cast;
mod script;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use kingscross_engine::Variant;
use kingscross_protocol::{Event, GameId, Player, Seq, Setup, TimeControl, Timestamp, UserId};
use kingscross_storage::{
    Direction, Fault, GameFilter, NameError, NewEvent, NewGame, NewPlayer, PlayedGame, Store, StoredRating,
};

use self::cast::{Cast, Random};
use self::script::Script;
use crate::archive::Private;
use crate::config::Config;
use crate::ratings::{Pool, changes, from_stored, ranks};

/// Games that are stored together.
const BATCH: u64 = 1000;
/// Games that are really played for each variant and time control.
const SCRIPTS: usize = 16;
const TIMES: [&str; 8] = ["1+2", "2+1", "3+2", "5+3", "10+5", "15+10", "20+0", "30+20"];

/// What to generate. The same values give the same games.
#[derive(Clone, Copy, Debug)]
pub struct Generate {
    /// How many games.
    pub games: u64,
    /// How many players share them; the first ones play far more often than the last.
    pub players: u32,
    /// Another seed gives other games.
    pub seed: u64,
    /// The first game is made then; the others follow, five minutes apart on average.
    pub from: Timestamp,
}

/// Why nothing, or not everything, was generated.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// Somebody plays here.
    #[error("the database has games already; generated ones are for an empty database")]
    NotEmpty,
    /// The database failed.
    #[error(transparent)]
    Storage(#[from] Fault),
    /// The generated players have names.
    #[error(transparent)]
    Name(#[from] NameError),
}

/// Fills an empty database. `each` hears how many games are stored.
pub async fn generate(
    store: &Store,
    config: &Config,
    what: Generate,
    mut each: impl FnMut(u64),
) -> Result<(), GenerateError> {
    let any = store.list_games(&GameFilter::default(), Direction::Newest, None, 1).await?;
    if !any.games.is_empty() {
        return Err(GenerateError::NotEmpty);
    }
    let mut random = Random::new(what.seed);
    let cast = Cast::new(&mut random, what.players, what.from);
    store.add_users(&cast.as_new_users(what.from)).await?;
    let mut stage = Stage::new(config, random, cast, what.from);
    let mut done = 0;
    while done < what.games {
        let count = BATCH.min(what.games - done);
        let games: Vec<PlayedGame> = (0..count).map(|_| stage.game()).collect();
        store.add_played(&games).await?;
        done += count;
        each(done);
    }
    for (pool, ratings) in stage.ratings {
        let mut ratings: Vec<(UserId, StoredRating)> = ratings.into_iter().collect();
        ratings.sort_by_key(|(user, _)| *user);
        store.put_ratings(pool.id(), &ratings).await?;
    }
    store.take_stock().await?;
    Ok(())
}

/// Where one game after the other is made up.
struct Stage {
    random: Random,
    cast: Cast,
    scripts: Vec<Script>,
    ratings: BTreeMap<Pool, HashMap<UserId, StoredRating>>,
    at: Timestamp,
}

impl Stage {
    fn new(config: &Config, mut random: Random, cast: Cast, from: Timestamp) -> Self {
        let terms = Arc::new(config.terms());
        let mut scripts = Vec::new();
        for variant in Variant::ALL {
            for time in TIMES {
                let time: TimeControl = time.parse().expect("a time control");
                scripts.extend((0..SCRIPTS).map(|_| Script::play(&terms, variant, time, &mut random)));
            }
        }
        Self { random, cast, scripts, ratings: BTreeMap::new(), at: from }
    }

    fn game(&mut self) -> PlayedGame {
        let pause = i64::try_from(self.random.below(600_000)).expect("ten minutes fit");
        self.at = self.at.plus(1 + pause);
        let at = self.at;
        let id = GameId(self.random.id(at));
        let script = &self.scripts[self.random.index(self.scripts.len())];
        let players = self.cast.draw(&mut self.random, script.setup.players.len());
        let pool = Pool::of(script.setup.variant);
        let ratings = self.ratings.entry(pool).or_default();
        let seated = script.setup.players.iter().zip(&players).map(|(seat, &player)| {
            let user = self.cast.id(player);
            let today = ratings.get(&user).map(|stored| from_stored(Some(stored)).aged(at));
            Player {
                user,
                name: self.cast.name(player).to_owned(),
                rating: today.map(|rating| rating.shown()),
                provisional: today.is_some_and(|rating| rating.is_provisional()),
                ..seat.clone()
            }
        });
        let setup =
            Setup { players: seated.collect(), rated: self.random.below(5) < 3, ..script.setup.clone() };
        let mut finish = script.finish.clone();
        finish.at = at.plus(script.finish.at.0);
        let mut made = Vec::new();
        if let (true, Some(ending)) = (setup.rated, &script.ending) {
            let before: Vec<(UserId, Option<StoredRating>)> = setup
                .players
                .iter()
                .map(|player| (player.user, ratings.get(&player.user).cloned()))
                .collect();
            let places = ranks(&setup, ending).expect("everybody has a place");
            made = changes(&before, &places, finish.at);
            ratings.extend(made.iter().map(|change| (change.user, change.after.clone())));
        }
        PlayedGame {
            game: new_game(id, at, script, setup),
            finish,
            pool: pool.id().to_owned(),
            changes: made,
        }
    }
}

fn new_game(id: GameId, at: Timestamp, script: &Script, setup: Setup) -> NewGame {
    let players = setup.players.iter().map(|player| NewPlayer {
        seat: player.seat.to_string(),
        user: Some(player.user),
        name: player.name.clone(),
        is_bot: false,
        bot_level: None,
    });
    let players = players.collect();
    let (variant, time, rated) = (setup.variant, setup.time, setup.rated);
    let created = serde_json::to_string(&Event::Created(setup)).expect("plain data");
    let mut events = vec![NewEvent { seq: Seq(1), commanded: None, at, hash: script.start, body: created }];
    for (line, seq) in script.lines.iter().zip(2..) {
        events.push(NewEvent {
            seq: Seq(seq),
            commanded: None,
            at: at.plus(line.after),
            hash: line.hash,
            body: line.body.clone(),
        });
    }
    NewGame {
        id,
        variant: variant.id().to_owned(),
        time_control: time.to_string(),
        time_control_json: serde_json::to_string(&time).expect("plain data"),
        is_rated: rated,
        created_at: at,
        started_at: Some(at),
        setup: serde_json::to_string(&Private { seed: "0".repeat(64) }).expect("plain data"),
        lobby: None,
        rematch_of: None,
        players,
        events,
        close_lobby: None,
        close_tickets: Vec::new(),
    }
}
