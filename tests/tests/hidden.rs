//! What must not be told before its time, and what goes on without people: endings that spectators see late, rematches
//! over a restart, floods of events, games that are left to bots.

use std::time::Duration;

use kingscross_engine::Variant;
use kingscross_protocol::{
    Event, GameId, LobbyOptions, ProposalId, ProposalKind, Request, Seq, ServerMessage, TimeControl,
};
use kingscross_server::Clock;
use kingscross_server::config::Config;
use kingscross_storage::{Append, GameStatus, NewEvent, Store};
use kingscross_tests::{
    Database, Http, Metrics, Process, Server, Stored, TestPlayer, end_of_two, game_of_two, guests,
    lobby_options, on_both_databases, rounds, start_game, without_limits,
};

const SERVER: &str = env!("CARGO_BIN_EXE_test_server");

/// A delay that no test outlasts.
const LATE: u32 = 300_000;
/// Far more than anything here takes.
const PATIENCE: Duration = Duration::from_secs(120);

on_both_databases!(
    a_delayed_rated_game_tells_nobody_before_its_time,
    a_hidden_end_is_found_at_the_start_however_many_games_came_after,
    a_second_game_that_did_not_begin_does_at_the_next_start_however_many_games_came_after,
    a_rematch_that_was_agreed_on_begins_at_the_next_start_once,
    a_rematch_that_was_only_asked_for_lapses_at_a_late_start,
    a_rematch_waits_for_a_participant_who_is_gone,
    a_rematch_lapses_when_a_participant_stays_away,
);

/// A rated game of two by a lobby; the first takes the first seat.
async fn begin(first: &mut TestPlayer, second: &mut TestPlayer, spectator_delay: Option<u32>) -> GameId {
    let options = LobbyOptions {
        time: TimeControl::increment(300_000, 3_000),
        rated: true,
        public: true,
        free_chat: false,
        spectator_delay,
        ..lobby_options(Variant::CrossA)
    };
    let lobby = first.request(Request::CreateLobby(options)).await.lobby.expect("a lobby");
    second.request(Request::JoinLobby { lobby, key: None, seat: None }).await;
    first.request(Request::StartLobby { lobby }).await;
    second.game_start().await;
    first.game_start().await
}

/// One move of each, and the first one gives up.
async fn give_up(first: &mut TestPlayer, second: &mut TestPlayer, game: GameId) {
    first.request(Request::Move { game, ply: 0, mv: "a2-a3".into() }).await;
    second.request(Request::Move { game, ply: 1, mv: "a7-a6".into() }).await;
    first.request(Request::Resign { game }).await;
}

/// Everything that may be asked for over REST.
async fn all_of(http: &mut Http, games: &[GameId], users: &[String]) -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for game in games {
        for end in ["", "/record", "/pgn4", "/fen4"] {
            paths.push(format!("/api/v1/games/{game}{end}"));
        }
    }
    for query in ["", "&status=finished", "&status=running", "&reason=resignation", "&order=oldest"] {
        paths.push(format!("/api/v1/games?limit=200{query}"));
        paths.push(format!("/api/v1/records?limit=200{query}"));
    }
    for limit in 1..4 {
        paths.push(format!("/api/v1/games?limit={limit}"));
    }
    for user in users {
        paths.push(format!("/api/v1/users/{user}"));
        paths.push(format!("/api/v1/games?player={user}&limit=200"));
        for limit in [1, 50] {
            paths.push(format!("/api/v1/users/{user}/ratings/cross?limit={limit}"));
        }
    }
    paths.push("/api/v1/leaderboards/cross".into());
    paths.push("/api/v1/me/export".into());
    let mut all = Vec::new();
    for path in paths {
        let text = http.get(&path).await.text();
        all.push((path, text));
    }
    all
}

/// Whether a text tells a rating, or what a game did to one.
fn tells_ratings(text: &str) -> bool {
    // Every rating here begins so.
    text.contains("\"rating\":1") || text.contains("\"before\"")
}

