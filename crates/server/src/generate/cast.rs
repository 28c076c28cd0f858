//! Who plays generated games, and the chance that all of it is drawn from.

use kingscross_engine::SplitMix64;
use kingscross_protocol::{Timestamp, UserId};
use kingscross_storage::{NewUser, UserKind};
use uuid::Uuid;

use crate::auth::NameKey;

/// What is drawn for generated games: the same seed gives the same games everywhere.
pub(super) struct Random(SplitMix64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// Evenly below `end`.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.index(usize::try_from(end).expect("64 bits")) as u64
    }

    /// An index of a list of this length.
    pub(super) fn index(&mut self, length: usize) -> usize {
        self.0.below(length)
    }

    /// From 0 to below 1.
    fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// An id (UUIDv7) as if made at this moment.
    pub(super) fn id(&mut self, at: Timestamp) -> Uuid {
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&self.0.next_u64().to_be_bytes());
        bytes[8..].copy_from_slice(&self.0.next_u64().to_be_bytes()[..2]);
        uuid::Builder::from_unix_timestamp_millis(at.0.unsigned_abs(), &bytes).into_uuid()
    }
}

/// The players, busiest first.
pub(super) struct Cast(Vec<(UserId, String)>);

impl Cast {
    /// So many accounts, but four at least.
    pub(super) fn new(random: &mut Random, count: u32, from: Timestamp) -> Self {
        // Made one after the other, so that the order of ids is that of the list.
        let at = |n: u32| from.plus(i64::from(n) - i64::from(count.max(4)));
        Self((0..count.max(4)).map(|n| (UserId(random.id(at(n))), format!("generated {n}"))).collect())
    }

    pub(super) fn as_new_users(&self, at: Timestamp) -> Vec<NewUser> {
        let new = |(id, name): &(UserId, String)| NewUser {
            id: *id,
            name_key: Some(NameKey::of(name).as_str().to_owned()),
            name: name.clone(),
            kind: UserKind::Account,
            // Nobody can sign in as them.
            password_hash: None,
            created_at: at,
        };
        self.0.iter().map(new).collect()
    }

    pub(super) fn id(&self, player: usize) -> UserId {
        self.0[player].0
    }

    pub(super) fn name(&self, player: usize) -> &str {
        &self.0[player].1
    }

    /// Different players for one game.
    pub(super) fn draw(&self, random: &mut Random, count: usize) -> Vec<usize> {
        let mut drawn: Vec<usize> = Vec::with_capacity(count);
        while drawn.len() < count {
            // Squared, so that a few play most of the games: the busiest plays some twenty thousand of a million.
            let player = (random.unit().powi(2) * self.0.len() as f64) as usize;
            if !drawn.contains(&player) {
                drawn.push(player);
            }
        }
        drawn
    }
}
