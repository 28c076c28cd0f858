//! What a server counts, as Prometheus would read it.

use crate::Http;

/// The figures of one server.
pub struct Metrics {
    /// What its `metrics.listen` must say.
    pub address: String,
    http: Http,
}

impl Metrics {
    /// At an address that is free now.
    pub fn somewhere() -> Self {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = free.local_addr().expect("bound").to_string();
        let http = Http::new(&format!("http://{address}"));
        Self { address, http }
    }

    /// A figure without labels, as it is now.
    pub async fn read(&mut self, name: &str) -> u64 {
        let text = self.http.get("/metrics").await.text();
        let mut lines = text.lines().filter_map(|line| line.split_once(' '));
        let (_, value) = lines.find(|(key, _)| *key == name).unwrap_or_else(|| panic!("no {name}"));
        value.parse::<f64>().expect("a number") as u64
    }

    /// Waits until a figure is no larger than this.
    pub async fn falls_to(&mut self, name: &str, most: u64) {
        while self.read(name).await > most {}
    }
}
