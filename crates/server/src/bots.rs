//! Seats played by the server: a driver that plays through the same handle as everyone.

use std::time::Duration;

use kingscross_engine::{Game, Seat};
use kingscross_protocol::{CommandId, ProposalId, ProposalKind, UserId};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::table::{Command, Core, Reply, TableHandle};

/// The levels that can be asked for, weakest first.
pub fn levels() -> &'static [&'static str] {
    &["random"]
}

/// Whether there are bots of this level.
pub fn is_level(level: &str) -> bool {
    levels().contains(&level)
}

/// The name under which a bot plays.
pub fn name(level: &str) -> String {
    let mut letters = level.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{} (bot)", letters.as_str())
}

/// Lets the bots of a table do what is theirs to do now: answer a question, play a move. Cancelling the token ends
/// a search that nobody waits for any more.
pub fn wake(app: &App, handle: &TableHandle, core: &Core) -> Option<CancellationToken> {
    if let Some(open) = core.proposal() {
        for &seat in core.rules().turn_order {
            if open.awaits(seat) && core.bot_level(seat).is_some() {
                // A bot never minds to stop or to play again, but it plays a game to its end.
                vote(app, handle, core, seat, open.id, open.what != ProposalKind::Draw);
            }
        }
    }
    let turn = core.game().turn().filter(|_| core.is_running())?;
    let level = core.bot_level(turn)?.to_owned();
    let search = app.stop.child_token();
    let turn = Turn {
        user: user_of(core, turn),
        seat: turn,
        level,
        game: core.game().clone(),
        seed: core.secret_for(turn),
    };
    app.tracker.spawn(play(app.clone(), handle.clone(), turn, search.clone()));
    Some(search)
}

struct Turn {
    user: UserId,
    seat: Seat,
    level: String,
    game: Game,
    seed: u64,
}

async fn play(app: App, handle: TableHandle, turn: Turn, search: CancellationToken) {
    let (user, seat, ply) = (turn.user, turn.seat, turn.game.ply());
    let work = async {
        tokio::time::sleep(Duration::from_millis(app.config.bots.delay_ms)).await;
        let _permit = app.searches.acquire().await.ok()?;
        tokio::task::spawn_blocking(move || choose(&turn)).await.ok().flatten()
    };
    let Some(Some(mv)) = search.run_until_cancelled(work).await else { return };
    let (reply, answer) = Reply::channel();
    handle.command(user, seat, CommandId::fresh(), Command::Move { ply, mv }, app.clock.now(), reply);
    if let Ok(Err(error)) = answer.await
        && !error.retryable
    {
        // A frozen table wakes its bots again by itself; a move that came too late is refused as stale.
        tracing::debug!(game = %handle.game, ?error, "a bot's move was refused");
    }
}

fn choose(turn: &Turn) -> Option<String> {
    let choices = turn.game.choices();
    let digest = Sha256::new()
        .chain_update(turn.seed.to_le_bytes())
        .chain_update(turn.game.ply().to_le_bytes())
        .chain_update(turn.level.as_bytes())
        .finalize();
    let number = u64::from_le_bytes(digest[..8].try_into().expect("32 bytes"));
    let index = usize::try_from(number % choices.len().max(1) as u64).expect("smaller than a length");
    choices.get(index).map(|choice| choice.action.text(turn.game.variant()))
}

fn vote(app: &App, handle: &TableHandle, core: &Core, seat: Seat, proposal: ProposalId, accept: bool) {
    let command = Command::Vote { proposal, accept };
    let (reply, _answer) = Reply::channel();
    handle.command(user_of(core, seat), seat, CommandId::fresh(), command, app.clock.now(), reply);
}

fn user_of(core: &Core, seat: Seat) -> UserId {
    let letter = core.letter(seat);
    let player = core.setup().players.iter().find(|player| player.seat == letter);
    player.expect("every seat has a player").user
}
