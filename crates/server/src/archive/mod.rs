//! Stored games: what lists and records show of them, what the end of a game stores, and whether all of it is sound.

mod aggression;
mod private;
mod record;
mod result;
mod summary;
mod verify;

pub(crate) use aggression::count as count_aggression;
pub(crate) use private::Private;
pub(crate) use record::name_as_rows;
pub use record::{BadGame, write as write_record};
pub(crate) use result::{finish, hidden_until, seats_of};
pub(crate) use summary::{status, summary};
pub use verify::{VerifyError, verify};
