//! `othellier analyze`.

mod outputs;
mod table;

use std::fs;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anstyle::Style;
use anyhow::{bail, ensure};
use clap::Args;
use encoding_rs::Encoding;
use serde_json::json;

use super::batch_options::BatchOptions;
use super::book_options::BookOptions;
use super::evaluation_options::EvaluationOptions;
use super::unheard::end_unheard;
use super::{
    FAILED, INTERRUPTED, SHOWN_ERRORS, existing, formats, from, misuse, number, progress,
    stop_on_signal, tell_of_more, warn,
};
use crate::analyze::{Analyst, Class, INDEX, Judged, Row, Settings, Summary, batch, consult, row};
use crate::batch::part::Summing;
use crate::batch::run as run_batch;
use crate::board::{Move, Position};
use crate::book::Book;
use crate::book::openings::Openings;
use crate::clock;
use crate::engine::Searcher;
use crate::evaluation::Evaluation;
use crate::files::games::{GameFile, encoding, looks_like_moves};
use crate::files::replace::{NewFile, check_writable};
use crate::formats::archive::{Entry, EntryError, Format};
use crate::formats::obf::Problem;
use crate::requests::row::to_text;
use crate::requests::{Answer, DEFAULT_TIME, Unit};
use crate::score::{DISC, Score, text};
use crate::search::{Lines, Stop};
use crate::support::checksum::Checksum;
use crate::support::text::counted;
use outputs::Outputs;
pub(super) use table::table_of;
use table::{BEST, depth_text, heading, pv_text, table_row, write_table};

#[derive(Debug, Args)]
#[command(
    override_usage = "othellier analyze [OPTIONS] <GAME>\n       \
    othellier analyze --batch [OPTIONS] [FILE]\n       \
    othellier analyze --summary [OPTIONS] <FILE>...",
    after_help = "Moves are classed by the discs they lose: inaccuracy ?! (1 or more), mistake ? (4), blunder ?? (8). Scores are in \
    discs for the side to move; those without decimals are exact.\n\n\
    With --batch, each position, one a line, is answered at once with a line of JSON; of games there is a line for each move, or the files of \
    --ggf, --sgf, --obf and --html. --summary tells what players lost, by opening and by part of the game; it also reads what --batch printed.\n\n\
    Examples:\n  \
    othellier analyze game.ggf\n  \
    othellier analyze f5d6c3d3c4f4f6f3e6e7 --time 2\n  \
    othellier analyze --lines 3 '---------------------------OX------XO--------------------------- X'\n  \
    othellier analyze WTH_2024.wtb --game 17 --html game.html\n  \
    othellier analyze --batch games.ggf --sgf judged.sgf --html pages\n  \
    othellier analyze --batch --depth 12 < positions.txt > scores.jsonl\n  \
    othellier analyze --summary --depth 8 WTH_2024.wtb --html 2024.html"
)]
pub(super) struct Arguments {
    /// A file of games or positions in any format, moves, or a position; - for standard input
    #[arg(value_name = "GAME", required_unless_present = "batch")]
    files: Vec<PathBuf>,
    /// Analyze the Kth game of the file [default: 1]
    #[arg(long, value_name = "K", value_parser = number(1usize, usize::MAX), conflicts_with = "batch")]
    game: Option<usize>,
    /// Analyze all games or positions of a file or of standard input
    #[arg(long)]
    batch: bool,
    /// Summarize all games: players, openings, the worst moves
    #[arg(long, conflicts_with_all = ["batch", "game", "lines", "min_loss", "ggf", "sgf", "obf", "shard"])]
    summary: bool,
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
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = super::megabytes())]
    hash: usize,
    /// Format of the file
    #[arg(long, value_name = "FORMAT", value_parser = formats(), requires = "files")]
    format: Option<Format>,
    /// Encoding of the file, such as shift_jis
    #[arg(long, value_name = "NAME", value_parser = encoding, requires = "files")]
    encoding: Option<&'static Encoding>,
    /// Print one JSON object per move, one per line
    #[arg(long)]
    json: bool,
    /// List only moves that lose D discs or more, with their positions
    #[arg(long, value_name = "D", value_parser = loss)]
    min_loss: Option<Score>,
    /// Write the game in GGF with the value of each move for the mover
    #[arg(long, value_name = "FILE", conflicts_with = "shard")]
    ggf: Option<PathBuf>,
    /// Write the game in SGF with values for Black, marked errors and comments
    #[arg(long, value_name = "FILE", conflicts_with = "shard")]
    sgf: Option<PathBuf>,
    /// Write positions before mistakes (or --min-loss), with all scores, in OBF
    #[arg(long, value_name = "FILE", conflicts_with = "shard")]
    obf: Option<PathBuf>,
    /// Write an HTML page with a graph and a board; with --batch a folder of pages
    #[arg(long, value_name = "FILE", conflicts_with = "shard")]
    html: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    evaluation: EvaluationOptions,
    #[command(flatten)]
    book: BookOptions,
}

