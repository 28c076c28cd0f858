//! One lobby as data: who sits where, who is the host. Pure; `task` stores and announces it.

use kingscross_engine::Variant;
use kingscross_protocol::{
    LobbyId, LobbyOptions, LobbySeat, LobbySummary, LobbyView, SeatLetter, TimeControl, Timestamp, Unrated,
    UserId,
};
use serde::{Deserialize, Serialize};

use super::Rejection;
use crate::bots;
use crate::config::Tables;

/// A lobby.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lobby {
    /// The id.
    pub id: LobbyId,
    /// When it was opened.
    pub created: Timestamp,
    /// The variant.
    pub variant: Variant,
    /// The time control.
    pub time: TimeControl,
    /// Whether the game is rated, if all its players can be.
    pub rated: bool,
    /// Whether the public list shows it.
    pub public: bool,
    /// Whether it is played on both boards: two games, with seats swapped.
    #[serde(alias = "twin")]
    pub both_boards: bool,
    /// Whether its second game begins when the first has ended.
    #[serde(default)]
    pub in_turn: bool,
    /// Whether players may write free text in the game, if it is casual.
    pub free_chat: bool,
    /// How much later than players spectators see the game, in milliseconds; none in lobbies stored by versions
    /// that did not offer the choice.
    #[serde(default)]
    pub spectator_delay: Option<u32>,
    /// The secret in its link.
    pub key: String,
    /// Who may seat bots, remove others and start the game.
    pub host: UserId,
    /// The seats in turn order.
    pub seats: Vec<Place>,
    /// The people in it, in order of arrival: the host's role passes on in this order.
    pub order: Vec<UserId>,
}

/// A seat of a lobby.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The seat.
    pub seat: SeatLetter,
    /// Who has taken it.
    pub taken: Option<Taken>,
}

/// Who has taken a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Taken {
    /// A person.
    Human(LobbyUser),
    /// A bot of this level.
    Bot(String),
}

/// A person, as far as a lobby needs to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LobbyUser {
    /// The id.
    pub user: UserId,
    /// The name shown.
    pub name: String,
    /// Whether this person has an account.
    pub has_account: bool,
    /// Whether the account belongs to a program.
    #[serde(default)]
    pub is_program: bool,
}

impl Taken {
    /// What keeps games with this player from being rated.
    fn unrated(&self) -> Option<Unrated> {
        match self {
            Taken::Human(person) if !person.has_account => Some(Unrated::Guest),
            Taken::Human(person) if !person.is_program => None,
            Taken::Human(_) | Taken::Bot(_) => Some(Unrated::Bot),
        }
    }
}

type Done = Result<(), Rejection>;

impl Lobby {
    /// Opens a lobby. The person who opens it takes a seat and is the host.
    pub fn open(
        id: LobbyId,
        key: String,
        options: &LobbyOptions,
        host: LobbyUser,
        now: Timestamp,
        tables: &Tables,
    ) -> Result<Self, Rejection> {
        let rules = options.variant.rules();
        options.time.check().map_err(Rejection::BadTimeControl)?;
        if options.both_boards && rules.turn_order.len() != 2 {
            return Err(Rejection::NotForTwo);
        }
        let longest = tables.max_spectator_delay_ms;
        if options.spectator_delay.is_some_and(|delay| delay > longest) {
            return Err(Rejection::DelayTooLong { longest });
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
                return Err(Rejection::SeatNamedTwice);
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

    /// Seats a person. Someone who has a seat already keeps it or changes to `seat`; the name is updated, since a guest
    /// may have made an account.
    pub fn join(&mut self, person: LobbyUser, seat: Option<SeatLetter>) -> Done {
        let user = person.user;
        if let Some(place) = self.seats.iter_mut().find(|place| place.is_of(user)) {
            place.taken = Some(Taken::Human(person));
            return seat.map_or(Ok(()), |seat| self.take_seat(user, seat));
        }
        let index = match seat {
            Some(seat) => {
                let index = self.index(seat)?;
                if self.seats[index].taken.is_some() {
                    return Err(Rejection::SeatTaken);
                }
                index
            }
            None => {
                let free = self.seats.iter().position(|place| place.taken.is_none());
                free.ok_or(Rejection::LobbyFull)?
            }
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
            return Err(Rejection::SeatTaken);
        }
        self.seats[to].taken = self.seats[from].taken.take();
        Ok(())
    }

    /// The host seats a bot, or removes one.
    pub fn seat_bot(&mut self, by: UserId, seat: SeatLetter, level: Option<&str>) -> Done {
        self.host_only(by)?;
        let index = self.index(seat)?;
        if matches!(self.seats[index].taken, Some(Taken::Human(_))) {
            return Err(Rejection::PersonSeated);
        }
        self.seats[index].taken = match level {
            Some(level) if bots::is_level(level) => Some(Taken::Bot(level.to_owned())),
            Some(_) => return Err(Rejection::UnknownLevel),
            None => None,
        };
        Ok(())
    }

    /// The host removes a person or a bot. Returns the person who was removed.
    pub fn unseat(&mut self, by: UserId, seat: SeatLetter) -> Result<Option<UserId>, Rejection> {
        self.host_only(by)?;
        let index = self.index(seat)?;
        match &self.seats[index].taken {
            Some(Taken::Human(person)) if person.user == by => Err(Rejection::OwnSeat),
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

    /// A person leaves, or was away for too long; the host's role passes on.
    pub fn leave(&mut self, user: UserId) -> Done {
        self.place_of(user)?;
        self.remove(user);
        Ok(())
    }

    /// Everyone who plays, in turn order, if the host may start now: every seat is taken and nobody is away.
    pub fn ready(&self, by: UserId, is_present: impl Fn(UserId) -> bool) -> Result<Vec<&Taken>, Rejection> {
        self.host_only(by)?;
        let taken: Option<Vec<&Taken>> = self.seats.iter().map(|place| place.taken.as_ref()).collect();
        let Some(taken) = taken else { return Err(Rejection::SeatEmpty) };
        let away: Vec<String> = taken
            .iter()
            .filter_map(|taken| match taken {
                Taken::Human(person) if !is_present(person.user) => Some(person.name.clone()),
                Taken::Human(_) | Taken::Bot(_) => None,
            })
            .collect();
        if away.is_empty() { Ok(taken) } else { Err(Rejection::PlayersAway(away)) }
    }

    /// Whether the game would be rated with the present players: the host wants it, and all players can be rated.
    pub fn counts(&self) -> bool {
        self.rated && self.unrated().is_none()
    }

    /// Why the game cannot be rated with the present players.
    fn unrated(&self) -> Option<Unrated> {
        self.seats.iter().filter_map(|place| place.taken.as_ref()).find_map(Taken::unrated)
    }

    /// What the list shows.
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

    /// What those in it see.
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
        if self.host == user { Ok(()) } else { Err(Rejection::NotHost) }
    }

    fn place_of(&self, user: UserId) -> Result<usize, Rejection> {
        let index = self.seats.iter().position(|place| place.is_of(user));
        index.ok_or(Rejection::NotInLobby)
    }

    fn index(&self, seat: SeatLetter) -> Result<usize, Rejection> {
        let index = self.seats.iter().position(|place| place.seat == seat);
        index.ok_or(Rejection::UnknownSeat)
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
