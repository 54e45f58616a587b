//! `othellier report`.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use clap::Args;

use super::matches::{Course, sprt, write_json, write_page};
use super::misuse;
use super::printer::Printer;
use crate::matches::event::{Event, read_event, read_games};
use crate::matches::report;
use crate::matches::standing::Standing;

#[derive(Debug, Args)]
#[command(
    after_help = "The folders may hold shards of one event, or different events. --sprt makes one decision over all of them: at the \
    first pair of games, in the order of the schedule, at which the test is decided. Shards that are to be judged so should be \
    played without --sprt of their own.\n\n\
    Examples:\n  \
    othellier report results-1 results-2 --html results.html\n  \
    othellier report shard-1 shard-2 shard-3 --sprt=0,10"
)]
pub(super) struct Arguments {
    /// Folders written by othellier match --out
    #[arg(value_name = "DIR", required = true)]
    directories: Vec<PathBuf>,
    /// Write an HTML page with all results and games
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Overwrite an existing page
    #[arg(long)]
    force: bool,
    /// Make a sequential test between these Elo differences [default: those of the events] (two players)
    #[arg(long, value_name = "E0,E1", num_args = 0..=1, require_equals = true, value_parser = sprt)]
    sprt: Option<Option<(f64, f64)>>,
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
        let records = read_games(directory, &event)?;
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
            all.push(record);
        }
    }
    let bounds = match arguments.sprt {
        None => None,
        Some(Some(bounds)) => Some(bounds),
        Some(None) => match &events[..] {
            [first, others @ ..] if others.iter().all(|event| event.sprt == first.sprt) => {
                Some(first.sprt.context("the events have no test of their own; set --sprt=E0,E1")?)
            }
            _ => bail!("the events have different tests; set --sprt=E0,E1"),
        },
    };
    // The sequential test decides in the order of the schedule, not in that of finishing.
    all.sort_by_key(|record| (record.event, record.id));
    let mut course = Course::new(standing, bounds);
    for record in &all {
        course.add(record);
    }
    let standing = &course.standing;
    if bounds.is_some() && standing.names().len() != 2 {
        return misuse("--sprt requires exactly two players");
    }
    let page = write_page(arguments.html.as_deref(), arguments.force, &course);
    let mut printer = Printer::new(super::screen(), arguments.json);
    if arguments.json {
        write_json(&mut printer.output, standing)?;
    } else {
        writeln!(anstream::stdout(), "{}", report::text(standing))?;
    }
    course.print_sprt(&mut printer)?;
    for line in standing.closing_lines() {
        printer.tell(line)?;
    }
    course.warn_of_repeats();
    page.map(|()| ExitCode::SUCCESS)
}
