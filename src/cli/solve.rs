//! `othellier solve`.

mod row;

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anstyle::Style;
use anyhow::ensure;
use clap::Args;
use serde_json::{Value, json};

use super::batch_options::BatchOptions;
use super::evaluation_options::EvaluationOptions;
use super::kept_rows::KeptRows;
use super::printer::Printer;
use super::unheard::end_unheard;
use super::{FAILED, SHOWN_ERRORS, from, misuse, number, progress, tell_of_more, warn};
use crate::batch::part::Summing;
use crate::batch::shard::Shard;
use crate::batch::{self, Pool};
use crate::files::games::{GameFile, STANDARD};
use crate::formats::archive::Format;
use crate::formats::obf::{Problem, read_line};
use crate::measure::solve::{Settings, Solver, Totals};
use crate::requests::row as rows;
use crate::score::{DISC, Score};
use crate::search::{Limits, Lines, Selectivity, Stop, TimeLimit, Window};
use crate::support::checksum::Checksum;
use row::HEADING;
pub(super) use row::Row;

#[derive(Debug, Args)]
#[command(
    after_help = "Positions are solved exactly unless --depth or --confidence is given. Nodes are tree nodes: positions \
    entered by a search function, and leaves of the last empties. Positions searched only to order moves are counted as probes.\n\n\
    Without --threads, all cores search, a position each; with it, positions are searched one by one. Each search begins with an \
    empty table, so rows come out the same, and in the same order, with any --concurrency. Seconds in the last line are those of \
    the searches, added up.\n\n\
    If FILE lists all moves of some positions, the last line but one summarizes these: by how many discs the chosen move is \
    worse than the best on average, and the mean of the score minus the best listed one.\n\n\
    With --window or --wld, a score outside of the window is a bound such as `>= 4`; it is wrong if the listed score breaks it, and a \
    move is wrong if the window tells its listed score from the best one.\n\n\
    Examples:\n  \
    othellier solve fforum-40-59.obf --threads 2 --hash 1024\n  \
    othellier solve fforum-40-59.obf --wld --resume solved.jsonl\n  \
    othellier solve 'OOOOOOOOOOOOOXXOOOOXXXOOOOXXOOOOXXXOOOOOXXXXOOOOX-OOOOO---OOOO-- X'"
)]
pub(super) struct Arguments {
    /// A file of positions in OBF or another format, one position (64 cells and the side to move), or the moves to it; - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Search D plies instead of to the end
    #[arg(long, value_name = "D", value_parser = number(1u32, 60))]
    depth: Option<u32>,
    /// Confidence of the search in percent: 73, 87, 95, 98, 99 or 100
    #[arg(long, value_name = "P", default_value_t = 100, value_parser = number(1u32, 100))]
    confidence: u32,
    /// Tell only scores between A and B discs for the side to move, and for others that they are not below B or not above A
    #[arg(long, value_name = "A,B", value_parser = window, allow_hyphen_values = true)]
    window: Option<Window>,
    /// Tell only who wins: `win`, `draw` or `loss` of the side to move
    #[arg(long, conflicts_with = "window")]
    wld: bool,
    /// Keep the rows in FILE, as JSON; the same command goes on behind them, after a kill too
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Search at most K positions
    #[arg(long, value_name = "K")]
    limit: Option<usize>,
    /// Skip the first K positions
    #[arg(long, value_name = "K", default_value_t = 0)]
    skip: usize,
    /// Stop each search after S seconds
    #[arg(long, value_name = "S", value_parser = number(0.001f64, 1e6))]
    time: Option<f64>,
    #[command(flatten)]
    batch: BatchOptions,
    /// Size of each search's transposition table in MiB
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = super::megabytes())]
    hash: usize,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    evaluation: EvaluationOptions,
}

impl Arguments {
    fn window(&self) -> Option<Window> {
        if self.wld { Window::new(-DISC, DISC) } else { self.window }
    }

    fn limits(&self) -> Limits {
        let selectivity = Selectivity::from_percent(self.confidence);
        let time = self.time.map(|seconds| TimeLimit::fixed(Duration::from_secs_f64(seconds)));
        let limits = match self.depth {
            Some(depth) => Limits::plies(depth, selectivity),
            None => Limits { exact_selectivity: selectivity, ..Limits::default() },
        };
        let lines = self.window().map_or(Lines::Best(1), Lines::Bounded);
        Limits { time, lines, ..limits }
    }
}

fn window(text: &str) -> Result<Window, String> {
    let bound = |text: &str| {
        let discs: f64 = text.trim().parse().ok()?;
        (-64.0..=64.0).contains(&discs).then(|| (discs * f64::from(DISC)).round() as Score)
    };
    let bounds = text.split_once(',').and_then(|(low, high)| Some((bound(low)?, bound(high)?)));
    bounds
        .and_then(|(low, high)| Window::new(low, high))
        .ok_or_else(|| "expected two numbers of discs from -64 to 64, the lower one first".into())
}

/// Moves stand for the position after them.
fn read(path: &Path) -> anyhow::Result<GameFile> {
    let game = path
        .to_str()
        .filter(|text| *text != STANDARD && !path.exists())
        .and_then(|text| from(text).ok());
    match game {
        Some(game) => {
            let position = game.position().to_string();
            Ok(GameFile::of("the game".into(), position.into(), Format::Obf))
        }
        None => GameFile::read_argument(path, None, None),
    }
}

