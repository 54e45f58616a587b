//! `othellier report`.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use clap::Args;

use super::matches::{write_json, write_page};
use crate::arena::event::{Event, read_event, read_games};
use crate::results::report;
use crate::results::standing::Standing;

/// Arguments of `report`.
#[derive(Debug, Args)]
#[command(
    after_help = "The folders may hold shards of one event, or different events.\n\nExample:\n  \
    othellier report results-1 results-2 --html results.html"
)]
pub(super) struct Arguments {
    /// Folders written by othellier match --out
    #[arg(value_name = "DIR", required = true)]
    directories: Vec<PathBuf>,
    /// Write an HTML page with all results and games
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut standing = Standing::default();
    let mut all = Vec::new();
    let mut events: Vec<Event> = Vec::new();
    let mut seen = HashSet::new();
    for directory in &arguments.directories {
        let event = read_event(directory)?;
        let (records, _) = read_games(directory)?;
        if standing.names().is_empty() {
            standing = Standing::new(event.specs()?.into_iter().map(|spec| spec.name));
        }
        // Shards of one event differ only in the shard.
        let whole = Event { shard: None, ..event };
        let number = events.iter().position(|known| *known == whole).unwrap_or_else(|| {
            events.push(whole);
            events.len() - 1
        });
        for mut record in records {
            record.event = number;
            ensure!(
                seen.insert((number, record.id)),
                "{}: game {} is also in another folder of the same event",
                directory.display(),
                record.id
            );
            standing.add(&record);
            all.push(record);
        }
    }
    if let Some(path) = &arguments.html {
        write_page(path, &standing, &all)?;
    }
    let mut output = std::io::stdout().lock();
    if arguments.json {
        write_json(&mut output, &standing)?;
    } else {
        writeln!(output, "{}", report::text(&standing))?;
        for line in standing.closing_lines() {
            writeln!(output, "{line}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
