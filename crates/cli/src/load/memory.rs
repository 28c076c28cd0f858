//! What connections and games cost the server in memory.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use kingscross_client::{Address, Client, Socket};
use serde::Serialize;
use tokio::time::sleep;

use super::process::Process;
use super::table::{Style, Table};
use super::{LoadArgs, print};

/// Sockets of one guest; below the server's limit for one user.
const PER_GUEST: usize = 8;

/// How long the server gets to put down what it no longer needs before its memory is read.
const SETTLE: Duration = Duration::from_secs(2);

/// Memory of the server before and after something was added, and what each added thing cost.
#[derive(Clone, Debug, Serialize)]
struct Cost {
    what: String,
    count: usize,
    before_kib: u64,
    after_kib: u64,
    each_kib: f64,
}

impl Cost {
    fn new(what: String, count: usize, before_kib: u64, after_kib: u64) -> Self {
        let each_kib = (after_kib as f64 - before_kib as f64) / count as f64;
        Self { what, count, before_kib, after_kib, each_kib }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, count, before_kib, after_kib, each_kib } = self;
        writeln!(
            f,
            "{count} x {what}: {before_kib} KiB before, {after_kib} KiB after, {each_kib:.1} KiB each"
        )
    }
}

pub(crate) async fn of_connections(args: &LoadArgs, count: usize) -> anyhow::Result<()> {
    let process = Process(args.pid.context("--pid names the server")?);
    let address = Address::parse(&args.url)?;
    // What the server allocates once, for its first connections.
    let first = open(&Client::guest_of(&address).await?, PER_GUEST).await?;
    sleep(SETTLE).await;
    let before = process.memory_kib()?;
    let mut sockets = Vec::with_capacity(count);
    while sockets.len() < count {
        let guest = Client::guest_of(&address).await?;
        sockets.extend(open(&guest, PER_GUEST.min(count - sockets.len())).await?);
    }
    sleep(SETTLE).await;
    let cost = Cost::new("idle connection".to_owned(), count, before, process.memory_kib()?);
    drop((first, sockets));
    print(args, &cost)
}

async fn open(guest: &Client, count: usize) -> anyhow::Result<Vec<Socket>> {
    let mut sockets = Vec::with_capacity(count);
    for _ in 0..count {
        let mut socket = guest.socket().await?;
        socket.greet("kingscross-load").await?;
        sockets.push(socket);
    }
    Ok(sockets)
}

pub(crate) async fn of_games(args: &LoadArgs, plies: u32) -> anyhow::Result<()> {
    let process = Process(args.pid.context("--pid names the server")?);
    let address = Arc::new(Address::parse(&args.url)?);
    let variant =
        args.variant.parse().map_err(|_| anyhow::anyhow!("no game is called `{}`", args.variant))?;
    let style = Style { variant, time: args.time, every: None, watchers: args.watchers, faults: false };
    // What the server allocates once, for its first game.
    let mut first = Table::connect(&address, style.clone(), args.seed).await?;
    first.arrange().await?;
    first.play_to(plies).await?;
    // What a connection allocates once, for its first snapshot, is the connection's: all look at this one.
    let mut shown = Table::connect(&address, style.clone(), args.seed).await?;
    shown.arrange().await?;
    let mut tables = Vec::with_capacity(args.games);
    for number in 0..args.games as u64 {
        let mut table = Table::connect(&address, style.clone(), args.seed ^ (number << 20)).await?;
        table.look_at(&shown).await?;
        tables.push(table);
    }
    sleep(SETTLE).await;
    let before = process.memory_kib()?;
    for table in &mut tables {
        table.arrange().await?;
        table.play_to(plies).await?;
    }
    sleep(SETTLE).await;
    let what = format!("game of {plies} plies beside its connections");
    print(args, &Cost::new(what, args.games, before, process.memory_kib()?))
}
