//! A process and its descendants, killed together: a process group, or a job object of Windows. Should this program be killed
//! itself, they end as well.

#[cfg(unix)]
#[path = "group/unix.rs"]
mod system;
#[cfg(windows)]
#[path = "group/windows.rs"]
mod system;

use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::time::{Duration, Instant};

use system::Group;

const STEP: Duration = Duration::from_millis(2);

/// A child process that leads its own group. Dropping it kills the group and reaps the child.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    leader: Child,
    group: Group,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Running, or ended but not reaped: its id is still valid.
    Present,
    /// With the status, if the system reported one.
    Reaped(Option<ExitStatus>),
}

impl ProcessGroup {
    pub fn spawn(command: &mut Command) -> io::Result<ProcessGroup> {
        let group = Group::prepare(command)?;
        let leader = command.spawn()?;
        let mut spawned = ProcessGroup { leader, group, state: State::Present };
        // On failure `spawned` is dropped, which ends the group.
        spawned.group.adopt(&spawned.leader)?;
        Ok(spawned)
    }

    pub fn id(&self) -> u32 {
        self.leader.id()
    }

    pub fn take_pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        (self.leader.stdin.take(), self.leader.stdout.take(), self.leader.stderr.take())
    }

    pub fn status(&mut self) -> io::Result<Option<ExitStatus>> {
        match self.state {
            State::Present => {
                let status = system::status(&mut self.leader);
                if status.as_ref().is_err_and(system::is_reaped) {
                    // Its id is no longer valid.
                    self.state = State::Reaped(None);
                    self.group.release();
                }
                status
            }
            State::Reaped(Some(status)) => Ok(Some(status)),
            State::Reaped(None) => Err(io::Error::other("the exit status of a process was lost")),
        }
    }

    /// Waits for the child's end until `deadline`; `None` if it is still running then.
    pub fn wait(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        loop {
            let status = self.status()?;
            let left = deadline.saturating_duration_since(Instant::now());
            if status.is_some() || left.is_zero() {
                return Ok(status);
            }
            std::thread::sleep(left.min(STEP));
        }
    }

    /// Kills the child, but not its descendants.
    pub fn kill_leader(&mut self) {
        if self.state == State::Present {
            // It may have ended already.
            drop(self.leader.kill());
        }
    }

    /// Kills the whole group and reaps the child.
    pub fn end(&mut self) {
        // Detect whether other code has reaped it.
        drop(self.status());
        if self.state == State::Present {
            self.group.kill(&self.leader);
            self.kill_leader();
            self.group.release();
            self.state = State::Reaped(self.leader.wait().ok());
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Read};
    use std::process::Stdio;

    /// Longer than anything here takes on a busy machine.
    const PATIENCE: Duration = Duration::from_secs(60);

    fn shell(script: &str) -> ProcessGroup {
        let mut command = Command::new("sh");
        ProcessGroup::spawn(command.args(["-c", script]).stdout(Stdio::piped())).unwrap()
    }

    /// The state of a process as the system lists it: R, S, Z and so on; `None` if there is none of this number.
    fn state(id: u32) -> Option<char> {
        let text = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        text.rsplit_once(") ")?.1.chars().next()
    }

    #[test]
    fn the_status_is_that_of_wait_and_does_not_reap() {
        for (script, text) in [
            ("exit 0", "exit status: 0"),
            ("exit 3", "exit status: 3"),
            ("exit 255", "exit status: 255"),
            ("kill -KILL $$", "signal: 9 (SIGKILL)"),
            ("kill -TERM $$", "signal: 15 (SIGTERM)"),
        ] {
            let mut group = shell(script);
            let status = group.wait(Instant::now() + PATIENCE).unwrap().unwrap();
            assert_eq!(status.to_string(), text);
            assert_eq!(state(group.id()), Some('Z'), "{script}");
            assert_eq!(group.status().unwrap(), Some(status));
            group.end();
            assert_eq!(state(group.id()), None, "{script}");
            assert_eq!(group.status().unwrap(), Some(status));
        }
        let mut group = shell("sleep 1000");
        assert_eq!(group.status().unwrap(), None);
        assert_eq!(group.wait(Instant::now() + STEP).unwrap(), None);
        group.end();
        assert!(group.status().unwrap().is_some_and(|status| !status.success()));
    }

    #[test]
    fn what_a_leader_leaves_behind_ends_with_the_group() {
        for script in ["sleep 1000 & echo $!; exit 0", "sleep 1000 & echo $!; wait"] {
            let mut group = shell(script);
            let mut output = BufReader::new(group.take_pipes().1.unwrap());
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            let child: u32 = line.trim().parse().unwrap();
            if script.ends_with("exit 0") {
                group.wait(Instant::now() + PATIENCE).unwrap().unwrap();
            }
            assert!(state(child).is_some_and(|state| state != 'Z'), "{script}");
            drop(group);
            // The pipe closes while the last of them ends; whoever adopts it reaps it later.
            output.read_to_end(&mut Vec::new()).unwrap();
            let deadline = Instant::now() + PATIENCE;
            while !state(child).is_none_or(|state| "ZX".contains(state)) {
                assert!(Instant::now() < deadline, "{script}");
                std::thread::sleep(STEP);
            }
        }
    }

    #[test]
    fn nobody_is_signalled_once_the_leader_has_been_reaped() {
        // Another reaps the leader; its group lives on and is no longer known to be ours.
        let mut group = shell("sleep 1000 & echo $!; exit 0");
        let mut output = BufReader::new(group.take_pipes().1.unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let child: u32 = line.trim().parse().unwrap();
        group.leader.wait().unwrap();
        assert!(group.status().is_err());
        group.end();
        drop(group);
        std::thread::sleep(Duration::from_millis(50));
        assert!(state(child).is_some_and(|state| state != 'Z'));
        let id = rustix::process::Pid::from_raw(child as i32).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
    }
}
