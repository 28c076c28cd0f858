//! How fast the writer is: `cargo run --release -p kingscross-storage --example append -- <location> [seconds]`.
//!
//! Writes events for many tables at once, each of which waits for its confirmation before the next, and prints
//! events a second and the time that the process spent for each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kingscross_protocol::{CommandId, GameId, Seq, Timestamp, UserId};
use kingscross_storage::{Append, Commanded, NewEvent, Options, Store};

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let location = arguments.next().expect("a database file or URL that may be filled");
    let seconds = arguments.next().map_or(3, |seconds| seconds.parse().expect("seconds are a number"));
    let store = Store::open(&location, Options::default()).await.expect("the database opens");
    println!("{:>7} {:>12} {:>14} {:>10}", "tables", "events/s", "CPU us/event", "mean ms");
    for tables in [1, 8, 64, 250, 1000] {
        measure(&store, tables, Duration::from_secs(seconds)).await;
    }
    store.close().await;
}

async fn measure(store: &Store, tables: u32, duration: Duration) {
    let written = Arc::new(AtomicU64::new(0));
    let (begun, cpu) = (Instant::now(), cpu_time());
    let tasks: Vec<_> = (0..tables)
        .map(|_| {
            let (writer, written, game, user) =
                (store.writer(), Arc::clone(&written), GameId::fresh(), UserId::fresh());
            tokio::spawn(async move {
                let mut seq = Seq(0);
                while begun.elapsed() < duration {
                    seq = seq.next();
                    let event = NewEvent {
                        seq,
                        commanded: Some(Commanded { user, command: CommandId::fresh() }),
                        at: Timestamp(i64::from(seq.0)),
                        hash: 1,
                        body: format!("{{\"v\":1,\"n\":{},\"pad\":\"{:0>160}\"}}", seq.0, 0),
                    };
                    let append = Append { game, events: vec![event], finish: None, follow_up_pending: None };
                    writer.append(append).await.expect("the database stays");
                    written.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("no table panics");
    }
    let (elapsed, written) = (begun.elapsed().as_secs_f64(), written.load(Ordering::Relaxed));
    let rate = written as f64 / elapsed;
    let cpu = (cpu_time() - cpu).as_secs_f64() * 1e6 / written as f64;
    println!("{tables:>7} {rate:>12.0} {cpu:>14.1} {:>10.2}", f64::from(tables) / rate * 1e3);
}

/// What this process has used so far, from Linux's own count in hundredths of a second.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux tells");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap_or(0) + fields[12].parse::<u64>().unwrap_or(0);
    Duration::from_millis(ticks * 10)
}
