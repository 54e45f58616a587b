//! The option that lets long computations yield the processor to other programs.

use clap::Args;

use super::{number, warn};

#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Priority {
    /// Niceness, 0 to 19: higher values give way to other programs (Windows: 1 is below normal, 10 idle)
    #[arg(long, value_name = "N", default_value_t = 19, value_parser = number(0u8, 19))]
    nice: u8,
}

impl Priority {
    /// Applies the priority to this process, and says so: it explains why a run is slow.
    pub fn adopt(self) {
        match lower(self.nice) {
            Ok(()) if self.nice == 0 => {}
            Ok(()) => warn(&format!(
                "running at nice {}, behind other programs; --nice 0 takes a full share",
                self.nice
            )),
            Err(error) => warn(&format!("cannot lower the priority: {error}")),
        }
    }
}

#[cfg(unix)]
fn lower(steps: u8) -> std::io::Result<()> {
    rustix::process::nice(steps.into())?;
    Ok(())
}

/// By a job of this process alone, whose handle stays open.
#[cfg(windows)]
fn lower(steps: u8) -> std::io::Result<()> {
    use win32job::{ExtendedLimitInfo, Job, PriorityClass};

    let class = match steps {
        0 => return Ok(()),
        1..10 => PriorityClass::BelowNormal,
        _ => PriorityClass::Idle,
    };
    let job = Job::create_with_limit_info(ExtendedLimitInfo::new().limit_priority_class(class))?;
    job.assign_current_process()?;
    job.into_handle();
    Ok(())
}
