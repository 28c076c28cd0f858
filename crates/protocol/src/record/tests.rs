//! Records that hold, and forged ones.

use kingscross_engine::{Action, Game, Variant};

use super::*;
use crate::{Ending, GameId, GameStatus, Played, Player, ProposalId, Seq, TimeControl, Timestamp};

fn record() -> GameRecord {
    let player = |letter| Player {
        seat: SeatLetter(letter),
        user: UserId::fresh(),
        name: format!("player {letter}"),
        bot: None,
        rating: None,
        provisional: false,
    };
    let setup = Setup {
        variant: Variant::CrossA,
        rules: kingscross_engine::RULES_VERSION,
        time: TimeControl::increment(300_000, 3000),
        rated: false,
        players: vec![player('w'), player('b')],
        free_chat: false,
        spectator_delay: 0,
        rematch_of: None,
        other_game: None,
        other_game_follows: false,
    };
    let played = |seat, action: &str, ply| {
        Event::Played(Played {
            seat: SeatLetter(seat),
            action: action.to_owned(),
            ply,
            by_server: false,
            spent: 1000,
            refund: 0,
            clock: if action.contains(':') { 301_000 } else { 302_000 },
        })
    };
    let ending = Ending {
        reason: "resignation".into(),
        winners: vec![SeatLetter('b')],
        placements: vec![vec![SeatLetter('b')], vec![SeatLetter('w')]],
        points: None,
    };
    let proposal = ProposalId::fresh();
    let events = [
        Event::Created(setup.clone()),
        played('w', "a2-a3", 0),
        Event::Proposed {
            proposal,
            what: ProposalKind::Draw,
            by: SeatLetter('b'),
            electorate: vec![SeatLetter('w')],
        },
        Event::Voted { proposal, by: SeatLetter('w'), accept: false },
        played('b', "a7-a6", 1),
        played('w', "resign:w", 2),
        Event::Finished(ending.clone()),
    ];
    let mut game = Game::new(Variant::CrossA);
    let mut draw_is_open = false;
    let entries = events.into_iter().enumerate().map(|(i, event)| {
        if let Some(text) = action(&event, &mut draw_is_open) {
            let action = Action::parse(Variant::CrossA, &text).expect("an action");
            game.act(&action).expect("legal");
        }
        HistoryEntry {
            seq: Seq(i as u32 + 1),
            at: Timestamp(1000 * i as i64),
            hash: game.hash().to_string(),
            event,
            change: None,
        }
    });
    GameRecord {
        record: RECORD_VERSION,
        events: entries.collect(),
        summary: GameSummary {
            game: GameId::fresh(),
            variant: Variant::CrossA,
            status: GameStatus::Finished,
            time: setup.time,
            rated: false,
            players: setup.players.clone(),
            created: Timestamp(0),
            ended: Some(Timestamp(6000)),
            plies: Some(2),
            ending: Some(ending),
        },
        setup,
        ratings: Vec::new(),
    }
}

#[test]
fn a_record_survives_its_own_text() {
    let record = record();
    let text = serde_json::to_string(&record).expect("writable");
    assert_eq!(GameRecord::read(&text), Ok(record.clone()));
    assert_eq!(record.script().actions, ["a2-a3", "offer", "decline:w", "a7-a6", "resign:w"]);
}

#[test]
fn what_replaying_does_not_prove_is_refused() {
    let mut forged = record();
    forged.events[4].hash = "0000000000000000".into();
    assert!(matches!(forged.check(), Err(BadGameRecord::Hash { seq: 5, .. })));

    let mut illegal = record();
    if let Event::Played(played) = &mut illegal.events[1].event {
        played.action = "a2-a5".into();
    }
    assert!(matches!(illegal.check(), Err(BadGameRecord::Refused { seq: 2, .. })));

    let mut gap = record();
    gap.events.remove(1);
    assert_eq!(gap.check().expect_err("a gap"), BadGameRecord::Order { seq: 2 });

    let mut ending = record();
    if let Event::Finished(told) = &mut ending.events[6].event {
        told.reason = "checkmate".into();
    }
    assert_eq!(ending.check().expect_err("forged"), BadGameRecord::Ending("reason"));

    type Forge = fn(&mut Ending);
    let forgeries: [(&str, Forge); 3] = [
        ("winners", |ending| ending.winners = vec![SeatLetter('w')]),
        ("placements", |ending| ending.placements.reverse()),
        ("points", |ending| ending.points = Some(vec![(SeatLetter('w'), 3), (SeatLetter('b'), 0)])),
    ];
    for (part, forge) in forgeries {
        let mut ending = record();
        if let Event::Finished(told) = &mut ending.events[6].event {
            forge(told);
        }
        assert_eq!(ending.check().expect_err("forged"), BadGameRecord::Ending(part));
        let mut shown = record();
        forge(shown.summary.ending.as_mut().expect("an ending"));
        assert_eq!(shown.check().expect_err("forged"), BadGameRecord::Summary(part));
    }
    type Misstate = fn(&mut GameSummary);
    let summaries: [(&str, Misstate); 4] = [
        ("status", |summary| summary.status = GameStatus::Running),
        ("length", |summary| summary.plies = Some(3)),
        ("rating", |summary| summary.rated = true),
        ("ending", |summary| summary.ending = None),
    ];
    for (part, forge) in summaries {
        let mut shown = record();
        forge(&mut shown.summary);
        assert_eq!(shown.check().expect_err("forged"), BadGameRecord::Summary(part));
    }

    let newer = GameRecord { record: 2, ..record() };
    assert_eq!(newer.check().expect_err("newer"), BadGameRecord::Version(2));
    assert!(matches!(GameRecord::read("{}"), Err(BadGameRecord::Shape(_))));
}

