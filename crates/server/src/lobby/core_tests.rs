use kingscross_engine::Variant;
use kingscross_protocol::{
    ErrorBody, ErrorCode, LobbyId, LobbyOptions, SeatLetter, TimeControl, Timestamp, Unrated, UserId,
};

use super::core::Lobby;
use super::{LobbyUser, Rejection};
use crate::config::Tables;

fn person(name: &str) -> LobbyUser {
    LobbyUser { user: UserId::fresh(), name: name.into(), has_account: true, is_program: false }
}

fn options() -> LobbyOptions {
    LobbyOptions {
        variant: Variant::Crossfire,
        time: TimeControl::increment(300_000, 3_000),
        rated: true,
        public: true,
        seat: None,
        bots: Vec::new(),
        both_boards: false,
        in_turn: false,
        free_chat: true,
        spectator_delay: None,
    }
}

fn tables() -> Tables {
    crate::config::Config::defaults().tables
}

fn lobby(host: &LobbyUser) -> Lobby {
    Lobby::open(LobbyId::fresh(), "key".into(), &options(), host.clone(), Timestamp(0), &tables())
        .expect("opens")
}

fn code<T: std::fmt::Debug>(result: Result<T, Rejection>) -> ErrorCode {
    ErrorBody::from(result.expect_err("refused")).code
}

#[test]
fn the_first_free_seat_is_taken_and_nobody_sits_twice() {
    let (host, guest) = (person("a"), person("b"));
    let mut lobby = lobby(&host);
    assert_eq!(lobby.seat_of(host.user), Some(SeatLetter('s')));
    lobby.join(guest.clone(), None).expect("room");
    lobby.join(guest.clone(), Some(SeatLetter('n'))).expect("moves");
    assert_eq!(lobby.seat_of(guest.user), Some(SeatLetter('n')));
    assert_eq!(lobby.order.len(), 2);
    assert_eq!(code(lobby.take_seat(guest.user, SeatLetter('s'))), ErrorCode::SeatTaken);
    assert_eq!(code(lobby.take_seat(guest.user, SeatLetter('x'))), ErrorCode::UnknownSeat);
}

#[test]
fn a_lobby_waits_for_those_who_are_away_and_names_them() {
    let (host, others) = (person("a"), ["Ada", "Bob", "Cem"].map(person));
    let mut lobby = lobby(&host);
    for other in &others {
        lobby.join(other.clone(), None).expect("room");
    }
    let away = |gone: &[usize]| {
        let gone: Vec<UserId> = gone.iter().map(|&at| others[at].user).collect();
        ErrorBody::from(lobby.ready(host.user, |user| !gone.contains(&user)).expect_err("refused"))
    };
    assert_eq!(away(&[1]).code, ErrorCode::PlayerAway);
    assert!(away(&[1]).message.starts_with("Bob is away."), "{}", away(&[1]).message);
    assert!(away(&[0, 1, 2]).message.starts_with("Ada, Bob and Cem are away."));
    assert!(lobby.ready(host.user, |_| true).is_ok());
}

#[test]
fn a_guest_who_comes_back_with_an_account_is_named_and_counted_as_one() {
    let (host, others) = (person("a"), ["b", "c", "d"].map(person));
    let mut lobby = lobby(&host);
    for other in &others {
        lobby.join(LobbyUser { has_account: false, ..other.clone() }, None).expect("room");
    }
    assert!(!lobby.counts());
    for other in others {
        let seat = lobby.seat_of(other.user);
        lobby.join(LobbyUser { name: "account".into(), ..other.clone() }, None).expect("in it");
        assert_eq!(lobby.seat_of(other.user), seat);
    }
    assert!(lobby.counts());
    let seats = lobby.view(|_| true).seats;
    assert_eq!(seats.iter().filter(|seat| seat.name.as_deref() == Some("account")).count(), 3);
}

#[test]
fn a_lobby_says_what_its_game_will_be_with_those_who_sit_in_it() {
    let host = person("a");
    let mut lobby = lobby(&host);
    let told = |lobby: &Lobby| {
        let (view, summary) = (lobby.view(|_| true), lobby.summary());
        assert_eq!((view.rated, summary.rated), (lobby.counts(), lobby.counts()));
        (view.rated, view.casual, view.free_chat)
    };
    assert_eq!(told(&lobby), (true, None, false));
    let guest = LobbyUser { has_account: false, ..person("b") };
    lobby.join(guest.clone(), None).expect("room");
    assert_eq!(told(&lobby), (false, Some(Unrated::Guest), true));
    lobby.leave(guest.user).expect("in it");
    assert_eq!(told(&lobby), (true, None, false));
    lobby.seat_bot(host.user, SeatLetter('n'), Some("page")).expect("free");
    assert_eq!(told(&lobby), (false, Some(Unrated::Bot), true));

    lobby.seat_bot(host.user, SeatLetter('n'), None).expect("the host's");
    lobby.join(LobbyUser { is_program: true, ..person("c") }, None).expect("room");
    assert_eq!(told(&lobby), (false, Some(Unrated::Bot), true));

    let casual = LobbyOptions { rated: false, ..options() };
    let casual = Lobby::open(LobbyId::fresh(), "key".into(), &casual, guest, Timestamp(0), &tables());
    assert_eq!(told(&casual.expect("opens")), (false, None, true));
}

