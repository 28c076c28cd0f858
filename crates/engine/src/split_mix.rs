//! Seeded randomness: the same seed gives the same numbers, on every machine and in every release.

/// Steele's SplitMix64: the keys of position hashes, the draws of bots, generated games and tests come from it. It is
/// not for secrets.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator that starts from a seed.
    #[must_use]
    pub const fn new(seed: u64) -> SplitMix64 {
        SplitMix64(seed)
    }

    /// A generator that starts from a seed and a second number, such as a position's hash.
    #[must_use]
    pub const fn salted(seed: u64, salt: u64) -> SplitMix64 {
        SplitMix64(SplitMix64(seed).next_u64() ^ salt)
    }

    /// The next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// A number below `bound`, which is not 0; all are equally likely but for one part in 2⁶⁴ / `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// A number from 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// An element of a list, which is not empty.
    ///
    /// # Panics
    /// If the list is empty.
    #[track_caller]
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_known_numbers() {
        let mut generator = SplitMix64::new(1_234_567);
        let numbers = (generator.next_u64(), generator.next_u64());
        assert_eq!(numbers, (6_457_827_717_110_365_317, 3_203_168_211_198_807_973));
    }

    #[test]
    fn every_number_below_the_bound_comes_up_and_none_beyond() {
        let mut generator = SplitMix64::salted(1, 2);
        let mut seen = [0; 6];
        for _ in 0..600 {
            seen[generator.below(6)] += 1;
        }
        assert!(seen.iter().all(|&times| times > 60), "{seen:?}");
    }
}