impl Arguments {
    fn needs_games(&self) -> bool {
        self.min_loss.is_some() || self.makes_files()
    }

    fn makes_files(&self) -> bool {
        [&self.ggf, &self.sgf, &self.obf, &self.html].into_iter().any(Option::is_some)
    }
}

fn loss(text: &str) -> Result<Score, String> {
    let discs: Option<f64> = text.parse().ok();
    let discs = discs.filter(|discs| (0.0..=128.0).contains(discs));
    discs
        .map(|discs| (discs * f64::from(DISC)).round() as Score)
        .ok_or_else(|| "expected a number of discs from 0 to 128".into())
}

fn seconds(text: &str) -> Result<Duration, String> {
    clock::seconds(text)
        .filter(|time| !time.is_zero() && time.as_secs() < 1_000_000)
        .ok_or_else(|| "expected a number of seconds, such as 0.5".into())
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let is_one = !arguments.batch && !arguments.summary;
    if is_one && (arguments.pool.shard.is_some() || arguments.pool.concurrency.is_some()) {
        return misuse("--concurrency and --shard need --batch");
    }
    let several = arguments.files.len() > 1 && !arguments.summary;
    // Moves with blanks between them are one game.
    let words: Option<Vec<&str>> = arguments.files.iter().map(|path| path.to_str()).collect();
    let moves = words.filter(|_| several).map(|words| words.join(" "));
    let are_words = || {
        let first = arguments.files[0].to_str().is_some_and(looks_like_moves);
        first && !arguments.files.iter().any(|path| path.exists())
    };
    let moves = moves.filter(|moves| from(moves).is_ok() || are_words());
    if several && moves.is_none() {
        return misuse("several files need --summary");
    }
    let time = arguments.time.or(if arguments.depth.is_none() { Some(DEFAULT_TIME) } else { None });
    let settings = Settings {
        time,
        depth: arguments.depth,
        n_threads: arguments.pool.n_threads(),
        hash_megabytes: arguments.hash,
    };
    let evaluation = arguments.evaluation.source()?;
    let context = AnalyzeContext { arguments, settings, evaluation: &evaluation };
    if !arguments.makes_files() {
        end_unheard()?;
    }
    match moves.as_deref().map(Path::new).or(arguments.files.first().map(PathBuf::as_path)) {
        _ if arguments.summary => context.summary(),
        None => context.positions(BufReader::new(io::stdin()), None, "standard input"),
        Some(path) if arguments.batch => context.batch(path),
        Some(path) => context.game(path),
    }
}

struct AnalyzeContext<'a> {
    arguments: &'a Arguments,
    settings: Settings,
    evaluation: &'a Evaluation,
}

