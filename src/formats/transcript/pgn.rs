//! The tags of PGN before the moves, as XBoard and sites of chess variants write them: `[Black "A. Player"]`.

use super::TranscriptError;
use crate::board::{Color, Position};
use crate::formats::ggf::{GgfClock, parse_time};
use crate::formats::{Headers, Outcome, excerpt, fen};

/// The names and values of a line of tags; none of any other line.
pub(super) fn tags(line: &str) -> Vec<(&str, &str)> {
    let (mut tags, mut rest) = (Vec::new(), line);
    while !rest.is_empty() {
        let Some((tag, after)) = tag(rest) else { return Vec::new() };
        tags.push(tag);
        rest = after;
    }
    tags
}

/// The tag at the start of a line, and what follows it.
fn tag(line: &str) -> Option<((&str, &str), &str)> {
    let (name, rest) = line.strip_prefix('[')?.split_once(char::is_whitespace)?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let value = rest.trim_start().strip_prefix('"').filter(|_| is_name)?;
    // Quotes within the value are not always escaped.
    value.match_indices('"').find_map(|(at, _)| {
        let after = value[at + 1..].trim_start().strip_prefix(']')?;
        Some(((name, &value[..at]), after.trim_start()))
    })
}

/// The tags of a game.
#[derive(Default)]
pub(super) struct Tags(Vec<(String, String)>);

impl Tags {
    pub(super) fn add(&mut self, (name, value): (&str, &str)) {
        // A value that nobody knows is a question mark, or several as in `????.??.??`.
        if !value.trim_matches(['?', '.', '-', ' ']).is_empty() {
            let value = value.replace("\\\"", "\"").replace("\\\\", "\\");
            self.0.push((name.into(), value));
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(found, _)| found.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Where the game starts, and what else they say. XBoard names the variant, and the position only if it is another one.
    pub(super) fn read(&self) -> (Result<Position, TranscriptError>, Headers) {
        let is_of_xboard = self.get("Variant").is_some_and(|name| name == "reversi");
        let start = match self.get("FEN") {
            Some(text) => {
                fen::read(text).ok_or_else(|| TranscriptError::Fen(excerpt(text.as_bytes())))
            }
            None if is_of_xboard => Ok(fen::start()),
            None => Ok(Position::START),
        };
        let first = start.as_ref().map_or(Color::Black, |start| start.side);
        let result = self.get("Result").map(|text| outcome(text, first)).unwrap_or_default();
        let clocks = [self.get("TimeControl").and_then(clock); 2];
        let mut headers = Headers { result, clocks, ..Headers::default() };
        for (name, value) in &self.0 {
            let place = match name.to_ascii_lowercase().as_str() {
                "black" => &mut headers.names[0],
                "white" => &mut headers.names[1],
                "blackelo" => &mut headers.ratings[0],
                "whiteelo" => &mut headers.ratings[1],
                "event" => &mut headers.event,
                "site" => &mut headers.place,
                "date" | "utcdate" => &mut headers.date,
                "result" | "fen" | "setup" | "variant" | "plycount" => continue,
                "timecontrol" if headers.clocks[0].is_some() => continue,
                "termination" if value.eq_ignore_ascii_case("normal") => continue,
                _ => {
                    headers.unread.insert(excerpt(name.as_bytes()));
                    continue;
                }
            };
            place.clone_from(value);
        }
        (start, headers)
    }
}

/// What a result says: `1-0` a win of White as in chess, `36-28` the discs of the side that begins and of the other one, or words.
pub(super) fn outcome(text: &str, first: Color) -> Outcome {
    let discs = text.split_once('-').and_then(|(own, other)| {
        let (own, other): (u8, u8) = (own.trim().parse().ok()?, other.trim().parse().ok()?);
        let is_count = own <= 64 && other <= 64 && (own > 1 || other > 1);
        is_count.then(|| f64::from((i32::from(own) - i32::from(other)) * first.sign()))
    });
    let (score, text) = match text {
        "1-0" => (None, "W+"),
        "0-1" => (None, "B+"),
        "1/2-1/2" => (Some(0.0), ""),
        "*" => (None, ""),
        _ if discs.is_some() => (discs, ""),
        words => (None, words),
    };
    Outcome { score, text: text.into() }
}

/// The clock of both sides: `300` seconds for the game, or `300+5` with some for each move.
fn clock(text: &str) -> Option<GgfClock> {
    let (initial, increment) = text.split_once('+').unwrap_or((text, "0"));
    let increment = parse_time(increment.as_bytes())?;
    Some(GgfClock { increment, ..GgfClock::of(parse_time(initial.as_bytes())?) })
}
