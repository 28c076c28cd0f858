//! The carried vectors: perft tables, fixtures, whole games (tests/vectors/README.md).

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use kingscross_engine::{Action, Game, Variant, perft};
use serde_json::Value;

fn vectors(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(name)
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn variant_of(case: &Value) -> Variant {
    case["variant"].as_str().unwrap().parse().unwrap()
}

/// The game from which a case starts.
fn start(case: &Value) -> Game {
    match &case["start"] {
        Value::Null => Game::new(variant_of(case)),
        document => Game::load(document).unwrap_or_else(|error| panic!("{}: {error}", case["name"])),
    }
}

fn act(game: &mut Game, text: &str) -> Result<(), String> {
    let action = Action::parse(game.variant(), text).map_err(|rejection| rejection.code.to_string())?;
    game.act(&action).map(|_| ()).map_err(|rejection| rejection.code.to_string())
}

fn check_perft(name: &str, game: &Game, nodes: &Value) {
    for (index, expected) in nodes.as_array().unwrap().iter().enumerate() {
        let depth = index as u32 + 1;
        assert_eq!(perft(game, depth), expected.as_u64().unwrap(), "{name}, depth {depth}");
    }
}

fn perft_table(variant: Variant) {
    let text = fs::read_to_string(vectors("perft.json")).unwrap();
    let table: Value = serde_json::from_str(&text).unwrap();
    let table = &table[variant.id()];
    check_perft("start", &Game::new(variant), &table["start"]["nodes"]);
    let midgame = table["midgame"].as_array().unwrap();
    assert_eq!(midgame.len(), 3);
    for case in midgame {
        check_perft(&case["name"].to_string(), &Game::load(&case["position"]).unwrap(), &case["nodes"]);
    }
}

#[test]
fn perft_of_crossfire_agrees_with_the_table() {
    perft_table(Variant::Crossfire);
}

#[test]
fn perft_of_kingdoms_agrees_with_the_table() {
    perft_table(Variant::Kingdoms);
}

#[test]
fn perft_of_quaternity_agrees_with_the_table() {
    perft_table(Variant::Quaternity);
}

#[test]
fn perft_of_cross_a_agrees_with_the_table() {
    perft_table(Variant::CrossA);
}

#[test]
fn perft_of_cross_b_agrees_with_the_table() {
    perft_table(Variant::CrossB);
}

fn check_fixture(case: &Value) -> Result<(), String> {
    let mut game = start(case);
    for action in case["actions"].as_array().unwrap() {
        act(&mut game, action.as_str().unwrap()).map_err(|code| format!("{action} is refused: {code}"))?;
    }
    if game.document() != case["position"] {
        return Err(format!("stands\n{}\nnot\n{}", game.document(), case["position"]));
    }
    let legal = Value::from(game.legal());
    if legal != case["legal"] {
        return Err(format!("legal is\n{legal}\nnot\n{}", case["legal"]));
    }
    for refused in case["refused"].as_array().unwrap() {
        let action = refused["action"].as_str().unwrap();
        let answer = act(&mut game, action);
        if answer.as_ref().err().map(String::as_str) != refused["code"].as_str() {
            return Err(format!("{action}: {answer:?}, not {}", refused["code"]));
        }
        if game.document() != case["position"] {
            return Err(format!("{action} is refused and changes the position"));
        }
    }
    Ok(())
}

fn fixtures() -> Vec<Value> {
    lines(&fs::read_to_string(vectors("fixtures.jsonl")).unwrap())
}

#[test]
fn every_fixture_stands_as_it_should() {
    let cases = fixtures();
    assert_eq!(cases.len(), 258);
    let failed: Vec<String> = (cases.iter())
        .filter_map(|case| Some(format!("{}: {}", case["name"], check_fixture(case).err()?)))
        .collect();
    assert!(failed.is_empty(), "{} of {} fail:\n{}", failed.len(), cases.len(), failed.join("\n\n"));
}

/// One test for each fixture of a source.
macro_rules! fixture_tests {
    ($($test:ident = $name:literal,)*) => {$(
        #[test]
        fn $test() {
            let case = fixtures().into_iter().find(|case| case["name"] == $name).unwrap();
            check_fixture(&case).unwrap();
        }
    )*};
}

fixture_tests! {
    source_004_1_exposing_the_second_king = "004-1-exposing-the-second-king",
    source_004_1_both_kings_safe = "004-1-both-kings-safe",
    source_004_2_indirect_mate = "004-2-indirect-mate",
    source_004_3a_frozen_pieces_do_not_attack = "004-3a-frozen-pieces-do-not-attack",
    source_004_3b_frozen_king_mated = "004-3b-frozen-king-mated",
    source_004_3c_hypothetical_defence = "004-3c-hypothetical-defence",
    source_004_3d_frozen_pieces_block_and_can_be_captured = "004-3d-frozen-pieces-block-and-can-be-captured",
    source_004_3d_frozen_pawn_blocks = "004-3d-frozen-pawn-blocks",
    source_004_4a_two_simultaneous_mates = "004-4a-two-simultaneous-mates",
    source_004_4b_cascade = "004-4b-cascade",
    source_004_4d_post_batch_safety = "004-4d-post-batch-safety",
    source_004_5a_pass_with_four_active = "004-5a-pass-with-four-active",
    source_004_5a_only_the_pass_is_legal = "004-5a-only-the-pass-is-legal",
    source_004_5b_two_player_stalemate = "004-5b-two-player-stalemate",
    source_004_6_offer_accepted_by_all = "004-6-offer-accepted-by-all",
    source_004_6_offer_declined = "004-6-offer-declined",
    source_004_6_offer_pending = "004-6-offer-pending",
    source_004_6_vote_without_offer = "004-6-vote-without-offer",
    source_004_7_mate_leaves_one_active = "004-7-mate-leaves-one-active",
    source_004_7b_action_after_the_winner = "004-7b-action-after-the-winner",
    source_004_7b_played_out = "004-7b-played-out",
}

fn games() -> Vec<Value> {
    let mut text = String::new();
    let file = fs::File::open(vectors("games.jsonl.gz")).unwrap();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    lines(&text)
}

#[test]
fn every_game_goes_step_by_step_as_recorded() {
    let games = games();
    assert_eq!(games.len(), 70);
    for (index, case) in games.iter().enumerate() {
        let mut game = start(case);
        for (ply, step) in case["steps"].as_array().unwrap().iter().enumerate() {
            let at = format!("game {index}, {}, step {ply}, {}", case["variant"], step["action"]);
            let done = act(&mut game, step["action"].as_str().unwrap());
            assert_eq!(done, Ok(()), "{at}: {}", game.document());
            assert_eq!(
                game.legal().len() as u64,
                step["legal"].as_u64().unwrap(),
                "{at}: {}",
                game.document()
            );
            if !step["position"].is_null() {
                assert_eq!(game.document(), step["position"], "{at}");
            }
        }
    }
}

/// The engine command must take every position that a game writes, and stand where the game stood.
#[test]
fn every_recorded_position_is_loaded_as_it_was_written() {
    for case in games() {
        for step in case["steps"].as_array().unwrap() {
            if step["position"].is_null() {
                continue;
            }
            let game =
                Game::load(&step["position"]).unwrap_or_else(|error| panic!("{error}: {}", step["position"]));
            assert_eq!(game.document(), step["position"]);
            assert_eq!(game.hash(), game.position().computed_hash());
        }
    }
}
