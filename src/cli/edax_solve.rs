//! `-solve FILE` as Edax answers it, for programs that cut its columns. `solve` is our own form of it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Args;

use super::{FAILED, cores, logging, megabytes, number, threads, warn};
use crate::board::Position;
use crate::engine::Pace;
use crate::engine::level::MAX_LEVEL;
use crate::evaluation::Evaluation;
use crate::formats::obf::{self, Problem};
use crate::journal::{Entry, Recorder};
use crate::measure::solve::{Settings, Solution, Solver, Totals};
use crate::protocol::edax::LEVEL;
use crate::protocol::edax::screen::{self, HEADER, RULE, WIDTH};
use crate::search::{Bound, Line, Report};

/// Columns of a row after the problem's number.
const ROW_WIDTH: usize = WIDTH - 4;

/// Options of `-solve`.
#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(super) struct Arguments {
    /// A file of positions, each answered as soon as its line is read
    file: PathBuf,
    /// Search effort, 1 to 60
    #[arg(long, short, default_value_t = LEVEL, value_parser = number(1, MAX_LEVEL))]
    level: u32,
    /// Plies to search; overrides the level
    #[arg(long, value_parser = number(1, MAX_LEVEL))]
    depth: Option<u32>,
    /// Time for each position in seconds
    #[arg(long, value_name = "SECONDS", value_parser = number(0.001, 1e6))]
    time: Option<f64>,
    /// Search threads [default: one per core]
    #[arg(long, value_parser = threads())]
    threads: Option<usize>,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 128, value_parser = megabytes())]
    hash: usize,
    /// 0 prints the total only, 1 a row for each position, 2 the position and each iteration
    #[arg(long, default_value_t = 1)]
    verbose: u32,
    /// Log the lines of the file and the answers to the end of this file
    #[arg(long)]
    log_file: Option<PathBuf>,
}

/// The output, which a log may hear.
struct Heard<W>(W, Recorder);

