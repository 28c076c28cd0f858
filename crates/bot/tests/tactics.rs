//! Facts of tactics that levels know, in each game.

use kingscross_bot::{Budget, Level, choose};
use kingscross_engine::{Game, Seat, Variant};
use serde_json::{Value, json};

/// A position without castling rights, from `square piece` pairs; `changes` replaces fields of armies.
fn game(variant: Variant, turn: &str, pieces: &str, changes: &[(&str, &str, Value)]) -> Game {
    let mut document = Game::new(variant).document();
    let words: Vec<&str> = pieces.split_whitespace().collect();
    document["pieces"] = words.chunks(2).map(|pair| (pair[0].to_owned(), json!(pair[1]))).collect();
    document["turn"] = json!(turn);
    let armies = document["armies"].as_object_mut().expect("there are armies");
    for army in armies.values_mut() {
        if army.get("castling").is_some() {
            army["castling"] = json!("");
        }
    }
    for (army, field, value) in changes {
        armies[*army][*field] = value.clone();
    }
    if document.get("left").is_some() {
        let left: Vec<&str> = changes.iter().map(|(army, _, _)| *army).collect();
        document["left"] = if left.is_empty() { json!([]) } else { json!([left]) };
    }
    Game::load(&document).unwrap_or_else(|error| panic!("{error}: {document}"))
}

fn chosen(game: &Game, level: Level) -> String {
    choose(game, level, 5, &Budget::of_nodes(20_000)).text(game.variant())
}

/// Every level from `weakest` on plays one of these moves.
fn all_play(game: &Game, weakest: Level, moves: &[&str]) {
    for level in Level::ALL.into_iter().filter(|&level| level >= weakest) {
        let text = chosen(game, level);
        assert!(moves.contains(&text.as_str()), "{} {level}: {text}, not {moves:?}", game.variant());
    }
}

/// No level from `weakest` on plays any of these moves.
fn none_plays(game: &Game, weakest: Level, wrong: impl Fn(&str) -> bool) {
    for level in Level::ALL.into_iter().filter(|&level| level >= weakest) {
        let text = chosen(game, level);
        assert!(!wrong(&text), "{} {level}: {text}", game.variant());
    }
}

#[test]
fn in_crossfire_everyone_takes_the_throne_rather_than_a_queen() {
    let pieces = "h1 sK k13 sR i1 sR a7 wK k5 wQ b4 wP d14 nK n7 eK m7 eP";
    all_play(&game(Variant::Crossfire, "s", pieces, &[]), Level::Greedy, &["i1-i14"]);
}

#[test]
fn in_crossfire_terrain_is_no_prize() {
    // West has fallen: its queen is a stone, East's knight is not.
    let pieces = "h1 sK e5 sR a7 wK e8 wQ b4 wP h14 nK e13 nP n7 eK k5 eN";
    let fallen = [("w", "status", json!("fallen"))];
    all_play(&game(Variant::Crossfire, "s", pieces, &fallen), Level::Greedy, &["e5-k5"]);
}

#[test]
fn in_crossfire_the_target_is_not_left_to_others() {
    // South can mate West (h8-a8 wins no throne, but takes a rival out); mating North wins.
    let pieces = "h1 sK k13 sR i2 sR h3 sR a4 wK b9 wP d14 nK n11 eK m9 eP";
    let position = game(Variant::Crossfire, "s", pieces, &[]);
    all_play(&position, Level::Greedy, &["i2-i14", "h3-h14"]);
}

#[test]
fn in_every_game_a_queen_or_chariot_that_hangs_is_taken() {
    let crossfire = "h1 sK e4 sR d2 sP a7 wK b7 wP e9 wQ h14 nK h13 nP n7 eK m7 eP";
    all_play(&game(Variant::Crossfire, "s", crossfire, &[]), Level::Greedy, &["e4-e9"]);
    let kingdoms = "h1 rK e4 rR d2 rP n8 bK m8 bP g14 yK g13 yP e9 yQ a7 gK b7 gP";
    all_play(&game(Variant::Kingdoms, "r", kingdoms, &[]), Level::Greedy, &["e4-e9"]);
    let quaternity = "a1 wK e4 wR a12 rK b11 rPv l12 bK e8 bQ l1 gK k2 gP^";
    all_play(&game(Variant::Quaternity, "w", quaternity, &[]), Level::Greedy, &["e4-e8"]);
    let cross_a = "e1 wK a1 wR b2 wP e8 bK a6 bR h7 bP";
    all_play(&game(Variant::CrossA, "w", cross_a, &[]), Level::Greedy, &["a1-a6"]);
    let cross_b = "e1 wK a1 wR c4 wP e10 bK a6 bR g7 bP";
    all_play(&game(Variant::CrossB, "w", cross_b, &[]), Level::Greedy, &["a1-a6"]);
}

