//! Noticing that nobody reads the output any more.

/// Fails if the output was closed before the program started, so that all of it would be lost.
pub(super) fn check_open() -> std::io::Result<()> {
    #[cfg(unix)]
    if crate::support::output::is_closed() {
        return Err(std::io::Error::other("the standard output is closed"));
    }
    Ok(())
}

/// Waits until nobody can read the output; `false` if the system does not tell.
#[cfg(unix)]
pub(super) const UNTIL_UNHEARD: Option<fn() -> bool> = Some(|| {
    use rustix::event::{PollFd, PollFlags, poll};
    let output = std::io::stdout();
    let mut pipe = [PollFd::new(&output, PollFlags::empty())];
    // Nothing is asked for but what is always told: an error, once the other end is closed. Macs cannot wait for all devices.
    let is_told = poll(&mut pipe, None).is_ok();
    is_told && pipe[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
});
#[cfg(not(unix))]
pub(super) const UNTIL_UNHEARD: Option<fn() -> bool> = None;

/// Calls this once nobody reads the output any more, in a thread of its own.
pub(super) fn when_unheard(call: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    if let Some(wait) = UNTIL_UNHEARD {
        let watch = move || {
            if wait() {
                call();
            }
        };
        std::thread::Builder::new().name("unheard".into()).spawn(watch)?;
    }
    Ok(())
}

/// Ends the program once nobody reads the output any more, as a broken pipe does: for commands whose rows are all they make.
pub(super) fn end_unheard() -> std::io::Result<()> {
    when_unheard(|| crate::files::part::end(0))
}
