//! How many connections there may be: in all, so that descriptors are left for the database, and of one address, so
//! that it leaves places to others.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use crate::auth::limits::Network;

/// Descriptors that are kept for the database, files and listeners; of a limit that is smaller than twice this, half.
const RESERVE: usize = 100;

/// The places for connections.
#[derive(Debug)]
pub(super) struct Places {
    all: usize,
    requests_each: usize,
    open_each: usize,
    // Counted up and down as connections come and go; never held across an await.
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    each: HashMap<Network, Count>,
}

/// Connections of one network.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// Those that make requests.
    requests: usize,
    /// Those and WebSockets.
    open: usize,
}

/// The place of a connection that makes requests. It is free again when this and its descriptor are dropped.
#[derive(Debug)]
pub(super) struct Place {
    places: Arc<Places>,
    owner: Option<Network>,
    descriptor: Option<Descriptor>,
}

/// The descriptor of a connection, which a WebSocket keeps.
#[derive(Debug)]
pub(super) struct Descriptor {
    places: Arc<Places>,
    owner: Option<Network>,
}

impl Places {
    /// At most `each` that make requests for an address, and so many files that may be open.
    pub(super) fn new(each: usize, files: usize) -> Self {
        let all = files - RESERVE.min(files / 2);
        Self {
            all,
            requests_each: each.min(all.div_ceil(4)),
            open_each: all.div_ceil(2),
            taken: Mutex::default(),
        }
    }

    /// A place for a connection of this address; proxies of one's own have none, since many come through them.
    pub(super) fn take(self: &Arc<Self>, owner: Option<IpAddr>) -> Option<Place> {
        let owner = owner.map(Network::of);
        let mut taken = self.taken.lock().expect("no panic while held");
        if taken.all >= self.all {
            return None;
        }
        if let Some(network) = owner {
            let count = taken.each.get(&network).copied().unwrap_or_default();
            if count.requests >= self.requests_each || count.open >= self.open_each {
                return None;
            }
            taken.each.insert(network, Count { requests: count.requests + 1, open: count.open + 1 });
        }
        taken.all += 1;
        let descriptor = Descriptor { places: self.clone(), owner };
        Some(Place { places: self.clone(), owner, descriptor: Some(descriptor) })
    }
}

impl Taken {
    fn give_back(&mut self, owner: Option<Network>, change: impl FnOnce(&mut Count)) {
        let Some(network) = owner else { return };
        let count = self.each.entry(network).or_default();
        change(count);
        if count.open == 0 && count.requests == 0 {
            self.each.remove(&network);
        }
    }
}

impl Place {
    /// Its descriptor, once.
    pub(super) fn descriptor(&mut self) -> Option<Descriptor> {
        self.descriptor.take()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().expect("no panic while held");
        taken.give_back(self.owner, |count| count.requests -= 1);
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().expect("no panic while held");
        taken.all -= 1;
        taken.give_back(self.owner, |count| count.open -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(each: usize, files: usize) -> Arc<Places> {
        Arc::new(Places::new(each, files))
    }

    fn address(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([10, 0, 0, last]))
    }

    #[test]
    fn one_address_leaves_places_to_others() {
        let places = places(512, 300);
        let greedy: Vec<_> = (0..320).map_while(|_| places.take(address(1))).collect();
        assert_eq!(greedy.len(), 50, "a quarter of 300 - 100");
        assert!(places.take(address(2)).is_some());
        drop(greedy);
        assert!(places.take(address(1)).is_some());
        assert!(places.taken.lock().expect("no panic").each.is_empty());
    }

    #[test]
    fn websockets_of_one_address_take_half_at_most() {
        let places = places(512, 300);
        let socket = || places.take(address(1)).and_then(|mut place| place.descriptor());
        let sockets: Vec<_> = (0..320).map_while(|_| socket()).collect();
        assert_eq!(sockets.len(), 100);
        assert!(places.take(address(2)).is_some());
        drop(sockets);
        assert_eq!(places.taken.lock().expect("no panic").all, 0);
    }

    #[test]
    fn a_proxy_of_ones_own_is_limited_by_descriptors_alone() {
        let places = places(1, 300);
        let many: Vec<_> = (0..320).map_while(|_| places.take(None)).collect();
        assert_eq!(many.len(), 200);
        assert!(places.take(address(1)).is_none());
    }

    #[test]
    fn a_small_limit_of_open_files_leaves_half_of_it() {
        for (files, all) in [(0, 0), (10, 5), (200, 100), (1024, 924), (usize::MAX, usize::MAX - 100)] {
            assert_eq!(Places::new(512, files).all, all, "{files}");
        }
    }
}
