//! `othellier completions`.

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;

use super::PROGRAM;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    othellier completions bash > ~/.local/share/bash-completion/completions/othellier\n  \
    othellier completions zsh > ~/.zfunc/_othellier        if ~/.zfunc is in fpath\n  \
    othellier completions fish > ~/.config/fish/completions/othellier.fish")]
pub(super) struct Arguments {
    /// Shell to write the script for
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

pub(super) fn run(arguments: &Arguments, mut command: Command) -> anyhow::Result<ExitCode> {
    // In memory first: the generator panics on a broken pipe.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, PROGRAM, &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
