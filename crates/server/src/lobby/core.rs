//! One lobby as data: who sits where, who decides. Pure; storing and telling are left to `task`.

use kingscross_engine::Variant;
use kingscross_protocol::{
    ErrorBody, ErrorCode, LobbyId, LobbyOptions, LobbySeat, LobbySummary, LobbyView, SeatLetter, TimeControl,
    Timestamp, Unrated, UserId,
};
use serde::{Deserialize, Serialize};

use crate::bots;
use crate::config::Tables;

/// A lobby.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lobby {
    /// Which.
    pub id: LobbyId,
    /// When it was opened.
    pub created: Timestamp,
    /// The rules.
    pub variant: Variant,
    /// The time control.
    pub time: TimeControl,
    /// Whether the result is to move ratings, if all who play can be rated.
    pub rated: bool,
    /// Whether everyone sees it in the list.
    pub public: bool,
    /// Whether it is a match of two games.
    #[serde(alias = "twin")]
    pub both_boards: bool,
    /// Whether its second game begins when the first has ended.
    #[serde(default)]
    pub in_turn: bool,
    /// Whether players may write free text in the game, if it is casual.
    pub free_chat: bool,
    /// How much later than players spectators see the game, in milliseconds; none where it was stored before
    /// there was a choice.
    #[serde(default)]
    pub spectator_delay: Option<u32>,
    /// The secret of its link.
    pub key: String,
    /// Who decides.
    pub host: UserId,
    /// The seats in turn order.
    pub seats: Vec<Place>,
    /// The persons in it in order of their coming: the host's role passes on in this order.
    pub order: Vec<UserId>,
}

/// A seat of a lobby.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The seat.
    pub seat: SeatLetter,
    /// Who has it.
    pub taken: Option<Taken>,
}

/// Who has a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Taken {
    /// A person.
    Human(Person),
    /// A bot of this level.
    Bot(String),
}

/// A person, as far as a lobby must know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Who.
    pub user: UserId,
    /// The name shown.
    pub name: String,
    /// Whether this person is no guest.
    pub has_account: bool,
    /// Whether the account is marked as that of a program.
    #[serde(default)]
    pub is_program: bool,
}

impl Taken {
    /// What keeps games of this one from being rated.
    fn unrated(&self) -> Option<Unrated> {
        match self {
            Taken::Human(person) if !person.has_account => Some(Unrated::Guest),
            Taken::Human(person) if !person.is_program => None,
            Taken::Human(_) | Taken::Bot(_) => Some(Unrated::Bot),
        }
    }
}

type Done = Result<(), ErrorBody>;

fn refuse<T>(code: ErrorCode, message: &str) -> Result<T, ErrorBody> {
    Err(ErrorBody::new(code, message))
}

impl Lobby {
    /// Opens a lobby; who opens it takes a seat and is the host.
    pub fn open(
        id: LobbyId,
        key: String,
        options: &LobbyOptions,
        host: Person,
        now: Timestamp,
        tables: &Tables,
    ) -> Result<Self, ErrorBody> {
        let rules = options.variant.rules();
        options.time.check().map_err(|error| ErrorBody::new(ErrorCode::BadTimeControl, error.to_string()))?;
        if options.both_boards && rules.turn_order.len() != 2 {
            return refuse(ErrorCode::BadRequest, "Only games for two are played as a match on both boards.");
        }
        let longest = tables.max_spectator_delay_ms;
        if options.spectator_delay.is_some_and(|delay| delay > longest) {
            let message = format!("Spectators may be told at most {longest} ms later than players.");
            return refuse(ErrorCode::BadRequest, &message);
        }
        let seats = rules
            .turn_order
            .iter()
            .map(|&seat| Place { seat: SeatLetter(rules.letter(seat)), taken: None })
            .collect();
        let mut lobby = Self {
            id,
            created: now,
            variant: options.variant,
            time: options.time,
            rated: options.rated,
            public: options.public,
            both_boards: options.both_boards,
            in_turn: options.both_boards && options.in_turn,
            free_chat: options.free_chat,
            spectator_delay: options.spectator_delay.or(Some(tables.spectator_delay_ms)),
            key,
            host: host.user,
            seats,
            order: Vec::new(),
        };
        let user = host.user;
        lobby.join(host, options.seat)?;
        for (seat, level) in &options.bots {
            if lobby.seats[lobby.index(*seat)?].taken.is_some() {
                return refuse(ErrorCode::SeatTaken, "A seat is named twice, or is your own.");
            }
            lobby.seat_bot(user, *seat, Some(level))?;
        }
        Ok(lobby)
    }

