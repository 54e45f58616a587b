//! A game beside an opening book: what the book would have played, and where the game left it.

use super::judged::{Booked, Judged};
use crate::board::Move;
use crate::book::Book;
use crate::score::text;
use crate::search::Line;

/// Asks a book about all moves of a game; passes are left out.
pub fn consult(book: &Book, moves: &mut [Judged]) {
    for judged in moves.iter_mut().filter(|judged| judged.mv != Move::Pass) {
        judged.booked = booked(book, judged);
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

/// Where a game left the book, in words; `None` if no book was asked.
pub fn exit_text(moves: &[Judged]) -> Option<String> {
    if moves.iter().all(|judged| judged.booked == Booked::Unasked) {
        return None;
    }
    let Some(exit) = exit(moves) else { return Some("the game never left it".into()) };
    Some(match &exit.booked {
        Booked::Known { best, .. } => {
            let value = text(best.score, best.is_proven());
            let (depth, percent) = (best.depth, best.selectivity.percent());
            format!(
                "left with ply {}, {}; it plays {} {value} (depth {depth}@{percent}%)",
                exit.ply, exit.mv, best.mv
            )
        }
        _ if exit.ply == 1 => "does not know the first position".into(),
        _ => format!("ends before ply {}, {}", exit.ply, exit.mv),
    })
}

/// What a book says of a move.
fn booked(book: &Book, judged: &Judged) -> Booked {
    let lines: Vec<Line> =
        book.lines(judged.before.board).iter().map(|line| line.to_line()).collect();
    let played = lines.iter().find(|line| line.mv == judged.mv);
    let Some(first) = lines.first() else { return Booked::Unknown };
    let best = played.filter(|played| played.score == first.score).unwrap_or(first);
    Booked::Known { best: best.clone(), knows_played: played.is_some() }
}
