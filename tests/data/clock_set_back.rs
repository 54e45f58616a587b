//! A library to preload: the wall clock goes back by ten seconds at every reading. The monotonic clock is unchanged.

use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

#[repr(C)]
pub struct Time {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
}

/// The number of the system call on Linux for this processor.
const CLOCK_GETTIME: c_long = if cfg!(target_arch = "x86_64") { 228 } else { 113 };
const CLOCK_REALTIME: c_int = 0;

static N_READ: AtomicI64 = AtomicI64::new(0);

#[no_mangle]
pub unsafe extern "C" fn clock_gettime(clock: c_int, time: *mut Time) -> c_int {
    let result = syscall(CLOCK_GETTIME, clock, time);
    if clock == CLOCK_REALTIME && result == 0 {
        (*time).seconds -= 10 * N_READ.fetch_add(1, Relaxed);
    }
    result as c_int
}
