//! The writer's task: collects, writes, isolates what cannot be written, answers.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::Probe;
use super::batch::{WriteError, WriterConnection};
use super::job::{AppendError, Appended, Job};
use crate::open::Options;

/// What was stored a moment ago could be stored now.
const FRESH: Duration = Duration::from_secs(2);
/// After a failure nobody tries again sooner, however many ask.
const STALE: Duration = Duration::from_millis(500);

/// Runs until every handle is gone, or until `stop`; what was accepted before is still written.
pub(super) async fn run(
    mut connection: WriterConnection,
    mut queue: mpsc::Receiver<Job>,
    mut probes: mpsc::Receiver<Probe>,
    options: Options,
    stop: CancellationToken,
) {
    let mut last: Option<(Instant, Result<(), String>)> = None;
    let mut jobs = Vec::with_capacity(options.batch_limit);
    loop {
        let received = tokio::select! {
            biased;
            () = stop.cancelled(), if !queue.is_closed() => {
                // Nothing new comes in; the loop ends when what is in is written.
                queue.close();
                continue;
            }
            received = queue.recv_many(&mut jobs, options.batch_limit) => received,
            Some(asker) = probes.recv(), if !queue.is_closed() => {
                let recent = last.as_ref().filter(|(at, known)| {
                    at.elapsed() < if known.is_ok() { FRESH } else { STALE }
                });
                let known = match recent {
                    Some((_, known)) => known.clone(),
                    None => probe(&mut connection, Instant::now() + options.time_limit).await,
                };
                if recent.is_none() {
                    last = Some((Instant::now(), known.clone()));
                }
                // Dropped by whoever does not wait any more.
                let _ = asker.send(known);
                continue;
            }
        };
        if received == 0 {
            return;
        }
        let deadline = Instant::now() + options.time_limit;
        let written = write(&mut connection, &mut jobs, deadline).await;
        last = Some((Instant::now(), written.clone()));
        if let Err(unavailable) = written {
            tracing::warn!(%unavailable, "appends were not stored");
            // What waited behind the failed batch has waited as long: it fails too, and nobody waits twice.
            while let Ok(job) = queue.try_recv() {
                answer(job, Err(AppendError::Unavailable));
            }
        }
    }
}

async fn probe(connection: &mut WriterConnection, deadline: Instant) -> Result<(), String> {
    let late = || Err(WriteError::Unavailable("no answer in time".to_owned()));
    let Err(error) = timeout_at(deadline, connection.probe()).await.unwrap_or_else(|_| late()) else {
        return Ok(());
    };
    match &error {
        WriteError::Unavailable(why) | WriteError::Damaged(why) | WriteError::Invalid(why) => {
            connection.reset(&error);
            Err(why.clone())
        }
        // A tool that looks at the database at the same time.
        WriteError::Contended | WriteError::Conflict => Ok(()),
    }
}

/// Writes the jobs as one transaction; where one of them cannot be stored, halves the batch until that one is alone.
/// Every job is answered and `jobs` is empty afterwards.
async fn write(
    connection: &mut WriterConnection,
    jobs: &mut Vec<Job>,
    deadline: Instant,
) -> Result<(), String> {
    let mut parts = vec![std::mem::take(jobs)];
    while let Some(mut part) = parts.pop() {
        // Even a first look would start a statement that nobody waits for and that may be carried out all the same.
        let written = if Instant::now() < deadline {
            timeout_at(deadline, connection.write(&part)).await.ok()
        } else {
            None
        };
        let error = match written {
            Some(Ok(appended)) => {
                for (job, appended) in part.drain(..).zip(appended) {
                    answer(job, Ok(appended));
                }
                // The capacity is worth keeping.
                *jobs = part;
                continue;
            }
            Some(Err(error)) => error,
            None => WriteError::Unavailable("no answer in time".to_owned()),
        };
        if matches!(error, WriteError::Unavailable(_) | WriteError::Damaged(_)) {
            connection.reset(&error);
        }
        match error {
            WriteError::Unavailable(reason) | WriteError::Damaged(reason) => {
                for job in part.into_iter().chain(parts.into_iter().rev().flatten()) {
                    answer(job, Err(AppendError::Unavailable));
                }
                return Err(reason);
            }
            // The other transaction has gone through by now, or will before the deadline.
            WriteError::Contended => parts.push(part),
            WriteError::Conflict | WriteError::Invalid(_) if part.len() > 1 => {
                let second = part.split_off(part.len() / 2);
                parts.push(second);
                parts.push(part);
            }
            WriteError::Conflict => part.into_iter().for_each(|job| answer(job, Err(AppendError::Conflict))),
            WriteError::Invalid(reason) => {
                tracing::error!(%reason, "an append cannot be stored");
                part.into_iter().for_each(|job| answer(job, Err(AppendError::Invalid(reason.clone()))));
            }
        }
    }
    Ok(())
}

fn answer(job: Job, result: Result<Appended, AppendError>) {
    // Dropped when the caller no longer waits, for instance because its task was stopped.
    let _ = job.reply.send(result);
}
