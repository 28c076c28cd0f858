//! The shape of a PGN4 text: its games, tags and words. What a word means is not decided here.

use super::{BadPgn4, COLOURS, is_tag_name};

/// Tag pairs in the order of the text.
pub(in super::super) type Tags = Vec<(String, String)>;

/// One word of the movetext with our own remarks on it.
pub(in super::super) struct Word {
    pub(in super::super) text: String,
    pub(in super::super) act: Option<String>,
    pub(in super::super) also: Vec<String>,
}

/// A move as it is written: `Qg1xQn8`, `e7-e8=D`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct MoveWord<'a> {
    /// The letter of the piece that moves; none for a pawn.
    pub(in super::super) mover: Option<char>,
    pub(in super::super) from: &'a str,
    pub(in super::super) takes: bool,
    /// The letter of the piece that is taken; none for a pawn.
    pub(in super::super) taken: Option<char>,
    pub(in super::super) to: &'a str,
    pub(in super::super) promotion: Option<&'a str>,
}

impl MoveWord<'_> {
    /// Reads a word without its `+`, `#`, `!` and `?`.
    pub(in super::super) fn read(word: &str) -> Option<MoveWord<'_>> {
        let (word, promotion) = word.split_once('=').map_or((word, None), |(word, kind)| (word, Some(kind)));
        let at = word.find(['-', 'x'])?;
        let (from, to) = (&word[..at], &word[at + 1..]);
        let (mover, from) = lettered_square(from)?;
        let (taken, to) = lettered_square(to)?;
        Some(MoveWord { mover, from, takes: word.as_bytes()[at] == b'x', taken, to, promotion })
    }
}

/// A square behind the letter of a piece, or without one.
fn lettered_square(text: &str) -> Option<(Option<char>, &str)> {
    let first = text.chars().next()?;
    let (letter, square) = if first.is_ascii_uppercase() { (Some(first), &text[1..]) } else { (None, text) };
    let (file, rank) = square.split_at_checked(1)?;
    let fits = file.as_bytes()[0].is_ascii_lowercase()
        && !rank.is_empty()
        && rank.bytes().all(|byte| byte.is_ascii_digit());
    fits.then_some((letter, square))
}

/// What a text is made of.
enum Item<'a> {
    /// A name, and its value as written between the quotes, if it has one.
    Tag(&'a str, Option<&'a str>),
    Comment(&'a str),
    Open,
    Close,
    Word(&'a str),
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Scanner<'a> {
        Scanner { text, at: 0 }
    }

    /// The next item with the place where it begins.
    fn next(&mut self) -> Result<Option<(usize, Item<'a>)>, BadPgn4> {
        loop {
            let begun = self.at;
            let rest = &self.text[begun..];
            let Some(first) = rest.chars().next() else { return Ok(None) };
            let begins_line = self.text[..begun].chars().next_back().is_none_or(|c| c == '\n' || c == '\r');
            let item = match first {
                ';' => None,
                '%' if begins_line => None,
                c if c.is_whitespace() || c == '\u{feff}' => {
                    self.at += c.len_utf8();
                    continue;
                }
                '{' => Some(self.comment(rest)?),
                '(' => Some(self.single(Item::Open)),
                ')' => Some(self.single(Item::Close)),
                '[' => Some(self.tag(rest)?),
                _ => {
                    let ends = |c: char| c.is_whitespace() || "{}();".contains(c);
                    let end = rest.find(ends).unwrap_or(rest.len()).max(1);
                    self.at += end;
                    Some(Item::Word(&rest[..end]))
                }
            };
            match item {
                Some(item) => return Ok(Some((begun, item))),
                // To the end of the line.
                None => self.at += rest.find(['\n', '\r']).unwrap_or(rest.len()),
            }
        }
    }

    fn single(&mut self, item: Item<'a>) -> Item<'a> {
        self.at += 1;
        item
    }

    fn comment(&mut self, rest: &'a str) -> Result<Item<'a>, BadPgn4> {
        let end = rest.find('}').ok_or_else(|| shape("a comment that does not end"))?;
        self.at += end + 1;
        Ok(Item::Comment(&rest[1..end]))
    }

    fn tag(&mut self, rest: &'a str) -> Result<Item<'a>, BadPgn4> {
        let end = rest.find(['"', ']']).ok_or_else(|| shape("a tag that does not end"))?;
        let name = rest[1..end].trim();
        if rest.as_bytes()[end] == b']' {
            self.at += end + 1;
            return Ok(Item::Tag(name, None));
        }
        let value = &rest[end + 1..];
        let length = quoted_length(value).ok_or_else(|| shape("a tag value that does not end"))?;
        let after = value[length + 1..].trim_start();
        let after = after.strip_prefix(']').ok_or_else(|| shape("a tag that does not end"))?;
        self.at = self.text.len() - after.len();
        Ok(Item::Tag(name, Some(&value[..length])))
    }
}

fn shape(why: &str) -> BadPgn4 {
    BadPgn4::Shape(why.to_owned())
}

/// How long a value is up to the quote that ends it; `\"` does not.
fn quoted_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if !escaped => return Some(at),
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}

/// The value that is meant: `\"` is a quote and `\\` a backslash, and blanks are single.
fn unescaped(value: &str) -> String {
    let mut plain = String::with_capacity(value.len());
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some(&next @ ('"' | '\\'))) => {
                plain.push(next);
                chars.next();
            }
            _ => plain.push(c),
        }
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The games of a text, each with its tags; at least one.
///
/// # Errors
/// A tag or a comment does not end.
pub fn games(text: &str) -> Result<Vec<&str>, BadPgn4> {
    let mut starts = vec![0];
    let (mut depth, mut number, mut has_moves, mut has_ended) = (0_usize, 0, false, false);
    let mut first_tag = None;
    let mut scanner = Scanner::new(text);
    while let Some((at, item)) = scanner.next()? {
        let begins = match item {
            Item::Open => {
                depth += 1;
                false
            }
            Item::Close => {
                depth = depth.saturating_sub(1);
                false
            }
            // A game without moves ends where the first tag comes again behind an empty line.
            Item::Tag(name, _) if depth == 0 => {
                let begins = has_moves || (first_tag == Some(name) && follows_an_empty_line(text, at));
                if begins {
                    first_tag = None;
                }
                first_tag.get_or_insert(name);
                begins
            }
            Item::Word(word) if depth == 0 => {
                let round = round_number(word);
                let begins = round == Some(1) && has_moves && (number > 1 || has_ended);
                number = round.unwrap_or(number);
                has_ended |= is_result(word);
                begins
            }
            _ => false,
        };
        if begins {
            starts.push(at);
            (has_moves, has_ended) = (false, false);
        }
        match item {
            Item::Word(_) if depth == 0 => has_moves = true,
            Item::Tag(..) if begins => number = 0,
            _ => {}
        }
    }
    starts.push(text.len());
    Ok(starts.windows(2).map(|ends| &text[ends[0]..ends[1]]).collect())
}

fn follows_an_empty_line(text: &str, at: usize) -> bool {
    let before = &text[..at];
    let blank = &before[before.trim_end().len()..];
    blank.matches('\n').count().max(blank.matches('\r').count()) > 1
}

fn round_number(word: &str) -> Option<u32> {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
    (digits.starts_with('.') && digits.len() < word.len())
        .then(|| word[..word.len() - digits.len()].parse().ok())
        .flatten()
}

fn is_result(word: &str) -> bool {
    matches!(word, "*" | "1-0" | "0-1" | "1/2-1/2" | "Aborted")
}

/// One line about a game: who played, and how long.
pub(super) fn summary(text: &str) -> String {
    let Ok((tags, words)) = split(text, &mut Vec::new()) else { return "its shape is wrong".to_owned() };
    let find = |name: &str| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str());
    let short = |value: &str| value.chars().take(24).collect::<String>().escape_debug().to_string();
    let players: Vec<String> = COLOURS.iter().filter_map(|&colour| find(colour)).map(short).collect();
    let players = if players.is_empty() { "nobody named".to_owned() } else { players.join(" – ") };
    let number = find("GameNr").map(|number| format!("{}, ", short(number))).unwrap_or_default();
    format!("{number}{players}, {} words", words.len())
}

