//! `othellier` for all x86-64 processors: starts the best build that this processor can run.
//!
//! The builds are named `othellier-x86-64-v2` and so on, in the folder of this program or in `../lib/othellier` relative to it. The
//! launcher itself must be built for baseline x86-64.

#![expect(clippy::disallowed_types, reason = "starts the best of the builds")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use othellier::cpu::LEVELS;

fn main() -> ExitCode {
    let variants = variants();
    let Some((path, _)) = variants.iter().rev().find(|(_, missing)| missing.is_empty()) else {
        return fail(&match variants.first() {
            Some((path, missing)) => format!(
                "this processor lacks {}, which {} needs; build othellier from source on this machine",
                missing.join(", "),
                path.display()
            ),
            None => "no build of othellier found beside it or in ../lib/othellier".into(),
        });
    };
    let mut command = Command::new(path);
    command.args(std::env::args_os().skip(1));
    run(command, path)
}

/// The available builds, the lowest first, each with the features that the processor lacks.
fn variants() -> Vec<(PathBuf, Vec<&'static str>)> {
    // Resolve links: they may be outside the folder of the builds.
    let program = std::env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
    let folder = program.parent().unwrap_or(Path::new("."));
    let folders = [folder.to_path_buf(), folder.join("../lib/othellier")];
    let found = LEVELS.iter().filter_map(|level| {
        let name = format!("othellier-{}{}", level.name, std::env::consts::EXE_SUFFIX);
        let path = folders.iter().map(|folder| folder.join(&name)).find(|path| path.is_file())?;
        Some((path, level.missing()))
    });
    found.collect()
}

/// Replaces this process with the other program, so that it receives signals and pipes directly.
#[cfg(unix)]
fn run(mut command: Command, path: &Path) -> ExitCode {
    use std::os::unix::process::CommandExt;
    let error = command.arg0("othellier").exec();
    fail(&format!("cannot start {}: {error}", path.display()))
}

/// Runs the other program, which ends with this one, and passes on its exit code.
#[cfg(windows)]
fn run(mut command: Command, path: &Path) -> ExitCode {
    use std::os::windows::io::AsRawHandle;

    // Ctrl-C reaches both; the other program acts on it.
    drop(ctrlc::set_handler(|| {}));
    let mut run = || -> std::io::Result<Option<i32>> {
        let mut limits = win32job::ExtendedLimitInfo::new();
        let job = win32job::Job::create_with_limit_info(limits.limit_kill_on_job_close())?;
        let mut child = command.spawn()?;
        job.assign_process(child.as_raw_handle() as isize)?;
        Ok(child.wait()?.code())
    };
    match run() {
        Ok(code) => ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        Err(error) => fail(&format!("cannot start {}: {error}", path.display())),
    }
}

fn fail(message: &str) -> ExitCode {
    drop(writeln!(std::io::stderr(), "othellier: {message}"));
    ExitCode::FAILURE
}
