//! A server for tests that kill it: `test_server DATABASE`. Prints its address.

#[tokio::main]
async fn main() {
    let location = std::env::args().nth(1).expect("the database");
    kingscross_tests::serve_in_process(&location).await;
}
