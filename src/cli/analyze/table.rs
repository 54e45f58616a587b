//! An analyzed game as a table.

use std::io::{self, Write};

use anstream::StripStream;
use anstyle::{AnsiColor, Style};

use super::losing;
use crate::analyze::{Class, Judged, Tally, exit, exit_text};
use crate::board::{Color, Move};
use crate::book::openings::Openings;
use crate::formats::Headers;
use crate::formats::archive::Entry;
use crate::game::Game;
use crate::score::{Score, discs, text};
use crate::search::Line;
use crate::support::text::{counted, printable};

const HEADING: &str =
    " ply  side   move   score   best   score   loss  class          depth  better line";

/// The line between the plies that the book knows and the others.
const BOOK_ENDS: &str = "      -- the book ends here --\n";

pub(super) const BEST: Style = AnsiColor::Green.on_default();

/// The most moves of a line that are shown.
const SHOWN_PV: usize = 8;

/// The table of an analyzed game, without colors.
pub(in crate::cli) fn table_of(game: &Game, judged: &[Judged]) -> String {
    let entry = Entry::of(game.clone(), Headers::default());
    let mut table = StripStream::new(Vec::new());
    // Nothing is written but into memory.
    drop(write_table(&mut table, &entry, judged, &Openings::default(), None, false));
    String::from_utf8_lossy(&table.into_inner()).into_owned()
}

/// Writes the moves that lose this much or more, with their positions if a loss is given, what their signs mean, and a line a side. Where
/// rows came as the moves were judged, it leaves them out.
pub(super) fn write_table(
    output: &mut impl Write,
    entry: &Entry,
    judged: &[Judged],
    openings: &Openings,
    min_loss: Option<Score>,
    has_rows: bool,
) -> io::Result<()> {
    if let Some((name, moves)) = openings.of(&entry.game) {
        writeln!(output, "opening: {name} ({moves})")?;
    }
    if let Some(text) = exit_text(judged) {
        writeln!(output, "{text}")?;
    }
    let exit_ply = exit(judged).map(|exit| exit.ply);
    let shown: Vec<&Judged> = losing(judged, min_loss).collect();
    if !has_rows {
        write!(output, "{}", heading())?;
        for judged in &shown {
            let mark = if exit_ply == Some(judged.ply) { BOOK_ENDS } else { "" };
            write!(output, "{mark}{}", table_row(judged, min_loss))?;
        }
    }
    if let Some(text) = legend(&shown) {
        writeln!(output, "      {text}")?;
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

pub(super) fn heading() -> String {
    let bold = Style::new().bold();
    format!("{bold}{HEADING}{bold:#}\n")
}

/// What the signs in the rows mean, as far as they occur.
fn legend(shown: &[&Judged]) -> Option<String> {
    let depth = shown.iter().find(|judged| !judged.is_exact()).map(|judged| {
        let (depth, percent) = (judged.best.depth, judged.best.selectivity.percent());
        let plies = counted(depth, "ply", "plies");
        format!("{}: {plies} deep at {percent}% confidence", depth_text(&judged.best, false))
    });
    let errors = Class::errors_in(shown);
    let errors = errors.map(|class| format!("{}: loses {} or more", class.sign(), class.least()));
    depth.into_iter().chain(errors).reduce(|all, text| format!("{all}; {text}"))
}

const fn style(class: Class) -> Style {
    match class {
        Class::Best => Style::new(),
        Class::Inaccuracy => AnsiColor::Yellow.on_default(),
        Class::Mistake => AnsiColor::Magenta.on_default(),
        Class::Blunder => AnsiColor::Red.on_default().bold(),
    }
}

pub(super) fn depth_text(line: &Line, is_exact: bool) -> String {
    if is_exact {
        return "exact".into();
    }
    format!("{}@{}%", line.depth, line.selectivity.percent())
}

pub(super) fn pv_text(line: &Line) -> String {
    line.pv.iter().take(SHOWN_PV).map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// A line, and one with the position before the move if a loss is given.
pub(super) fn table_row(judged: &Judged, min_loss: Option<Score>) -> String {
    let class = judged.class();
    let style = style(class);
    let (class_text, loss) = match judged.mv {
        Move::Pass => Default::default(),
        _ => (format!("{} {}", class.name(), class.sign()), judged.loss_text()),
    };
    let better =
        |best: &Line| (best.mv.to_string(), text(best.score, best.is_proven()), pv_text(best));
    let (best_move, best_score, pv) = judged.better().map(better).unwrap_or_default();
    let line = format!(
        "{:>4}  {:<5}  {:<4} {:>7}   {BEST}{best_move:<4}{BEST:#} {best_score:>7} {style}{loss:>6}  {class_text:<13}{style:#} {:>6}  {pv}",
        judged.ply,
        judged.side().name(),
        judged.mv.to_string(),
        text(judged.score, judged.is_proven),
        depth_text(&judged.best, judged.is_exact()),
    );
    let position = min_loss.map(|_| format!("      {}\n", judged.before));
    format!("{}\n{}", line.trim_end(), position.unwrap_or_default())
}
