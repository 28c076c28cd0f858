//! What a run found, as a table and as JSON.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::measure::{Latency, Tally};

/// One run of the load.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    /// What ran, in words.
    pub(crate) name: String,
    pub(crate) games: usize,
    pub(crate) seconds: f64,
    pub(crate) accepted: u64,
    pub(crate) accepted_per_second: f64,
    pub(crate) deliveries_per_second: f64,
    pub(crate) latency: Latency,
    pub(crate) requests: u64,
    pub(crate) answers: u64,
    pub(crate) refused: BTreeMap<String, u64>,
    pub(crate) resumed: u64,
    pub(crate) finished: u64,
    pub(crate) problems: u64,
    pub(crate) described: Vec<String>,
    /// Of the measured process.
    pub(crate) server: Option<Usage>,
    /// Processor seconds of the load itself.
    pub(crate) client_cpu_seconds: f64,
}

/// What a process used.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Usage {
    pub(crate) cpu_seconds: f64,
    pub(crate) cpu_micros_per_accepted: f64,
    pub(crate) memory_before_kib: u64,
    pub(crate) memory_after_kib: u64,
}

impl Report {
    pub(crate) fn new(name: String, games: usize, seconds: f64, tally: Tally) -> Self {
        Self {
            name,
            games,
            seconds,
            accepted: tally.accepted,
            accepted_per_second: tally.accepted as f64 / seconds,
            deliveries_per_second: tally.deliveries as f64 / seconds,
            latency: Latency::of(tally.latencies),
            requests: tally.requests,
            answers: tally.answers,
            refused: tally.refused,
            resumed: tally.resumed,
            finished: tally.finished,
            problems: tally.problems,
            described: tally.described,
            server: None,
            client_cpu_seconds: 0.0,
        }
    }

    fn cpu(&self) -> Option<f64> {
        self.server.map(|usage| usage.cpu_micros_per_accepted)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} games, {:.0} s", self.name, self.games, self.seconds)?;
        let mut row = |name: &str, value: String| writeln!(f, "  {name:<28}{value:>16}");
        row("accepted /s", format!("{:.0}", self.accepted_per_second))?;
        row("deliveries /s", format!("{:.0}", self.deliveries_per_second))?;
        row("latency p50 ms", format!("{:.2}", self.latency.p50_ms))?;
        row("latency p95 ms", format!("{:.2}", self.latency.p95_ms))?;
        row("latency p99 ms", format!("{:.2}", self.latency.p99_ms))?;
        row("latency max ms", format!("{:.2}", self.latency.max_ms))?;
        if let Some(server) = &self.server {
            row("server CPU s", format!("{:.2}", server.cpu_seconds))?;
            row("server CPU us per accepted", format!("{:.1}", server.cpu_micros_per_accepted))?;
            row("server memory MiB", format!("{:.1}", server.memory_after_kib as f64 / 1024.0))?;
        }
        row("client CPU s", format!("{:.2}", self.client_cpu_seconds))?;
        row("requests / answers", format!("{} / {}", self.requests, self.answers))?;
        for (code, count) in &self.refused {
            row(&format!("refused: {code}"), count.to_string())?;
        }
        row("games finished", self.finished.to_string())?;
        row("connections resumed", self.resumed.to_string())?;
        row("problems", self.problems.to_string())?;
        for problem in &self.described {
            writeln!(f, "    {problem}")?;
        }
        Ok(())
    }
}

/// The server beside the yardstick.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Comparison {
    pub(crate) bare_at_rate: Report,
    pub(crate) at_rate: Report,
    pub(crate) bare_saturated: Report,
    pub(crate) saturated: Report,
    pub(crate) ratios: Ratios,
}

/// The server's figures as multiples of the yardstick's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Ratios {
    /// Server CPU for an accepted move to CPU for a message, at the rate.
    pub(crate) cpu_at_rate: Option<f64>,
    /// The same, saturated.
    pub(crate) cpu_saturated: Option<f64>,
    /// 99th percentile at the rate.
    pub(crate) p99_at_rate: f64,
    /// Accepted moves to messages, saturated.
    pub(crate) throughput: f64,
}

impl Comparison {
    pub(crate) fn new(
        bare_at_rate: Report,
        at_rate: Report,
        bare_saturated: Report,
        saturated: Report,
    ) -> Self {
        let ratio = |a: Option<f64>, b: Option<f64>| Some(a? / b?);
        let ratios = Ratios {
            cpu_at_rate: ratio(at_rate.cpu(), bare_at_rate.cpu()),
            cpu_saturated: ratio(saturated.cpu(), bare_saturated.cpu()),
            p99_at_rate: at_rate.latency.p99_ms / bare_at_rate.latency.p99_ms,
            throughput: saturated.accepted_per_second / bare_saturated.accepted_per_second,
        };
        Self { bare_at_rate, at_rate, bare_saturated, saturated, ratios }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for report in [&self.bare_at_rate, &self.at_rate, &self.bare_saturated, &self.saturated] {
            writeln!(f, "{report}")?;
        }
        let known = |ratio: Option<f64>| ratio.map_or("?".to_owned(), |ratio| format!("{ratio:.2}"));
        writeln!(f, "beside the bare server:")?;
        let mut row = |name: &str, value: String| writeln!(f, "  {name:<44}{value:>8}");
        row("CPU per accepted move, at the rate", known(self.ratios.cpu_at_rate))?;
        row("CPU per accepted move, saturated", known(self.ratios.cpu_saturated))?;
        row("p99 at the rate", format!("{:.2}", self.ratios.p99_at_rate))?;
        row("accepted moves to messages, saturated", format!("{:.2}", self.ratios.throughput))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(accepted: u64, micros: u32, cpu: f64) -> Report {
        let tally = Tally { accepted, latencies: vec![micros], ..Tally::default() };
        let usage = Usage {
            cpu_seconds: 1.0,
            cpu_micros_per_accepted: cpu,
            memory_before_kib: 0,
            memory_after_kib: 0,
        };
        Report { server: Some(usage), ..Report::new("test".to_owned(), 1, 10.0, tally) }
    }

    #[test]
    fn ratios_are_the_server_s_figures_over_the_bare_ones() {
        let comparison = Comparison::new(
            report(10_000, 500, 30.0),
            report(10_000, 2_000, 90.0),
            report(300_000, 5_000, 20.0),
            report(120_000, 9_000, 80.0),
        );
        let expected =
            Ratios { cpu_at_rate: Some(3.0), cpu_saturated: Some(4.0), p99_at_rate: 4.0, throughput: 0.4 };
        assert_eq!(comparison.ratios, expected);
        assert!(comparison.to_string().contains("p99 at the rate"));
    }
}
