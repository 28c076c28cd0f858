//! Positions with few pieces, in which mates, stalemates, standoffs, transfers and bare kings are near. Most are
//! playable; the others are for the readers to refuse.

use serde_json::{Map, Value, json};

use super::dice::Dice;
use crate::naive::{Naive, Variant, may_stand, square_name};

/// A playable position to begin with: the game's own start, one near a position of the library, or a sparse one.
pub(crate) fn playable(variant: Variant, library: &[Value], dice: &mut Dice) -> (Value, Naive) {
    loop {
        let document = any(variant, library, dice);
        if let Ok(game) = Naive::load(&document)
            && !game.is_over()
        {
            return (document, game);
        }
    }
}

/// The same, playable or not.
pub(crate) fn any(variant: Variant, library: &[Value], dice: &mut Dice) -> Value {
    match dice.below(20) {
        0 => Naive::new(variant).document(),
        1..8 => near(variant, library, dice),
        _ => sparse(variant, dice),
    }
}

/// The running positions of the fixtures, and the middle games that perft counts from.
pub(crate) fn library(variant: Variant) -> Vec<Value> {
    let fixtures = include_str!("../vectors/fixtures.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"))
        .filter(|case| case["variant"] == variant.id())
        .flat_map(|case| [case["start"].clone(), case["position"].clone()]);
    let counted: Value = serde_json::from_str(include_str!("../vectors/perft.json")).expect("JSON");
    let middle_games = counted[variant.id()]["midgame"].as_array().expect("the middle games of every game");
    let middle_games = middle_games.iter().map(|case| case["position"].clone());
    fixtures.chain(middle_games).filter(|document| document["turn"].is_string()).collect()
}

/// A position of the vectors, with up to two pieces moved, added or taken away and perhaps another player on turn: the
/// rare events that the vectors were made for stay near.
fn near(variant: Variant, library: &[Value], dice: &mut Dice) -> Value {
    let mut document = dice.pick(library);
    let squares = variant.squares();
    let pieces = document["pieces"].as_object_mut().expect("pieces");
    for _ in 0..dice.below(3) {
        let names: Vec<String> = pieces.keys().cloned().collect();
        let name = dice.pick(&names);
        let square = square_name(dice.pick(&squares));
        let piece = pieces[&name].clone();
        let text = piece.as_str().expect("a piece");
        let is_king = text.ends_with('K');
        match dice.below(4) {
            0 if !is_king => {
                pieces.remove(&name);
            }
            1 if !is_king && !pieces.contains_key(&square) && may_stand(variant, &square, text) => {
                pieces.insert(square, piece);
            }
            _ if !pieces.contains_key(&square) && may_stand(variant, &square, text) => {
                pieces.remove(&name);
                pieces.insert(square, piece);
            }
            _ => {}
        }
    }
    if dice.percent(15) {
        document["turn"] = json!(dice.pick(variant.letters()));
    }
    document
}

struct Draft {
    variant: Variant,
    pieces: Map<String, Value>,
    statuses: Vec<&'static str>,
    castling: Vec<String>,
    controllers: Vec<char>,
    en_passant: Vec<Value>,
    /// The part of the board that pieces are strewn over, kings and their hunters close together.
    window: Vec<(i32, i32)>,
}

/// A random document with few pieces.
fn sparse(variant: Variant, dice: &mut Dice) -> Value {
    let letters = variant.letters();
    let mut draft = Draft {
        variant,
        pieces: Map::new(),
        statuses: vec!["active"; letters.len()],
        castling: vec![String::new(); letters.len()],
        controllers: letters.to_vec(),
        en_passant: Vec::new(),
        window: window(variant, dice),
    };
    draft.choose_statuses(dice);
    draft.place_kings(dice);
    if dice.percent(25) {
        draft.place_double_step(dice);
    }
    let most = dice.pick(&[2, 4, 8, 12, 20]);
    for _ in 0..=dice.below(most) {
        draft.place_piece(dice);
    }
    draft.write(dice)
}

fn window(variant: Variant, dice: &mut Dice) -> Vec<(i32, i32)> {
    let squares = variant.squares();
    if dice.percent(30) {
        return squares;
    }
    let reach = dice.pick(&[3, 3, 4]);
    let (file, rank) = dice.pick(&squares);
    squares
        .into_iter()
        .filter(|square| (square.0 - file).abs() <= reach && (square.1 - rank).abs() <= reach)
        .collect()
}

