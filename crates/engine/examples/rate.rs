use kingscross_engine::*;
fn cozy(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut nodes = 0;
    board.generate_moves(|moves| {
        for mv in moves {
            let mut next = board.clone();
            next.play_unchecked(mv);
            nodes += if depth == 1 {
                u64::from(std::hint::black_box(&next).fullmove_number() > 0)
            } else {
                cozy(&next, depth - 1)
            };
        }
        false
    });
    nodes
}
fn best(n: u32, mut f: impl FnMut() -> u64) -> String {
    let b = cozy_chess::Board::default();
    let cpu = || {
        std::fs::read_to_string("/proc/thread-self/schedstat")
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    let (mut best, mut yard) = (0f64, 0f64);
    let mut ratios = vec![];
    for _ in 0..n {
        let mut go = |g: &mut dyn FnMut() -> u64| {
            let t = cpu();
            let mut nodes = 0;
            while cpu() - t < 15_000_000 {
                nodes += g();
            }
            nodes as f64 / (cpu() - t) as f64 * 1e3
        };
        let y = go(&mut || cozy(&b, 4));
        let r = go(&mut f);
        best = best.max(r);
        yard = yard.max(y);
        ratios.push(r / y);
    }
    ratios.sort_by(|a, b| a.partial_cmp(b).unwrap());
    format!("{best:.1} (/{yard:.1}={:.2}, median {:.2})", best / yard, ratios[ratios.len() / 2])
}
fn main() {
    let table: serde_json::Value = serde_json::from_str(include_str!("../tests/vectors/perft.json")).unwrap();
    let only: Option<String> = std::env::args().nth(1);
    let b = cozy_chess::Board::default();
    if only.is_none() {
        let _ = &b;
    }
    for v in Variant::ALL {
        if only.as_ref().is_some_and(|o| o != v.id()) {
            continue;
        }
        let n = if only.is_some() { 25 } else { 9 };
        let start = table[v.id()]["start"]["nodes"].as_array().unwrap();
        let g = Game::new(v);
        let d = match v {
            Variant::Quaternity | Variant::CrossB => 3,
            Variant::CrossA => 6,
            _ => 4,
        };
        let r = best(n, || {
            let x = perft(&g, d);
            assert_eq!(Some(x), start.get(d as usize - 1).map(|v| v.as_u64().unwrap()));
            x
        });
        print!("{v} start{d} {r}");
        if std::env::args().nth(2).is_some() {
            println!();
            continue;
        }
        for c in table[v.id()]["midgame"].as_array().unwrap() {
            let g = Game::load(&c["position"]).unwrap();
            let nodes = c["nodes"].as_array().unwrap();
            let d = nodes.len() as u32;
            let e = nodes.last().unwrap().as_u64().unwrap();
            let r = best(n, || {
                let x = perft(&g, d);
                assert_eq!(x, e);
                x
            });
            print!("  {r}");
        }
        println!();
    }
}
