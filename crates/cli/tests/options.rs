//! The options that commands share: each counts for a command, on either side of its name, or is refused.

use std::process::{Command, Output};

fn run(line: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("x.toml"), "[log]\nlevel = \"warn\"\n").expect("writable");
    std::fs::write(folder.path().join("x.json"), "{}").expect("writable");
    let mut command = Command::new(env!("CARGO_BIN_EXE_kingscross"));
    command.args(line.split_whitespace()).current_dir(folder.path()).output().expect("the program runs")
}

/// Everything printed.
fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

#[test]
fn an_option_counts_before_and_behind_the_command() {
    for (option, command, wanted) in [
        ("--listen 127.0.0.1:4711", "config", "listen = \"127.0.0.1:4711\""),
        ("--database other.db", "config", "url = \"other.db\""),
        ("--config x.toml", "config", "level = \"warn\""),
        ("--listen 127.0.0.1:1", "health", "nothing answers at 127.0.0.1:1"),
        ("--config none.toml", "health", "none.toml"),
        ("--listen nonsense", "doctor", "nonsense"),
        ("--database other.db", "doctor", "other.db does not exist yet"),
        ("--config none.toml", "doctor", "none.toml"),
        ("--listen nonsense", "arena cross-a --bot page --remote Robot", "nonsense"),
        (
            "--database /nowhere/x.db",
            "arena cross-a --bot page --remote Robot --listen 127.0.0.1:0",
            "/nowhere",
        ),
        ("--listen nonsense", "serve", "nonsense"),
        ("--database other.db", "verify", "there is no database other.db"),
        ("--database other.db", "admin list", "there is no database other.db"),
        ("--config none.toml", "generate", "none.toml"),
    ] {
        for line in [format!("{option} {command}"), format!("{command} {option}")] {
            let output = run(&line);
            assert!(said(&output).contains(wanted), "{line}: {}", said(&output));
        }
    }
    assert!(said(&run("--listen a config --listen b")).contains("listen = \"b\""), "the nearer one");
}

#[test]
fn an_option_that_a_command_has_no_use_for_is_refused() {
    let listen = "--listen 127.0.0.1:0";
    let database = "--database other.db";
    let config = "--config x.toml";
    for (command, refused) in [
        ("perft crossfire 1", &[listen, database, config][..]),
        ("engine", &[listen, database, config]),
        ("import --format fen4 x.json", &[listen, database, config]),
        ("load --url http://127.0.0.1:1", &[listen, database, config]),
        ("arena cross-a --bot page --bot random", &[listen, database, config]),
        ("config --defaults", &[listen, database, config]),
        ("export --format fen4 x.json", &[listen, database, config]),
        ("health", &[database]),
        ("admin list", &[listen]),
        ("verify", &[listen]),
        ("rebuild-ratings", &[listen]),
        ("backup x.db", &[listen]),
        ("restore x.json", &[listen]),
        ("export-all x", &[listen]),
        ("import-all x.json", &[listen]),
        ("generate", &[listen]),
    ] {
        for option in refused {
            for line in [format!("{option} {command}"), format!("{command} {option}")] {
                let output = run(&line);
                assert!(!output.status.success(), "{line}");
                let name = option.split(' ').next().expect("a word");
                assert!(
                    said(&output).contains(&format!("has no use for {name}")),
                    "{line}: {}",
                    said(&output)
                );
            }
        }
    }
}

#[test]
fn the_help_of_a_command_shows_the_options_that_it_uses_and_no_other() {
    for (command, shown, hidden) in [
        ("serve", &["--config", "--database", "--listen"][..], &[][..]),
        ("health", &["--config", "--listen"], &["--database"]),
        ("admin list", &["--config", "--database"], &["--listen"]),
        ("perft", &[], &["--config", "--database", "--listen"]),
    ] {
        let help = said(&run(&format!("{command} --help")));
        // One that is named in the text beside is no option of it.
        let has = |option: &str| help.lines().any(|line| line.trim_start().starts_with(option));
        assert!(shown.iter().all(|option| has(option)), "{command}: {help}");
        assert!(!hidden.iter().any(|option| has(option)), "{command}: {help}");
    }
}

#[test]
fn an_option_of_one_way_to_run_a_command_is_refused_in_another() {
    for (line, named) in [
        ("arena cross-a --bot page --remote Robot --opening 4", "--opening"),
        ("arena cross-a --bot page --remote Robot --longest 40", "--longest"),
        ("arena cross-a --bot page --bot random --clock 5+3", "--remote"),
        ("load --url http://127.0.0.1:1 --bot-level page", "--bots"),
        ("load --url http://127.0.0.1:1 --pid 1 --idle 5 --games 3", "--games"),
        ("load --url http://127.0.0.1:1 --pid 1 --plies 5 --rate 3", "--rate"),
        ("load --url http://127.0.0.1:1 --compare x --games 3", "--games"),
        ("import --format quaternits --variant crossfire x.json", "--variant"),
    ] {
        let output = run(line);
        assert!(!output.status.success() && said(&output).contains(named), "{line}: {}", said(&output));
    }
}
