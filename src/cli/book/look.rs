//! `othellier book show`, `stats` and `check`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, ensure};
use clap::Args;
use serde_json::json;

use super::grow::{SIDES, games};
use super::{consult, n_leaves, position};
use crate::board::{Board, Color, Position, Square};
use crate::book::growth::is_due;
use crate::book::memorize::{Tolerance, positions_to_know};
use crate::book::openings::Openings;
use crate::book::{After, Book, BookMove};
use crate::bookmaking::{Judged, judge};
use crate::cli::printer::Printer;
use crate::cli::screen;
use crate::cli::{FAILED, existing, from, number, one_of};
use crate::files::book::{Salvaged, create, salvage};
use crate::files::games::STANDARD;
use crate::files::replace::check_absent;
use crate::requests::row;
use crate::score::{DISC, Score, text};
use crate::support::text::counted;

#[derive(Debug, Args)]
#[command(
    after_help = "A row a move, the best first: score, the bounds between which the true score most likely lies, ways out of the book behind the \
    move, or `leaf` for a move that leads out of it at once, and the games with it that the mover won, drew and lost. Moves to positions \
    that nobody has searched have no score.\n\n\
    Example:\n  othellier book show my.othb f5d6c3d3c4"
)]
pub(super) struct Show {
    /// The book; - for the one that is part of the program
    #[arg(value_name = "FILE", default_value = STANDARD)]
    file: PathBuf,
    /// Moves from the start, or a position (64 cells and the side to move)
    #[arg(value_name = "MOVES", default_value = "")]
    position: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "From MOVES on, the player knows one move of each position, the one that needs least knowledge, and is ready for all good moves \
    of the opponent, until the book ends. A position that several orders of moves reach counts once. Loss 0 allows only the best move.\n\n\
    Example:\n  othellier book memorize f5f6e6f4 --side white --other-loss 2"
)]
pub(super) struct Memorize {
    /// The book; - for the one that is part of the program
    #[arg(value_name = "FILE", default_value = STANDARD)]
    file: PathBuf,
    /// Moves from the start, or a position (64 cells and the side to move)
    #[arg(value_name = "MOVES", default_value = "")]
    position: String,
    /// The player: black or white [default: the side to move]
    #[arg(long, value_name = "SIDE", value_parser = one_of(&SIDES))]
    side: Option<Color>,
    /// Discs that a move of the player may lose
    #[arg(long, value_name = "D", default_value_t = 1.0, value_parser = number(0.0f64, 128.0))]
    own_loss: f64,
    /// Discs that a move of the opponent may lose
    #[arg(long, value_name = "D", default_value_t = 1.0, value_parser = number(0.0f64, 128.0))]
    other_loss: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  othellier book stats my.othb")]
pub(super) struct Stats {
    /// The book; - for the one that is part of the program
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Compares all checksums, looks at every position and derives all values anew. Nothing is changed; --salvage writes what is sound into \
    another book. Positions are unsearched if nobody has searched moves that may be much better than those known: their scores decide nothing. \
    --compare counts the moves that the games play from positions of the book: good ones, bad ones (which lose two discs or more), \
    and those that the book does not know.\n\n\
    Examples:\n  othellier book check my.othb --salvage saved.othb\n  othellier book check my.othb --compare WTH_2025.wtb"
)]
pub(super) struct Check {
    /// The book
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write all that is sound into a new book, also of one that is cut off
    #[arg(long, visible_alias = "rescue", value_name = "OUT")]
    salvage: Option<PathBuf>,
    /// Overwrite an existing book with what is sound
    #[arg(long, requires = "salvage")]
    force: bool,
    /// Compare the moves of these games with the book
    #[arg(long, value_name = "GAMES", num_args = 1..)]
    compare: Vec<PathBuf>,
    /// Print the closing line as JSON
    #[arg(long)]
    json: bool,
}

/// The book and the position that a command names; moves alone ask the program's own book.
fn asked(file: &Path, moves: &str) -> anyhow::Result<(Arc<Book>, Position)> {
    let is_file = file.as_os_str() == STANDARD || file.exists();
    let alone = file.to_str().filter(|text| !is_file && moves.is_empty() && from(text).is_ok());
    let (file, moves) = alone.map_or((file, moves), |text| (Path::new(STANDARD), text));
    Ok((consult(file)?, position(moves)?))
}

