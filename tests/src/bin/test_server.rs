//! A server for tests that kill it: `test_server DATABASE [OPTIONS]`. Prints its address.

#[tokio::main]
async fn main() {
    let location = std::env::args().nth(1).expect("the database");
    let options = std::env::args().nth(2).unwrap_or_default();
    kingscross_tests::serve_in_process(&location, &options).await;
}
