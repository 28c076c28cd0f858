//! Any lines given to the `engine` command are answered, each with one line that is a JSON object.

#![no_main]

use kingscross_engine::command::Session;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut session = Session::new();
    for line in text.lines().take(50) {
        // A deep perft is slow, not wrong.
        let is_deep = |digits: &str| !matches!(digits, "" | "0" | "1" | "2");
        if line.contains("perft") && line.split(|sign: char| !sign.is_ascii_digit()).any(is_deep) {
            continue;
        }
        let answer = session.answer(line);
        assert!(!answer.contains('\n'), "an answer is one line");
        let value: serde_json::Value = serde_json::from_str(&answer).expect("an answer is JSON");
        assert!(value.is_object());
    }
});
