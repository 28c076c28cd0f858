//! Stories of the pure table: given events, when a command comes, then events or a refusal.

use std::sync::Arc;

use kingscross_engine::{RULES_VERSION, Seat, Variant};
use kingscross_protocol::{
    AbortCause, ErrorCode, Event, OutageCause, Played, Player, ProposalId, ProposalKind, SeatLetter, Setup,
    TimeControl, Timestamp, UserId,
};

use super::command::{Command, Moment, Who};
use super::core::{Core, Seed, Stage, Terms};

const T0: Timestamp = Timestamp(1_000_000);

struct Table {
    core: Core,
    now: Timestamp,
    lag: u32,
}

impl Table {
    fn of(variant: Variant, time: TimeControl, rated: bool) -> Self {
        let rules = variant.rules();
        let player = |&seat: &Seat| Player {
            seat: SeatLetter(rules.letter(seat)),
            user: UserId::fresh(),
            name: "x".into(),
            bot: None,
            rating: None,
            provisional: false,
        };
        let setup = Setup {
            variant,
            rules: RULES_VERSION,
            time,
            rated,
            players: rules.turn_order.iter().map(player).collect(),
            free_chat: false,
            spectator_delay: 0,
            rematch_of: None,
            other_game: None,
            other_game_follows: false,
        };
        let terms = Arc::new(Terms::defaults());
        let mut core = Core::new(terms, Arc::new(setup), Seed([7; 32]), T0);
        for &seat in rules.turn_order {
            core.attendance.connected(seat, true, T0);
        }
        Self { core, now: T0, lag: 0 }
    }

    /// Crossfire with a minute for each and nothing added.
    fn crossfire() -> Self {
        Self::of(Variant::Crossfire, TimeControl::increment(60_000, 0), false)
    }

    fn after(mut self, millis: i64) -> Self {
        self.now = self.now.plus(millis);
        self
    }

    fn decide(&self, who: Who, command: &Command) -> Result<Vec<Event>, ErrorCode> {
        let moment = Moment { now: self.now, lag: self.lag };
        let decision = self.core.decide(moment, who, command).map_err(|error| error.code())?;
        Ok(decision.steps.into_iter().map(|step| step.event).collect())
    }

    /// Decides and applies; the events applied one by one lead where the decision said.
    #[track_caller]
    fn does(mut self, who: Who, command: &Command) -> (Self, Vec<Event>) {
        let moment = Moment { now: self.now, lag: self.lag };
        let decision = self.core.decide(moment, who, command).unwrap_or_else(|error| panic!("{error:?}"));
        for step in &decision.steps {
            self.core.apply(self.now, &step.event).expect("what was decided can be applied");
            assert_eq!(self.core.hash(), step.hash);
        }
        assert_eq!(self.core.seq(), decision.after.seq());
        assert_eq!(self.core.clocks, decision.after.clocks);
        assert_eq!(self.core.stage, decision.after.stage);
        let events = decision.steps.into_iter().map(|step| step.event).collect();
        (self, events)
    }

    /// Plays moves, each a second after the one before.
    #[track_caller]
    fn played(mut self, moves: &[&str]) -> Self {
        for mv in moves {
            let (seat, ply) = (self.core.game().turn().expect("running"), self.core.game().ply());
            let command = Command::Move { ply, mv: (*mv).to_owned() };
            self = self.after(1_000).does(Who::Player(seat), &command).0;
        }
        self
    }

    fn remaining(&self, letter: char) -> i64 {
        self.core.clocks.remaining(self.seat(letter))
    }

    fn seat(&self, letter: char) -> Seat {
        self.core.rules().seat(letter).expect("a seat")
    }
}

const ROUND: [&str; 4] = ["d2-d4", "b11-c11", "d13-d11", "m11-l11"];

fn mv(ply: u32, mv: &str) -> Command {
    Command::Move { ply, mv: mv.to_owned() }
}

fn player(seat: Seat) -> Who {
    Who::Player(seat)
}

fn action(event: &Event) -> &str {
    match event {
        Event::Played(played) => &played.action,
        other => panic!("{other:?} is no action"),
    }
}

