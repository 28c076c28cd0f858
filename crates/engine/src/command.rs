//! The `engine` command: JSON lines in, JSON lines out (docs/rules/notation.md).

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::action::Action;
use crate::game::Game;
use crate::games::{UnknownVariant, Variant};
use crate::perft::{DEEPEST_PERFT, perft};
use crate::setup::BadPosition;

/// Longer lines, in bytes, are refused unread.
pub const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// The fields of a request, each as it was written: an `id` is repeated to the letter.
type Request<'a> = BTreeMap<String, &'a RawValue>;

/// A line of output.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    body: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
}

/// One conversation with the `engine` command.
#[derive(Clone, Debug, Default)]
pub struct Session {
    game: Option<Game>,
}

/// A code of the notation and a sentence.
struct Failure(&'static str, String);

impl Failure {
    fn bad_request(message: impl Into<String>) -> Failure {
        Failure("bad_request", message.into())
    }
}

impl Session {
    /// A conversation in which no game has been set up yet.
    #[must_use]
    pub fn new() -> Session {
        Session::default()
    }

    /// Answers one request, given as a line; the answer is one line without its end.
    #[must_use]
    pub fn answer(&mut self, line: impl AsRef<[u8]>) -> String {
        let line = line.as_ref();
        let (id, answer) = match read(line) {
            Ok(mut request) => (request.remove("id"), self.obey(&request)),
            Err(failure) => (None, Err(failure)),
        };
        let body = answer.unwrap_or_else(|Failure(code, message)| {
            Map::from_iter([("error".to_owned(), json!({ "code": code, "message": message }))])
        });
        serde_json::to_string(&Answer { body, id }).expect("an answer has nothing that JSON cannot say")
    }

    fn obey(&mut self, request: &Request<'_>) -> Result<Map<String, Value>, Failure> {
        let cmd = request.get("cmd").ok_or_else(|| Failure::bad_request("`cmd` is missing"))?;
        match typed::<String>(cmd, "`cmd` is not a string")?.as_str() {
            "new" => {
                let [variant] = fields(request, ["variant"])?;
                let id: String = typed(variant, "`variant` is not a string")?;
                let unknown = |error: UnknownVariant| Failure("unknown_variant", error.to_string());
                let variant: Variant = id.parse().map_err(unknown)?;
                self.game = Some(Game::new(variant));
                self.view()
            }
            "load" => {
                let [position] = fields(request, ["position"])?;
                if !position.get().starts_with('{') {
                    return Err(Failure::bad_request("`position` is not an object"));
                }
                self.game = Some(Game::load_str(position.get()).map_err(|error| match error {
                    BadPosition::UnknownVariant(_) => Failure("unknown_variant", error.to_string()),
                    BadPosition::Wrong(_) => Failure("bad_position", error.to_string()),
                })?);
                self.view()
            }
            "apply" => {
                let [actions] = fields(request, ["actions"])?;
                self.apply(&typed::<Vec<String>>(actions, "`actions` is not a list of strings")?)?;
                self.view()
            }
            "legal" => {
                let [] = fields(request, [])?;
                self.view()
            }
            "perft" => {
                let [depth] = fields(request, ["depth"])?;
                let depth: u64 = typed(depth, "`depth` is not a count")?;
                let depth = self.depth(depth)?;
                let nodes = perft(self.game()?, depth);
                Ok(Map::from_iter([("nodes".to_owned(), json!(nodes))]))
            }
            _ => Err(Failure::bad_request("no such `cmd`")),
        }
    }

    /// A depth that can be counted. A finished game has no continuation, however deep one looks.
    fn depth(&self, depth: u64) -> Result<u32, Failure> {
        let is_over = self.game.as_ref().is_some_and(|game| game.outcome().is_some());
        let counted = if is_over { depth.min(1) } else { depth };
        let plies = u32::try_from(counted).ok().filter(|plies| *plies <= DEEPEST_PERFT);
        plies.ok_or_else(|| Failure::bad_request(format!("`depth` is more than {DEEPEST_PERFT}")))
    }

    fn game(&self) -> Result<&Game, Failure> {
        self.game.as_ref().ok_or_else(|| Failure("no_game", "no game has been set up".to_owned()))
    }

    fn apply(&mut self, texts: &[String]) -> Result<(), Failure> {
        let mut game = self.game()?.clone();
        for text in texts {
            let done = Action::parse(game.variant(), text).and_then(|action| game.act(&action));
            done.map_err(|rejection| Failure(rejection.code.word(), rejection.message))?;
        }
        self.game = Some(game);
        Ok(())
    }

    fn view(&self) -> Result<Map<String, Value>, Failure> {
        let game = self.game()?;
        Ok(Map::from_iter([
            ("position".to_owned(), game.document()),
            ("legal".to_owned(), json!(game.legal())),
        ]))
    }
}

/// The fields of a line.
fn read(line: &[u8]) -> Result<Request<'_>, Failure> {
    if line.len() > LONGEST_LINE {
        return Err(Failure::bad_request(format!("a request has at most {LONGEST_LINE} bytes")));
    }
    serde_json::from_slice(line).map_err(|error| Failure::bad_request(format!("no JSON object: {error}")))
}

/// The value of a field.
fn typed<T: DeserializeOwned>(value: &RawValue, otherwise: &str) -> Result<T, Failure> {
    serde_json::from_str(value.get()).map_err(|_| Failure::bad_request(otherwise))
}

/// The fields of a request beside `cmd` and `id`: these, and no others.
fn fields<'a, const N: usize>(request: &Request<'a>, names: [&str; N]) -> Result<[&'a RawValue; N], Failure> {
    if let Some(unknown) = request.keys().find(|key| *key != "cmd" && !names.contains(&key.as_str())) {
        let shown: String = unknown.chars().take(24).collect();
        return Err(Failure::bad_request(format!("the field `{shown}` is unknown")));
    }
    let mut values = [RawValue::NULL; N];
    for (value, name) in values.iter_mut().zip(names) {
        let missing = || Failure::bad_request(format!("`{name}` is missing"));
        *value = request.get(name).copied().ok_or_else(missing)?;
    }
    Ok(values)
}
