//! The files of a SQLite database: whether they are still those that are open.
//!
//! A file that is removed or replaced under an open database stays open without a name: everything is written, nothing
//! fails, and the next start finds none of it. The same holds for a file that is cut off or overwritten: SQLite goes on
//! with what it has in memory.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// What tells a file from every other one: its device and its number there.
type Identity = (u64, u64);

/// The database's file and its write-ahead log.
pub(crate) struct Files {
    path: PathBuf,
    identity: Identity,
    log: PathBuf,
    // Known once the log is seen: SQLite makes it at the first access.
    log_identity: OnceLock<Identity>,
    file: Arc<File>,
    /// SQLite's index of the log.
    index: Option<Arc<File>>,
    /// The greatest size of the file so far.
    largest: AtomicU64,
    /// What tells this database from others: its `user_version`, once that has reached the file.
    mark: OnceLock<[u8; 4]>,
    damage: OnceLock<String>,
}

/// The files do not hold the database any more: nothing mends that while the server runs.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Damage(pub(crate) String);

impl Files {
    /// Those of a database that is open.
    pub(crate) fn opened(path: &Path) -> std::io::Result<Self> {
        // The folder that the process works in may change.
        let path = std::path::absolute(path)?;
        let identity = identity(&path)?;
        // SQLite names the log after the file itself where `path` is a link to it.
        let [log, index] = [beside(&path, "-wal")?, beside(&path, "-shm")?];
        let files = Self {
            identity,
            log,
            log_identity: OnceLock::new(),
            file: kept_open(&path)?,
            index: kept_open(&index).ok(),
            largest: AtomicU64::new(0),
            mark: OnceLock::new(),
            damage: OnceLock::new(),
            path,
        };
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

    /// Tells whether the files have ever been seen not to hold the database any more.
    pub(crate) fn check_content(&self) -> Result<(), Damage> {
        if self.damage.get().is_none() {
            if !self.is_file_whole().unwrap_or(false) {
                self.note_damage(&self.path, "it was cut off or overwritten");
            } else if !self.is_log_whole() {
                self.note_damage(&self.log, "it was cut off or overwritten");
            }
        }
        self.damage.get().map_or(Ok(()), |damage| Err(Damage(damage.clone())))
    }

    /// SQLite itself says that the file is damaged.
    pub(crate) fn found_damaged(&self, error: &str) {
        self.note_damage(&self.path, error);
    }

    fn note_damage(&self, path: &Path, what: &str) {
        // The first report names the cause.
        let _ = self.damage.set(format!(
            "{} is damaged ({what}): nothing is stored any more. Stop the server and restore a backup",
            path.display()
        ));
    }

    /// Whether the file is a SQLite database, this one, and no shorter than it has to be.
    fn is_file_whole(&self) -> std::io::Result<bool> {
        let index = self.index();
        let size = self.file.metadata()?.len();
        let largest = self.largest.fetch_max(size, Ordering::Relaxed);
        // Another program may vacuum: then the index tells the new size before the file is made shorter.
        let least = index.map_or(largest, |index| largest.min(index.file_size));
        let mut head = [0; 100];
        if size < least {
            // Meanwhile another program may have vacuumed.
            return Ok(self.index() != index);
        }
        if self.file.read_exact_at(&mut head, 0).is_err() {
            return Ok(false);
        }
        let mark = [head[60], head[61], head[62], head[63]];
        let is_marked = mark != [0; 4];
        let is_ours = self.mark.get().is_none_or(|known| *known == mark);
        if is_marked && is_ours {
            // Somebody else may have seen it first.
            let _ = self.mark.set(mark);
        }
        Ok(head.starts_with(MAGIC) && is_ours)
    }

    /// Whether the log holds what its index says.
    fn is_log_whole(&self) -> bool {
        let Some(index) = self.index().filter(|index| index.frames > 0) else { return true };
        let mut head = [0; 32];
        let is_whole = File::open(&self.log).is_ok_and(|log| {
            log.metadata().is_ok_and(|found| found.len() >= index.log_size)
                && log.read_exact_at(&mut head, 0).is_ok()
                && head[16..24] == index.salt
        });
        // Meanwhile SQLite may have begun the log anew.
        is_whole || self.index() != Some(index)
    }

    /// None while SQLite writes it.
    fn index(&self) -> Option<Index> {
        let mut bytes = [0; 96];
        self.index.as_ref()?.read_exact_at(&mut bytes, 0).ok()?;
        Index::read(&bytes)
    }

    /// A path beside the database's file, wherever a link leads to it from.
    pub(crate) fn beside(&self, ending: &str) -> std::io::Result<PathBuf> {
        beside(&self.path, ending)
    }

    fn see_log(&self) {
        if let Ok(found) = identity(&self.log) {
            // Somebody else may have seen it first.
            let _ = self.log_identity.set(found);
        }
    }
}

const MAGIC: &[u8] = b"SQLite format 3\0";

/// What SQLite keeps in mind of its log, from the head of the `-shm` file (sqlite.org/walformat.html).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Index {
    change: u32,
    frames: u32,
    /// The least size of the log.
    log_size: u64,
    /// The size of the database's file when all of the log is in it.
    file_size: u64,
    salt: [u8; 8],
}

impl Index {
    fn read(bytes: &[u8; 96]) -> Option<Self> {
        // Two copies: while they differ, one is being written.
        let (head, copy) = bytes.split_at(48);
        let is_begun = head[12] == 1;
        if head != copy || !is_begun {
            return None;
        }
        let number = |at: usize| head[at..at + 4].try_into().map(u32::from_ne_bytes).ok();
        let page = u16::from_ne_bytes([head[14], head[15]]);
        // 65536 does not fit, and is written as 1.
        let page = if page == 1 { 1 << 16 } else { u64::from(page) };
        let frames = number(16)?;
        Some(Self {
            change: number(8)?,
            frames,
            log_size: 32 + u64::from(frames) * (24 + page),
            file_size: u64::from(number(20)?) * page,
            salt: head[32..40].try_into().ok()?,
        })
    }
}

/// The files that are open here, for everyone in this process.
static KEPT: Mutex<Vec<(Identity, Weak<File>)>> = Mutex::new(Vec::new());

/// Opens a file that SQLite locks. Closing one handle of a file gives up the process's locks on it, SQLite's as well,
/// so there is one for all, until the last database on it is closed.
fn kept_open(path: &Path) -> std::io::Result<Arc<File>> {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.retain(|(_, file)| file.strong_count() > 0);
    let identity = identity(path)?;
    let known = kept.iter().find(|(of, _)| *of == identity).and_then(|(_, file)| file.upgrade());
    if let Some(file) = known {
        return Ok(file);
    }
    let file = Arc::new(File::open(path)?);
    kept.push((identity, Arc::downgrade(&file)));
    Ok(file)
}

/// A path beside a file, wherever a link leads to it from.
pub(crate) fn beside(path: &Path, ending: &str) -> std::io::Result<PathBuf> {
    let mut path = OsString::from(std::fs::canonicalize(path)?);
    path.push(ending);
    Ok(path.into())
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
