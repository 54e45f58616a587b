//! `othellier train`.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;

use anyhow::{Context, ensure};
use clap::Args;
use indicatif::ProgressBar;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::priority::Priority;
use super::{number, progress};
use crate::evaluation::Evaluation;
use crate::evaluation::weights::{File, KIND, UNMEASURED, stored_checksum};
use crate::files::replace::{Existing, check_distinct, check_kind, check_writable, replace};
use crate::support::text::counted;
use crate::training::calibration::Calibration;
use crate::training::checkpoint::{Checkpoint, Pass};
use crate::training::compare::judge;
use crate::training::course::{self, Observer, Settings};
use crate::training::data::{Data, Example, Selection, canonical_hash, read_first_positions};
use crate::training::fit::{Loss, Model, corrected_mse, losses, round, total};
use crate::training::probcut::{self, Values, draw_boards, search_all};
use crate::training::provenance::{self, Making, Outcome};
use crate::training::unrounded;

#[derive(Debug, Args)]
#[command(
    after_help = "DATA are self-play files, or WTHOR files (.wtb), whose positions are scored by the result of their game. \
    Positions equal up to symmetry become one with the mean of their scores; proven scores take precedence over those of searches, \
    and these over results of WTHOR games. Passes write FILE.checkpoint, which takes up to a tenth of the time; after an interruption, the same command resumes from \
    there, with the same outcome. The last line shows the error in discs: on the hold-out file against the results of its games, \
    or else on the positions held back against their targets. \
    SOURCE_DATE_EPOCH, if set, dates the training record.\n\n\
    Example:\n  othellier train games.bin --hold-out test.bin --output weights.bin"
)]
pub(super) struct Arguments {
    /// Files of positions
    #[arg(value_name = "DATA", required = true)]
    data: Vec<PathBuf>,
    /// The weights file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Test on the first position of each game in this file, and exclude these positions from training
    #[arg(long, value_name = "FILE")]
    hold_out: Option<PathBuf>,
    /// Hold back one in N games; of their positions, those that occur in no other game are tested on; 0 for none
    #[arg(long, value_name = "N", default_value_t = 33)]
    hold_out_one_of: u64,
    /// Maximum number of passes over the data
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = number(1u32, 1000))]
    epochs: u32,
    /// Stop after N passes without a lower error on the positions held back
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = number(1u32, 1000))]
    patience: u32,
    /// Learning rate of the first pass
    #[arg(long, value_name = "R", default_value_t = 0.25, value_parser = number(0.0f64, 100.0))]
    rate: f64,
    /// Initial sum of squared gradients
    #[arg(long, value_name = "S", default_value_t = 200.0, value_parser = number(1f64, 1e9))]
    inertia: f64,
    /// Share of what followed in a target: 0 is the value of the search, 1 the value at the end of the line
    #[arg(long, value_name = "L", default_value_t = 0.7, value_parser = number(0f64, 1.0))]
    lambda: f64,
    /// Start from the weights in this file, and from FILE.unrounded beside it, which the training that made them left
    #[arg(long, value_name = "FILE")]
    init: Option<PathBuf>,
    /// Count what the weights of --init have learned as N passes over DATA: the larger, the less they change
    #[arg(long, value_name = "N", default_value_t = 0.0, requires = "init", value_parser = number(0f64, 1e6))]
    prior: f64,
    /// Positions to search to 8 plies for the tempo and the error model; 0 adds no tempo and keeps the error model of --init
    /// [default: 400, or 0 with --init]
    #[arg(long, value_name = "N")]
    measure: Option<usize>,
    /// Positions to keep in memory, 24 bytes each; of larger data, every pass reads all files again for each part
    #[arg(long, value_name = "N", default_value_t = 160_000_000, value_parser = number(1u64, 1 << 40))]
    memory: u64,
    /// Seed for all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    priority: Priority,
}

/// Positions searched for the error model of weights trained from scratch.
const MEASURED: usize = 400;

