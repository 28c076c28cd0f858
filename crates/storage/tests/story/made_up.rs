//! Many games without events: lists look at rows only.

use kingscross_protocol::{GameId, Timestamp, UserId};
use kingscross_storage::{
    Finish, FinishedPlayer, GameStatus, NewGame, NewPlayer, NewUser, PlayedGame, PlayerResult, Store,
    UserKind,
};
use uuid::Uuid;

const VARIANTS: [(&str, usize, &[&str]); 5] = [
    ("crossfire", 4, &["last_army", "throne", "ultimatum", "standoff", "agreement", "resignation"]),
    ("kingdoms", 4, &["last_army", "points", "agreement", "resignation", "time"]),
    ("quaternity", 4, &["mate", "stalemate", "time", "resignation", "fifty_moves"]),
    ("cross-a", 2, &["mate", "resignation", "time", "agreement"]),
    ("cross-b", 2, &["mate", "resignation", "time", "agreement"]),
];
const TIMES: [&str; 4] = ["1+2", "3+2", "5+3", "30+20"];
const SEATS: [&str; 4] = ["E", "N", "S", "W"];

/// The moment of the first game.
pub(crate) const FROM: i64 = 1_700_000_000_000;

/// A number that looks drawn.
fn mixed(n: u64, salt: u64) -> usize {
    let mixed = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ (salt << 17)).rotate_left(29);
    (mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as usize
}

/// Stores so many games among so many players, and gives the players; the first ones play most.
pub(crate) async fn games(store: &Store, count: u64, players: usize) -> Vec<UserId> {
    let users: Vec<UserId> = (1..=players).map(|n| UserId(Uuid::from_u128(n as u128))).collect();
    let new = |id: &UserId| NewUser {
        id: *id,
        name_key: Some(format!("made up {}", id.0)),
        name: format!("Made Up {}", id.0),
        kind: UserKind::Account,
        password_hash: None,
        created_at: Timestamp(FROM),
    };
    store.add_users(&users.iter().map(new).collect::<Vec<_>>()).await.unwrap();
    let all: Vec<PlayedGame> = (0..count).map(|n| game(n, &users)).collect();
    store.add_played(&all).await.unwrap();
    store.take_stock().await.unwrap();
    users
}

fn game(n: u64, users: &[UserId]) -> PlayedGame {
    let (variant, seats, reasons) = VARIANTS[mixed(n, 1) % VARIANTS.len()];
    let is_aborted = mixed(n, 2).is_multiple_of(50);
    let first = mixed(n, 3) % users.len() * (mixed(n, 4) % 8) / 8;
    let at = Timestamp(FROM + i64::try_from(n).unwrap() * 300_000);
    let players: Vec<NewPlayer> = (0..seats)
        .map(|place| {
            let user = users[(first + place * 3) % users.len()];
            NewPlayer {
                seat: SEATS[place].to_owned(),
                user: Some(user),
                name: format!("Made Up {}", user.0),
                is_bot: false,
                bot_level: None,
            }
        })
        .collect();
    let end = |(place, player): (usize, &NewPlayer)| {
        let rank = (place + n as usize) % seats;
        FinishedPlayer {
            seat: player.seat.clone(),
            placement: Some(u32::try_from(rank).unwrap() + 1),
            points: None,
            result: Some(if rank == 0 { PlayerResult::Win } else { PlayerResult::Loss }),
        }
    };
    let ends = if is_aborted { Vec::new() } else { players.iter().enumerate().map(end).collect() };
    PlayedGame {
        game: NewGame {
            id: GameId(Uuid::from_u128((u128::from(at.0.unsigned_abs()) << 80) | u128::from(n))),
            variant: variant.to_owned(),
            time_control: TIMES[mixed(n, 5) % TIMES.len()].to_owned(),
            time_control_json: "{}".to_owned(),
            is_rated: mixed(n, 6) % 5 < 3,
            created_at: at,
            started_at: Some(at),
            setup: "{}".to_owned(),
            lobby: None,
            rematch_of: None,
            players,
            events: Vec::new(),
            close_lobby: None,
            close_tickets: Vec::new(),
        },
        finish: Finish {
            status: if is_aborted { GameStatus::Aborted } else { GameStatus::Finished },
            at: at.plus(60_000),
            hidden_until: None,
            reason: if is_aborted { "first_move" } else { reasons[mixed(n, 7) % reasons.len()] }.to_owned(),
            result: "{}".to_owned(),
            ply_count: 40,
            statistics: None,
            players: ends,
            rating: None,
            dodge: None,
        },
        pool: "crossfire".to_owned(),
        changes: Vec::new(),
    }
}
