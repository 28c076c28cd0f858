//! What moderators and administrators do over HTTP; everything is written to the audit log.

use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::routing::{get, post, put};
use axum::{Json, Router};
use kingscross_protocol::{
    AuditAction, AuditView, ErrorBody, ErrorCode, ReportView, Resolution, Role, Scope, UserId, UserView, Why,
};
use kingscross_storage::{AppendError, Report, User};
use uuid::Uuid;

use super::games::GamePath;
use super::users::{Whom, find, user_view};
use super::{ApiError, Body, Segments};
use crate::admin::{AdminActions, AdminError};
use crate::app::App;
use crate::auth::CurrentUser;
use crate::error::sentence;
use crate::excluded::Exclusion;
use crate::expel::expel;
use crate::text::{self, Lines};

/// The longest reason or resolution, in characters.
const LONGEST: usize = 500;
/// Lines of a list.
const LINES: u32 = 200;

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/admin/reports", get(list_reports))
        .route("/admin/reports/{report}", post(resolve_report))
        .route("/admin/users/{user}/ban", put(ban).delete(unban))
        .route("/admin/games/{game}/end", post(end_game))
        .route("/admin/games/{game}/annulment", put(annul).delete(restore))
        .route("/admin/audit", get(list_audit))
}

/// Open reports, oldest first, 200 at most. For moderators.
#[utoipa::path(get, path = "/api/v1/admin/reports", tag = "administration", responses(
    (status = 200, description = "the open reports", body = Vec<ReportView>), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
pub(crate) async fn list_reports(
    State(app): State<App>,
    _: Moderator,
) -> Result<Json<Vec<ReportView>>, ApiError> {
    let mut views = Vec::new();
    for report in app.store.list_open_reports(LINES).await? {
        views.push(report_view(&app, report).await?);
    }
    Ok(Json(views))
}

/// Closes a report with what was done about it. For moderators.
#[utoipa::path(post, path = "/api/v1/admin/reports/{report}", tag = "administration", request_body = Resolution,
    params(("report" = String, Path, description = "The report's id", format = "uuid")), responses(
    (status = 204, description = "closed"), (status = 400, body = ErrorBody), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 404, description = "no such open report", body = ErrorBody)))]
pub(crate) async fn resolve_report(
    moderator: Moderator,
    Segments(id): Segments<String>,
    Body(done): Body<Resolution>,
) -> Result<StatusCode, ApiError> {
    let id: Uuid = id.parse().map_err(|_| ApiError::not_found("open report"))?;
    let what = text::filled("What was done", &done.resolution, LONGEST, Lines::Several)?;
    moderator.actions().resolve(id, what).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Bans a player: every session ends, its sockets close at once, and no new one begins. For moderators.
#[utoipa::path(put, path = "/api/v1/admin/users/{user}/ban", tag = "administration", request_body = Why,
    params(("user" = String, Path, description = "The player's id", format = "uuid")), responses(
    (status = 204, description = "banned"), (status = 400, body = ErrorBody), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(crate) async fn ban(
    State(app): State<App>,
    moderator: Moderator,
    Segments(id): Segments<String>,
    Body(why): Body<Why>,
) -> Result<StatusCode, ApiError> {
    let whom = find(&app, &id).await?;
    if whom.id == moderator.user || whom.role != Role::Player {
        return Err(ApiError::new(
            ErrorCode::Conflict,
            "Moderators and administrators cannot be banned; take away the role first.",
        ));
    }
    moderator.actions().ban(&whom.id.to_string(), reason(&why)?).await?;
    expel(&app, whom.id, Exclusion::Banned).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Lifts a ban. For moderators.
#[utoipa::path(delete, path = "/api/v1/admin/users/{user}/ban", tag = "administration",
    params(("user" = String, Path, description = "The player's id", format = "uuid")), responses(
    (status = 204, description = "lifted"), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody)))]
pub(crate) async fn unban(
    State(app): State<App>,
    moderator: Moderator,
    Whom(whom): Whom,
) -> Result<StatusCode, ApiError> {
    moderator.actions().unban(&whom.id.to_string()).await?;
    app.excluded.lift(whom.id);
    Ok(StatusCode::NO_CONTENT)
}

