//! A crowd that throws hostile frames at a running server while a game goes on: nothing panics, nothing leaks, and the
//! game is played as if nobody else were there. A million frames with `KINGSCROSS_LONG`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kingscross_client::{Client, Lost, Socket};
use kingscross_engine::{SplitMix64, Variant};
use kingscross_protocol::{ClientMessage, CommandId, GameId, Request, ServerMessage, TimeControl};
use kingscross_tests::{
    Database, Program, Stored, TestPlayer, Until, guest_clients, persistent, play_all, rounds, start_tracked,
};
use tokio_tungstenite::tungstenite::Message;

/// Attackers at once; each is a guest of its own.
const CROWD: u64 = 6;
/// Frames that are sent before the attacker hears what the server says of them.
const VOLLEY: usize = 20;
/// What a process may grow by for reasons that do not grow with the frames, in KiB.
const SLACK: u64 = 48 << 10;

/// Every message that a client may send, from the examples of the protocol, about this game.
fn examples(game: GameId) -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/examples");
    let files = std::fs::read_dir(folder).expect("examples").map(|entry| entry.expect("readable").path());
    let mut files: Vec<_> = files
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("client.")))
        .collect();
    files.sort();
    let mut messages = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).expect("text");
        let examples: Vec<serde_json::Value> = serde_json::from_str(&text).expect("a list of examples");
        for mut example in examples {
            if example["game"].is_string() {
                example["game"] = game.to_string().into();
            }
            messages.push(example.to_string());
        }
    }
    messages
}

/// One attacker's stock of ideas.
struct Malice {
    chance: SplitMix64,
    messages: Arc<Vec<String>>,
}

impl Malice {
    fn text(&mut self) -> String {
        let message = self.messages[self.chance.below(self.messages.len())].clone();
        match self.chance.below(10) {
            // Sound messages of strangers, about the game that is played.
            0..=2 => message,
            3 | 4 => self.bent(message),
            5 => {
                let depth = 1 + self.chance.below(3000);
                format!("{}{}", "[".repeat(depth), "]".repeat(depth))
            }
            6 => message.replacen(':', &format!(":{}", "9".repeat(1 + self.chance.below(400))), 1),
            7 => {
                let length = self.chance.below(300);
                (0..length).map(|_| char::from_u32(self.chance.below(0xd7ff) as u32).unwrap_or('x')).collect()
            }
            8 => message.replace("\"id\"", "\"ID\""),
            _ => String::new(),
        }
    }

