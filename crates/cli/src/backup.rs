//! `kingscross backup`, `restore`, `export` and `import`

use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use kingscross_server::config::without_password;
use kingscross_storage::{ExportError, Options, Store};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader, BufWriter};

use crate::context::{on_database, open_alone, run};
use crate::output::{note, of_output, say};
use crate::sources::Sources;

/// The first bytes of every SQLite database.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// A file.
#[derive(Debug, clap::Args)]
pub(crate) struct File {
    /// The file; `-` is standard output or input.
    file: PathBuf,
}

/// Copies the whole database into a new file, while a server may be running; into a pipe as `export-all` does.
pub(crate) fn backup(sources: &Sources, args: &File) -> Result<()> {
    if args.file == Path::new("-") {
        return export(sources, args);
    }
    on_database(sources, async |_, store| {
        store.backup_to(&args.file).await?;
        Ok(say!("backed up to {}", args.file.display())?)
    })
}

/// Reads a backup of either database, from a file or a pipe, into an empty one of either kind.
pub(crate) fn restore(sources: &Sources, args: &File) -> Result<()> {
    let config = sources.load()?;
    let target = config.database.url;
    run(async {
        let mut file = opened(&args.file).await?;
        // By hand, since a pipe may give less than it was asked for.
        let mut head = Vec::new();
        (&mut file).take(SQLITE.len() as u64).read_to_end(&mut head).await?;
        let is_sqlite = head == SQLITE;
        let input = std::io::Cursor::new(head).chain(file);
        let rows = if is_sqlite {
            from_sqlite(input, &target).await?
        } else {
            let store = open_alone(&target, Options::default()).await?;
            let rows = store.import_all(BufReader::with_capacity(256 * 1024, input)).await;
            store.close().await;
            rows?
        };
        Ok(say!("restored {rows} rows into {}", without_password(&target))?)
    })
}

/// The file, or standard input.
async fn opened(path: &Path) -> Result<tokio::fs::File> {
    if path == Path::new("-") {
        return Ok(tokio::fs::File::from_std(std::io::stdin().as_fd().try_clone_to_owned()?.into()));
    }
    tokio::fs::File::open(path).await.with_context(|| format!("cannot read {}", path.display()))
}

/// A backup of SQLite is a database itself: it is read as an export of it would be.
async fn from_sqlite(mut backup: impl AsyncRead + Unpin, target: &str) -> Result<u64> {
    let folder = std::env::temp_dir().join(format!("kingscross-restore-{}", std::process::id()));
    tokio::fs::create_dir(&folder).await.context("cannot make a temporary folder")?;
    let rows = async {
        // A copy, since opening a database may migrate it, and a backup is never written to.
        let copy = folder.join("backup.db");
        let mut file = tokio::fs::File::create_new(&copy).await?;
        tokio::io::copy(&mut backup, &mut file).await?;
        file.sync_all().await?;
        let source = Store::open(copy.to_str().context("the path is not UTF-8")?, Options::default()).await?;
        let lines = folder.join("lines");
        let mut out = BufWriter::new(tokio::fs::File::create_new(&lines).await?);
        source.export_all(&mut out).await?;
        out.flush().await?;
        source.close().await;
        let store = open_alone(target, Options::default()).await?;
        let rows = store.import_all(BufReader::new(tokio::fs::File::open(&lines).await?)).await;
        store.close().await;
        Ok(rows?)
    }
    .await;
    // Files left in the system's temporary folder are not a reason to fail.
    let _ = tokio::fs::remove_dir_all(&folder).await;
    rows
}

/// Writes every row as a line of JSON.
pub(crate) fn export(sources: &Sources, args: &File) -> Result<()> {
    on_database(sources, async |_, store| {
        let is_output = args.file == Path::new("-");
        let file = if is_output {
            // The same open file, so that its contents stay.
            tokio::fs::File::from_std(std::io::stdout().as_fd().try_clone_to_owned()?.into())
        } else {
            let made = tokio::fs::File::create_new(&args.file).await;
            made.with_context(|| format!("cannot write {}", args.file.display()))?
        };
        let mut out = BufWriter::with_capacity(256 * 1024, file);
        match store.export_all(&mut out).await {
            Ok(rows) => note!("exported {rows} rows"),
            Err(ExportError::Write(error)) if is_output => return Err(of_output(error).into()),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    })
}

/// Reads an export into an empty database, all of it or nothing.
pub(crate) fn import(sources: &Sources, args: &File) -> Result<()> {
    let config = sources.load()?;
    run(async {
        let file = opened(&args.file).await?;
        let store = open_alone(&config.database.url, Options::default()).await?;
        let rows = store.import_all(BufReader::with_capacity(256 * 1024, file)).await;
        store.close().await;
        Ok(say!("imported {} rows into {}", rows?, without_password(&config.database.url))?)
    })
}
