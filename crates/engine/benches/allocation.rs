//! Allocations of the rules: `cargo bench -p kingscross-engine --bench allocation`. A perft has none at all.

use divan::{AllocProfiler, Bencher};
use kingscross_engine::{Game, Variant, perft};

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

#[divan::bench(args = Variant::ALL, sample_count = 3, sample_size = 1)]
fn perft_3_of_the_start(bencher: Bencher<'_, '_>, variant: Variant) {
    let game = Game::new(variant);
    bencher.bench_local(|| assert!(perft(&game, 3) > 0));
}
