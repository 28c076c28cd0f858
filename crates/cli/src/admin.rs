//! `kingscross admin`

use anyhow::Result;
use kingscross_protocol::{GameId, Role};
use kingscross_server::AdminActions;
use kingscross_server::config::Config;
use kingscross_storage::{Direction, GameFilter, GameStatus, Store, User};
use strum::VariantArray as _;

use crate::context::{moment, now, on_database};
use crate::output::say;
use crate::sources::Sources;

/// Rows of a list at most.
const ROWS: u32 = 200;

/// What an administrator does. Each act is written into the audit log; a running server follows it within a second.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Act {
    /// List players, running games, open reports or the audit log.
    List {
        /// What to list.
        #[arg(default_value = "users")]
        what: What,
    },
    /// Ban a player: every session ends and no new one begins.
    Ban {
        /// Name or id.
        who: String,
        /// Why, for the audit log.
        #[arg(long, default_value = "")]
        why: String,
    },
    /// Lift a ban.
    Unban {
        /// Name or id.
        who: String,
    },
    /// End a running game without a result.
    End {
        /// The game's id.
        game: GameId,
        /// Why, for the audit log.
        #[arg(long, default_value = "")]
        why: String,
    },
    /// Let a finished game count for no rating; the pool is computed anew.
    Annul {
        /// The game's id.
        game: GameId,
        /// Why, for the audit log.
        #[arg(long, default_value = "")]
        why: String,
        /// Let it count again.
        #[arg(long)]
        undo: bool,
    },
    /// Close a report.
    Resolve {
        /// The report's id, from `list reports`.
        report: uuid::Uuid,
        /// What was done.
        resolution: String,
    },
    /// Mark an account without rated games as that of a program; its games are casual from then on.
    Bot {
        /// Name or id.
        who: String,
    },
    /// Give a role: player, moderator or admin.
    Grant {
        /// Name or id.
        who: String,
        /// The role.
        #[arg(value_parser = role)]
        role: Role,
    },
}

/// What `admin list` lists.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum What {
    /// Everyone, oldest first.
    Users,
    /// Games that are being played.
    Games,
    /// Reports that nobody has dealt with.
    Reports,
    /// What administrators did, newest first.
    Audit,
}

fn role(text: &str) -> Result<Role, String> {
    text.parse().map_err(|_| {
        let known: Vec<&str> = Role::VARIANTS.iter().map(Into::into).collect();
        format!("there is no role `{text}`; the roles are {}", known.join(", "))
    })
}

pub(crate) fn run(sources: &Sources, act: Act) -> Result<()> {
    on_database(sources, async |config, store| carry_out(config, store, act).await)
}

async fn carry_out(config: &Config, store: &Store, act: Act) -> Result<()> {
    let actions = AdminActions { store, actor: None, now: now() };
    match act {
        Act::List { what } => list(store, what).await?,
        Act::Ban { who, why } => say!("banned {}", line(&actions.ban(&who, &why).await?))?,
        Act::Unban { who } => say!("unbanned {}", line(&actions.unban(&who).await?))?,
        Act::End { game, why } => {
            actions.end(game, config, &why).await?;
            say!("ended {game}")?;
        }
        Act::Annul { game, why, undo } => {
            actions.annul(game, !undo, &why).await?;
            say!("{} {game}", if undo { "counts again:" } else { "annulled" })?;
        }
        Act::Resolve { report, resolution } => {
            actions.resolve(report, &resolution).await?;
            say!("closed report {report}")?;
        }
        Act::Bot { who } => say!("a bot: {}", line(&actions.mark_bot(&who).await?))?,
        Act::Grant { who, role } => say!("{role}: {}", line(&actions.grant(&who, role).await?))?,
    }
    Ok(())
}

async fn list(store: &Store, what: What) -> Result<()> {
    match what {
        What::Users => {
            let mut after = None;
            loop {
                let users = store.list_users(after, ROWS).await?;
                for user in &users {
                    say!("{}", line(user))?;
                }
                after = users.last().map(|user| user.id);
                if users.len() < ROWS as usize {
                    break;
                }
            }
        }
        What::Games => {
            let filter = GameFilter { status: Some(GameStatus::Running), ..GameFilter::default() };
            let mut cursor = None;
            loop {
                let page = store.list_games(&filter, Direction::Newest, cursor, ROWS).await?;
                for game in &page.games {
                    let names: Vec<&str> = game.players.iter().map(|player| player.name.as_str()).collect();
                    let (id, at) = (game.id, moment(game.created_at));
                    say!("{id}  {at}  {}  {}  {}", game.variant, game.time_control, names.join(", "))?;
                }
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
        }
        What::Reports => {
            for report in store.list_open_reports(ROWS).await? {
                let it = report.report;
                let game = it.game.map(|game| format!(" in game {game}")).unwrap_or_default();
                let (at, note) = (moment(it.created_at), it.note.escape_debug());
                say!(
                    "{}  {at}  {} reports {}{game}: {}: {note}",
                    it.id,
                    it.reporter,
                    it.reported,
                    it.reason
                )?;
            }
        }
        What::Audit => {
            for entry in store.list_audit(ROWS).await? {
                let actor = entry.actor.map_or_else(|| "command line".to_owned(), |actor| actor.to_string());
                say!("{}  {actor}  {} {} {}", moment(entry.at), entry.action, entry.subject, entry.detail)?;
            }
        }
    }
    Ok(())
}

fn line(user: &User) -> String {
    let banned = user.banned_at.map(|at| format!("  banned {}", moment(at))).unwrap_or_default();
    let deleted = user.deleted_at.map(|at| format!("  deleted {}", moment(at))).unwrap_or_default();
    format!(
        "{}  {}  {}  {}  {}{banned}{deleted}",
        user.id,
        moment(user.created_at),
        user.kind,
        user.role,
        user.name
    )
}
