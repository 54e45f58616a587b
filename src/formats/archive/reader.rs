//! The games of a file, one by one.

use std::borrow::Cow;

use super::{Entry, EntryError, Format, impossibility};
use crate::board::Position;
use crate::formats::wthor::{self, Archive, Names, WthorError, WthorGame};
use crate::formats::{Headers, Outcome, Record, ggf, obf, sgf, transcript};
use crate::game::Game;

/// The longest game in bytes; anything longer is not a game.
const MAX_GAME: usize = 1 << 20;

/// Decodes a text: removes a byte order mark, and converts Latin-1 to UTF-8 if `is_latin1`.
///
/// # Errors
/// If the text is in UTF-16.
pub fn decode(text: &[u8], is_latin1: bool) -> Result<Cow<'_, [u8]>, &'static str> {
    if text.starts_with(&[0xff, 0xfe]) || text.starts_with(&[0xfe, 0xff]) {
        return Err("the text is in UTF-16: save it as UTF-8");
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    Ok(if is_latin1 && !text.is_ascii() { latin1(text).into() } else { text.into() })
}

/// Decodes Latin-1, where every byte is the code point of its character.
fn latin1(text: &[u8]) -> Vec<u8> {
    text.iter().map(|&byte| char::from(byte)).collect::<String>().into_bytes()
}

/// The games of a file.
pub struct Reader<'a> {
    pieces: Pieces<'a>,
    number: usize,
}

/// The unread part of the file.
enum Pieces<'a> {
    /// Texts, each with its offset in the file.
    Texts {
        format: Format,
        texts: Box<dyn Iterator<Item = &'a [u8]> + Send + 'a>,
        place: Place<'a>,
    },
    Games {
        games: Box<dyn Iterator<Item = WthorGame<'a>> + Send + 'a>,
        lists: [Option<&'a Names>; 2],
        year: u16,
    },
}

/// A place in a file whose line is known.
struct Place<'a> {
    file: &'a [u8],
    at: usize,
    line: usize,
}

impl Place<'_> {
    /// The line of a piece of the file; pieces must come in order.
    fn line_of(&mut self, piece: &[u8]) -> usize {
        let at = piece.as_ptr().addr().saturating_sub(self.file.as_ptr().addr());
        let between = self.file.get(self.at..at).unwrap_or_default();
        self.line += between.iter().filter(|&&byte| byte == b'\n').count();
        self.at = at.max(self.at);
        self.line
    }
}

impl<'a> Reader<'a> {
    /// Starts reading a file. `lists` name the players and tournaments of WTHOR files, if present.
    ///
    /// # Errors
    /// If a WTHOR file is invalid; in text formats, errors come with the games.
    pub fn new(
        format: Format,
        file: &'a [u8],
        lists: [Option<&'a Names>; 2],
    ) -> Result<Reader<'a>, WthorError> {
        let texts: Box<dyn Iterator<Item = &'a [u8]> + Send + 'a> = match format {
            Format::Ggf => Box::new(ggf::games(file)),
            Format::Sgf => Box::new(sgf::games(file)),
            Format::Obf => Box::new(lines(file, b"%")),
            Format::Transcript => Box::new(lines(file, b"%#")),
            Format::Wthor => {
                let archive = Archive::read(file)?;
                let year = archive.header.year;
                let pieces = Pieces::Games { games: Box::new(archive.games()), lists, year };
                return Ok(Reader { pieces, number: 0 });
            }
        };
        let place = Place { file, at: 0, line: 1 };
        Ok(Reader { pieces: Pieces::Texts { format, texts, place }, number: 0 })
    }
}

/// Lines that are neither blank nor comments.
fn lines<'a>(file: &'a [u8], comments: &'static [u8]) -> impl Iterator<Item = &'a [u8]> {
    let lines = file.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| line.first().is_some_and(|first| !comments.contains(first)))
}

