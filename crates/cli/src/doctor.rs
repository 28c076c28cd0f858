//! `kingscross doctor`: looks at everything that a server needs, and says what to do about what is missing.

use std::io::ErrorKind;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use kingscross_server::config::Config;
use kingscross_server::config::misspelt;
use kingscross_storage::{OpenError, Options, Schema, Store, sqlite_file};

use crate::context::{moment, now, run};
use crate::listen::Listen;
use crate::logs;
use crate::output::say;
use crate::sources::Sources;

/// Below this many open files a server with a few hundred players runs out.
const FEW_FILES: u64 = 4096;
/// Below this many free bytes a database is in danger.
const LITTLE_SPACE: u64 = 500 << 20;
/// A clock before this moment is wrong: the program is younger.
const BUILT_AFTER: i64 = 1_764_000_000_000;

/// What was found, one line each.
#[derive(Default)]
struct Findings {
    lines: Vec<String>,
    failed: usize,
}

impl Findings {
    fn good(&mut self, what: &str, found: &str) {
        self.lines.push(format!("ok    {what}: {found}"));
    }

    fn warn(&mut self, what: &str, found: &str) {
        self.lines.push(format!("warn  {what}: {found}"));
    }

    fn bad(&mut self, what: &str, found: &str) {
        self.failed += 1;
        self.lines.push(format!("FAIL  {what}: {found}"));
    }
}

pub(crate) fn doctor(sources: &Sources) -> Result<()> {
    let mut findings = Findings::default();
    match sources.load() {
        Ok(config) => {
            match logs::filter(&config.log) {
                Ok(_) => findings.good("configuration", "every option is known and in range"),
                Err(error) => findings.bad("configuration", &format!("{error:#}")),
            }
            run(async {
                look_at_database(&config, &mut findings).await;
                look_at_address(&config, &mut findings).await;
                Ok(())
            })?;
            look_at_disk(&config, &mut findings);
        }
        Err(error) => findings.bad("configuration", &format!("{error:#}")),
    }
    for sentence in misspelt() {
        findings.warn("environment", &sentence);
    }
    look_at_clock(&mut findings);
    look_at_files(&mut findings);
    say!("{}", findings.lines.join("\n"))?;
    if findings.failed > 0 {
        bail!("{} of these must be put right", findings.failed);
    }
    Ok(())
}

async fn look_at_database(config: &Config, findings: &mut Findings) {
    let url = &config.database.url;
    // Before SQLite opens the files: its locks go with any other handle of this process that is closed.
    if let Some(Err(fault)) = sqlite_file(url).map(check_writable) {
        return findings.bad("database", &fault);
    }
    if sqlite_file(url).is_some_and(|file| !file.exists()) {
        return findings.warn("database", &format!("{url} does not exist yet; `serve` makes it"));
    }
    // Looking must change nothing: a newer program's doctor is asked before the upgrade.
    let options = Options { schema: Schema::AsItIs, ..config.storage() };
    match Store::open(url, options).await {
        Ok(store) => {
            let begun = Instant::now();
            match store.ping().await {
                Ok(()) => {
                    let millis = begun.elapsed().as_secs_f64() * 1000.0;
                    findings
                        .good("database", &format!("{} answers in {millis:.1} ms", store.database_kind()));
                }
                Err(fault) => findings.bad("database", &fault.to_string()),
            }
            if let Err(why) = store.try_writing().await {
                findings.bad("database", &format!("nothing can be stored in it: {why}"));
            }
            match store.schema_version().await {
                Ok(version) => {
                    findings.good("schema", &format!("version {version}, as this program wants it"));
                }
                Err(fault) => findings.bad("schema", &fault.to_string()),
            }
            store.close().await;
        }
        Err(error @ OpenError::Older { .. }) => {
            findings.warn("schema", &format!("{error}; back it up first"));
        }
        Err(error) => findings.bad("database", &error.to_string()),
    }
}

