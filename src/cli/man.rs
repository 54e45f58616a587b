//! `othellier man`.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Command};
use clap_mangen::Man;

use super::{PROGRAM, existing, screen};
use crate::files::replace::{NewFile, check_absent};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    othellier man ~/.local/share/man/man1\n  \
    othellier man . && man ./othellier-analyze.1")]
pub(super) struct Arguments {
    /// The folder to write to, created if missing
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Overwrite existing pages
    #[arg(long)]
    force: bool,
}

pub(super) fn run(arguments: &Arguments, mut command: Command) -> anyhow::Result<ExitCode> {
    // Subcommands get their inherited settings here.
    command.build();
    let existing = existing(arguments.force);
    let pages: Vec<(PathBuf, Vec<u8>)> = pages(&command)?
        .into_iter()
        .map(|(name, page)| (arguments.directory.join(name), page))
        .collect();
    for (path, _) in &pages {
        check_absent(path, existing)?;
    }
    fs::create_dir_all(&arguments.directory)
        .with_context(|| format!("cannot create the folder {}", arguments.directory.display()))?;
    for (path, page) in &pages {
        NewFile::save(path, existing, page)?;
    }
    writeln!(screen(), "man: {} pages in {}", pages.len(), arguments.directory.display())?;
    Ok(ExitCode::SUCCESS)
}

fn collect(name: &str, command: &Command, pages: &mut Vec<(String, Command)>) {
    // The usage line shows the command already; name the page after its file.
    pages.push((name.to_owned(), command.clone().display_name(name.to_owned())));
    for subcommand in command.get_subcommands().filter(|command| command.get_name() != "help") {
        collect(&format!("{name}-{}", subcommand.get_name()), subcommand, pages);
    }
}

/// The program's page and one a command, by file name.
fn pages(command: &Command) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut pages = Vec::new();
    collect(PROGRAM, command, &mut pages);
    let render = |(name, command): (String, Command)| {
        let mut page = Vec::new();
        let source = format!("{PROGRAM} {}", env!("CARGO_PKG_VERSION"));
        Man::new(command).source(source).manual("User Commands").render(&mut page)?;
        Ok((format!("{name}.1"), page))
    };
    pages.into_iter().map(render).collect()
}