/// The fewest positions from which an error model is fitted.
const MIN_MEASURED: usize = 20;

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    check_distinct(&arguments.output, arguments.data.iter().chain(&arguments.hold_out))?;
    check_kind(&arguments.output, KIND)?;
    check_writable(&arguments.output, Existing::Replace)?;
    arguments.priority.adopt();
    let display = Display::new();
    let test = match &arguments.hold_out {
        Some(path) => read_first_positions(path)?,
        None => Vec::new(),
    };
    let init = arguments.init.as_deref().map(|path| Init::read(path, &display)).transpose()?;
    let excluded: HashSet<u64> = test.iter().map(|example| canonical_hash(example.board)).collect();
    let selection = Selection {
        lambda: arguments.lambda,
        hold_out: arguments.hold_out_one_of,
        memory: arguments.memory,
    };
    let mut data = Data::open(&arguments.data, &selection, excluded, &|n| display.bar.inc(n))?;
    ensure!(data.n_training > 0, "no positions to train on");
    show_data(&data, &test, &display);
    let measured = arguments.measure.unwrap_or(if init.is_some() { 0 } else { MEASURED });
    let settings = Settings {
        epochs: arguments.epochs,
        patience: arguments.patience,
        rate: arguments.rate,
        inertia: arguments.inertia,
        prior: arguments.prior,
        seed: arguments.seed,
    };
    let shown = json!({
        "training": settings,
        "lambda": selection.lambda,
        "hold_out_one_of": selection.hold_out,
        "memory": selection.memory,
        "measure": measured,
        "hold_out_file": arguments.hold_out.as_deref().map(name),
        "hold_out_file_positions": test.len(),
        "init": arguments.init.as_deref().map(name),
        "init_checksum": init.as_ref().map(|init| format!("{:016x}", init.checksum)),
        "init_unrounded": init.as_ref().map(|init| init.is_unrounded),
    });
    let identity = json!({ "settings": shown, "data": data.sources });
    let checkpoint = Checkpoint::beside(&arguments.output, identity);
    let model = Model::new(init.as_ref().map(|init| &init.numbers[..]), settings.inertia as f32);
    let n_passes = u64::from(settings.epochs) + u64::from(settings.prior > 0.0);
    display.begin(data.n_training * n_passes, "positions");
    let (passes, best) = course::train(model, &settings, &mut data, &test, &checkpoint, &display)?;
    display.bar.finish_and_clear();

    let mut file = File {
        error_model: init.as_ref().map_or(UNMEASURED, |init| init.file.error_model),
        record: String::new(),
        numbers: round(&best.numbers),
    };
    let mut trained = Evaluation::new(&file)?;
    if measured > 0 {
        match searched(&trained, &mut data, &test, measured, arguments.seed, &display)? {
            Some(values) => trained = adjust(&mut file, values, &display)?,
            None => display.print("error model: not measured, too few positions"),
        }
    }
    if let Some(error) = display.error.into_inner().unwrap_or_default() {
        return Err(error.into());
    }
    let outcome = outcome(&trained, &data, &test);
    let making = Making {
        program: format!("othellier {}", env!("CARGO_PKG_VERSION")),
        commit: Some(super::COMMIT.into()),
        date: date()?,
        settings: shown,
        before: init.as_ref().map(|init| record_of(&init.file.record)),
    };
    let record = provenance::record(making, &data, &passes, &best, &outcome);
    file.record = record.to_string();
    let (bytes, checksum) = file.pack();
    let written = replace(&arguments.output, &bytes)
        .and_then(|()| unrounded::write(&arguments.output, checksum, &best.numbers))
        .and_then(|()| checkpoint.delete());

    let mut output = crate::cli::screen();
    if written.is_ok() {
        let path = arguments.output.display();
        writeln!(output, "weights: {path}, {} bytes, checksum {checksum:016x}", bytes.len())?;
    }
    print_errors(&mut output, &data, passes.len(), outcome.judged())?;
    written.map(|()| ExitCode::SUCCESS)
}

fn print_errors(
    output: &mut impl Write,
    data: &Data,
    n_passes: usize,
    judged: &[Loss],
) -> std::io::Result<()> {
    let (loss, corrected) = (total(judged), corrected_mse(judged));
    if loss.n == 0 {
        let n = data.n_training;
        return writeln!(output, "train: positions {n}, epochs {n_passes}, none held back");
    }
    writeln!(output, "hold-out without the mean error of each ply: mse {corrected:.2}")?;
    writeln!(
        output,
        "train: positions {}, epochs {n_passes}, hold-out mae {:.2} mse {:.2}",
        data.n_training,
        loss.mae(),
        loss.mse()
    )
}

fn show_data(data: &Data, test: &[Example], display: &Display) {
    for source in &data.sources {
        let positions = counted(source.positions, "position", "positions");
        let games = counted(source.games, "game", "games");
        display.print(&format!("data: {}, {positions}, {games}", source.name));
    }
    display.print(&format!(
        "positions, equal ones merged: {} to train on, {} held back, {} in the hold-out file; {} with many empty squares",
        data.n_training,
        data.hold_out.len(),
        test.len(),
        data.n_distinct
    ));
}

/// Searches positions held back from the training, or if they are too few, of the training; `None` if these are too few as well.
fn searched(
    trained: &Evaluation,
    data: &mut Data,
    test: &[Example],
    positions: usize,
    seed: u64,
    display: &Display,
) -> anyhow::Result<Option<Vec<Values>>> {
    let settings =
        probcut::Settings { positions, depth: 8, least_empties: 12, solved_empties: 14, seed };
    let draw = |examples: &mut dyn Iterator<Item = &Example>| {
        draw_boards(examples.map(|example| example.board), &settings)
    };
    let mut boards = draw(&mut data.hold_out.iter().chain(test));
    if boards.len() < MIN_MEASURED {
        boards = draw(&mut data.part(0)?.iter());
    }
    if boards.len() < MIN_MEASURED {
        return Ok(None);
    }
    display.begin(boards.len() as u64, "positions searched");
    let values = search_all(&boards, trained, &settings, &|| display.bar.inc(1));
    display.bar.finish_and_clear();
    Ok(Some(values))
}

