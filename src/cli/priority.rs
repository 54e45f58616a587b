//! The option that lets long computations yield the processor to other programs.

use clap::Args;

use super::number;

/// Options of commands that compute for hours.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Priority {
    /// Niceness, 0 to 19: higher values give way to other programs (no effect on Windows)
    #[arg(long, value_name = "N", default_value_t = 19, value_parser = number(0u8, 19))]
    nice: u8,
}

impl Priority {
    /// Applies the priority to this process.
    pub fn adopt(self) {
        if let Err(error) = lower(self.nice) {
            log::debug!("cannot lower the priority: {error}");
        }
    }
}

#[cfg(unix)]
fn lower(steps: u8) -> std::io::Result<()> {
    rustix::process::nice(steps.into())?;
    Ok(())
}

#[cfg(not(unix))]
fn lower(_steps: u8) -> std::io::Result<()> {
    Ok(())
}
