//! `kingscross load`: plays real games with real clients against a running server, checks every answer, and measures.

mod bots;
mod measure;
mod memory;
mod message;
mod player;
mod process;
mod report;
mod room;
mod table;

use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use kingscross_client::Address;
use kingscross_engine::Variant;
use kingscross_protocol::TimeControl;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use self::measure::{Tally, Window};
use self::process::Process;
use self::report::{Comparison, Report, Usage};
use self::room::Room;
use self::table::{Style, Table};
use crate::output::{Output, say};

/// Load before anything is measured.
const WARM_UP: Duration = Duration::from_secs(2);

/// Games that are being arranged at once; more would only queue at the server.
const ARRANGING: usize = 16;

/// Measured in issue and documentation: so many moves a second over so many games, and so many games saturated.
const RATE: f64 = 1000.0;
const GAMES_AT_RATE: usize = 250;
const GAMES_SATURATED: usize = 64;

/// What connections that do nothing have no use for.
const IDLE_WITHOUT: [&str; 9] =
    ["compare", "games", "seconds", "rate", "watchers", "faults", "variant", "time", "seed"];

/// Options of `kingscross load`. A server that shall take many players from one address is started with
/// `--config config/load.toml`.
#[derive(Args, Clone, Debug)]
pub(crate) struct LoadArgs {
    /// The server, such as http://127.0.0.1:8080.
    #[arg(long)]
    url: String,
    /// Games played at once.
    #[arg(long, default_value_t = 64)]
    games: usize,
    /// Seconds measured, after a warm-up.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Moves a second over all games; as fast as the server answers when not given.
    #[arg(long)]
    rate: Option<f64>,
    /// Spectators of each game.
    #[arg(long, default_value_t = 0)]
    watchers: usize,
    /// Cut connections in the middle of things, and resume them.
    #[arg(long)]
    faults: bool,
    /// The server's process, whose processor time and memory are measured.
    #[arg(long)]
    pid: Option<u32>,
    /// The game; `all` plays all five side by side.
    #[arg(long, default_value = "crossfire")]
    variant: String,
    /// The time control.
    #[arg(long, default_value = "60+0")]
    time: TimeControl,
    /// Seed of the moves.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// The bare server's program; it is started, measured in the same run, and put beside the server. `--games`, `--rate` are set by this.
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["games", "rate", "faults", "watchers"])]
    compare: Option<PathBuf>,
    /// Instead of playing: open so many connections that do nothing, and tell the server's memory for each.
    #[arg(long, value_name = "CONNECTIONS", requires = "pid", conflicts_with_all = IDLE_WITHOUT)]
    idle: Option<usize>,
    /// Measure twice: without bots, and beside so many games that bots alone play.
    #[arg(long, value_name = "GAMES", conflicts_with_all = ["compare", "idle", "plies"])]
    bots: Option<usize>,
    /// The level of those bots.
    #[arg(long, value_name = "LEVEL", default_value = "sovereign", requires = "bots")]
    bot_level: String,
    /// Play each game to this ply, hold it, and tell the server's memory for each game beside its connections.
    #[arg(long, requires = "pid", conflicts_with_all = ["compare", "idle", "seconds", "rate", "faults"])]
    plies: Option<u32>,
}

/// Runs the load on a thread of its own, so that it takes at most one of the cores it shares with the server.
pub(crate) fn run(args: &LoadArgs) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        if let Some(connections) = args.idle {
            return memory::of_connections(args, connections).await;
        }
        if let Some(plies) = args.plies {
            return memory::of_games(args, plies).await;
        }
        if let Some(games) = args.bots {
            return bots::beside(args, games).await;
        }
        if let Some(program) = &args.compare {
            return compare(args, program).await;
        }
        let report = play(args, "load", args.games, args.rate).await?;
        print(args, &report)?;
        verdict(&[&report])
    })
}

fn print<T: serde::Serialize + std::fmt::Display>(args: &LoadArgs, report: &T) -> anyhow::Result<()> {
    if args.json {
        Ok(say!("{}", serde_json::to_string_pretty(report)?)?)
    } else {
        Ok(write!(Output, "{report}")?)
    }
}

fn verdict(reports: &[&Report]) -> anyhow::Result<()> {
    let problems: u64 = reports.iter().map(|report| report.problems).sum();
    if problems > 0 {
        bail!("the server did what it must not do, {problems} times");
    }
    Ok(())
}

async fn compare(args: &LoadArgs, program: &Path) -> anyhow::Result<()> {
    let bare = Bare::start(program)?;
    let bare_at_rate = bare.play(args, GAMES_AT_RATE, Some(RATE)).await?;
    let at_rate = play(args, "server at the rate", GAMES_AT_RATE, Some(RATE)).await?;
    let bare_saturated = bare.play(args, GAMES_SATURATED, None).await?;
    let saturated = play(args, "server saturated", GAMES_SATURATED, None).await?;
    let comparison = Comparison::new(bare_at_rate, at_rate, bare_saturated, saturated);
    print(args, &comparison)?;
    verdict(&[&comparison.at_rate, &comparison.saturated])
}

/// The bare server, running.
struct Bare {
    child: Child,
    url: String,
}

