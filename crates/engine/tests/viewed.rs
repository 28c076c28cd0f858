//! Games of other programs as moves on a board: shown as they are written, judged by nobody.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::GzDecoder;
use kingscross_engine::notation::{Script, pgn4, view};
use kingscross_engine::{Game, Variant};
use serde_json::{Value, json};

fn shown(text: &str) -> view::View {
    view::pgn4(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn refusal(text: &str) -> String {
    match view::pgn4(text) {
        Ok(view) => panic!("{text} was shown: {:?}", view.notes),
        Err(error) => error.to_string(),
    }
}

/// The piece on a square at the end.
fn last<'a>(view: &'a view::View, square: &str) -> Option<&'a str> {
    view.moves.last().map_or(&view.start, |shown| &shown.pieces).get(square).map(String::as_str)
}

/// Written for this test in the dialect of four-player free-for-all: a start by its name, a queen of one point, castling,
/// a mate that is passed over in silence, and the king of whoever has resigned walking on.
const FREE_FOR_ALL: &str = "[Variant \"FFA\"]\n[RuleVariants \"DeadKingWalking EnPassant PromoteTo=D\"]\n\
    [StartFen4 \"4PC\"]\n[Red \"Ada\"]\n\n\
    1. h2-h3 .. b7-c7 .. g13-g12 .. m8-l8\n\
    2. Ne1-f3 .. Na10-c9 .. Ne14-f12 .. Nn10-l9\n\
    3. e2-e3 .. b9-d9 .. e13-e12 .. m9-k9\n\
    4. Bf1-e2 .. Ba9-b9 .. Bf14-e13 .. Bn9-m9\n\
    5. Nj1-k3 .. Qa8-b8 .. Nj14-k12 .. Qn7-m8\n\
    6. Bi1-h2 .. d9-e9 .. O-O .. Kn8-n7\n\
    7. O-O .. e9-f9 .. h13-h12 .. R\n\
    8. d2-d3 .. f9-g9 .. h12-h11 .. Kn7-n8R\n\
    9. d3-d4 .. g9-h9=D .. h11-h10 .. Kn8-n7\n\
    10. d4-d5 .. Qh9xh10 .. Rf14-g14+# .. T#\n\
    11. Kj1-i1 .. Rg14-g13\n\
    12. Ki1-j1 .. Kn7-n8";

#[test]
fn a_free_for_all_game_is_shown_word_by_word() {
    let view = shown(FREE_FOR_ALL);
    assert_eq!(view.start.len(), 64);
    assert_eq!((view.start["g1"].as_str(), view.start["a8"].as_str()), ("rQ", "bQ"));
    assert_eq!((view.start["h14"].as_str(), view.start["n7"].as_str()), ("yQ", "gQ"));
    let army = |at: usize| view.moves[at].army;
    assert_eq!(view.moves.len(), 44);
    // Castling: Yellow's king stands on g14, Red's on h1.
    assert_eq!(view.moves[22].moved, [("g14".into(), "e14".into()), ("d14".into(), "f14".into())]);
    assert_eq!(view.moves[24].moved, [("h1".into(), "j1".into()), ("k1".into(), "i1".into())]);
    // A leave moves nothing and belongs to whoever is next; the king walks on.
    assert_eq!((army(27), view.moves[27].moved.len()), ('g', 0));
    assert_eq!((army(31), view.moves[31].text.as_str()), ('g', "Kn7-n8R"));
    // The queen of one point is written as any queen.
    assert_eq!(view.moves[33].pieces["h9"], "bQ+");
    assert_eq!(view.moves[37].pieces["h10"], "bQ+");
    assert_eq!(view.moves[36].pieces.len() - 1, view.moves[37].pieces.len());
    // Who is passed over in silence is left out: Yellow moves after Red.
    assert_eq!((army(39), army(40), army(41), army(42), army(43)), ('g', 'r', 'y', 'r', 'g'));
    assert_eq!(last(&view, "n8"), Some("gK"));
    let document = view.document();
    assert_eq!(document["judged"], false);
    assert_eq!(document["moves"][0]["pieces"]["h3"], "rP");
    assert_eq!(document["tags"]["Red"], "Ada");
    // By the rules of a variant it is no game.
    assert!(pgn4::read(FREE_FOR_ALL, Variant::Crossfire).is_err());
}

#[test]
fn a_pawn_is_taken_in_passing_where_the_text_says_so() {
    let moves = "1. d2-d4 .. b5-d5 .. g13-g12 .. m10-l10\n2. d4xc5";
    let view = shown(&format!("[StartFen4 \"4PCo\"]\n{moves}"));
    assert_eq!((last(&view, "c5"), last(&view, "d5")), (Some("rP"), None));
    // Where nobody has passed, nothing is taken, and that is told.
    let view = shown("[StartFen4 \"4PC\"]\n1. d2xd4");
    assert_eq!(view.notes, ["what ply 1 takes: d4 is empty"]);
}

#[test]
fn the_words_show_the_start_where_no_tag_does() {
    for (name, moves) in [
        ("4PC", "1. h2-h3 .. b7-c7 .. g13-g12 .. m8-l8\n2. Qg1-i3 .. Qa8-c6 .. Qh14-g13 .. Qn7-m8"),
        ("4PCo", "1. h2-h3 .. b8-c8 .. g13-g12 .. m7-l7\n2. Qg1xQn8+ .. Qa7xQh14+"),
        ("4PCb", "1. Qg1-g3 .. Qa8-c8 .. Qg14-g12 .. Qn8-l8"),
        ("4PCn", "1. Qg1-g3 .. Qa8-c8 .. Qg14-g12 .. Qn7-l7"),
    ] {
        let view = shown(moves);
        assert_eq!(view.notes, [format!("the text names no start; its words agree with {name}")]);
        assert_eq!(shown(&format!("[StartFen4 \"{name}\"]\n{moves}")).start, view.start);
    }
    assert_eq!(refusal("1. Kg1-g3"), "ply 1: Kg1-g3: g1 has a red queen");
}

