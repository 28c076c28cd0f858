//! Chance that can be repeated.

/// SplitMix64: enough to choose moves and troubles with.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// The same seed gives the same draws.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        usize::try_from(z % bound as u64).expect("below a usize")
    }
}
