//! `othellier analyze`.

use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{bail, ensure};
use clap::Args;
use encoding_rs::{Encoding, WINDOWS_1252};
use serde_json::json;

use super::batch_options::{BatchOptions, progress_over};
use super::book_options::BookOptions;
use super::evaluation_options::EvaluationOptions;
use super::{FAILED, SHOWN_ERRORS, USAGE, number, progress, warn};
use crate::analyze::{
    Analyst, DEFAULT_TIME, Judged, Settings, Tally, batch, consult, exit, exit_text, html, row,
};
use crate::batch::part::Summing;
use crate::batch::run as run_batch;
use crate::board::{Color, Move, Position};
use crate::book::Book;
use crate::book::openings::Openings;
use crate::clock;
use crate::evaluation::Evaluation;
use crate::files::games::{GameFile, STANDARD, encoding, format};
use crate::files::replace::{Existing, NewFile, check_absent};
use crate::formats::archive::{Entry, EntryError, Format};
use crate::formats::transcript;
use crate::page::printable;
use crate::score::{discs, text};
use crate::search::{Lines, Stop};
use crate::support::checksum::Checksum;

/// Arguments of `analyze`.
#[derive(Debug, Args)]
#[command(
    override_usage = "othellier analyze [OPTIONS] <FILE>\n       \
    othellier analyze --batch [OPTIONS] [FILE]",
    after_help = "Moves are classed by the discs they lose: best (less than 1), inaccuracy ?! (less than 4), mistake ? (less than 8), \
    blunder ?? (8 or more). Scores are in discs for the side to move; scores without decimals are exact.\n\n\
    With --batch and no file, each line of standard input is a position: 64 cells row by row from a1 (X or * black, O white, - or . empty), \
    a space and the side to move. Each is answered at once with one line of JSON. OBF files are answered the same way. For any \
    other file, --batch analyzes all games and prints one line of JSON per move.\n\n\
    Examples:\n  \
    othellier analyze game.ggf\n  \
    othellier analyze f5d6c3d3c4f4f6f3e6e7 --time 2\n  \
    othellier analyze --lines 3 '---------------------------OX------XO--------------------------- X'\n  \
    othellier analyze WTH_2024.wtb --game 17 --html game.html\n  \
    othellier analyze --batch --depth 12 < positions.txt > scores.jsonl"
)]
pub(super) struct Arguments {
    /// A game in GGF, SGF, WTHOR or as a move list, the moves themselves, or a position; with --batch also positions in OBF; - for standard input
    #[arg(value_name = "FILE", required_unless_present = "batch")]
    file: Option<PathBuf>,
    /// Analyze the Kth game of the file
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = number(1usize, usize::MAX), conflicts_with = "batch")]
    game: usize,
    /// Analyze all games or positions of a file, or positions from standard input
    #[arg(long)]
    batch: bool,
    /// Score the N best moves of a position [default: all]
    #[arg(long, value_name = "N", value_parser = number(1usize, 64))]
    lines: Option<usize>,
    /// Average seconds per move [default: 0.4, or no limit with --depth]
    #[arg(long, value_name = "S", value_parser = seconds)]
    time: Option<Duration>,
    /// Search N plies deep, without forward pruning
    #[arg(long, value_name = "N", value_parser = number(1u32, 60))]
    depth: Option<u32>,
    #[command(flatten)]
    pool: BatchOptions,
    /// Size of each search's transposition table in MiB
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = number(1usize, 64 << 10))]
    hash: usize,
    /// Format of the file [default: by content, else by extension]
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    from: Option<Format>,
    /// Encoding of the file, such as latin1, shift_jis or euc-jp [default: as the file says, else UTF-8]
    #[arg(long, value_name = "NAME", value_parser = encoding)]
    encoding: Option<&'static Encoding>,
    /// The same as --encoding latin1
    #[arg(long, conflicts_with = "encoding")]
    latin1: bool,
    /// Print one JSON object per move, one per line
    #[arg(long)]
    json: bool,
    /// Write an HTML page with an evaluation graph and a board to step through
    #[arg(long, value_name = "FILE", conflicts_with = "batch")]
    html: Option<PathBuf>,
    /// Overwrite an existing page
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    evaluation: EvaluationOptions,
    #[command(flatten)]
    book: BookOptions,
}

