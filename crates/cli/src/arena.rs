//! `kingscross arena`: bots play each other, every pair from all seats, and the results are counted.

mod external;
mod hosted;

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use kingscross_bot::arena::{
    GameSpec, Minds, Pairing, Result as Score, Seating, Share, Standings, play, ratings, schedule,
};
use kingscross_bot::{Budget, Character, accepts_draw_as, choose_as, offers_draw_as};
use kingscross_engine::{Action, Game, Seat, Variant};
use serde_json::{Value, json};

use external::External;

use crate::sources::Sources;

/// Let bots play each other.
#[derive(Debug, clap::Args)]
pub(crate) struct Arena {
    /// The game: crossfire, kingdoms, quaternity, cross-a or cross-b.
    #[arg(value_parser = |text: &str| text.parse::<Variant>().map_err(|error| error.to_string()))]
    variant: Variant,
    /// A bot by its level, perhaps with traits of its own: `marshal` or `marshal,kind=maxn,nodes=2000`. Repeat for each.
    #[arg(long = "bot", value_name = "LEVEL[,TRAIT=VALUE…]")]
    bots: Vec<String>,
    /// A bot that is another program, which speaks JSON lines (docs/bots.md). Repeat for each.
    #[arg(long = "external", value_name = "NAME=COMMAND")]
    externals: Vec<String>,
    /// A bot that comes over the WebSocket, like a player, and is known by a token that is printed: the games are then
    /// played on a server, which is started for them (--config, --database, --listen), and stored like any others.
    /// Repeat for each.
    #[arg(long = "remote", value_name = "NAME")]
    remotes: Vec<String>,
    /// With --remote: minutes and seconds a move, as in 5+3.
    #[arg(long, value_name = "TIME", default_value = "5+3", requires = "remotes")]
    clock: String,
    /// Games of each pair of bots, or as many more as complete the rotation of the seats. With --seating lone each of
    /// the two is alone against three in half of them, so that a cell of the table stands for half as many.
    #[arg(long, default_value_t = 48)]
    games: usize,
    /// How four seats are shared: `lone` (one against three) or `pairs`.
    #[arg(long, default_value_t = Seating::Lone)]
    seating: Seating,
    /// Nodes that a bot may search for a move.
    #[arg(long, default_value_t = 20_000)]
    nodes: u64,
    /// Milliseconds for a move at most. Results then depend on the machine.
    #[arg(long, value_name = "MS")]
    time: Option<u64>,
    /// Seed of the openings and the choices.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Random quiet plies at the start of every game.
    #[arg(long, default_value_t = 8, conflicts_with = "remotes")]
    opening: u32,
    /// The ply from which a game is drawn by agreement.
    #[arg(long, default_value_t = 1_200, conflicts_with = "remotes")]
    longest: u32,
    /// A file to which every game is written as one line of JSON, as soon as it has ended.
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// Print no line for every game.
    #[arg(long)]
    quiet: bool,
}

/// One who takes part.
struct Entrant {
    name: String,
    mind: Mind,
}

enum Mind {
    Own(Character),
    External(External),
}

impl Arena {
    /// Plays all games and prints the crosstable and the ratings.
    ///
    /// # Errors
    /// If a bot is unknown, a program does not start, or the records cannot be written.
    pub(crate) fn run(&self, sources: &Sources, out: &mut impl Write) -> anyhow::Result<()> {
        if self.remotes.is_empty() {
            sources.refuse("an arena without --remote")?;
            self.run_here(out)
        } else {
            self.run_hosted(sources, out)
        }
    }

    fn run_here(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let mut entrants = self.entrants()?;
        let labels: Vec<String> = entrants.iter().map(|entrant| entrant.name.clone()).collect();
        let players = self.variant.rules().turn_order.len();
        let mut records = match &self.records {
            Some(path) => {
                Some(File::create(path).with_context(|| format!("cannot write {}", path.display()))?)
            }
            None => None,
        };
        let mut standings = Standings::default();
        for pairing in schedule(entrants.len(), players, self.seating, self.games) {
            let (game, actions) = self.play(&pairing, &mut entrants);
            let outcome = game.outcome().context("the game has not ended")?;
            let score = Score::new(&pairing.seats, game.rules().turn_order, &outcome.placements);
            let record = self.record(&pairing, &entrants, &game, &actions, &score);
            if let Some(records) = &mut records {
                // At once: an arena runs for hours, and may be ended before.
                records.write_all(format!("{record}\n").as_bytes()).context("cannot write the records")?;
            }
            if !self.quiet {
                let reason = outcome.reason.word();
                let seats = names(&pairing, &labels, self.variant);
                let (number, points, plies) = (pairing.number, pointed(&score), game.ply());
                writeln!(out, "{number:>4}  {seats}  [{points}]  {reason}, {plies} plies")?;
            }
            standings.results.push(score);
        }
        print(self, out, &labels, &standings)
    }