/// Ends a running game without a result; nobody is rated. For moderators.
#[utoipa::path(post, path = "/api/v1/admin/games/{game}/end", tag = "administration", request_body = Why,
    params(("game" = String, Path, description = "The game's id", format = "uuid")), responses(
    (status = 204, description = "ended"), (status = 400, body = ErrorBody), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(crate) async fn end_game(
    State(app): State<App>,
    moderator: Moderator,
    GamePath(game): GamePath,
    Body(why): Body<Why>,
) -> Result<StatusCode, ApiError> {
    let (actions, why) = (moderator.actions(), reason(&why)?);
    match app.tables.find(game).filter(|table| !table.has_ended()) {
        // The table writes the end itself.
        Some(table) => {
            table.abort().await?;
            actions.note(AuditAction::End, &game, &serde_json::json!({ "why": why })).await?;
        }
        None => actions.end(game, &app.config, why).await?,
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Annuls a game: it no longer counts, and the ratings of its pool are computed anew. For administrators.
#[utoipa::path(put, path = "/api/v1/admin/games/{game}/annulment", tag = "administration", request_body = Why,
    params(("game" = String, Path, description = "The game's id", format = "uuid")), responses(
    (status = 204, description = "annulled"), (status = 400, body = ErrorBody), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(crate) async fn annul(
    Administrator(official): Administrator,
    GamePath(game): GamePath,
    Body(why): Body<Why>,
) -> Result<StatusCode, ApiError> {
    official.actions().annul(game, true, reason(&why)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lets an annulled game count again. For administrators.
#[utoipa::path(delete, path = "/api/v1/admin/games/{game}/annulment", tag = "administration",
    params(("game" = String, Path, description = "The game's id", format = "uuid")), responses(
    (status = 204, description = "it counts again"), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
pub(crate) async fn restore(
    Administrator(official): Administrator,
    GamePath(game): GamePath,
) -> Result<StatusCode, ApiError> {
    official.actions().annul(game, false, "").await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What moderators and administrators did, newest first, 200 lines at most. For administrators.
#[utoipa::path(get, path = "/api/v1/admin/audit", tag = "administration", responses(
    (status = 200, description = "the audit log", body = Vec<AuditView>), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
pub(crate) async fn list_audit(
    State(app): State<App>,
    _: Administrator,
) -> Result<Json<Vec<AuditView>>, ApiError> {
    let lines = app.store.list_audit(LINES).await?.into_iter().map(|entry| AuditView {
        at: entry.at,
        actor: entry.actor,
        action: entry.action,
        subject: entry.subject,
        detail: serde_json::from_str(&entry.detail).unwrap_or_default(),
    });
    Ok(Json(lines.collect()))
}

/// A moderator or administrator who has signed in; API tokens do not count.
pub(crate) struct Moderator {
    user: UserId,
    app: App,
}

/// An administrator who has signed in.
pub(crate) struct Administrator(Moderator);

impl Moderator {
    async fn with_role(parts: &mut Parts, app: &App, least: Role) -> Result<Self, ApiError> {
        let user = CurrentUser::from_request_parts(parts, app).await?;
        user.require(Scope::Manage)?;
        if user.role >= least {
            return Ok(Self { user: user.id, app: app.clone() });
        }
        Err(ApiError::new(ErrorCode::Forbidden, "Your role does not allow this."))
    }

    /// Carries out acts and writes them to the audit log.
    fn actions(&self) -> AdminActions<'_> {
        AdminActions { store: &self.app.store, actor: Some(self.user), now: self.app.clock.now() }
    }
}

impl FromRequestParts<App> for Moderator {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        Self::with_role(parts, app, Role::Moderator).await
    }
}

impl FromRequestParts<App> for Administrator {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        Moderator::with_role(parts, app, Role::Admin).await.map(Self)
    }
}

fn reason(why: &Why) -> Result<&str, ErrorBody> {
    text::clean("A reason", &why.why, LONGEST, Lines::Several)
}

/// A report with the names of its people.
pub(crate) async fn report_view(app: &App, report: Report) -> Result<ReportView, ApiError> {
    let Report { report, resolution, .. } = report;
    let of = |user: Option<User>| user.as_ref().map(user_view);
    let gone = || ApiError::internal(&"a report without its people");
    let reporter: Option<UserView> = of(app.store.find_user(report.reporter).await?);
    let reported: Option<UserView> = of(app.store.find_user(report.reported).await?);
    Ok(ReportView {
        id: report.id,
        reporter: reporter.ok_or_else(gone)?,
        reported: reported.ok_or_else(gone)?,
        game: report.game,
        reason: report.reason,
        note: report.note,
        at: report.created_at,
        resolution,
    })
}

impl From<AdminError> for ApiError {
    fn from(error: AdminError) -> Self {
        let code = match &error {
            AdminError::Storage(fault) => return Self::not_done(fault),
            AdminError::Append(AppendError::Unavailable) => return Self::unavailable(&error),
            AdminError::Record(_) | AdminError::Ratings(_) | AdminError::Append(AppendError::Invalid(_)) => {
                return Self::internal(&error);
            }
            AdminError::Append(_)
            | AdminError::Ended(_)
            | AdminError::Unchanged(_)
            | AdminError::Rated(_) => ErrorCode::Conflict,
            AdminError::NoGame(_) => ErrorCode::UnknownGame,
            AdminError::NoUser(_) | AdminError::NoReport(_) => ErrorCode::NotFound,
        };
        Self::new(code, sentence(&error))
    }
}
