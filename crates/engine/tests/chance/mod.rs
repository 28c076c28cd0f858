//! Seeded chance for tests: sparse positions, actions to try and documents gone wrong, the same on every machine.

#![allow(dead_code, unused_imports, reason = "every test that includes this module uses its own part of it")]

mod actions;
mod dice;
mod documents;
mod positions;

pub(crate) use actions::{choose, probes};
pub(crate) use dice::Dice;
pub(crate) use documents::spoil;
pub(crate) use positions::{any, library, playable};