impl<'a> AnalyzeContext<'a> {
    fn analyst(&self) -> anyhow::Result<Analyst<'a>> {
        Analyst::new(self.settings, self.evaluation)
    }

    /// What `--obf` gets of a game.
    fn problems(&self, analyst: &mut Analyst<'_>, judged: &[Judged], stop: &Stop) -> Vec<Problem> {
        if self.arguments.obf.is_none() {
            return Vec::new();
        }
        let least = self.arguments.min_loss.unwrap_or(Class::Mistake.least_loss());
        let errors = losing(judged, Some(least)).filter(|judged| judged.mv != Move::Pass);
        // Of many games there is a bar already.
        let bar = (!self.arguments.batch).then(|| progress::over(None, "mistakes searched"));
        let errors = errors.inspect(|_| bar.iter().for_each(|bar| bar.inc(1)));
        let problems = errors.filter_map(|judged| analyst.problem(judged, least, stop)).collect();
        bar.iter().for_each(|bar| bar.finish_and_clear());
        problems
    }

    /// Answers each line of positions with a line of JSON; `n_lines` is the number of lines, if known. `name` is that of the input.
    fn positions(
        &self,
        mut input: impl BufRead + Send,
        n_lines: Option<usize>,
        name: &str,
    ) -> anyhow::Result<ExitCode> {
        let arguments = self.arguments;
        if arguments.book.is_named() {
            return misuse("--book applies to games, not to positions");
        }
        if arguments.needs_games() {
            return misuse("--min-loss and files to write apply to games, not to positions");
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
        let effort = self.settings.effort();
        let answer = |searcher: &mut Searcher<'_>, line: &io::Result<(usize, Vec<u8>)>| {
            let Ok((number, line)) = line else { return Ok(Some(Ok(None))) };
            Ok(Some(batch::answer(searcher, *number, line, n_moves, effort)))
        };
        let bar = progress::over(n_lines, "lines");
        let mut output = Summing::new(io::stdout());
        let (mut status, mut has_rows) = (ExitCode::SUCCESS, is_part);
        let stop = Stop::new();
        let pool = pool_options.pool(&stop);
        let init = || self.settings.searcher(self.evaluation);
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
            has_rows = true;
            // A caller may wait for this answer before sending the next position.
            bar.suspend(|| writeln!(output, "{answer}").and_then(|()| output.flush()))?;
            Ok(ControlFlow::Continue(()))
        })?;
        bar.finish_and_clear();
        ensure!(has_rows, "{name}: no positions in it");
        self.close(output.sum, n_read, || sum, || Ok(None))?;
        Ok(status)
    }

    /// Writes the last line of a part: checksum of its `rows`, number of `units` in all, checksum of the `input`, name of the `book`.
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

    fn batch(&self, path: &Path) -> anyhow::Result<ExitCode> {
        let file = read(self.arguments, path)?;
        if let Ok(text) = file.positions() {
            let n_lines = text.split(|&byte| byte == b'\n').count();
            return self.positions(&text[..], Some(n_lines), &file.name);
        }
        if self.arguments.lines.is_some() {
            return misuse("--lines applies to positions, not to a file of games");
        }
        self.games(&file, None)
    }

    fn summary(&self) -> anyhow::Result<ExitCode> {
        let arguments = self.arguments;
        let mut summary = Summary::default();
        let mut status = ExitCode::SUCCESS;
        if let Some(path) = &arguments.html {
            check_writable(path, existing(arguments.force))?;
        }
        for path in &arguments.files {
            let file = read(arguments, path)?;
            if file.bytes().starts_with(b"{\"") {
                summary.read(&file.name, &String::from_utf8_lossy(file.bytes()))?;
            } else if self.games(&file, Some(&mut summary))? != ExitCode::SUCCESS {
                status = ExitCode::from(FAILED);
            }
        }
        for missing in summary.missing() {
            warn(&format!("missing: {missing}"));
            status = ExitCode::from(FAILED);
        }
        if let Some(path) = &arguments.html {
            let names: Vec<_> =
                arguments.files.iter().filter_map(|path| path.file_name()?.to_str()).collect();
            let index = fs::read_to_string(path.with_file_name(INDEX)).unwrap_or_default();
            let page = summary.html(&names.join(", "), &self.settings.in_words(), &index);
            NewFile::save(path, existing(arguments.force), page.as_bytes())?;
        }
        if arguments.json {
            writeln!(io::stdout(), "{}", summary.json())?;
        } else {
            write!(super::screen(), "{}", summary.text())?;
        }
        Ok(status)
    }

    /// Analyzes all games of a file: to its outputs, or into a summary.
    fn games(
        &self,
        file: &GameFile,
        mut summary: Option<&mut Summary>,
    ) -> anyhow::Result<ExitCode> {
        let openings = Openings::default();
        let book = self.arguments.book.open()?;
        let mut output = Summing::new(BufWriter::new(io::stdout()));
        let mut files = Outputs::open(self.arguments, self.settings, &file.name)?;
        let is_summary = summary.is_some();
        let prints_rows = !is_summary && (!self.arguments.makes_files() || self.arguments.json);
        let (mut n_bad, mut n_empty, mut written) = (0, 0, Ok(()));
        let judge = |analyst: &mut Analyst<'_>, game: &Result<Entry, EntryError>| {
            let Ok(entry) = game else { return Ok(Some(Default::default())) };
            let mut judged = analyst.analyze(&entry.game, &Stop::new(), &mut |_| ());
            if let Some(book) = &book {
                consult(book, &mut judged);
            }
            let problems = self.problems(analyst, &judged, &Stop::new());
            Ok(Some((judged, problems)))
        };
        let bar = progress::over(None, "games");
        let stop = Stop::new();
        let pool = self.arguments.pool.pool(&stop);
        let init = || self.analyst();
        let mut n_all = 0;
        let mut reader = file.games()?;
        let games = reader.by_ref().filter(|_| {
            n_all += 1;
            self.arguments.pool.contains(n_all - 1)
        });
        run_batch(games, pool, init, judge, |entry, (judged, problems)| {
            bar.inc(1);
            match entry {
                Ok(entry) => {
                    n_empty += usize::from(judged.is_empty());
                    if written.is_ok() {
                        written = files.add(&entry, &judged, &problems, &openings);
                    }
                    if let Some(summary) = &mut summary {
                        rows(&entry, &judged, &openings, None)
                            .for_each(|row| summary.add(&file.name, row));
                    } else if prints_rows {
                        bar.suspend(|| {
                            let min_loss = self.arguments.min_loss;
                            rows(&entry, &judged, &openings, min_loss)
                                .try_for_each(|row| writeln!(output, "{row}"))?;
                            output.flush()
                        })?;
                    } else if written.is_err() {
                        return Ok(ControlFlow::Break(()));
                    }
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
        tell_of_more(n_bad, &file.name, &mut warn);
        if let Some(left_out) = reader.left_out() {
            warn(&format!("{}: left out: {left_out}", file.name));
        }
        if n_empty > 0 {
            let games = counted(n_empty, "game has", "games have");
            warn(&format!("{}: {games} no moves to analyze", file.name));
        }
        ensure!(n_all > 0, "{}: no games in it (read as {})", file.name, file.format);
        written.and_then(|()| files.finish())?;
        if !prints_rows && !is_summary {
            writeln!(io::stdout(), "analyze: {} games, {n_bad} errors", n_all as usize - n_bad)?;
        }
        let input = || Checksum::of(file.bytes());
        self.close(output.sum, n_all, input, || self.arguments.book.name())?;
        Ok(if n_bad == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
    }

    /// Analyzes one game of a file, or the position that is all of it.
    fn game(&self, path: &Path) -> anyhow::Result<ExitCode> {
        let arguments = self.arguments;
        let mut analyst = self.analyst()?;
        let book = arguments.book.open()?;
        let file = read(arguments, path)?;
        // Whether the files can be written is known before the analysis.
        let mut files = Outputs::open(arguments, self.settings, &file.name)?;
        let mut entries = file.games()?;
        let number = arguments.game.unwrap_or(1);
        let entry = match entries.by_ref().nth(number - 1) {
            Some(Ok(entry)) => entry,
            Some(Err(error)) => bail!("{}: {error}", file.name),
            None => {
                let left_out = entries.left_out().filter(|_| number == 1);
                let left_out =
                    left_out.map_or_else(String::new, |text| format!("; left out: {text}"));
                let (name, n_games, format) = (&file.name, file.games()?.count(), file.format);
                bail!(
                    "{name}: there is no game {number}, only {n_games} (read as {format}){left_out}"
                )
            }
        };
        if arguments.game.is_none() && entries.next().is_some() {
            warn(&format!(
                "{}: this is the first game; --game K takes another one, --batch all of them",
                file.name
            ));
        }
        if entry.game.plies().is_empty() {
            ensure!(
                !arguments.needs_games(),
                "{}: --min-loss and files to write need a game with moves",
                file.name
            );
            return self.position(entry.game.position());
        }
        if arguments.lines.is_some() {
            return misuse("--lines applies to positions, not to games");
        }
        let (stop, openings) = (stop_on_signal()?, Openings::default());
        let (is_json, min_loss) = (arguments.json, arguments.min_loss);
        // A terminal shows each move at once.
        let is_live = io::stdout().is_terminal();
        let mut output = anstream::stdout().lock();
        let json = |row| format!("{row}\n");
        let text = |judged: &Judged| table_row(judged, min_loss);
        let texts = |judged: &[Judged]| -> String {
            match is_json {
                true => rows(&entry, judged, &openings, min_loss).map(json).collect(),
                false => losing(judged, min_loss).map(text).collect(),
            }
        };
        let heading = if is_live && !is_json { heading() } else { String::new() };
        let mut told = write!(output, "{heading}");
        let judged = with_progress(&mut analyst, &entry, book.as_deref(), &stop, &mut |judged| {
            if is_live && told.is_ok() {
                told = write!(output, "{}", texts(std::slice::from_ref(judged)));
            }
        });
        let Some(first) = judged.first() else {
            warn("interrupted: no ply is judged");
            return Ok(ExitCode::from(INTERRUPTED));
        };
        // Work that is done is shown, even where the files do not fit.
        let problems = self.problems(&mut analyst, &judged, &stop);
        let lacks_problems = arguments.obf.is_some() && stop.is_stopped();
        let written = files.add(&entry, &judged, &problems, &openings);
        let written = written.and_then(|()| files.finish());
        if let Some(left_out) = entries.left_out() {
            warn(&format!("{}: left out: {left_out}", file.name));
        }
        told?;
        match (is_json, is_live) {
            (true, true) => {}
            (true, false) => write!(output, "{}", texts(&judged))?,
            _ => write_table(&mut output, &entry, &judged, &openings, min_loss, is_live)?,
        }
        if first.ply == 1 && !lacks_problems {
            return written.map(|()| ExitCode::SUCCESS);
        }
        let last = entry.game.plies().len();
        let lack = if lacks_problems { "; positions to practise with are missing" } else { "" };
        warn(&format!("interrupted: plies {} to {last} are judged{lack}", first.ply));
        written.map(|()| ExitCode::from(INTERRUPTED))
    }

    /// The moves of a position, the best one first.
    fn position(&self, position: Position) -> anyhow::Result<ExitCode> {
        let n_moves = self.arguments.lines.unwrap_or(usize::MAX);
        let unit = Unit::listed(1.into(), position, Lines::Best(n_moves), self.settings.effort());
        let mut searcher = self.settings.searcher(self.evaluation)?;
        let outcome = unit.search(&mut searcher, &Stop::new(), &mut |_, _| {});
        let mut output = anstream::stdout().lock();
        if self.arguments.json {
            writeln!(output, "{}", to_text(&Answer::new(&unit, &outcome)))?;
            return Ok(ExitCode::SUCCESS);
        }
        if let Some(score) = outcome.final_score {
            writeln!(output, "the game is over: {} for {}", text(score, true), position.side)?;
            return Ok(ExitCode::SUCCESS);
        }
        writeln!(output, "{} to move\nmove    score   depth  line", position.side)?;
        for (at, line) in outcome.lines.iter().enumerate() {
            let style = if at == 0 { BEST } else { Style::new() };
            let (mv, depth) = (line.mv.to_string(), depth_text(line, line.is_proven()));
            let score = text(line.score, line.is_proven());
            writeln!(output, "{style}{mv:<4}{style:#} {score:>8} {depth:>7}  {}", pv_text(line))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The argument may be the game itself.
fn read(arguments: &Arguments, path: &Path) -> anyhow::Result<GameFile> {
    let file = GameFile::read_argument(path, arguments.format, arguments.encoding)?;
    file.missing_names().iter().for_each(|text| warn(text));
    Ok(file)
}

/// Judges a game, with values of a book; `on_ply` gets each move at once.
fn with_progress(
    analyst: &mut Analyst<'_>,
    entry: &Entry,
    book: Option<&Book>,
    stop: &Stop,
    on_ply: &mut dyn FnMut(&Judged),
) -> Vec<Judged> {
    let n_plies = entry.game.plies().len() as u32;
    // With the position after the last ply.
    let time = analyst.time().map(|time| time * (n_plies + 1));
    let bar = progress::bar("plies", Some(n_plies.into()), time);
    bar.set_message(format!("game {}", entry.number));
    let mut all = Vec::new();
    analyst.analyze(&entry.game, stop, &mut |judged| {
        let mut judged = vec![judged.clone()];
        if let Some(book) = book {
            consult(book, &mut judged);
        }
        bar.inc(1);
        bar.suspend(|| on_ply(&judged[0]));
        all.append(&mut judged);
    });
    bar.finish_and_clear();
    all.reverse();
    all
}

fn rows<'a>(
    entry: &'a Entry,
    judged: &'a [Judged],
    openings: &'a Openings,
    min_loss: Option<Score>,
) -> impl Iterator<Item = Row> + 'a {
    let names = openings.names(&entry.game);
    let opening = move |ply: usize| names.get(ply - 1).copied().flatten();
    losing(judged, min_loss).map(move |judged| row(entry, judged, opening(judged.ply)))
}

fn losing(judged: &[Judged], min_loss: Option<Score>) -> impl Iterator<Item = &Judged> {
    judged.iter().filter(move |judged| min_loss.is_none_or(|least| judged.loss() >= least))
}
