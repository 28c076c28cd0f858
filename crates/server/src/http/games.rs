//! Games, running and ended: lists by keyset, as pages or as a stream of lines, and single games.

mod list;
mod match_view;
pub(crate) mod query;
mod record;

use axum::Router;
use axum::routing::get;

use crate::app::App;

pub(crate) use list::{__path_list_games, LINES, find_page, list_games};
pub(crate) use record::{
    __path_fen4_of_game, __path_find_game, __path_pgn4_of_game, __path_record_of_game, GamePath,
    fen4_of_game, find_game, pgn4_of_game, plain_record, record_of_game,
};

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/games", get(list_games))
        .route("/games/{game}", get(find_game))
        .route("/games/{game}/record", get(record_of_game))
        .route("/games/{game}/pgn4", get(pgn4_of_game))
        .route("/games/{game}/fen4", get(fen4_of_game))
}