    fn entrants(&self) -> anyhow::Result<Vec<Entrant>> {
        let mut entrants = Vec::new();
        for text in &self.bots {
            let character = Character::read(text, self.variant).with_context(|| format!("--bot {text}"))?;
            entrants.push(Entrant { name: text.clone(), mind: Mind::Own(character) });
        }
        for text in &self.externals {
            let (name, command) =
                text.split_once('=').with_context(|| format!("--external {text}: NAME=COMMAND"))?;
            let external = External::start(command).with_context(|| format!("cannot start `{command}`"))?;
            entrants.push(Entrant { name: name.to_owned(), mind: Mind::External(external) });
        }
        if entrants.len() < 2 {
            bail!("an arena needs two bots: give --bot or --external twice");
        }
        Ok(entrants)
    }

    fn play(&self, pairing: &Pairing, entrants: &mut [Entrant]) -> (Game, Vec<String>) {
        let seed = self.seed.wrapping_mul(1_000_003).wrapping_add(pairing.number as u64);
        let spec = GameSpec {
            variant: self.variant,
            opening: self.seed.wrapping_mul(1_000_003).wrapping_add(pairing.opening),
            seed,
            random_plies: self.opening,
            longest: self.longest,
        };
        play(&spec, &mut Table { arena: self, pairing, entrants, seed })
    }

    fn record(
        &self,
        pairing: &Pairing,
        entrants: &[Entrant],
        game: &Game,
        actions: &[String],
        score: &Score,
    ) -> Value {
        let rules = game.rules();
        let by_letter = |value: &dyn Fn(usize) -> Value| -> Value {
            let of = |(place, seat): (usize, &Seat)| (rules.letter(*seat).to_string(), value(place));
            Value::Object(rules.turn_order.iter().enumerate().map(of).collect())
        };
        json!({
            "game": pairing.number,
            "variant": self.variant,
            "seed": self.seed,
            "nodes": self.nodes,
            "players": by_letter(&|place| json!(entrants[pairing.seats[place]].name)),
            "points": by_letter(&|place| json!(score.points[place])),
            "outcome": game.outcome().map(|outcome| outcome.view(rules)),
            "actions": actions,
            "hash": game.hash().to_string(),
        })
    }
}

/// The entrants at the table of one game.
struct Table<'a> {
    arena: &'a Arena,
    pairing: &'a Pairing,
    entrants: &'a mut [Entrant],
    seed: u64,
}

impl Table<'_> {
    fn mind(&mut self, seat: Seat) -> &mut Mind {
        let order = self.arena.variant.rules().turn_order;
        let place = order.iter().position(|&other| other == seat).expect("the seat is one of the game's");
        &mut self.entrants[self.pairing.seats[place]].mind
    }
}

impl Minds for Table<'_> {
    fn choose(&mut self, game: &Game, seat: Seat, actions: &[String]) -> Option<Action> {
        let (arena, seed) = (self.arena, self.seed);
        match self.mind(seat) {
            Mind::Own(character) => {
                let refused = actions.last().is_some_and(|last| last.starts_with("decline"));
                if !refused && offers_draw_as(game, seat, *character, seed) {
                    return Some(Action::Offer);
                }
                let deadline = arena.time.map(|ms| Instant::now() + Duration::from_millis(ms));
                let stop = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
                Some(choose_as(game, *character, seed, &Budget::until(arena.nodes, &stop)))
            }
            Mind::External(external) => {
                let request = json!({
                    "cmd": "choose",
                    "variant": arena.variant,
                    "seat": game.rules().letter(seat).to_string(),
                    "position": game.document(),
                    "actions": actions,
                    "legal": game.legal(),
                    "nodes": arena.nodes,
                    "time": arena.time,
                    "seed": seed,
                });
                external.choose(&request, game)
            }
        }
    }

    fn accepts(&mut self, game: &Game, seat: Seat) -> bool {
        let seed = self.seed;
        match self.mind(seat) {
            Mind::Own(character) => accepts_draw_as(game, seat, *character, seed),
            // The programs know no offers.
            Mind::External(_) => false,
        }
    }
}

