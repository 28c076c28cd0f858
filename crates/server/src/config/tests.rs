use super::*;

#[test]
fn the_defaults_are_complete_and_sensible() {
    let config = Config::defaults().check().expect("sensible");
    assert_eq!(config.server.listen, "127.0.0.1:8080");
    assert_eq!(config.clocks.first_move_ms, 30_000);
}

#[test]
fn there_is_a_worker_for_each_core_unless_a_number_is_given() {
    let defaults = Config::defaults();
    assert_eq!([1, 8].map(|cores| defaults.workers(cores)), [1, 8]);
    let given = Config::read("[server]\nworkers = 3\n").expect("a number of threads");
    assert_eq!(given.workers(2), 3);
    let refused = Config::read("[server]\nworkers = 100000\n").expect_err("too many");
    assert_eq!(refused.to_string(), "server.workers must not be above 1024");
}

#[test]
fn a_time_of_the_queue_that_cannot_be_read_is_refused() {
    let refused = Config::read("[matchmaking]\ntimes = [\"5+3\", \"ten\"]\n").expect_err("no time control");
    assert!(refused.to_string().starts_with("matchmaking.times: a time control "), "{refused}");
}

#[test]
fn a_misspelt_option_is_refused_with_the_nearest_name() {
    let dir = std::env::temp_dir().join(format!("kingscross-config-{}.toml", uuid::Uuid::now_v7()));
    std::fs::write(&dir, "[server]\nlissten = \"x\"\n").expect("writable");
    let error = Config::load(Some(&dir), &Overrides::default()).expect_err("unknown key");
    std::fs::remove_file(&dir).expect("removable");
    let text = error.to_string();
    assert!(text.contains("`server.lissten`") && text.contains("`listen`"), "{text}");
}

#[test]
fn the_command_line_wins() {
    let overrides =
        Overrides { server: ServerOverrides { listen: Some("0.0.0.0:1".into()) }, ..Overrides::default() };
    let config = Config::load(None, &overrides).expect("loads");
    assert_eq!(config.server.listen, "0.0.0.0:1");
    assert_eq!(config.database.url, "kingscross.db");
}

#[test]
fn the_configuration_for_load_tests_lifts_limits_that_exist() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/load.toml"));
    let config = Config::load(Some(path), &Overrides::default()).expect("every key is known");
    assert!(config.limits.moves_per_second > Config::defaults().limits.moves_per_second);
    assert_eq!(config.clocks, Config::defaults().clocks, "the game itself stays as it is");
}

#[test]
fn a_wrong_value_is_told_with_its_key_and_its_place_once() {
    let path = std::env::temp_dir().join(format!("kingscross-config-{}.toml", uuid::Uuid::now_v7()));
    std::fs::write(&path, "[server]\nworkers = \"many\"\n").expect("writable");
    let error = Config::load(Some(&path), &Overrides::default()).expect_err("no number");
    std::fs::remove_file(&path).expect("removable");
    let wanted = format!(
        "server.workers in {}: expected a whole number from 0, found string \"many\"",
        path.display()
    );
    assert_eq!(error.to_string(), wanted);
}

#[test]
fn a_password_comes_from_its_file() {
    let path = std::env::temp_dir().join(format!("kingscross-password-{}", std::process::id()));
    std::fs::write(&path, "p@ss/w:rd\n").expect("writable");
    let mut config = Config::defaults();
    config.database.password_file = path.to_str().expect("plain").to_owned();
    assert!(config.clone().with_password().is_err(), "a file of SQLite has no user");
    config.database.url = "postgres://kingscross@database/kingscross".to_owned();
    let url = config.clone().with_password().expect("readable").database.url;
    assert_eq!(url, "postgres://kingscross:p%40ss%2Fw%3Ard@database/kingscross");
    let with = config.clone().with_password().expect("readable");
    assert!(!with.to_toml().contains("p%40ss"), "{}", with.to_toml());
    assert!(with.to_toml().contains("postgres://kingscross:***@database/kingscross"));
    std::fs::remove_file(&path).expect("it was there");
    assert!(config.with_password().is_err(), "the file has gone");
}
