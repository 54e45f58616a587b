//! An analyzed game in a format that front ends show: values, marks and comments.

use super::judged::{Class, Judged, Tally, of_ply};
use crate::board::{Color, Move};
use crate::formats::archive::Entry;
use crate::formats::obf::{self, Problem};
use crate::formats::{Headers, ggf, sgf};
use crate::game::{Game, Note};
use crate::score::{discs, text};

/// The game in GGF on one line without a line end. The value of each move is its score for the mover; times are kept.
pub fn ggf(game: &Game, headers: &Headers, moves: &[Judged]) -> String {
    ggf::write(&with_values(game, moves), headers)
}

/// The game in SGF without a line end: the value of each move for Black (`V`), marks for errors (`DO` for an inaccuracy,
/// `BM[1]` for a mistake, `BM[2]` for a blunder), and comments that name better moves behind the comments of the file.
pub fn sgf(game: &Game, headers: &Headers, moves: &[Judged]) -> String {
    let mut headers = headers.clone();
    // The comments of an earlier analysis make way for those of this one.
    for (_, text) in &mut headers.comments {
        let others: Vec<&str> = text.lines().filter(|line| !is_own(line)).collect();
        *text = others.join("\n");
    }
    headers.comments.push((0, summary(moves)));
    let mut n_discs = 0;
    for (number, ply) in (1..).zip(game.plies()) {
        n_discs += usize::from(ply.mv != Move::Pass);
        let judged = of_ply(moves, number).filter(|judged| judged.class() != Class::Best);
        headers.comments.extend(judged.map(|judged| (n_discs, comment(judged))));
    }
    sgf::write_marked(&with_values(game, moves), &headers, |at| {
        match of_ply(moves, at + 1).map_or(Class::Best, Judged::class) {
            Class::Best => "",
            Class::Inaccuracy => "DO[]",
            Class::Mistake => "BM[1]",
            Class::Blunder => "BM[2]",
        }
    })
}

fn with_values(game: &Game, moves: &[Judged]) -> Game {
    let mut valued = Game::new(game.start());
    for (number, ply) in (1..).zip(game.plies()) {
        // No value of the file stands beside those of the analysis, but for passes.
        let value = match ply.mv {
            Move::Pass => ply.note.value,
            _ => of_ply(moves, number).map(|judged| discs(judged.score)),
        };
        valued.play(ply.mv, Note { value, ..ply.note });
    }
    valued
}

/// A position of a game to practise with, in OBF without a line end; a comment names the game and the move.
pub fn obf(entry: &Entry, problem: &Problem) -> String {
    let plies = entry.game.plies();
    let at = plies.iter().position(|ply| ply.before == problem.position);
    let played = at.map_or_else(String::new, |at| format!(", ply {}: {}", at + 1, plies[at].mv));
    format!("{} % game {}{played}", obf::write(problem), entry.number)
}

/// Whether a line of a comment is one of those below.
fn is_own(line: &str) -> bool {
    let is_class = |class: Class| line.starts_with(&format!("{}, loses ", class.name()));
    line.ends_with(" discs lost a move")
        || [Class::Inaccuracy, Class::Mistake, Class::Blunder].into_iter().any(is_class)
}

fn summary(moves: &[Judged]) -> String {
    let line = |color: Color| {
        let tally = Tally::new(moves, color);
        format!("{}: {}, {:.2} discs lost a move", color.name(), tally.errors(), tally.mean_loss())
    };
    [Color::Black, Color::White].map(line).join("\n")
}

fn comment(judged: &Judged) -> String {
    let loss = judged.loss_text();
    let pv: Vec<String> = judged.best.pv.iter().map(ToString::to_string).collect();
    let best = text(judged.best.score, judged.best.is_proven());
    format!("{}, loses {loss}; better {best}: {}", judged.class().name(), pv.join(" "))
}
