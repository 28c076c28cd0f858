//! The threads on which bots think: few, and less urgent to the operating system than whatever people wait for.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use kingscross_protocol::{GameId, UserId};
use tokio::sync::oneshot;

/// What a search takes of a processor that others want: a tenth of what they get.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

/// With so many searches waiting for each thread, every search has its whole budget; with more, a part of it.
const CALM: usize = 4;
/// The least part.
const LEAST_SHARE: f64 = 0.1;

/// For whom a bot thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Whose {
    /// A person who plays the game.
    Person(UserId),
    /// Only bots play it any more: everybody else comes first.
    Nobody,
}

/// A pool of threads for searches. They end with it. People take turns, and so do the games of each: who has many games
/// waits for them alone.
pub struct BotThreads {
    line: Arc<SearchQueue>,
}

struct SearchQueue {
    // Held for the choice of the next search, never during one.
    waiting: Mutex<Waiting>,
    news: Condvar,
    threads: usize,
}

#[derive(Default)]
struct Waiting {
    is_over: bool,
    queues: HashMap<Whose, UserQueue>,
    /// The turn that was served last: who comes new begins here.
    turn: u64,
    /// Numbers what happens, so that of those with the same turn the one who waits longest is first.
    clock: u64,
    people: usize,
}

/// The searches of one person.
#[derive(Default)]
struct UserQueue {
    turn: u64,
    since: u64,
    games: VecDeque<(GameId, VecDeque<Box<dyn Work>>)>,
}

trait Work: Send {
    fn is_wanted(&self) -> bool;
    fn run(self: Box<Self>, share: f64);
}

struct Search<T, F> {
    search: F,
    answer: oneshot::Sender<T>,
}

impl<T: Send, F: FnOnce(f64) -> T + Send> Work for Search<T, F> {
    fn is_wanted(&self) -> bool {
        !self.answer.is_closed()
    }

    fn run(self: Box<Self>, share: f64) {
        let Self { search, answer } = *self;
        // Whoever asked may have gone while it ran.
        drop(answer.send(search(share)));
    }
}

impl Waiting {
    fn push(&mut self, whose: Whose, game: GameId, work: Box<dyn Work>) {
        self.clock += 1;
        self.people += usize::from(whose != Whose::Nobody);
        let queue = self.queues.entry(whose).or_default();
        if queue.games.is_empty() {
            queue.turn = queue.turn.max(self.turn);
            queue.since = self.clock;
        }
        match queue.games.iter_mut().find(|(other, _)| *other == game) {
            Some((_, works)) => works.push_back(work),
            None => queue.games.push_back((game, VecDeque::from([work]))),
        }
    }

    /// The next search that somebody waits for, with its part of the budget.
    fn pop(&mut self, threads: usize) -> Option<(Box<dyn Work>, f64)> {
        loop {
            let queues = self.queues.iter().filter(|(_, queue)| !queue.games.is_empty());
            let next =
                queues.min_by_key(|(whose, queue)| (**whose == Whose::Nobody, queue.turn, queue.since));
            let whose = *next?.0;
            let queue = self.queues.get_mut(&whose)?;
            let (game, mut works) = queue.games.pop_front()?;
            let work = works.pop_front()?;
            if !works.is_empty() {
                queue.games.push_back((game, works));
            }
            let is_person = whose != Whose::Nobody;
            self.people -= usize::from(is_person);
            if !work.is_wanted() {
                continue;
            }
            if is_person {
                self.clock += 1;
                self.turn = queue.turn;
                (queue.turn, queue.since) = (queue.turn + 1, self.clock);
            }
            let turn = self.turn;
            self.queues.retain(|_, queue| !queue.games.is_empty() || queue.turn > turn);
            return Some((work, share(self.people, threads)));
        }
    }
}

/// The part of its budget that a search gets while so many wait.
fn share(waiting: usize, threads: usize) -> f64 {
    let calm = CALM * threads.max(1);
    (calm as f64 / waiting.max(calm) as f64).max(LEAST_SHARE)
}

impl SearchQueue {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next search; none when all is over.
    fn next(&self) -> Option<(Box<dyn Work>, f64)> {
        let mut waiting = self.waiting();
        loop {
            if waiting.is_over {
                return None;
            }
            if let Some(next) = waiting.pop(self.threads) {
                return Some(next);
            }
            waiting = self.news.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl BotThreads {
    /// Starts so many threads.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn start(threads: usize) -> io::Result<Self> {
        let line = Arc::new(SearchQueue { waiting: Mutex::default(), news: Condvar::new(), threads });
        let searches = Self { line: line.clone() };
        for _ in 0..threads {
            let line = line.clone();
            thread::Builder::new().name("bot-search".to_owned()).spawn(move || work(&line))?;
        }
        Ok(searches)
    }

    /// Has a search done when its turn comes, with the part of its budget that those who wait leave it; one for which
    /// nobody waits any more is left out. `None` if it panicked.
    pub async fn run<T: Send + 'static>(
        &self,
        whose: Whose,
        game: GameId,
        search: impl FnOnce(f64) -> T + Send + 'static,
    ) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        self.line.waiting().push(whose, game, Box::new(Search { search, answer }));
        self.line.news.notify_one();
        answered.await.ok()
    }
}

