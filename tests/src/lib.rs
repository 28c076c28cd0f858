//! What the whole-system tests share: a database and a server for each test, and plain HTTP.

mod binary;
mod database;
mod http;
pub mod play;
mod player;
mod server;

pub use binary::Binary;
pub use database::Database;
pub use http::{Answer, Http};
pub use player::{Player, play_two};
pub use server::{PASSWORD, Server};

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
