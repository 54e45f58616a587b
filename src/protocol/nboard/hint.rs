//! What NBoard shows of a hint: rows of the book and of the search.

use super::{book_row, moves, node_stats, value};
use crate::book::choice::BookLine;
use crate::protocol::Action;
use crate::protocol::session::Session;
use crate::search::{Bound, Line, Report};

#[derive(Default)]
pub(super) struct Hint {
    /// How many moves were asked for.
    pub n: usize,
    /// Whether the book was asked, which happens once it is unpacked.
    pub is_booked: bool,
    /// Of the last iteration that was sent.
    pub depth: u32,
    pub booked: Vec<(BookLine, String)>,
    pub is_searched: bool,
}

impl Hint {
    /// What the book says, once, as soon as the book is unpacked.
    pub fn ask_book(&mut self, session: &Session) -> Option<Action> {
        let book = session.options.engine.book.as_ref()?;
        if self.is_booked || !book.is_unpacked() {
            return None;
        }
        self.is_booked = true;
        let board = session.game.position().board;
        let row = |line: BookLine| (line.clone(), book_row(&line, board, session));
        self.booked = book.lines(board).into_iter().take(self.n).map(row).collect();
        let rows: String = self.booked.iter().map(|(_, row)| row.as_str()).collect();
        (!rows.is_empty()).then(|| Action::Reply(rows.into_bytes()))
    }

    /// `search` lines for a finished iteration on a board with `n_empties` empty squares, all with the same depth, and its node
    /// count. The front end keeps one row per move, so moves that the book knows better are left out.
    pub fn rows(&mut self, report: &Report, n_empties: u32) -> Vec<Action> {
        if !report.complete {
            return Vec::new();
        }
        self.depth = report.lines.first().map_or(0, |line| line.depth);
        let depth = depth(&report.lines, n_empties);
        let row = |line: &Line| {
            let (pv, value) = (moves(&line.pv), value(line.score, line.is_proven()));
            format!("search {pv} {value} 0 {depth}\n")
        };
        let known = |line: &Line| self.booked.iter().find(|(known, _)| known.mv() == line.mv);
        let is_news = |line: &&Line| {
            known(line).is_none_or(|(known, _)| {
                !known.is_at_least_as_deep_as(line.depth, line.selectivity, n_empties)
            })
        };
        let mut text: String = report.lines.iter().filter(is_news).map(row).collect();
        let has_news = !text.is_empty();
        // Only a row of another depth makes the front end drop the earlier ones; the book's row takes its place again.
        if !has_news
            && self.is_searched
            && let Some(line) = report.lines.first()
            && let Some((_, booked)) = known(line)
        {
            text = row(line) + booked;
        }
        self.is_searched = has_news;
        text += &(node_stats(report.nodes, report.elapsed) + "\n");
        vec![Action::Reply(text.into_bytes())]
    }
}

/// The depth that holds for all lines of an iteration, as the front end shows it: plies, a percentage for a search to the end,
/// `100%` for proven results, `100%W` for a proven winner. The front end drops rows whose depth is not the newest, and takes
/// everything with a percent sign for a search to the end.
pub(super) fn depth(lines: &[Line], n_empties: u32) -> String {
    let knows_winner = |line: &Line| match line.bound {
        Bound::Exact => line.exact,
        Bound::AtLeast => line.exact && line.score > 0,
        Bound::AtMost => line.exact && line.score < 0,
    };
    let plies = lines.iter().map(|line| line.depth).min().unwrap_or(0);
    let percent = lines.iter().map(|line| line.selectivity.percent()).min().unwrap_or(100);
    if lines.iter().all(Line::is_proven) {
        "100%".into()
    } else if lines.iter().all(knows_winner) {
        "100%W".into()
    } else if plies >= n_empties && percent < 100 {
        format!("{percent}%")
    } else {
        plies.to_string()
    }
}
