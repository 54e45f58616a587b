//! What a format has no place for.

use std::fmt;

use super::{Entry, Format, year};
use crate::board::Move;
use crate::formats::ggf::{self, GgfClock};
use crate::formats::sgf;
use crate::formats::wthor::NameKind;

/// A kind of data that some formats cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lost {
    /// Players' names.
    Names,
    /// Letters of texts: WTHOR has Latin-1 and a width, GGF no brackets.
    Letters,
    /// Players' ratings.
    Ratings,
    /// Places, or events where the format has one field for both.
    Places,
    /// Events.
    Events,
    /// Dates.
    Dates,
    /// Times of day: SGF has dates alone.
    Hours,
    /// Months and days of dates: WTHOR has a year alone.
    Days,
    /// Results that the moves do not tell: of unfinished and of forfeited games, and those that contradict them, as with komi.
    Results,
    /// That a game has no result: WTHOR makes one up.
    NoResult,
    /// Passes at the end: most formats imply all passes.
    Passes,
    /// Players' clocks.
    Clocks,
    /// Values of moves.
    Values,
    /// Thinking times of moves.
    Times,
    /// Comments.
    Comments,
    /// The scores of all moves of a test position.
    Scores,
    /// The theoretical scores of WTHOR.
    Theoretical,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Lost::Names => "names",
            Lost::Letters => "letters of names",
            Lost::Ratings => "ratings",
            Lost::Places => "places",
            Lost::Events => "events",
            Lost::Dates => "dates",
            Lost::Hours => "times of day",
            Lost::Days => "months and days",
            Lost::Results => "results",
            Lost::NoResult => "games without a result",
            Lost::Passes => "passes at the end",
            Lost::Clocks => "clocks",
            Lost::Values => "scores of moves",
            Lost::Times => "times of moves",
            Lost::Comments => "comments",
            Lost::Scores => "scores",
            Lost::Theoretical => "theoretical scores",
        })
    }
}

/// What is lost when this game is written in a format.
pub fn lost(format: Format, entry: &Entry) -> impl Iterator<Item = Lost> {
    use Format::{Ggf, Obf, Sgf, Transcript, Wthor};
    let headers = &entry.headers;
    let is_any = |texts: &[&String]| texts.iter().any(|text| !text.is_empty());
    let notes = || entry.game.plies().iter().map(|ply| ply.note);
    let has_one_place = headers.place.is_empty() || headers.event.is_empty();
    let fits_wthor = headers.names.iter().all(|name| NameKind::Players.holds(name))
        && NameKind::Tournaments.holds(headers.tournament());
    let [black, white] = headers.clocks;
    let has_plain_clock =
        black == white && black.is_none_or(|clock| clock == GgfClock::of(clock.initial));
    let has_valued_pass =
        entry.game.plies().iter().any(|ply| ply.mv == Move::Pass && ply.note.value.is_some());
    let forfeit = headers.result.forfeit();
    let is_forfeited = forfeit.is_some();
    // SGF has words for who has lost, and no number beside them.
    let fits_words = match headers.result.score {
        Some(score) if headers.result.text.contains(':') => is_forfeited && score.abs() == 64.0,
        _ => true,
    };
    let tells_result = !is_forfeited && (entry.game.is_over() || headers.result.score.is_none());
    let has_hours = headers.date.len() > 10 && sgf::date(&headers.date).len() == 10;
    let board = entry.game.result().filter(|_| !is_forfeited).map(f64::from);
    // Words that are neither a number nor a way to forfeit, nor a winner that the board tells too.
    let is_text = !is_forfeited
        && headers.result.score.is_none()
        && !matches!(headers.result.text.as_str(), "" | "?" | "*")
        && (board.is_none() || headers.result.winner().is_none());
    // The board counts, not a result with komi. What WTHOR says itself stays there.
    let contradicts = board.is_some_and(|board| headers.result.score.unwrap_or(board) != board);
    let keeps_result = !contradicts || (format == Wthor && entry.labels.is_some());
    let texts = headers.names.iter().chain(&headers.ratings);
    let mut texts = texts.chain([&headers.place, &headers.event, &headers.date]);
    let fits =
        if format == Wthor { fits_wthor } else { texts.all(|text| ggf::clean(text) == *text) };
    let ends_with_pass = entry.game.plies().last().is_some_and(|ply| ply.mv == Move::Pass);
    let is_year = headers.date.len() == 4 && year(&headers.date).is_some();
    // What the game has, and whether this format holds it.
    let kinds = [
        (Lost::Names, is_any(&headers.names.each_ref()), matches!(format, Ggf | Sgf | Wthor)),
        (Lost::Letters, !fits, !matches!(format, Ggf | Wthor)),
        (Lost::Passes, ends_with_pass, format == Ggf),
        (Lost::Ratings, is_any(&headers.ratings.each_ref()), matches!(format, Ggf | Sgf)),
        (
            Lost::Places,
            is_any(&[&headers.place]),
            matches!(format, Ggf | Sgf) || (format == Wthor && has_one_place),
        ),
        (
            Lost::Events,
            is_any(&[&headers.event]),
            matches!(format, Sgf | Wthor) || (format == Ggf && has_one_place),
        ),
        (
            Lost::Dates,
            is_any(&[&headers.date]),
            matches!(format, Ggf | Sgf) || (format == Wthor && year(&headers.date).is_some()),
        ),
        (Lost::Days, is_any(&[&headers.date]) && !is_year, format != Wthor),
        (
            Lost::Results,
            !tells_result || is_text || contradicts,
            keeps_result
                && ((format == Sgf && fits_words)
                    || (format == Ggf && !is_text)
                    || (format == Wthor && !is_forfeited && headers.result.score.is_some())),
        ),
        (Lost::NoResult, tells_result && !is_text && !entry.game.is_over(), format != Wthor),
        (Lost::Hours, has_hours, format != Sgf),
        (
            Lost::Clocks,
            black.is_some() || white.is_some(),
            format == Ggf || (format == Sgf && has_plain_clock),
        ),
        (
            Lost::Values,
            notes().any(|note| note.value.is_some()),
            format == Ggf || (format == Sgf && !has_valued_pass),
        ),
        (Lost::Times, notes().any(|note| note.time.is_some()), format == Ggf),
        (Lost::Comments, !headers.comments.is_empty(), format == Sgf),
        (Lost::Scores, !entry.scores.is_empty(), format == Obf),
        (
            Lost::Theoretical,
            entry.labels.is_some_and(|labels| labels.theoretical != labels.black_discs),
            !matches!(format, Ggf | Sgf | Obf | Transcript),
        ),
    ];
    kinds.into_iter().filter(|&(_, has, holds)| has && !holds).map(|(kind, ..)| kind)
}