/// Prints the crosstable and the ratings.
fn print(
    arena: &Arena,
    out: &mut impl Write,
    labels: &[String],
    standings: &Standings,
) -> anyhow::Result<()> {
    let width = labels.iter().map(String::len).max().unwrap_or(0).max(8);
    writeln!(
        out,
        "\n{}: per cent of the placement points, with 95 % intervals [from, to] (games)",
        arena.variant
    )?;
    if arena.variant.rules().turn_order.len() == 4 {
        let seats = if arena.seating == Seating::Lone { "alone among three of" } else { "in pairs with" };
        writeln!(out, "each row {seats} the column's bots")?;
    }
    write!(out, "{:width$}", "")?;
    for column in labels {
        write!(out, "  {:>COLUMN$}", shortened(column))?;
    }
    writeln!(out, "      rating")?;
    let rated = ratings(labels.len(), &standings.results, arena.seed);
    for (one, row) in labels.iter().enumerate() {
        write!(out, "{row:width$}")?;
        for other in 0..labels.len() {
            let cell = if one == other { Share::default() } else { standings.cell(one, other) };
            let text = match cell.games {
                0 => "-".to_owned(),
                games => {
                    let [mean, from, to] = [cell.mean, cell.from, cell.to].map(|share| 100.0 * share);
                    format!("{mean:.1} [{from:.1}, {to:.1}] ({games})")
                }
            };
            write!(out, "  {text:>COLUMN$}")?;
        }
        writeln!(out, "  {:>5.0} ± {:.0}", rated[one].rating, rated[one].error)?;
    }
    Ok(())
}

fn names(pairing: &Pairing, labels: &[String], variant: Variant) -> String {
    let rules = variant.rules();
    let of = |(seat, entrant): (&Seat, &usize)| format!("{}:{}", rules.letter(*seat), labels[*entrant]);
    rules.turn_order.iter().zip(&pairing.seats).map(of).collect::<Vec<_>>().join(" ")
}

/// The points of each seat, as exactly as people read them: 1, 0.5, 0.67.
fn pointed(score: &Score) -> String {
    let rounded = score.points.iter().map(|points| (points * 100.0).round() / 100.0);
    rounded.map(|points| points.to_string()).collect::<Vec<_>>().join(", ")
}

/// The width of a column: `100.0 [98.1, 100.0] (1000)`.
const COLUMN: usize = 26;

/// As much of a name as a column holds.
fn shortened(name: &str) -> String {
    name.chars().take(COLUMN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        sources: Sources,
        #[command(flatten)]
        arena: Arena,
    }

    fn printed(words: &[&str]) -> String {
        let line = Line::parse_from(std::iter::once("arena").chain(words.iter().copied()));
        let mut out = Vec::new();
        line.arena.run(&line.sources, &mut out).expect("the arena ends");
        String::from_utf8(out).expect("it prints text")
    }

    #[test]
    fn a_small_arena_is_the_same_every_time() {
        for variant in Variant::ALL {
            let words = [
                variant.id(),
                "--bot",
                "page",
                "--bot",
                "random",
                "--games",
                "2",
                "--nodes",
                "50",
                "--longest",
                "60",
            ];
            let once = printed(&words);
            assert_eq!(once, printed(&words), "{variant}");
            assert!(once.contains("rating"), "{once}");
        }
    }

    #[test]
    fn a_record_replays_to_its_hash() {
        let path = std::env::temp_dir().join(format!("kingscross-arena-{}.ndjson", std::process::id()));
        let file = path.display().to_string();
        printed(&[
            "kingdoms",
            "--bot",
            "greedy",
            "--bot",
            "random",
            "--games",
            "1",
            "--longest",
            "80",
            "--records",
            &file,
        ]);
        let text = std::fs::read_to_string(&path).expect("the records were written");
        std::fs::remove_file(&path).expect("the file is ours");
        assert_eq!(text.lines().count(), 8, "a rotation of the lone seat, both ways");
        for line in text.lines() {
            let record: Value = serde_json::from_str(line).expect("a record is JSON");
            let mut game = Game::new(Variant::Kingdoms);
            for action in record["actions"].as_array().expect("it has actions") {
                let action =
                    Action::parse(Variant::Kingdoms, action.as_str().expect("text")).expect("an action");
                game.act(&action).expect("it was legal");
            }
            assert_eq!(record["hash"], game.hash().to_string());
            assert_eq!(record["outcome"], game.outcome().expect("it ended").view(game.rules()));
        }
    }

    #[test]
    fn a_program_takes_part_over_json_lines_and_one_that_answers_nonsense_leaves() {
        let first = r#"first=sed -u 's/.*"legal":\["\([^"]*\)".*/{"action":"\1"}/'"#;
        let printed_first =
            printed(&["cross-a", "--bot", "random", "--external", first, "--games", "2", "--longest", "40"]);
        assert!(printed_first.contains("first"), "{printed_first}");
        assert!(!printed_first.contains("resignation"), "{printed_first}");
        let nonsense =
            printed(&["cross-a", "--bot", "random", "--external", "odd=sed -u 's/.*/{}/'", "--games", "2"]);
        assert_eq!(nonsense.matches("resignation").count(), 2, "{nonsense}");
    }
}
