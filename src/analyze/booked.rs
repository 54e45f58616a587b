//! A game beside an opening book: what the book would have played, and where the game left it.

use super::judged::{Booked, Judged, Tally};
use crate::board::{Color, Move};
use crate::book::Book;
use crate::book::choice::BookLine;
use crate::score::{discs, text};

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

/// The first ply whose position or move is not in the book; `None` if all are, or no book was asked.
pub fn exit(moves: &[Judged]) -> Option<&Judged> {
    moves.iter().find(|judged| match judged.booked {
        Booked::Unasked => false,
        Booked::Unknown => true,
        Booked::Known { knows_played, .. } => !knows_played,
    })
}

/// Where a game left the book, and what its moves lost until then, in words; `None` if no book was asked.
pub fn exit_text(moves: &[Judged]) -> Option<String> {
    if moves.iter().all(|judged| judged.booked == Booked::Unasked) {
        return None;
    }
    let exit = exit(moves);
    let place = match exit.map(|exit| (exit, &exit.booked)) {
        None => "the game never left it".into(),
        Some((exit, Booked::Known { best, .. })) => {
            let value = text(best.score, best.is_proven());
            let (depth, percent) = (best.depth, best.selectivity.percent());
            format!(
                "left with ply {}, {}; it plays {} {value} (depth {depth}@{percent}%)",
                exit.ply, exit.mv, best.mv
            )
        }
        Some((Judged { ply: 1, .. }, _)) => "does not know the first position".into(),
        Some((exit, _)) => format!("ends before ply {}, {}", exit.ply, exit.mv),
    };
    let within = &moves[..exit.map_or(moves.len(), |exit| exit.ply - 1)];
    let tallies = [Color::Black, Color::White].map(|color| Tally::new(within, color));
    let lost = |color: Color| discs(tallies[color.index()].loss);
    let has_errors = tallies.iter().any(|tally| tally.n_moves() > tally.classes[0]);
    let loss = has_errors.then(|| {
        let (black, white) = (lost(Color::Black), lost(Color::White));
        format!("; in it black lost {black:.2} discs, white {white:.2}")
    });
    Some(place + &loss.unwrap_or_default())
}