/// No page ends at a game that it leaves out, nor is it shorter for one.
async fn check_cursors(http: &mut Http, secret: &[GameId], users: &[String]) {
    let mut asked =
        vec!["status=running".to_owned(), "status=finished".to_owned(), "reason=resignation".to_owned()];
    for user in users {
        asked.extend(["win", "loss"].map(|result| format!("player={user}&result={result}")));
        asked.push(format!("player={user}&placement=1"));
    }
    for query in asked {
        let whole = http.get(&format!("/api/v1/games?limit=200&{query}")).await.json();
        let whole: Vec<_> =
            whole["items"].as_array().expect("a list").iter().map(|game| game["game"].clone()).collect();
        let (mut found, mut next) = (Vec::new(), String::new());
        loop {
            let page = http.get(&format!("/api/v1/games?limit=1&{query}{next}")).await.json();
            found.extend(page["items"].as_array().expect("a list").iter().map(|game| game["game"].clone()));
            let Some(cursor) = page["next"].as_str() else { break };
            assert_eq!(page["items"].as_array().map(Vec::len), Some(1), "{query}: {page}");
            for game in secret.iter().filter(|game| !whole.contains(&game.to_string().into())) {
                assert!(!cursor.contains(&game.0.simple().to_string()), "{query}: {page}");
            }
            next = format!("&cursor={cursor}");
        }
        assert_eq!(found, whole, "{query}");
    }
}

async fn a_delayed_rated_game_tells_nobody_before_its_time(database: Database) {
    let server = Server::start(&database).await;
    let mut ada = TestPlayer::account(&server, "Ada").await;
    let mut bob = TestPlayer::account(&server, "Bob").await;
    let mut cyd = TestPlayer::account(&server, "Cyd").await;
    let mut dan = TestPlayer::account(&server, "Dan").await;
    let users = [&ada, &bob, &cyd, &dan].map(|player| player.user().id.to_string());
    let mut watcher = TestPlayer::guest(&server.url).await;
    watcher.request(Request::WatchLobbies).await;

    let hidden = begin(&mut ada, &mut bob, Some(LATE)).await;
    give_up(&mut ada, &mut bob, hidden).await;
    while server.store.list_rating_changes(hidden).await.expect("read").is_empty() {}
    ada.request(Request::Propose { game: hidden, what: ProposalKind::Rematch }).await;
    bob.request(Request::Propose { game: hidden, what: ProposalKind::Rematch }).await;
    let rematch = ada.game_start().await;
    assert_eq!(bob.game_start().await, rematch);

    // The next games of one of them, and of who has met this one.
    let next = begin(&mut bob, &mut cyd, None).await;
    give_up(&mut bob, &mut cyd, next).await;
    while server.store.list_rating_changes(next).await.expect("read").is_empty() {}
    let after = begin(&mut cyd, &mut dan, None).await;

    // The list as it was told, up to the last game.
    let mut listed = Vec::new();
    while listed.last() != Some(&after) {
        let game = watcher.until(|message| match message {
            ServerMessage::GameListed(game) => Some(game.clone()),
            ServerMessage::GameUnlisted { game } if game == hidden => panic!("it has ended"),
            _ => None,
        });
        let game = game.await;
        assert!(game.players.iter().all(|player| player.rating.is_none()), "{game:?}");
        listed.push(game.game);
    }
    assert_eq!(listed, [hidden, next, after]);

    let games = [hidden, rematch, next, after];
    let mut visitor = server.visitor();
    check_hidden(&mut visitor, &games, &users).await;
    check_hidden(&mut watcher.http, &games, &users).await;
    check_hidden(&mut cyd.http, &games, &users).await;
    check_watching(&mut watcher, &games).await;
    check_watching(&mut dan, &games).await;
    check_cursors(&mut visitor, &[hidden, rematch], &users).await;
    // Those who played it know.
    for player in [&mut ada, &mut bob] {
        let all = all_of(&mut player.http, &games, &users).await;
        assert!(all.iter().any(|(path, text)| path.contains("/ratings/") && tells_ratings(text)));
        assert!(all[0].1.contains("resignation"), "{:?}", all[0]);
    }
    server.stop().await;

    let server = Server::start(&database).await;
    check_hidden(&mut server.visitor(), &games, &users).await;
    check_watching(&mut TestPlayer::guest(&server.url).await, &games).await;
    server.stop().await;

    let later = Clock::starting_at(Clock::system().now().plus(i64::from(LATE)));
    let server = Server::start_at(later, &database, |_| {}).await;
    let mut visitor = server.visitor();
    let all = all_of(&mut visitor, &games, &users).await;
    for user in &users[..3] {
        let profile = format!("/api/v1/users/{user}");
        assert!(all.iter().any(|(path, text)| *path == profile && tells_ratings(text)), "{user}");
    }
    assert!(all[0].1.contains("resignation"), "{:?}", all[0]);
    assert_eq!(visitor.get(&format!("/api/v1/games/{rematch}")).await.status, 200);
    server.stop().await;
}