#[test]
fn levels_that_look_ahead_do_not_take_what_is_defended_with_their_queen() {
    let crossfire = "h1 sK e4 sQ d2 sP a7 wK b7 wP e9 wP d8 wP h14 nK h13 nP n7 eK m7 eP";
    none_plays(&game(Variant::Crossfire, "s", crossfire, &[]), Level::Marshal, |mv| mv == "e4-e9");
    let kingdoms = "h1 rK e4 rQ d2 rP n8 bK m8 bP g14 yK g13 yP a7 gK b7 gP d8 gP e9 gP";
    none_plays(&game(Variant::Kingdoms, "r", kingdoms, &[]), Level::Marshal, |mv| mv == "e4-e9");
    let quaternity = "a1 wK e4 wQ a12 rK e9 rP> d10 rP> l12 bK k11 bPv l1 gK k2 gP^";
    none_plays(&game(Variant::Quaternity, "w", quaternity, &[]), Level::Marshal, |mv| mv == "e4-e9");
    let cross_a = "e1 wK c2 wR h2 wP e8 bK c6 bP c7 bP h7 bR";
    none_plays(&game(Variant::CrossA, "w", cross_a, &[]), Level::Marshal, |mv| mv == "c2-c6");
    let cross_b = "e1 wK c2 wR g4 wP e10 bK c6 bP b7 bP i7 bP";
    none_plays(&game(Variant::CrossB, "w", cross_b, &[]), Level::Marshal, |mv| mv == "c2-c6");
}

#[test]
fn levels_that_look_ahead_move_an_attacked_queen_away() {
    // West's pawn attacks the queen on e5; West is on turn next.
    let pieces = "h1 sK e5 sQ d2 sP a7 wK b7 wP d4 wP h14 nK h13 nP n7 eK m7 eP";
    none_plays(&game(Variant::Crossfire, "s", pieces, &[]), Level::Marshal, |mv| !mv.starts_with("e5-"));
}

#[test]
fn in_kingdoms_a_surrendered_king_is_worth_more_than_a_queen() {
    let pieces = "h1 rK e4 rR d2 rP n8 bK m8 bP g14 yK g13 yP l4 yQ k5 yB e9 gK b7 gP";
    let left = [("g", "status", json!("surrendered"))];
    all_play(&game(Variant::Kingdoms, "r", pieces, &left), Level::Greedy, &["e4-e9"]);
}

#[test]
fn in_kingdoms_points_go_before_pieces_that_pay_nothing() {
    // The promoted queen pays 1 point and the rook 5, and both would be lost to nobody.
    let pieces = "h1 rK e4 rR d2 rP n8 bK m8 bP g14 yK g13 yP e9 yN k4 gQ a7 gK b7 gP";
    let fallen = [("g", "status", json!("fallen"))];
    all_play(&game(Variant::Kingdoms, "r", pieces, &fallen), Level::Greedy, &["e4-e9"]);
}

#[test]
fn in_quaternity_a_mate_and_its_army_go_before_a_queen() {
    // The rook on k11 holds the eleventh rank; one on the twelfth mates Red in the corner.
    let pieces = "a1 wK k11 wR j4 wR a12 rK e4 rQ e8 rPv i7 bK i2 bP< l1 gK k2 gP^";
    all_play(&game(Variant::Quaternity, "w", pieces, &[]), Level::Greedy, &["j4-j12"]);
}

#[test]
fn in_cross_chess_a_stalemate_is_a_win_and_is_played() {
    // The general on a8 can go to a7 and b8; a chariot that takes both away without a check stalemates it.
    let game = game(Variant::CrossA, "w", "e1 wK b3 wR h6 wR a8 bK", &[]);
    for level in Level::ALL.into_iter().filter(|&level| level >= Level::Greedy) {
        let mut after = game.clone();
        after.act(&choose(&game, level, 1, &Budget::of_nodes(20_000))).expect("a legal action");
        assert!(after.outcome().is_some_and(|outcome| outcome.winners == [Seat::South]), "{level}");
    }
}

#[test]
fn in_kingdoms_nobody_is_paid_for_a_stalemate_without_need() {
    // i12-j13 stalemates Yellow, who is paid for it; every other move of the queen keeps it alive or mates.
    let game = game(Variant::Kingdoms, "r", "h1 rK i12 rQ k14 yK n8 bK m8 bP a7 gK b7 gP", &[]);
    for level in Level::ALL.into_iter().filter(|&level| level >= Level::Page) {
        let mut after = game.clone();
        after.act(&choose(&game, level, 1, &Budget::of_nodes(20_000))).expect("a legal action");
        let paid: u32 = Seat::ALL.into_iter().map(|seat| after.position().points(seat)).sum();
        assert_eq!(paid, after.position().points(Seat::South), "{level}");
    }
}

#[test]
fn the_strongest_level_finds_a_mate_in_two() {
    // 1 Rb6-b9+ K on the tenth rank, 2 Ra5-a10 mates; the queen is too far away to help.
    let mut game = game(Variant::CrossB, "w", "e1 wK a5 wR b6 wR e9 bK i7 bP i4 wP", &[]);
    for _ in 0..3 {
        let level = if game.turn() == Some(Seat::South) { Level::Sovereign } else { Level::Greedy };
        let action = choose(&game, level, 1, &Budget::of_nodes(50_000));
        game.act(&action).expect("a legal action");
    }
    assert_eq!(game.outcome().map(|outcome| outcome.winners.clone()), Some(vec![Seat::South]));
}
