//! The games of a file, one by one.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};

use super::{Entry, EntryError, Format, impossibility};
use crate::board::Position;
use crate::formats::wthor::{self, Archive, Names, WthorError, WthorGame};
use crate::formats::{Headers, LeftOut, Outcome, Record, ggf, obf, sgf, transcript};
use crate::game::Game;

/// The longest game in bytes; anything longer is not a game.
const MAX_GAME: usize = 1 << 20;

/// Decodes a text to UTF-8: by its byte order mark, or from `encoding`, or from the encoding of several bytes a letter that an SGF or
/// GGF file declares, or not at all. Bytes of unknown encodings stay as they are.
pub fn decode<'a>(text: &'a [u8], encoding: Option<&'static Encoding>) -> Cow<'a, [u8]> {
    if let Some((encoding, length)) = Encoding::for_bom(text) {
        let text = &text[length..];
        return if encoding == UTF_8 { text.into() } else { decode_from(encoding, text).into() };
    }
    // Their letters may contain bytes that mean brackets.
    let of_several_bytes = || declared_encoding(text).filter(|found| !found.is_single_byte());
    match encoding.or_else(of_several_bytes) {
        Some(encoding) if encoding != UTF_8 => decode_from(encoding, text).into(),
        _ => text.into(),
    }
}

/// The format of a file if none is given, as far as its contents show it, and the contents with texts decoded.
pub fn recognize(
    file: Vec<u8>,
    format: Option<Format>,
    encoding: Option<&'static Encoding>,
) -> (Option<Format>, Vec<u8>) {
    let format = format.or_else(|| Format::guess(&file));
    if format != Some(Format::Wthor)
        && let Cow::Owned(text) = decode(&file, encoding)
    {
        // UTF-16 shows nothing before it is decoded.
        return (format.or_else(|| Format::guess(&text)), text);
    }
    (format, file)
}

fn decode_from(encoding: &'static Encoding, text: &[u8]) -> Vec<u8> {
    encoding.decode_without_bom_handling(text).0.into_owned().into_bytes()
}

/// The encoding in the property `CA` of SGF, looked for at the start of a text.
fn declared_encoding(text: &[u8]) -> Option<&'static Encoding> {
    let head = &text[..text.len().min(4096)];
    let at = head.windows(3).position(|part| part == b"CA[")?;
    let value = head[at + 3..].split(|&byte| byte == b']').next()?;
    Encoding::for_label(value)
}

/// The games of a file.
pub struct Reader<'a> {
    pieces: Pieces<'a>,
    number: usize,
    /// What was passed over in texts.
    left_out: LeftOut,
}

