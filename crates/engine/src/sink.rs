//! Where the generator's moves go.

use crate::moves::Move;
use crate::step_table::StepTable;

/// What a sink answers: whether it has seen enough.
pub(crate) type Enough = bool;

/// Who is given the moves that a search finds.
pub(crate) trait Sink {
    /// Takes a move.
    fn take(&mut self, mv: Move) -> Enough;

    /// Takes those steps of one piece that are open. A list can do so without asking of each: whether a step is open is what
    /// a processor cannot foresee.
    #[inline(always)]
    fn take_open(&mut self, steps: &StepTable, is_open: impl Fn(usize) -> bool) -> Enough {
        (0..steps.len()).any(|step| is_open(step) && self.take(steps.get(step)))
    }
}

impl<F: FnMut(Move) -> Enough> Sink for F {
    #[inline(always)]
    fn take(&mut self, mv: Move) -> Enough {
        self(mv)
    }
}
