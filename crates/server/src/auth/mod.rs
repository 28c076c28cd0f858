//! Who is asking: names, guests, accounts, sessions, API tokens.

mod guest_name;
pub mod limits;
mod name;
mod origin;
pub mod password;
mod secret;

pub use guest_name::guest_name;
pub use name::{BadName, Name, NameKey};
pub use origin::{BadOrigin, check_origin};
pub use secret::{NoRandomness, Secret, SessionKey, random};
