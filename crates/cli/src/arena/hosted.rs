//! An arena on a server: its levels, and programs that come over the WebSocket, as players come.

use std::io::Write;
use std::ops::Range;

use anyhow::{Context, Result, bail};
use kingscross_bot::Level;
use kingscross_bot::arena::{Pairing, Result as Score, Standings, schedule};
use kingscross_engine::{Rules, Seat};
use kingscross_protocol::{Ending, SeatLetter, TimeControl};
use kingscross_server::Clock;
use kingscross_server::Seated;
use kingscross_server::{Arena as Host, Program};
use kingscross_storage::Store;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{Arena, names, pointed, print};
use crate::sources::Sources;

impl Arena {
    /// Starts a server, waits for the programs and plays all games there, one after another.
    pub(super) fn run_hosted(&self, sources: &Sources, out: &mut impl Write) -> Result<()> {
        if !self.externals.is_empty() {
            bail!("--remote plays on a server, which knows no --external: let the program connect instead");
        }
        if self.records.is_some() {
            bail!("--remote stores its games in the database; `kingscross export` writes them");
        }
        let mut levels = Vec::new();
        for level in &self.bots {
            level.parse::<Level>().ok().with_context(|| {
                format!("--bot {level}: on a server (--remote) a bot is a level, without traits of its own")
            })?;
            levels.push(Seated::Bot { level: level.clone() });
        }
        if levels.len() + self.remotes.len() < 2 {
            bail!("an arena needs two bots: give --bot or --remote twice");
        }
        let time: TimeControl = self.clock.parse().with_context(|| format!("--clock {}", self.clock))?;
        let mut config = sources.load()?;
        // Nobody watches who would have to follow; a program's games are many.
        config.bots.delay_ms = 0;
        // Programs are invited, and may be as quick as they can.
        config.limits.moves_burst = u32::MAX;
        config.limits.moves_per_second = u32::MAX;
        config.limits.playing_messages = u32::MAX;
        config.limits.watching_messages = u32::MAX;
        config.bots.search_nodes = self.nodes;
        config.bots.search_ms = self.time.unwrap_or(config.bots.search_ms);
        crate::context::run(async {
            let listen = config.server.listen.clone();
            let listener =
                TcpListener::bind(&listen).await.with_context(|| format!("cannot listen on {listen}"))?;
            let url = format!("http://{}/", listener.local_addr()?);
            let store = Store::open(&config.database.url, config.storage()).await?;
            let stop = CancellationToken::new();
            let running =
                kingscross_server::start(config, store.clone(), Clock::system(), listener, stop.clone())
                    .await?;
            let host = running.arena();
            let serving = tokio::spawn(running.until_stopped());
            let played = self.play_hosted(&host, &url, levels, time, out).await;
            stop.cancel();
            serving.await??;
            store.close().await;
            played
        })
    }

    async fn play_hosted(
        &self,
        host: &Host,
        url: &str,
        mut entrants: Vec<Seated>,
        time: TimeControl,
        out: &mut impl Write,
    ) -> Result<()> {
        let mut labels = self.bots.clone();
        let mut programs: Vec<Program> = Vec::new();
        for name in &self.remotes {
            let program = host.enrol(name).await.with_context(|| format!("--remote {name}"))?;
            writeln!(out, "{name} connects to {url} with the token {}", program.token)?;
            entrants.push(Seated::Human { user: program.user, name: program.name.clone() });
            labels.push(program.name.clone());
            programs.push(program);
        }
        let rules = self.variant.rules();
        let mut standings = Standings::default();
        let all = schedule(entrants.len(), rules.turn_order.len(), self.seating, self.games);
        let pairings = playable(all, self.bots.len()..entrants.len());
        if pairings.is_empty() {
            bail!("a program takes one seat of a game: give --bot for the others, and --seating lone");
        }
        out.flush()?;
        for program in &programs {
            host.arrival(program.user).await?;
        }
        for pairing in pairings {
            let number = pairing.number;
            let players = pairing.seats.iter().map(|&entrant| entrants[entrant].clone()).collect();
            let Some(ending) = host.play(self.variant, time, players).await? else {
                writeln!(out, "{number:>4}  broken off, not counted")?;
                continue;
            };
            let score = Score::new(&pairing.seats, rules.turn_order, &placements_of(&ending, rules)?);
            if !self.quiet {
                let seats = names(&pairing, &labels, self.variant);
                writeln!(out, "{number:>4}  {seats}  [{}]  {}", pointed(&score), ending.reason)?;
            }
            standings.results.push(score);
        }
        for program in &programs {
            host.dismiss(program).await?;
        }
        print(self, out, &labels, &standings)
    }
}

/// The games in which every program has one seat at most, numbered anew: it has one account, which is one player of a
/// game.
fn playable(mut pairings: Vec<Pairing>, programs: Range<usize>) -> Vec<Pairing> {
    let seats_of = |pairing: &Pairing, one: usize| pairing.seats.iter().filter(|&&seat| seat == one).count();
    pairings.retain(|pairing| programs.clone().all(|program| seats_of(pairing, program) <= 1));
    for (number, pairing) in pairings.iter_mut().enumerate() {
        pairing.number = number;
    }
    pairings
}

/// Those of each place, the first before the others.
fn placements_of(ending: &Ending, rules: &Rules) -> Result<Vec<Vec<Seat>>> {
    let seat = |letter: &SeatLetter| rules.seat(letter.0).context("the ending names a player of the game");
    ending.placements.iter().map(|group| group.iter().map(seat).collect()).collect()
}

#[cfg(test)]
mod tests {
    use kingscross_bot::arena::Seating;

    use super::*;

    #[test]
    fn games_that_are_left_out_leave_no_gap_in_the_numbers() {
        // A level and two programs; of the rotations only those stay in which a program is alone among the level's bots.
        let pairings = playable(schedule(3, 4, Seating::Lone, 8), 1..3);
        let told: Vec<_> = pairings.iter().map(|pairing| (pairing.number, pairing.seats.clone())).collect();
        assert_eq!(told.len(), 8);
        assert_eq!(told[0], (0, vec![1, 0, 0, 0]));
        assert_eq!(told[4], (4, vec![2, 0, 0, 0]));
        assert_eq!(told[7], (7, vec![0, 0, 0, 2]));
    }
}