/// Tags and words of one game; numbers, dots, results, variations and foreign comments are passed over.
pub(in super::super) fn split(text: &str, dropped: &mut Vec<String>) -> Result<(Tags, Vec<Word>), BadPgn4> {
    let mut tags = Vec::new();
    let mut words: Vec<Word> = Vec::new();
    let mut depth = 0_usize;
    let mut scanner = Scanner::new(text);
    while let Some((_, item)) = scanner.next()? {
        match item {
            Item::Open => depth += 1,
            Item::Close => depth = depth.checked_sub(1).ok_or_else(|| shape("a ) without its ("))?,
            _ if depth > 0 => {}
            Item::Comment(comment) => remark(comment, &mut words)?,
            Item::Tag(name, value) => {
                let shown = name.chars().take(40).collect::<String>().escape_debug().to_string();
                match value {
                    None => dropped.push(format!("the tag [{shown}], which has no value")),
                    Some(value) if is_tag_name(name) => tags.push((name.to_owned(), unescaped(value))),
                    Some(_) => dropped.push(format!(
                        "the tag [{shown}], whose name is not a word of letters, digits and _"
                    )),
                }
            }
            Item::Word(word) => {
                if let Some(word) = significant(word) {
                    words.push(Word { text: word.to_owned(), act: None, also: Vec::new() });
                }
            }
        }
    }
    if depth > 0 {
        return Err(shape("a ( without its )"));
    }
    Ok((tags, words))
}

fn significant(word: &str) -> Option<&str> {
    let number = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let word = if number.starts_with('.') { number.trim_start_matches('.') } else { word };
    let passed_over =
        word.is_empty() || word.starts_with('$') || word.chars().all(|c| c == '.') || is_result(word);
    (!passed_over).then_some(word)
}

/// Our own remarks in a comment.
fn remark(comment: &str, words: &mut Vec<Word>) -> Result<(), BadPgn4> {
    for part in comment.split("[%").skip(1) {
        let Some((part, _)) = part.split_once(']') else { continue };
        match part.split_once(' ') {
            Some(("act", text)) => match words.last_mut() {
                Some(word) => word.act = Some(text.trim().to_owned()),
                None => return Err(BadPgn4::Shape("a remark before the first move".to_owned())),
            },
            Some(("also", text)) => match words.last_mut() {
                Some(word) => word.also.push(text.trim().to_owned()),
                // Before the first move: a word of its own.
                None => words.push(Word {
                    text: text.to_owned(),
                    act: Some(text.trim().to_owned()),
                    also: Vec::new(),
                }),
            },
            _ => {}
        }
    }
    Ok(())
}
