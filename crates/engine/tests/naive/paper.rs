//! The JSON position, out and in.

use serde_json::{Map, Value, json};

use super::acting::Naive;
use super::board::{Square, Variant, name, text};
use super::checking::{is_against_the_rules, is_past_its_end};
use super::situation::{Army, EnPassant, Outcome, Situation};

type Loaded<T> = Result<T, &'static str>;

const BAD: &str = "bad_position";

impl Naive {
    /// Reads a JSON position; the error is `bad_position` or `unknown_variant`.
    pub(crate) fn load(document: &Value) -> Loaded<Naive> {
        let now = read(document)?;
        if is_against_the_rules(&now) || (now.turn.is_some() && is_past_its_end(&now)) {
            return Err(BAD);
        }
        Ok(Naive::of(now))
    }

    pub(crate) fn document(&self) -> Value {
        write(&self.now)
    }
}

fn has_castling(variant: Variant) -> bool {
    matches!(variant, Variant::Crossfire | Variant::Kingdoms)
}

fn has_en_passant(variant: Variant) -> bool {
    matches!(variant, Variant::Crossfire | Variant::CrossB)
}

pub(crate) fn has_passes(variant: Variant) -> bool {
    matches!(variant, Variant::Crossfire | Variant::Quaternity)
}

fn letters(list: &[char]) -> Value {
    list.iter().map(char::to_string).collect()
}

fn groups(list: &[Vec<char>]) -> Value {
    list.iter().map(|group| letters(group)).collect()
}

fn write(now: &Situation) -> Value {
    let mut document = Map::new();
    let mut put = |key: &str, value: Value| document.insert(key.to_owned(), value);
    put("variant", json!(now.variant.id()));
    put("ply", json!(now.ply));
    put("turn", json!(now.turn));
    let pieces: Map<String, Value> =
        now.board.iter().map(|(&square, &piece)| (name(square), json!(text(piece)))).collect();
    put("pieces", Value::Object(pieces));
    let armies: Map<String, Value> =
        now.armies.iter().map(|army| (army.letter.to_string(), write_army(now.variant, army))).collect();
    put("armies", Value::Object(armies));
    if has_en_passant(now.variant) {
        let order = now.variant.letters();
        let mut rights = now.en_passant.clone();
        rights.sort_by_key(|right| order.iter().position(|&letter| letter == right.army));
        let rights: Vec<Value> = rights
            .iter()
            .map(|right| json!({"army": right.army, "target": name(right.target), "pawn": name(right.pawn)}))
            .collect();
        put("en_passant", json!(rights));
    }
    if now.variant != Variant::Quaternity {
        put("quiet_plies", json!(now.quiet));
    }
    if now.variant == Variant::Crossfire {
        put("phase", json!(if now.ultimatum { "ultimatum" } else { "war" }));
    }
    put(
        "offer",
        match &now.offer {
            None => Value::Null,
            Some((by, accepted)) => json!({"by": by, "accepted": letters(accepted)}),
        },
    );
    if has_passes(now.variant) {
        put("passes", json!(now.passes));
        put("left", groups(&now.left));
    }
    put(
        "outcome",
        match &now.outcome {
            None => Value::Null,
            Some(outcome) => json!({
                "reason": outcome.reason,
                "winners": letters(&outcome.winners),
                "placements": groups(&outcome.placements),
            }),
        },
    );
    Value::Object(document)
}

fn write_army(variant: Variant, army: &Army) -> Value {
    let mut entry = Map::new();
    entry.insert("status".to_owned(), json!(army.status));
    if has_castling(variant) {
        let sides = [("K", army.castles_k), ("Q", army.castles_q)];
        let rights: String = sides.into_iter().filter(|side| side.1).map(|side| side.0).collect();
        entry.insert("castling".to_owned(), json!(rights));
    }
    if variant == Variant::Kingdoms {
        entry.insert("points".to_owned(), json!(army.points));
        entry.insert("result_points".to_owned(), json!(army.result_points));
    }
    if variant == Variant::Quaternity {
        entry.insert("controller".to_owned(), json!(army.controller));
    }
    Value::Object(entry)
}

/// An object that has exactly the keys named, those in `optional` perhaps.
fn object<'a>(value: &'a Value, keys: &[&str], optional: &[&str]) -> Loaded<&'a Map<String, Value>> {
    let map = value.as_object().ok_or(BAD)?;
    let all_there = keys.iter().all(|&key| map.contains_key(key));
    let all_known = map.keys().all(|key| keys.contains(&key.as_str()) || optional.contains(&key.as_str()));
    if all_there && all_known { Ok(map) } else { Err(BAD) }
}

fn count(value: &Value) -> Loaded<u64> {
    value.as_u64().filter(|&number| number <= u64::from(u32::MAX)).ok_or(BAD)
}

fn player(variant: Variant, value: &Value) -> Loaded<char> {
    let text = value.as_str().ok_or(BAD)?;
    variant.letters().iter().copied().find(|letter| letter.to_string() == text).ok_or(BAD)
}

