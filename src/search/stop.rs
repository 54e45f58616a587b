//! Ending work from outside, from any thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use crate::support::time::Instant;

/// Tells work to stop: by a flag, after a time, or with a parent. Nothing is ever cleared, so that no stop gets lost before the
/// work begins. Clones are the same stop.
#[derive(Clone, Debug)]
pub struct Stop(Arc<State>);

#[derive(Debug)]
struct State {
    is_set: AtomicBool,
    epoch: Instant,
    /// Microseconds after `epoch` at which it stops.
    deadline: AtomicU64,
    parents: Vec<Stop>,
    /// Asks for a flag that stands elsewhere.
    poll: Option<fn() -> bool>,
}

impl Default for Stop {
    fn default() -> Stop {
        Stop::new()
    }
}

impl Stop {
    /// A stop that is not set and has no deadline.
    pub fn new() -> Stop {
        Stop::with(Vec::new(), None)
    }

    /// A new stop that also stops once `poll` says so, which is asked now and then.
    pub fn polling(poll: fn() -> bool) -> Stop {
        Stop::with(Vec::new(), Some(poll))
    }

    /// A new stop that also stops when this one does.
    #[must_use]
    pub fn child(&self) -> Stop {
        Stop::with(vec![self.clone()], None)
    }

    /// A new stop that also stops when this one or `other` does.
    #[must_use]
    pub fn or(&self, other: &Stop) -> Stop {
        Stop::with(vec![self.clone(), other.clone()], None)
    }

    fn with(parents: Vec<Stop>, poll: Option<fn() -> bool>) -> Stop {
        Stop(Arc::new(State {
            is_set: AtomicBool::new(false),
            epoch: Instant::now(),
            deadline: AtomicU64::new(u64::MAX),
            parents,
            poll,
        }))
    }

    /// Stops now.
    pub fn set(&self) {
        self.0.is_set.store(true, SeqCst);
    }

    /// Stops `wait` from now, unless an earlier deadline is set.
    pub fn set_after(&self, wait: Duration) {
        let at = (self.0.epoch.elapsed() + wait).as_micros();
        self.0.deadline.fetch_min(u64::try_from(at).unwrap_or(u64::MAX), SeqCst);
    }

    /// Whether the work must end.
    pub fn is_stopped(&self) -> bool {
        let State { parents, poll, .. } = &*self.0;
        self.is_set()
            || self.is_over()
            || parents.iter().any(Stop::is_stopped)
            || poll.is_some_and(|poll| poll())
    }

    /// Whether [`Stop::set`] was called, here and not on a parent.
    pub fn is_set(&self) -> bool {
        self.0.is_set.load(SeqCst)
    }

    /// Whether the deadline has passed.
    fn is_over(&self) -> bool {
        let deadline = self.0.deadline.load(SeqCst);
        deadline != u64::MAX && self.0.epoch.elapsed().as_micros() >= u128::from(deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_ends_by_its_flag_and_by_its_time() {
        let (flag, time) = (Stop::new(), Stop::new());
        let same = flag.clone();
        flag.set();
        assert!(same.is_stopped() && same.is_set());
        time.set_after(Duration::from_secs(60));
        assert!(!time.is_stopped());
        time.set_after(Duration::ZERO);
        time.set_after(Duration::from_secs(60));
        assert!(time.is_stopped() && !time.is_set());
        let [never, always] = [|| false, || true].map(Stop::polling);
        assert!(!never.is_stopped() && always.is_stopped() && !always.is_set());
    }

    #[test]
    fn children_end_with_their_parents_and_not_the_other_way_round() {
        let (first, second) = (Stop::new(), Stop::new());
        let (child, both) = (first.child(), first.child().or(&second));
        child.set();
        assert!(child.is_stopped() && !first.is_stopped() && !both.is_stopped());
        second.set_after(Duration::ZERO);
        assert!(both.is_stopped() && !both.is_set());
        assert!(!first.child().is_stopped());
        first.set();
        assert!(first.child().is_stopped());
    }
}
