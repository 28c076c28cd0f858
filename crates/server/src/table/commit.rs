//! Storing what a table has decided: persist, then apply, then tell.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use kingscross_engine::Seat;
use kingscross_protocol::{CommandId, Event, OutageCause, Seq, Timestamp, UserId};
use kingscross_storage::{Append, AppendError, Commanded, Finish, NewEvent};
use kingscross_table::{Decision, Entry, Step};

use super::outages::Owed;
use super::task::{Failure, Task};
use crate::archive::finish;

impl Task {
    /// Stores what was decided, then applies it, then tells everyone. Gives the first event's place.
    pub(super) async fn commit(
        &mut self,
        decision: Decision,
        arrived: Timestamp,
        commanded: Option<(UserId, Seat, CommandId)>,
    ) -> Result<Option<Seq>, Failure> {
        let Decision { steps, after, .. } = decision;
        if steps.is_empty() {
            return Ok(None);
        }
        let first = self.core.seq().next();
        let at = after.last_at();
        // An outage before it is not what was commanded.
        let is_outage = |step: &Step| matches!(step.event, Event::Outage { .. });
        let own = steps.iter().position(|step| !is_outage(step)).unwrap_or(0);
        let place = |index: usize| Seq(first.0 + u32::try_from(index).expect("few events at once"));
        let bodies: Vec<String> = steps.iter().map(|step| encode_event(&step.event)).collect();
        let event = |(index, (step, body)): (usize, (&Step, &String))| {
            let commanded = commanded.filter(|_| index == own);
            let commanded = commanded.map(|(user, _, command)| Commanded { user, command });
            NewEvent { seq: place(index), commanded, at, hash: step.hash, body: body.clone() }
        };
        let events = steps.iter().zip(&bodies).enumerate().map(event).collect();
        let forget = self.app.config.matchmaking.dodge_forget_ms;
        let mut finish = finish(&after, &steps, at, forget);
        if let Some(finish) = &mut finish {
            finish.statistics = super::statistics::statistics(&self.core, &self.log, &steps);
            self.keep_back(finish);
        }
        let ended = finish.as_ref().map(|finish| finish.reason.clone());
        let follow_up_pending =
            Some(after.awaits_follow_up()).filter(|&is| is != self.core.awaits_follow_up());
        let append = Append { game: self.game(), events, finish, follow_up_pending };
        let was_slow = self.store(append, arrived).await?;
        let stored_at = self.now();
        steps.iter().for_each(|step| crate::metrics::stored(&step.event, arrived, stored_at));
        self.core = after;
        if let Some(reason) = ended {
            tracing::info!(game = %self.game(), reason, plies = self.core.game().ply(), "a game ended");
        }
        // What was owed before is in these events, or of a turn that is over.
        let with_the_next = steps.iter().all(is_outage);
        self.owed = (was_slow && stored_at > at).then_some(Owed { until: stored_at, with_the_next });
        let commanded = commanded.map(|(_, seat, id)| (seat, id));
        let last = steps.len() - 1;
        for (index, (step, body)) in steps.into_iter().zip(bodies).enumerate() {
            let seq = place(index);
            let entry = Entry { at, hash: step.hash, body: body.into_boxed_str() };
            self.log.push(entry, commanded.filter(|_| index == own));
            self.tell(seq, at, &step, index == last);
        }
        crate::metrics::broadcast(arrived, self.now());
        self.after_events(at).await;
        if was_slow {
            self.tell_frozen(None);
        }
        Ok(Some(place(own)))
    }

    /// Stores what was decided, and returns whether that was slow. When it is, everyone at the table hears of it meanwhile.
    async fn store(&mut self, append: Append, arrived: Timestamp) -> Result<bool, Failure> {
        let slow = Duration::from_millis(self.app.config.clocks.slow_commit_ms);
        let writer = self.app.store.writer();
        let mut storing = pin!(writer.append(append));
        let mut was_slow = false;
        let stored = tokio::select! {
            biased;
            stored = &mut storing => stored,
            () = tokio::time::sleep(slow) => {
                was_slow = true;
                crate::metrics::stalled();
                self.tell_frozen(Some(OutageCause::Storage));
                storing.await
            }
        };
        match stored {
            Ok(_) => Ok(was_slow),
            Err(AppendError::Unavailable) => {
                self.freeze(arrived);
                Err(Failure::Frozen)
            }
            Err(AppendError::Conflict) => {
                // A commit that was given up as unanswered came after all, or the command line ended the game: the
                // log says what has happened.
                tracing::warn!(game = %self.game(), "another writer was first; the log is read again");
                self.freeze_in_conflict(arrived);
                Err(Failure::Frozen)
            }
            Err(AppendError::Invalid(reason)) => {
                tracing::error!(game = %self.game(), reason, "an event could not be stored; this table stops");
                Err(Failure::Stop)
            }
        }
    }

    /// Lets nobody find an end in storage before it is told, nor what it does to ratings.
    fn keep_back(&self, finish: &mut Finish) {
        self.app.tables.delays.add(self.game(), self.core.setup(), Some(finish.at));
        if let Some(task) = &mut finish.rating {
            let (app, game) = (self.app.clone(), self.game());
            let (pool, users, rate) = (task.pool.clone(), task.users.clone(), task.rate.clone());
            // Within the transaction, so in the order of the ledger.
            task.rate = Arc::new(move |current| {
                app.tables.delays.note_rated(game, &pool, &users);
                rate(current)
            });
        }
    }
}

pub(super) fn encode_event(event: &Event) -> String {
    serde_json::to_string(event).expect("events are plain data")
}
