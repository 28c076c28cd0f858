//! The address of a client, as far as it can be believed: what a trusted proxy says it is.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};

/// Proxies of one's own: an address, or a network such as `10.0.0.0/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Proxies {
    network: IpAddr,
    bits: u8,
}

/// The text is neither an address nor a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither an address nor a network such as 10.0.0.0/8")]
pub struct BadProxies(String);

impl Proxies {
    fn contain(self, address: IpAddr) -> bool {
        let shift = match (self.network, address) {
            (IpAddr::V4(_), IpAddr::V4(_)) => 96 + u32::from(self.bits),
            (IpAddr::V6(_), IpAddr::V6(_)) => u32::from(self.bits),
            _ => return false,
        };
        let differing = number(self.network) ^ number(address);
        shift == 0 || differing >> (128 - shift) == 0
    }
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => Ipv6Addr::to_bits(address),
    }
}

impl FromStr for Proxies {
    type Err = BadProxies;

    fn from_str(text: &str) -> Result<Self, BadProxies> {
        let bad = || BadProxies(text.to_owned());
        let (address, bits) =
            text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let network: IpAddr = address.parse().map_err(|_| bad())?;
        let most = if network.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |bits| bits.parse().map_err(|_| bad()))?;
        if bits > most { Err(bad()) } else { Ok(Self { network, bits }) }
    }
}

impl fmt::Display for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.network, self.bits)
    }
}

impl TryFrom<String> for Proxies {
    type Error = BadProxies;

    fn try_from(text: String) -> Result<Self, BadProxies> {
        text.parse()
    }
}

impl From<Proxies> for String {
    fn from(proxies: Proxies) -> Self {
        proxies.to_string()
    }
}

/// The other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// Over the network, from an address.
    Address(IpAddr),
    /// Over a socket in the file system, which only a proxy on this machine is given.
    Socket,
}

impl Peer {
    /// Whether it is a proxy of one's own.
    pub fn is_proxy(self, trusted: &[Proxies]) -> bool {
        match self {
            Self::Address(address) => is_trusted(trusted, address.to_canonical()),
            Self::Socket => true,
        }
    }

    /// Its address; that of this machine for a socket in the file system.
    pub fn address(self) -> IpAddr {
        match self {
            Self::Address(address) => address.to_canonical(),
            Self::Socket => IpAddr::V4(Ipv4Addr::LOCALHOST),
        }
    }
}

fn is_trusted(trusted: &[Proxies], address: IpAddr) -> bool {
    trusted.iter().any(|proxies| proxies.contain(address))
}

/// The client's address. What `X-Forwarded-For` says counts as far as trusted proxies wrote it: from its end, the
/// first address that is none of them. All before it the client may have made up.
pub fn client_address(trusted: &[Proxies], headers: &HeaderMap, peer: Peer) -> IpAddr {
    let mut believed = peer.address();
    let mut is_believed = peer.is_proxy(trusted);
    let lines = headers.get_all("x-forwarded-for").iter().rev();
    let entries = lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.rsplit(','));
    for entry in entries {
        if !is_believed {
            break;
        }
        let Some(address) = forwarded(entry.trim()) else { break };
        believed = address.to_canonical();
        is_believed = is_trusted(trusted, believed);
    }
    believed
}

/// An entry of `X-Forwarded-For`: an address, which some proxies write with its port, or in brackets or quotes.
fn forwarded(entry: &str) -> Option<IpAddr> {
    let entry = entry.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(entry);
    let in_brackets = entry.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
    if let Some(address) = in_brackets {
        return address.parse::<Ipv6Addr>().ok().map(IpAddr::V6);
    }
    entry.parse().ok().or_else(|| entry.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn seen(trusted: &[&str], peer: &str, forwarded: &[&'static str]) -> String {
        let trusted: Vec<Proxies> = trusted.iter().map(|text| text.parse().expect("proxies")).collect();
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", line.parse().expect("a header"));
        }
        let peer = if peer == "socket" { Peer::Socket } else { Peer::Address(address(peer)) };
        client_address(&trusted, &headers, peer).to_string()
    }

    #[test]
    fn an_entry_may_have_a_port_and_brackets() {
        for (entry, found) in [
            ("1.2.3.4:5555", "1.2.3.4"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
            ("\"[2001:db8::1]:443\"", "2001:db8::1"),
            ("[::ffff:1.2.3.4]:80", "1.2.3.4"),
            ("9.9.9.9, 1.2.3.4:5555, 10.7.7.7:80", "1.2.3.4"),
            ("1.2.3.4:99999", "10.0.0.1"),
            ("[1.2.3.4]", "10.0.0.1"),
            ("1.2.3.4:", "10.0.0.1"),
            ("", "10.0.0.1"),
        ] {
            assert_eq!(seen(&["10.0.0.0/8"], "10.0.0.1", &[entry]), found, "{entry}");
        }
    }

    #[test]
    fn whoever_speaks_through_a_socket_of_this_machine_is_a_proxy() {
        assert_eq!(seen(&[], "socket", &["9.9.9.9, 1.2.3.4"]), "1.2.3.4");
        assert_eq!(seen(&["1.2.3.4"], "socket", &["9.9.9.9, 1.2.3.4"]), "9.9.9.9");
        assert_eq!(seen(&[], "socket", &[]), "127.0.0.1");
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(seen(&[], "10.0.0.1", &["1.2.3.4"]), "10.0.0.1");
        assert_eq!(seen(&["10.0.0.2"], "10.0.0.1", &["1.2.3.4"]), "10.0.0.1");
        assert_eq!(seen(&["10.0.0.1"], "10.0.0.1", &["1.2.3.4"]), "1.2.3.4");
        assert_eq!(seen(&["10.0.0.1"], "::ffff:10.0.0.1", &["1.2.3.4"]), "1.2.3.4");
        assert_eq!(seen(&["10.0.0.1"], "10.0.0.1", &[]), "10.0.0.1");
    }

    #[test]
    fn what_a_client_makes_up_does_not_count() {
        assert_eq!(seen(&["10.0.0.0/8"], "10.0.0.1", &["9.9.9.9, 1.2.3.4"]), "1.2.3.4");
        assert_eq!(seen(&["10.0.0.0/8"], "10.0.0.1", &["9.9.9.9", "1.2.3.4"]), "1.2.3.4");
        assert_eq!(seen(&["10.0.0.0/8"], "10.0.0.1", &["9.9.9.9, 1.2.3.4, 10.7.7.7"]), "1.2.3.4");
        assert_eq!(seen(&["10.0.0.0/8"], "10.0.0.1", &["9.9.9.9, nonsense"]), "10.0.0.1");
    }

    #[test]
    fn networks_are_read_and_written() {
        for (text, written) in [
            ("10.0.0.0/8", "10.0.0.0/8"),
            ("10.1.2.3", "10.1.2.3/32"),
            ("fd00::/8", "fd00::/8"),
            ("::1", "::1/128"),
        ] {
            assert_eq!(text.parse::<Proxies>().map(String::from), Ok(written.to_owned()));
        }
        for text in ["", "10.0.0.0/33", "10.0.0/8", "10.0.0.0/", "::/129", "proxy"] {
            assert!(text.parse::<Proxies>().is_err(), "{text}");
        }
        let all: Proxies = "0.0.0.0/0".parse().expect("all of IPv4");
        assert!(all.contain(address("255.1.2.3")) && !all.contain(address("::1")));
        let local: Proxies = "fd00::/8".parse().expect("a network");
        assert!(local.contain(address("fdff::1")) && !local.contain(address("fe80::1")));
    }
}
