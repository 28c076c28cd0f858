//! Where the server listens: an address of the network, or a socket in the file system.

use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use kingscross_server::Listener;
use tokio::net::{TcpListener, UnixListener};

/// Owner and group may speak to the server: whoever may is taken for a trusted proxy.
const MODE: u32 = 0o660;

/// What `server.listen` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Listen {
    /// `address:port`
    Tcp(String),
    /// `unix:/path`
    Unix(PathBuf),
}

impl Listen {
    /// Reads the option.
    pub(crate) fn of(text: &str) -> Self {
        match text.strip_prefix("unix:") {
            Some(path) => Self::Unix(path.into()),
            None => Self::Tcp(text.to_owned()),
        }
    }

    /// Listens there; `option` is what names another place.
    pub(crate) async fn bind(&self, option: &str) -> Result<Listener> {
        match self {
            Self::Tcp(address) => {
                let listener = TcpListener::bind(address).await;
                let why = || format!("cannot listen on {address}; {option} names another address");
                Ok(listener.with_context(why)?.into())
            }
            Self::Unix(path) => {
                let listener = bind_file(path);
                let why =
                    || format!("cannot listen on unix:{}; {option} names another address", path.display());
                Ok(listener.with_context(why)?.into())
            }
        }
    }

    /// Whether nothing listens there; changes nothing.
    pub(crate) async fn is_free(&self) -> Result<()> {
        match self {
            Self::Tcp(address) => drop(TcpListener::bind(address).await?),
            Self::Unix(path) => drop(is_left_behind(path)?),
        }
        Ok(())
    }

    /// Removes the socket's file when the server has ended.
    pub(crate) fn clean_up(&self) {
        if let Self::Unix(path) = self {
            // Another file may have come to its place.
            if fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket()) {
                // If it cannot be removed, the next start replaces it.
                let _ = fs::remove_file(path);
            }
        }
    }
}

fn bind_file(path: &Path) -> Result<UnixListener> {
    if is_left_behind(path)? {
        fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, Permissions::from_mode(MODE))?;
    Ok(listener)
}

/// Whether the file is a socket that nobody listens on any more. An error: it is in use, or no socket.
fn is_left_behind(path: &Path) -> Result<bool> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error.into()),
        Ok(found) if !found.file_type().is_socket() => bail!("the file is there and is not a socket"),
        Ok(_) => {}
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => Ok(true),
        Err(error) => Err(error.into()),
        Ok(_) => bail!("another program listens there"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_a_socket_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("kingscross.sock");
        let listen = Listen::Unix(path.clone());
        fs::write(&path, "a file of somebody else's").expect("our folder");
        listen.clean_up();
        assert!(path.exists());
        fs::remove_file(&path).expect("our file");

        drop(std::os::unix::net::UnixListener::bind(&path).expect("our folder"));
        assert!(path.exists());
        listen.clean_up();
        assert!(!path.exists());
    }
}
