//! Any text given to the reader of records is refused, or is a game that replays and comes back as it was.

#![no_main]

use kingscross_protocol::GameRecord;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(record) = GameRecord::read(text) else {
        return;
    };
    let game = record.check().expect("it was checked on reading");
    let script = record.script();
    let replayed = script.replay().expect("what is in a record replays");
    assert_eq!(replayed.hash(), game.hash());
    let written = serde_json::to_string(&record).expect("plain data");
    assert_eq!(GameRecord::read(&written).as_ref(), Ok(&record), "{written}");
});
