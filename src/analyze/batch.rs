//! Batch analysis: a position per line in, JSON per line out, for scripts that do not drive a protocol.

use crate::board::Position;
use crate::engine::{Effort, Searcher};
use crate::formats::obf;
use crate::requests::row::to_text;
use crate::requests::{Answer, Refusal, Unit};
use crate::search::{Lines, Stop};
use crate::support::text::unmarked;

/// The answer to a line as JSON: the result, or why the line is not a position. `None` for a blank line or a comment (`%`).
pub fn answer(
    searcher: &mut Searcher<'_>,
    id: usize,
    text: &[u8],
    n_lines: usize,
    effort: Effort,
) -> Result<Option<String>, String> {
    let position = match obf::read_line(text) {
        Ok(Some(problem)) => problem.position,
        Ok(None) => return Ok(None),
        Err(error) => {
            return Err(to_text(&Refusal { id: id.into(), message: error.to_string() }));
        }
    };
    let unit = Unit::listed(id.into(), position, Lines::Best(n_lines), effort);
    let board = unmarked(text).split(|byte| b";%".contains(byte)).next().unwrap_or_default();
    let unit = Unit { is_assumed: !Position::names_side(board), ..unit };
    // Earlier searches change nothing.
    searcher.clear();
    let outcome = unit.search(searcher, &Stop::new(), &mut |_, _| {});
    Ok(Some(to_text(&Answer::new(&unit, &outcome))))
}