    /// The seat that a person has.
    pub fn seat_of(&self, user: UserId) -> Option<SeatLetter> {
        self.seats.iter().find(|place| place.is_of(user)).map(|place| place.seat)
    }

    /// Whether anyone is in it.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Seats a person; who is in already keeps the seat, or changes to the one that is named, and may come back under
    /// another name: a guest who has made an account.
    pub fn join(&mut self, person: Person, seat: Option<SeatLetter>) -> Done {
        let user = person.user;
        if let Some(place) = self.seats.iter_mut().find(|place| place.is_of(user)) {
            place.taken = Some(Taken::Human(person));
            return seat.map_or(Ok(()), |seat| self.take_seat(user, seat));
        }
        let index = match seat {
            Some(seat) => {
                let index = self.index(seat)?;
                if self.seats[index].taken.is_some() {
                    return refuse(ErrorCode::SeatTaken, "That seat is taken.");
                }
                index
            }
            None => match self.seats.iter().position(|place| place.taken.is_none()) {
                Some(index) => index,
                None => return refuse(ErrorCode::LobbyFull, "Every seat is taken."),
            },
        };
        self.seats[index].taken = Some(Taken::Human(person));
        self.order.push(user);
        Ok(())
    }

    /// Changes a person's seat.
    pub fn take_seat(&mut self, user: UserId, seat: SeatLetter) -> Done {
        let to = self.index(seat)?;
        let from = self.place_of(user)?;
        if from == to {
            return Ok(());
        }
        if self.seats[to].taken.is_some() {
            return refuse(ErrorCode::SeatTaken, "That seat is taken.");
        }
        self.seats[to].taken = self.seats[from].taken.take();
        Ok(())
    }

    /// The host seats a bot, or removes one.
    pub fn seat_bot(&mut self, by: UserId, seat: SeatLetter, level: Option<&str>) -> Done {
        self.host_only(by)?;
        let index = self.index(seat)?;
        if matches!(self.seats[index].taken, Some(Taken::Human(_))) {
            return refuse(ErrorCode::SeatTaken, "A person sits there.");
        }
        self.seats[index].taken = match level {
            Some(level) if bots::is_level(level) => Some(Taken::Bot(level.to_owned())),
            Some(_) => return refuse(ErrorCode::UnknownLevel, "There is no bot of that level."),
            None => None,
        };
        Ok(())
    }

    /// The host sends a person (or a bot) away; tells who it was.
    pub fn unseat(&mut self, by: UserId, seat: SeatLetter) -> Result<Option<UserId>, ErrorBody> {
        self.host_only(by)?;
        let index = self.index(seat)?;
        match &self.seats[index].taken {
            Some(Taken::Human(person)) if person.user == by => {
                refuse(ErrorCode::Conflict, "Leave the lobby to give up your own seat.")
            }
            Some(Taken::Human(person)) => {
                let user = person.user;
                self.remove(user);
                Ok(Some(user))
            }
            Some(Taken::Bot(_)) | None => {
                self.seats[index].taken = None;
                Ok(None)
            }
        }
    }

    /// A person leaves, by choice or by being away too long; the host's role passes on.
    pub fn leave(&mut self, user: UserId) -> Done {
        self.place_of(user)?;
        self.remove(user);
        Ok(())
    }

    /// Everyone who plays, in turn order, when the host may start now. Nobody is started into a game that is not there.
    pub fn ready(&self, by: UserId, is_present: impl Fn(UserId) -> bool) -> Result<Vec<&Taken>, ErrorBody> {
        self.host_only(by)?;
        let taken: Option<Vec<&Taken>> = self.seats.iter().map(|place| place.taken.as_ref()).collect();
        let Some(taken) = taken else { return refuse(ErrorCode::NotReady, "Not every seat is filled.") };
        let away: Vec<&str> = taken
            .iter()
            .filter_map(|taken| match taken {
                Taken::Human(person) if !is_present(person.user) => Some(person.name.as_str()),
                Taken::Human(_) | Taken::Bot(_) => None,
            })
            .collect();
        match away.split_last() {
            None => Ok(taken),
            Some((one, [])) => refuse(
                ErrorCode::PlayerAway,
                &format!(
                    "{one} is away. Start when everybody is here; the seat of whoever stays away becomes free."
                ),
            ),
            Some((last, others)) => refuse(
                ErrorCode::PlayerAway,
                &format!(
                    "{} and {last} are away. Start when everybody is here; the seats of those who stay away become free.",
                    others.join(", ")
                ),
            ),
        }
    }

    /// Whether the game would move ratings with those who sit here: it was asked for, and nobody prevents it.
    pub fn counts(&self) -> bool {
        self.rated && self.unrated().is_none()
    }