impl Arguments {
    fn encoding(&self) -> Option<&'static Encoding> {
        self.encoding.or(self.latin1.then_some(WINDOWS_1252))
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    clock::seconds(text)
        .filter(|time| !time.is_zero() && time.as_secs() < 1_000_000)
        .ok_or_else(|| "expected a number of seconds, such as 0.5".into())
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if !arguments.batch && (arguments.pool.shard.is_some() || arguments.pool.concurrency.is_some())
    {
        warn("--concurrency and --shard need --batch");
        return Ok(ExitCode::from(USAGE));
    }
    let time = arguments.time.or(if arguments.depth.is_none() { Some(DEFAULT_TIME) } else { None });
    let settings = Settings {
        time,
        depth: arguments.depth,
        n_threads: arguments.pool.n_threads(),
        hash_megabytes: arguments.hash,
    };
    let evaluation = arguments.evaluation.load()?;
    let desk = Desk { arguments, settings, evaluation: &evaluation };
    match &arguments.file {
        None => desk.positions(BufReader::new(io::stdin()), None),
        Some(path) if arguments.batch => desk.batch(path),
        Some(path) => game(arguments, path, desk.analyst()?),
    }
}

/// The settings shared by all searches.
struct Desk<'a> {
    arguments: &'a Arguments,
    settings: Settings,
    evaluation: &'a Evaluation,
}

