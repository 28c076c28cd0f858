//! Players as everybody may see them: profiles, rating histories, leaderboards.

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::routing::get;
use axum::{Json, Router};
use kingscross_protocol::{
    ErrorBody, ErrorCode, LeaderboardEntry, Page, Profile, RatingChangeView, UserId, UserKind, UserView,
};
use kingscross_storage::{LeaderboardCursor, StoredRating, User};
use serde::Deserialize;
use utoipa::IntoParams;

use super::games::query::{USUAL_LIMIT, bad, read_limit};
use super::viewer::Viewer;
use super::{ApiError, NoParams, Params, Segments};
use crate::app::App;
use crate::auth::{NameKey, kind};
use crate::error::sentence;
use crate::ratings::rating_change;
use crate::ratings::{Pool, is_settled, settled, view};

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/users", get(find_users))
        .route("/users/{user}", get(profile))
        .route("/users/{user}/ratings/{pool}", get(rating_history))
        .route("/leaderboards/{pool}", get(leaderboard))
}

/// Which players to find.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct UserQuery {
    /// The beginning of the name, ignoring case and look-alike letters; at least 2 letters or digits, no wildcards.
    #[param(min_length = 2, max_length = 20)]
    name: String,
    /// The maximum number of players, 1 to 200; 50 by default.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
}

/// Accounts whose name begins with a text.
#[utoipa::path(get, path = "/api/v1/users", tag = "players", params(UserQuery), responses(
    (status = 200, description = "the accounts", body = Vec<UserView>), (status = 400, body = ErrorBody)))]
pub(crate) async fn find_users(
    State(app): State<App>,
    Params(query): Params<UserQuery>,
) -> Result<Json<Vec<UserView>>, ApiError> {
    let key = NameKey::of_beginning(&query.name)
        .ok_or_else(|| bad("`name` is how a name begins, with at least 2 letters or digits"))?;
    let limit = read_limit(query.limit)?.unwrap_or(USUAL_LIMIT);
    let users = app.store.list_users_by_prefix(key.as_str(), limit).await?;
    Ok(Json(users.iter().map(user_view).collect()))
}

/// A player's profile with the ratings.
#[utoipa::path(get, path = "/api/v1/users/{user}", tag = "players",
    params(("user" = String, Path, description = "The player's id", format = "uuid")),
    responses((status = 200, description = "the profile", body = Profile), (status = 400, body = ErrorBody), (status = 404, body = ErrorBody)))]
pub(crate) async fn profile(
    State(app): State<App>,
    Whom(user): Whom,
    viewer: Viewer,
    _: Params<NoParams>,
) -> Result<Json<Profile>, ApiError> {
    let now = app.clock.now();
    let sight = viewer.sight(&app).await;
    let mut ratings = Vec::new();
    for (pool, stored) in app.store.list_ratings(user.id).await? {
        let told = sight.ratings().rating(user.id, &pool, stored).await?;
        ratings.extend(told.map(|told| view(&pool, &told, now)));
    }
    Ok(Json(Profile {
        user: user_view(&user),
        created: user.created_at,
        deleted: user.deleted_at.is_some(),
        banned: user.banned_at.is_some(),
        ratings,
    }))
}

/// Which page of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// The `next` of the page before.
    cursor: Option<String>,
    /// The number of entries, 1 to 200; 50 by default.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
}

/// The changes of a player's rating, newest first, each with its arithmetic.
#[utoipa::path(get, path = "/api/v1/users/{user}/ratings/{pool}", tag = "players",
    params(("user" = String, Path, description = "The player's id", format = "uuid"),
        ("pool" = String, Path, description = "A rating pool, such as `crossfire`: the `pool` of a variant"), PageQuery),
    responses((status = 200, description = "a page of changes", body = Page<RatingChangeView>), (status = 400, body = ErrorBody), (status = 404, body = ErrorBody)))]
pub(crate) async fn rating_history(
    State(app): State<App>,
    Segments((user, pool)): Segments<(String, String)>,
    viewer: Viewer,
    Params(query): Params<PageQuery>,
) -> Result<Json<Page<RatingChangeView>>, ApiError> {
    let user = find(&app, &user).await?;
    let pool = read_pool(&pool)?;
    let limit = read_limit(query.limit)?.unwrap_or(USUAL_LIMIT);
    let before = match query.cursor.as_deref() {
        None => i64::MAX,
        Some(text) => text.parse().ok().filter(|&id| id > 0).ok_or_else(bad_cursor)?,
    };
    let sight = viewer.sight(&app).await;
    let hidden = sight.ratings().first_hidden(user.id, pool.id()).await?;
    let before = hidden.map_or(before, |row| before.min(row.id));
    let mut rows = app.store.rating_history(user.id, pool.id(), before, limit + 1).await?;
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let next = rows.last().filter(|_| more).map(|row| row.id.to_string());
    let items = rows.iter().map(rating_change).collect::<Result<_, _>>();
    Ok(Json(Page { items: items.map_err(|error| ApiError::internal(&error))?, next }))
}