#[test]
fn a_move_costs_its_time_and_passes_the_turn() {
    let (table, events) = Table::crossfire().after(2_500).does(player(Seat::South), &mv(0, "d2-d4"));
    let wanted = Played {
        seat: SeatLetter('s'),
        action: "d2-d4".into(),
        ply: 0,
        by_server: false,
        spent: 2_500,
        refund: 0,
        clock: 57_500,
    };
    assert_eq!(events, [Event::Played(wanted)]);
    assert_eq!(table.core.clocks.running(), Some(Seat::West));
}

#[test]
fn a_move_of_another_ply_or_player_changes_nothing() {
    let table = Table::crossfire().played(&["d2-d4"]);
    assert_eq!(table.decide(player(Seat::South), &mv(0, "e2-e4")), Err(ErrorCode::Stale));
    assert_eq!(table.decide(player(Seat::South), &mv(1, "e2-e4")), Err(ErrorCode::NotYourTurn));
    assert_eq!(table.decide(player(Seat::West), &mv(1, "zz")), Err(ErrorCode::BadAction));
    assert_eq!(table.decide(player(Seat::West), &mv(1, "resign:s")), Err(ErrorCode::BadAction));
    assert_eq!(table.decide(player(Seat::West), &mv(1, "pass")), Err(ErrorCode::IllegalMove));
    assert_eq!(table.decide(Who::Server, &mv(1, "b11-c11")), Err(ErrorCode::NotAPlayer));
    assert_eq!(
        table.decide(player(Seat::West), &Command::Abort(AbortCause::Admin)),
        Err(ErrorCode::Forbidden)
    );
}

#[test]
fn a_late_move_flags_itself_and_the_next_clock_runs() {
    let table = Table::crossfire().played(&ROUND).after(59_000);
    let decision = table
        .core
        .decide(Moment { now: table.now, lag: 0 }, player(Seat::South), &mv(4, "e2-e4"))
        .expect("decided");
    assert!(!decision.is_carried_out, "the move is to be decided again on what follows");
    assert_eq!(action(&decision.steps[0].event), "timeout:s");
    let Event::Played(flag) = &decision.steps[0].event else { unreachable!() };
    assert_eq!((flag.clock, flag.by_server, flag.seat), (0, true, SeatLetter('s')));
    assert_eq!(action(&decision.steps[1].event), "pass", "an abandoned army passes, by the server");
    assert_eq!(decision.after.clocks.running(), Some(Seat::West));
    assert_eq!(decision.after.clocks.remaining(Seat::West), 59_000);
}

#[test]
fn one_millisecond_earlier_the_move_is_in_time() {
    let table = Table::crossfire().played(&ROUND).after(58_999);
    let events = table.decide(player(Seat::South), &mv(4, "e2-e4")).expect("in time");
    let Event::Played(played) = &events[0] else { unreachable!() };
    assert_eq!((played.action.as_str(), played.clock), ("e2-e4", 1));
}

#[test]
fn the_flag_waits_for_the_measured_lag_and_the_refund_is_in_the_record() {
    let mut table = Table::crossfire().played(&ROUND).after(59_080);
    table.lag = 100;
    let events = table.decide(player(Seat::South), &mv(4, "e2-e4")).expect("in time thanks to the refund");
    let Event::Played(played) = &events[0] else { unreachable!() };
    assert_eq!((played.spent, played.refund, played.clock), (59_080, 100, 20));
    let table = table.after(20);
    assert_eq!(action(&table.decide(Who::Server, &Command::Tick).expect("due")[0]), "timeout:s");
    assert_eq!(table.core.deadline(100), Some(table.now));
}

#[test]
fn who_does_not_begin_ends_the_game_without_a_result() {
    let table = Table::crossfire().played(&["d2-d4"]);
    assert_eq!(table.decide(Who::Server, &Command::Tick), Ok(vec![]));
    let (table, events) = table.after(30_000).does(Who::Server, &Command::Tick);
    assert_eq!(events, [Event::Aborted { cause: AbortCause::FirstMove }]);
    assert_eq!(table.core.deadline(0), None);
    assert_eq!(table.decide(player(Seat::West), &mv(1, "b11-c11")), Err(ErrorCode::GameOver));
}

