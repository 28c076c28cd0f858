//! Documents gone wrong in one place.

use serde_json::{Value, json};

use super::dice::Dice;
use crate::naive::{Variant, square_name};

/// Changes a document in one or two places. The result may still be a playable position.
pub(crate) fn spoil(variant: Variant, document: &Value, dice: &mut Dice) -> Value {
    let mut spoilt = document.clone();
    for _ in 0..=usize::from(dice.percent(20)) {
        match dice.below(10) {
            0 => drop_a_key(&mut spoilt, dice),
            1 => replace_a_value(&mut spoilt, dice),
            2..=4 => change_the_board(variant, &mut spoilt, dice),
            5 => change_an_army(variant, &mut spoilt, dice),
            6 => change_a_counter(&mut spoilt, dice),
            7 => add_a_key(&mut spoilt, dice),
            8 => add_a_right(variant, &mut spoilt, dice),
            _ => change_turn_or_end(variant, &mut spoilt, dice),
        }
    }
    spoilt
}

/// A random place inside a JSON value, as a pointer.
fn somewhere(value: &Value, dice: &mut Dice) -> String {
    let mut pointer = String::new();
    let mut at = value;
    loop {
        let keys: Vec<String> = match at {
            Value::Object(map) => map.keys().cloned().collect(),
            Value::Array(list) => (0..list.len()).map(|place| place.to_string()).collect(),
            _ => Vec::new(),
        };
        if keys.is_empty() || (!pointer.is_empty() && dice.percent(35)) {
            return pointer;
        }
        pointer = format!("{pointer}/{}", dice.pick(&keys));
        at = value.pointer(&pointer).expect("a place just found");
    }
}

fn drop_a_key(document: &mut Value, dice: &mut Dice) {
    let pointer = somewhere(document, dice);
    let Some((parent, key)) = pointer.rsplit_once('/') else {
        return;
    };
    match document.pointer_mut(parent) {
        Some(Value::Object(map)) => {
            map.remove(key);
        }
        Some(Value::Array(list)) => {
            list.remove(key.parse().expect("an index"));
        }
        _ => {}
    }
}

fn add_a_key(document: &mut Value, dice: &mut Dice) {
    let pointer = somewhere(document, dice);
    let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
    let keys = [
        "left",
        "passes",
        "phase",
        "quiet_plies",
        "en_passant",
        "castling",
        "points",
        "controller",
        "x",
        "hash",
    ];
    if let Some(Value::Object(map)) = document.pointer_mut(parent) {
        map.insert(dice.pick(&keys).to_owned(), strange(dice));
    }
}

fn strange(dice: &mut Dice) -> Value {
    dice.pick(&[
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(3),
        json!(1.5),
        json!(6000),
        json!(4_294_967_296_u64),
        json!(u64::MAX),
        json!(1e300),
        json!(""),
        json!("w"),
        json!("s"),
        json!("K"),
        json!("QK"),
        json!("active"),
        json!("war"),
        json!("ultimatum"),
        json!("e4"),
        json!([]),
        json!({}),
        json!([["w"]]),
        json!(["w", "w"]),
    ])
}

fn replace_a_value(document: &mut Value, dice: &mut Dice) {
    let pointer = somewhere(document, dice);
    let value = strange(dice);
    if let Some(place) = document.pointer_mut(&pointer) {
        *place = value;
    }
}

fn change_the_board(variant: Variant, document: &mut Value, dice: &mut Dice) {
    let squares = variant.squares();
    let kinds = ["K", "Q", "R", "B", "N", "P", "P^", "P>", "Pv", "P<", "P*", "Q+", "A", "E", "H", "", "k"];
    let letter = dice.pick(variant.letters());
    let square = match dice.below(20) {
        0 => dice.pick(&["a1", "z9", "d0", "d01", "d15", "", "D1"]).to_owned(),
        _ => square_name(dice.pick(&squares)),
    };
    let Some(pieces) = document.get_mut("pieces").and_then(Value::as_object_mut) else {
        return;
    };
    if dice.percent(50) {
        pieces.insert(square, json!(format!("{letter}{}", dice.pick(&kinds))));
    } else if !pieces.is_empty() {
        let names: Vec<String> = pieces.keys().cloned().collect();
        let moved = pieces.remove(&dice.pick(&names)).expect("a piece just named");
        pieces.insert(square, moved);
    }
}