/// The positions of a text, and how many bad lines it has.
fn problems(name: &str, text: &[u8]) -> (Vec<Problem>, usize) {
    let mut problems = Vec::new();
    let mut n_bad = 0;
    for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
        match read_line(line) {
            Ok(Some(problem)) => problems.push(problem),
            Ok(None) => {}
            Err(error) => {
                n_bad += 1;
                if n_bad <= SHOWN_ERRORS {
                    warn(&format!("{name} line {}: {error}", index + 1));
                }
            }
        }
    }
    tell_of_more(n_bad, name, &mut warn);
    (problems, n_bad)
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if arguments.batch.shard.is_some() && !arguments.json {
        return misuse("--shard needs --json, which othellier merge reads");
    }
    if arguments.resume.is_none() {
        end_unheard()?;
    }
    let file = read(&arguments.file)?;
    let text = file.positions()?;
    let (problems, n_bad) = problems(&file.name, &text);
    let limit = arguments.limit.unwrap_or(usize::MAX);
    let problems: Vec<_> = problems.into_iter().skip(arguments.skip).take(limit).collect();
    ensure!(n_bad > 0 || !problems.is_empty(), "{}: no positions to solve", file.name);
    let evaluation = arguments.evaluation.source()?;
    let settings = Settings {
        evaluation: &evaluation,
        limits: arguments.limits(),
        n_threads: arguments.batch.n_threads(),
        hash_megabytes: arguments.hash,
    };
    let batch = arguments.batch;
    let first = arguments.skip;
    let own: Vec<usize> =
        (0..problems.len()).filter(|index| batch.contains((first + index) as u64)).collect();
    let units = (first + problems.len()) as u64;
    let part = |batch: BatchOptions| batch.part(units, || Checksum::of(&text), || job(arguments));
    let (mut kept, mut held) = (None, Vec::new());
    if let Some(path) = &arguments.resume
        && let Some(part) = part(BatchOptions { shard: batch.shard.or(Some(Shard::ALL)), ..batch })?
    {
        let numbers = own.iter().map(|index| (first + index + 1) as u64);
        let (file, rows) = KeptRows::open(path, &part, numbers, |row: &Row| row.id)?;
        (kept, held) = (Some(file), rows);
    }
    let bar = progress::over(Some(own.len()), "positions");
    let mut printer = Printer::new(Summing::new(anstream::stdout()), arguments.json);
    let bold = Style::new().bold();
    printer.tell(format_args!("{bold}{HEADING}{bold:#}"))?;
    let mut totals = Totals::default();
    let n_held = held.len();
    let mut put = |row: &Row| -> anyhow::Result<()> {
        let text = row.text(arguments.wld);
        bar.suspend(|| printer.show(row, text).and_then(|()| printer.output.flush()))?;
        row.add_to(&mut totals);
        bar.inc(1);
        Ok(())
    };
    held.iter().try_for_each(&mut put)?;
    let stop = Stop::new();
    let pool = batch.pool(&stop);
    let pool = Pool { n_threads: pool.n_threads.clamp(1, own.len().max(1)), ..pool };
    let own = own.into_iter().skip(n_held);
    let work = |solver: &mut Solver<'_>, &index: &usize| Ok(Some(solver.solve(&problems[index])));
    let init = || Solver::new(settings);
    batch::run(own, pool, init, work, |index, solution| {
        let row = Row::new((first + index + 1) as u64, &problems[index], &solution);
        if let Some(kept) = &mut kept {
            kept.append(&row)?;
        }
        put(&row)?;
        Ok(ControlFlow::Continue(()))
    })?;
    bar.finish_and_clear();
    if let Some((loss, error)) = totals.means() {
        let n = totals.valued;
        printer.tell(format_args!(
            "moves: {n} positions, mean loss {loss:.3}, mean signed error {error:+.3}"
        ))?;
    }
    printer.show(&json_totals(&totals), totals)?;
    if let Some(part) = part(batch)? {
        let closing = part.closing_line(printer.output.sum)?;
        writeln!(printer.output, "{closing}")?;
    }
    Ok(if n_bad == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// The settings that determine the rows.
fn job(arguments: &Arguments) -> anyhow::Result<Value> {
    Ok(json!({
        "command": "solve",
        "version": env!("CARGO_PKG_VERSION"),
        "depth": arguments.depth,
        "confidence": arguments.confidence,
        "skip": arguments.skip,
        "limit": arguments.limit,
        "time": arguments.time,
        "window": arguments.window().map(Window::bounds),
        "threads": arguments.batch.n_threads(),
        "hash": arguments.hash,
        "evaluation": arguments.evaluation.name()?,
    }))
}

pub(super) fn json_totals(totals: &Totals) -> Value {
    json!({
        "positions": totals.positions,
        "nodes": totals.nodes,
        "probes": totals.ordering_nodes,
        "time": rows::time(totals.elapsed),
        "checked": totals.checked,
        "wrong_moves": totals.wrong_moves,
        "wrong_scores": totals.wrong_scores,
        "mae": totals.error / (totals.checked.max(1) as f64),
        "within3": totals.within_3,
        "valued": totals.valued,
        "mean_loss": totals.means().map(|(loss, _)| loss),
        "mean_signed_error": totals.means().map(|(_, error)| error),
    })
}