/// Tells what the server, run by this user, could not write of a SQLite database, and what to do about it.
fn check_writable(file: &Path) -> Result<(), String> {
    // SQLite puts its other files beside what a link leads to.
    let file = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let folder = folder_of(&file);
    if !folder.is_dir() {
        let folder = folder.display();
        return Err(format!("there is no folder {folder}; make it, and `chown` it to the server's user"));
    }
    let advice = "`chown` it to the server's user, or name another file with `--database`";
    for ending in ["", "-wal", "-shm", ".lock"] {
        let mut path = file.clone().into_os_string();
        path.push(ending);
        let path = Path::new(&path);
        if let Err(error) = std::fs::OpenOptions::new().write(true).open(path)
            && error.kind() != ErrorKind::NotFound
        {
            return Err(format!("cannot write {}: {error}; {advice}", path.display()));
        }
    }
    // Rights are not all that counts, as for a file system that is mounted read-only.
    let probe = folder.join(format!(".kingscross-doctor-{}", std::process::id()));
    std::fs::File::create_new(&probe)
        .and_then(|_| std::fs::remove_file(&probe))
        .map_err(|error| format!("cannot write into the folder {}: {error}; {advice}", folder.display()))
}

/// The folder of a file.
fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

async fn look_at_address(config: &Config, findings: &mut Findings) {
    let (listen, public) = (&config.server.listen, &config.server.public_url);
    match Listen::of(listen).is_free().await {
        Ok(()) => findings.good("address", &format!("{listen} is free")),
        Err(error) => findings.warn("address", &format!("{listen}: {error} (a running server holds it)")),
    }
    let is_local = ["127.", "localhost", "[::1]"].iter().any(|own| listen.starts_with(own));
    if !public.is_empty() {
        findings.good("public address", &public.to_string());
    } else if !is_local {
        let advice =
            "server.public_url is empty: cookies are not Secure; set it to the https address players use";
        findings.warn("public address", advice);
    }
}

fn look_at_clock(findings: &mut Findings) {
    let now = now();
    if now.0 < BUILT_AFTER {
        return findings.bad("clock", &format!("{} UTC lies before this program was made", moment(now)));
    }
    findings.good("clock", &format!("{} UTC", moment(now)));
}

/// `/proc` says it without a call that needs unsafe code.
fn look_at_files(findings: &mut Findings) {
    let Ok(limits) = std::fs::read_to_string("/proc/self/limits") else {
        return findings.warn("open files", "the limit cannot be read on this system");
    };
    let line = limits.lines().find(|line| line.starts_with("Max open files"));
    let soft = line.and_then(|line| line.split_whitespace().nth(3)).and_then(|word| word.parse::<u64>().ok());
    match soft {
        Some(limit) if limit < FEW_FILES => findings.warn(
            "open files",
            &format!("at most {limit}: each socket is one; raise it with `ulimit -n` or LimitNOFILE"),
        ),
        Some(limit) => findings.good("open files", &format!("at most {limit}")),
        None => findings.good("open files", "no limit"),
    }
}

fn look_at_disk(config: &Config, findings: &mut Findings) {
    let Some(file) = sqlite_file(&config.database.url) else { return };
    let folder = folder_of(file);
    // POSIX df is everywhere; the standard library does not know free space.
    let output = std::process::Command::new("df").arg("-Pk").arg(folder).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let free = text
        .lines()
        .nth(1)
        .and_then(|line| line.split_whitespace().nth(3))
        .and_then(|word| word.parse::<u64>().ok());
    match free.map(|kib| kib << 10) {
        Some(bytes) if bytes < LITTLE_SPACE => {
            findings.bad("disk", &format!("only {} MiB are free", bytes >> 20));
        }
        Some(bytes) => findings.good("disk", &format!("{} MiB are free", bytes >> 20)),
        None => findings.warn("disk", "the free space cannot be read on this system"),
    }
}
