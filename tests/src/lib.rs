//! What the whole-system tests share: a database and a server for each test, plain HTTP, players who check what they
//! are told, and bad lines.

mod chance;
mod database;
mod flood;
mod gamer;
mod http;
mod line;
mod metrics;
mod pgbouncer;
pub mod play;
mod player;
mod postgres;
mod process;
mod program;
mod proxy;
mod rated;
mod schema;
mod server;
mod still_time;
mod stored;

pub use chance::Chance;
pub use database::Database;
pub use flood::ask_for_snapshots;
pub use gamer::{Acknowledged, Gamer, Until, arrange, guests, play_all, stubborn, try_arrange};
pub use http::{Answer, Http};
pub use line::{Line, Wire};
pub use metrics::Metrics;
pub use pgbouncer::PgBouncer;
pub use player::{Player, play_two};
pub use postgres::Postgres;
pub use process::{Process, serve_in_process};
pub use program::Program;
pub use proxy::{Proxy, Trouble};
pub use rated::{END, check_chain, end_of_two, game_of_two, rating_of_two};
pub use schema::{Described, fits};
pub use server::{PASSWORD, Server, without_limits};
pub use still_time::StillTime;
pub use stored::Stored;

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
