//! Games that bots alone play, beside the measured ones: what their searches cost the moves of people.

use std::fmt;

use anyhow::{Context, bail};
use kingscross_client::{Address, Client};
use kingscross_engine::Variant;
use kingscross_protocol::Request;
use serde::Serialize;

use super::report::Report;
use super::{LoadArgs, play, print, verdict};

/// The measured games alone, and beside games of bots.
#[derive(Debug, Serialize)]
struct Beside {
    bot_games: usize,
    alone: Report,
    beside: Report,
    p99_ratio: f64,
}

impl fmt::Display for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{}", self.alone, self.beside)?;
        writeln!(f, "p99 beside {} games of bots to p99 alone: {:.2}", self.bot_games, self.p99_ratio)
    }
}

/// Plays without bots, begins so many games of bots, and plays again.
pub(crate) async fn beside(args: &LoadArgs, bot_games: usize) -> anyhow::Result<()> {
    let alone = play(args, "without bots", args.games, args.rate).await?;
    for _ in 0..bot_games {
        begin(args).await?;
    }
    let beside = play(args, "beside bots", args.games, args.rate).await?;
    let p99_ratio = beside.latency.p99_ms / alone.latency.p99_ms;
    let found = Beside { bot_games, alone, beside, p99_ratio };
    print(args, &found)?;
    verdict(&[&found.alone, &found.beside])
}

/// A guest begins a game against three bots and gives up, so that they play on among themselves.
async fn begin(args: &LoadArgs) -> anyhow::Result<()> {
    let variant: Variant =
        args.variant.parse().map_err(|_| anyhow::anyhow!("no game is called `{}`", args.variant))?;
    if variant.rules().turn_order.len() < 4 {
        bail!("bots play on among themselves only in a game of four");
    }
    let guest = Client::guest_of(&Address::parse(&args.url)?).await?;
    let connection = guest.connect().await?;
    let start = Request::PlayNow { variant, time: Some(args.time), level: Some(args.bot_level.clone()) };
    let game = connection.request(start).await?.game.context("the server tells the game that it starts")?;
    connection.request(Request::Resign { game }).await?;
    Ok(())
}
