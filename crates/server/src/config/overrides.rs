//! What the command line sets.

use serde::Serialize;

/// What the command line sets, above everything else.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Overrides {
    /// `[server]`
    #[serde(skip_serializing_if = "ServerOverrides::is_empty")]
    pub server: ServerOverrides,
    /// `[database]`
    #[serde(skip_serializing_if = "DatabaseOverrides::is_empty")]
    pub database: DatabaseOverrides,
}

/// Overrides of `[server]`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ServerOverrides {
    /// `--listen`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listen: Option<String>,
}

/// Overrides of `[database]`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DatabaseOverrides {
    /// `--database`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl ServerOverrides {
    fn is_empty(&self) -> bool {
        self.listen.is_none()
    }
}

impl DatabaseOverrides {
    fn is_empty(&self) -> bool {
        self.url.is_none()
    }
}
