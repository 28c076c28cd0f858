//! What the whole-system tests share: a database and a server for each test, plain HTTP, players who check what they
//! are told, and bad lines.

mod database;
mod fault_proxy;
mod flood;
mod games;
mod http;
mod metrics;
mod pgbouncer;
mod postgres;
mod process;
mod program;
mod random_faults;
mod random_play;
mod rated;
mod schema;
mod server;
mod still_time;
mod stored;
mod test_player;

pub use database::Database;
pub use fault_proxy::{FaultProxy, PlannedFault, ProxyMode};
pub use flood::ask_for_snapshots;
pub use games::{
    guest_clients, guests, lobby_key, lobby_options, play_on, start_game, start_game_of_two, start_tracked,
    try_start_tracked,
};
pub use http::{Answer, Http};
pub use metrics::Metrics;
pub use pgbouncer::PgBouncer;
pub use postgres::Postgres;
pub use process::{Process, serve_in_process};
pub use program::Program;
pub use random_faults::random_faults;
pub use random_play::{Acknowledged, Until, persistent, play_all};
pub use rated::{END, check_chain, end_of_two, game_of_two, rating_of_two};
pub use schema::{Described, fits};
pub use server::{PASSWORD, Server, without_limits};
pub use still_time::StillTime;
pub use stored::Stored;
pub use test_player::TestPlayer;

/// How often a test that gains by repetition repeats: more when `KINGSCROSS_LONG` is set.
pub fn rounds(usual: usize, long: usize) -> usize {
    if std::env::var_os("KINGSCROSS_LONG").is_some() { long } else { usual }
}

/// Tells a story, an async function of a [`Database`], on SQLite, and on PostgreSQL where there is a server for tests.
#[macro_export]
macro_rules! on_both_databases {
    ($($name:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name($crate::Database::sqlite()).await;
            })*
        }
        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                if let Some(database) = $crate::Database::postgres().await {
                    super::$name(database.clone()).await;
                    database.remove().await;
                }
            })*
        }
    };
}
