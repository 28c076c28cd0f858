//! What the server meets of the outside: addresses, proxies, connections, JSON that does not fit.

mod json_error;
mod line;
mod proxies;
mod public_url;

pub(crate) use json_error::{Object, explain, in_words, kind_of};
pub(crate) use line::Line;
pub(crate) use proxies::client_address;
pub use proxies::{Peer, Proxies};
pub(crate) use public_url::without_path;
pub use public_url::{Origin, PublicUrl};
