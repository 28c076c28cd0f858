//! `kingscross export` and `import`: games and positions in the formats of other programs. Only a game that is named by
//! its id is looked up in the database; files need none.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use kingscross_engine::notation::{Exact, Script, fen4, pgn4, quaternits, view};
use kingscross_engine::{Game, Variant};
use kingscross_protocol::{GameId, GameRecord};
use kingscross_server::config::Config;
use kingscross_server::write_record;
use kingscross_storage::Store;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::context;
use crate::output::{note, say};
use crate::sources::Sources;

/// Longer texts, in bytes, are refused; none is cut.
const MAX_LENGTH: u64 = 64 * 1024 * 1024;

/// A foreign format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One position of a 14×14 game as a line.
    Fen4,
    /// A whole 14×14 game as text.
    Pgn4,
    /// A quaternity game as the QuaterniTS library saves it.
    Quaternits,
}

/// Options of `export`.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    /// The format to write.
    #[arg(long)]
    format: Format,
    /// FEN4: the position after so many actions; the last one when not given.
    #[arg(long)]
    after: Option<usize>,
    /// The id of a stored game, or a file: a record, what `import` wrote, or a position document; `-` is standard input.
    #[arg(value_name = "GAME|FILE")]
    source: String,
}

/// Options of `import`.
#[derive(Debug, clap::Args)]
pub(crate) struct ImportArgs {
    /// The format to read.
    #[arg(long)]
    format: Format,
    /// The rules by which a game of another program is replayed [default: crossfire]; quaternits knows its own.
    #[arg(long)]
    variant: Option<Variant>,
    /// PGN4: the game with this number in a text of several, counted from 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    game: Option<u32>,
    /// Show a game or position of any four-player rules as moves on a board, which nobody judges.
    #[arg(long, conflicts_with = "variant")]
    view: bool,
    /// The file; `-` is standard input.
    file: PathBuf,
}

/// Writes a game of ours in another format.
pub(crate) fn export(sources: &Sources, args: &ExportArgs) -> Result<()> {
    let mut script = match args.source.parse::<GameId>() {
        Ok(game) => context::on_database(sources, async |config, store| stored(config, store, game).await)?,
        Err(_) => {
            sources.refuse(&format!(
                "`{}` is not a game's id but a file, and `export` of a file",
                args.source
            ))?;
            read_own(&text_of(Path::new(&args.source))?)?
        }
    };
    if let Some(after) = args.after {
        let length = script.actions.len();
        if after > length {
            bail!("the game has only {length} actions");
        }
        script.actions.truncate(after);
    }
    let text = match args.format {
        Format::Fen4 => fen4::export(&script)?,
        Format::Pgn4 => pgn4::write(&script)?,
        Format::Quaternits => {
            let snapshot = quaternits::write(&script)?;
            for lost in quaternits::left_out(&script) {
                note!("left out: {lost}");
            }
            serde_json::to_string_pretty(&snapshot)?
        }
    };
    Ok(say!("{}", text.trim_end())?)
}

/// Reads a game or position of another program, replays it, and writes it as ours.
pub(crate) fn import(args: &ImportArgs) -> Result<()> {
    let text = text_of(&args.file)?;
    ensure!(
        args.game.is_none() || args.format == Format::Pgn4,
        "only a text of pgn4 holds several games for --game to choose from"
    );
    let text = chosen(&text, args.game)?;
    if args.view {
        return show(args.format, text);
    }
    let mut notes = Vec::new();
    let read = read_foreign(args, text, &mut notes);
    for what in &notes {
        note!("left out: {what}");
    }
    let script = match read {
        Err(error) if args.format != Format::Quaternits && viewed(args.format, text).is_ok() => {
            note!("--view shows it as moves on a board that nobody judges");
            return Err(error);
        }
        read => read?,
    };
    if args.variant.is_some_and(|asked| asked != script.variant) {
        note!("the text says itself that it is {}, whatever --variant says", script.variant);
    }
    let position = script.replay()?.document();
    let tags: Map<String, Value> =
        script.tags.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let game = json!({
        "variant": script.variant,
        "start": script.start,
        "tags": tags,
        "actions": script.actions,
        "position": position,
    });
    Ok(say!("{}", serde_json::to_string_pretty(&game)?)?)
}

/// The game with a number in a text of several, or the whole text.
fn chosen(text: &str, number: Option<u32>) -> Result<&str> {
    let Some(number) = number else { return Ok(text) };
    let games = pgn4::games(text)?;
    let game = usize::try_from(number).ok().and_then(|number| games.get(number - 1));
    game.copied().with_context(|| format!("there is no game {number}: the text holds {}", games.len()))
}

