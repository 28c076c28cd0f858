//! The legal list written straight from the engine is the one that the type reads.

use kingscross_engine::{Game, Variant};
use kingscross_protocol::{Choice, LegalList};

#[test]
fn it_reads_as_the_choices_of_every_position_of_whole_games() {
    for variant in Variant::ALL {
        let (mut game, mut number, mut seen) = (Game::new(variant), 7_usize, false);
        while game.outcome().is_none() && game.ply() < 300 {
            let choices = Choice::list(&game);
            let text = serde_json::to_string(&LegalList(&game)).expect("plain data");
            assert_eq!(
                text,
                serde_json::to_string(&choices).expect("plain data"),
                "{variant} at ply {}",
                game.ply()
            );
            assert_eq!(serde_json::from_str::<Vec<Choice>>(&text).expect("readable"), choices);
            seen |= choices.iter().any(|choice| choice.captures.is_some());
            let Some(choice) = choices.get(number % choices.len().max(1)) else { break };
            let action = kingscross_engine::Action::parse(variant, &choice.mv).expect("of the legal list");
            game.act(&action).expect("of the legal list");
            number =
                number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407) >> 1;
        }
        assert!(seen, "{variant}: captures were seen");
    }
}