impl<W: Write> Write for Heard<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write_all(bytes)?;
        for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            self.1.note(|| Entry::Output(line.to_vec()));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let name = arguments.file.display().to_string();
    let input: Box<dyn Read> = match name.as_str() {
        "-" | "/dev/stdin" => Box::new(std::io::stdin()),
        _ => Box::new(File::open(&arguments.file).with_context(|| {
            format!("obf_test: cannot open Othello Position Description's file {name}")
        })?),
    };
    let Arguments { level, depth, .. } = *arguments;
    let limits = Pace { depth, ..Pace::level(level) }.limits();
    let limits = match arguments.time {
        Some(seconds) => limits.within(Duration::from_secs_f64(seconds)),
        None => limits,
    };
    let settings = Settings {
        evaluation: Evaluation::embedded(),
        limits,
        n_threads: arguments.threads.unwrap_or_else(cores),
        hash_megabytes: arguments.hash,
    };
    let mut solver = Solver::new(settings)?;
    let (recorder, log_failure) = logging::start(arguments.log_file.as_deref(), None)?;
    // A line at a time.
    let mut output = std::io::LineWriter::new(Heard(std::io::stdout(), recorder.clone()));
    let mut totals = Totals::default();
    let (mut number, mut n_bad, mut is_solved) = (0, 0, true);
    if arguments.verbose == 1 {
        writeln!(output, " # |{HEADER}\n---+{RULE}")?;
    }
    for line in BufReader::new(input).split(b'\n') {
        let line = line?;
        recorder.note(|| Entry::Input(line.clone()));
        let Some(problem) = read(&line, &mut n_bad) else { continue };
        number += 1;
        let solution = answer(&mut solver, number, &problem, arguments.verbose, &mut output)?;
        output.flush()?;
        totals.positions += 1;
        totals.nodes += solution.outcome.nodes;
        totals.elapsed += solution.outcome.elapsed;
        solution.check.into_iter().for_each(|check| totals.add_check(check));
        is_solved &= solution.outcome.best().is_none_or(Line::is_proven);
    }
    if arguments.verbose == 1 {
        writeln!(output, "---+{RULE}")?;
    }
    let short: String = name.chars().take(30).collect();
    let time = screen::short_time(totals.elapsed);
    let speed = u128::from(totals.nodes) * 1000 / totals.elapsed.as_millis().max(1);
    writeln!(
        output,
        "{short}: {} nodes in {time} (cpu = {time}) ({speed:8} nodes/s).",
        totals.nodes
    )?;
    let is_wrong = totals.wrong_moves + totals.wrong_scores > 0;
    if is_wrong && (arguments.verbose > 0 || is_solved) {
        let n = totals.positions as f64;
        writeln!(
            output,
            "{} positions; {} erroneous move; {} erroneous score; mean absolute score error = {:.3}; mean absolute move error = {:.3}",
            totals.positions,
            totals.wrong_moves,
            totals.wrong_scores,
            totals.error / n,
            totals.loss as f64 / n
        )?;
    }
    output.flush()?;
    if let Some((text, _)) = log_failure.get() {
        anyhow::bail!("{text}");
    }
    Ok(if n_bad == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// A position that is listed with moves that are none is a position all the same, but a bad line.
fn read(line: &[u8], n_bad: &mut u32) -> Option<Problem> {
    match obf::read_line(line) {
        Ok(problem) => problem,
        Err(error) => {
            *n_bad += 1;
            let position = line.split(|&byte| byte == b';').next().map(Position::parse_any);
            let problem = position?.ok().map(|position| Problem { position, scores: Vec::new() });
            let fate = if problem.is_some() { "its scores do not count" } else { "left out" };
            let text = String::from_utf8_lossy(line);
            warn(&format!("{fate}: {error} in {}", text.trim()));
            problem
        }
    }
}

/// Solves a problem and prints what there is to print for it.
fn answer(
    solver: &mut Solver<'_>,
    number: usize,
    problem: &Problem,
    verbose: u32,
    output: &mut impl Write,
) -> anyhow::Result<Solution> {
    let side = problem.position.side;
    let row = |line: &Line, report: &Report| {
        screen::row(line, side, report.nodes, report.elapsed, ROW_WIDTH)
    };
    if verbose >= 2 {
        let board = screen::problem(problem.position);
        writeln!(output, "\n*** problem # {number} ***\n\n{board}\n{HEADER}\n{RULE}")?;
    } else if verbose == 1 {
        write!(output, "{number:3}|")?;
    }
    let mut rows = Vec::new();
    let mut n_nodes = None;
    let solution = solver.solve_and_report(problem, &mut |report| {
        if let Some(line) = report.lines.first().filter(|_| report.complete) {
            rows.push(row(line, report));
            n_nodes = Some(report.nodes);
        }
    });
    let report = Report::from(solution.outcome.clone());
    // At the end of a game there is nothing to search, only a result.
    let over = solution.outcome.final_score.map(|score| Line {
        pv: Vec::new(),
        ..Line::new(crate::board::Move::Pass, score, Bound::Exact, 0)
    });
    let last = row(report.lines.first().or(over.as_ref()).context("nothing to print")?, &report);
    let error = erroneous(problem, &solution);
    let is_solved = solution.outcome.best().is_some_and(Line::is_proven);
    if verbose >= 2 {
        // The last iteration may have ended the search.
        if n_nodes == Some(solution.outcome.nodes) {
            rows.pop();
        }
        rows.push(last);
        writeln!(output, "{}\n{error}\n{RULE}", rows.join("\n"))?;
    } else if verbose == 1 || (is_solved && !error.is_empty()) {
        writeln!(output, "{last}{error}")?;
    }
    Ok(solution)
}

/// What a row says of a move or a score that is not the listed one.
fn erroneous(problem: &Problem, solution: &Solution) -> String {
    let (Some(check), Some(best), Some(line)) =
        (solution.check, problem.best_score(), solution.outcome.best())
    else {
        return String::new();
    };
    let Some(listed) = problem.score_of(line.mv) else { return String::new() };
    if !check.is_best_move {
        let good = problem.scores.iter().filter(|(_, score)| *score == best);
        let moves: String = good.map(|(mv, _)| format!("{mv:#} ")).collect();
        return format!(
            " Erroneous move: {moves}expected, with score {best:+}, error = {:+}",
            best - listed
        );
    }
    if screen::whole(line.score) == best {
        return String::new();
    }
    format!(" Erroneous score: {best:+} expected")
}
