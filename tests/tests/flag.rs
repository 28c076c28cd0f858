//! Moves that arrive around the moment when the time runs out.

use std::time::Duration;

use kingscross_engine::Variant;
use kingscross_protocol::{ErrorCode, Event, Request, TimeControl};
use kingscross_tests::{
    Chance, Database, Gamer, Server, Stored, Until, arrange, guests, play_all, rounds, stubborn,
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
    let mut gamers = Vec::new();
    for (place, guest) in guests(url, Variant::CrossB).await.into_iter().enumerate() {
        gamers.push(Gamer::connect(&guest, stubborn(), seed << 1 | place as u64).await);
    }
    let game = arrange(&mut gamers, Variant::CrossB, TIME).await;
    // One move each: from then on the flag counts.
    for ply in 0..2 {
        for gamer in &mut gamers {
            while gamer.view.as_ref().is_none_or(|view| view.board.ply < ply) {
                gamer.hear().await;
            }
        }
        let mover = gamers.iter_mut().find(|gamer| is_on_turn(gamer)).expect("someone is on turn");
        let request = a_move(mover);
        mover.command(request, None).await;
    }
    for gamer in &mut gamers {
        while gamer.view.as_ref().is_none_or(|view| view.board.ply < 2) {
            gamer.hear().await;
        }
    }
    let now = Instant::now();
    let mover = gamers.iter().position(is_on_turn).expect("someone is on turn");
    let view = gamers[mover].view.as_ref().expect("watching");
    let (_, left) = view.clocks.remaining.iter().find(|(seat, _)| Some(*seat) == view.you).expect("a clock");
    let flag = now + Duration::from_millis(u64::from(*left));
    let offset = Duration::from_millis(Chance::new(seed).below(101) as u64);
    let request = a_move(&gamers[mover]);
    sleep_until(flag + offset - Duration::from_millis(50)).await;
    gamers[mover].command(request, None).await;

    let was_accepted = gamers[mover].acknowledged.iter().any(|done| done.seq.0 > 3);
    if was_accepted {
        // The other one ends the game.
        let other = &mut gamers[1 - mover];
        while !is_on_turn(other) {
            other.hear().await;
        }
        other.command(Request::Resign { game }, None).await;
    } else {
        let code = gamers[mover].refused.keys().next().expect("refused");
        assert!(matches!(code, ErrorCode::GameOver), "{code:?}");
    }
    let views = play_all(&mut gamers, &Until::ply(1_000)).await;
    let stored = Stored::read(store, game).await;
    stored.check_commands(&gamers);
    stored.check_views(&views);
    let is_flag =
        |event: &Event| matches!(event, Event::Played(played) if played.action.starts_with("timeout:"));
    let was_flagged = stored.events.iter().any(|(_, event)| is_flag(event));
    assert_ne!(was_accepted, was_flagged);
    was_accepted
}

fn is_on_turn(gamer: &Gamer) -> bool {
    gamer.view.as_ref().is_some_and(kingscross_client::GameView::is_my_turn)
}

fn a_move(gamer: &Gamer) -> Request {
    let view = gamer.view.as_ref().expect("watching");
    let legal = view.legal.as_ref().expect("on turn");
    // Cross chess: no move of the first three plies can end the game.
    Request::Move { game: view.game, ply: view.board.ply, mv: legal[0].mv.clone() }
}
