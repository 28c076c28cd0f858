//! `kingscross backup`, `restore`, `export` and `import`

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use kingscross_server::config::without_password;
use kingscross_storage::{Options, Store};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader, BufWriter};

use crate::context::{config, on_database, run};

/// The first bytes of every SQLite database.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// A file.
#[derive(Debug, clap::Args)]
pub(crate) struct File {
    /// The file; `-` is standard output or input.
    file: PathBuf,
}

/// Copies the whole database into a new file, while a server may be running; into a pipe as `export-all` does.
pub(crate) fn backup(from: Option<&Path>, database: Option<String>, args: &File) -> Result<()> {
    if args.file == Path::new("-") {
        return export(from, database, args);
    }
    on_database(from, database, async |_, store| {
        store.backup_to(&args.file).await?;
        println!("backed up to {}", args.file.display());
        Ok(())
    })
}

/// Reads a backup of either database, from a file or a pipe, into an empty one of either kind.
pub(crate) fn restore(from: Option<&Path>, database: Option<String>, args: &File) -> Result<()> {
    if args.file == Path::new("-") {
        return import(from, database, args);
    }
    let config = config(from, database)?;
    let (target, path) = (config.database.url, args.file.clone());
    run(async {
        let mut file =
            tokio::fs::File::open(&path).await.with_context(|| format!("cannot read {}", path.display()))?;
        let mut head = [0; 16];
        let is_sqlite = file.read_exact(&mut head).await.is_ok() && head == SQLITE;
        let rows = if is_sqlite {
            from_sqlite(&path, &target).await?
        } else {
            let input = BufReader::new(tokio::fs::File::open(&path).await?);
            let store = Store::open(&target, Options::default()).await?;
            let rows = store.import_all(input).await;
            store.close().await;
            rows?
        };
        println!("restored {rows} rows into {}", without_password(&target));
        Ok(())
    })
}

/// A backup of SQLite is a database itself: it is read as an export of it would be.
async fn from_sqlite(path: &Path, target: &str) -> Result<u64> {
    let folder = std::env::temp_dir().join(format!("kingscross-restore-{}", std::process::id()));
    tokio::fs::create_dir(&folder).await.context("cannot make a temporary folder")?;
    let rows = async {
        // A copy, since opening a database may migrate it, and a backup is never written to.
        let copy = folder.join("backup.db");
        tokio::fs::copy(path, &copy).await?;
        let source = Store::open(copy.to_str().context("the path is not UTF-8")?, Options::default()).await?;
        let lines = folder.join("lines");
        let mut out = BufWriter::new(tokio::fs::File::create_new(&lines).await?);
        source.export_all(&mut out).await?;
        out.flush().await?;
        source.close().await;
        let store = Store::open(target, Options::default()).await?;
        let rows = store.import_all(BufReader::new(tokio::fs::File::open(&lines).await?)).await;
        store.close().await;
        Ok(rows?)
    }
    .await;
    // What is left in the temporary folder of the system is no reason to fail.
    let _ = tokio::fs::remove_dir_all(&folder).await;
    rows
}

/// Writes every row as a line of JSON.
pub(crate) fn export(from: Option<&Path>, database: Option<String>, args: &File) -> Result<()> {
    on_database(from, database, async |_, store| {
        let opened = if args.file == Path::new("-") {
            tokio::fs::OpenOptions::new().write(true).open("/dev/stdout").await
        } else {
            tokio::fs::File::create_new(&args.file).await
        };
        let file = opened.with_context(|| format!("cannot write {}", args.file.display()))?;
        let mut out = BufWriter::with_capacity(256 * 1024, file);
        let rows = store.export_all(&mut out).await?;
        out.flush().await?;
        eprintln!("exported {rows} rows");
        Ok(())
    })
}

/// Reads an export into an empty database, all of it or nothing.
pub(crate) fn import(from: Option<&Path>, database: Option<String>, args: &File) -> Result<()> {
    let config = config(from, database)?;
    let path = if args.file == Path::new("-") { Path::new("/dev/stdin") } else { &args.file };
    run(async {
        let file =
            tokio::fs::File::open(path).await.with_context(|| format!("cannot read {}", path.display()))?;
        let store = Store::open(&config.database.url, Options::default()).await?;
        let rows = store.import_all(BufReader::with_capacity(256 * 1024, file)).await;
        store.close().await;
        println!("imported {} rows into {}", rows?, without_password(&config.database.url));
        Ok(())
    })
}