/// The script of a text that the rules allow. What it loses is noted also when it is refused.
fn read_foreign(args: &ImportArgs, text: &str, notes: &mut Vec<String>) -> Result<Script> {
    let variant = args.variant.unwrap_or(Variant::Crossfire);
    Ok(match args.format {
        Format::Fen4 => {
            let imported = fen4::read_noting(text, variant, notes)?;
            let start = Some(Game::load(&imported.document)?.document());
            let kept = Some(imported.extras).filter(|extras| !extras.is_empty());
            let tags = kept.map(|extras| (fen4::EXTRAS_TAG.to_owned(), extras)).into_iter().collect();
            Script { variant: imported.variant, start, tags, actions: Vec::new() }
        }
        Format::Pgn4 => match pgn4::read_noting(text, variant, notes) {
            Err(error @ pgn4::BadPgn4::Several { .. }) => bail!("{error}; choose one with --game N"),
            read => read?,
        },
        Format::Quaternits if args.variant.is_some_and(|variant| variant != Variant::Quaternity) => {
            bail!("a game of quaternits is quaternity, whatever --variant says")
        }
        Format::Quaternits => quaternits::read(text)?,
    })
}

fn viewed(format: Format, text: &str) -> Result<view::View> {
    Ok(match format {
        Format::Fen4 => view::fen4(text)?,
        Format::Pgn4 => match view::pgn4(text) {
            Err(error @ pgn4::BadPgn4::Several { .. }) => bail!("{error}; choose one with --game N"),
            view => view?,
        },
        Format::Quaternits => {
            bail!("--view shows fen4 and pgn4; a game of quaternits has rules of its own here")
        }
    })
}

/// Prints moves on a board.
fn show(format: Format, text: &str) -> Result<()> {
    let view = viewed(format, text)?;
    for what in &view.notes {
        note!("not shown: {what}");
    }
    note!("nobody judges this: these are moves on a board");
    Ok(say!("{}", serde_json::to_string_pretty(&json!({ "view": view.document() }))?)?)
}

/// A game of the database.
async fn stored(config: &Config, store: &Store, game: GameId) -> Result<Script> {
    let loaded = store.load_game(game).await?.with_context(|| format!("there is no game {game}"))?;
    let (record, _) = write_record(Arc::new(config.terms()), &loaded.game, &loaded.events, &[])?;
    Ok(record.script())
}

/// A record of the server, the form that `import` writes, or a bare position document.
fn read_own(text: &str) -> Result<Script> {
    let Exact(value) = serde_json::from_str(text).context("not JSON")?;
    if value.get("record").is_some() {
        return Ok(GameRecord::read(text)?.script());
    }
    let variant: Variant = value["variant"].as_str().context("no variant")?.parse()?;
    match value {
        Value::Object(fields) if fields.contains_key("actions") => read_imported(variant, fields),
        document => {
            let start = Some(Game::load(&document)?.document());
            Ok(Script { variant, start, tags: Vec::new(), actions: Vec::new() })
        }
    }
}

/// The form that `import` writes. Only `actions` must be there; whatever is, must be what `import` would have written.
fn read_imported(variant: Variant, mut fields: Map<String, Value>) -> Result<Script> {
    fields.remove("variant");
    let actions: Vec<String> = typed(&mut fields, "actions")?.unwrap_or_default();
    let tags: BTreeMap<String, String> = typed(&mut fields, "tags")?.unwrap_or_default();
    let start = fields.remove("start").filter(|start| !start.is_null());
    let position = fields.remove("position");
    if let Some(unknown) = fields.keys().next() {
        bail!("the key `{}` is unknown", unknown.escape_debug());
    }
    let script = Script { variant, start, tags: tags.into_iter().collect(), actions };
    let reached = script.replay()?.document();
    ensure!(
        position.is_none_or(|position| position == reached),
        "`position` is not what the actions come to"
    );
    Ok(script)
}

/// Takes the value of a key that may be missing.
fn typed<T: DeserializeOwned>(fields: &mut Map<String, Value>, key: &str) -> Result<Option<T>> {
    let value = fields.remove(key).map(serde_json::from_value).transpose();
    value.with_context(|| format!("`{key}`"))
}

fn text_of(path: &Path) -> Result<String> {
    if path == Path::new("-") {
        return read_text(std::io::stdin().lock(), "standard input");
    }
    let name = path.display().to_string();
    let file = std::fs::File::open(path).with_context(|| format!("cannot read {name}"))?;
    read_text(file, &name)
}

fn read_text(input: impl Read, name: &str) -> Result<String> {
    let mut bytes = Vec::new();
    input.take(MAX_LENGTH + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
    ensure!(bytes.len() as u64 <= MAX_LENGTH, "{name} is longer than {} MiB", MAX_LENGTH >> 20);
    let text = String::from_utf8(bytes).with_context(|| format!("{name} is not UTF-8 text"))?;
    // Some editors put a byte order mark before a text.
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
