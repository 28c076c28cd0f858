//! The threads on which bots think: few, and less urgent to the operating system than whatever people wait for.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;

use tokio::sync::oneshot;

/// What a search takes of a processor that others want: a tenth of what they get.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

type Job = Box<dyn FnOnce() + Send>;

/// A pool of threads for searches. They end with it.
pub struct Searches {
    jobs: mpsc::Sender<Job>,
}

impl Searches {
    /// Starts so many threads.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn start(threads: usize) -> io::Result<Self> {
        let (jobs, waiting) = mpsc::channel::<Job>();
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..threads {
            let waiting = waiting.clone();
            thread::Builder::new().name("bot-search".to_owned()).spawn(move || work(&waiting))?;
        }
        Ok(Self { jobs })
    }

    /// Has a search done, after those that were asked for before; one for which nobody waits any more when its turn
    /// comes is left out. `None` if it panicked.
    pub async fn run<T: Send + 'static>(&self, search: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (answer, answered) = oneshot::channel();
        let job = move || {
            if !answer.is_closed() {
                // Whoever asked may have gone while it ran.
                drop(answer.send(search()));
            }
        };
        self.jobs.send(Box::new(job)).ok()?;
        answered.await.ok()
    }
}

fn work(waiting: &Mutex<mpsc::Receiver<Job>>) {
    // A system that does not allow it lets bots think as urgently as it plays.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICE);
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        // Told by its answer, which never comes.
        let _ = catch_unwind(AssertUnwindSafe(job));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn searches_are_done_in_their_order_and_a_panic_ends_only_its_own() {
        let searches = Searches::start(1).expect("a thread");
        let (begin, begun) = mpsc::channel();
        let first = searches.run(move || begun.recv().is_ok());
        let broken = searches.run(|| -> u8 { panic!("a fault of a bot") });
        let last = searches.run(|| 3);
        begin.send(()).expect("it is waited for");
        assert_eq!(tokio::join!(first, broken, last), (Some(true), None, Some(3)));
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_not_searched() {
        let searches = Searches::start(1).expect("a thread");
        let (begin, begun) = mpsc::channel();
        let (tell, told) = mpsc::channel();
        let first = searches.run(move || begun.recv().is_ok());
        let (mut first, mut given_up) = (Box::pin(first), Box::pin(searches.run(move || tell.send(()))));
        // Both are asked for, in this order; then nobody waits for the second.
        tokio::select! { biased; _ = &mut first => {}, _ = &mut given_up => {}, () = std::future::ready(()) => {} }
        drop(given_up);
        begin.send(()).expect("it is waited for");
        assert_eq!(first.await, Some(true));
        assert_eq!(searches.run(|| ()).await, Some(()));
        assert_eq!(told.recv(), Err(mpsc::RecvError), "it never ran");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_search_is_less_urgent_than_the_server() {
        let nice = || rustix::process::getpriority_process(Some(rustix::thread::gettid())).expect("known");
        let own = nice();
        let searches = Searches::start(1).expect("a thread");
        assert_eq!(searches.run(nice).await, Some((own + NICE).min(19)));
    }
}
