//! What the server meets of the outside: addresses, proxies, connections, JSON that does not fit.

mod json_error;
mod proxies;
mod public_url;
mod tcp_connection;

pub(crate) use json_error::{Object, explain, kind_of, plain_message};
pub(crate) use proxies::client_address;
pub use proxies::{Peer, Proxies};
pub(crate) use public_url::without_path;
pub use public_url::{Origin, PublicUrl};
pub(crate) use tcp_connection::TcpConnection;