impl Drop for BotThreads {
    fn drop(&mut self) {
        let mut waiting = self.line.waiting();
        waiting.is_over = true;
        waiting.queues.clear();
        self.line.news.notify_all();
    }
}

fn work(line: &SearchQueue) {
    // A system that does not allow it lets bots think as urgently as it plays.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICE);
    while let Some((work, share)) = line.next() {
        // Told by its answer, which never comes.
        let _ = catch_unwind(AssertUnwindSafe(move || work.run(share)));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Everything here is asked for one game of nobody's.
    async fn run<T: Send + 'static>(
        searches: &BotThreads,
        search: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        searches.run(Whose::Nobody, GameId(uuid::Uuid::nil()), |_| search()).await
    }

    #[tokio::test]
    async fn searches_are_done_in_their_order_and_a_panic_ends_only_its_own() {
        let searches = BotThreads::start(1).expect("a thread");
        let (begin, begun) = mpsc::channel();
        let first = run(&searches, move || begun.recv().is_ok());
        let broken = run(&searches, || -> u8 { panic!("a fault of a bot") });
        let last = run(&searches, || 3);
        begin.send(()).expect("it is waited for");
        assert_eq!(tokio::join!(first, broken, last), (Some(true), None, Some(3)));
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_not_searched() {
        let searches = BotThreads::start(1).expect("a thread");
        let (begin, begun) = mpsc::channel();
        let (tell, told) = mpsc::channel();
        let first = run(&searches, move || begun.recv().is_ok());
        let (mut first, mut given_up) = (Box::pin(first), Box::pin(run(&searches, move || tell.send(()))));
        // Both are asked for, in this order; then nobody waits for the second.
        tokio::select! { biased; _ = &mut first => {}, _ = &mut given_up => {}, () = std::future::ready(()) => {} }
        drop(given_up);
        begin.send(()).expect("it is waited for");
        assert_eq!(first.await, Some(true));
        assert_eq!(run(&searches, || ()).await, Some(()));
        assert_eq!(told.recv(), Err(mpsc::RecvError), "it never ran");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_search_is_less_urgent_than_the_server() {
        let nice = || rustix::process::getpriority_process(Some(rustix::thread::gettid())).expect("known");
        let own = nice();
        let searches = BotThreads::start(1).expect("a thread");
        assert_eq!(run(&searches, nice).await, Some((own + NICE).min(19)));
    }

    /// Asks in the given order while the one thread is busy, and gives the order in which the searches were done.
    async fn order_of(asked: &[(Whose, GameId)]) -> Vec<usize> {
        let searches = BotThreads::start(1).expect("a thread");
        let ((begin, begun), (running, runs)) = (mpsc::channel(), mpsc::channel());
        let (tell, told) = mpsc::channel();
        // The first one is running when the others come.
        let (whose, game) = asked[0];
        let mut first = Box::pin(searches.run(whose, game, move |_| {
            let _ = running.send(());
            begun.recv().is_ok()
        }));
        tokio::select! { biased; _ = &mut first => {}, () = std::future::ready(()) => {} }
        runs.recv().expect("it runs");
        let mut others: Vec<_> = (1..asked.len())
            .map(|number| {
                let ((whose, game), tell) = (asked[number], tell.clone());
                Box::pin(searches.run(whose, game, move |_| {
                    let _ = tell.send(number);
                }))
            })
            .collect();
        for other in &mut others {
            tokio::select! { biased; _ = other => {}, () = std::future::ready(()) => {} }
        }
        begin.send(()).expect("it is waited for");
        assert_eq!(first.await, Some(true));
        for other in others {
            assert_eq!(other.await, Some(()));
        }
        drop(tell);
        told.into_iter().collect()
    }

    #[tokio::test]
    async fn who_has_many_games_holds_nobody_else_up() {
        let (greedy, modest) = (Whose::Person(UserId::fresh()), Whose::Person(UserId::fresh()));
        let mut asked: Vec<_> = (0..49).map(|_| (greedy, GameId::fresh())).collect();
        let game = GameId::fresh();
        asked.extend([(modest, game), (modest, game)]);
        let order = order_of(&asked).await;
        assert_eq!(order[0], 49, "right after the search that was running");
        assert!(order[1..4].contains(&50), "{order:?}");
        assert_eq!(order.len(), 50, "and nobody is forgotten");
    }

    #[tokio::test]
    async fn the_games_of_one_person_take_turns_and_those_of_nobody_wait() {
        let person = Whose::Person(UserId::fresh());
        let [one, other, left] = std::array::from_fn(|_| GameId::fresh());
        let asked = [
            (person, one),
            (Whose::Nobody, left),
            (person, one),
            (person, one),
            (person, one),
            (person, other),
        ];
        assert_eq!(order_of(&asked).await, [2, 5, 3, 4, 1]);
    }

    #[test]
    fn a_budget_shrinks_with_the_line_and_never_below_a_tenth() {
        assert_eq!([0, 4, 8, 40, 400].map(|waiting| share(waiting, 1)), [1.0, 1.0, 0.5, 0.1, 0.1]);
        assert_eq!(share(8, 2), 1.0);
    }
}
