//! A rated game of two as storage sees it, and what must be true of the ledger whatever happens.

use kingscross_engine::Variant;
use kingscross_protocol::{Ending, GameId, SeatLetter, Seq, Setup, TimeControl, Timestamp, UserId};
use kingscross_server::ratings::rater;
use kingscross_storage::{
    Append, Finish, FinishedPlayer, GameStatus, NewEvent, NewGame, NewPlayer, PlayerResult, RatingTask, Store,
};

/// When the games of [`end_of_two`] end: all in the same millisecond.
pub const END: Timestamp = Timestamp(1_700_000_060_000);

fn letters() -> [SeatLetter; 2] {
    let rules = Variant::CrossA.rules();
    [rules.turn_order[0], rules.turn_order[1]].map(|seat| SeatLetter(rules.letter(seat)))
}

fn event(seq: u32) -> NewEvent {
    NewEvent { seq: Seq(seq), commanded: None, at: END, hash: 0, body: "{}".to_owned() }
}

/// A running game.
pub fn game_of_two(players: &[UserId; 2]) -> NewGame {
    let seated = letters().into_iter().zip(players).map(|(seat, &user)| NewPlayer {
        seat: seat.to_string(),
        user: Some(user),
        name: "a player".to_owned(),
        is_bot: false,
        bot_level: None,
    });
    NewGame {
        id: GameId::fresh(),
        variant: Variant::CrossA.id().to_owned(),
        time_control: "5+3".to_owned(),
        time_control_json: "{}".to_owned(),
        is_rated: true,
        created_at: Timestamp(1_700_000_000_000),
        started_at: None,
        setup: "{}".to_owned(),
        lobby: None,
        rematch_of: None,
        players: seated.collect(),
        events: vec![event(1)],
        close_lobby: None,
        close_tickets: Vec::new(),
    }
}

/// Its end: the first player wins.
pub fn end_of_two(game: GameId, rating: Option<RatingTask>) -> Append {
    let end = |place: usize, result| FinishedPlayer {
        seat: letters()[place].to_string(),
        placement: u32::try_from(place + 1).ok(),
        points: None,
        result: Some(result),
    };
    let finish = Finish {
        status: GameStatus::Finished,
        at: END,
        hidden_until: None,
        reason: "mate".to_owned(),
        result: "{}".to_owned(),
        ply_count: 9,
        statistics: None,
        players: vec![end(0, PlayerResult::Win), end(1, PlayerResult::Loss)],
        rating,
        dodge: None,
    };
    Append { game, events: vec![event(2)], finish: Some(finish), follow_up_pending: None }
}

/// The ratings that the server would compute for that end.
pub fn rating_of_two(players: &[UserId; 2]) -> RatingTask {
    let seated = letters().into_iter().zip(players).map(|(seat, &user)| kingscross_protocol::Player {
        seat,
        user,
        name: "a player".to_owned(),
        bot: None,
        rating: None,
        provisional: false,
    });
    let setup = Setup {
        variant: Variant::CrossA,
        rules: 1,
        time: TimeControl::increment(300_000, 3_000),
        rated: true,
        players: seated.collect(),
        free_chat: false,
        spectator_delay: 0,
        rematch_of: None,
        other_game: None,
        other_game_follows: false,
    };
    let [first, second] = letters();
    let ending = Ending {
        reason: "mate".to_owned(),
        winners: vec![first],
        placements: vec![vec![first], vec![second]],
        points: None,
    };
    rater(&setup, &ending, END).expect("a rated game of two accounts")
}

/// Each player's changes in the pool `cross` form one chain from the start to the present rating, one for each game.
pub async fn check_chain(store: &Store, player: UserId, games: usize) {
    let mut history =
        store.rating_history(player, "cross", i64::MAX, u32::MAX - 1).await.expect("the ledger can be read");
    history.reverse();
    assert_eq!(history.len(), games, "one row for each game");
    for (number, pair) in (1..).zip(history.windows(2)) {
        assert_eq!(pair[0].change.after, pair[1].change.before, "after change {number}");
    }
    for (number, row) in (1..).zip(&history) {
        assert_eq!(row.change.after.games, number);
    }
    let now = store.find_rating(player, "cross").await.expect("read");
    assert_eq!(now.as_ref(), history.last().map(|row| &row.change.after));
}
