//! Finished games that nobody played, in any number, to measure lists with.

use kingscross_protocol::Timestamp;
use sqlx::{Database, Encode, QueryBuilder, Type};
use uuid::Uuid;

use crate::fault::Fault;
use crate::store::Store;

/// Games of one statement: four players of fifteen columns each stay below both databases' limits of parameters.
const GAMES: u64 = 250;

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

/// A splitmix64 generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Evenly below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Between 0 and 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.below(all.len() as u64)).expect("an index fits")]
    }

    fn id(&mut self, at: i64) -> Uuid {
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&self.next().to_be_bytes());
        bytes[8..].copy_from_slice(&self.next().to_be_bytes()[..2]);
        uuid::Builder::from_unix_timestamp_millis(at.unsigned_abs(), &bytes).into_uuid()
    }
}

struct Game {
    id: Uuid,
    variant: &'static str,
    status: &'static str,
    reason: &'static str,
    time_control: &'static str,
    is_rated: bool,
    created_at: i64,
    ended_at: i64,
    ply_count: i32,
    players: [Player; 4],
}

struct Player {
    seat: &'static str,
    user: (Uuid, String),
    placement: Option<i32>,
    result: Option<&'static str>,
}

impl Store {
    /// Adds generated games and their players; they have no events, so they can be listed but not replayed.
    pub async fn generate_games(&self, what: Generate) -> Result<(), Fault> {
        let mut random = Random(what.seed);
        let mut users: Vec<(Uuid, String)> = Vec::new();
        for n in 0..what.players.max(4) {
            users.push((random.id(what.from.0), format!("generated-{:x}-{n}", what.seed)));
        }
        for some in users.chunks(1000) {
            writing!(self, db => insert_users(some, what.from.0).build().execute(db).await?.rows_affected());
        }
        let (mut at, mut left) = (what.from.0, what.games);
        while left > 0 {
            let games: Vec<Game> =
                (0..left.min(GAMES)).map(|_| Game::generate(&mut random, &users, &mut at)).collect();
            left -= games.len() as u64;
            transaction!(self, connection => {
                on!(connection, db => insert_games(&games).build().execute(db).await?.rows_affected());
                on!(connection, db => insert_players(&games).build().execute(db).await?.rows_affected())
            });
        }
        // What the planners know about the tables is of before.
        writing!(self, db => sqlx::query("analyze").execute(db).await?.rows_affected());
        Ok(())
    }
}

impl Game {
    fn generate(random: &mut Random, users: &[(Uuid, String)], at: &mut i64) -> Self {
        const VARIANTS: &[(&str, &[&str])] = &[
            ("crossfire", &["last_army", "throne", "ultimatum", "standoff", "agreement", "resignation"]),
            ("kingdoms", &["last_army", "points", "agreement", "resignation", "time"]),
            ("quaternity", &["mate", "stalemate", "time", "resignation", "fifty_moves"]),
            ("cross-a", &["mate", "resignation", "time", "agreement"]),
            ("cross-b", &["mate", "resignation", "time", "agreement"]),
        ];
        const TIMES: &[&str] = &["60+0", "120+1", "180+2", "300+3", "600+5", "900+10", "1800+0", "1800+20"];
        *at += i64::try_from(random.below(600_000)).expect("ten minutes fit");
        let (variant, reasons) = random.of(VARIANTS);
        let is_aborted = random.below(50) == 0;
        let mut order = [1, 2, 3, 4];
        for n in (1..4).rev() {
            order.swap(n, usize::try_from(random.below(n as u64 + 1)).expect("an index fits"));
        }
        let mut seated: Vec<usize> = Vec::with_capacity(4);
        while seated.len() < 4 {
            // Cubed, so that a few play most of the games.
            let user = (random.unit().powi(3) * users.len() as f64) as usize;
            if !seated.contains(&user) {
                seated.push(user);
            }
        }
        let players = std::array::from_fn(|n| Player {
            seat: ["E", "N", "S", "W"][n],
            user: users[seated[n]].clone(),
            placement: (!is_aborted).then_some(order[n]),
            result: (!is_aborted).then_some(if order[n] == 1 { "win" } else { "loss" }),
        });
        Self {
            id: random.id(*at),
            variant,
            status: if is_aborted { "aborted" } else { "finished" },
            reason: if is_aborted { "no_show" } else { random.of(reasons) },
            time_control: random.of(TIMES),
            is_rated: random.below(5) < 3,
            created_at: *at,
            ended_at: *at + 900_000,
            ply_count: i32::try_from(random.below(200)).expect("two hundred fit"),
            players,
        }
    }
}

fn insert_users<DB: Database>(users: &[(Uuid, String)], at: i64) -> QueryBuilder<DB>
where
    Uuid: Encode<'static, DB> + Type<DB>,
    String: Encode<'static, DB> + Type<DB>,
    i64: Encode<'static, DB> + Type<DB>,
{
    let mut query = QueryBuilder::new("insert into users (id, name_key, name, kind, created_at) ");
    query.push_values(users, |mut row, (id, name)| {
        row.push_bind(*id).push_bind(name.clone()).push_bind(name.clone()).push("'account'").push_bind(at);
    });
    query
}

fn insert_games<DB: Database>(games: &[Game]) -> QueryBuilder<DB>
where
    Uuid: Encode<'static, DB> + Type<DB>,
    &'static str: Encode<'static, DB> + Type<DB>,
    i64: Encode<'static, DB> + Type<DB>,
    i32: Encode<'static, DB> + Type<DB>,
    bool: Encode<'static, DB> + Type<DB>,
{
    let mut query = QueryBuilder::new(
        "insert into games (id, variant, status, time_control, time_control_json, is_rated, created_at, started_at,
        ended_at, reason, result, ply_count, setup) ",
    );
    query.push_values(games, |mut row, game| {
        row.push_bind(game.id)
            .push_bind(game.variant)
            .push_bind(game.status)
            .push_bind(game.time_control)
            .push("'{}'")
            .push_bind(game.is_rated)
            .push_bind(game.created_at)
            .push_bind(game.created_at)
            .push_bind(game.ended_at)
            .push_bind(game.reason)
            .push("'{}'")
            .push_bind(game.ply_count)
            .push("'{}'");
    });
    query
}

fn insert_players<DB: Database>(games: &[Game]) -> QueryBuilder<DB>
where
    Uuid: Encode<'static, DB> + Type<DB>,
    String: Encode<'static, DB> + Type<DB>,
    &'static str: Encode<'static, DB> + Type<DB>,
    Option<&'static str>: Encode<'static, DB> + Type<DB>,
    i64: Encode<'static, DB> + Type<DB>,
    Option<i32>: Encode<'static, DB> + Type<DB>,
    bool: Encode<'static, DB> + Type<DB>,
{
    let mut query = QueryBuilder::new(
        "insert into game_players (game_id, seat, user_id, name, is_bot, placement, result, variant, status, reason,
        is_rated, time_control, created_at) ",
    );
    let rows = games.iter().flat_map(|game| game.players.iter().map(move |player| (game, player)));
    query.push_values(rows, |mut row, (game, player)| {
        row.push_bind(game.id)
            .push_bind(player.seat)
            .push_bind(player.user.0)
            .push_bind(player.user.1.clone())
            .push("false")
            .push_bind(player.placement)
            .push_bind(player.result)
            .push_bind(game.variant)
            .push_bind(game.status)
            .push_bind(game.reason)
            .push_bind(game.is_rated)
            .push_bind(game.time_control)
            .push_bind(game.created_at);
    });
    query
}
