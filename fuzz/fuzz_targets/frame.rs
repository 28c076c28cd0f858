//! Any text read as a message of either side is refused or written back as the same message; a snapshot among them
//! becomes a consistent view, or is refused.

#![no_main]

use kingscross_client::GameView;
use kingscross_protocol::{ClientMessage, ServerMessage};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(message) = serde_json::from_str::<ClientMessage>(text) {
        let written = serde_json::to_string(&message).expect("messages are plain data");
        assert_eq!(serde_json::from_str::<ClientMessage>(&written).ok(), Some(message), "{written}");
    }
    let mut view = None;
    // One message a line, as they come over one socket.
    for line in text.lines().take(50) {
        let Ok(message) = serde_json::from_str::<ServerMessage>(line) else {
            continue;
        };
        let written = serde_json::to_string(&message).expect("messages are plain data");
        let again: ServerMessage = serde_json::from_str(&written).expect("what we write we read");
        assert_eq!(serde_json::to_string(&again).expect("plain data"), written);
        match (message, &mut view) {
            (ServerMessage::Snapshot(snapshot), view @ None) => *view = GameView::new(*snapshot).ok(),
            (message, Some(view)) => {
                // An inconsistent message is told to its client, which asks for a snapshot.
                let _ = view.apply(&message);
            }
            (_, None) => {}
        }
    }
});
