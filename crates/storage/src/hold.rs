//! One server at a time: the hold that a server has on its database, and whether what it writes counts.
//!
//! For SQLite the hold is a lock on a file beside the database, for PostgreSQL a lock of a session of its own; either
//! ends with the process, however that ends. A thread with a runtime of its own looks after it, so that neither a
//! busy server nor a test in which time stands still loses it.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, fchown};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, PgConnection};
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::database::Pools;
use crate::files::identity;

/// How often the hold and the files are looked at.
const BEAT: Duration = Duration::from_secs(1);
/// A server that was killed lets go within this time.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(50);

/// `KCRS` as a number: the first half of the lock's name on PostgreSQL; the second is the schema's.
const TAKE: &str = "select pg_try_advisory_lock(1262703187, hashtext(current_schema()))";
const GIVE: &str = "select pg_advisory_unlock(1262703187, hashtext(current_schema()))";
const HOLDER: &str =
    "select a.pid, a.application_name, to_char(a.backend_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')
    from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'advisory' and l.granted and l.classid = 1262703187 and l.objsubid = 2
    and l.objid = (hashtext(current_schema())::bigint & 4294967295)::oid and a.datname = current_database()";
/// A holder that has vanished without a word is noticed within half a minute.
const SESSION: &str =
    "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";
const NAME: &str = "kingscross, ";

/// Whether a server may write to its database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// What is written counts.
    Good,
    /// Nothing can be written for now.
    Trouble(String),
    /// Another server has the database: nothing will be written any more.
    Lost(String),
}

/// Why a server may not use a database.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// One does already.
    #[error("another kingscross server uses this database ({0}); stop it first")]
    Taken(String),
    /// It cannot be found out.
    #[error("cannot find out whether another server uses this database: {0}")]
    Fault(String),
}

/// What the store knows of its hold.
pub(crate) struct Hold {
    standing: watch::Sender<Standing>,
    /// Lets the next look come at once.
    look: Notify,
    /// How many looks there were.
    looks: watch::Sender<u64>,
}

impl Hold {
    pub(crate) fn new() -> Self {
        let (standing, looks) = (watch::Sender::new(Standing::Good), watch::Sender::new(0));
        Self { standing, look: Notify::new(), looks }
    }

    /// Fails while nothing may be written.
    pub(crate) fn check(&self) -> Result<(), String> {
        match &*self.standing.borrow() {
            Standing::Good => Ok(()),
            Standing::Trouble(why) | Standing::Lost(why) => Err(why.clone()),
        }
    }

    /// The same, after a fresh look where the last one found trouble.
    pub(crate) async fn check_anew(&self) -> Result<(), String> {
        let mut looks = self.looks.subscribe();
        // Whichever is under way may have begun before the trouble was over.
        for _ in 0..2 {
            if !matches!(*self.standing.borrow(), Standing::Trouble(_)) {
                break;
            }
            self.look.notify_one();
            if looks.changed().await.is_err() {
                break;
            }
        }
        self.check()
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Standing> {
        self.standing.subscribe()
    }

    /// Takes the database and keeps it until `let_go`.
    pub(crate) async fn claim(
        self: &Arc<Self>,
        pools: Arc<Pools>,
        limit: Duration,
        who: &Holder,
        let_go: CancellationToken,
        kept: impl Send + 'static,
    ) -> Result<(), ClaimError> {
        let (answer, claimed) = oneshot::channel();
        let (hold, lock) = (Arc::clone(self), Lock::of(pools, limit, who)?);
        let run = move || {
            let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => return drop(answer.send(Err(ClaimError::Fault(error.to_string())))),
            };
            runtime.block_on(keep(&hold, lock, &let_go, answer));
            drop(runtime);
            drop(kept);
        };
        let thread = std::thread::Builder::new().name("hold".to_owned()).spawn(run);
        thread.map_err(|error| ClaimError::Fault(error.to_string()))?;
        claimed.await.unwrap_or_else(|_| Err(ClaimError::Fault("its thread ended".to_owned())))
    }

    fn set(&self, now: Standing) {
        self.standing.send_if_modified(|standing| {
            let is_new = *standing != now && !matches!(standing, Standing::Lost(_));
            if is_new {
                *standing = now;
            }
            is_new
        });
    }
}