/// The best players of a pool, best first; only those with a settled rating.
#[utoipa::path(get, path = "/api/v1/leaderboards/{pool}", tag = "players",
    params(("pool" = String, Path, description = "A rating pool, such as `crossfire`: the `pool` of a variant"), PageQuery),
    responses((status = 200, description = "a page of players", body = Page<LeaderboardEntry>), (status = 400, body = ErrorBody), (status = 404, body = ErrorBody)))]
pub(crate) async fn leaderboard(
    State(app): State<App>,
    Segments(pool): Segments<String>,
    viewer: Viewer,
    Params(query): Params<PageQuery>,
) -> Result<Json<Page<LeaderboardEntry>>, ApiError> {
    let pool = read_pool(&pool)?;
    let limit = read_limit(query.limit)?.unwrap_or(USUAL_LIMIT);
    let cursor = query.cursor.as_deref().map(read_cursor).transpose()?;
    let now = app.clock.now();
    let settled = settled(now);
    let sight = viewer.sight(&app).await;
    // Players with hidden changes are placed by the rating that the viewer may see.
    let hidden = sight.users_with_hidden_changes(pool.id());
    let some = limit + u32::try_from(hidden.len()).unwrap_or(u32::MAX - limit);
    let page = app.store.leaderboard(pool.id(), settled, cursor, some).await?;
    let mut told: Vec<(UserId, String, StoredRating)> = page
        .entries
        .into_iter()
        .filter(|entry| !hidden.contains(&entry.user))
        .map(|entry| (entry.user, entry.name, entry.rating))
        .collect();
    let is_full = page.next.is_some();
    for id in hidden {
        let Some(stored) = app.store.find_rating(id, pool.id()).await? else { continue };
        let Some(rating) = sight.ratings().rating(id, pool.id(), stored).await? else { continue };
        let is_on = cursor.is_none_or(|at| (rating.rating, id) < (at.rating, at.user));
        let user = app.store.find_user(id).await?.filter(|user| {
            kind(user.kind) == UserKind::Account && user.deleted_at.is_none() && user.banned_at.is_none()
        });
        if let Some(user) = user.filter(|_| is_on && is_settled(&settled, &rating)) {
            told.push((id, user.name, rating));
        }
    }
    told.sort_by(|one, other| other.2.rating.total_cmp(&one.2.rating).then(other.0.cmp(&one.0)));
    let more = is_full || told.len() > limit as usize;
    told.truncate(limit as usize);
    let next = told
        .last()
        .filter(|_| more)
        .map(|(user, _, rating)| write_cursor(&LeaderboardCursor { rating: rating.rating, user: *user }));
    let entry = |(id, name, rating)| LeaderboardEntry {
        user: UserView { id, name, kind: UserKind::Account },
        rating: view(pool.id(), &rating, now),
    };
    let items = told.into_iter().map(entry).collect();
    Ok(Json(Page { items, next }))
}

/// A user as everybody may see it.
pub(crate) fn user_view(user: &User) -> UserView {
    UserView { id: user.id, name: user.name.clone(), kind: kind(user.kind) }
}

/// The player in a path without other variable parts.
pub(crate) struct Whom(pub(crate) User);

impl FromRequestParts<App> for Whom {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let Segments(id) = Segments::<String>::from_request_parts(parts, app).await?;
        find(app, &id).await.map(Self)
    }
}

/// A user by the text of its id.
pub(crate) async fn find(app: &App, text: &str) -> Result<User, ApiError> {
    let id: UserId = text.parse().map_err(|_| ApiError::not_found("player"))?;
    app.store.find_user(id).await?.ok_or_else(|| ApiError::not_found("player"))
}

fn read_pool(text: &str) -> Result<Pool, ApiError> {
    text.parse().map_err(|error| ApiError::new(ErrorCode::NotFound, sentence(&error)))
}

fn bad_cursor() -> ApiError {
    ApiError::new(ErrorCode::BadCursor, "This list did not return that cursor.")
}

/// The bits of the rating, since a rounded one would skip or repeat an entry, and the user.
fn write_cursor(at: &LeaderboardCursor) -> String {
    format!("{:016x}{}", at.rating.to_bits(), at.user.0.simple())
}

fn read_cursor(text: &str) -> Result<LeaderboardCursor, ApiError> {
    let parse = || {
        let (bits, user) = text.split_at_checked(16)?;
        let rating = f64::from_bits(u64::from_str_radix(bits, 16).ok()?);
        let user = UserId(uuid::Uuid::try_parse(user).ok()?);
        rating.is_finite().then_some(LeaderboardCursor { rating, user })
    };
    parse().filter(|cursor| write_cursor(cursor) == text).ok_or_else(bad_cursor)
}
