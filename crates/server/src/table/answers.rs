//! The answers to commands outside of games, kept for a while: a command that is sent again under its id, on whatever
//! socket of its user, is answered again and not carried out again. What is done in a game is remembered by its table.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kingscross_protocol::{CommandId, ErrorBody, ErrorCode, Request, UserId};
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::{Done, Reply, Standing, answer_message};
use crate::config::Limits;
use crate::sockets::Socket;

/// The answers of all users.
#[derive(Debug)]
pub struct Answers {
    // Read with every command and written with every answer; never held across an await, nor while a socket is written to.
    kept: Mutex<Kept>,
    time: Duration,
    per_user: usize,
    in_all: usize,
}

#[derive(Debug, Default)]
struct Kept {
    users: HashMap<UserId, VecDeque<Command>>,
    /// The answered commands, the oldest answer first.
    answered: VecDeque<(Instant, UserId, CommandId)>,
}

#[derive(Debug)]
struct Command {
    id: CommandId,
    /// What was asked for.
    digest: [u8; 32],
    state: State,
}

#[derive(Debug)]
enum State {
    /// It is being carried out, and these wait for the answer.
    Pending(Vec<Arc<Socket>>),
    Answered(Instant, Answer),
}

#[derive(Clone, Debug)]
struct Answer(Result<Done, ErrorBody>, Option<Standing>);

/// So many may wait for one answer.
const WAITING: usize = 16;

impl Answers {
    /// None yet.
    pub fn new(limits: &Limits) -> Self {
        Self {
            kept: Mutex::default(),
            time: Duration::from_millis(u64::from(limits.answers_ms)),
            per_user: limits.answers_per_user,
            in_all: limits.answers,
        }
    }

    /// The way to answer a new command. None when there is nothing to do: the command has been answered, or will be when
    /// the same one that came before it is.
    pub fn begin(self: &Arc<Self>, socket: &Arc<Socket>, id: CommandId, request: &Request) -> Option<Reply> {
        let user = socket.user;
        let digest = digest(request);
        let mut kept = self.kept.lock().expect("no panic while held");
        kept.forget_until(Instant::now(), self.time);
        let commands = kept.users.entry(user).or_default();
        let answer = match commands.iter().position(|command| command.id == id) {
            Some(place) => match &mut commands[place] {
                command if command.digest != digest => {
                    refusal(ErrorCode::IdReused, "This id was used before for another command.")
                }
                Command { state: State::Answered(_, answer), .. } => answer.clone(),
                Command { state: State::Pending(waiting), .. } if waiting.len() < WAITING => {
                    waiting.push(socket.clone());
                    return None;
                }
                _ => refusal(ErrorCode::TooMany, "The command is being carried out; wait for its answer."),
            },
            None if commands.len() < self.per_user || drop_oldest(commands) => {
                commands.push_back(Command { id, digest, state: State::Pending(vec![socket.clone()]) });
                return Some(Reply::to_answers(self.clone(), user, id));
            }
            None => refusal(ErrorCode::TooMany, "Too many commands are being carried out; wait a little."),
        };
        drop(kept);
        let Answer(result, standing) = answer;
        socket.send(&answer_message(id, result, standing));
        None
    }

    /// Answers everyone who has sent the command, and remembers the answer unless the same command may yet succeed.
    pub fn settle(
        &self,
        user: UserId,
        id: CommandId,
        result: Result<Done, ErrorBody>,
        standing: Option<Standing>,
    ) {
        let waiting = self.kept.lock().expect("no panic while held").settle(
            (user, id),
            Answer(result.clone(), standing.clone()),
            self.in_all,
        );
        let message = answer_message(id, result, standing);
        waiting.iter().for_each(|socket| socket.send(&message));
    }

    #[cfg(test)]
    fn counts(&self) -> (usize, usize, usize) {
        let kept = self.kept.lock().expect("no panic while held");
        (kept.users.len(), kept.users.values().map(VecDeque::len).sum(), kept.answered.len())
    }
}

