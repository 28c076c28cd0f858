//! What a bot overlooks: not any move at random, but the same moves throughout one choice, far ones first.

use kingscross_engine::{Move, Position, SplitMix64};

use crate::evaluation::place;

/// How attentively one choice is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attention {
    /// Of 100 moves at middle distance, how many are seen.
    seen: u64,
    blur: i32,
    key: u64,
}

impl Attention {
    pub(crate) fn new(seen: u8, blur: u16, seed: u64, position: &Position) -> Attention {
        Attention { seen: u64::from(seen), blur: i32::from(blur), key: mix(seed ^ mix(position.hash().0)) }
    }

    /// Does the bot fail to see this move? A move is always the same move of the same piece, so that it is missed, or
    /// seen, wherever it comes up.
    #[inline]
    pub(crate) fn overlooks(&self, mv: Move) -> bool {
        if self.seen >= 100 || mv.is_pass() {
            return false;
        }
        let (from, to) = (mv.from(), mv.to());
        let distance = from.file().abs_diff(to.file()).max(from.rank().abs_diff(to.rank()));
        // A step is missed half as often as a move of four squares, one of eight or more twice as often.
        let weight = 1 + u64::from(distance.min(9)) * 3 / 4;
        let missed = (100 - self.seen) * weight / 4;
        self.draw(mv) % 100 < missed
    }

    /// The error of judgement about a move of its own, at most three times the blur.
    pub(crate) fn misjudges(&self, mv: Move) -> i32 {
        if self.blur == 0 {
            return 0;
        }
        // Three even throws together come near the bell that people's errors follow.
        let bits = mix(self.draw(mv) ^ 0xB1_0C);
        let throw = |shift: u32| ((bits >> shift & 0xFFFF) as i32 - 0x8000) * self.blur / 0x8000;
        throw(0) + throw(16) + throw(32)
    }

    fn draw(&self, mv: Move) -> u64 {
        let piece = mv.piece().map_or(0, |piece| piece.code());
        mix(self.key ^ (place(mv.from()) << 16 | place(mv.to()) << 8 | piece) as u64)
    }
}

fn mix(bits: u64) -> u64 {
    SplitMix64::new(bits).next_u64()
}
