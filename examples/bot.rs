//! A bot for Kingscross: takes what it can, otherwise plays anything.
//!
//! ```text
//! cargo run -p kingscross-client --example bot -- URL TOKEN [VARIANT]
//! ```
//! The token is made on the account page (scopes `read` and `play`). With a variant the bot starts a game of it
//! against bots of the server and ends with that game; without one it plays every game that its account is in, for ever.

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use kingscross_client::{Client, Incoming, Unanswered};
use kingscross_protocol::{Choice, Ending, GameId, Request, ServerMessage};
use tokio::time::sleep;

/// Before a move that was refused for the moment is sent again.
const PAUSE: Duration = Duration::from_secs(1);

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        // Said as people read it; returned from here, it would be shown as the program knows it.
        Err(error) => {
            eprintln!("bot: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, token, variant @ ..] = arguments.as_slice() else {
        return Err("usage: bot URL TOKEN [VARIANT]".into());
    };
    let client = Client::with_token(url, token.as_str())?;
    let ending = play(&client, variant.first().map(String::as_str)).await?;
    println!("{}", serde_json::to_string(&ending)?);
    Ok(())
}

/// Plays until the game that it starts has ended; for ever, if it starts none.
pub async fn play(client: &Client, variant: Option<&str>) -> Result<Option<Ending>, Box<dyn Error>> {
    let mut connection = client.connect().await?;
    // One stream announces all games of the account, and whose turn it is in each.
    connection.request(Request::Stream).await?;
    let mut own: Option<GameId> = None;
    if let Some(variant) = variant {
        let start = Request::PlayNow { variant: variant.parse()?, time: None, level: None };
        own = connection.request(start).await?.game;
    }
    loop {
        match connection.next().await {
            Some(Incoming::Message(ServerMessage::YourTurn { game, ply, legal, .. })) => {
                let Some(choice) = choose(&legal, ply) else { continue };
                loop {
                    let request = Request::Move { game, ply, mv: choice.mv.clone() };
                    match connection.request(request).await {
                        // Too fast for the server, or it cannot store anything now.
                        Err(Unanswered::Refused(refusal)) if refusal.error.retryable => sleep(PAUSE).await,
                        // After a reconnect a turn is announced again, whose move may have arrived already.
                        Ok(_) | Err(Unanswered::Refused(_)) => break,
                        Err(error) => return Err(error.into()),
                    }
                }
            }
            Some(Incoming::Message(ServerMessage::GameEnd { game, ending })) if own == Some(game) => {
                return Ok(ending);
            }
            // The connection comes back by itself and announces every game anew.
            Some(Incoming::Message(_) | Incoming::Lost(_) | Incoming::Resumed { .. }) => {}
            Some(Incoming::Ended(lost)) => return Err(lost.into()),
            None => return Err("the connection has ended".into()),
        }
    }
}

/// A capture if there is one; otherwise some move that depends on the ply alone, so that games can be repeated.
fn choose(legal: &[Choice], ply: u32) -> Option<&Choice> {
    let captures: Vec<&Choice> = legal.iter().filter(|choice| choice.captures.is_some()).collect();
    let any = ply as usize * 7919;
    captures.get(any % captures.len().max(1)).copied().or_else(|| legal.get(any % legal.len().max(1)))
}