/// Nothing over REST tells that the first game has ended, what it did, or that the second one is there.
async fn check_hidden(http: &mut Http, games: &[GameId; 4], users: &[String]) {
    let [hidden, rematch, ..] = games;
    assert_eq!(http.get(&format!("/api/v1/games/{rematch}")).await.status, 404);
    let rematch = rematch.to_string();
    for (path, text) in all_of(http, games, users).await {
        assert!(!tells_ratings(&text), "{path}: {text}");
        if !path.contains(&rematch) {
            assert!(!text.contains(&rematch), "{path}: {text}");
        }
        if path.contains(&hidden.to_string()) {
            assert!(!text.contains("resign") && !text.contains("finished"), "{path}: {text}");
        }
    }
    let running = http.get("/api/v1/games?status=running").await.text();
    let finished = http.get("/api/v1/games?status=finished").await.text();
    let hidden = hidden.to_string();
    assert!(running.contains(&hidden) && !finished.contains(&hidden), "{running} {finished}");
}

/// Nor does anything over the WebSocket.
async fn check_watching(player: &mut TestPlayer, games: &[GameId; 4]) {
    let [hidden, rematch, next, after] = *games;
    assert_eq!(player.refusal(Request::Watch { game: rematch, after: None }).await, "unknown_game");
    assert_eq!(player.refusal(Request::Resign { game: rematch }).await, "unknown_game");
    player.request(Request::WatchLobbies).await;
    let listed = player.until(|message| match message {
        ServerMessage::Lobbies { games, .. } => Some(games.clone()),
        _ => None,
    });
    let listed = listed.await;
    assert!(listed.iter().all(|game| game.game != rematch), "{listed:?}");
    assert!(listed.iter().flat_map(|game| &game.players).all(|player| player.rating.is_none()));
    for game in [hidden, next, after] {
        let asked = player.connection.request(Request::Watch { game, after: None }).await;
        // After a restart the table of an ended game is not there.
        if asked.is_err() && game == hidden {
            continue;
        }
        let snapshot = player.until(|message| match message {
            ServerMessage::Snapshot(snapshot) if snapshot.game == game => Some(snapshot.clone()),
            _ => None,
        });
        let snapshot = snapshot.await;
        assert!(snapshot.setup.players.iter().all(|player| player.rating.is_none()), "{snapshot:?}");
        assert!(game != hidden || (snapshot.ending.is_none() && snapshot.rematch.is_none()));
    }
}

