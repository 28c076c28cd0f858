//! Opponents are found over real sockets: tickets, ready checks, cancels, bots, restarts.

use std::collections::BTreeSet;

use kingscross_protocol::{GameId, QueueEnd, Request, ServerMessage};
use kingscross_tests::{Database, Player, Server, on_both_databases};

on_both_databases!(four_players_are_matched_confirm_and_play, a_ticket_survives_a_restart);

fn join(pool: &str) -> Request {
    Request::JoinQueue { pool: pool.to_owned(), bots: false }
}

async fn match_name(player: &mut Player) -> String {
    player
        .until(|message| match message {
            ServerMessage::Match { r#match, .. } => Some(r#match.clone()),
            _ => None,
        })
        .await
}

async fn out(player: &mut Player) -> QueueEnd {
    player
        .until(|message| match message {
            ServerMessage::Unqueued { why } => Some(*why),
            _ => None,
        })
        .await
}

async fn four_players_are_matched_confirm_and_play(database: Database) {
    let server = Server::start(&database).await;
    let mut players = Vec::new();
    for _ in 0..4 {
        players.push(Player::guest(&server).await);
    }
    for player in &players {
        player.ask(join("crossfire/5+3")).await;
    }
    let mut names = BTreeSet::new();
    for player in &mut players {
        names.insert(match_name(player).await);
    }
    assert_eq!(names.len(), 1, "one match for all");
    let name = names.pop_first().expect("one");
    assert_eq!(players[0].refused(join("kingdoms/5+3")).await, "conflict");
    assert_eq!(players[0].refused(Request::Confirm { r#match: "1".into() }).await, "no_match");
    for player in &players {
        player.ask(Request::Confirm { r#match: name.clone() }).await;
    }
    let mut games: BTreeSet<GameId> = BTreeSet::new();
    for player in &mut players {
        games.insert(player.game_start().await);
    }
    assert_eq!(games.len(), 1);
    assert_eq!(players[0].refused(Request::LeaveQueue).await, "not_queued");
    assert_eq!(players[0].refused(join("crossfire/5+3")).await, "conflict", "who plays is not queued");
    assert!(server.store.load_tickets().await.expect("read").is_empty());
    server.stop().await;
}

async fn a_ticket_survives_a_restart(database: Database) {
    let server = Server::start(&database).await;
    let player = Player::guest(&server).await;
    player.ask(join("cross-a/5+3")).await;
    let http = player.http.clone();
    server.stop().await;

    let server = Server::start(&database).await;
    let mut cookie = server.visitor();
    cookie.cookie = http.cookie;
    let mut back = Player::connect(&server, cookie).await;
    let waited = back
        .until(|message| match message {
            ServerMessage::Queue(view) if view.pool == "cross-a/5+3" => Some(view.waited),
            _ => None,
        })
        .await;
    assert!(waited > 0, "the place is kept");
    let mut other = Player::guest(&server).await;
    other.ask(join("cross-a/5+3")).await;
    let name = match_name(&mut back).await;
    back.ask(Request::Confirm { r#match: name.clone() }).await;
    other.ask(Request::Confirm { r#match: name }).await;
    assert_eq!(back.game_start().await, other.game_start().await);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_voids_the_match_and_the_others_wait_on() {
    let database = Database::sqlite();
    let server = Server::start(&database).await;
    let (mut one, mut two) = (Player::guest(&server).await, Player::guest(&server).await);
    one.ask(join("cross-b/5+3")).await;
    two.ask(join("cross-b/5+3")).await;
    let name = match_name(&mut one).await;
    one.ask(Request::Confirm { r#match: name.clone() }).await;
    two.ask(Request::LeaveQueue).await;
    assert_eq!(out(&mut two).await, QueueEnd::Left);
    assert_eq!(one.refused(Request::Confirm { r#match: name }).await, "no_match");
    let mut three = Player::guest(&server).await;
    three.ask(join("cross-b/5+3")).await;
    let name = match_name(&mut three).await;
    one.ask(Request::Confirm { r#match: name.clone() }).await;
    three.ask(Request::Confirm { r#match: name }).await;
    assert_eq!(one.game_start().await, three.game_start().await);
    assert_eq!(one.refused(join("no/such")).await, "unknown_pool");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_fill_the_seats_with_consent_and_a_cross_match_is_two_games() {
    let database = Database::sqlite();
    let server = Server::start_with(&database, |config| config.matchmaking.bots_after_ms = 0).await;
    let mut alone = Player::guest(&server).await;
    alone.ask(Request::JoinQueue { pool: "quaternity/5+3".into(), bots: true }).await;
    let name = match_name(&mut alone).await;
    alone.ask(Request::Confirm { r#match: name }).await;
    let game = alone.game_start().await;
    let view = server.visitor().get(&format!("/api/v1/games/{game}")).await.json();
    let bots = view["players"].as_array().expect("players").iter().filter(|it| it["bot"].is_string()).count();
    assert_eq!((bots, &view["rated"]), (3, &serde_json::json!(false)));

    let (mut one, two) = (Player::account(&server, "Ada").await, Player::account(&server, "Bob").await);
    one.ask(join("cross-match/5+3")).await;
    two.ask(join("cross-match/5+3")).await;
    let name = match_name(&mut one).await;
    one.ask(Request::Confirm { r#match: name.clone() }).await;
    two.ask(Request::Confirm { r#match: name }).await;
    let (a, b) = (one.game_start().await, one.game_start().await);
    let mut visitor = server.visitor();
    let on_a = visitor.get(&format!("/api/v1/games/{a}")).await.json();
    let on_b = visitor.get(&format!("/api/v1/games/{b}")).await.json();
    assert_eq!((&on_a["variant"], &on_b["variant"]), (&"cross-a".into(), &"cross-b".into()));
    assert_eq!(on_a["players"][0]["user"], on_b["players"][1]["user"], "colours are swapped");
    assert_eq!(
        (&on_a["setup"]["twin"], &on_b["setup"]["twin"]),
        (&serde_json::json!(b), &serde_json::json!(a))
    );
    assert_eq!(on_a["rated"], true);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_confirm_in_time_is_out() {
    let database = Database::sqlite();
    let server = Server::start_with(&database, |config| config.matchmaking.ready_check_ms = 200).await;
    let (mut one, mut two) = (Player::guest(&server).await, Player::guest(&server).await);
    one.ask(join("cross-b/5+3")).await;
    two.ask(join("cross-b/5+3")).await;
    match_name(&mut one).await;
    assert_eq!((out(&mut one).await, out(&mut two).await), (QueueEnd::Unconfirmed, QueueEnd::Unconfirmed));
    let pools = server.visitor().get("/api/v1/pools").await.json();
    let pool =
        pools.as_array().expect("pools").iter().find(|it| it["pool"] == "cross-b/5+3").expect("the pool");
    assert_eq!((&pool["players"], &pool["needed"]), (&serde_json::json!(0), &serde_json::json!(2)));
    server.stop().await;
}