fn change_an_army(variant: Variant, document: &mut Value, dice: &mut Dice) {
    let letter = dice.pick(variant.letters()).to_string();
    let statuses = ["active", "abandoned", "fallen", "surrendered", "frozen", "eliminated"];
    let Some(army) =
        document.get_mut("armies").and_then(|armies| armies.get_mut(&letter)).and_then(Value::as_object_mut)
    else {
        return;
    };
    let (key, value) = match dice.below(4) {
        0 => ("status", json!(dice.pick(&statuses))),
        1 if army.contains_key("castling") => ("castling", json!(dice.pick(&["KQ", "K", "Q", "", "QK"]))),
        2 if army.contains_key("points") => (dice.pick(&["points", "result_points"]), json!(dice.below(40))),
        3 if army.contains_key("controller") => ("controller", json!(dice.pick(variant.letters()))),
        _ => ("status", json!(dice.pick(variant.statuses()))),
    };
    army.insert(key.to_owned(), value);
}

fn change_a_counter(document: &mut Value, dice: &mut Dice) {
    let key = dice.pick(&["ply", "quiet_plies", "passes"]);
    let value = dice.pick(&[0, 1, 2, 3, 4, 49, 50, 99, 100, 149, 150, 199, 200, 5999, 6000, 6001]);
    if let Some(place) = document.get_mut(key) {
        *place = json!(value);
    }
}

fn add_a_right(variant: Variant, document: &mut Value, dice: &mut Dice) {
    let squares = variant.squares();
    let letter = dice.pick(variant.letters());
    let Some(rights) = document.get_mut("en_passant").and_then(Value::as_array_mut) else {
        return;
    };
    if !rights.is_empty() && dice.percent(50) {
        let again = dice.pick(rights);
        rights.push(again);
        return;
    }
    let way = variant.forward(letter);
    let pawn = dice.pick(&squares);
    let target = square_name((pawn.0 - way.0, pawn.1 - way.1));
    rights.push(json!({"army": letter, "target": target, "pawn": square_name(pawn)}));
    if let Some(pieces) = document.get_mut("pieces").and_then(Value::as_object_mut)
        && dice.percent(80)
    {
        pieces.insert(square_name(pawn), json!(format!("{letter}P")));
    }
}

fn change_turn_or_end(variant: Variant, document: &mut Value, dice: &mut Dice) {
    let letters = variant.letters();
    let (key, value) = match dice.below(6) {
        0 => ("turn", Value::Null),
        1 => ("turn", json!(dice.pick(letters))),
        2 => ("offer", json!({"by": dice.pick(letters), "accepted": [dice.pick(letters)]})),
        3 => ("phase", json!(dice.pick(&["war", "ultimatum"]))),
        4 => {
            let mut order = letters.to_vec();
            order.rotate_left(dice.below(letters.len()));
            let cut = 1 + dice.below(letters.len() - 1);
            let reasons = [
                "throne",
                "last_king",
                "last_active",
                "last_standing",
                "agreement",
                "quiet",
                "checkmate",
                "length",
            ];
            let groups = if dice.percent(50) {
                vec![order[..cut].to_vec(), order[cut..].to_vec()]
            } else {
                order.iter().map(|&letter| vec![letter]).collect()
            };
            let outcome = json!({
                "reason": dice.pick(&reasons),
                "winners": groups[0],
                "placements": groups,
            });
            if dice.percent(90) {
                document["turn"] = Value::Null;
                document["offer"] = Value::Null;
            }
            ("outcome", outcome)
        }
        _ => {
            let mut groups: Vec<Vec<char>> = Vec::new();
            for &letter in letters {
                if dice.percent(50) {
                    groups.push(vec![letter]);
                }
            }
            ("left", json!(groups))
        }
    };
    if let Some(map) = document.as_object_mut()
        && (map.contains_key(key) || dice.percent(10))
    {
        map.insert(key.to_owned(), value);
    }
}
