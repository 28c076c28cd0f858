//! Actions to play, and actions to be refused.

use super::dice::Dice;
use crate::naive::{Naive, Variant, square_name};

/// An action that the rules allow: mostly a move, now and then a leave, an offer or a vote. Captures and promotions are
/// preferred a little, so that boards empty, and so are moves that leave the next player few answers.
pub(crate) fn choose(game: &Naive, legal: &[String], dice: &mut Dice) -> String {
    let active = game.active();
    if let Some((by, accepted)) = game.offer() {
        let voters: Vec<char> =
            active.iter().copied().filter(|letter| *letter != by && !accepted.contains(letter)).collect();
        if dice.percent(60) {
            let verb = dice.pick(&["accept", "accept", "decline"]);
            return format!("{verb}:{}", dice.pick(&voters));
        }
    } else if dice.percent(1) && active.contains(&game.turn().expect("a running game")) {
        return "offer".to_owned();
    }
    if dice.percent(if active.len() > 2 { 2 } else { 1 }) && dice.percent(60) {
        let verb = dice.pick(&["resign", "timeout", "leave"]);
        return format!("{verb}:{}", dice.pick(&active));
    }
    let sharp: Vec<String> =
        legal.iter().filter(|text| text.contains('=') || game.is_capture(text)).cloned().collect();
    if !sharp.is_empty() && dice.percent(20) {
        return dice.pick(&sharp);
    }
    if dice.percent(15) {
        return narrowest(game, legal, dice);
    }
    dice.pick(legal)
}

/// Of some legal actions the one after which most armies have fallen and the next player has least to choose from.
fn narrowest(game: &Naive, legal: &[String], dice: &mut Dice) -> String {
    let sample: Vec<String> = (0..legal.len().min(16)).map(|_| dice.pick(legal)).collect();
    sample
        .into_iter()
        .min_by_key(|action| {
            let mut next = game.clone();
            next.apply(action).expect("a legal action is accepted");
            (std::cmp::Reverse(next.fallen()), next.legal().len())
        })
        .expect("a running game has an action")
}

/// Texts to try in a position: most of them wrong in one way or another.
pub(crate) fn probes(variant: Variant, legal: &[String], dice: &mut Dice, count: usize) -> Vec<String> {
    let squares = variant.squares();
    (0..count)
        .map(|_| {
            let mut place = || square_name(dice.pick(&squares));
            let (from, to) = (place(), place());
            let letters = ["s", "w", "n", "e", "r", "b", "y", "g", "x", "S", "", "ww"];
            match dice.below(16) {
                0..=4 => format!("{from}-{to}"),
                5 => format!(
                    "{from}-{to}={}",
                    dice.pick(&["Q", "R", "B", "N", "A", "E", "H", "K", "P", "q", ""])
                ),
                6 => format!("random:{from}-{to}"),
                7 => dice
                    .pick(&[
                        "pass",
                        "random:pass",
                        "offer",
                        "random:",
                        "",
                        "-",
                        "resign",
                        "d2d4",
                        "a0-a1",
                        "a1-a1",
                    ])
                    .to_owned(),
                8 => {
                    let verb = dice.pick(&["resign", "timeout", "leave"]);
                    format!("{verb}:{}", dice.pick(&letters))
                }
                9 => format!("{}:{}", dice.pick(&["accept", "decline"]), dice.pick(&letters)),
                10 if !legal.is_empty() => format!("{}=Q", dice.pick(legal)),
                11 if !legal.is_empty() => dice.pick(legal).replace("random:", ""),
                12 if !legal.is_empty() => format!("random:{}", dice.pick(legal)),
                13 if !legal.is_empty() => {
                    let text = dice.pick(legal);
                    text.split('=').next().expect("a first part").to_owned()
                }
                14 if !legal.is_empty() => {
                    // A legal start to a random square: pins, blocked ways and squares in check.
                    let text = dice.pick(legal);
                    match text.split_once('-') {
                        Some((start, _)) => format!("{start}-{to}"),
                        None => text,
                    }
                }
                _ => dice
                    .pick(&[
                        "e2-e4", "o-o", "a1-b15", "n14-a1", "e7-e8=QQ", " pass", "Pass", "a01-a2", "é1-a1",
                    ])
                    .to_owned(),
            }
        })
        .collect()
}
