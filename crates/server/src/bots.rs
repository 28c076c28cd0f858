//! Seats played by the server: a driver that plays through the same handle as everyone.

use std::time::{Duration, Instant};

use kingscross_bot::{Budget, Level};
use kingscross_engine::{Game, Seat};
use kingscross_protocol::{CommandId, GameId, ProposalId, ProposalKind, SeatLetter, UserId};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::searches::Whose;
use crate::table::{Command, Core, Reply, TableHandle};

/// Between two tries to be heard by a table that is busy.
const PAUSE: Duration = Duration::from_millis(100);

/// Bots among themselves look at so much less, so that an end comes soon.
const HASTE: u64 = 10;
/// Bots among themselves agree on a draw when nothing was captured for so many rounds, and after so many in any case.
const QUIET_ROUNDS: u32 = 10;
const LONGEST_ROUNDS: u32 = 60;

/// Whether there are bots of this level.
pub fn is_level(level: &str) -> bool {
    level.parse::<Level>().is_ok()
}

/// The levels that are opponents, from the weakest to the strongest.
pub fn levels() -> Vec<String> {
    Level::OPPONENTS.iter().map(|level| level.name().to_owned()).collect()
}

/// The refusal of a level that does not exist: it names the levels that do.
pub(crate) fn unknown_level() -> String {
    format!("There is no such bot level; there are {}.", levels().join(", "))
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
/// a search that nobody waits for any more. `is_watched` is whether somebody follows the game.
pub fn wake(app: &App, handle: &TableHandle, core: &Core, is_watched: bool) -> Option<CancellationToken> {
    let mut awake = None;
    let mut is_asked = false;
    if let Some(open) = core.proposal() {
        // Its move would void its own offer; it waits for the other bots.
        is_asked = core.deserted().is_some() && Some(open.by) == core.game().turn();
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
    let Some((turn, level)) = on_turn(core).filter(|_| !is_asked) else { return awake };
    let search = awake.unwrap_or_else(|| app.stop.child_token());
    let turn = Turn {
        asks: core.person_playing().map_or(Whose::Nobody, Whose::Person),
        is_hasty: core.deserted().is_some() && !is_watched,
        offers: offers_draw(core, turn),
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
    /// Whose game it is.
    asks: Whose,
    /// Nobody plays or watches.
    is_hasty: bool,
    /// A draw is offered instead of a move.
    offers: bool,
    user: UserId,
    seat: Seat,
    level: Level,
    game: Game,
    seed: u64,
}

async fn play(app: App, handle: TableHandle, turn: Turn, search: CancellationToken) {
    let (user, seat, ply) = (turn.user, turn.seat, turn.game.ply());
    let part = if turn.is_hasty { HASTE } else { 1 };
    let nodes = app.config.bots.search_nodes / part;
    let limit = Duration::from_millis(app.config.bots.search_ms / part);
    let delay = if turn.is_hasty { 0 } else { app.config.bots.delay_ms };
    let cancelled = search.clone();
    let work = async {
        tokio::time::sleep(Duration::from_millis(delay)).await;
        if turn.offers {
            let command = Command::Propose { proposal: ProposalId::fresh(), what: ProposalKind::Draw };
            if say(app.clone(), handle.clone(), (user, seat), command, cancelled.clone()).await {
                return None;
            }
        }
        let (game, asks) = (handle.game, turn.asks);
        let mv = app
            .searches
            .run(asks, game, move |share| {
                let nodes = (nodes as f64 * share) as u64;
                choose(&turn, nodes, limit.mul_f64(share), &cancelled)
            })
            .await;
        if mv.is_none() {
            tracing::error!(%game, "a bot's search failed");
        }
        mv
    };
    let Some(Some(mv)) = search.run_until_cancelled(work).await else { return };
    say(app, handle, (user, seat), Command::Move { ply, mv }, search).await;
}

/// Tells the table until it listens: one that is busy does not wake its bots again. Whether it was done.
async fn say(
    app: App,
    handle: TableHandle,
    (user, seat): (UserId, Seat),
    command: Command,
    search: CancellationToken,
) -> bool {
    let id = CommandId::fresh();
    while !handle.is_gone() {
        let (reply, answer) = Reply::channel();
        handle.command(user, seat, id, command.clone(), app.clock.now(), reply);
        match search.run_until_cancelled(answer).await {
            Some(Ok(Err(error))) if error.retryable => {}
            Some(Ok(Err(error))) => {
                // Too late, for instance.
                tracing::debug!(game = %handle.game, ?error, "a bot was refused");
                return false;
            }
            // Cancelled by the event that it made, too.
            Some(Ok(Ok(_)) | Err(_)) | None => return true,
        }
        if search.run_until_cancelled(tokio::time::sleep(PAUSE)).await.is_none() {
            return true;
        }
    }
    true
}

/// The nodes make a bot's choice repeatable; the time limit only protects the server.
fn choose(turn: &Turn, nodes: u64, limit: Duration, cancelled: &CancellationToken) -> String {
    let started = Instant::now();
    let is_over = || cancelled.is_cancelled() || started.elapsed() >= limit;
    let budget = Budget::until(nodes, &is_over);
    kingscross_bot::choose(&turn.game, turn.level, turn.seed, &budget).text(turn.game.variant())
}

/// Whether bots among themselves have nothing to play for any more.
fn is_played_out(core: &Core) -> bool {
    let Some((since, _)) = core.deserted() else { return false };
    let players = core.rules().turn_order.len() as u32;
    let game = core.game();
    game.position().quiet_plies() >= QUIET_ROUNDS * players || game.ply() - since >= LONGEST_ROUNDS * players
}

/// Bots offer draws to bots only: people are not to be pestered.
fn offers_draw(core: &Core, seat: Seat) -> bool {
    let offers = |level| kingscross_bot::offers_draw(core.game(), seat, level, core.secret_for(seat));
    core.deserted().is_some()
        && core.may_offer_draw(seat)
        && (is_played_out(core) || level_of(core, seat).is_some_and(offers))
}

fn accepts_draw(core: &Core, seat: Seat) -> bool {
    if is_played_out(core) {
        return true;
    }
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
