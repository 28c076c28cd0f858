//! A view of a game follows the events, and sees when they contradict each other. Plays the protocol's own examples.

use kingscross_client::{Applied, GameView, Inconsistent};
use kingscross_protocol::{Event, EventMessage, Request, SeatLetter, Seq, ServerMessage, Snapshot};

fn snapshot() -> Snapshot {
    let text = include_str!("../../protocol/examples/server.snapshot.json");
    let all: Vec<ServerMessage> = serde_json::from_str(text).expect("examples");
    match all.into_iter().next() {
        Some(ServerMessage::Snapshot(snapshot)) => *snapshot,
        other => panic!("{other:?}"),
    }
}

fn view() -> GameView {
    GameView::new(snapshot()).expect("consistent")
}

/// The first example of the event with this seq.
fn event(seq: u32) -> EventMessage {
    let text = include_str!("../../protocol/examples/server.event.json");
    let all: Vec<ServerMessage> = serde_json::from_str(text).expect("examples");
    let mut events = all.into_iter().map(|message| match message {
        ServerMessage::Event(event) => *event,
        other => panic!("{other:?}"),
    });
    events.find(|event| event.seq == Seq(seq)).expect("an example with this seq")
}

fn event_message(event: &EventMessage) -> ServerMessage {
    ServerMessage::Event(Box::new(event.clone()))
}

#[test]
fn events_bring_the_view_up_to_date() {
    let mut view = view();
    assert!(view.is_my_turn());
    assert_eq!(view.apply(&event_message(&event(2))), Ok(Applied::Yes));
    assert_eq!((view.seq, view.board.ply, view.board.turn), (Seq(2), 1, Some(SeatLetter('w'))));
    assert_eq!(view.board.pieces.get("e4").map(String::as_str), Some("sP"));
    assert_eq!(view.board.pieces.get("e2"), None);
    assert_eq!(view.hash, event(2).hash);
    assert!(!view.is_my_turn());
}

#[test]
fn proposals_and_votes_are_followed() {
    let mut view = view();
    for seq in 2..=4 {
        assert_eq!(view.apply(&event_message(&event(seq))), Ok(Applied::Yes));
    }
    let proposal = view.proposal.as_ref().expect("open");
    assert_eq!(proposal.accepted, [SeatLetter('s')]);
    assert_eq!(view.apply(&event_message(&event(5))), Ok(Applied::Yes));
    assert_eq!(view.proposal, None);
}

#[test]
fn a_gap_changes_nothing_and_is_asked_for() {
    let mut view = view();
    assert_eq!(view.apply(&event_message(&event(3))), Ok(Applied::Gap));
    assert_eq!(view, self::view());
    assert_eq!(view.rewatch(), Request::Watch { game: view.game, after: Some(Seq(1)) });
}

#[test]
fn a_known_event_changes_nothing_unless_it_has_another_hash() {
    let mut view = view();
    view.apply(&event_message(&event(2))).expect("consistent");
    let before = view.clone();
    assert_eq!(view.apply(&event_message(&event(2))), Ok(Applied::No));
    assert_eq!(view, before);
    let mut other = event(2);
    other.hash = "ffffffffffffffff".to_owned();
    assert!(matches!(view.apply(&event_message(&other)), Err(Inconsistent::TwoHashes { .. })));
}

#[test]
fn an_older_snapshot_does_not_turn_back_the_view() {
    let mut view = view();
    view.apply(&event_message(&event(2))).expect("consistent");
    assert_eq!(view.apply(&ServerMessage::Snapshot(Box::new(snapshot()))), Ok(Applied::No));
    assert_eq!(view.seq, Seq(2));
}

#[test]
fn time_that_no_event_accounts_for_is_seen() {
    let mut richer = event(2);
    let Event::Played(played) = &mut richer.event else { panic!("{richer:?}") };
    // 300,000 at the start, 4,210 spent, 40 refunded, 3,000 added.
    assert_eq!(played.clock, 298_830);
    played.clock += 1;
    assert!(matches!(
        view().apply(&event_message(&richer)),
        Err(Inconsistent::TimeGained { most: 298_830, .. })
    ));

    let mut shown = snapshot();
    shown.clocks.remaining[3].1 += 1;
    assert!(matches!(GameView::new(shown), Err(Inconsistent::TimeGained { most: 300_000, .. })));
}

#[test]
fn a_move_at_another_ply_or_from_an_empty_square_is_seen() {
    let mut late = event(2);
    let Event::Played(played) = &mut late.event else { panic!("{late:?}") };
    played.ply = 4;
    assert!(matches!(
        view().apply(&event_message(&late)),
        Err(Inconsistent::WrongPly { named: 4, board: 0, .. })
    ));

    let mut jump = event(2);
    jump.change.as_mut().expect("a change").ply = 3;
    assert!(matches!(
        view().apply(&event_message(&jump)),
        Err(Inconsistent::PlyJumped { from: 0, to: 3, .. })
    ));

    let mut ghost = event(2);
    ghost.change.as_mut().expect("a change").moved[0].0 = "e5".to_owned();
    assert!(matches!(view().apply(&event_message(&ghost)), Err(Inconsistent::NoPiece { .. })));
}

#[test]
fn nothing_is_played_after_the_end() {
    let mut view = view();
    let mut end = event(81);
    end.seq = Seq(2);
    assert_eq!(view.apply(&event_message(&end)), Ok(Applied::Yes));
    assert!(view.is_over());
    let mut late = event(2);
    late.seq = Seq(3);
    assert_eq!(view.apply(&event_message(&late)), Err(Inconsistent::AfterTheEnd(Seq(3))));
}

#[test]
fn a_hash_must_look_like_one() {
    let mut odd = event(2);
    odd.hash = "none".to_owned();
    assert!(matches!(view().apply(&event_message(&odd)), Err(Inconsistent::BadHash(Seq(2), _))));
}
