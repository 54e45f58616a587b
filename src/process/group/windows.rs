//! Job objects.
//!
//! The system ends all processes of a job with the last handle to it, which only this program holds: whatever ends the program
//! ends them too. What a child starts in the instant before it is put into the job would stay outside.

use std::io;
use std::os::windows::io::AsRawHandle;
use std::os::windows::process::CommandExt;
use std::process::{Child, Command, ExitStatus};

use win32job::{ExtendedLimitInfo, Job};

/// Ctrl-C in this program's console does not reach the child.
const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;

/// A job; `None` after its end.
#[derive(Debug)]
pub(super) struct Group(Option<Job>);

impl Group {
    pub fn prepare(command: &mut Command) -> io::Result<Group> {
        command.creation_flags(CREATE_NEW_PROCESS_GROUP);
        let job = Job::create_with_limit_info(ExtendedLimitInfo::new().limit_kill_on_job_close())?;
        Ok(Group(Some(job)))
    }

    pub fn adopt(&mut self, leader: &Child) -> io::Result<()> {
        let handle = leader.as_raw_handle() as isize;
        self.0.as_ref().map_or(Ok(()), |job| Ok(job.assign_process(handle)?))
    }

    pub fn kill(&mut self, _leader: &Child) {
        self.release();
    }

    pub fn release(&mut self) {
        self.0 = None;
    }
}

pub(super) fn status(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    child.try_wait()
}

/// Whether an error of [`status`] means that other code has reaped the child, which cannot happen here: the handle keeps it.
pub(super) fn is_reaped(_: &io::Error) -> bool {
    false
}
