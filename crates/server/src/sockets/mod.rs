//! Who is connected, and what waits to be written to them.

mod hub;
mod notices;
mod socket;

pub(crate) use hub::{Hub, TooManySockets};
pub(crate) use notices::Notices;
pub(crate) use socket::{Look, Outgoing, Sight, Socket, encode};