#[test]
fn only_what_the_text_itself_contradicts_is_refused() {
    let start = "[StartFen4 \"4PC\"]\n";
    for (moves, error) in [
        ("1. e5-e6", "ply 1: e5-e6: e5 is empty"),
        ("1. Nd2-d4", "ply 1: Nd2-d4: d2 has a red pawn"),
        ("1. Qg1xNb7", "ply 1: Qg1xNb7: b7 has a blue pawn"),
        ("1. Qg1xNe7", "ply 1: Qg1xNe7: e7 is empty"),
        ("1. d2-c1", "ply 1: d2-c1: the board has no square c1"),
        ("1. d2-d4=Z", "ply 1: d2-d4=Z: no piece is written Z"),
        ("1. hello", "ply 1: hello: no move, no R, T or S"),
        (
            "1. O-O",
            "ply 1: O-O: nobody can castle so: no king and rook stand as at the start with nothing between",
        ),
    ] {
        assert_eq!(refusal(&format!("{start}{moves}")), error);
    }
    // Nobody asks whether a pawn can go there.
    assert_eq!(last(&shown(&format!("{start}1. d2-h8")), "h8"), Some("rP"));
    assert!(refusal("[StartFen4 \"4PCx\"]\n1. d2-d4").contains("no start is called `4PCx`"));
    assert!(refusal("").contains("this is not a game"));
    assert!(refusal("[A \"b\"]\n\n1. d2-d4\n\n[A \"c\"]\n\n1. d2-d4").contains("2 games"));
    assert!(refusal(&format!("{start}{}", "R ".repeat(view::LONGEST + 1))).contains("more than 2000 words"));
    assert!(view::pgn4(&format!("{start}{}", "R ".repeat(view::LONGEST))).is_ok());
}

#[test]
fn a_position_is_shown_without_moves_and_our_own_games_with_theirs() {
    let fen = "Y-0,1,0,0-0,0,0,0-0,0,0,0-0,9,0,0-0-{'resigned':(false,true,false,false)}-\
        14/14/14/bK,13/14/14/14/14/14/dP,13/14/14/14/6,rD,7";
    let view = view::fen4(fen).expect("readable");
    assert_eq!(view.start.len(), 2);
    assert_eq!((last(&view, "a11"), last(&view, "g1")), (Some("bK"), Some("rQ+")));
    assert_eq!(view.notes, ["the dead P on a5, which has no colour"]);
    assert!(view::fen4(&fen.replace("bK", "bZ")).is_err());
    // The turn of a start is kept: the leave is Yellow's.
    let text = format!("[StartFen4 \"{fen}\"]\n1. R");
    assert_eq!(shown(&text).moves[0].army, 'y');

    for variant in [Variant::Crossfire, Variant::Kingdoms] {
        let script = Script { variant, start: None, tags: Vec::new(), actions: vec!["d2-d4".into()] };
        let view = shown(&pgn4::write(&script).expect("representable"));
        assert_eq!(last(&view, "d4"), Some("rP"), "{variant}");
        assert_eq!(view.start["b8"], if variant == Variant::Crossfire { "bP" } else { "gP" });
    }
}

// What our rules make of a game is what the words of its PGN4 show.
#[test]
fn every_recorded_game_is_shown_as_the_rules_play_it() {
    let path = format!("{}/tests/vectors/games.jsonl.gz", env!("CARGO_MANIFEST_DIR"));
    let mut text = String::new();
    let file = std::fs::File::open(path).expect("the vectors are carried in the tree");
    GzDecoder::new(file).read_to_string(&mut text).expect("gzipped text");
    let mut games = 0;
    for game in text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a JSON line")) {
        let letters = match game["variant"].as_str() {
            Some("crossfire") => "swne",
            Some("kingdoms") => "rbyg",
            _ => continue,
        };
        let variant: Variant = serde_json::from_value(game["variant"].clone()).expect("a variant");
        let start =
            (!game["start"].is_null()).then(|| Game::load(&game["start"]).expect("a start").document());
        let steps = game["steps"].as_array().expect("steps").iter();
        let actions = steps.map(|step| step["action"].as_str().expect("an action").to_owned()).collect();
        let script = Script { variant, start, tags: Vec::new(), actions };
        let written = pgn4::write(&script).expect("representable");
        let view = shown(&written);
        let end = script.replay().expect("recorded games replay").document();
        let pieces: BTreeMap<String, Value> = end["pieces"]
            .as_object()
            .expect("pieces")
            .iter()
            .map(|(square, piece)| {
                let (army, kind) = piece.as_str().expect("a piece").split_at(1);
                let colour = "rbyg".as_bytes()[letters.find(army).expect("an army")];
                (square.clone(), json!(format!("{}{kind}", char::from(colour))))
            })
            .collect();
        let end = view.moves.last().map_or(&view.start, |shown| &shown.pieces);
        assert_eq!(json!(end), json!(pieces), "{written}");
        games += 1;
    }
    assert_eq!(games, 28);
}
