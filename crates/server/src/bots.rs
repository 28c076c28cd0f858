//! Seats played by the server: a driver that plays through the same handle as everyone.

use std::time::{Duration, Instant};

use kingscross_bot::{Budget, Level};
use kingscross_engine::{Game, Seat};
use kingscross_protocol::{CommandId, GameId, ProposalKind, SeatLetter, UserId};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::table::{Command, Core, Reply, TableHandle};

/// Between two tries to be heard by a table that is busy.
const PAUSE: Duration = Duration::from_millis(100);

/// Whether there are bots of this level.
pub fn is_level(level: &str) -> bool {
    level.parse::<Level>().is_ok()
}

/// The levels that are opponents, from the weakest to the strongest.
pub fn levels() -> Vec<String> {
    Level::OPPONENTS.iter().map(|level| level.name().to_owned()).collect()
}

/// The name under which a bot plays.
pub fn name(level: &str) -> String {
    let mut letters = level.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{} (bot)", letters.as_str())
}

/// The id of the bot at a seat of a game. Bots have no account: each is one of its game, and its id follows from game
/// and seat, so that lists, tables and records name the same one.
pub fn user(game: GameId, seat: SeatLetter) -> UserId {
    let digest =
        Sha256::new().chain_update(game.0).chain_update(b"bot").chain_update([seat.0 as u8]).finalize();
    let bytes = digest[..16].try_into().expect("32 bytes");
    UserId(uuid::Builder::from_custom_bytes(bytes).into_uuid())
}

/// Lets the bots of a table do what is theirs to do now: answer a question, play a move. Cancelling the token ends
/// a search that nobody waits for any more.
pub fn wake(app: &App, handle: &TableHandle, core: &Core) -> Option<CancellationToken> {
    let mut awake = None;
    if let Some(open) = core.proposal() {
        for &seat in core.rules().turn_order {
            if open.awaits(seat) && core.bot_level(seat).is_some() {
                // A bot never minds to stop or to play again.
                let accept = open.what != ProposalKind::Draw || accepts_draw(core, seat);
                let search = awake.get_or_insert_with(|| app.stop.child_token()).clone();
                let command = Command::Vote { proposal: open.id, accept };
                let voting = say(app.clone(), handle.clone(), (user_of(core, seat), seat), command, search);
                app.tracker.spawn(voting);
            }
        }
    }
    let Some((turn, level)) = on_turn(core) else { return awake };
    let search = awake.unwrap_or_else(|| app.stop.child_token());
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

/// The bot on turn.
fn on_turn(core: &Core) -> Option<(Seat, Level)> {
    let turn = core.game().turn().filter(|_| core.is_running())?;
    Some((turn, level_of(core, turn)?))
}

struct Turn {
    user: UserId,
    seat: Seat,
    level: Level,
    game: Game,
    seed: u64,
}

async fn play(app: App, handle: TableHandle, turn: Turn, search: CancellationToken) {
    let (user, seat, ply) = (turn.user, turn.seat, turn.game.ply());
    let (nodes, limit) = (app.config.bots.search_nodes, Duration::from_millis(app.config.bots.search_ms));
    let cancelled = search.clone();
    let work = async {
        tokio::time::sleep(Duration::from_millis(app.config.bots.delay_ms)).await;
        let game = handle.game;
        let mv = app.searches.run(move || choose(&turn, nodes, limit, &cancelled)).await;
        if mv.is_none() {
            tracing::error!(%game, "a bot's search failed");
        }
        mv
    };
    let Some(Some(mv)) = search.run_until_cancelled(work).await else { return };
    say(app, handle, (user, seat), Command::Move { ply, mv }, search).await;
}

/// Tells the table until it listens: one that is busy does not wake its bots again.
async fn say(
    app: App,
    handle: TableHandle,
    (user, seat): (UserId, Seat),
    command: Command,
    search: CancellationToken,
) {
    let id = CommandId::fresh();
    while !handle.is_gone() {
        let (reply, answer) = Reply::channel();
        handle.command(user, seat, id, command.clone(), app.clock.now(), reply);
        match search.run_until_cancelled(answer).await {
            Some(Ok(Err(error))) if error.retryable => {}
            Some(Ok(Err(error))) => {
                // Too late, for instance.
                return tracing::debug!(game = %handle.game, ?error, "a bot was refused");
            }
            Some(Ok(Ok(_)) | Err(_)) | None => return,
        }
        if search.run_until_cancelled(tokio::time::sleep(PAUSE)).await.is_none() {
            return;
        }
    }
}

/// The nodes make a bot's choice repeatable; the time limit only protects the server.
fn choose(turn: &Turn, nodes: u64, limit: Duration, cancelled: &CancellationToken) -> String {
    let started = Instant::now();
    let is_over = || cancelled.is_cancelled() || started.elapsed() >= limit;
    let budget = Budget::until(nodes, &is_over);
    kingscross_bot::choose(&turn.game, turn.level, turn.seed, &budget).text(turn.game.variant())
}

fn accepts_draw(core: &Core, seat: Seat) -> bool {
    let level = level_of(core, seat);
    level.is_some_and(|level| kingscross_bot::accepts_draw(core.game(), seat, level, core.secret_for(seat)))
}

/// The level of the bot at a seat; one that this version does not know plays as the weakest opponent.
fn level_of(core: &Core, seat: Seat) -> Option<Level> {
    core.bot_level(seat).map(|name| name.parse().unwrap_or(Level::Page))
}

fn user_of(core: &Core, seat: Seat) -> UserId {
    let letter = core.letter(seat);
    let player = core.setup().players.iter().find(|player| player.seat == letter);
    player.expect("every seat has a player").user
}
