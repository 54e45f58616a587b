//! A game beside an opening book: what the book would have played, and where the game left it.

use super::judged::{Booked, Judged, Tally};
use crate::board::{Color, Move};
use crate::book::Book;
use crate::book::choice::BookLine;
use crate::score::{discs, text};
use crate::support::text::counted;

/// Asks a book about all moves of a game; passes are left out. Where the searches behind its values are deeper than the analysis, its
/// values of a move that it knows and of the best one replace those of the analysis.
pub fn consult(book: &Book, moves: &mut [Judged]) {
    for judged in moves.iter_mut().filter(|judged| judged.mv != Move::Pass) {
        let board = judged.before.board;
        let lines = book.lines(board);
        let Some(first) = lines.first() else {
            judged.booked = Booked::Unknown;
            continue;
        };
        let played = lines.iter().find(|line| line.mv() == judged.mv);
        let best = played.filter(|played| played.score() == first.score()).unwrap_or(first);
        let (depth, selectivity) = (judged.best.depth, judged.best.selectivity);
        let is_deep =
            |line: &&BookLine| line.is_at_least_as_deep_as(depth, selectivity, board.n_empties());
        if let Some(played) = played.filter(is_deep).filter(|_| is_deep(&best)) {
            judged.score = played.score();
            judged.is_proven = played.known.value.is_proven();
            judged.best = best.to_line();
        }
        judged.booked = Booked::Known { best: best.to_line(), knows_played: played.is_some() };
    }
}

/// The first ply whose position or move is not in the book; `None` if all are, no book was asked, or the first plies are not judged.
pub fn exit(moves: &[Judged]) -> Option<&Judged> {
    moves.first().filter(|first| first.ply == 1)?;
    moves.iter().find(|judged| match judged.booked {
        Booked::Unasked => false,
        Booked::Unknown => true,
        Booked::Known { knows_played, .. } => !knows_played,
    })
}

/// Where a game left the book, and what its moves lost until then, as a sentence; `None` if no book was asked, or not from the first ply.
pub fn exit_text(moves: &[Judged]) -> Option<String> {
    let is_asked = moves.iter().any(|judged| judged.booked != Booked::Unasked);
    moves.first().filter(|first| first.ply == 1 && is_asked)?;
    let exit = exit(moves);
    let place = match exit.map(|exit| (exit, &exit.booked)) {
        None => "The game never left the book".into(),
        Some((exit, Booked::Known { best, .. })) => {
            let value = text(best.score, best.is_proven());
            format!(
                "The game left the book at ply {}: it went on with {}, the book has {} ({value}, {} deep at {}% confidence)",
                exit.ply,
                exit.mv,
                best.mv,
                counted(best.depth, "ply", "plies"),
                best.selectivity.percent()
            )
        }
        Some((Judged { ply: 1, .. }, _)) => "The book does not know the first position".into(),
        Some((exit, _)) => format!("The book ends before ply {}, {}", exit.ply, exit.mv),
    };
    let within = &moves[..exit.map_or(moves.len(), |exit| exit.ply - 1)];
    let tallies = [Color::Black, Color::White].map(|color| Tally::new(within, color));
    let has_errors = tallies.iter().any(|tally| tally.n_moves() > tally.classes[0]);
    let loss = has_errors.then(|| {
        let [black, white] = tallies.map(|tally| discs(tally.loss));
        format!("; until then Black lost {black:.2} discs and White {white:.2}")
    });
    Some(format!("{place}{}.", loss.unwrap_or_default()))
}