impl Bare {
    fn start(program: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(program)
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{} does not start", program.display()))?;
        let mut address = String::new();
        let output = child.stdout.take().context("the output is piped")?;
        BufReader::new(output).read_line(&mut address)?;
        Ok(Self { child, url: format!("http://{}", address.trim()) })
    }

    async fn play(&self, args: &LoadArgs, games: usize, rate: Option<f64>) -> anyhow::Result<Report> {
        let every = interval(games, rate)?;
        let url = Arc::new(self.url.clone());
        let name = if rate.is_some() { "bare at the rate" } else { "bare saturated" };
        let length = Duration::from_secs(args.seconds);
        run_all(name, games, length, Some(Process(self.child.id())), move |number, mut start| {
            let url = url.clone();
            async move {
                let mut room = Room::connect(&url, every, number).await?;
                room.play(start.window().await?).await?;
                Ok(room.tally)
            }
        })
        .await
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Between two moves of one game, so that all together play at the rate.
fn interval(games: usize, rate: Option<f64>) -> anyhow::Result<Option<Duration>> {
    let Some(rate) = rate else { return Ok(None) };
    Duration::try_from_secs_f64(games as f64 / rate)
        .map(Some)
        .map_err(|_| anyhow!("a rate of {rate} is none"))
}

async fn play(args: &LoadArgs, name: &str, games: usize, rate: Option<f64>) -> anyhow::Result<Report> {
    let address = Address::parse(&args.url)?;
    let every = interval(games, rate)?;
    let variants: Vec<Variant> = match args.variant.as_str() {
        "all" => Variant::ALL.to_vec(),
        one => vec![one.parse().map_err(|_| anyhow!("no game is called `{one}`"))?],
    };
    let args = Arc::new(args.clone());
    let arranging = Arc::new(Semaphore::new(ARRANGING));
    let length = Duration::from_secs(args.seconds);
    let process = args.pid.map(Process);
    run_all(name, games, length, process, move |number, mut start| {
        let variant = variants[usize::try_from(number).expect("few games") % variants.len()];
        let style = Style { variant, time: args.time, every, watchers: args.watchers, faults: args.faults };
        let (address, seed, arranging) = (address.clone(), args.seed ^ (number << 20), arranging.clone());
        async move {
            let mut table = {
                let _permit = arranging.acquire().await?;
                let mut table = Table::connect(&address, style, seed).await?;
                table.arrange().await?;
                table
            };
            let window = table.wait(&mut start).await?;
            table.play(window).await?;
            Ok(table.tally)
        }
    })
    .await
}

/// The start of a run, as one of its tasks sees it.
pub(crate) struct Start {
    ready: Option<mpsc::Sender<()>>,
    window: watch::Receiver<Option<Window>>,
}

impl Start {
    /// Tells that one is ready, and waits until all are. Cancelling loses nothing.
    pub(crate) async fn window(&mut self) -> anyhow::Result<Window> {
        // Dropping the sender is the sign.
        self.ready = None;
        let window = self.window.wait_for(Option::is_some).await?;
        window.context("waited for")
    }
}

/// Runs so many tasks side by side, measures while all of them play, and puts together what they saw.
async fn run_all<F>(
    name: &str,
    count: usize,
    length: Duration,
    process: Option<Process>,
    task: impl Fn(u64, Start) -> F,
) -> anyhow::Result<Report>
where
    F: Future<Output = anyhow::Result<Tally>> + Send + 'static,
{
    let (ready, mut all_ready) = mpsc::channel::<()>(1);
    let (announce, window) = watch::channel(None);
    let mut tasks = JoinSet::new();
    for number in 0..count as u64 {
        let start = Start { ready: Some(ready.clone()), window: window.clone() };
        tasks.spawn(task(number, start));
    }
    drop(ready);
    // Ends when every task has dropped its sender: it is ready, or it has failed.
    all_ready.recv().await;
    let start = Instant::now() + WARM_UP;
    let window = Window { start, end: start + length };
    announce.send_replace(Some(window));

    let me = Process(std::process::id());
    sleep_until(window.start).await;
    let before = sample(process)?;
    let my_cpu = me.cpu_seconds()?;
    sleep_until(window.end).await;
    let after = sample(process)?;
    let my_cpu = me.cpu_seconds()? - my_cpu;

    let mut tally = Tally::default();
    while let Some(ended) = tasks.join_next().await {
        match ended? {
            Ok(one) => tally.add(one),
            Err(error) => tally.problem(format!("{error:#}")),
        }
    }
    let mut report = Report::new(name.to_owned(), count, length.as_secs_f64(), tally);
    report.client_cpu_seconds = my_cpu;
    report.server =
        before.zip(after).map(|((cpu_before, memory_before_kib), (cpu_after, memory_after_kib))| {
            let cpu_seconds = cpu_after - cpu_before;
            let cpu_micros_per_accepted = cpu_seconds * 1e6 / report.accepted.max(1) as f64;
            Usage { cpu_seconds, cpu_micros_per_accepted, memory_before_kib, memory_after_kib }
        });
    Ok(report)
}

fn sample(process: Option<Process>) -> anyhow::Result<Option<(f64, u64)>> {
    let Some(process) = process else { return Ok(None) };
    Ok(Some((process.cpu_seconds()?, process.memory_kib()?)))
}