/// The error of a record with one change.
fn forged(forge: impl FnOnce(&mut GameRecord)) -> BadGameRecord {
    let mut forged = record();
    forge(&mut forged);
    forged.check().expect_err("forged")
}

fn played(record: &mut GameRecord) -> &mut Played {
    match &mut record.events[4].event {
        Event::Played(played) => played,
        other => panic!("{other:?}"),
    }
}

fn set_setup(record: &mut GameRecord, change: impl Fn(&mut Setup)) {
    change(&mut record.setup);
    record.events[0].event = Event::Created(record.setup.clone());
    record.summary.players.clone_from(&record.setup.players);
}

#[test]
fn who_played_and_when_is_proven() {
    let event = |what: &str| BadGameRecord::Event { seq: 5, what: what.to_owned() };
    assert_eq!(forged(|r| played(r).seat = SeatLetter('w')), event("its seat is not the one that acts"));
    assert_eq!(forged(|r| played(r).ply = 2), event("its ply is not that of the board"));
    assert_eq!(forged(|r| played(r).spent = 0), event("the clock shows 302000 ms, not 303000 ms"));
    assert_eq!(forged(|r| played(r).clock = 1), event("the clock shows 1 ms, not 302000 ms"));
    assert_eq!(forged(|r| r.events[4].at = Timestamp(1)), event("it is earlier than the event before it"));
    assert_eq!(forged(|r| r.summary.created = Timestamp(-1)), BadGameRecord::Summary("beginning"));
    assert_eq!(forged(|r| r.summary.ended = None), BadGameRecord::Summary("end"));
    assert_eq!(forged(|r| r.summary.ended = Some(Timestamp(9))), BadGameRecord::Summary("end"));
}

#[test]
fn who_sat_where_by_which_rules_is_proven() {
    assert_eq!(forged(|r| set_setup(r, |setup| setup.rules = 99)), BadGameRecord::Rules(99));
    for change in [
        |setup: &mut Setup| setup.players.clear(),
        |setup: &mut Setup| setup.players.reverse(),
        |setup: &mut Setup| setup.players[1].seat = SeatLetter('z'),
        |setup: &mut Setup| setup.players[1].seat = SeatLetter('w'),
        |setup: &mut Setup| setup.players.push(setup.players[0].clone()),
    ] {
        assert_eq!(forged(|r| set_setup(r, change)), BadGameRecord::Seats);
    }
    let step = |record: &GameRecord, seat: char| RatingStep {
        seat: SeatLetter(seat),
        user: record.setup.players[0].user,
        before: 150_000,
        after: 151_000,
        deviation_before: 35_000,
        deviation_after: 30_000,
    };
    assert_eq!(forged(|r| r.ratings = vec![step(r, 'w')]), BadGameRecord::Ratings);
    let rated = |r: &mut GameRecord, seats: &[char]| {
        set_setup(r, |setup| setup.rated = true);
        r.summary.rated = true;
        r.ratings = seats.iter().map(|&seat| step(r, seat)).collect();
    };
    for seats in [&['b'][..], &['z'], &['w', 'w']] {
        assert_eq!(forged(|r| rated(r, seats)), BadGameRecord::Ratings);
    }
    let mut right = record();
    rated(&mut right, &['w']);
    assert!(right.check().is_ok());
}

#[test]
fn a_game_ends_once() {
    let unfinished = |r: &mut GameRecord| {
        r.events.pop();
        r.summary.status = GameStatus::Running;
        (r.summary.ended, r.summary.plies, r.summary.ending) = (None, None, None);
    };
    assert_eq!(forged(unfinished), BadGameRecord::Order { seq: 7 });
    let again = |event: Event| {
        move |r: &mut GameRecord| {
            let last = r.events[6].clone();
            r.events.push(HistoryEntry { seq: Seq(8), event, ..last });
        }
    };
    let finished = record().events[6].event.clone();
    assert_eq!(forged(again(finished)), BadGameRecord::Order { seq: 8 });
    let aborted = Event::Aborted { cause: crate::AbortCause::Agreement };
    assert_eq!(forged(again(aborted)), BadGameRecord::Order { seq: 8 });
}