/// Whoever takes a database, as another one is told.
#[derive(Clone, Debug)]
pub struct Holder {
    /// Which process, where: `process 12 on host`.
    pub name: String,
    /// Since when.
    pub since: String,
}

async fn keep(
    hold: &Hold,
    mut lock: Lock,
    let_go: &CancellationToken,
    answer: oneshot::Sender<Result<(), ClaimError>>,
) {
    let taken = lock.take_patiently().await;
    let is_taken = taken.is_ok();
    if answer.send(taken).is_err() || !is_taken {
        return;
    }
    loop {
        tokio::select! {
            biased;
            () = let_go.cancelled() => break,
            () = hold.look.notified() => {}
            () = sleep(BEAT) => {}
        }
        let standing = tokio::select! {
            biased;
            () = let_go.cancelled() => break,
            standing = lock.beat() => standing,
        };
        let is_lost = matches!(standing, Standing::Lost(_));
        hold.set(standing);
        hold.looks.send_modify(|looks| *looks += 1);
        if is_lost {
            return;
        }
    }
    lock.release().await;
}

/// The lock of either database.
enum Lock {
    File { pools: Arc<Pools>, path: PathBuf, held: Option<File>, who: Holder },
    // Boxed, since it is much larger.
    Session(Box<Session>),
}

struct Session {
    connect: PgConnectOptions,
    name: String,
    limit: Duration,
    held: Option<PgConnection>,
    /// The server's processes of these sessions: a session whose connection died in the middle may have the lock.
    pids: Vec<i32>,
}

impl Lock {
    fn of(pools: Arc<Pools>, limit: Duration, who: &Holder) -> Result<Self, ClaimError> {
        Ok(match &*pools {
            Pools::Sqlite { write, .. } => {
                let files = write.files().expect("a database that was opened by its name");
                let path = files.beside(".lock").map_err(|error| ClaimError::Fault(error.to_string()))?;
                Self::File { pools, path, held: None, who: who.clone() }
            }
            Pools::Postgres { pool } => {
                // PostgreSQL cuts a longer name, and replaces what is not ASCII.
                let name = format!("{NAME}{}", who.name);
                let name: String = name.chars().filter(char::is_ascii).take(63).collect();
                let connect = pool.options().clone().application_name(&name);
                Self::Session(Box::new(Session { connect, name, limit, held: None, pids: Vec::new() }))
            }
        })
    }

    async fn take_patiently(&mut self) -> Result<(), ClaimError> {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.take().await {
                Err(ClaimError::Taken(_)) if Instant::now() < until => sleep(PAUSE).await,
                done => return done,
            }
        }
    }

    async fn take(&mut self) -> Result<(), ClaimError> {
        match self {
            Self::File { path, held, who, .. } => {
                *held = Some(lock_file(path, who)?);
                Ok(())
            }
            Self::Session(session) => session.take().await,
        }
    }

    /// Lets go. A lock on a file goes with the file.
    async fn release(self) {
        if let Self::Session(session) = self {
            session.release().await;
        }
    }

    /// Looks whether it is still held, and takes it anew where it is not.
    async fn beat(&mut self) -> Standing {
        match self {
            Self::File { pools, path, held, .. } => {
                if let Pools::Sqlite { write, .. } = &**pools
                    && let Some(files) = write.files()
                {
                    let checked = files
                        .check()
                        .and_then(|()| files.check_content().map_err(|damage| damage.to_string()));
                    if let Err(why) = checked {
                        return Standing::Trouble(why);
                    }
                }
                let is_held = held.as_ref().is_some_and(|file| is_at(file, path));
                if is_held {
                    return Standing::Good;
                }
                tracing::warn!(path = %path.display(), "the lock file was removed; it is made anew");
            }
            Self::Session(session) => {
                if session.is_held().await {
                    return Standing::Good;
                }
                tracing::warn!("the connection that holds the database is made anew");
            }
        }
        match self.take().await {
            Ok(()) => Standing::Good,
            Err(error @ ClaimError::Taken(_)) => Standing::Lost(error.to_string()),
            Err(error @ ClaimError::Fault(_)) => Standing::Trouble(error.to_string()),
        }
    }
}

/// Whether the open file is the one at the path.
fn is_at(file: &File, path: &std::path::Path) -> bool {
    let open = file.metadata().ok().map(|found| (found.dev(), found.ino()));
    open.is_some() && open == identity(path).ok()
}

