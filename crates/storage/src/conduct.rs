//! Mutes, blocks, reports, and the audit log.

use kingscross_protocol::{AuditAction, GameId, Timestamp, UserId};
use uuid::Uuid;

use crate::enums::TextEnum as _;
use crate::fault::Fault;
use crate::store::Store;

/// A report to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewReport {
    /// Its id.
    pub id: Uuid,
    /// Who complains.
    pub reporter: UserId,
    /// About whom.
    pub reported: UserId,
    /// In which game.
    pub game: Option<GameId>,
    /// A word.
    pub reason: String,
    /// The reporter's own words.
    pub note: String,
    /// Now.
    pub created_at: Timestamp,
}

/// A report as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What was written.
    pub report: NewReport,
    /// When it was dealt with.
    pub resolved_at: Option<Timestamp>,
    /// By whom; absent for the command line.
    pub resolved_by: Option<UserId>,
    /// What was done.
    pub resolution: Option<String>,
}

from_row!(Report, |row| Report {
    report: NewReport {
        id: row.try_get("id")?,
        reporter: UserId(row.try_get("reporter_id")?),
        reported: UserId(row.try_get("reported_id")?),
        game: row.try_get::<Option<Uuid>, _>("game_id")?.map(GameId),
        reason: row.try_get("reason")?,
        note: row.try_get("note")?,
        created_at: Timestamp(row.try_get("created_at")?),
    },
    resolved_at: row.try_get::<Option<i64>, _>("resolved_at")?.map(Timestamp),
    resolved_by: row.try_get::<Option<Uuid>, _>("resolved_by")?.map(UserId),
    resolution: row.try_get("resolution")?,
});

/// A line of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// When.
    pub at: Timestamp,
    /// Who; absent for the command line.
    pub actor: Option<UserId>,
    /// What was done.
    pub action: AuditAction,
    /// To what, such as a user's id.
    pub subject: String,
    /// More, as JSON.
    pub detail: String,
}

from_row!(AuditEntry, |row| AuditEntry {
    at: Timestamp(row.try_get("at")?),
    actor: row.try_get::<Option<Uuid>, _>("actor_id")?.map(UserId),
    action: AuditAction::decode(row.try_get("action")?)?,
    subject: row.try_get("subject")?,
    detail: row.try_get("detail")?,
});

pub(crate) const OPEN_REPORTS: &str =
    "select * from reports where resolved_at is null order by created_at, id limit $1";

pub(crate) const REPORTS_BY: &str = "select * from reports where reporter_id = $1 order by created_at, id";

pub(crate) const AUDIT: &str = "select * from audit order by id desc limit $1";

impl Store {
    /// Mutes `other` for `user`; again changes nothing.
    pub async fn mute(&self, user: UserId, other: UserId, now: Timestamp) -> Result<(), Fault> {
        const SQL: &str = "insert into mutes (user_id, muted_id, created_at) values ($1, $2, $3)
            on conflict (user_id, muted_id) do nothing";
        writing!(self, db => sqlx::query(SQL)
            .bind(user.0).bind(other.0).bind(now.0).execute(db).await?.rows_affected());
        Ok(())
    }

    /// Hears `other` again; false when it was not muted.
    pub async fn unmute(&self, user: UserId, other: UserId) -> Result<bool, Fault> {
        const SQL: &str = "delete from mutes where user_id = $1 and muted_id = $2";
        Ok(
            writing!(self, db => sqlx::query(SQL).bind(user.0).bind(other.0).execute(db).await?.rows_affected())
                == 1,
        )
    }

    /// Whom a user has muted, first muted first.
    pub async fn list_mutes(&self, user: UserId) -> Result<Vec<UserId>, Fault> {
        const SQL: &str = "select muted_id from mutes where user_id = $1 order by created_at, muted_id";
        let ids: Vec<Uuid> = reading!(self, db => sqlx::query_scalar(SQL).bind(user.0).fetch_all(db).await?);
        Ok(ids.into_iter().map(UserId).collect())
    }

    /// Blocks `other` for `user`; again changes nothing.
    pub async fn block(&self, user: UserId, other: UserId, now: Timestamp) -> Result<(), Fault> {
        const SQL: &str = "insert into blocks (user_id, blocked_id, created_at) values ($1, $2, $3)
            on conflict (user_id, blocked_id) do nothing";
        writing!(self, db => sqlx::query(SQL)
            .bind(user.0).bind(other.0).bind(now.0).execute(db).await?.rows_affected());
        Ok(())
    }

    /// Lifts a block; false when there was none.
    pub async fn unblock(&self, user: UserId, other: UserId) -> Result<bool, Fault> {
        const SQL: &str = "delete from blocks where user_id = $1 and blocked_id = $2";
        Ok(
            writing!(self, db => sqlx::query(SQL).bind(user.0).bind(other.0).execute(db).await?.rows_affected())
                == 1,
        )
    }

