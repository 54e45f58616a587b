//! External faults: broken pipes, signals, a lack of memory, threads or disk, a clock that goes back, files that change, and too
//! little processor time.
//!
//! Each is real, not simulated within the program. Tests that do not work as root run as another user.

mod clock;
mod disk;
mod lateness;
mod limits;
mod parts;
mod pipes;
mod signals;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use othellier::board::{Move, Position};

use crate::harness::{Folder, OTHELLIER, piped};

/// A folder that every user may use.
pub fn public_folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    set_mode(&folder, 0o777);
    folder
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// The program, started by a shell after `setting`.
pub fn after(setting: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{setting}\nexec \"$0\" \"$@\"")).arg(OTHELLIER).args(arguments);
    piped(command)
}

/// An unprivileged user without other processes; a new one each time.
pub fn stranger() -> u32 {
    static N_STRANGERS: AtomicU32 = AtomicU32::new(0);
    100_000 + std::process::id() % 100_000 * 100 + N_STRANGERS.fetch_add(1, Relaxed)
}

/// A command, run without the rights of root. `words` begin with the program; without a limit `n_threads` is `None`.
fn without_rights(words: &[&str], n_threads: Option<u32>) -> Command {
    let mut line = Vec::new();
    if rustix::process::getuid().is_root() {
        let user = stranger();
        line.extend(["setpriv".to_owned(), format!("--reuid={user}"), format!("--regid={user}")]);
        line.extend(["--clear-groups".to_owned()]);
    }
    if let Some(n) = n_threads {
        line.extend(["prlimit".to_owned(), format!("--nproc={n}:{n}")]);
    }
    line.extend(words.iter().map(|&word| word.to_owned()));
    let mut command = Command::new(&line[0]);
    command.args(&line[1..]);
    piped(command)
}

/// A copy of the program that every user may run.
pub fn public_program(folder: &Folder) -> String {
    let path = folder.file("othellier");
    // Copy in another process: what this one writes is open for a moment in the processes that other tests start
    // meanwhile, and cannot be run then.
    assert!(Command::new("cp").args([OTHELLIER, &path]).status().unwrap().success());
    set_mode(Path::new(&path), 0o755);
    path
}

/// The move of a GTP reply such as `= D3`; it must be legal at the start.
#[track_caller]
fn first_move(output: &str) -> Move {
    let line = output.lines().find(|line| line.starts_with("= ") && line.len() == 4).expect(output);
    let mv = Move::parse(&line.as_bytes()[2..]).expect(line);
    assert!(Position::START.play(mv).is_some(), "{line}");
    mv
}
