//! The `engine` command: JSON lines in, JSON lines out (docs/rules/notation.md).

use serde_json::{Map, Value, json};

use crate::action::Action;
use crate::game::Game;
use crate::games::Variant;
use crate::perft::perft;
use crate::setup::BadPosition;

/// The deepest perft that a request can ask for; the deepest that ends is far below.
const DEEPEST_PERFT: u64 = 32;

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
    pub fn answer(&mut self, line: &str) -> String {
        let (id, answer) = match serde_json::from_str::<Value>(line) {
            Ok(Value::Object(mut request)) => (request.remove("id"), self.obey(&request)),
            Ok(_) => (None, Err(Failure::bad_request("a request is an object"))),
            Err(error) => (None, Err(Failure::bad_request(format!("not JSON: {error}")))),
        };
        let mut answer = answer.unwrap_or_else(|Failure(code, message)| {
            Map::from_iter([("error".to_owned(), json!({ "code": code, "message": message }))])
        });
        if let Some(id) = id {
            answer.insert("id".to_owned(), id);
        }
        Value::Object(answer).to_string()
    }

    fn obey(&mut self, request: &Map<String, Value>) -> Result<Map<String, Value>, Failure> {
        let cmd = request.get("cmd").and_then(Value::as_str);
        match cmd.ok_or_else(|| Failure::bad_request("`cmd` is missing or no string"))? {
            "new" => {
                let [variant] = fields(request, ["variant"])?;
                let id = variant.as_str().ok_or_else(|| Failure::bad_request("`variant` is no string"))?;
                let unknown = || Failure("unknown_variant", "no game has this id".to_owned());
                let variant: Variant = id.parse().map_err(|_| unknown())?;
                self.game = Some(Game::new(variant));
                self.view()
            }
            "load" => {
                let [position] = fields(request, ["position"])?;
                if !position.is_object() {
                    return Err(Failure::bad_request("`position` is no object"));
                }
                self.game = Some(Game::load(position).map_err(|error| match error {
                    BadPosition::UnknownVariant(_) => Failure("unknown_variant", error.to_string()),
                    BadPosition::Wrong(_) => Failure("bad_position", error.to_string()),
                })?);
                self.view()
            }
            "apply" => {
                let [actions] = fields(request, ["actions"])?;
                self.apply(actions)?;
                self.view()
            }
            "legal" => {
                let [] = fields(request, [])?;
                self.view()
            }
            "perft" => {
                let [depth] = fields(request, ["depth"])?;
                let depth = depth.as_u64().filter(|&depth| depth <= DEEPEST_PERFT);
                let depth = depth.ok_or_else(|| Failure::bad_request("`depth` is no number up to 32"))?;
                let nodes = perft(self.game()?, depth as u32);
                Ok(Map::from_iter([("nodes".to_owned(), json!(nodes))]))
            }
            _ => Err(Failure::bad_request("no such `cmd`")),
        }
    }

    fn game(&self) -> Result<&Game, Failure> {
        self.game.as_ref().ok_or_else(|| Failure("no_game", "no game has been set up".to_owned()))
    }

    fn apply(&mut self, actions: &Value) -> Result<(), Failure> {
        let texts =
            actions.as_array().and_then(|texts| texts.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
        let texts = texts.ok_or_else(|| Failure::bad_request("`actions` is no list of strings"))?;
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

/// The fields of a request beside `cmd` and `id`: these, and no others.
fn fields<'a, const N: usize>(
    request: &'a Map<String, Value>,
    names: [&str; N],
) -> Result<[&'a Value; N], Failure> {
    if let Some(unknown) = request.keys().find(|key| *key != "cmd" && !names.contains(&key.as_str())) {
        let shown: String = unknown.chars().take(24).collect();
        return Err(Failure::bad_request(format!("the field `{shown}` is unknown")));
    }
    let mut values = [&Value::Null; N];
    for (value, name) in values.iter_mut().zip(names) {
        *value = request.get(name).ok_or_else(|| Failure::bad_request(format!("`{name}` is missing")))?;
    }
    Ok(values)
}