impl Kept {
    fn settle(&mut self, (user, id): (UserId, CommandId), answer: Answer, most: usize) -> Vec<Arc<Socket>> {
        let Some(commands) = self.users.get_mut(&user) else { return Vec::new() };
        let Some(place) = commands.iter().position(|command| command.id == id) else { return Vec::new() };
        let state = if matches!(&answer, Answer(Err(error), _) if error.retryable) {
            let command = commands.remove(place).map(|command| command.state);
            if commands.is_empty() {
                self.users.remove(&user);
            }
            command
        } else {
            let now = Instant::now();
            self.answered.push_back((now, user, id));
            Some(std::mem::replace(&mut commands[place].state, State::Answered(now, answer)))
        };
        while self.answered.len() > most {
            self.forget_oldest();
        }
        match state {
            Some(State::Pending(waiting)) => waiting,
            _ => Vec::new(),
        }
    }

    fn forget_until(&mut self, now: Instant, time: Duration) {
        while self.answered.front().is_some_and(|(at, ..)| now.saturating_duration_since(*at) >= time) {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        let Some((at, user, id)) = self.answered.pop_front() else { return };
        let Some(commands) = self.users.get_mut(&user) else { return };
        // Dropped for the user's newer ones before, the id may be in use again.
        commands.retain(|command| {
            command.id != id || !matches!(command.state, State::Answered(then, _) if then == at)
        });
        if commands.is_empty() {
            self.users.remove(&user);
        }
    }
}

/// Drops the user's oldest command that is answered; false when there is none.
fn drop_oldest(commands: &mut VecDeque<Command>) -> bool {
    let oldest = commands.iter().position(|command| matches!(command.state, State::Answered(..)));
    oldest.is_some_and(|place| commands.remove(place).is_some())
}

fn digest(request: &Request) -> [u8; 32] {
    Sha256::digest(serde_json::to_vec(request).expect("requests are plain data")).into()
}

fn refusal(code: ErrorCode, message: &str) -> Answer {
    Answer(Err(ErrorBody::new(code, message)), None)
}

#[cfg(test)]
mod tests {
    use kingscross_protocol::{GameId, ServerMessage};

    use super::*;
    use crate::auth::SessionKey;
    use crate::config::Config;
    use crate::sockets::Outgoing;

    fn answers(change: impl FnOnce(&mut Limits)) -> Arc<Answers> {
        let mut limits = Config::defaults().limits;
        change(&mut limits);
        Arc::new(Answers::new(&limits))
    }

    fn socket(user: UserId) -> Arc<Socket> {
        let config = Config::defaults().websocket;
        Arc::new(Socket::new(1, user, SessionKey([0; 32]), &config))
    }

    fn received(socket: &Socket) -> Vec<ServerMessage> {
        let take = || match socket.take() {
            Outgoing::Message(text) => Some(serde_json::from_str(&text).expect("a message")),
            _ => None,
        };
        std::iter::from_fn(take).collect()
    }

