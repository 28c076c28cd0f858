//! The commands on a database, by the real binary: admin, verify, backup and restore, export and import, doctor.

use std::process::{Command, Output};

use kingscross_engine::Variant;
use kingscross_protocol::Request;
use kingscross_tests::{Database, Server, TestPlayer, start_game_of_two};

fn run(database: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kingscross"));
    command.args(["--database", database]).args(arguments);
    command.output().expect("the program runs")
}

#[track_caller]
fn done(database: &str, arguments: &[&str]) -> String {
    let output = run(database, arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{arguments:?}: {text} {}", String::from_utf8_lossy(&output.stderr));
    text
}

#[track_caller]
fn refused(database: &str, arguments: &[&str]) -> String {
    let output = run(database, arguments);
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_is_verified_copied_and_governed_from_the_command_line() {
    let database = Database::sqlite();
    let location = database.location.clone();
    let server = Server::start_with(&database, |config| config.clocks.first_move_ms = 3_600_000).await;
    let mut ada = TestPlayer::account(&server, "Ada").await;
    let mut bob = TestPlayer::account(&server, "Bob").await;
    let game = start_game_of_two(&mut ada, &mut bob, Variant::CrossA, true).await;
    for (player, ply, mv) in [(&ada, 0, "a2-a3"), (&bob, 1, "a7-a6")] {
        player.request(Request::Move { game, ply, mv: mv.to_owned() }).await;
    }
    ada.request(Request::Resign { game }).await;
    let running = start_game_of_two(&mut ada, &mut bob, Variant::CrossB, false).await;

    // While the server runs: a backup is whole, and an administrator's act reaches it through the log.
    let folder = std::path::Path::new(&location).parent().expect("a folder").to_owned();
    let path = |name: &str| folder.join(name).to_str().expect("plain").to_owned();
    done(&location, &["backup", &path("backup.db")]);
    assert!(refused(&location, &["backup", &path("backup.db")]).contains("exists"));
    server.stop().await;

    assert!(done(&location, &["verify"]).contains("2 games"));
    let exported = refused(&location, &["export", "--format", "pgn4", &game.to_string()]);
    assert!(exported.contains("cross-a"), "a game of the database that this format cannot hold: {exported}");
    let none = kingscross_protocol::GameId::fresh().to_string();
    assert!(refused(&location, &["export", "--format", "pgn4", &none]).contains("there is no game"));
    assert!(
        refused(&path("none.db"), &["export", "--format", "pgn4", &none]).contains("there is no database")
    );
    done(&path("restored.db"), &["restore", &path("backup.db")]);
    assert!(done(&path("restored.db"), &["verify"]).contains("2 games"));
    let piped = Command::new(env!("CARGO_BIN_EXE_kingscross"))
        .args(["--database", &path("piped.db"), "restore", "-"])
        .stdin(std::fs::File::open(path("backup.db")).expect("the backup"))
        .output()
        .expect("it runs");
    assert!(piped.status.success(), "{}", String::from_utf8_lossy(&piped.stderr));
    assert!(done(&path("piped.db"), &["verify"]).contains("2 games"));
    let absent = format!("sqlite://{}", path("none.db"));
    assert!(refused(&absent, &["verify"]).contains("there is no database"));
    done(&absent, &["doctor"]);
    assert!(!std::path::Path::new(&path("none.db")).exists());
    done(&location, &["export-all", &path("export.ndjson")]);
    done(&path("imported.db"), &["import-all", &path("export.ndjson")]);
    assert!(done(&path("imported.db"), &["verify"]).contains("1 of them rated anew"));
    assert!(refused(&path("imported.db"), &["import-all", &path("export.ndjson")]).contains("not empty"));
    assert!(refused(&path("none.db"), &["verify"]).contains("there is no database"));

    assert!(done(&location, &["admin", "list"]).contains("Ada"));
    assert!(done(&location, &["admin", "list", "games"]).contains(&running.to_string()));
    done(&location, &["admin", "end", &running.to_string(), "--why", "a test"]);
    assert!(refused(&location, &["admin", "end", &running.to_string()]).contains("has ended"));
    done(&location, &["admin", "ban", "ada", "--why", "a test"]);
    assert!(done(&location, &["admin", "list"]).contains("banned"));
    done(&location, &["admin", "unban", "ADA"]);
    done(&location, &["admin", "grant", "Bob", "moderator"]);
    assert!(refused(&location, &["admin", "grant", "Bob", "king"]).contains("no role"));
    assert!(refused(&location, &["admin", "ban", "Nobody"]).contains("no player"));
    done(&location, &["admin", "annul", &game.to_string()]);
    done(&location, &["verify"]);
    done(&location, &["admin", "annul", "--undo", &game.to_string()]);
    let rebuilt = done(&location, &["rebuild-ratings"]);
    assert!(rebuilt.contains("cross: 0 differences"), "{rebuilt}");
    assert!(done(&location, &["verify"]).contains("1 of them rated anew"));
    let audit = done(&location, &["admin", "list", "audit"]);
    for act in ["end", "ban", "unban", "grant", "annul", "restore", "rebuild_ratings"] {
        assert!(audit.contains(act), "{act}: {audit}");
    }
    let found = done(&location, &["doctor"]);
    assert!(found.contains("ok    database") && found.contains("ok    clock"), "{found}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_doctor_finds_a_database_that_the_server_could_not_write() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt};

    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("plain").to_owned();
    let doctor = |database: &str, as_nobody: bool| {
        let binary = env!("CARGO_BIN_EXE_kingscross");
        // Root may write everything.
        let mut command = if as_nobody && std::fs::metadata("/proc/self").expect("ours").uid() == 0 {
            let mut command = Command::new("runuser");
            command.args(["-u", "nobody", "--", binary]);
            command
        } else {
            Command::new(binary)
        };
        command.args(["--database", database, "--listen", "127.0.0.1:0", "doctor"]);
        let output = command.current_dir(folder.path()).output().expect("the program runs");
        let is_good = output.status.success();
        (is_good, String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let finds = |database: &str, as_nobody: bool, words: &str| {
        let (is_good, found) = doctor(database, as_nobody);
        let line = found.lines().find(|line| line.starts_with("FAIL  database: "));
        assert!(!is_good && line.is_some_and(|line| line.contains(words)), "{words:?}: {found}");
        assert!(!found.contains("ok    database"), "{found}");
    };
    let mode = |name: &str, mode: u32| {
        std::fs::set_permissions(path(name), PermissionsExt::from_mode(mode)).expect("our file");
    };
    finds(&path("none/games.db"), false, &format!("there is no folder {}", path("none")));
    std::fs::create_dir(path("open")).expect("our folder");
    let store = kingscross_storage::Store::open(&path("open/games.db"), Default::default()).await;
    store.expect("opens").close().await;

    mode("", 0o755);
    mode("open", 0o777);
    mode("open/games.db", 0o444);
    finds(&path("open/games.db"), true, "games.db: Permission denied");
    mode("open/games.db", 0o666);
    let (is_good, found) = doctor(&path("open/games.db"), true);
    assert!(is_good && found.contains("ok    database"), "{found}");
    mode("open", 0o555);
    finds(&path("open/games.db"), true, &format!("the folder {}: Permission denied", path("open")));
    finds(&path("open/none.db"), true, &format!("the folder {}: Permission denied", path("open")));
    mode("open", 0o777);
    std::fs::write(path("open/games.db.lock"), "").expect("our folder");
    mode("open/games.db.lock", 0o444);
    finds(&path("open/games.db"), true, "games.db.lock: Permission denied");
}

#[test]
fn generated_games_replay_are_rated_and_are_the_same_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("plain").to_owned();
    let (one, other) = (path("one.db"), path("other.db"));
    for database in [&one, &other] {
        let done = done(database, &["generate", "--games", "1500", "--players", "50", "--seed", "7"]);
        assert!(done.contains("generated 1500 games of 50 players"), "{done}");
    }
    // Every game replays to its hashes, and the ledger is what a rebuild finds.
    let verified = done(&one, &["verify"]);
    assert!(verified.contains("1500 games") && verified.contains("rated anew"), "{verified}");
    assert!(!verified.contains(" 0 of them rated anew"), "{verified}");
    done(&one, &["export-all", &path("one.ndjson")]);
    done(&other, &["export-all", &path("other.ndjson")]);
    let read = |name: &str| std::fs::read(path(name)).expect("an export");
    assert!(read("one.ndjson") == read("other.ndjson"), "the same seed gives the same games");
    assert!(refused(&one, &["generate", "--games", "1"]).contains("has games already"));
}