pub(super) fn show(arguments: &Show) -> anyhow::Result<()> {
    let (book, position) = asked(&arguments.file, &arguments.position)?;
    let moves = book.moves(position.board);
    let unsearched = unsearched(&book, position.board, &moves);
    let mut output = screen();
    // A position that is not found may be in a damaged part.
    let damage = || book.damage().map_or(Ok(()), Err).context("what is shown may not be all");
    if arguments.json {
        writeln!(output, "{}", shown_as_json(&book, position, &moves, &unsearched))?;
        return damage();
    }
    if let Some(name) = Openings::default().name(position.board) {
        writeln!(output, "opening: {name}")?;
    }
    let Some(entry) = book.find(position.board) else {
        if book.damage().is_none() {
            writeln!(output, "not in the book")?;
        }
        return damage();
    };
    let [won, drawn, lost] = entry.games;
    if entry.games != [0; 3] {
        writeln!(output, "games: {won} won, {drawn} drawn, {lost} lost by {}", position.side)?;
    }
    if entry.settled().is_none() {
        writeln!(output, "unsearched: other moves may be much better")?;
    }
    for square in &unsearched {
        writeln!(output, "{:<5} unsearched", square.to_string())?;
    }
    if moves.is_empty() {
        return damage();
    }
    writeln!(output, "move    score    bounds      lines  won-drawn-lost")?;
    for mv in &moves {
        let value = text(mv.value.score.into(), mv.value.is_proven());
        let bounds = format!("{:+} {:+}", mv.value.lower, mv.value.upper);
        let lines = if mv.is_leaf { "leaf".into() } else { mv.lines.to_string() };
        let games = match games_after(&book, position.board, mv.square) {
            [0, 0, 0] => String::new(),
            [won, drawn, lost] => format!("  {won}-{drawn}-{lost}"),
        };
        writeln!(
            output,
            "{:<5} {value:>7}  {bounds:>8} {lines:>10}{games}",
            mv.square.to_string()
        )?;
    }
    let (squares, depth, selectivity) = book.variation(position.board);
    let squares: Vec<String> = squares.iter().map(ToString::to_string).collect();
    writeln!(output, "line: {} ({depth}@{}%)", squares.join(" "), selectivity.percent())?;
    damage()
}

pub(super) fn memorize(arguments: &Memorize) -> anyhow::Result<()> {
    let (book, position) = asked(&arguments.file, &arguments.position)?;
    let side = arguments.side.unwrap_or(position.side);
    let losses = [arguments.own_loss, arguments.other_loss];
    let [own, other] = losses.map(|discs| (discs * f64::from(DISC)).round() as Score);
    let tolerance = Tolerance { own, other };
    let n = positions_to_know(&book, position.board, side == position.side, tolerance).len();
    book.damage().map_or(Ok(()), Err).context("what is counted may not be all")?;
    let is_scored = unsearched(&book, position.board, &book.moves(position.board)).is_empty();
    ensure!(
        n > 0 || is_scored,
        "the moves here have no scores; othellier book add --search finds them"
    );
    let closing = json!({"position": position.to_string(), "side": side.name(), "own_loss": losses[0],
        "other_loss": losses[1], "positions": n});
    let positions = counted(n, "position", "positions");
    let text = format_args!("memorize: {positions} to know as {side}");
    Ok(Printer::new(screen(), arguments.json).show(&closing, text)?)
}

/// Games with a move that the mover won, drew and lost.
fn games_after(book: &Book, board: Board, square: Square) -> [u32; 3] {
    let after = After::play(board, square);
    let entry = after.board().and_then(|child| book.find(child));
    let [won, drawn, lost] = entry.map_or([0; 3], |entry| entry.games);
    if matches!(after, After::Same(_)) { [won, drawn, lost] } else { [lost, drawn, won] }
}

/// Moves that lead to positions of the book without a value.
fn unsearched(book: &Book, board: Board, moves: &[BookMove]) -> Vec<Square> {
    let is_unknown = |square: &Square| moves.iter().all(|mv| mv.square != *square);
    let is_there = |after: After| after.board().is_some_and(|child| book.find(child).is_some());
    board.moves().filter(|sq| is_unknown(sq) && is_there(After::play(board, *sq))).collect()
}