impl Draft {
    fn choose_statuses(&mut self, dice: &mut Dice) {
        if self.variant.is_cross_chess() {
            return;
        }
        let others: Vec<&'static str> = self.variant.statuses()[1..].to_vec();
        let count = self.statuses.len();
        for _ in 0..dice.pick(&[0, 0, 1, 1, 2, 2]) {
            let place = dice.below(count);
            self.statuses[place] = dice.pick(&others);
        }
        let letters = self.variant.letters();
        for place in 0..count {
            if self.statuses[place] == "eliminated"
                || (self.variant == Variant::Quaternity && dice.percent(4))
            {
                let owner = dice.below(count);
                self.controllers[place] = letters[owner];
            }
        }
    }

    fn free_square(&self, dice: &mut Dice, at_the_edge: bool) -> String {
        let all = self.variant.squares();
        for attempt in 0.. {
            let is_crowded = attempt > 20;
            let (file, rank) = dice.pick(if is_crowded { &all } else { &self.window });
            let neighbours = [(1, 0), (-1, 0), (0, 1), (0, -1)];
            let is_edge = neighbours.iter().any(|way| !self.variant.exists((file + way.0, rank + way.1)));
            let name = square_name((file, rank));
            if (!at_the_edge || is_edge || is_crowded) && !self.pieces.contains_key(&name) {
                return name;
            }
        }
        unreachable!("a sparse position leaves squares free")
    }

    fn place_kings(&mut self, dice: &mut Dice) {
        for (place, &letter) in self.variant.letters().iter().enumerate() {
            let is_gone = matches!(self.statuses[place], "fallen" | "eliminated");
            if is_gone && dice.percent(60) {
                continue;
            }
            let homes = self.variant.castling_homes(letter);
            if let Some((king, near, far)) = homes
                && dice.percent(15)
            {
                let names = [king, near, far].map(square_name);
                if names.iter().any(|name| self.pieces.contains_key(name)) {
                    continue;
                }
                self.pieces.insert(names[0].clone(), json!(format!("{letter}K")));
                for (name, side) in names[1..].iter().zip(["K", "Q"]) {
                    if dice.percent(70) {
                        self.pieces.insert(name.clone(), json!(format!("{letter}R")));
                        self.castling[place].push_str(side);
                    }
                }
                continue;
            }
            let square = if self.variant == Variant::CrossB {
                let palaces = if letter == 'w' {
                    ["d1", "e1", "f1", "d2", "e2", "f2", "d3", "e3", "f3"]
                } else {
                    ["d10", "e10", "f10", "d9", "e9", "f9", "d8", "e8", "f8"]
                };
                dice.pick(&palaces).to_owned()
            } else {
                let at_the_edge = dice.percent(75);
                self.free_square(dice, at_the_edge)
            };
            self.pieces.insert(square, json!(format!("{letter}K")));
        }
    }

    fn place_piece(&mut self, dice: &mut Dice) {
        let letter = dice.pick(self.variant.letters());
        let kinds: &[&str] = match self.variant {
            Variant::CrossA => &["R", "R", "H", "E", "A", "P", "P", "P"],
            Variant::CrossB => &["R", "R", "N", "B", "Q", "P", "P", "P"],
            Variant::Kingdoms => &["Q", "R", "R", "N", "B", "P", "P", "Q+"],
            Variant::Quaternity => &["Q", "R", "R", "N", "N", "B", "P^", "P>", "Pv", "P<", "P*"],
            Variant::Crossfire => &["Q", "R", "R", "N", "B", "P", "P", "P"],
        };
        let piece = format!("{letter}{}", dice.pick(kinds));
        let at_the_edge = dice.percent(30);
        let square = self.free_square(dice, at_the_edge);
        if may_stand(self.variant, &square, &piece) {
            self.pieces.insert(square, json!(piece));
        }
    }