#[test]
fn all_flags_fall_by_themselves_until_one_player_is_left() {
    let mut table = Table::crossfire().played(&ROUND);
    let mut flagged = Vec::new();
    while table.core.is_running() {
        let at = table.core.deadline(0).expect("a clock runs");
        table.now = at;
        let (after, events) = table.does(Who::Server, &Command::Tick);
        flagged.extend(events.iter().filter_map(|event| match event {
            Event::Played(played) if played.action.starts_with("timeout") => Some(played.action.clone()),
            _ => None,
        }));
        table = after;
    }
    assert_eq!(flagged, ["timeout:s", "timeout:w", "timeout:n"]);
    let Stage::Finished(ending) = table.core.stage() else { panic!("a result") };
    assert_eq!(
        (ending.reason.as_str(), ending.winners.as_slice()),
        ("last_standing", &[SeatLetter('e')][..])
    );
}

#[test]
fn the_absent_are_judged_by_the_rules_after_their_grace() {
    let mut table = Table::crossfire().played(&ROUND);
    table.core.attendance.connected(Seat::North, false, table.now);
    let table = table.after(29_999);
    assert_eq!(table.decide(Who::Server, &Command::Tick), Ok(vec![]));
    let (table, events) = table.after(1).does(Who::Server, &Command::Tick);
    assert_eq!(action(&events[0]), "leave:n");
    assert_eq!(table.core.clocks.running(), Some(Seat::South), "the turn is not touched");
    assert_eq!(table.core.clocks.reading(Seat::South, table.now), 29_000);
}

#[test]
fn leaving_on_purpose_is_written_down_and_coming_back_too() {
    let table = Table::crossfire().played(&ROUND);
    let (table, events) = table.does(player(Seat::West), &Command::Depart);
    assert_eq!(events, [Event::Departed { seat: SeatLetter('w') }]);
    assert_eq!(table.decide(player(Seat::West), &Command::Depart), Ok(vec![]));
    assert_eq!(table.core.deadline(0), Some(table.now.plus(10_000)));
    let (table, events) = table.after(9_999).does(player(Seat::West), &Command::Return);
    assert_eq!(events, [Event::Returned { seat: SeatLetter('w') }]);
    assert_eq!(table.after(60).decide(Who::Server, &Command::Tick), Ok(vec![]));
}

#[test]
fn an_outage_is_charged_to_nobody() {
    let table = Table::crossfire().played(&ROUND).after(300_000);
    let outage = Command::Outage { millis: 299_000, cause: OutageCause::Storage };
    let (table, events) = table.does(Who::Server, &outage);
    assert_eq!(events, [Event::Outage { millis: 299_000, cause: OutageCause::Storage }]);
    let events = table.after(1_000).decide(player(Seat::South), &mv(4, "e2-e4")).expect("in time");
    let Event::Played(played) = &events[0] else { unreachable!() };
    assert_eq!((played.spent, played.clock), (2_000, 57_000));
}

fn propose(what: ProposalKind) -> (ProposalId, Command) {
    let proposal = ProposalId::fresh();
    (proposal, Command::Propose { proposal, what })
}

#[test]
fn a_draw_needs_everyone_and_is_offered_on_turn() {
    let table = Table::crossfire().played(&ROUND);
    let (proposal, offer) = propose(ProposalKind::Draw);
    assert_eq!(table.decide(player(Seat::West), &offer), Err(ErrorCode::NotYourTurn));
    let (mut table, _) = table.does(player(Seat::South), &offer);
    let vote = Command::Vote { proposal, accept: true };
    assert_eq!(table.decide(player(Seat::South), &vote), Err(ErrorCode::IllegalMove));
    for seat in [Seat::East, Seat::West] {
        let (after, events) = table.does(player(seat), &vote);
        assert_eq!(events.len(), 1);
        table = after;
        assert_eq!(table.decide(player(seat), &vote), Err(ErrorCode::IllegalMove), "one votes once");
    }
    let (table, events) = table.does(player(Seat::North), &vote);
    assert!(matches!(&events[1], Event::Finished(ending) if ending.reason == "agreement"));
    assert!(!table.core.is_running());
}

