//! Every message and REST body that crosses the wire, the events of a game, and the ids.

mod ids;

pub use ids::{BootId, CommandId, GameId, LobbyId, ProposalId, Seq, Timestamp, UserId};