async fn a_hidden_end_is_found_at_the_start_however_many_games_came_after(database: Database) {
    let late = |config: &mut Config| config.tables.spectator_delay_ms = LATE;
    let server = Server::start_with(&database, late).await;
    let (mut ada, mut bob) =
        (TestPlayer::account(&server, "Ada").await, TestPlayer::account(&server, "Bob").await);
    let players = [ada.user().id, bob.user().id];
    let game = begin(&mut ada, &mut bob, None).await;
    for number in 0..205 {
        let mut other = game_of_two(&players);
        other.created_at = Clock::system().now().plus(1_000 + number);
        let id = other.id;
        server.store.writer().create_game(other).await.expect("stored");
        server.store.writer().append(end_of_two(id, None)).await.expect("stored");
    }
    give_up(&mut ada, &mut bob, game).await;
    while server.store.list_rating_changes(game).await.expect("read").is_empty() {}
    drop((ada, bob));
    server.stop().await;

    let status = async |server: &Server| {
        let text = server.visitor().get(&format!("/api/v1/games/{game}")).await.json();
        let list = server.visitor().get("/api/v1/games?status=finished&order=oldest&limit=200").await.text();
        (text["status"].as_str().expect("a status").to_owned(), list.contains(&game.to_string()))
    };
    let server = Server::start_with(&database, late).await;
    assert_eq!(status(&server).await, ("running".to_owned(), false));
    // Spectators see the game as late as before, and nothing of its end.
    let mut watcher = TestPlayer::guest(&server.url).await;
    let view = watcher.watch(game).await;
    assert!(!view.is_over() && view.board.ply == 0, "{view:?}");
    server.stop().await;

    // Whoever watches when its time comes sees it.
    let soon = Clock::starting_at(Clock::system().now().plus(i64::from(LATE) - 2_000));
    let server = Server::start_at(soon, &database, late).await;
    let mut watcher = TestPlayer::guest(&server.url).await;
    let mut view = watcher.watch(game).await;
    watcher.follow_to_the_end(&mut view).await;
    server.stop().await;

    let later = Clock::starting_at(Clock::system().now().plus(i64::from(LATE)));
    let server = Server::start_at(later, &database, late).await;
    assert_eq!(status(&server).await, ("finished".to_owned(), true));
    let mut watcher = TestPlayer::guest(&server.url).await;
    watcher.request(Request::Watch { game, after: None }).await;
    let ending = watcher.until(|message| match message {
        ServerMessage::Snapshot(snapshot) => Some(snapshot.ending.clone()),
        _ => None,
    });
    assert!(ending.await.is_some());
    server.stop().await;
}

/// Lets no game on the second board be stored.
async fn refuse_second_boards(database: &Database) {
    let sqlite = "create trigger no_second before insert on games when new.variant = 'cross-b'
        begin select raise(abort, 'no'); end";
    let postgres =
        "create function no() returns trigger as $$ begin raise exception 'no'; end $$ language plpgsql;
        create trigger no_second before insert on games for each row when (new.variant = 'cross-b')
        execute function no()";
    database.sql(sqlite, postgres).await;
}

async fn a_second_game_that_did_not_begin_does_at_the_next_start_however_many_games_came_after(
    database: Database,
) {
    let server = Server::start(&database).await;
    refuse_second_boards(&database).await;
    let mut matches = Vec::new();
    for (in_turn, names) in [(true, ["Ada", "Bob"]), (false, ["Cyd", "Dan"])] {
        let mut one = TestPlayer::account(&server, names[0]).await;
        let two = TestPlayer::account(&server, names[1]).await;
        let options =
            LobbyOptions { both_boards: true, in_turn, public: true, ..lobby_options(Variant::CrossA) };
        let lobby = one.request(Request::CreateLobby(options)).await.lobby.expect("a lobby");
        two.request(Request::JoinLobby { lobby, key: None, seat: None }).await;
        let first = one.request(Request::StartLobby { lobby }).await.game.expect("a game");
        let setup = one.http.get(&format!("/api/v1/games/{first}")).await.json()["setup"].clone();
        let second: GameId =
            serde_json::from_value(setup["other_game"].clone()).expect("the second game's name");
        for number in 0..60 {
            let mut other = game_of_two(&[one.user().id, two.user().id]);
            other.created_at = Clock::system().now().plus(1_000 + number);
            let id = other.id;
            server.store.writer().create_game(other).await.expect("stored");
            server.store.writer().append(end_of_two(id, None)).await.expect("stored");
        }
        one.request(Request::Resign { game: first }).await;
        matches.push((first, second));
    }
    let pending = async |store: &Store| {
        let pending = store.load_pending_follow_ups().await.expect("read");
        pending.into_iter().map(|game| game.summary.id).collect::<Vec<_>>()
    };
    let mut firsts: Vec<GameId> = matches.iter().map(|&(first, _)| first).collect();
    firsts.sort();
    assert_eq!(pending(&server.store).await, firsts);
    server.stop().await;
    database.sql("drop trigger no_second", "drop trigger no_second on games").await;

    let mut begun = Vec::new();
    for _ in 0..2 {
        let server = Server::start(&database).await;
        let nothing = async { while !pending(&server.store).await.is_empty() {} };
        tokio::time::timeout(PATIENCE, nothing).await.expect("nothing is left to follow");
        for &(first, second) in &matches {
            let stored = Stored::read(&server.store, second).await;
            let Event::Created(setup) = &stored.events[0].1 else { panic!("{:?}", stored.events[0]) };
            assert_eq!((setup.variant, setup.other_game), (Variant::CrossB, Some(first)));
            begun.push(stored.events[0].0.at);
        }
        server.stop().await;
    }
    assert_eq!(begun[..2], begun[2..], "each begins once");
}

