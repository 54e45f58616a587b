//! `othellier merge`.

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::{existing, solve};
use crate::batch::part::{Part, merge_rows};
use crate::files::replace::{NewFile, check_distinct};
use crate::measure::solve::Totals;

#[derive(Debug, Args)]
#[command(
    after_help = "Parts are what analyze --batch, solve --json and selfplay write with --shard K/N. Merged, they are what one run \
    without --shard writes, apart from times. Parts of other jobs, parts that were cut short and missing shards are refused; a shard \
    that is there twice counts once. Of self-play, the games up to the first that no part has yet are merged.\n\n\
    Folders of match are joined by report, books by book absorb.\n\n\
    Example:\n  \
    othellier analyze --batch --depth 12 --shard 1/2 games.ggf > 1.jsonl\n  \
    othellier analyze --batch --depth 12 --shard 2/2 games.ggf > 2.jsonl\n  \
    othellier merge 1.jsonl 2.jsonl > moves.jsonl"
)]
pub(super) struct Arguments {
    /// All parts, in any order
    #[arg(value_name = "PART", required = true)]
    parts: Vec<PathBuf>,
    /// The file to write; required for self-play [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    #[cfg(feature = "training")]
    if Part::beside(&arguments.parts[0])?.is_some() {
        return games(arguments);
    }
    match new_file(arguments)? {
        Some(mut file) => {
            let n = rows(arguments, &mut file)?;
            file.finish()?;
            writeln!(std::io::stdout(), "merge: {n} rows")?;
        }
        None => {
            // Standard output holds the rows alone.
            let mut output = super::Shown(BufWriter::new(std::io::stdout()));
            rows(arguments, &mut output)?;
            output.flush()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn new_file(arguments: &Arguments) -> anyhow::Result<Option<NewFile>> {
    let existing = existing(arguments.force);
    let output = arguments.output.as_deref();
    output.iter().try_for_each(|path| check_distinct(path, &arguments.parts))?;
    output.map(|path| NewFile::create(path, existing)).transpose()
}

/// Also writes the totals of `solve`; returns the number of rows.
fn rows(arguments: &Arguments, output: &mut dyn Write) -> anyhow::Result<u64> {
    let mut n_rows = 0;
    let mut totals = Totals::default();
    let has_totals = |part: &Part| part.job["command"] == "solve";
    let part = merge_rows(&arguments.parts, &mut |part, line| {
        output.write_all(line.as_bytes())?;
        n_rows += 1;
        if has_totals(part) {
            serde_json::from_str::<solve::Row>(line)?.add_to(&mut totals);
        }
        Ok(())
    })?;
    if has_totals(&part) {
        writeln!(output, "{}", solve::json_totals(&totals))?;
    }
    Ok(n_rows)
}

#[cfg(feature = "training")]
fn games(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    use super::{misuse, warn};
    use crate::support::text::counted;
    use crate::training::parts::merge;

    let Some(mut file) = new_file(arguments)? else {
        return misuse("self-play is merged into a file: set it with --output");
    };
    let merged = merge(&arguments.parts, &mut file)?;
    file.finish()?;
    if merged.left_out > 0 {
        let games = counted(merged.left_out, "game is", "games are");
        warn(&format!("{games} left out, because a shard has not come as far"));
    }
    let (games, positions) = (merged.games, merged.positions);
    writeln!(std::io::stdout(), "merge: {games} games, {positions} positions")?;
    Ok(ExitCode::SUCCESS)
}
