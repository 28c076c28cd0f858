//! A stream that breaks when its reader takes nothing for too long.

use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use hyper::rt::{Sleep, Timer as _};

use super::places::Descriptor;
use crate::stalls::Timer;

/// A stream whose writes fail when nothing of them is taken for so long, or after `cut`.
pub(super) struct Stalling<S> {
    stream: S,
    limit: Duration,
    /// A time in which the server itself stood still does not count.
    timer: Timer,
    cut: CancellationToken,
    /// While a write waits.
    wait: Option<Pin<Box<Wait>>>,
    _descriptor: Option<Descriptor>,
}

struct Wait {
    limit: Pin<Box<dyn Sleep>>,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl<S> Stalling<S> {
    pub(super) fn new(
        stream: S,
        limit: Duration,
        timer: Timer,
        cut: CancellationToken,
        descriptor: Option<Descriptor>,
    ) -> Self {
        Self { stream, limit, timer, cut, wait: None, _descriptor: descriptor }
    }

    /// Passes on what a write came to; one that has waited too long has failed.
    fn judge<T>(&mut self, result: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.wait = None;
            return result;
        }
        let wait = self.wait.get_or_insert_with(|| {
            let (limit, cut) = (self.timer.sleep(self.limit), self.cut.clone().cancelled_owned());
            Box::pin(Wait { limit, cut: Box::pin(cut) })
        });
        if wait.cut.as_mut().poll(context).is_pending() {
            ready!(wait.limit.as_mut().poll(context));
        }
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stalling<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stalling<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(result, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.judge(result, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_flush(context);
        self.judge(result, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_shutdown(context);
        self.judge(result, context)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use kingscross_protocol::Timestamp;
    use tokio::time::{Instant, sleep};

    use super::*;
    use crate::clock::Clock;
    use crate::stalls::Stalls;

    fn timer() -> Timer {
        let clock = Clock::starting_at(Timestamp(1_000_000));
        Timer(Arc::new(Stalls::new(clock, Duration::from_secs(3600))))
    }

    const LIMIT: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn a_write_of_which_nothing_is_taken_fails_after_the_limit() {
        let (near, mut far) = duplex(8);
        let mut stream = Stalling::new(near, LIMIT, timer(), CancellationToken::new(), None);
        let begun = Instant::now();
        let reader = tokio::spawn(async move {
            // Something is taken after nine seconds, twice; then nothing.
            for _ in 0..2 {
                sleep(Duration::from_secs(9)).await;
                far.read_exact(&mut [0; 4]).await.expect("written");
            }
            far
        });
        let error = stream.write_all(&[0; 64]).await.expect_err("nobody reads");
        assert_eq!((error.kind(), begun.elapsed().as_secs()), (io::ErrorKind::TimedOut, 28));
        drop(reader.await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_that_waits_fails_at_the_cut() {
        let (near, far) = duplex(8);
        let cut = CancellationToken::new();
        let mut stream = Stalling::new(near, LIMIT, timer(), cut.clone(), None);
        let begun = Instant::now();
        let (result, ()) = tokio::join!(stream.write_all(&[0; 64]), async {
            sleep(Duration::from_secs(3)).await;
            cut.cancel();
        });
        assert_eq!(result.expect_err("cut").kind(), io::ErrorKind::TimedOut);
        assert_eq!(begun.elapsed().as_secs(), 3);
        drop(far);
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_may_take_long_as_long_as_it_takes() {
        let (near, mut far) = duplex(1);
        let mut stream = Stalling::new(near, LIMIT, timer(), CancellationToken::new(), None);
        let (result, ()) = tokio::join!(stream.write_all(&[7; 20]), async {
            for _ in 0..20 {
                sleep(Duration::from_secs(9)).await;
                assert_eq!(far.read_u8().await.expect("written"), 7);
            }
        });
        result.expect("all of it is taken");
    }
}
