//! Any text given as a configuration file is refused in words, or results in a configuration that is printed as a file
//! which means the same.

#![no_main]

use kingscross_server::config::Config;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Config::read(text) {
        Ok(config) => {
            let printed = config.to_toml();
            let again = Config::read(&printed).expect("what is printed can be used");
            assert_eq!(again.to_toml(), printed);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
