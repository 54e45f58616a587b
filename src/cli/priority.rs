//! The option by which long computations leave the processor to whatever else wants it.

use clap::Args;

use super::number;

/// Options of commands that compute for hours.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Priority {
    /// Lower the priority by so many steps, as nice does, 0 to 19: other programs come first (no effect on Windows)
    #[arg(long, value_name = "N", default_value_t = 19, value_parser = number(0u8, 19))]
    nice: u8,
}

impl Priority {
    /// Gives this process the priority.
    pub fn adopt(self) {
        if let Err(error) = lower(self.nice) {
            log::debug!("priority stays as it is: {error}");
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