/// A list of players; in what order it names them does not matter, it is kept in turn order.
fn players(variant: Variant, value: &Value) -> Loaded<Vec<char>> {
    let list = value.as_array().ok_or(BAD)?;
    let mut players: Vec<char> = list.iter().map(|item| player(variant, item)).collect::<Loaded<_>>()?;
    let order = variant.letters();
    players.sort_by_key(|player| order.iter().position(|letter| letter == player));
    Ok(players)
}

fn player_groups(variant: Variant, value: &Value) -> Loaded<Vec<Vec<char>>> {
    let list = value.as_array().ok_or(BAD)?;
    list.iter().map(|item| players(variant, item)).collect()
}

fn square(variant: Variant, value: &Value) -> Loaded<Square> {
    variant.square(value.as_str().ok_or(BAD)?).ok_or(BAD)
}

fn read(document: &Value) -> Loaded<Situation> {
    let id = document.as_object().and_then(|map| map.get("variant"));
    let id = id.and_then(Value::as_str).ok_or(BAD)?;
    let variant = Variant::named(id).ok_or("unknown_variant")?;
    let mut keys = vec!["variant", "ply", "turn", "pieces", "armies", "offer", "outcome"];
    if has_en_passant(variant) {
        keys.push("en_passant");
    }
    if variant != Variant::Quaternity {
        keys.push("quiet_plies");
    }
    if variant == Variant::Crossfire {
        keys.push("phase");
    }
    let mut optional = Vec::new();
    if has_passes(variant) {
        keys.push("passes");
        optional.push("left");
    }
    let map = object(document, &keys, &optional)?;
    let mut now = Situation::start(variant);
    now.ply = count(&map["ply"])?;
    now.turn = match &map["turn"] {
        Value::Null => None,
        letter => Some(player(variant, letter)?),
    };
    now.board.clear();
    for (place, piece) in map["pieces"].as_object().ok_or(BAD)? {
        let place = variant.square(place).ok_or(BAD)?;
        let piece = variant.piece(piece.as_str().ok_or(BAD)?).ok_or(BAD)?;
        now.board.insert(place, piece);
    }
    let names: Vec<String> = variant.letters().iter().map(char::to_string).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let armies = object(&map["armies"], &names, &[])?;
    for &letter in variant.letters() {
        *now.army_mut(letter) = read_army(variant, letter, &armies[&letter.to_string()])?;
    }
    if has_en_passant(variant) {
        for right in map["en_passant"].as_array().ok_or(BAD)? {
            let right = object(right, &["army", "target", "pawn"], &[])?;
            now.en_passant.push(EnPassant {
                army: player(variant, &right["army"])?,
                target: square(variant, &right["target"])?,
                pawn: square(variant, &right["pawn"])?,
            });
        }
    }
    if variant != Variant::Quaternity {
        now.quiet = count(&map["quiet_plies"])?;
    }
    if variant == Variant::Crossfire {
        now.ultimatum = match map["phase"].as_str() {
            Some("war") => false,
            Some("ultimatum") => true,
            _ => return Err(BAD),
        };
    }
    now.offer = match &map["offer"] {
        Value::Null => None,
        offer => {
            let offer = object(offer, &["by", "accepted"], &[])?;
            Some((player(variant, &offer["by"])?, players(variant, &offer["accepted"])?))
        }
    };
    if has_passes(variant) {
        now.passes = count(&map["passes"])?;
        let gone: Vec<char> =
            variant.letters().iter().copied().filter(|&letter| !now.is_active(letter)).collect();
        now.left = match map.get("left") {
            Some(left) => player_groups(variant, left)?,
            None if gone.is_empty() => Vec::new(),
            None => vec![gone],
        };
    }
    now.outcome = match &map["outcome"] {
        Value::Null => None,
        outcome => {
            let outcome = object(outcome, &["reason", "winners", "placements"], &[])?;
            Some(Outcome {
                reason: outcome["reason"].as_str().ok_or(BAD)?.to_owned(),
                winners: players(variant, &outcome["winners"])?,
                placements: player_groups(variant, &outcome["placements"])?,
            })
        }
    };
    Ok(now)
}

fn read_army(variant: Variant, letter: char, value: &Value) -> Loaded<Army> {
    let mut keys = vec!["status"];
    if has_castling(variant) {
        keys.push("castling");
    }
    if variant == Variant::Kingdoms {
        keys.extend(["points", "result_points"]);
    }
    if variant == Variant::Quaternity {
        keys.push("controller");
    }
    let map = object(value, &keys, &[])?;
    let word = map["status"].as_str().ok_or(BAD)?;
    let mut army = Army {
        letter,
        status: variant.statuses().iter().find(|&&status| status == word).ok_or(BAD)?,
        castles_k: false,
        castles_q: false,
        points: 0,
        result_points: 0,
        controller: letter,
    };
    if has_castling(variant) {
        (army.castles_k, army.castles_q) = match map["castling"].as_str() {
            Some("KQ") => (true, true),
            Some("K") => (true, false),
            Some("Q") => (false, true),
            Some("") => (false, false),
            _ => return Err(BAD),
        };
    }
    if variant == Variant::Kingdoms {
        army.points = count(&map["points"])?;
        army.result_points = count(&map["result_points"])?;
    }
    if variant == Variant::Quaternity {
        army.controller = player(variant, &map["controller"])?;
    }
    Ok(army)
}
