//! The files of a SQLite database: whether they are still those that are open.
//!
//! A file that is removed or replaced under an open database stays open without a name: everything is written, nothing
//! fails, and the next start finds none of it.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What tells a file from every other one: its device and its number there.
type Identity = (u64, u64);

/// The database's file and its write-ahead log.
pub(crate) struct Files {
    path: PathBuf,
    identity: Identity,
    log: PathBuf,
    // Known once the log is seen: SQLite makes it at the first access.
    log_identity: OnceLock<Identity>,
}

impl Files {
    /// Those of a database that is open.
    pub(crate) fn opened(path: &Path) -> std::io::Result<Self> {
        // The folder that the process works in may change.
        let path = std::path::absolute(path)?;
        let identity = identity(&path)?;
        // SQLite names the log after the file itself where `path` is a link to it.
        let mut log = OsString::from(std::fs::canonicalize(&path)?);
        log.push("-wal");
        let files = Self { path, identity, log: log.into(), log_identity: OnceLock::new() };
        files.see_log();
        Ok(files)
    }

    /// Tells what is not where it was.
    pub(crate) fn check(&self) -> Result<(), String> {
        if identity(&self.path).ok() != Some(self.identity) {
            return Err(gone(&self.path));
        }
        match self.log_identity.get() {
            Some(known) if identity(&self.log).ok() != Some(*known) => Err(gone(&self.log)),
            Some(_) => Ok(()),
            None => {
                self.see_log();
                Ok(())
            }
        }
    }

    /// A path beside the database's file, wherever a link leads to it from.
    pub(crate) fn beside(&self, ending: &str) -> std::io::Result<PathBuf> {
        let mut path = OsString::from(std::fs::canonicalize(&self.path)?);
        path.push(ending);
        Ok(path.into())
    }

    fn see_log(&self) {
        if let Ok(found) = identity(&self.log) {
            // Somebody else may have seen it first.
            let _ = self.log_identity.set(found);
        }
    }
}

pub(crate) fn identity(path: &Path) -> std::io::Result<Identity> {
    let found = std::fs::metadata(path)?;
    Ok((found.dev(), found.ino()))
}

fn gone(path: &Path) -> String {
    format!(
        "{} was removed or replaced while the server uses it: nothing is stored any more. Move it back, or stop the \
        server and restore a backup",
        path.display()
    )
}
