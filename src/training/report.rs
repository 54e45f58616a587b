//! The report of a training: a JSON file with all figures, and plots.
//!
//! `report.json` holds the training record (see [`super::provenance`]) and in addition:
//!
//! | field | content |
//! |---|---|
//! | `losses` | for each pass `training`, `hold_out`, `hold_out_file`: `positions`, `mae`, `mse` and the same `by_stage` |
//! | `weights` | histogram of the weights in use: `width` of a bar in discs, `bars` as pairs of lower end and number, `unused` weights (zero) |
//!
//! Errors are in discs against the targets; on training positions they are measured before training on them. The target of a position
//! of the hold-out file is the result of its game.

mod plots;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};

use super::checkpoint::{Best, Pass};
use super::fit::{Loss, total};
use super::provenance::Outcome;
use crate::evaluation::weights::n_weights;
use crate::score::DISC;

/// Width of a bar of the histogram in discs.
const BAR: f64 = 0.25;

/// Number of weights by index of the bar.
#[derive(Clone, Debug, Default, PartialEq)]
struct Histogram {
    bars: BTreeMap<i32, u64>,
    unused: u64,
}

impl Histogram {
    fn new(knots: &[i16]) -> Histogram {
        let mut histogram = Histogram::default();
        for &weight in knots {
            if weight == 0 {
                histogram.unused += 1;
                continue;
            }
            let bar = (f64::from(weight) / f64::from(DISC) / BAR).floor() as i32;
            *histogram.bars.entry(bar).or_default() += 1;
        }
        histogram
    }

    fn to_json(&self) -> Value {
        let bars: Vec<_> =
            self.bars.iter().map(|(&bar, &n)| json!([f64::from(bar) * BAR, n])).collect();
        json!({ "width": BAR, "bars": bars, "unused": self.unused })
    }
}

/// Creates the folder of a report, if it is missing.
pub fn prepare(directory: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))
}

/// Writes the report to a folder, which is created if missing.
///
/// # Errors
/// If it cannot be written.
pub fn write(
    directory: &Path,
    record: &Value,
    passes: &[Pass],
    best: &Best,
    outcome: &Outcome,
) -> anyhow::Result<()> {
    let histogram = Histogram::new(&best.numbers[..n_weights()]);
    let mut report = record.clone();
    report["losses"] = passes.iter().map(pass_json).collect();
    report["weights"] = histogram.to_json();
    let plots = [
        ("loss-by-stage.svg", plots::loss_by_stage(&passes[best.pass], outcome)),
        ("learning-curves.svg", plots::learning_curves(passes)),
        ("weights.svg", plots::weights(&histogram)),
    ];
    prepare(directory)?;
    let write = |name: &str, text: String| {
        let path = directory.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    for (name, picture) in plots {
        write(name, picture)?;
    }
    write("report.json", serde_json::to_string_pretty(&report)? + "\n")
}

fn pass_json(pass: &Pass) -> Value {
    let losses = |by_stage: &[Loss]| {
        let mut all = total(by_stage).to_json();
        all["by_stage"] = by_stage.iter().map(|loss| loss.to_json()).collect();
        all
    };
    json!({
        "training": losses(&pass.training),
        "hold_out": losses(&pass.hold_out),
        "hold_out_file": losses(&pass.test),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_begin_at_their_lower_end() {
        let histogram = Histogram::new(&[0, 0, 1, 31, 32, -1, -32, -33]);
        assert_eq!(histogram.unused, 2);
        let bars = [(-2, 1), (-1, 2), (0, 2), (1, 1)];
        assert_eq!(histogram.bars, BTreeMap::from(bars));
        let json = histogram.to_json();
        assert_eq!(json["bars"][0], json!([-0.5, 1]));
    }
}
