//! Which lines of the input end the running job.
//!
//! Every line has a number. The reader notes the newest line and the newest urgent one; a job that line n started stops as soon as
//! the number it obeys is above n, also when that line came in before the job began.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::search::Stop;

/// Which lines end a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obeys {
    /// Any line: for searches that nobody waits for.
    AnyLine,
    /// Only lines that are urgent.
    UrgentLines,
}

/// What the reader has noted, and the job that it may end.
#[derive(Debug)]
pub(super) struct Interrupts {
    /// Stops all jobs.
    closing: Stop,
    lines: Mutex<Lines>,
}

#[derive(Debug)]
struct Lines {
    last: u64,
    last_urgent: u64,
    /// The job: number of the line that started it, which lines it obeys, and its stop.
    job: (u64, Obeys, Stop),
}

impl Default for Interrupts {
    fn default() -> Interrupts {
        let job = (0, Obeys::UrgentLines, Stop::new());
        let lines = Mutex::new(Lines { last: 0, last_urgent: 0, job });
        Interrupts { closing: Stop::new(), lines }
    }
}

impl Lines {
    fn stop_job(&self) {
        let (line, obeys, stop) = &self.job;
        let newest = match obeys {
            Obeys::AnyLine => self.last,
            Obeys::UrgentLines => self.last_urgent,
        };
        if newest > *line {
            stop.set();
        }
    }
}

impl Interrupts {
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn note_line(&self, number: u64) {
        let mut lines = self.lines();
        lines.last = lines.last.max(number);
        lines.stop_job();
    }

    pub fn note_urgent(&self, number: u64) {
        let mut lines = self.lines();
        lines.last_urgent = lines.last_urgent.max(number);
        lines.stop_job();
    }

    /// Ends all jobs, also those that start later.
    pub fn close_after(&self, grace: Duration) {
        self.closing.set_after(grace);
    }

    /// Begins the job of line `number`, once the one before is over. A later line that the job obeys sets the flag of the returned stop;
    /// closing stops it without the flag.
    pub fn start_job(&self, number: u64, obeys: Obeys) -> Stop {
        let stop = self.closing.child();
        let mut lines = self.lines();
        lines.job = (number, obeys, stop.clone());
        lines.stop_job();
        stop
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_ends_by_the_lines_after_its_own_that_it_obeys() {
        let interrupts = Interrupts::default();
        interrupts.note_line(5);
        interrupts.note_urgent(5);
        assert!(interrupts.start_job(4, Obeys::UrgentLines).is_set());
        assert!(!interrupts.start_job(5, Obeys::AnyLine).is_set());
        let deaf = interrupts.start_job(5, Obeys::UrgentLines);
        interrupts.note_line(6);
        assert!(!deaf.is_stopped());
        interrupts.note_urgent(7);
        assert!(deaf.is_set());
        let stop = interrupts.start_job(7, Obeys::AnyLine);
        interrupts.note_line(8);
        assert!(stop.is_set());
    }

    #[test]
    fn closing_ends_jobs_without_setting_their_flag() {
        let interrupts = Interrupts::default();
        let stop = interrupts.start_job(1, Obeys::UrgentLines);
        interrupts.close_after(Duration::from_secs(60));
        assert!(!stop.is_stopped());
        interrupts.close_after(Duration::ZERO);
        assert!(stop.is_stopped() && !stop.is_set());
        assert!(interrupts.start_job(2, Obeys::AnyLine).is_stopped());
    }
}