#[test]
fn a_seat_that_is_named_twice_is_refused() {
    let host = person("a");
    let open = |seat, bots: &[(char, &str)]| {
        let bots = bots.iter().map(|&(seat, level)| (SeatLetter(seat), level.to_owned())).collect();
        let options = LobbyOptions { seat, bots, ..options() };
        Lobby::open(LobbyId::fresh(), "key".into(), &options, host.clone(), Timestamp(0), &tables())
    };
    assert!(open(None, &[('w', "page"), ('n', "squire")]).is_ok());
    assert_eq!(code(open(None, &[('w', "page"), ('w', "squire")])), ErrorCode::SeatTaken);
    assert_eq!(code(open(None, &[('w', "page"), ('w', "page")])), ErrorCode::SeatTaken);
    assert_eq!(code(open(Some(SeatLetter('w')), &[('w', "page")])), ErrorCode::SeatTaken);
    assert_eq!(code(open(None, &[('x', "page")])), ErrorCode::UnknownSeat);
}

#[test]
fn spectators_are_as_late_as_was_chosen_within_bounds_and_else_as_the_server_says() {
    let tables = Tables { spectator_delay_ms: 2_000, max_spectator_delay_ms: 1_000, ..tables() };
    let open = |spectator_delay| {
        let options = LobbyOptions { spectator_delay, ..options() };
        let lobby =
            Lobby::open(LobbyId::fresh(), "key".into(), &options, person("a"), Timestamp(0), &tables)?;
        Ok(lobby.view(|_| true).spectator_delay)
    };
    assert_eq!([None, Some(0), Some(1_000)].map(open), [Ok(2_000), Ok(0), Ok(1_000)]);
    assert_eq!(code(open(Some(1_001))), ErrorCode::BadRequest);
}

#[test]
fn a_full_lobby_takes_nobody() {
    let host = person("a");
    let mut lobby = lobby(&host);
    for name in ["b", "c", "d"] {
        lobby.join(person(name), None).expect("room");
    }
    assert_eq!(code(lobby.join(person("e"), None)), ErrorCode::LobbyFull);
    assert_eq!(lobby.ready(host.user, |_| true).expect("full").len(), 4);
    assert!(lobby.counts());
}

#[test]
fn the_host_passes_on_in_order_of_coming() {
    let (host, second, third) = (person("a"), person("b"), person("c"));
    let mut lobby = lobby(&host);
    lobby.join(second.clone(), Some(SeatLetter('e'))).expect("room");
    lobby.join(third.clone(), Some(SeatLetter('w'))).expect("room");
    assert_eq!(code(lobby.unseat(second.user, SeatLetter('w'))), ErrorCode::NotHost);
    lobby.leave(host.user).expect("in it");
    assert_eq!(lobby.host, second.user);
    assert_eq!(lobby.unseat(second.user, SeatLetter('w')).expect("host"), Some(third.user));
    lobby.leave(second.user).expect("in it");
    assert!(lobby.is_empty());
    assert_eq!(code(lobby.leave(second.user)), ErrorCode::NotInLobby);
}

#[test]
fn bots_and_guests_make_it_casual() {
    let host = person("a");
    let mut lobby = lobby(&host);
    let level = "page";
    for seat in ['w', 'n', 'e'] {
        lobby.seat_bot(host.user, SeatLetter(seat), Some(level)).expect("free");
    }
    assert!(!lobby.counts());
    assert_eq!(code(lobby.seat_bot(host.user, SeatLetter('s'), Some(level))), ErrorCode::SeatTaken);
    assert_eq!(code(lobby.seat_bot(host.user, SeatLetter('w'), Some("god"))), ErrorCode::UnknownLevel);
    lobby.seat_bot(host.user, SeatLetter('w'), None).expect("host");
    assert_eq!(code(lobby.ready(host.user, |_| true)), ErrorCode::NotReady);
}

#[test]
fn an_unknown_level_is_refused_with_those_that_there_are() {
    let host = person("a");
    let refused = lobby(&host).seat_bot(host.user, SeatLetter('w'), Some("god")).expect_err("no such level");
    let message = ErrorBody::from(refused).message;
    assert_eq!(message, "There is no such bot level; there are page, squire, captain, marshal, sovereign.");
}