impl Iterator for Reader<'_> {
    type Item = Result<Entry, EntryError>;

    fn next(&mut self) -> Option<Result<Entry, EntryError>> {
        let (line, found) = match &mut self.pieces {
            Pieces::Texts { format, texts, place } => {
                let text = texts.next()?;
                (Some(place.line_of(text)), read_text(*format, text))
            }
            Pieces::Games { games, lists, year } => {
                (None, read_wthor(games.next()?, *lists, *year))
            }
        };
        self.number += 1;
        let number = self.number;
        Some(match found {
            Ok(entry) => Ok(Entry { number, line, ..entry }),
            Err(error) => Err(EntryError { number, line, ..error }),
        })
    }
}

fn entry(game: Game, headers: Headers) -> Entry {
    Entry { number: 0, line: None, game, headers, scores: Vec::new(), labels: None }
}

fn refused(problem: impl Into<String>, accepted: Option<Game>) -> EntryError {
    let accepted = accepted.map(Box::new);
    EntryError { number: 0, line: None, problem: problem.into(), accepted }
}

fn read_text(format: Format, text: &[u8]) -> Result<Entry, EntryError> {
    if text.len() > MAX_GAME {
        return Err(refused(format!("a game of {} bytes is too long", text.len()), None));
    }
    let is_latin1 = format == Format::Sgf && says_latin1(text);
    let decoded = if is_latin1 { latin1(text).into() } else { Cow::Borrowed(text) };
    if let Err(error) = str::from_utf8(&decoded) {
        let byte = decoded[error.valid_up_to()];
        return Err(refused(format!("the byte {byte:#04x} is not UTF-8 (is it Latin-1?)"), None));
    }
    let text = decoded.as_ref();
    let record = match format {
        Format::Ggf => ggf::read(text).map_err(|error| error.to_string()),
        Format::Sgf => sgf::read(text, None).map_err(|error| error.to_string()),
        Format::Transcript => transcript::read(text).map_err(|error| error.to_string()),
        Format::Obf => return read_problem(text),
        Format::Wthor => Err("WTHOR is a binary format".into()),
    };
    let record = record.map_err(|problem| refused(problem, None))?;
    let game = replay(&record)?;
    Ok(entry(game, record.headers))
}

fn replay(record: &Record) -> Result<Game, EntryError> {
    check_start(record.start)?;
    match record.replay_legal() {
        (game, None) => Ok(game),
        (game, Some(error)) => Err(refused(error.to_string(), Some(game))),
    }
}

fn check_start(start: Position) -> Result<(), EntryError> {
    impossibility(start).map_or(Ok(()), |problem| Err(refused(problem, None)))
}

fn read_problem(text: &[u8]) -> Result<Entry, EntryError> {
    let problem = obf::read_line(text).map_err(|error| refused(error.to_string(), None))?;
    let problem = problem.ok_or_else(|| refused("no position", None))?;
    check_start(problem.position)?;
    let game = Game::new(problem.position);
    Ok(Entry { scores: problem.scores, ..entry(game, Headers::default()) })
}

/// Whether an SGF game declares its texts as Latin-1, or as the Windows variant of it.
fn says_latin1(text: &[u8]) -> bool {
    let Some(at) = text.windows(3).position(|part| part == b"CA[") else { return false };
    let value = text[at + 3..].split(|&byte| byte == b']').next().unwrap_or_default();
    let names: [&[u8]; 5] = [b"latin1", b"latin-1", b"iso-8859-1", b"iso8859-1", b"windows-1252"];
    names.iter().any(|name| value.trim_ascii().eq_ignore_ascii_case(name))
}

fn read_wthor(
    game: WthorGame<'_>,
    [players, tournaments]: [Option<&Names>; 2],
    year: u16,
) -> Result<Entry, EntryError> {
    let played = game.game().map_err(|error| refused(error.to_string(), Some(error.played)))?;
    let labels = game.labels();
    let name = |list: Option<&Names>, number| {
        list.and_then(|list| list.get(number)).unwrap_or_default().to_owned()
    };
    let headers = Headers {
        names: labels.players.map(|number| name(players, number)),
        place: name(tournaments, labels.tournament),
        date: if year == 0 { String::new() } else { year.to_string() },
        result: Outcome {
            score: Some(f64::from(wthor::result(labels.black_discs))),
            text: String::new(),
        },
        ..Headers::default()
    };
    Ok(Entry { labels: Some(labels), ..entry(played, headers) })
}
