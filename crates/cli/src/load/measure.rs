//! When is measured, and what was.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;

/// How many problems are described.
const DESCRIBED: usize = 10;

/// The time in which is measured; before it the load warms up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) start: Instant,
    pub(crate) end: Instant,
}

impl Window {
    pub(crate) fn holds(&self, moment: Instant) -> bool {
        self.start <= moment && moment < self.end
    }
}

/// What one game (or room), or all of them together, saw in the window.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Moves that were answered `ok`, or messages that came back.
    pub(crate) accepted: u64,
    /// Events that reached a socket.
    pub(crate) deliveries: u64,
    /// From sending to the slowest receiver, in microseconds.
    pub(crate) latencies: Vec<u32>,
    /// Requests made and answers received, over the whole run.
    pub(crate) requests: u64,
    pub(crate) answers: u64,
    /// Refusals by code, over the whole run.
    pub(crate) refused: BTreeMap<String, u64>,
    /// Connections that were cut and resumed.
    pub(crate) resumed: u64,
    /// Games that came to their end.
    pub(crate) finished: u64,
    /// What must not happen.
    pub(crate) problems: u64,
    pub(crate) described: Vec<String>,
}

impl Tally {
    pub(crate) fn problem(&mut self, text: impl Into<String>) {
        self.problems += 1;
        if self.described.len() < DESCRIBED {
            self.described.push(text.into());
        }
    }

    pub(crate) fn latency(&mut self, latency: Duration) {
        self.latencies.push(u32::try_from(latency.as_micros()).unwrap_or(u32::MAX));
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.accepted += other.accepted;
        self.deliveries += other.deliveries;
        self.latencies.extend(other.latencies);
        self.requests += other.requests;
        self.answers += other.answers;
        for (code, count) in other.refused {
            *self.refused.entry(code).or_default() += count;
        }
        self.resumed += other.resumed;
        self.finished += other.finished;
        self.problems += other.problems;
        self.described.extend(other.described);
        self.described.truncate(DESCRIBED);
    }
}

/// Latencies in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Latency {
    pub(crate) p50_ms: f64,
    pub(crate) p95_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) max_ms: f64,
}

impl Latency {
    /// Of microseconds in any order.
    pub(crate) fn of(mut micros: Vec<u32>) -> Self {
        micros.sort_unstable();
        let at = |permille: usize| match micros.len() {
            0 => 0.0,
            // The smallest value that so many of a thousand do not exceed.
            len => f64::from(micros[(len * permille).div_ceil(1000).max(1) - 1]) / 1000.0,
        };
        Self { p50_ms: at(500), p95_ms: at(950), p99_ms: at(990), max_ms: at(1000) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let latency = Latency::of((1..=1000).rev().map(|n| n * 1000).collect());
        assert_eq!(
            (latency.p50_ms, latency.p95_ms, latency.p99_ms, latency.max_ms),
            (500.0, 950.0, 990.0, 1000.0)
        );
        assert_eq!(Latency::of(vec![7000]).p50_ms, 7.0);
        assert_eq!(Latency::of(Vec::new()), Latency::default());
    }
}
