//! Every message and REST body that crosses the wire, the events of a game, and the ids.

mod account;
mod board;
mod client_message;
mod clock_proof;
pub mod close;
mod error;
mod event;
mod from_engine;
mod game_view;
mod ids;
mod lobby;
mod moderation;
mod position;
mod rating;
mod record;
mod repetition;
mod rest;
mod seat;
mod server_message;
mod time_control;

pub use account::{
    Credentials, Deletion, Me, NewReport, NewToken, PasswordChange, ReportReason, Role, Scope, SessionView,
    TokenMade, TokenScope, TokenView,
};
pub use board::{ArmyView, BoardChange, BoardView, Choice, Effect};
pub use client_message::{ClientMessage, LobbyOptions, Request, Saying};
pub use clock_proof::ClockProof;
pub use error::{ErrorBody, ErrorCode};
pub use event::{AbortCause, EVENT_VERSION, Ending, Event, OutageCause, Played, Player, ProposalKind, Setup};
pub use from_engine::{BoardBefore, LegalList};
pub use game_view::{Aggression, GameView, MatchPoints, MatchScore};
pub use ids::{BootId, CommandId, GameId, LobbyId, ProposalId, Seq, Timestamp, UserId};
pub use lobby::{LobbySeat, LobbySummary, LobbyView, PoolView, Unrated};
pub use moderation::{AuditAction, AuditView, ReportView, Resolution, Why};
pub use position::{PositionRequest, PositionStep, PositionView, UnjudgedGame, UnjudgedMove, ViewRequest};
pub use rating::{LeaderboardEntry, PairView, Profile, RatingChangeView, RatingNumbers, RatingView};
pub use record::{BadGameRecord, GameRecord, RECORD_VERSION, RatingStep};
pub use repetition::Repetition;
pub use rest::{
    ArmyInfo, BoardMarks, GameStatus, GameSummary, Page, PieceInfo, UserKind, UserView, VariantInfo,
};
pub use seat::SeatLetter;
pub use server_message::{
    ChatLine, Clocks, EventMessage, HistoryEntry, LobbyEnd, MatchView, PROTOCOL_VERSION, PoolWait, Presence,
    ProposalView, QueueEnd, QueueView, ServerMessage, Snapshot,
};
pub use time_control::{BadTimeControl, TimeControl};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_read_as_documented() {
        let text = r#"{"id":"018f2b7e-0000-7000-8000-000000000001","type":"say","game":"018f2b7e-0000-7000-8000-000000000002","phrase":"good_luck"}"#;
        let message: ClientMessage = serde_json::from_str(text).expect("readable");
        assert_eq!(
            message.request,
            Request::Say {
                game: "018f2b7e-0000-7000-8000-000000000002".parse().expect("uuid"),
                what: Saying::Phrase("good_luck".into())
            }
        );
        let refused = ServerMessage::Error {
            id: Some(message.id),
            error: ErrorBody::new(ErrorCode::Unavailable, "The database does not answer."),
            seq: None,
            hash: None,
        };
        let text = serde_json::to_string(&refused).expect("writable");
        assert_eq!(
            text,
            r#"{"type":"error","id":"018f2b7e-0000-7000-8000-000000000001","code":"unavailable","message":"The database does not answer.","retryable":true}"#
        );
        assert_eq!(serde_json::from_str::<ServerMessage>(&text).expect("readable"), refused);
    }
}
