//! Seeded randomness: the same seed gives the same throws, everywhere and always.

/// A splitmix64 generator.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice that a seed and a second number, such as a position's hash, determine.
    #[must_use]
    pub fn new(seed: u64, salt: u64) -> Dice {
        let mut dice = Dice(seed);
        let mixed = dice.throw();
        Dice(mixed ^ salt)
    }

    /// The next 64 bits.
    pub fn throw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// A number below `n`, which is not 0, all equally likely but for one part in 2⁶⁴ / n.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.throw()) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_face_comes_up_and_none_beyond() {
        let mut dice = Dice::new(1, 2);
        let mut seen = [0; 6];
        for _ in 0..600 {
            seen[dice.below(6)] += 1;
        }
        assert!(seen.iter().all(|&times| times > 60), "{seen:?}");
    }
}
