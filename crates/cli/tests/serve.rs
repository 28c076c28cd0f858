//! The program from outside: how it starts, how it ends, what it says when it cannot.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

fn kingscross(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_kingscross"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// A folder of its own for a test, removed at the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kingscross-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("writable");
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a plain name").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Left behind if it cannot be removed; that harms no other test.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn it_says_where_it_listens_and_a_signal_ends_it_with_success() {
    let folder = Folder::new("serve");
    let mut child = kingscross(&["--listen", "127.0.0.1:0", "--database", &folder.file("games.db")]);
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("text");
    assert!(line.contains("http://127.0.0.1:"), "{line:?}");
    // The shell's own `kill`: the program of that name is not everywhere.
    let killed = Command::new("sh").arg("-c").arg(format!("kill -TERM {}", child.id())).status();
    assert!(killed.expect("kill runs").success());
    assert!(child.wait().expect("ends").success());
    assert!(std::path::Path::new(&folder.file("games.db")).exists());
}

#[test]
fn a_start_on_a_taken_port_names_the_option_and_leaves_no_database() {
    let folder = Folder::new("taken");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("bound").to_string();
    std::fs::write(folder.file("config.toml"), format!("[metrics]\nlisten = \"{address}\"\n"))
        .expect("writable");
    let (database, config) = (folder.file("games.db"), folder.file("config.toml"));
    for (arguments, option) in [
        (vec!["--listen", &address], "--listen"),
        (vec!["--listen", "127.0.0.1:0", "--config", &config], "metrics.listen"),
    ] {
        let mut child = kingscross(&[&arguments[..], &["--database", &database]].concat());
        assert!(!child.wait().expect("ends").success(), "{arguments:?}");
        let mut said = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
        assert!(said.contains(&address) && said.contains(option), "{said:?}");
        assert!(!std::path::Path::new(&database).exists(), "{arguments:?}");
    }
}

#[test]
fn what_it_cannot_use_is_said_in_one_line_and_ends_it_with_failure() {
    let folder = Folder::new("unusable");
    std::fs::write(folder.file("config.toml"), "[server]\nlisten_on = \"x\"\n").expect("writable");
    for (arguments, wanted) in [
        (vec!["--database", "/nowhere/games.db"], "/nowhere"),
        (vec!["--listen", "nonsense", "--database", &folder.file("games.db")], "nonsense"),
        (vec!["--config", &folder.file("config.toml")], "server.listen_on"),
        (vec!["--config", "/nowhere/config.toml"], "/nowhere/config.toml"),
    ] {
        let mut child = kingscross(&arguments);
        assert!(!child.wait().expect("ends").success(), "{arguments:?}");
        let mut said = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
        assert!(said.contains(wanted), "{said:?}");
        assert_eq!(said.lines().filter(|line| line.starts_with("kingscross: ")).count(), 1, "{said:?}");
    }
}
