//! An analyzed game as a table.

use std::io::{self, Write};

use super::losing;
use crate::analyze::{Judged, Tally, exit, exit_text};
use crate::board::{Color, Move};
use crate::book::openings::Openings;
use crate::formats::archive::Entry;
use crate::score::{Score, discs, text};
use crate::support::text::printable;

const HEADING: &str =
    " ply  side   move   score   best   score   loss  class          depth  better line";

/// The line between the plies that the book knows and the others.
const BOOK_ENDS: &str = "      -- the book ends here --\n";

/// The most moves of the better line that are shown.
pub(super) const SHOWN_PV: usize = 8;

/// Writes the moves that lose this much or more, with their positions if a loss is given, and a line a side.
pub(super) fn write_table(
    output: &mut impl Write,
    entry: &Entry,
    judged: &[Judged],
    openings: &Openings,
    min_loss: Option<Score>,
) -> io::Result<()> {
    if let Some((name, moves)) = openings.of(&entry.game) {
        writeln!(output, "opening: {name} ({moves})")?;
    }
    if let Some(text) = exit_text(judged) {
        writeln!(output, "book: {text}")?;
    }
    writeln!(output, "{HEADING}")?;
    let exit_ply = exit(judged).map(|exit| exit.ply);
    for judged in losing(judged, min_loss) {
        let mark = if exit_ply == Some(judged.ply) { BOOK_ENDS } else { "" };
        writeln!(output, "{mark}{}", table_row(judged))?;
        if min_loss.is_some() {
            writeln!(output, "      {}", judged.before)?;
        }
    }
    for (color, label) in [(Color::Black, "black"), (Color::White, "white")] {
        let tally = Tally::new(judged, color);
        let name = printable(entry.headers.names[color.index()].trim());
        let name = if name.is_empty() { name } else { format!(" ({name})") };
        let (best, errors) = (tally.classes[0], tally.errors());
        writeln!(
            output,
            "{label}{name}: {best} best, {errors}, lost {:.2} discs, {:.2} a move",
            discs(tally.loss),
            tally.mean_loss()
        )?;
    }
    Ok(())
}

fn table_row(judged: &Judged) -> String {
    let best = &judged.best;
    let class = judged.class();
    let is_better = best.mv != judged.mv;
    let (class_text, loss) = match (judged.mv, class) {
        (Move::Pass, _) => (String::new(), String::new()),
        (_, class) => {
            let loss = text(judged.loss(), judged.is_exact()).replace('+', "");
            (format!("{} {}", class.name(), class.sign()), loss)
        }
    };
    let depth = if judged.is_exact() {
        "exact".into()
    } else {
        format!("{}@{}%", best.depth, best.selectivity.percent())
    };
    let (best_move, best_score, pv) = if is_better {
        let pv = best.pv.iter().take(SHOWN_PV).map(ToString::to_string).collect::<Vec<_>>();
        (best.mv.to_string(), text(best.score, best.is_proven()), pv.join(" "))
    } else {
        Default::default()
    };
    let line = format!(
        "{:>4}  {:<5}  {:<4} {:>7}   {best_move:<4} {best_score:>7} {loss:>6}  {class_text:<13} {depth:>6}  {pv}",
        judged.ply,
        judged.side().name(),
        judged.mv.to_string(),
        text(judged.score, judged.is_proven),
    );
    line.trim_end().into()
}