/// A finished game of two at which a rematch is asked for, when the server ends. Gives its log.
async fn asked_for_a_rematch(database: &Database) -> (GameId, Stored) {
    let server = Server::start(database).await;
    let mut players = guests(&server.url, Variant::CrossA).await;
    let game = start_game(&mut players, lobby_options(Variant::CrossA)).await;
    for request in [Request::Resign { game }, Request::Propose { game, what: ProposalKind::Rematch }] {
        players[0].connection.request(request).await.expect("done");
    }
    let stored = Stored::read(&server.store, game).await;
    server.stop().await;
    (game, stored)
}

/// Waits until an event is in the log.
async fn wait_for(store: &Store, game: GameId, fits: impl Fn(&Event) -> bool) -> Stored {
    let wait = async {
        loop {
            let stored = Stored::read(store, game).await;
            if stored.events.iter().any(|(_, event)| fits(event)) {
                return stored;
            }
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.expect("it is written")
}

async fn count_rematches(store: &Store, of: GameId) -> usize {
    let all = kingscross_storage::GameFilter::default();
    let page = store.list_games(&all, kingscross_storage::Direction::Newest, None, 200).await.expect("read");
    let mut count = 0;
    for game in page.games {
        let row = store.find_game(game.id).await.expect("read").expect("there");
        count += usize::from(row.rematch_of == Some(of));
    }
    count
}

/// All agree on the rematch that was asked for, and there the server is killed.
async fn agreed_on_a_rematch(database: &Database) -> (GameId, ProposalId) {
    let (game, stored) = asked_for_a_rematch(database).await;
    let (last, event) = stored.events.last().expect("events");
    let Event::Proposed { proposal, electorate, .. } = event else { panic!("{event:?}") };
    let voted = Event::Voted { proposal: *proposal, by: electorate[0], accept: true };
    let event = NewEvent {
        seq: last.seq.next(),
        commanded: None,
        at: last.at,
        hash: last.hash,
        body: serde_json::to_string(&voted).expect("plain data"),
    };
    let store = database.open().await;
    let append = Append { game, events: vec![event], finish: None, follow_up_pending: None };
    store.writer().append(append).await.expect("stored");
    store.close().await;
    (game, *proposal)
}

async fn a_rematch_that_was_agreed_on_begins_at_the_next_start_once(database: Database) {
    let (game, _) = agreed_on_a_rematch(&database).await;
    for _ in 0..2 {
        let server = Server::start(&database).await;
        let stored = wait_for(&server.store, game, |event| matches!(event, Event::Rematch { .. })).await;
        let rematch = server.store.find_rematch(game).await.expect("read").expect("it began");
        assert_eq!(stored.events.last().map(|(_, event)| event), Some(&Event::Rematch { game: rematch }));
        assert_eq!(count_rematches(&server.store, game).await, 1);
        assert_eq!(server.store.load_pending_follow_ups().await.expect("read"), []);
        server.stop().await;
    }
}

async fn a_rematch_that_was_only_asked_for_lapses_at_a_late_start(database: Database) {
    let (game, stored) = asked_for_a_rematch(&database).await;
    let later = Clock::starting_at(Clock::system().now().plus(3_600_000));
    let server = Server::start_at(later, &database, |_| {}).await;
    let after = wait_for(&server.store, game, |event| matches!(event, Event::Lapsed { .. })).await;
    assert_eq!(after.events.len(), stored.events.len() + 1);
    assert_eq!(count_rematches(&server.store, game).await, 0);
    assert_eq!(server.store.load_pending_follow_ups().await.expect("read"), []);
    server.stop().await;
}

async fn a_rematch_waits_for_a_participant_who_is_gone(database: Database) {
    let server = Server::start(&database).await;
    let (mut ada, mut bob) =
        (TestPlayer::account(&server, "Ada").await, TestPlayer::account(&server, "Bob").await);
    let game = begin(&mut ada, &mut bob, None).await;
    give_up(&mut ada, &mut bob, game).await;
    let propose = || Request::Propose { game, what: ProposalKind::Rematch };
    ada.request(propose()).await;
    let sessions = [ada.http.cookie.clone(), bob.http.cookie.clone()];
    drop((ada, bob));
    server.stop().await;

    let server = Server::start(&database).await;
    let back = async |place: usize| {
        let mut http = server.visitor();
        http.cookie.clone_from(&sessions[place]);
        TestPlayer::connect(&server, http).await
    };
    let mut bob = back(1).await;
    bob.request(propose()).await;
    assert_eq!(count_rematches(&server.store, game).await, 0, "who has asked is not here");
    assert_eq!(bob.refusal(propose()).await, "offer_not_now");
    let mut ada = back(0).await;
    let rematch = ada.game_start().await;
    assert_eq!(bob.game_start().await, rematch);
    let stored = wait_for(&server.store, game, |event| matches!(event, Event::Rematch { .. })).await;
    assert_eq!(stored.events.last().map(|(_, event)| event), Some(&Event::Rematch { game: rematch }));
    assert_eq!(count_rematches(&server.store, game).await, 1);
    server.stop().await;
}

async fn a_rematch_lapses_when_a_participant_stays_away(database: Database) {
    let (game, proposal) = agreed_on_a_rematch(&database).await;
    // Long after the question would have lapsed; whoever comes back soon would still play.
    let later = Clock::starting_at(Clock::system().now().plus(3_600_000));
    let server = Server::start_at(later, &database, |config| config.proposals.rematch_ms = 300).await;
    let stored = wait_for(&server.store, game, |event| matches!(event, Event::Lapsed { .. })).await;
    assert_eq!(stored.events.last().map(|(_, event)| event), Some(&Event::Lapsed { proposal }));
    assert_eq!(count_rematches(&server.store, game).await, 0);
    assert_eq!(server.store.load_pending_follow_ups().await.expect("read"), []);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agreed_rematch_survives_a_kill_right_after_the_vote() {
    let database = Database::sqlite();
    let mut games = Vec::new();
    for _ in 0..rounds(3, 25) {
        let process = Process::start(SERVER, &database.location).await;
        let mut players = guests(&process.url(), Variant::CrossA).await;
        let game = start_game(&mut players, lobby_options(Variant::CrossA)).await;
        players[0].connection.request(Request::Resign { game }).await.expect("done");
        for player in &players {
            let propose = Request::Propose { game, what: ProposalKind::Rematch };
            player.connection.request(propose).await.expect("done");
        }
        process.kill();
        games.push(game);
    }
    let server = Server::start(&database).await;
    for game in games {
        wait_for(&server.store, game, |event| matches!(event, Event::Rematch { .. })).await;
        assert_eq!(count_rematches(&server.store, game).await, 1);
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn coming_and_going_on_sixteen_sockets_fills_no_log() {
    let database = Database::sqlite();
    let server = Server::start_with(&database, without_limits).await;
    let mut players = guests(&server.url, Variant::CrossA).await;
    let game = start_game(&mut players, lobby_options(Variant::CrossA)).await;
    let mut sockets = Vec::new();
    for _ in 0..15 {
        sockets.push(players[0].client.connect().await.expect("a socket"));
    }
    for _ in 0..20 {
        for socket in &sockets {
            socket.request(Request::Depart { game }).await.expect("always done");
            socket.request(Request::Watch { game, after: None }).await.expect("always done");
        }
    }
    let stored = Stored::read(&server.store, game).await;
    let departures = stored.events.iter().filter(|(_, event)| matches!(event, Event::Departed { .. }));
    let limit = Config::defaults().presence.departures as usize;
    assert_eq!((departures.count(), stored.events.len()), (limit, 1 + 2 * limit));
    server.stop().await;
}

/// Waits until a game has left the list of those that are played.
async fn until_unlisted(watcher: &mut TestPlayer, game: GameId) {
    watcher
        .until(|message| match message {
            ServerMessage::GameUnlisted { game: other } if other == game => Some(()),
            _ => None,
        })
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_that_is_left_to_bots_is_in_no_list_of_running_games() {
    let mut metrics = Metrics::somewhere();
    let server = Server::start_with(&Database::sqlite(), |config| {
        config.metrics.listen.clone_from(&metrics.address);
        // While somebody watches, bots take their time: it does not end meanwhile.
        config.bots.delay_ms = 600_000;
    })
    .await;
    let (player, mut watcher) = (TestPlayer::guest(&server.url).await, TestPlayer::guest(&server.url).await);
    let game = Request::PlayNow { variant: Variant::Crossfire, time: None, level: None };
    let game = player.request(game).await.game.expect("a game");
    watcher.request(Request::WatchLobbies).await;
    watcher.request(Request::Watch { game, after: None }).await;
    let mut visitor = server.visitor();
    let mut lists = async |path: &str| visitor.get(path).await.text().contains(&game.to_string());
    assert!(lists("/api/v1/games?status=running").await);
    assert_eq!(metrics.read("kingscross_live_games").await, 1);
    player.request(Request::Resign { game }).await;
    until_unlisted(&mut watcher, game).await;
    assert!(!lists("/api/v1/games?status=running").await);
    assert!(!lists("/api/v1/records?status=running").await);
    assert!(lists("/api/v1/games").await, "it is a game all the same");
    assert_eq!(metrics.read("kingscross_live_games").await, 0);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_that_is_left_to_bots_is_unlisted_and_soon_ends() {
    let server = Server::start_with(&Database::sqlite(), |config| {
        // Nobody would wait for a game at the usual pace.
        config.bots.delay_ms = 20_000;
        config.bots.search_nodes = 200;
        config.bots.level = "page".into();
    })
    .await;
    for variant in [Variant::Crossfire, Variant::Kingdoms, Variant::Quaternity] {
        let player = TestPlayer::guest(&server.url).await;
        let mut watcher = TestPlayer::guest(&server.url).await;
        let game = player.request(Request::PlayNow { variant, time: None, level: None }).await.game;
        let game = game.expect("a game");
        watcher.request(Request::WatchLobbies).await;
        let listed = watcher.until(|message| match message {
            ServerMessage::Lobbies { games, .. } => Some(games.iter().any(|it| it.game == game)),
            _ => None,
        });
        assert!(listed.await);
        player.request(Request::Resign { game }).await;
        until_unlisted(&mut watcher, game).await;
        let ended = async {
            loop {
                let row = server.store.find_game(game).await.expect("read").expect("there");
                if row.summary.status == GameStatus::Finished {
                    return row.summary;
                }
                tokio::task::yield_now().await;
            }
        };
        let summary = tokio::time::timeout(PATIENCE, ended).await.expect("it ends");
        // Sixty rounds, and the one that was begun.
        assert!(summary.ply_count <= 61 * 4, "{summary:?}");
        let events = server.store.load_events(game, Seq(0)).await.expect("read").len();
        assert!(events <= 61 * 4 + 100, "{variant}: {events}");
    }
    server.stop().await;
}
