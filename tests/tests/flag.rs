//! Moves that arrive around the moment when the time runs out.

use std::time::Duration;

use kingscross_engine::{SplitMix64, Variant};
use kingscross_protocol::{ErrorCode, Event, Request, TimeControl};
use kingscross_tests::{
    Database, Server, Stored, TestPlayer, Until, guest_clients, persistent, play_all, rounds, start_tracked,
};
use tokio::time::{Instant, sleep_until};

const LIMIT: Duration = Duration::from_secs(300);

/// The shortest that the server plays.
const TIME: TimeControl = TimeControl::increment(10_000, 0);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_around_the_flag_is_accepted_or_flagged_and_everyone_sees_the_same() {
    let server = Server::start(&Database::sqlite()).await;
    let games: Vec<_> = (0..rounds(40, 200))
        .map(|number| {
            let (url, store) = (server.url.clone(), server.store.clone());
            tokio::spawn(async move {
                let game = one_game(&url, &store, number as u64);
                tokio::time::timeout(LIMIT, game).await.expect("the game ends in time")
            })
        })
        .collect();
    let (mut accepted, all) = (0, games.len());
    for game in games {
        accepted += usize::from(game.await.expect("everyone saw the same"));
    }
    println!("{accepted} accepted, {} flagged", all - accepted);
    server.stop().await;
}

/// Whether the move was accepted.
async fn one_game(url: &str, store: &kingscross_storage::Store, seed: u64) -> bool {
    let mut players = Vec::new();
    for (place, guest) in guest_clients(url, Variant::CrossB).await.into_iter().enumerate() {
        players.push(TestPlayer::connect_with(&guest, persistent(), seed << 1 | place as u64).await);
    }
    let game = start_tracked(&mut players, Variant::CrossB, TIME).await;
    // One move each: from then on the flag counts.
    for ply in 0..2 {
        for player in &mut players {
            while player.view.as_ref().is_none_or(|view| view.board.ply < ply) {
                player.take_message().await;
            }
        }
        let mover = players.iter_mut().find(|player| is_on_turn(player)).expect("someone is on turn");
        let request = a_move(mover);
        mover.command(request, None).await;
    }
    for player in &mut players {
        while player.view.as_ref().is_none_or(|view| view.board.ply < 2) {
            player.take_message().await;
        }
    }
    let now = Instant::now();
    let mover = players.iter().position(is_on_turn).expect("someone is on turn");
    let view = players[mover].view.as_ref().expect("watching");
    let (_, left) = view.clocks.remaining.iter().find(|(seat, _)| Some(*seat) == view.you).expect("a clock");
    let flag = now + Duration::from_millis(u64::from(*left));
    let offset = Duration::from_millis(SplitMix64::new(seed).below(101) as u64);
    let request = a_move(&players[mover]);
    sleep_until(flag + offset - Duration::from_millis(50)).await;
    players[mover].command(request, None).await;

    let was_accepted = players[mover].acknowledged.iter().any(|done| done.seq.0 > 3);
    if was_accepted {
        // The other one ends the game.
        let other = &mut players[1 - mover];
        while !is_on_turn(other) {
            other.take_message().await;
        }
        other.command(Request::Resign { game }, None).await;
    } else {
        let code = players[mover].refusals.keys().next().expect("refused");
        assert!(matches!(code, ErrorCode::GameOver), "{code:?}");
    }
    let views = play_all(&mut players, &Until::ply(1_000)).await;
    let stored = Stored::read(store, game).await;
    stored.check_commands(&players);
    stored.check_views(&views);
    let is_flag =
        |event: &Event| matches!(event, Event::Played(played) if played.action.starts_with("timeout:"));
    let was_flagged = stored.events.iter().any(|(_, event)| is_flag(event));
    assert_ne!(was_accepted, was_flagged);
    was_accepted
}

fn is_on_turn(player: &TestPlayer) -> bool {
    player.view.as_ref().is_some_and(kingscross_client::GameView::is_my_turn)
}

fn a_move(player: &TestPlayer) -> Request {
    let view = player.view.as_ref().expect("watching");
    let legal = view.legal.as_ref().expect("on turn");
    // Cross chess: no move of the first three plies can end the game.
    Request::Move { game: view.game, ply: view.board.ply, mv: legal[0].mv.clone() }
}