fn lock_file(path: &std::path::Path, who: &Holder) -> Result<File, ClaimError> {
    let fault = |error: std::io::Error| ClaimError::Fault(format!("{}: {error}", path.display()));
    let mut options = File::options();
    let mut file = options.read(true).write(true).create(true).truncate(false).open(path).map_err(fault)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // What the other one has written, if it is readable.
            let _ = file.read_to_string(&mut holder);
            let holder = holder.trim();
            let holder = if holder.is_empty() { "it has not said which" } else { holder };
            return Err(ClaimError::Taken(holder.to_owned()));
        }
        Err(TryLockError::Error(error)) => return Err(fault(error)),
    }
    // A command of root's must not keep the server's user from it later.
    if let Ok(database) = std::fs::metadata(path.with_extension(""))
        && file.metadata().is_ok_and(|lock| lock.uid() != database.uid())
    {
        let _ = fchown(&file, Some(database.uid()), Some(database.gid()));
    }
    let text = format!("{}, since {}\n", who.name, who.since);
    // It is a courtesy to whoever comes next; on a full disk the lock counts without it.
    let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
    Ok(file)
}

impl Session {
    async fn is_held(&mut self) -> bool {
        let Some(connection) = &mut self.held else { return false };
        let answer = timeout(self.limit, connection.ping()).await;
        if !matches!(answer, Ok(Ok(()))) {
            self.held = None;
        }
        self.held.is_some()
    }

    /// Lets go. PostgreSQL would keep the lock of a session whose connection has died until it noticed, and refuse the next
    /// server for so long; such a session is ended over a new connection.
    async fn release(mut self) {
        if let Some(connection) = &mut self.held {
            let released = timeout(self.limit, sqlx::query_scalar(GIVE).fetch_one(connection)).await;
            if matches!(released, Ok(Ok(true))) {
                return;
            }
        }
        let ended = timeout(self.limit, self.end_sessions()).await;
        if !matches!(ended, Ok(Ok(()))) {
            tracing::warn!(
                "the database may take this server for alive for half a minute; the next one waits so long"
            );
        }
    }

    /// Ends those sessions of ours that the server still knows.
    async fn end_sessions(&self) -> sqlx::Result<()> {
        if self.pids.is_empty() {
            return Ok(());
        }
        let mut connection = PgConnection::connect_with(&self.connect).await?;
        let end = "select pg_terminate_backend(pid) from pg_stat_activity where pid = any($1) and application_name = $2";
        sqlx::query(end).bind(&self.pids).bind(&self.name).execute(&mut connection).await?;
        Ok(())
    }

    async fn take(&mut self) -> Result<(), ClaimError> {
        let taken = timeout(self.limit, self.try_take()).await;
        match taken.unwrap_or(Err(sqlx::Error::PoolTimedOut)) {
            Ok(None) => Ok(()),
            Ok(Some(holder)) => Err(ClaimError::Taken(holder)),
            Err(error) => Err(ClaimError::Fault(error.to_string())),
        }
    }

    /// Takes the lock, or tells who has it.
    async fn try_take(&mut self) -> sqlx::Result<Option<String>> {
        let mut connection = PgConnection::connect_with(&self.connect).await?;
        sqlx::raw_sql(SESSION).execute(&mut connection).await?;
        let pid = sqlx::query_scalar("select pg_backend_pid()").fetch_one(&mut connection).await?;
        self.pids.push(pid);
        loop {
            if sqlx::query_scalar(TAKE).fetch_one(&mut connection).await? {
                (self.held, self.pids) = (Some(connection), vec![pid]);
                return Ok(None);
            }
            let holder: Option<(i32, String, Option<String>)> =
                sqlx::query_as(HOLDER).fetch_optional(&mut connection).await?;
            match holder {
                // Gone in this moment.
                None => sleep(PAUSE).await,
                Some((holder, name, _)) if self.pids.contains(&holder) && name == self.name => {
                    // A session of ours whose connection has died, which the server does not know yet.
                    let end = "select pg_terminate_backend($1)";
                    sqlx::query(end).bind(holder).execute(&mut connection).await?;
                    sleep(PAUSE).await;
                }
                Some((_, name, since)) => {
                    let name = name.strip_prefix(NAME).unwrap_or("of another database user");
                    let since = since.map_or(String::new(), |since| format!(", since {since} UTC"));
                    return Ok(Some(format!("{name}{since}")));
                }
            }
        }
    }
}