#[test]
fn a_move_voids_what_is_open_and_a_refusal_is_remembered() {
    let table = Table::crossfire().played(&ROUND);
    let (proposal, offer) = propose(ProposalKind::Abort);
    let (table, _) = table.does(player(Seat::North), &offer);
    assert_eq!(
        table.decide(player(Seat::West), &propose(ProposalKind::Abort).1),
        Err(ErrorCode::OfferNotNow)
    );
    let (table, events) = table.does(player(Seat::South), &mv(4, "e2-e4"));
    assert_eq!(events[1], Event::Lapsed { proposal });
    let vote = |proposal, accept| Command::Vote { proposal, accept };
    assert_eq!(table.decide(player(Seat::West), &vote(proposal, true)), Err(ErrorCode::NoOffer));

    let (second, offer) = propose(ProposalKind::Abort);
    let table = table.does(player(Seat::North), &offer).0.does(player(Seat::West), &vote(second, false)).0;
    assert_eq!(
        table.decide(player(Seat::North), &propose(ProposalKind::Abort).1),
        Err(ErrorCode::OfferNotNow)
    );
    assert!(table.decide(player(Seat::East), &propose(ProposalKind::Abort).1).is_ok());
}

#[test]
fn all_may_agree_to_end_without_a_result() {
    let (proposal, offer) = propose(ProposalKind::Abort);
    let mut table = Table::crossfire().does(player(Seat::South), &offer).0;
    for seat in [Seat::West, Seat::North] {
        table = table.does(player(seat), &Command::Vote { proposal, accept: true }).0;
    }
    let (table, events) = table.does(player(Seat::East), &Command::Vote { proposal, accept: true });
    assert_eq!(events[1], Event::Aborted { cause: AbortCause::Agreement });
    assert_eq!(table.core.stage(), &Stage::Aborted(AbortCause::Agreement));
}

#[test]
fn an_abort_is_asked_for_while_the_game_has_hardly_begun() {
    let ask = |table: &Table, seat| table.decide(player(seat), &propose(ProposalKind::Abort).1).map(drop);
    let too_late = Err(ErrorCode::TooLateToAbort);
    assert_eq!(ask(&Table::crossfire(), Seat::North), Ok(()));
    let resigned = Table::crossfire().does(player(Seat::North), &Command::Resign).0;
    assert_eq!(ask(&resigned, Seat::South), too_late, "North has resigned");
    let flagged = Table::crossfire().played(&ROUND).after(61_000).does(Who::Server, &Command::Tick).0;
    assert!(flagged.core.is_running());
    assert_eq!(ask(&flagged, Seat::North), too_late, "South's flag has fallen");

    let mut table = Table::crossfire();
    while table.core.game().ply() < 8 {
        assert_eq!(ask(&table, Seat::South), Ok(()), "at ply {}", table.core.game().ply());
        let first = table.core.game().choices()[0].action.text(Variant::Crossfire);
        table = table.played(&[&first]);
    }
    assert_eq!(ask(&table, Seat::South), too_late, "every army has moved twice");
}

#[test]
fn however_many_ask_for_a_rematch_it_is_one_question() {
    let table = Table::crossfire();
    assert_eq!(
        table.decide(player(Seat::South), &propose(ProposalKind::Rematch).1),
        Err(ErrorCode::GameRunning)
    );
    let mut table = table.does(Who::Server, &Command::Abort(AbortCause::Admin)).0;
    for seat in Seat::ALL {
        let (after, events) = table.does(player(seat), &propose(ProposalKind::Rematch).1);
        assert_eq!(matches!(events[0], Event::Proposed { .. }), seat == Seat::South);
        table = after;
    }
    assert!(table.core.rematch_agreed.is_some());
}

#[test]
fn time_is_given_in_casual_games_only() {
    let give = Command::GiveTime { to: SeatLetter('w') };
    let (table, events) = Table::crossfire().played(&ROUND).does(player(Seat::South), &give);
    let wanted = Event::Gift { by: SeatLetter('s'), to: SeatLetter('w'), millis: 15_000, clock: 74_000 };
    assert_eq!(events, [wanted]);
    assert_eq!(table.remaining('w'), 74_000);
    assert_eq!(table.decide(player(Seat::West), &give), Err(ErrorCode::IllegalMove), "not to oneself");
    let rated = Table::of(Variant::Crossfire, TimeControl::increment(60_000, 0), true);
    assert_eq!(rated.decide(player(Seat::South), &give), Err(ErrorCode::Forbidden));
}

