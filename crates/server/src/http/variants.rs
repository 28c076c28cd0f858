//! The variants: all that a client needs to know to draw them.

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use kingscross_engine::{Game, Seat, Variant};
use kingscross_protocol::{ArmyInfo, BoardMarks, ErrorBody, PieceInfo, SeatLetter, VariantInfo};

use super::{NoParams, Params};
use crate::app::App;
use crate::bots;
use crate::config::Tables;
use crate::ratings::Pool;

/// English names of pieces by letter. A variant takes its names from the first set that has all its letters.
const NAMES: [&[(char, &str)]; 2] = [
    &[('K', "king"), ('Q', "queen"), ('R', "rook"), ('B', "bishop"), ('N', "knight"), ('P', "pawn")],
    &[
        ('K', "general"),
        ('A', "advisor"),
        ('E', "elephant"),
        ('H', "horse"),
        ('R', "chariot"),
        ('P', "soldier"),
    ],
];

pub(super) fn router() -> Router<App> {
    Router::new().route("/variants", get(variants))
}

/// Every variant with its board, armies and pieces.
#[utoipa::path(get, path = "/api/v1/variants", tag = "games", responses(
    (status = 200, description = "the variants", body = Vec<VariantInfo>), (status = 400, body = ErrorBody)))]
pub(crate) async fn variants(State(app): State<App>, _: Params<NoParams>) -> Json<Vec<VariantInfo>> {
    Json(Variant::ALL.into_iter().map(|variant| info(variant, &app.config.tables)).collect())
}

/// What a client needs to know about a variant.
pub(crate) fn info(variant: Variant, tables: &Tables) -> VariantInfo {
    let rules = variant.rules();
    let game = Game::new(variant);
    let (width, height) = (rules.width(), rules.height());
    let names = (1..=height)
        .flat_map(|rank| (0..width).map(move |file| format!("{}{rank}", char::from(b'a' + file))));
    let mut letters: Vec<char> = Vec::new();
    for letter in rules.piece_letters() {
        if !letters.contains(&letter) {
            letters.push(letter);
        }
    }
    VariantInfo {
        variant,
        pool: Pool::of(variant).id().to_owned(),
        name: rules.name.to_owned(),
        width,
        height,
        holes: names.filter(|name| rules.square(name).is_none()).collect(),
        armies: rules
            .turn_order
            .iter()
            .map(|&seat| ArmyInfo {
                letter: SeatLetter(rules.letter(seat)),
                name: rules.army_name(seat).to_owned(),
                side: side(seat).to_owned(),
            })
            .collect(),
        pieces: letters
            .iter()
            .map(|&letter| PieceInfo { letter, name: piece_name(&letters, letter) })
            .collect(),
        marks: BoardMarks {
            // Boards with palaces are drawn as in xiangqi: lines, with the pieces on their crossings.
            on_lines: !rules.palaces.is_empty(),
            river: rules.river.map(|beyond| beyond - 1),
            palaces: rules.palaces.iter().map(|&(low, high)| (low.to_owned(), high.to_owned())).collect(),
        },
        points: rules.counts_points(),
        targets: game.armies().iter().any(|army| army.target.is_some()),
        levels: bots::levels(),
        max_spectator_delay: tables.max_spectator_delay_ms,
    }
}

fn side(seat: Seat) -> &'static str {
    match seat {
        Seat::South => "south",
        Seat::West => "west",
        Seat::North => "north",
        Seat::East => "east",
    }
}

fn piece_name(letters: &[char], letter: char) -> String {
    let find = |set: &[(char, &'static str)], letter| set.iter().find(|(known, _)| *known == letter).copied();
    let set = NAMES.into_iter().find(|set| letters.iter().all(|&letter| find(set, letter).is_some()));
    set.and_then(|set| find(set, letter)).map_or_else(|| letter.to_string(), |(_, name)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(variant: Variant) -> VariantInfo {
        super::info(variant, &crate::config::Config::defaults().tables)
    }

    #[test]
    fn every_variant_is_described_completely() {
        for variant in Variant::ALL {
            let info = info(variant);
            let squares = usize::from(info.width) * usize::from(info.height) - info.holes.len();
            assert_eq!(squares, variant.rules().squares().count(), "{variant}");
            assert!(info.pieces.iter().all(|piece| piece.name.len() > 1), "{variant}: {:?}", info.pieces);
            assert_eq!(info.armies.len(), variant.rules().turn_order.len());
            assert_eq!(info.pool.parse(), Ok(Pool::of(variant)));
            assert!(info.levels.len() > 1 && info.levels.iter().all(|level| bots::is_level(level)));
        }
        let (a, b) = (info(Variant::CrossA), info(Variant::CrossB));
        assert_eq!((a.marks.on_lines, a.marks.river), (false, Some(4)));
        assert_eq!((b.marks.on_lines, b.marks.palaces.len(), b.marks.river), (true, 2, None));
        assert!(info(Variant::Crossfire).targets && !info(Variant::Kingdoms).targets);
        assert!(info(Variant::Kingdoms).points && !info(Variant::Quaternity).points);
        assert_eq!(info(Variant::Crossfire).holes.len(), 36);
    }
}
