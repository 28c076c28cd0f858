//! Any lines given to the `engine` command are answered, each with one line that is a JSON object.

#![no_main]

use kingscross_engine::command::Session;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut session = Session::new();
    for line in input.split(|byte| *byte == b'\n').take(50) {
        // A deep perft is slow, not wrong.
        let is_deep = |digits: &[u8]| !matches!(digits, b"" | b"0" | b"1" | b"2");
        let names_perft = line.windows(5).any(|word| word == b"perft") || line.contains(&b'\\');
        if names_perft && line.split(|sign| !sign.is_ascii_digit()).any(is_deep) {
            continue;
        }
        let answer = session.answer(line);
        assert!(!answer.contains('\n'), "an answer is one line");
        let value: serde_json::Value = serde_json::from_str(&answer).expect("an answer is JSON");
        assert!(value.is_object());
    }
});
