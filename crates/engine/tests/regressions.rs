//! Cases in which the engine once disagreed with the rules; `differential.rs` found them.

use kingscross_engine::{Action, Game, Variant};
use serde_json::{Value, json};

fn play(variant: Variant, start: &Value, actions: &[&str]) -> Game {
    let mut game = Game::load(start).expect("a position of the rules");
    for text in actions {
        let action = Action::parse(variant, text).expect("an action");
        game.act(&action).unwrap_or_else(|rejection| panic!("{text}: {rejection:?}"));
    }
    game
}

// rules/common, Draws: a soldier beyond the river can step back where it came from.
#[test]
fn a_soldiers_sideways_steps_repeat_a_position() {
    let start = json!({
        "variant": "cross-a", "ply": 0, "turn": "w", "quiet_plies": 0, "offer": null, "outcome": null,
        "pieces": { "a1": "wK", "d5": "wP", "h8": "bK" },
        "armies": { "w": { "status": "active" }, "b": { "status": "active" } },
    });
    let round = ["d5-e5", "h8-g8", "e5-d5", "g8-h8"];
    let game = play(Variant::CrossA, &start, &[round, round].concat());
    assert_eq!(game.document()["outcome"]["reason"], "repetition");
}