    /// A sound message with some bytes changed, removed or doubled.
    fn bent(&mut self, message: String) -> String {
        let mut bytes = message.into_bytes();
        for _ in 0..=self.chance.below(4) {
            let at = self.chance.below(bytes.len());
            match self.chance.below(3) {
                0 => bytes[at] = b' ' + self.chance.below(95) as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, bytes[at]),
            }
            if bytes.is_empty() {
                break;
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    async fn throw(&mut self, socket: &mut Socket) -> Result<(), Lost> {
        match self.chance.below(400) {
            0 => socket.send_frame(Message::Binary(vec![0; self.chance.below(2000)].into())).await,
            1 => socket.send_text("x".repeat(8000 + self.chance.below(2000)).into()).await,
            2 => socket.send_raw(&[0xff; 40]).await,
            // The head of a frame of 2^60 bytes that never come.
            3 => socket.send_raw(&[0x81, 0xff, 0x10, 0, 0, 0, 0, 0, 0, 0]).await,
            4 => socket.send_frame(Message::Close(None)).await,
            5..=12 => socket.send_frame(Message::Pong(vec![7; self.chance.below(125)].into())).await,
            13..=20 => socket.send_frame(Message::Ping(vec![7; self.chance.below(125)].into())).await,
            _ => {
                let text = self.text();
                socket.send_text(text.into()).await
            }
        }
    }
}

/// Waits until the server has dealt with all that was thrown, or has closed the socket.
async fn settled(socket: &mut Socket) -> Result<(), Lost> {
    let id = CommandId::fresh();
    socket.send(&ClientMessage { id, request: Request::Ping }).await?;
    loop {
        let text = socket.next().await?;
        let message: ServerMessage = serde_json::from_str(&text).expect("the server speaks the protocol");
        match message {
            ServerMessage::Ok { id: answered, .. } if answered == id => return Ok(()),
            ServerMessage::Error { id: Some(answered), .. } if answered == id => return Ok(()),
            _ => {}
        }
    }
}

async fn attack(client: Client, mut malice: Malice, left: Arc<AtomicUsize>) {
    let take = || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
    while left.load(Ordering::Relaxed) > 0 {
        let mut socket = client.socket().await.expect("whoever was thrown out may come back");
        if socket.greet("hostile").await.is_err() {
            continue;
        }
        'open: loop {
            for _ in 0..VOLLEY {
                if !take() {
                    return;
                }
                if malice.throw(&mut socket).await.is_err() {
                    break 'open;
                }
            }
            if settled(&mut socket).await.is_err() {
                break;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_of_hostile_frames_disturbs_nobody() {
    let frames = rounds(20_000, 1_000_000);
    let database = Database::sqlite();
    let settings = [
        // Let more through than usual, so that more is tried before the door closes.
        ("LIMITS__FLOOD_MESSAGES", "2000"),
        ("WEBSOCKET__SILENCE_MS", "5000"),
        ("TABLES__MAX_GAMES_PER_USER", "4"),
        // The players play as fast as they are answered.
        ("LIMITS__PLAYING_MESSAGES", "1000000"),
        ("LIMITS__MOVES_BURST", "1000000"),
        ("LIMITS__MOVES_PER_SECOND", "1000000"),
    ];
    let server = Program::start(env!("CARGO_BIN_EXE_kingscross"), &database.location, &settings);

    let mut players = Vec::new();
    for (seed, client) in guest_clients(&server.url, Variant::Crossfire).await.iter().enumerate() {
        players.push(TestPlayer::connect_with(client, persistent(), seed as u64).await);
    }
    let game = start_tracked(&mut players, Variant::Crossfire, TimeControl::increment(3_600_000, 0)).await;
    let messages = Arc::new(examples(game));
    let mut crowd = Vec::new();
    for _ in 0..CROWD {
        crowd.push(Client::guest(&server.url).await.expect("guests are welcome"));
    }

    // Players play all the while; game after game, since a random game may end by itself.
    let until = Until { ply: u32::MAX, stop: tokio_util::sync::CancellationToken::new(), count: None };
    let stop = until.stop.clone();
    let playing = tokio::spawn(async move {
        let mut played = Vec::new();
        loop {
            let views = play_all(&mut players, &until).await;
            played.push(views[0].game);
            if until.stop.is_cancelled() {
                return (players, played);
            }
            start_tracked(&mut players, Variant::Crossfire, TimeControl::increment(3_600_000, 0)).await;
        }
    });

    let wave = async |frames: usize, seed: u64| {
        let left = Arc::new(AtomicUsize::new(frames));
        let attacks: Vec<_> = crowd
            .iter()
            .zip(0..)
            .map(|(client, number)| {
                let chance = SplitMix64::new(seed << 8 | number);
                let malice = Malice { chance, messages: messages.clone() };
                tokio::spawn(attack(client.clone(), malice, left.clone()))
            })
            .collect();
        for attack in attacks {
            attack.await.expect("the server stays polite");
        }
    };
    // Whatever is kept once is kept after the first wave; only a leak grows with the second.
    wave(frames / 10, 1).await;
    let before = server.memory_kib();
    let begun = std::time::Instant::now();
    wave(frames, 2).await;
    let took = begun.elapsed();
    let after = server.memory_kib();
    stop.cancel();
    let (players, played) = playing.await.expect("no player was told anything wrong");
    println!("{frames} frames in {took:.0?}; {} games; {before} KiB before, {after} KiB after", played.len());
    assert!(after < before + SLACK, "{before} KiB before, {after} KiB after {frames} frames");
    for player in &players {
        assert!(player.refusals.is_empty(), "a player was refused: {:?}", player.refusals);
        assert!(!player.acknowledged.is_empty(), "the game went on");
    }
    let words = server.end();
    assert!(!words.contains("panicked") && !words.contains("ERROR"), "{words}");
    let store = database.open().await;
    for game in played {
        Stored::read(&store, game).await.check_commands(&players);
    }
    store.close().await;
}