    fn confirm(name: &str) -> Request {
        Request::Confirm { r#match: name.to_owned() }
    }

    fn game(messages: &[ServerMessage]) -> Option<GameId> {
        match messages {
            [ServerMessage::Ok { game, .. }] => *game,
            other => panic!("{other:?}"),
        }
    }

    fn code(messages: &[ServerMessage]) -> ErrorCode {
        match messages {
            [ServerMessage::Error { error, .. }] => error.code,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_command_sent_again_is_answered_again_for_a_minute() {
        let answers = answers(|_| ());
        let (user, id, one) = (UserId::fresh(), CommandId::fresh(), GameId::fresh());
        let (first, second) = (socket(user), socket(user));
        let reply = answers.begin(&first, id, &Request::LeaveQueue).expect("new");
        reply.done(Done { game: Some(one), ..Done::default() });
        assert_eq!(game(&received(&first)), Some(one));
        tokio::time::advance(Duration::from_millis(59_999)).await;
        assert!(answers.begin(&second, id, &Request::LeaveQueue).is_none());
        assert_eq!(game(&received(&second)), Some(one));
        assert_eq!(received(&first), []);
        assert!(answers.begin(&second, id, &confirm("x")).is_none());
        assert_eq!(code(&received(&second)), ErrorCode::IdReused);
        // Another user's ids are its own.
        assert!(answers.begin(&socket(UserId::fresh()), id, &confirm("x")).is_some());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(answers.begin(&second, id, &Request::LeaveQueue).is_some());
    }

    #[tokio::test]
    async fn a_repeat_waits_for_the_answer_to_the_first() {
        let answers = answers(|_| ());
        let (user, id) = (UserId::fresh(), CommandId::fresh());
        let (first, second) = (socket(user), socket(user));
        let reply = answers.begin(&first, id, &confirm("x")).expect("new");
        assert!(answers.begin(&second, id, &confirm("x")).is_none());
        assert!(answers.begin(&first, id, &confirm("x")).is_none());
        assert!(answers.begin(&second, id, &confirm("y")).is_none());
        assert_eq!((received(&first), code(&received(&second))), (vec![], ErrorCode::IdReused));
        reply.refuse(ErrorBody::new(ErrorCode::NoMatch, "No."));
        assert_eq!((received(&first).len(), code(&received(&second))), (2, ErrorCode::NoMatch));
        assert!(answers.begin(&second, id, &confirm("x")).is_none(), "a refusal is an answer");
        assert_eq!(code(&received(&second)), ErrorCode::NoMatch);
    }

    #[tokio::test]
    async fn what_may_yet_succeed_is_tried_again() {
        let answers = answers(|_| ());
        let (user, id) = (UserId::fresh(), CommandId::fresh());
        let socket = socket(user);
        // Dropped unanswered: the server was too busy.
        drop(answers.begin(&socket, id, &confirm("x")).expect("new"));
        assert_eq!(code(&received(&socket)), ErrorCode::Unavailable);
        assert_eq!(answers.counts(), (0, 0, 0));
        assert!(answers.begin(&socket, id, &confirm("x")).is_some());
    }

    #[tokio::test]
    async fn memory_is_bounded_for_each_user_and_in_all() {
        let answers = answers(|limits| (limits.answers_per_user, limits.answers) = (10, 25));
        let greedy = socket(UserId::fresh());
        let ids: Vec<_> = (0..10_000).map(|_| CommandId::fresh()).collect();
        for &id in &ids {
            answers.begin(&greedy, id, &confirm("x")).expect("new").ok();
            received(&greedy);
        }
        assert_eq!(answers.counts(), (1, 10, 25));
        assert!(answers.begin(&greedy, ids[9_990], &confirm("x")).is_none(), "the last ten are known");
        for _ in 0..100 {
            answers.begin(&socket(UserId::fresh()), CommandId::fresh(), &confirm("x")).expect("new").ok();
        }
        assert_eq!(answers.counts(), (25, 25, 25));
    }

    #[tokio::test]
    async fn what_is_being_carried_out_is_never_forgotten() {
        let answers = answers(|limits| (limits.answers_per_user, limits.answers) = (2, 1));
        let socket = socket(UserId::fresh());
        let ids = [CommandId::fresh(), CommandId::fresh(), CommandId::fresh()];
        let replies: Vec<_> =
            ids[..2].iter().map(|&id| answers.begin(&socket, id, &confirm("x")).expect("new")).collect();
        assert!(answers.begin(&socket, ids[2], &confirm("x")).is_none());
        assert_eq!(code(&received(&socket)), ErrorCode::TooMany);
        for _ in 1..WAITING {
            assert!(answers.begin(&socket, ids[0], &confirm("x")).is_none());
        }
        assert_eq!(received(&socket), []);
        assert!(answers.begin(&socket, ids[0], &confirm("x")).is_none());
        assert_eq!(code(&received(&socket)), ErrorCode::TooMany);
        replies.into_iter().for_each(Reply::ok);
        assert_eq!(received(&socket).len(), WAITING + 1);
        assert_eq!(answers.counts(), (1, 1, 1));
    }
}