    /// Who sits here and cannot be rated.
    fn unrated(&self) -> Option<Unrated> {
        self.seats.iter().filter_map(|place| place.taken.as_ref()).find_map(Taken::unrated)
    }

    /// As the list shows it.
    pub fn summary(&self) -> LobbySummary {
        let host = self.seats.iter().find_map(|place| match &place.taken {
            Some(Taken::Human(person)) if person.user == self.host => Some(person.name.clone()),
            _ => None,
        });
        LobbySummary {
            lobby: self.id,
            variant: self.variant,
            time: self.time,
            rated: self.counts(),
            both_boards: self.both_boards,
            host: host.unwrap_or_default(),
            taken: count(self.seats.iter().filter(|place| place.taken.is_some()).count()),
            seats: count(self.seats.len()),
        }
    }

    /// As those in it see it.
    pub fn view(&self, is_present: impl Fn(UserId) -> bool) -> LobbyView {
        let seats = self.seats.iter().map(|place| {
            let empty = LobbySeat { seat: place.seat, user: None, name: None, bot: None, present: false };
            match &place.taken {
                Some(Taken::Human(person)) => LobbySeat {
                    user: Some(person.user),
                    name: Some(person.name.clone()),
                    present: is_present(person.user),
                    ..empty
                },
                Some(Taken::Bot(level)) => LobbySeat {
                    name: Some(bots::name(level)),
                    bot: Some(level.clone()),
                    present: true,
                    ..empty
                },
                None => empty,
            }
        });
        LobbyView {
            lobby: self.id,
            variant: self.variant,
            time: self.time,
            rated: self.counts(),
            casual: self.unrated().filter(|_| self.rated),
            public: self.public,
            both_boards: self.both_boards,
            in_turn: self.in_turn,
            free_chat: self.free_chat && !self.counts(),
            spectator_delay: self.spectator_delay.unwrap_or(0),
            key: self.key.clone(),
            host: self.host,
            seats: seats.collect(),
        }
    }

    fn remove(&mut self, user: UserId) {
        for place in self.seats.iter_mut().filter(|place| place.is_of(user)) {
            place.taken = None;
        }
        self.order.retain(|other| *other != user);
        if self.host == user
            && let Some(&next) = self.order.first()
        {
            self.host = next;
        }
    }

    fn host_only(&self, user: UserId) -> Done {
        self.place_of(user)?;
        if self.host == user { Ok(()) } else { refuse(ErrorCode::NotHost, "Only the host may do this.") }
    }

    fn place_of(&self, user: UserId) -> Result<usize, ErrorBody> {
        let index = self.seats.iter().position(|place| place.is_of(user));
        index.map_or_else(|| refuse(ErrorCode::NotInLobby, "You are not in this lobby."), Ok)
    }

    fn index(&self, seat: SeatLetter) -> Result<usize, ErrorBody> {
        let index = self.seats.iter().position(|place| place.seat == seat);
        index.map_or_else(|| refuse(ErrorCode::UnknownSeat, "The game has no such seat."), Ok)
    }
}

impl Place {
    fn is_of(&self, user: UserId) -> bool {
        matches!(&self.taken, Some(Taken::Human(person)) if person.user == user)
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(name: &str) -> Person {
        Person { user: UserId::fresh(), name: name.into(), has_account: true, is_program: false }
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

    fn lobby(host: &Person) -> Lobby {
        Lobby::open(LobbyId::fresh(), "key".into(), &options(), host.clone(), Timestamp(0), &tables())
            .expect("opens")
    }

    fn code<T: std::fmt::Debug>(result: Result<T, ErrorBody>) -> ErrorCode {
        result.expect_err("refused").code
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
            lobby.ready(host.user, |user| !gone.contains(&user)).expect_err("refused")
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
            lobby.join(Person { has_account: false, ..other.clone() }, None).expect("room");
        }
        assert!(!lobby.counts());
        for other in others {
            let seat = lobby.seat_of(other.user);
            lobby.join(Person { name: "account".into(), ..other.clone() }, None).expect("in it");
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
        let guest = Person { has_account: false, ..person("b") };
        lobby.join(guest.clone(), None).expect("room");
        assert_eq!(told(&lobby), (false, Some(Unrated::Guest), true));
        lobby.leave(guest.user).expect("in it");
        assert_eq!(told(&lobby), (true, None, false));
        lobby.seat_bot(host.user, SeatLetter('n'), Some("page")).expect("free");
        assert_eq!(told(&lobby), (false, Some(Unrated::Bot), true));

        lobby.seat_bot(host.user, SeatLetter('n'), None).expect("the host's");
        lobby.join(Person { is_program: true, ..person("c") }, None).expect("room");
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
}