    /// Whom a user has blocked, first blocked first.
    pub async fn list_blocks(&self, user: UserId) -> Result<Vec<UserId>, Fault> {
        const SQL: &str = "select blocked_id from blocks where user_id = $1 order by created_at, blocked_id";
        let ids: Vec<Uuid> = reading!(self, db => sqlx::query_scalar(SQL).bind(user.0).fetch_all(db).await?);
        Ok(ids.into_iter().map(UserId).collect())
    }

    /// Everyone whom a user has blocked or who has blocked it: whom matchmaking keeps apart.
    pub async fn list_blocks_either_way(&self, user: UserId) -> Result<Vec<UserId>, Fault> {
        const SQL: &str = "select blocked_id from blocks where user_id = $1
            union select user_id from blocks where blocked_id = $1";
        let ids: Vec<Uuid> = reading!(self, db => sqlx::query_scalar(SQL).bind(user.0).fetch_all(db).await?);
        Ok(ids.into_iter().map(UserId).collect())
    }

    /// Files a report.
    pub async fn create_report(&self, report: &NewReport) -> Result<(), Fault> {
        const SQL: &str = "insert into reports
            (id, reporter_id, reported_id, game_id, reason, note, created_at) values ($1, $2, $3, $4, $5, $6, $7)";
        writing!(self, db => sqlx::query(SQL)
            .bind(report.id)
            .bind(report.reporter.0)
            .bind(report.reported.0)
            .bind(report.game.map(|game| game.0))
            .bind(report.reason.as_str())
            .bind(report.note.as_str())
            .bind(report.created_at.0)
            .execute(db).await?.rows_affected());
        Ok(())
    }

    /// Reports that nobody has dealt with, oldest first.
    pub async fn list_open_reports(&self, limit: u32) -> Result<Vec<Report>, Fault> {
        Ok(reading!(self, db => sqlx::query_as(OPEN_REPORTS).bind(i64::from(limit)).fetch_all(db).await?))
    }

    /// What a user has reported, oldest first: part of the export of everything about it.
    pub async fn list_reports_by(&self, user: UserId) -> Result<Vec<Report>, Fault> {
        Ok(reading!(self, db => sqlx::query_as(REPORTS_BY).bind(user.0).fetch_all(db).await?))
    }

    /// Closes a report; false when it is closed or unknown.
    pub async fn resolve_report(
        &self,
        id: Uuid,
        by: Option<UserId>,
        resolution: &str,
        now: Timestamp,
    ) -> Result<bool, Fault> {
        const SQL: &str = "update reports set resolved_at = $2, resolved_by = $3, resolution = $4
            where id = $1 and resolved_at is null";
        Ok(writing!(self, db => sqlx::query(SQL)
            .bind(id).bind(now.0).bind(by.map(|by| by.0)).bind(resolution).execute(db).await?.rows_affected())
            == 1)
    }

    /// Writes a line of the audit log.
    pub async fn append_audit(&self, entry: &AuditEntry) -> Result<(), Fault> {
        const SQL: &str =
            "insert into audit (at, actor_id, action, subject, detail) values ($1, $2, $3, $4, $5)";
        writing!(self, db => sqlx::query(SQL)
            .bind(entry.at.0)
            .bind(entry.actor.map(|actor| actor.0))
            .bind(<&str>::from(entry.action))
            .bind(entry.subject.as_str())
            .bind(entry.detail.as_str())
            .execute(db).await?.rows_affected());
        Ok(())
    }

    /// The last lines of the audit log, newest first.
    pub async fn list_audit(&self, limit: u32) -> Result<Vec<AuditEntry>, Fault> {
        Ok(reading!(self, db => sqlx::query_as(AUDIT).bind(i64::from(limit)).fetch_all(db).await?))
    }

    /// The number of the last line of the audit log; 0 when it is empty.
    pub async fn last_audit(&self) -> Result<i64, Fault> {
        const SQL: &str = "select coalesce(max(id), 0) from audit";
        Ok(reading!(self, db => sqlx::query_scalar(SQL).fetch_one(db).await?))
    }

    /// The lines of the audit log after a number, oldest first, each with its number. Numbers are given when a line is
    /// written; PostgreSQL may show a line later than one with a higher number.
    pub async fn list_audit_after(&self, after: i64, limit: u32) -> Result<Vec<(i64, AuditEntry)>, Fault> {
        const SQL: &str = "select * from audit where id > $1 order by id limit $2";
        let lines: Vec<Numbered> = reading!(self, db => sqlx::query_as(SQL)
            .bind(after).bind(i64::from(limit)).fetch_all(db).await?);
        Ok(lines.into_iter().map(|Numbered(id, entry)| (id, entry)).collect())
    }
}

struct Numbered(i64, AuditEntry);

from_row!(Numbered, |row| Numbered(row.try_get("id")?, sqlx::FromRow::from_row(row)?));
