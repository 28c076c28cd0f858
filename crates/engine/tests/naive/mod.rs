//! A second rules engine of all five games, written from the rule book (`docs/rules`) alone. It shares no code with
//! the crate, knows only `std` and `serde_json`, and prefers the obvious to the quick: the board is a map from squares
//! to pieces, a move is legal when playing it on a copy leaves the kings safe, a king is mated when every move has
//! been tried. Where it and the crate disagree, the rule decides.

#![allow(dead_code, unused_imports, reason = "every test that includes this module uses its own part of it")]

mod acting;
mod board;
mod checking;
mod judging;
mod moving;
mod paper;
mod quaternity;
mod situation;

pub(crate) use acting::Naive;
pub(crate) use board::{Variant, name as square_name};
pub(crate) use checking::may_stand;
