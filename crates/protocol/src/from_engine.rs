//! From the engine's types to those of the wire.

use std::fmt::Display;

use kingscross_engine::{self as engine, Game, Rules, Seat, Square};
use serde::{Serialize, Serializer};

use crate::{ArmyView, BoardChange, BoardView, Choice, Effect, Ending, SeatLetter};

/// What of a board must be known from before an action, to tell afterwards how it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardBefore {
    armies: Vec<engine::ArmyView>,
}

impl BoardView {
    /// The whole board of a game.
    pub fn of(game: &Game) -> Self {
        let document = game.document();
        Self {
            pieces: game
                .pieces()
                .map(|(square, piece)| (square.to_string(), game.piece_text(piece).to_owned()))
                .collect(),
            armies: army_views(game.rules(), game.armies()),
            turn: game.turn().map(|seat| letter(game.rules(), seat)),
            ply: game.ply(),
            checks: squares(&game.checks()),
            phase: document.get("phase").and_then(|phase| phase.as_str()).map(str::to_owned),
        }
    }
}

impl Ending {
    /// How a game ended by its rules; none while it goes on.
    pub fn of(game: &Game) -> Option<Self> {
        let outcome = game.outcome()?;
        let letters =
            |seats: &[Seat]| seats.iter().map(|&seat| letter(game.rules(), seat)).collect::<Vec<_>>();
        let points = game.armies().into_iter().map(|army| {
            let points = army.result_points.or(army.points)?;
            Some((letter(game.rules(), army.seat), points))
        });
        Some(Self {
            reason: outcome.reason.word().to_owned(),
            winners: letters(&outcome.winners),
            placements: outcome.placements.iter().map(|group| letters(group)).collect(),
            points: points.collect(),
        })
    }
}

impl BoardChange {
    /// To be taken before an action is played.
    pub fn before(game: &Game) -> BoardBefore {
        BoardBefore { armies: game.armies() }
    }

    /// How an action changed the board.
    pub fn of(before: &BoardBefore, game: &Game, played: &engine::Played) -> Self {
        let rules = game.rules();
        let now = game.armies();
        let is_ultimatum = played.effects.iter().any(|effect| matches!(effect, engine::Effect::Ultimatum));
        Self {
            moved: played.moved.iter().map(|(from, to)| (from.to_string(), to.to_string())).collect(),
            set: played
                .set
                .iter()
                .map(|(square, piece)| {
                    (square.to_string(), piece.map(|piece| game.piece_text(piece).to_owned()))
                })
                .collect(),
            armies: (now != before.armies).then(|| army_views(rules, now)),
            turn: game.turn().map(|seat| letter(rules, seat)),
            ply: game.ply(),
            checks: squares(&game.checks()),
            phase: is_ultimatum.then(|| "ultimatum".to_owned()),
            effects: played.effects.iter().filter_map(|effect| effect_view(rules, effect)).collect(),
        }
    }
}

impl Choice {
    /// The legal list of the player on turn.
    pub fn list(game: &Game) -> Vec<Self> {
        let variant = game.variant();
        game.choices()
            .into_iter()
            .map(|choice| Self {
                mv: choice.action.text(variant),
                captures: choice.captures.map(|square| square.to_string()),
                rook: choice.rook.map(|(from, to)| (from.to_string(), to.to_string())),
            })
            .collect()
    }
}

/// The legal list of the player on turn, for writing only: the JSON of [`Choice::list`] without its strings, since
/// this is the longest part of what a move makes the server say.
#[derive(Clone, Copy, Debug)]
pub struct LegalList<'a>(pub &'a Game);

impl Serialize for LegalList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Line<M: Display> {
            #[serde(serialize_with = "text")]
            mv: M,
            #[serde(skip_serializing_if = "Option::is_none")]
            captures: Option<Square>,
            #[serde(skip_serializing_if = "Option::is_none")]
            rook: Option<(Square, Square)>,
        }
        let variant = self.0.variant();
        serializer.collect_seq(self.0.choices().iter().map(|choice| Line {
            mv: choice.action.display(variant),
            captures: choice.captures,
            rook: choice.rook,
        }))
    }
}

fn text<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

pub(crate) fn letter(rules: &Rules, seat: Seat) -> SeatLetter {
    SeatLetter(rules.letter(seat))
}

fn squares(list: &[engine::Square]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

fn army_views(rules: &Rules, armies: Vec<engine::ArmyView>) -> Vec<ArmyView> {
    armies
        .into_iter()
        .map(|army| ArmyView {
            army: letter(rules, army.seat),
            status: army.status.to_owned(),
            controller: letter(rules, army.controller),
            points: army.points,
            result_points: army.result_points,
            target: army.target.map(|seat| letter(rules, seat)),
        })
        .collect()
}

/// Offers, votes and the end are events of their own; a capture in passing is a capture.
fn effect_view(rules: &Rules, effect: &engine::Effect) -> Option<Effect> {
    let seat = |seat: Seat| letter(rules, seat);
    let piece = |army: Seat, piece: char| format!("{}{piece}", rules.letter(army));
    let counted = |points: u32| rules.counts_points().then_some(points);
    Some(match effect {
        engine::Effect::Captured { by, army, piece: taken, square, points } => Effect::Captured {
            by: seat(*by),
            army: seat(*army),
            piece: piece(*army, *taken),
            square: square.to_string(),
            points: counted(*points),
        },
        engine::Effect::Castled { army, .. } => Effect::Castled { army: seat(*army) },
        engine::Effect::Promoted { army, piece: new, square } => {
            Effect::Promoted { army: seat(*army), piece: piece(*army, *new), square: square.to_string() }
        }
        engine::Effect::Fell { army, cause, credited, checkers, points } => Effect::Fell {
            army: seat(*army),
            cause: match cause {
                engine::Cause::Mated => "mated",
                engine::Cause::Captured => "captured",
                engine::Cause::Stalemated => "stalemated",
            }
            .to_owned(),
            credited: credited.map(seat),
            checkers: squares(checkers),
            points: counted(*points),
        },
        engine::Effect::Left { seat: who, how, status } => Effect::Left {
            seat: seat(*who),
            how: match how {
                engine::How::Resigned => "resigned",
                engine::How::TimedOut => "timed_out",
                engine::How::Absent => "absent",
            }
            .to_owned(),
            status: status.word().to_owned(),
        },
        engine::Effect::Transferred { army, from, to } => {
            Effect::Transferred { army: seat(*army), from: seat(*from), to: seat(*to) }
        }
        engine::Effect::Eliminated { seat: who } => Effect::Eliminated { seat: seat(*who) },
        engine::Effect::Ultimatum => Effect::Ultimatum,
        engine::Effect::Passed { seat: who, .. } => Effect::Passed { seat: seat(*who) },
        engine::Effect::Points { seat: who, amount, why } => Effect::Points {
            seat: seat(*who),
            amount: *amount,
            why: match why {
                engine::Why::Stalemated => "stalemate",
                engine::Why::KingsStanding => "last_standing",
            }
            .to_owned(),
        },
        engine::Effect::EnPassant { .. }
        | engine::Effect::Offered { .. }
        | engine::Effect::Accepted { .. }
        | engine::Effect::Declined { .. }
        | engine::Effect::Ended { .. } => return None,
    })
}
