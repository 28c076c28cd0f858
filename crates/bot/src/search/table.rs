//! The transposition table: what is known of positions met before, in a fixed number of places.

use kingscross_engine::Move;

/// How a stored value bounds the true one, as the bot at the root sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// What is known of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    key: u64,
    pub(super) value: i32,
    pub(super) depth: i8,
    pub(super) bound: Bound,
    pub(super) best: Move,
}

pub(super) struct Table {
    entries: Vec<Option<Entry>>,
}

impl Table {
    /// A table fit for a search of so many nodes.
    pub(super) fn for_nodes(nodes: u64) -> Table {
        let places = (nodes / 2).clamp(1 << 8, 1 << 18).next_power_of_two();
        Table { entries: vec![None; places as usize] }
    }

    fn place(&self, key: u64) -> usize {
        // The length is a power of two.
        key as usize & (self.entries.len() - 1)
    }

    pub(super) fn find(&self, key: u64) -> Option<Entry> {
        self.entries[self.place(key)].filter(|entry| entry.key == key)
    }

    /// Stores what was found; deeper knowledge of the same position is kept.
    pub(super) fn store(&mut self, key: u64, value: i32, depth: i32, bound: Bound, best: Move) {
        let place = self.place(key);
        let depth = depth.clamp(-1, 100) as i8;
        if self.entries[place].is_some_and(|old| old.key == key && old.depth > depth) {
            return;
        }
        self.entries[place] = Some(Entry { key, value, depth, bound, best });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_only_under_its_own_key() {
        let mut table = Table::for_nodes(1000);
        table.store(7, 12, 3, Bound::Exact, Move::PASS);
        assert_eq!(table.find(7).map(|entry| (entry.value, entry.depth)), Some((12, 3)));
        assert!(table.find(7 + (1 << 40)).is_none());
        table.store(7, 5, 1, Bound::Exact, Move::PASS);
        assert_eq!(table.find(7).map(|entry| entry.value), Some(12), "the deeper result stays");
    }
}