/// The unread part of the file.
enum Pieces<'a> {
    /// Texts, each with its offset in the file.
    Texts {
        format: Format,
        texts: Box<dyn Iterator<Item = &'a [u8]> + Send + 'a>,
        place: Place<'a>,
    },
    MoveLists(Box<transcript::Games>),
    Games {
        games: Box<dyn Iterator<Item = WthorGame<'a>> + Send + 'a>,
        lists: [Option<&'a Names>; 2],
        year: u16,
        /// What to say at the end of a file whose header counts other games.
        miscounted: Option<WthorError>,
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
    /// `lists` name the players and tournaments of a WTHOR file. Fails if that is invalid; in text formats, errors come with the games.
    pub fn new(
        format: Format,
        file: &'a [u8],
        lists: [Option<&'a Names>; 2],
    ) -> Result<Reader<'a>, WthorError> {
        let texts: Box<dyn Iterator<Item = &'a [u8]> + Send + 'a> = match format {
            Format::Ggf => Box::new(ggf::games(file)),
            Format::Sgf => Box::new(sgf::games(file)),
            Format::Obf => Box::new(obf_lines(file)),
            Format::Transcript => {
                let pieces = Pieces::MoveLists(Box::new(transcript::Games::new(file)));
                return Ok(Reader { pieces, number: 0, left_out: LeftOut::default() });
            }
            Format::Wthor => {
                let archive = Archive::read(file)?;
                let (year, miscounted) = (archive.header.year, archive.check().err());
                let games = Box::new(archive.games());
                let pieces = Pieces::Games { games, lists, year, miscounted };
                return Ok(Reader { pieces, number: 0, left_out: LeftOut::default() });
            }
        };
        let place = Place { file, at: 0, line: 1 };
        let pieces = Pieces::Texts { format, texts, place };
        Ok(Reader { pieces, number: 0, left_out: LeftOut::default() })
    }

    /// What has been passed over so far without an error; `None` if that is nothing.
    pub fn left_out(&self) -> Option<LeftOut> {
        let all = match &self.pieces {
            Pieces::MoveLists(games) => games.left_out(),
            _ => &self.left_out,
        };
        (*all != LeftOut::default()).then(|| all.clone())
    }
}

/// The lines of test positions: those that are neither blank nor comments, nor the end mark of DOS.
pub(super) fn obf_lines(file: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = file.split(|&byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::trim_ascii);
    lines.filter(|line| !matches!(line, [] | [b'%', ..] | [0x1a]))
}

impl Iterator for Reader<'_> {
    type Item = Result<Entry, EntryError>;

    fn next(&mut self) -> Option<Result<Entry, EntryError>> {
        let (line, found) = match &mut self.pieces {
            Pieces::Texts { format, texts, place } => {
                let text = texts.next()?;
                (Some(place.line_of(text)), read_text(*format, text, &mut self.left_out))
            }
            Pieces::MoveLists(games) => {
                let (line, record) = games.next()?;
                let record = record.map_err(|error| refused(error.to_string(), None));
                (Some(line), record.and_then(read_record))
            }
            Pieces::Games { games, lists, year, miscounted } => match games.next() {
                Some(game) => (None, read_wthor(game, *lists, *year)),
                None => (None, Err(refused(miscounted.take()?.to_string(), None))),
            },
        };
        self.number += 1;
        let number = self.number;
        Some(match found {
            Ok(entry) => Ok(Entry { number, line, ..entry }),
            Err(error) => Err(EntryError { number, line, ..error }),
        })
    }
}

fn refused(problem: impl Into<String>, accepted: Option<Game>) -> EntryError {
    let accepted = accepted.map(Box::new);
    EntryError { number: 0, line: None, problem: problem.into(), accepted }
}

fn read_text(format: Format, text: &[u8], left_out: &mut LeftOut) -> Result<Entry, EntryError> {
    if text.len() > MAX_GAME {
        return Err(refused(format!("a game of {} bytes is too long", text.len()), None));
    }
    let is_utf8 = str::from_utf8(text).is_ok();
    let text: Cow<'_, [u8]> = match declared_encoding(text) {
        _ if is_utf8 => text.into(),
        Some(encoding) if encoding != UTF_8 => decode_from(encoding, text).into(),
        _ => {
            // Unreadable names cost no moves.
            left_out.undecoded += 1;
            String::from_utf8_lossy(text).into_owned().into_bytes().into()
        }
    };
    let record = match format {
        Format::Ggf => ggf::read(&text).map_err(|error| error.to_string()),
        Format::Sgf => sgf::read(&text, None).map_err(|error| error.to_string()),
        Format::Obf => return read_problem(&text),
        Format::Transcript | Format::Wthor => Err("the format is not one of single texts".into()),
    };
    let mut record = record.map_err(|problem| refused(problem, None))?;
    left_out.tags.extend(std::mem::take(&mut record.headers.unread));
    left_out.branched += usize::from(std::mem::take(&mut record.headers.has_branches));
    read_record(record)
}

fn read_record(record: Record) -> Result<Entry, EntryError> {
    check_start(record.start)?;
    match record.replay_legal() {
        (game, None) => Ok(Entry::of(game, record.headers)),
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
    Ok(Entry { scores: problem.scores, ..Entry::of(game, Headers::default()) })
}

fn read_wthor(
    game: WthorGame<'_>,
    [players, tournaments]: [Option<&Names>; 2],
    year: u16,
) -> Result<Entry, EntryError> {
    let played = game.game().map_err(|error| refused(error.to_string(), Some(error.played)))?;
    let labels = game.labels();
    if labels.black_discs > 64 {
        let problem = format!("Black has {} of 64 discs at the end", labels.black_discs);
        return Err(refused(problem, Some(played)));
    }
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
    Ok(Entry { labels: Some(labels), ..Entry::of(played, headers) })
}
