//! Process groups.
//!
//! The system may reuse the id of a process group once its leader has been reaped and the group is empty. So the leader's status
//! is read without reaping it, the group is signaled only while the leader exists, and the leader is reaped last. Should this
//! program be killed itself, a guard ends the group.

use std::io::{self, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// A process group with its guard. Where there is no shell, as in an empty container, nobody guards it.
#[derive(Debug)]
pub(super) struct Group(Option<Guard>);

/// A shell that kills a group once its input ends. Only this program holds that open, so whatever ends the program ends the group:
/// a second Ctrl-C, SIGQUIT, SIGKILL. It leads a group of its own, which no signal from the terminal reaches.
#[derive(Debug)]
struct Guard(Child);

impl Guard {
    fn spawn() -> io::Result<Guard> {
        // The group's number comes first; without it there is nothing to end.
        let script = "read group && { read end; kill -s KILL -- -\"$group\"; }";
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).process_group(0).stdin(Stdio::piped());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(Guard)
    }

    fn watch(&mut self, group: u32) -> io::Result<()> {
        self.0.stdin.as_mut().map_or(Ok(()), |input| writeln!(input, "{group}"))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Killed before its input ends: it must not act any more.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Group {
    pub fn prepare(command: &mut Command) -> io::Result<Group> {
        command.process_group(0);
        Ok(Group(Guard::spawn().ok()))
    }

    pub fn adopt(&mut self, leader: &Child) -> io::Result<()> {
        self.0.as_mut().map_or(Ok(()), |guard| guard.watch(leader.id()))
    }

    pub fn kill(&mut self, leader: &Child) {
        if let Some(id) = pid(leader) {
            // Fails if no process in the group may be signaled.
            let _ = kill_process_group(id, Signal::KILL);
        }
    }

    /// Ends the guard, which must not act once the leader's id is no longer its own.
    pub fn release(&mut self) {
        self.0 = None;
    }
}

/// The child stays unreaped.
pub(super) fn status(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let id = pid(child).ok_or_else(|| io::Error::other("a process without a number"))?;
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let Some(status) = waitid(WaitId::Pid(id), options)? else { return Ok(None) };
    // In the encoding of `wait`.
    let raw = match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => (code & 0xff) << 8,
        (None, Some(signal)) => signal | if status.dumped() { 0x80 } else { 0 },
        (None, None) => return Ok(None),
    };
    Ok(Some(ExitStatusExt::from_raw(raw)))
}

/// Whether an error of [`status`] means that other code has reaped the child.
pub(super) fn is_reaped(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::CHILD.raw_os_error())
}

fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}
