//! Processor time and memory of another process, from `/proc`.

use std::fs;

use anyhow::{Context, anyhow};
use kingscross_server::resident_kib;

/// Ticks in which Linux counts processor time for programs: fixed at 100 a second on all common machines.
const TICKS_PER_SECOND: f64 = 100.0;

/// A process that is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process(pub(crate) u32);

impl Process {
    /// Processor seconds used so far, in user and kernel mode.
    pub(crate) fn cpu_seconds(self) -> anyhow::Result<f64> {
        let path = format!("/proc/{}/stat", self.0);
        let text = fs::read_to_string(&path).with_context(|| format!("no process {}", self.0))?;
        cpu_seconds(&text).ok_or_else(|| anyhow!("{path} is not as expected"))
    }

    /// Resident memory now, in KiB.
    pub(crate) fn memory_kib(self) -> anyhow::Result<u64> {
        resident_kib(self.0).with_context(|| format!("no process {}", self.0))
    }
}

fn cpu_seconds(stat: &str) -> Option<f64> {
    // The name in parentheses may hold spaces; the fields after it do not. User and kernel ticks are fields 14 and 15.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let kernel: u64 = fields.next()?.parse().ok()?;
    Some((user + kernel) as f64 / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_s_files_are_read() {
        let stat = "42 (a b) c) S 1 42 42 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 3 0 100 0 0";
        assert_eq!(cpu_seconds(stat), Some(3.0));
        let me = Process(std::process::id());
        assert!(me.memory_kib().expect("running") > 0);
        assert!(me.cpu_seconds().expect("running") >= 0.0);
    }
}