fn shown_as_json(
    book: &Book,
    position: Position,
    moves: &[BookMove],
    unsearched: &[Square],
) -> serde_json::Value {
    let (squares, depth, selectivity) = book.variation(position.board);
    let squares: Vec<String> = squares.iter().map(ToString::to_string).collect();
    let row = |mv: &BookMove| {
        json!({"move": mv.square.to_string(), "score": row::number(mv.value.score.into(), mv.value.is_proven()), "lower": mv.value.lower,
            "upper": mv.value.upper, "lines": mv.lines, "leaf": mv.is_leaf,
            "games": games_after(book, position.board, mv.square)})
    };
    let rows: Vec<_> = moves.iter().map(row).collect();
    let unsearched: Vec<String> = unsearched.iter().map(ToString::to_string).collect();
    let entry = book.find(position.board);
    json!({"position": position.to_string(), "in_book": entry.is_some(), "games": entry.map(|entry| entry.games),
        "unsearched": unsearched, "settled": entry.is_some_and(|entry| entry.settled().is_some()),
        "opening": Openings::default().name(position.board), "moves": rows, "pv": squares, "depth": depth,
        "confidence": selectivity.percent()})
}

pub(super) fn stats(arguments: &Stats) -> anyhow::Result<()> {
    let sections = consult(&arguments.file)?.sections()?;
    let n_due = sections.iter().filter(|entry| is_due(entry, &sections)).count();
    let n_proven =
        sections.iter().filter(|entry| entry.value.is_some_and(|value| value.is_proven())).count();
    let mut depths: BTreeMap<(u8, u32), usize> = BTreeMap::new();
    for leaf in sections.iter().filter_map(|entry| entry.leaf) {
        *depths.entry((leaf.depth, leaf.selectivity.percent())).or_default() += 1;
    }
    let by_empties: Vec<(u32, usize)> = sections
        .by_discs()
        .iter()
        .filter_map(|rows| Some((rows.first()?.board.n_empties(), rows.len())))
        .collect();
    let n_games = sections.fingerprints.len();
    let n_leaves = n_leaves(&sections);
    let n_positions = sections.len();
    let (mut by_depth, mut by_size, mut text) = (Vec::new(), Vec::new(), String::new());
    for ((depth, percent), n) in depths {
        by_depth.push(json!({"depth": depth, "confidence": percent, "positions": n}));
        text += &format!("\ndepth {depth}@{percent}%: {n}");
    }
    for (empties, n) in by_empties {
        by_size.push(json!({"empties": empties, "positions": n}));
        text += &format!("\nempties {empties}: {n}");
    }
    let all = json!({"positions": n_positions, "leaves": n_leaves, "due": n_due, "proven": n_proven,
        "games": n_games, "depths": by_depth, "empties": by_size});
    let text = format_args!(
        "positions: {n_positions}\nleaves: {n_leaves}\ndue: {n_due}\nproven: {n_proven}\ngames: {n_games}{text}"
    );
    Ok(Printer::new(screen(), arguments.json).show(&all, text)?)
}

pub(super) fn check(arguments: &Check) -> anyhow::Result<ExitCode> {
    if let Some(path) = &arguments.salvage {
        check_absent(path, existing(arguments.force))?;
    }
    let Salvaged { sections, mut faults, n_waiting } = salvage(&arguments.file)?;
    let derived = sections.clone().derived();
    // While changes wait in the journal, values may be out of date until the next compaction.
    if faults.is_empty() && n_waiting == 0 {
        let n_stale = sections.iter().zip(derived.iter()).filter(|(old, new)| old != new).count();
        if n_stale > 0 {
            faults.push(format!("{n_stale} scores do not follow from the facts"));
        }
    }
    let mut printer = Printer::new(screen(), arguments.json);
    for fault in &faults {
        writeln!(printer.output, "{fault}")?;
    }
    if let Some(path) = &arguments.salvage {
        create(path, existing(arguments.force), &derived)?;
    }
    let (n, n_faults) = (sections.len(), faults.len());
    let n_unsearched = derived.iter().filter(|entry| entry.settled().is_none()).count();
    let mut closing = json!({"positions": n, "unsearched": n_unsearched, "errors": n_faults});
    if n_unsearched > 0 {
        printer.tell(format_args!(
            "unsearched: {n_unsearched} positions, where other moves may be much better"
        ))?;
    }
    if !arguments.compare.is_empty() {
        let games = games(&arguments.compare)?;
        let Judged { good, bad, missing } = judge(&Book::of(derived.clone()), &games);
        closing["games"] =
            json!({"games": games.len(), "good": good, "bad": bad, "missing": missing});
        let n_games = games.len();
        printer.tell(format_args!(
            "games: {n_games}, moves: {good} good, {bad} bad, {missing} missing"
        ))?;
    }
    printer.show(&closing, format_args!("check: {n} positions, {n_faults} errors"))?;
    Ok(if n_faults == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}
