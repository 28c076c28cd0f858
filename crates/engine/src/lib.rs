//! The rules engine of Kingscross: crossfire, kingdoms, quaternity, cross-a and cross-b.
//!
//! It knows no input or output, no clock and no hidden randomness. A [`Game`] is played by [`Action`]s; a [`Position`]
//! generates and plays [`Move`]s for those who search. The rule book is `docs/rules/`.
#![warn(missing_docs)]

mod action;
mod adjudicate;
mod attack;
mod choices;
pub mod command;
mod draws;
mod effect;
mod ending;
mod game;
mod games;
mod generate;
mod geometry;
mod hash;
mod make_move;
mod movement;
mod moves;
mod names;
pub mod notation;
mod outcome;
mod perft;
mod piece;
mod position;
mod ranking;
mod role;
mod rules;
mod search_queries;
mod seat;
mod setup;
mod sink;
mod split_mix;
mod square;
mod status;
mod step_table;
mod validate;

pub use action::{Action, MoveText, Rejection, RejectionCode};
pub use choices::Choice;
pub use draws::GREATEST_LENGTH;
pub use effect::{Cause, Effect, How, Why};
pub use game::{ArmyView, Forced, Game, Offer, Played};
pub use games::{UnknownVariant, Variant};
pub use geometry::Geometry;
pub use hash::{NotAHash, PositionHash};
pub use moves::{Move, MoveKind, MoveList};
pub use outcome::{Outcome, Reason};
pub use perft::{DEEPEST_PERFT, perft};
pub use piece::Piece;
pub use position::{Phase, Position};
pub use rules::{RULES_VERSION, Rules};
pub use seat::{Seat, Seats};
pub use setup::{BadPosition, EnPassantRight, Setup};
pub use split_mix::SplitMix64;
pub use square::{NotASquare, Square, SquareSet};
pub use status::Status;
