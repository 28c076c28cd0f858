//! One room of the bare server: the yardstick for a table, with the same sockets and the same turns.

use std::time::Duration;

use anyhow::Context;
use kingscross_client::{Client, Socket};
use kingscross_engine::SplitMix64;
use tokio::time::{Instant, sleep_until, timeout};

use super::measure::{Tally, Window};
use super::player::PATIENCE;

/// Sockets of a room.
const SOCKETS: usize = 4;

/// Length of a message in bytes.
const LENGTH: usize = 200;

pub(crate) struct Room {
    sockets: Vec<Socket>,
    every: Option<Duration>,
    chance: SplitMix64,
    pub(crate) tally: Tally,
}

impl Room {
    pub(crate) async fn connect(url: &str, every: Option<Duration>, number: u64) -> anyhow::Result<Self> {
        // The bare server asks nobody who they are.
        let client = Client::with_token(url, "none")?;
        let mut sockets = Vec::with_capacity(SOCKETS);
        for _ in 0..SOCKETS {
            let mut socket = client.socket().await?;
            socket.send_text(format!("room {number}").into()).await?;
            socket.next().await?;
            sockets.push(socket);
        }
        Ok(Self { sockets, every, chance: SplitMix64::new(number), tally: Tally::default() })
    }

    pub(crate) async fn play(&mut self, window: Window) -> anyhow::Result<()> {
        let spread = self.every.unwrap_or_default().mul_f64(self.chance.below(1000) as f64 / 1000.0);
        let mut due = Instant::now() + spread;
        let mut count: usize = 0;
        while Instant::now() < window.end {
            if let Some(every) = self.every {
                sleep_until(due).await;
                due = (due + every).max(Instant::now());
            }
            let text = format!("{count:0>LENGTH$}");
            let sent = Instant::now();
            timeout(PATIENCE, self.turn(count, &text))
                .await
                .context("a message was not echoed in time")??;
            if window.holds(sent) {
                self.tally.latency(sent.elapsed());
                self.tally.accepted += 1;
                self.tally.deliveries += SOCKETS as u64;
            }
            count += 1;
        }
        Ok(())
    }

    async fn turn(&mut self, count: usize, text: &str) -> anyhow::Result<()> {
        self.sockets[count % SOCKETS].send_text(text.into()).await?;
        for socket in &mut self.sockets {
            let echoed = socket.next().await?;
            if echoed != text {
                self.tally.problem("another message than the one sent");
            }
        }
        Ok(())
    }
}
