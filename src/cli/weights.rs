//! `othellier weights`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::printer::Printer;
use crate::evaluation::stages::N_KNOTS;
use crate::evaluation::weights::{File, KIND, n_weights, stored_checksum};
use crate::evaluation::{EMBEDDED, ErrorModel, Source};
use crate::files::replace::{check_kind, replace};
use crate::training::compare::{compare, read};
use crate::training::packing;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  othellier weights inspect\n  othellier weights compare embedded new.wts --positions games.bin"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the contents of a weights file and how it was trained
    Inspect(Inspect),
    /// Rewrite a weights file as small as possible, optionally with a different error model or training record
    Pack(Pack),
    /// Write weights of zero, to which every position is even, for the first games of a training
    Zero(Zero),
    /// Compare two evaluations on positions
    Compare(Compare),
}

#[derive(Debug, Args)]
struct Inspect {
    /// A weights file [default: the embedded weights]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Pack {
    /// The file to read
    #[arg(value_name = "IN")]
    file: PathBuf,
    /// The file to write; may be IN itself
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Error model of shallow searches: the logarithm of the standard deviation in discs is
    /// B + E empties + S shallow + G ln(deep - shallow)
    #[arg(long, value_name = "B,E,S,G", allow_hyphen_values = true, value_parser = error_model)]
    error_model: Option<ErrorModel>,
    /// A JSON file with the new training record
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct Zero {
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Debug, Args)]
struct Compare {
    /// A weights file, or `embedded`
    #[arg(value_name = "A")]
    a: PathBuf,
    /// Likewise
    #[arg(value_name = "B")]
    b: PathBuf,
    /// Test positions (OBF), a self-play file or a WTHOR file (.wtb)
    #[arg(long, value_name = "FILE")]
    positions: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn error_model(text: &str) -> Result<ErrorModel, String> {
    let numbers: Vec<f64> = text.split(',').filter_map(|number| number.parse().ok()).collect();
    match numbers[..] {
        [base, empties, shallow, growth] if text.split(',').count() == 4 => {
            let model = ErrorModel { base, empties, shallow, growth };
            if model.is_usable() {
                Ok(model)
            } else {
                Err("the deviations are out of range".into())
            }
        }
        _ => Err("expected four numbers B,E,S,G".into()),
    }
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        Command::Inspect(arguments) => inspect(arguments)?,
        Command::Pack(arguments) => pack(arguments)?,
        Command::Zero(arguments) => write_file(&arguments.output, &File::zero())?,
        Command::Compare(arguments) => compare_two(arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn read_file(path: &Path) -> anyhow::Result<(Vec<u8>, File)> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let file = File::unpack(&bytes).with_context(|| path.display().to_string())?;
    Ok((bytes, file))
}

fn inspect(arguments: &Inspect) -> anyhow::Result<()> {
    let (bytes, file) = match &arguments.file {
        Some(path) => read_file(path)?,
        None => (EMBEDDED.to_vec(), File::unpack(EMBEDDED).context("the embedded weights")?),
    };
    let fields = describe(&bytes, &file);
    let mut text = Vec::new();
    for (key, value) in &fields {
        write_field(&mut text, key, value)?;
    }
    let text = String::from_utf8_lossy(text.trim_ascii_end());
    let fields = fields.map(|(key, value)| (key.to_owned(), value));
    let row = Value::Object(fields.into_iter().collect());
    Ok(Printer::new(super::screen(), arguments.json).show(&row, text)?)
}

fn describe(bytes: &[u8], file: &File) -> [(&'static str, Value); 8] {
    let ErrorModel { base, empties, shallow, growth } = file.error_model;
    let n_weights = n_weights();
    let n_used = file.numbers.iter().take(n_weights).filter(|&&weight| weight != 0).count();
    let record = super::train::record_of(&file.record);
    [
        // The version follows the six letters at the start of every weights file.
        ("version", json!(String::from_utf8_lossy(&bytes[6..8]))),
        ("checksum", json!(format!("{:016x}", stored_checksum(bytes)))),
        ("bytes", json!(bytes.len())),
        ("knots", json!(N_KNOTS)),
        ("free_weights", json!(n_weights / N_KNOTS)),
        ("used_weights", json!(n_used)),
        (
            "error_model",
            json!({ "base": base, "empties": empties, "shallow": shallow, "growth": growth }),
        ),
        ("record", record),
    ]
}

/// `key: value` lines, one for each leaf value.
fn write_field(output: &mut impl Write, key: &str, value: &Value) -> std::io::Result<()> {
    match value {
        Value::Object(fields) => fields
            .iter()
            .try_for_each(|(name, value)| write_field(output, &format!("{key}.{name}"), value)),
        Value::Array(items) => items.iter().enumerate().try_for_each(|(index, value)| {
            write_field(output, &format!("{key}.{}", index + 1), value)
        }),
        Value::String(text) => writeln!(output, "{key}: {text}"),
        other => writeln!(output, "{key}: {other}"),
    }
}

fn pack(arguments: &Pack) -> anyhow::Result<()> {
    let (_, mut file) = read_file(&arguments.file)?;
    if let Some(error_model) = arguments.error_model {
        file.error_model = error_model;
    }
    if let Some(path) = &arguments.record {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let record: Value = serde_json::from_str(&text)
            .with_context(|| format!("{} is not JSON", path.display()))?;
        ensure!(record.is_object(), "{}: expected a JSON object", path.display());
        file.record = record.to_string();
    }
    write_file(&arguments.output, &file)
}

fn write_file(path: &Path, file: &File) -> anyhow::Result<()> {
    check_kind(path, KIND)?;
    let (bytes, checksum) = packing::pack(file);
    replace(path, &bytes)?;
    let (path, n_bytes) = (path.display(), bytes.len());
    writeln!(crate::cli::screen(), "weights: {path}, {n_bytes} bytes, checksum {checksum:016x}")?;
    Ok(())
}

fn load(path: &Path) -> anyhow::Result<Source> {
    match path.to_str() {
        Some("embedded") => Ok(Source::Embedded),
        _ => Ok(Source::from_bytes(&read_file(path)?.0)?),
    }
}

fn compare_two(arguments: &Compare) -> anyhow::Result<()> {
    let [a, b] = [load(&arguments.a)?, load(&arguments.b)?];
    let positions = read(&arguments.positions)?;
    let comparison = compare([&a, &b], &positions);
    let [a, b] = comparison.errors;
    let (n, difference) = (positions.len(), comparison.difference.mae());
    let mut text = format!("positions: {n}\nmean absolute difference: {difference:.3}");
    if let Some(correlation) = comparison.correlation {
        text += &format!("\ncorrelation: {correlation:.4}");
    }
    for (name, loss) in [("a", &a), ("b", &b)] {
        if loss.n > 0 {
            let (mae, mse) = (loss.mae(), loss.mse());
            text += &format!("\nerror of {name}: mae {mae:.3} mse {mse:.2} on {}", loss.n);
        }
    }
    let n_pairs = comparison.n_pairs;
    let ordered = comparison.n_ordered.map(|n| n as f64 / n_pairs.max(1) as f64);
    if n_pairs > 0 {
        let [a, b] = ordered.map(|share| 100.0 * share);
        text += &format!("\nmoves in the right order: a {a:.2} %, b {b:.2} % of {n_pairs} pairs");
    }
    let row = json!({
        "positions": n,
        "pairs": n_pairs,
        "ordered": if n_pairs > 0 { Some(ordered) } else { None },
        "mean_difference": difference,
        "correlation": comparison.correlation,
        "a": a.to_json(),
        "b": b.to_json(),
    });
    Ok(Printer::new(super::screen(), arguments.json).show(&row, text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_model_has_four_numbers() {
        let model = error_model("1.5,-0.02,-0.08,0.3").unwrap();
        assert_eq!((model.base, model.growth), (1.5, 0.3));
        for text in ["", "1,2,3", "1,2,3,4,5", "1,2,3,x", "1,2,3,inf", "NaN,0,0,0", "900,0,0,0"] {
            assert!(error_model(text).is_err(), "{text}");
        }
    }
}
