//! Names and ratings of players when a game begins, and whether the game can be rated.

use kingscross_protocol::{Player, Setup};
use kingscross_storage::{Fault, UserKind};

use super::pool::Pool;
use super::rater::from_stored;
use super::visible::VisibleRatings;

/// Why a game with these players cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum StandingError {
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
    /// A player was deleted or banned since taking the seat, which may have been before a restart.
    #[error("a player was deleted or banned")]
    Gone,
}

/// Writes names and ratings into a setup. Everybody sees it, so the ratings are those that everybody may see. Guests and
/// bots make the game casual.
pub async fn note_standings(visible: VisibleRatings<'_>, setup: &mut Setup) -> Result<(), StandingError> {
    let pool = Pool::of(setup.variant);
    let mut all_accounts = true;
    for player in &mut setup.players {
        all_accounts &= note_standing(visible, player, pool).await?;
    }
    setup.rated &= all_accounts;
    Ok(())
}

/// Writes the name and rating of a player. Returns whether games with this player can be rated.
async fn note_standing(
    visible: VisibleRatings<'_>,
    player: &mut Player,
    pool: Pool,
) -> Result<bool, StandingError> {
    if player.bot.is_some() {
        return Ok(false);
    }
    let VisibleRatings { store, now, .. } = visible;
    let told = match store.find_rating(player.user, pool.id()).await? {
        Some(stored) => visible.rating(player.user, pool.id(), stored).await?,
        None => None,
    };
    if let Some(told) = &told {
        let today = from_stored(Some(told)).aged(now);
        player.rating = Some(today.shown());
        player.provisional = today.is_provisional();
    }
    let user = store.find_user(player.user).await?.ok_or(StandingError::Gone)?;
    if user.deleted_at.is_some() || user.banned_at.is_some() {
        return Err(StandingError::Gone);
    }
    player.name = user.name;
    Ok(user.kind == UserKind::Account)
}
