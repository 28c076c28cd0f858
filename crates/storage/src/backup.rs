//! A copy of the whole database in one file, made while the server runs.

use std::path::{Path, PathBuf};

use tokio::io::{AsyncWriteExt as _, BufWriter};

use crate::database::Pools;
use crate::export::ExportError;
use crate::fault::Fault;
use crate::store::Store;

/// Why there is no backup.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// A backup never overwrites.
    #[error("{0} exists already")]
    Exists(PathBuf),
    /// The file cannot be written.
    #[error("cannot write the backup {path}: {reason}")]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        reason: std::io::Error,
    },
    /// The database failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl Store {
    /// Writes a backup to a new file and waits until it is on the disk: a compact SQLite database of SQLite, to be
    /// opened as it is; an export of PostgreSQL, to be imported.
    pub async fn backup_to(&self, path: &Path) -> Result<(), BackupError> {
        let file_error = |reason| BackupError::File { path: path.to_owned(), reason };
        match std::fs::exists(path) {
            Ok(true) => return Err(BackupError::Exists(path.to_owned())),
            Ok(false) => {}
            Err(reason) => return Err(file_error(reason)),
        }
        match &*self.inner.pools {
            Pools::Sqlite { read, .. } => {
                // Made first, so that what the file system refuses is said by the file system.
                tokio::fs::File::create_new(path).await.map_err(file_error)?;
                let name =
                    path.to_str().ok_or_else(|| file_error(std::io::ErrorKind::InvalidInput.into()))?;
                // An empty file is as good as none to SQLite.
                let copied = sqlx::query("vacuum into $1").bind(name).execute(read).await;
                if let Err(error) = copied {
                    discard(path).await;
                    return Err(BackupError::Fault(error.into()));
                }
                let file = tokio::fs::File::open(path).await.map_err(file_error)?;
                file.sync_all().await.map_err(file_error)
            }
            Pools::Postgres { .. } => {
                let file = tokio::fs::File::create_new(path).await.map_err(file_error)?;
                let mut out = BufWriter::with_capacity(256 * 1024, file);
                if let Err(error) = self.export_all(&mut out).await {
                    discard(path).await;
                    return Err(match error {
                        ExportError::Write(reason) => file_error(reason),
                        ExportError::Fault(fault) => BackupError::Fault(fault),
                    });
                }
                out.flush().await.map_err(file_error)?;
                out.into_inner().sync_all().await.map_err(file_error)
            }
        }
    }
}

async fn discard(path: &Path) {
    // Half a backup is worse than none; if it cannot be removed either, the first error says more.
    let _ = tokio::fs::remove_file(path).await;
}
