//! Ends a rated game and stops for good between the result and the ratings, to be killed there:
//! `dying_writer DATABASE GAME USER USER`. Prints a line when it has come so far.

use std::sync::Arc;

use kingscross_protocol::{GameId, UserId};
use kingscross_storage::{Options, RatingChange, RatingTask, Store, StoredRating};
use kingscross_tests::end_of_two;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [location, game, first, second] = arguments.as_slice() else {
        panic!("database, game and two users")
    };
    let game: GameId = game.parse().expect("a game");
    let users: Vec<UserId> = [first, second].map(|user| user.parse().expect("a user")).to_vec();
    // The result has been written by then, in the transaction that computes the ratings.
    let rate = |_: &[(UserId, Option<StoredRating>)]| -> Vec<RatingChange> {
        println!("between");
        loop {
            std::thread::park();
        }
    };
    let rating = RatingTask { pool: "cross".to_owned(), users, rate: Arc::new(rate) };
    let store = Store::open(location, Options::default()).await.expect("the database opens");
    let _ = store.writer().append(end_of_two(game, Some(rating))).await;
}