    /// A pawn ready for its double step, or one that has just made it, and pawns that could take it in passing.
    fn place_double_step(&mut self, dice: &mut Dice) {
        if matches!(self.variant, Variant::Quaternity | Variant::CrossA) {
            return;
        }
        let letters = self.variant.letters();
        let letter = dice.pick(letters);
        let way = self.variant.forward(letter);
        let starting_line = if self.variant == Variant::CrossB { 3 } else { 2 };
        let starts: Vec<_> = self
            .variant
            .squares()
            .into_iter()
            .filter(|&square| {
                self.variant.line(letter, square) == starting_line
                    && (self.variant != Variant::CrossB || [2, 8].contains(&square.0))
            })
            .collect();
        let start = dice.pick(&starts);
        let target = (start.0 + way.0, start.1 + way.1);
        let end = (target.0 + way.0, target.1 + way.1);
        let has_stepped = dice.percent(50);
        let [start, passed, end_name] = [start, target, end].map(square_name);
        let pawn = if has_stepped { &end_name } else { &start };
        self.pieces.insert(pawn.clone(), json!(format!("{letter}P")));
        if has_stepped && matches!(self.variant, Variant::Crossfire | Variant::CrossB) {
            self.en_passant.push(json!({"army": letter, "target": passed, "pawn": end_name}));
        }
        let around = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
        for _ in 0..3 {
            let diagonal = dice.pick(&around);
            let hunter = (target.0 + diagonal.0, target.1 + diagonal.1);
            let piece = format!("{}P", dice.pick(letters));
            if self.variant.exists(hunter) {
                let hunter = square_name(hunter);
                if !self.pieces.contains_key(&hunter) && may_stand(self.variant, &hunter, &piece) {
                    self.pieces.insert(hunter, json!(piece));
                }
            }
        }
    }

    fn write(self, dice: &mut Dice) -> Value {
        let variant = self.variant;
        let letters = variant.letters();
        let active: Vec<char> = (0..letters.len())
            .filter(|&place| self.statuses[place] == "active")
            .map(|place| letters[place])
            .collect();
        let turn =
            if active.is_empty() || dice.percent(10) { dice.pick(letters) } else { dice.pick(&active) };
        let mut armies = Map::new();
        for (place, letter) in letters.iter().enumerate() {
            let mut army = Map::new();
            let status = self.statuses[place];
            army.insert("status".to_owned(), json!(status));
            if matches!(variant, Variant::Crossfire | Variant::Kingdoms) {
                army.insert("castling".to_owned(), json!(self.castling[place]));
            }
            if variant == Variant::Kingdoms {
                let fixed = dice.below(4) * 9;
                let more = if status == "surrendered" { dice.below(3) } else { 0 };
                army.insert("points".to_owned(), json!(fixed + more));
                army.insert("result_points".to_owned(), json!(fixed));
            }
            if variant == Variant::Quaternity {
                army.insert("controller".to_owned(), json!(self.controllers[place]));
            }
            armies.insert(letter.to_string(), Value::Object(army));
        }
        let ply = if dice.percent(3) { 5990 + dice.below(12) } else { dice.below(900) };
        let mut document = json!({
            "variant": variant.id(),
            "ply": ply,
            "turn": turn,
            "pieces": self.pieces,
            "armies": armies,
            "offer": null,
            "outcome": null,
        });
        let map = document.as_object_mut().expect("an object");
        if matches!(variant, Variant::Crossfire | Variant::CrossB) {
            map.insert("en_passant".to_owned(), json!(self.en_passant));
        }
        if variant != Variant::Quaternity {
            let limit = 50 * active.len();
            let quiet =
                if dice.percent(6) { (limit + 2).saturating_sub(dice.below(12)) } else { dice.below(20) };
            map.insert("quiet_plies".to_owned(), json!(quiet));
        }
        if variant == Variant::Crossfire {
            let target = |letter| match letter {
                's' => 2,
                'w' => 3,
                'n' => 0,
                _ => 1,
            };
            let is_ultimatum =
                active.len() > 1 && active.iter().all(|&letter| self.statuses[target(letter)] == "fallen");
            let phase = if is_ultimatum { "ultimatum" } else { "war" };
            map.insert("phase".to_owned(), json!(phase));
        }
        if matches!(variant, Variant::Crossfire | Variant::Quaternity) {
            let passes = if dice.percent(10) { dice.below(4) } else { 0 };
            map.insert("passes".to_owned(), json!(passes));
            if dice.percent(50) {
                let gone = letters.iter().filter(|letter| !active.contains(letter));
                let mut groups: Vec<Vec<char>> = Vec::new();
                for &letter in gone {
                    match groups.last_mut() {
                        Some(group) if dice.percent(30) => group.push(letter),
                        _ => groups.push(vec![letter]),
                    }
                }
                if dice.percent(50) {
                    groups.reverse();
                }
                map.insert("left".to_owned(), json!(groups));
            }
        }
        if dice.percent(4) {
            let accepted: Vec<char> =
                active.iter().copied().filter(|&letter| letter != turn && dice.percent(40)).collect();
            map.insert("offer".to_owned(), json!({"by": turn, "accepted": accepted}));
        }
        document
    }
}
