//! Throws that decide how a position, an action or a document is made up.

use kingscross_engine::SplitMix64;

#[derive(Clone)]
pub(crate) struct Dice(SplitMix64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(SplitMix64::new(seed))
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    pub(crate) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    pub(crate) fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        self.0.pick(list).clone()
    }
}
