//! `othellier fit-probcut`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::evaluation_options::EvaluationOptions;
use super::printer::Printer;
use super::{number, progress};
use crate::evaluation::ErrorModel;
use crate::evaluation::weights::KIND;
use crate::files::replace::{Existing, check_distinct, check_kind, check_writable, replace};
use crate::training::calibration::Calibration;
use crate::training::probcut::{Difference, Settings, draw_positions, search_all};

#[derive(Debug, Args)]
#[command(
    after_help = "Searches positions of a self-play file to all depths and prints the tempo that the weights lack, by plies played: what \
    having the move is worth beyond what they say of it. With it, the values of odd and even depths agree. Then come the differences \
    between shallow and deep scores, with the tempo, and the error model for forward pruning: \
    exp(base + empties n + shallow s) (deep - shallow)^growth discs.\n\n\
    Example:\n  othellier fit-probcut games.bin --weights new.wts --output better.wts"
)]
pub(super) struct Arguments {
    /// A self-play file
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// Search about N positions, the same share of every number of empty squares
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = number(40usize, 1_000_000))]
    positions: usize,
    /// Depth of the deepest searches in plies
    #[arg(long, value_name = "D", default_value_t = 10, value_parser = number(4u32, 20))]
    depth: u32,
    /// Use positions with at least N empty squares
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = number(6u32, 50))]
    least_empties: u32,
    /// Also solve positions with at most N empty squares
    #[arg(long, value_name = "N", default_value_t = 18, value_parser = number(0u32, 24))]
    solved_empties: u32,
    /// Seed for the choice of positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write the weights with their tempo and error model
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    evaluation: EvaluationOptions,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let settings = Settings {
        positions: arguments.positions,
        depth: arguments.depth,
        least_empties: arguments.least_empties,
        solved_empties: arguments.solved_empties,
        seed: arguments.seed,
    };
    let source = arguments.evaluation.source()?;
    let mut file = source.file();
    arguments.output.iter().try_for_each(|out| {
        check_distinct(out, [&arguments.data])?;
        check_kind(out, KIND)?;
        check_writable(out, Existing::Replace)
    })?;
    let positions = draw_positions(&arguments.data, &settings)?;
    anyhow::ensure!(!positions.is_empty(), "{}: no positions found", arguments.data.display());
    let bar = progress::over(Some(positions.len()), "positions");
    let values = search_all(&positions, &source, &settings, &|| bar.inc(1));
    bar.finish_and_clear();
    let calibration = Calibration::new(values);
    let written = arguments.output.iter().try_for_each(|out| {
        calibration.apply(&mut file).and_then(|()| replace(out, &file.pack().0))
    });
    let Calibration { tempo, differences, model } = calibration;
    let mut printer = Printer::new(std::io::stdout().lock(), arguments.json);
    let stages = tempo.iter().enumerate().skip(5).step_by(10);
    let text: Vec<String> = stages.map(|(ply, discs)| format!("{ply} {discs:.2}")).collect();
    let text = text.join(", ");
    printer.show(&json!({ "tempo": tempo.to_vec() }), format_args!("tempo: {text}"))?;
    printer.tell("empties shallow deep    n    mean         rms   model")?;
    for row in table(&differences) {
        let modeled = row.modeled(&model);
        let Row { empties, shallow, deep, n, mean, rms } = row;
        let row = json!({"empties": empties, "shallow": shallow, "deep": deep, "n": n, "mean": mean,
            "rms": rms, "model": modeled});
        let deep = if deep == 0 { "end".to_string() } else { deep.to_string() };
        printer.show(
            &row,
            format_args!(
                "{empties:>4}+   {shallow:>7} {deep:>4} {n:>4} {mean:>7.2} {rms:>11.2} {modeled:>7.2}"
            ),
        )?;
    }
    let ErrorModel { base, empties, shallow, growth } = model;
    let row = json!({"base": base, "empties": empties, "shallow": shallow, "growth": growth});
    printer.show(&row, format_args!("model: {base:.4},{empties:.5},{shallow:.5},{growth:.5}"))?;
    written.map(|()| ExitCode::SUCCESS)
}

/// Differences at one pair of depths, over a band of empty squares.
struct Row {
    /// The lowest number of empty squares in the band.
    empties: u32,
    shallow: u32,
    /// 0 for the end of the game.
    deep: u32,
    n: u32,
    mean: f64,
    /// The root of the mean square, which the model fits.
    rms: f64,
}

const BAND: u32 = 8;

impl Row {
    fn modeled(&self, model: &ErrorModel) -> f64 {
        let n_empties = self.empties + BAND / 2;
        let deep = if self.deep == 0 { n_empties } else { self.deep };
        model.deviation(n_empties, self.shallow, deep)
    }
}

fn table(differences: &[Difference]) -> Vec<Row> {
    let mut sums = std::collections::BTreeMap::<_, (u32, f64, f64)>::new();
    for d in differences {
        let deep = if d.deep == d.n_empties { 0 } else { d.deep };
        let sum = sums.entry((d.n_empties / BAND * BAND, deep, d.shallow)).or_default();
        *sum = (sum.0 + 1, sum.1 + d.discs, sum.2 + d.discs * d.discs);
    }
    let row =
        |((empties, deep, shallow), (n, sum, squares)): ((u32, u32, u32), (u32, f64, f64))| {
            let mean = sum / f64::from(n);
            let rms = (squares / f64::from(n)).sqrt();
            Row { empties, shallow, deep, n, mean, rms }
        };
    sums.into_iter().map(row).collect()
}
