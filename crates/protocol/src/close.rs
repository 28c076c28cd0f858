//! The codes with which the server closes a WebSocket, beside those of RFC 6455.

/// The server is restarting; come back and resume (RFC 6455 registry: service restart).
pub const RESTART: u16 = 1012;
/// A frame larger than the server reads.
pub const TOO_BIG: u16 = 1009;
/// A frame that breaks the WebSocket protocol itself.
pub const PROTOCOL: u16 = 1002;
/// A binary frame; only text is spoken.
pub const BINARY: u16 = 1003;
/// A text frame that is not UTF-8.
pub const BAD_UTF8: u16 = 1007;
/// More refused messages than anyone sends by mistake.
pub const FLOOD: u16 = 1008;
/// The client speaks a protocol version that the server does not.
pub const VERSION: u16 = 4000;
/// The client read too slowly; come back and resume.
pub const SLOW: u16 = 4001;
/// The session was revoked; sign in again.
pub const SESSION_REVOKED: u16 = 4002;
/// No frame from the client for the whole silence limit.
pub const SILENT: u16 = 4003;
/// More sockets of one player or address than allowed.
pub const TOO_MANY_SOCKETS: u16 = 4004;

/// All of them.
pub const ALL: [u16; 11] = [
    RESTART,
    TOO_BIG,
    PROTOCOL,
    BINARY,
    BAD_UTF8,
    FLOOD,
    VERSION,
    SLOW,
    SESSION_REVOKED,
    SILENT,
    TOO_MANY_SOCKETS,
];
