//! Games being played: one task around each [`kingscross_table::Core`], the only writer of its game.

mod answers;
mod archived;
mod bot_driver;
mod broadcast;
mod chat;
mod commit;
mod handle;
mod inbox;
mod new_game;
mod other_board;
mod outages;
mod past;
mod recovery;
mod registry;
mod restore;
mod statistics;
mod task;
mod upkeep;
mod watchers;

pub use answers::Answers;
pub use archived::ArchiveError;
pub use chat::{Chat, run as keep_chat};
pub use handle::{Done, Follow, Reply, Standing, TableHandle, answer_message};
pub use new_game::{NewGame, Seated, StartError};
pub(crate) use other_board::other_board;
pub use past::answer_of_the_past;
pub use registry::Registry;
pub use restore::RestoreError;