impl<'a> Desk<'a> {
    fn analyst(&self) -> anyhow::Result<Analyst<'a>> {
        Analyst::new(self.settings, self.evaluation)
    }

    /// Answers each line of positions with a line of JSON; `n_lines` is the number of lines, if known.
    fn positions(
        &self,
        mut input: impl BufRead + Send,
        n_lines: Option<usize>,
    ) -> anyhow::Result<ExitCode> {
        if self.arguments.book.is_named() {
            warn("--book applies to games, not to positions");
            return Ok(ExitCode::from(USAGE));
        }
        let n_moves = self.arguments.lines.unwrap_or(usize::MAX);
        let pool_options = self.arguments.pool;
        let is_part = pool_options.shard.is_some();
        let (mut number, mut n_read, mut sum) = (0, 0, Checksum::new());
        let lines = std::iter::from_fn(|| {
            let mut line = Vec::new();
            number += 1;
            let read = input.read_until(b'\n', &mut line);
            (!matches!(read, Ok(0))).then(|| read.map(|_| (number, line)))
        });
        let lines = lines.inspect(|line| {
            if let Ok((_, line)) = line {
                if is_part {
                    sum.add(line);
                }
                n_read += 1;
            }
        });
        let lines = lines.filter(|line| {
            line.as_ref().map_or(true, |&(number, _)| pool_options.contains(number as u64 - 1))
        });
        let answer = |analyst: &mut Analyst<'_>, line: &io::Result<(usize, Vec<u8>)>| {
            let Ok((number, line)) = line else { return Ok(Some(Ok(None))) };
            Ok(Some(batch::answer(analyst, *number, line, n_moves)))
        };
        let bar = progress_over(n_lines, "lines");
        let mut output = Summing::new(io::stdout());
        let mut status = ExitCode::SUCCESS;
        let stop = Stop::new();
        let pool = pool_options.pool(&stop);
        let init = || self.analyst();
        run_batch(lines, pool, init, answer, |line, answer| {
            line?;
            bar.inc(1);
            let answer = match answer {
                Ok(None) => return Ok(ControlFlow::Continue(())),
                Ok(Some(answer)) => answer,
                Err(refusal) => {
                    status = ExitCode::from(FAILED);
                    refusal
                }
            };
            // A caller may wait for this answer before sending the next position.
            bar.suspend(|| writeln!(output, "{answer}").and_then(|()| output.flush()))?;
            Ok(ControlFlow::Continue(()))
        })?;
        bar.finish_and_clear();
        self.close(output.sum, n_read, || sum, || Ok(None))?;
        Ok(status)
    }

    /// If this run is a part, writes its last line, with the checksum of its `rows`, the number of `units` in all, the
    /// checksum of the `input` and the name of the `book`.
    fn close(
        &self,
        rows: Checksum,
        units: u64,
        input: impl FnOnce() -> Checksum,
        book: impl FnOnce() -> anyhow::Result<Option<String>>,
    ) -> anyhow::Result<()> {
        let arguments = self.arguments;
        let job = || {
            Ok(json!({
                "command": "analyze",
                "version": env!("CARGO_PKG_VERSION"),
                "depth": self.settings.depth,
                "time": self.settings.time.map(|time| time.as_secs_f64()),
                "lines": arguments.lines,
                "threads": self.settings.n_threads,
                "hash": self.settings.hash_megabytes,
                "evaluation": arguments.evaluation.name()?,
                "book": book()?,
            }))
        };
        if let Some(part) = arguments.pool.part(units, input, job)? {
            writeln!(io::stdout(), "{}", part.closing_line(rows)?)?;
        }
        Ok(())
    }

    /// Analyzes a file of positions or games.
    fn batch(&self, path: &Path) -> anyhow::Result<ExitCode> {
        let file = read(self.arguments, path)?;
        if file.format == Format::Obf {
            let n_lines = file.bytes().split(|&byte| byte == b'\n').count();
            return self.positions(file.bytes(), Some(n_lines));
        }
        if self.arguments.lines.is_some() {
            warn("--lines applies to positions, not to a file of games");
            return Ok(ExitCode::from(USAGE));
        }
        self.games(&file)
    }

    /// Analyzes all games of a file, with a line of JSON per move.
    fn games(&self, file: &GameFile) -> anyhow::Result<ExitCode> {
        let openings = Openings::default();
        let book = self.arguments.book.open()?;
        let mut output = Summing::new(BufWriter::new(io::stdout()));
        let mut n_bad = 0;
        let judge = |analyst: &mut Analyst<'_>, game: &Result<Entry, EntryError>| {
            let judge = |entry: &Entry| analyst.analyze(&entry.game, &mut || ());
            Ok(Some(game.as_ref().map_or_else(|_| Vec::new(), judge)))
        };
        let bar = progress_over(None, "games");
        let stop = Stop::new();
        let pool = self.arguments.pool.pool(&stop);
        let init = || self.analyst();
        let mut n_all = 0;
        let mut reader = file.games()?;
        let games = reader.by_ref().filter(|_| {
            n_all += 1;
            self.arguments.pool.contains(n_all - 1)
        });
        run_batch(games, pool, init, judge, |entry, mut judged| {
            bar.inc(1);
            match entry {
                Ok(entry) => {
                    if let Some(book) = &book {
                        consult(book, &mut judged);
                    }
                    bar.suspend(|| {
                        write_json(&mut output, &entry, &judged, &openings)?;
                        output.flush()
                    })?;
                }
                Err(error) => {
                    n_bad += 1;
                    if n_bad <= SHOWN_ERRORS {
                        bar.suspend(|| warn(&format!("{}: {error}", file.name)));
                    }
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        bar.finish_and_clear();
        if n_bad > SHOWN_ERRORS {
            warn(&format!("{}: {} more errors", file.name, n_bad - SHOWN_ERRORS));
        }
        if let Some(left_out) = reader.left_out() {
            warn(&format!("{}: left out: {left_out}", file.name));
        }
        ensure!(n_all > 0, "{}: no games in it (read as {})", file.name, file.format);
        let input = || Checksum::of(file.bytes());
        self.close(output.sum, n_all, input, || self.arguments.book.name())?;
        Ok(if n_bad == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
    }
}

/// Reads a file; a path that does not exist may be a move list itself.
fn read(arguments: &Arguments, path: &Path) -> anyhow::Result<GameFile> {
    if path.as_os_str() != STANDARD
        && !path.exists()
        && let Some(text) = path.to_str().filter(|text| !text.is_empty())
    {
        match transcript::read(text.as_bytes()) {
            Ok(_) => {
                let format = Some(Format::Transcript);
                return Ok(GameFile::from_text("the game".into(), text.into(), format));
            }
            Err(error) if looks_like_moves(text) => bail!("no file '{text}', and no game: {error}"),
            Err(_) => {}
        }
    }
    let file = GameFile::read(path, arguments.from, arguments.encoding())?;
    file.missing_names().iter().for_each(|text| warn(text));
    Ok(file)
}

/// Whether a text begins like a game and not like the name of a file.
fn looks_like_moves(text: &str) -> bool {
    let begins = text.as_bytes().get(..2).and_then(Move::parse).is_some();
    begins && !text.contains(['/', '\\', '.'])
}

fn game(arguments: &Arguments, path: &Path, mut analyst: Analyst<'_>) -> anyhow::Result<ExitCode> {
    let existing = if arguments.force { Existing::Replace } else { Existing::Keep };
    if let Some(page) = &arguments.html {
        check_absent(page, existing)?;
    }
    let book = arguments.book.open()?;
    let file = read(arguments, path)?;
    let mut entries = file.games()?;
    let entry = match entries.by_ref().nth(arguments.game - 1) {
        Some(Ok(entry)) => entry,
        Some(Err(error)) => bail!("{}: {error}", file.name),
        None => bail!(
            "{}: there is no game {}, only {} (read as {})",
            file.name,
            arguments.game,
            file.games()?.count(),
            file.format
        ),
    };
    if entry.game.plies().is_empty() {
        ensure!(arguments.html.is_none(), "{}: a page needs a game with moves", file.name);
        return position(arguments, entry.game.position(), analyst);
    }
    if arguments.lines.is_some() {
        warn("--lines applies to positions, not to games");
        return Ok(ExitCode::from(USAGE));
    }
    let judged = with_progress(&mut analyst, &entry, book.as_deref());
    let openings = Openings::default();
    if let Some(path) = &arguments.html {
        let opening = openings.of(&entry.game).map(|opening| opening.0);
        let page = html(&entry.game, &entry.headers, opening, &judged, &effort(arguments));
        let mut file = NewFile::create(path, existing)?;
        file.write_all(page.as_bytes())?;
        file.finish()?;
    }
    let mut output = io::stdout().lock();
    if arguments.json {
        write_json(&mut output, &entry, &judged, &openings)?;
    } else {
        write_table(&mut output, &entry, &judged, &openings)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows the moves of a position, the best first.
fn position(
    arguments: &Arguments,
    position: Position,
    mut analyst: Analyst<'_>,
) -> anyhow::Result<ExitCode> {
    let n_moves = arguments.lines.unwrap_or(usize::MAX);
    let mut output = io::stdout().lock();
    if arguments.json {
        let answer = batch::answer(&mut analyst, 1, position.to_string().as_bytes(), n_moves);
        let answer = answer.map_err(anyhow::Error::msg)?.unwrap_or_default();
        writeln!(output, "{answer}")?;
        return Ok(ExitCode::SUCCESS);
    }
    let outcome = analyst.examine(position.board, Lines::Best(n_moves));
    if let Some(score) = outcome.final_score {
        writeln!(output, "the game is over: {} for {}", text(score, true), position.side)?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(output, "{} to move\nmove    score   depth  line", position.side)?;
    for line in &outcome.lines {
        let pv = line.pv.iter().take(SHOWN_PV).map(ToString::to_string).collect::<Vec<_>>();
        let depth = format!("{}@{}%", line.depth, line.selectivity.percent());
        let depth = if line.is_proven() { "exact".into() } else { depth };
        let (mv, score) = (line.mv.to_string(), text(line.score, line.is_proven()));
        writeln!(output, "{mv:<4} {score:>8} {depth:>7}  {}", pv.join(" "))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A sentence on the search effort.
fn effort(arguments: &Arguments) -> String {
    let time = arguments.time.map(|time| format!("{} s per move", time.as_secs_f64()));
    match (arguments.depth, time) {
        (None, None) => format!("Searched for {} s per move.", DEFAULT_TIME.as_secs_f64()),
        (None, Some(time)) => format!("Searched for {time}."),
        (Some(depth), None) => format!("Searched {depth} plies deep."),
        (Some(depth), Some(time)) => format!("Searched {depth} plies deep, for at most {time}."),
    }
}

/// Analyzes a game with a progress bar, and asks the book about it.
fn with_progress(analyst: &mut Analyst<'_>, entry: &Entry, book: Option<&Book>) -> Vec<Judged> {
    let n_plies = entry.game.plies().len() as u64;
    let bar = progress(Some(n_plies), "{msg} {wide_bar} {pos}/{len} plies, {eta}");
    bar.set_message(format!("game {}", entry.number));
    bar.tick();
    let mut judged = analyst.analyze(&entry.game, &mut || bar.inc(1));
    if let Some(book) = book {
        consult(book, &mut judged);
    }
    bar.finish_and_clear();
    judged
}

fn write_json(
    output: &mut impl Write,
    entry: &Entry,
    judged: &[Judged],
    openings: &Openings,
) -> io::Result<()> {
    for (judged, opening) in judged.iter().zip(openings.names(&entry.game)) {
        writeln!(output, "{}", row(entry.number, judged, opening))?;
    }
    Ok(())
}

const HEADING: &str =
    " ply  side   move   score   best   score   loss  class          depth  better line";

/// The line between the plies that the book knows and the others.
const BOOK_ENDS: &str = "      -- the book ends here --\n";

/// The most moves of the better line that are shown.
const SHOWN_PV: usize = 8;

fn write_table(
    output: &mut impl Write,
    entry: &Entry,
    judged: &[Judged],
    openings: &Openings,
) -> io::Result<()> {
    if let Some((name, moves)) = openings.of(&entry.game) {
        writeln!(output, "opening: {name} ({moves})")?;
    }
    if let Some(text) = exit_text(judged) {
        writeln!(output, "book: {text}")?;
    }
    writeln!(output, "{HEADING}")?;
    let exit_ply = exit(judged).map(|exit| exit.ply);
    for judged in judged {
        let mark = if exit_ply == Some(judged.ply) { BOOK_ENDS } else { "" };
        writeln!(output, "{mark}{}", table_row(judged))?;
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