/// Returns the evaluation with the tempo that the searches lack and with the error model: how far shallow searches are from deep ones.
fn adjust(file: &mut File, values: Vec<Values>, display: &Display) -> anyhow::Result<Evaluation> {
    let n = values.len();
    let calibration = Calibration::new(values);
    if calibration.apply(file).is_ok() {
        let [first, middle, last] = [15, 30, 45].map(|stage| calibration.tempo[stage]);
        display.print(&format!(
            "tempo: {first:.2}, {middle:.2} and {last:.2} discs after 15, 30 and 45 plies"
        ));
        display.print(&format!("error model: measured on {n} positions"));
    } else {
        display.print("error model: not measured, the differences are no model");
    }
    Ok(Evaluation::new(file)?)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The weights that a training starts from.
struct Init {
    file: File,
    checksum: u64,
    /// Those of the file, as they were before they were rounded if that is known.
    numbers: Vec<f32>,
    is_unrounded: bool,
}

impl Init {
    fn read(path: &Path, display: &Display) -> anyhow::Result<Init> {
        let context = || format!("cannot start from {}", path.display());
        let bytes = std::fs::read(path).with_context(context)?;
        let file = File::unpack(&bytes).with_context(context)?;
        let checksum = stored_checksum(&bytes);
        let unrounded = unrounded::read(path, checksum, &file.numbers)?;
        let beside = unrounded::beside(path);
        if unrounded.is_none() && beside.exists() {
            display.print(&format!("{} belongs to other weights: left out", beside.display()));
        }
        let is_unrounded = unrounded.is_some();
        let rounded = || file.numbers.iter().copied().map(f32::from).collect();
        let numbers = unrounded.unwrap_or_else(rounded);
        Ok(Init { file, checksum, numbers, is_unrounded })
    }
}

/// A training record; a string if it is not JSON.
pub(super) fn record_of(record: &str) -> Value {
    serde_json::from_str(record).unwrap_or_else(|_| record.into())
}

/// The errors of the finished weights as the engine uses them.
fn outcome(trained: &Evaluation, data: &Data, test: &[Example]) -> Outcome {
    let of = |examples: &[Example]| losses(examples, |example| judge(trained, example.board));
    Outcome { hold_out: of(&data.hold_out), test: of(test) }
}

/// Today, or the day that SOURCE_DATE_EPOCH names, for reproducible files.
fn date() -> anyhow::Result<String> {
    let now = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text.parse().ok().and_then(|seconds| Timestamp::from_second(seconds).ok()),
        Err(_) => Some(Timestamp::now()),
    };
    Ok(now.context("SOURCE_DATE_EPOCH is not a number of seconds")?.strftime("%F").to_string())
}

struct Display {
    bar: ProgressBar,
    /// The first error in printing a line.
    error: Mutex<Option<std::io::Error>>,
}

impl Display {
    fn new() -> Display {
        let bar = progress::over(None, "positions read");
        progress::speak(&bar);
        Display { bar, error: Mutex::new(None) }
    }

    /// Restarts the bar to count the positions of all passes, or others.
    fn begin(&self, n_positions: u64, what: &str) {
        progress::begin(&self.bar, what, Some(n_positions), None);
    }

    fn print(&self, line: &str) {
        let written = self.bar.suspend(|| {
            let mut output = crate::cli::screen();
            writeln!(output, "{line}").and_then(|()| output.flush())
        });
        if let (Err(error), Ok(mut first)) = (written, self.error.lock()) {
            first.get_or_insert(error);
        }
    }
}

impl Observer for Display {
    fn on_positions(&self, n: u64) {
        self.bar.inc(n);
    }

    fn on_pass(&self, number: usize, pass: &Pass) {
        let parts = [
            ("training", &pass.training),
            ("held back", &pass.hold_out),
            ("hold-out file", &pass.test),
        ];
        let parts = parts.map(|(name, losses)| (name, total(losses)));
        let texts: Vec<String> = parts
            .iter()
            .filter(|(_, loss)| loss.n > 0)
            .map(|(name, loss)| format!("{name} mae {:.3} mse {:.2}", loss.mae(), loss.mse()))
            .collect();
        self.print(&format!("pass {number}: {}", texts.join(", ")));
        // Includes passes done before an interruption.
        self.bar.set_position(number as u64 * parts[0].1.n);
        self.bar.set_message(format!("pass {}", number + 1));
    }
}
