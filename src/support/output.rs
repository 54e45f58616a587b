//! Whether the standard output is open.
//!
//! A program may be started without one, as by `>&-`. Before `main` the standard library then opens `/dev/null` in its place, where
//! all results are lost without an error. So what comes first opens it there for reading only, which tells it from a `/dev/null` that
//! somebody wants.

use rustix::fs::{Mode, OFlags, fcntl_getfl, open};
use rustix::io::{Errno, fcntl_getfd};
use rustix::stdio::{dup2_stdout, stdout};

extern "C" fn mark_closed() {
    if fcntl_getfd(stdout()) == Err(Errno::BADF)
        && let Ok(file) = open(c"/dev/null", OFlags::RDONLY, Mode::empty())
    {
        // The file may be the input, if that is closed, too; then it stays open as such.
        _ = dup2_stdout(&file);
        std::mem::forget(file);
    }
}

#[used]
#[cfg_attr(
    any(target_os = "linux", target_os = "android", target_os = "freebsd"),
    expect(unsafe_code, reason = "a section of functions that are called before `main`"),
    unsafe(link_section = ".init_array")
)]
static MARK_CLOSED: extern "C" fn() = mark_closed;

/// Whether nothing can be written to the standard output.
pub(crate) fn is_closed() -> bool {
    fcntl_getfl(stdout()).is_ok_and(|flags| flags & OFlags::RWMODE == OFlags::RDONLY)
}