#[test]
fn the_random_moves_of_kingdoms_are_played_by_the_server_and_always_the_same() {
    let begin = || {
        let table = Table::of(Variant::Kingdoms, TimeControl::increment(60_000, 0), false);
        let turn = table.core.game().turn().expect("running");
        let legal = table.core.game().legal()[0].clone();
        let table = table.after(1_000).does(player(turn), &mv(0, &legal)).0;
        let second = table.core.game().turn().expect("running");
        (table, second)
    };
    let (table, second) = begin();
    let (_, events) = table.does(player(second), &Command::Resign);
    assert!(action(&events[0]).starts_with("resign:"));
    assert!(action(&events[1]).starts_with("random:"), "a surrendered army on turn moves at once");
    let (again, second) = begin();
    assert_eq!(again.does(player(second), &Command::Resign).1[1], events[1]);
}

#[test]
fn a_random_game_of_every_variant_replays_from_its_events() {
    for variant in Variant::ALL {
        let mut table =
            Table::of(variant, TimeControl { initial: 60_000, increment: 0, delay: 2_000 }, false);
        let mut log = Vec::new();
        for round in 0..200_u32 {
            let Some(turn) = table.core.game().turn() else { break };
            let legal = table.core.game().legal();
            let choice = legal[(round as usize * 7919) % legal.len()].clone();
            let ply = table.core.game().ply();
            let (after, events) = table.after(1_500).does(player(turn), &mv(ply, &choice));
            table = after;
            log.extend(events.into_iter().map(|event| (table.now, event)));
        }
        let mut again = Core::new(table.core.terms.clone(), table.core.setup.clone(), table.core.seed, T0);
        for (at, event) in &log {
            again.apply(*at, event).expect("fits");
        }
        assert_eq!(again.hash(), table.core.hash());
        assert_eq!(again.clocks, table.core.clocks);
        assert!(
            Seat::ALL.iter().all(|&seat| again.clocks.remaining(seat) == 60_000),
            "the delay covers each move"
        );
    }
}

#[test]
fn what_a_player_can_cause_without_a_move_is_bounded() {
    let terms = Terms::defaults();
    let mut table = Table::of(Variant::CrossA, TimeControl::increment(600_000, 0), false);
    let [one, other] = [0, 1].map(|place| table.core.rules().turn_order[place]);
    let gift = Command::GiveTime { to: table.core.letter(other) };
    for _ in 0..terms.clocks.gifts_per_move {
        table = table.does(Who::Player(one), &gift).0;
    }
    assert_eq!(table.decide(Who::Player(one), &gift), Err(ErrorCode::TooMany));
    let legal = table.core.legal_for(Some(one)).expect("on turn");
    let table = table.played(&[&legal[0].mv]);
    let mut table = table.does(Who::Player(one), &gift).0;

    for _ in 0..terms.presence.departures {
        table = table.does(Who::Player(one), &Command::Depart).0;
        table = table.does(Who::Player(one), &Command::Return).0;
    }
    assert_eq!(
        table.decide(Who::Player(one), &Command::Depart),
        Ok(Vec::new()),
        "only the connection counts"
    );
    assert_eq!(table.decide(Who::Player(other), &Command::Depart).map(|events| events.len()), Ok(1));

    let mut table = table.does(Who::Player(one), &Command::Resign).0;
    let ask = || Command::Propose { proposal: ProposalId::fresh(), what: ProposalKind::Rematch };
    for _ in 0..terms.rematches {
        table = table.does(Who::Player(one), &ask()).0;
        let proposal = table.core.proposal().expect("open").id;
        assert!(table.core.awaits_rematch());
        table = table.does(Who::Player(other), &Command::Vote { proposal, accept: false }).0;
        assert!(!table.core.awaits_rematch());
    }
    assert_eq!(table.decide(Who::Player(one), &ask()), Err(ErrorCode::OfferNotNow));
    assert!(table.decide(Who::Player(other), &ask()).is_ok());
}

#[test]
fn a_game_is_deserted_when_its_last_person_is_out() {
    let mut table = Table::crossfire();
    let mut setup = (**table.core.setup()).clone();
    for player in &mut setup.players[1..] {
        player.bot = Some("page".into());
    }
    table.core.rename(Arc::new(setup));
    let person = table.core.rules().turn_order[0];
    assert_eq!((table.core.deserted(), table.core.person_playing().is_some()), (None, true));
    let (table, _) = table.does(Who::Player(person), &Command::Resign);
    assert_eq!(table.core.deserted(), Some((0, T0)));
    assert_eq!(table.core.person_playing(), None);
}
