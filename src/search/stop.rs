//! Ending a search from outside, without races.
//!
//! Every input line has a number. The reader of the input notes the newest line and the newest urgent line; a search started by
//! line n stops as soon as the number it obeys is above n. Nothing is ever cleared, so no stop gets lost before the search starts
//! or hits the next one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// What has come in, written by the reader of the input and read by searches.
#[derive(Debug)]
pub struct Interrupts {
    last_line: AtomicU64,
    last_urgent: AtomicU64,
    epoch: Instant,
    /// Microseconds after `epoch` at which all searches must be over.
    closing: AtomicU64,
}

impl Default for Interrupts {
    fn default() -> Interrupts {
        Interrupts {
            last_line: AtomicU64::new(0),
            last_urgent: AtomicU64::new(0),
            epoch: Instant::now(),
            closing: AtomicU64::new(u64::MAX),
        }
    }
}

impl Interrupts {
    /// Notes that line `number` has come in.
    pub fn note_line(&self, number: u64) {
        self.last_line.fetch_max(number, SeqCst);
    }

    /// Notes that line `number` is one that ends a running search.
    pub fn note_urgent(&self, number: u64) {
        self.last_urgent.fetch_max(number, SeqCst);
    }

    /// Ends all searches `grace` from now.
    pub fn close_after(&self, grace: Duration) {
        let at = (self.epoch.elapsed() + grace).as_micros();
        self.closing.fetch_min(u64::try_from(at).unwrap_or(u64::MAX), SeqCst);
    }

    /// Whether all searches must be over.
    fn is_closed(&self) -> bool {
        let closing = self.closing.load(SeqCst);
        closing != u64::MAX && self.epoch.elapsed().as_micros() >= u128::from(closing)
    }
}

/// Which lines end a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obeys {
    /// Any line: for searches that nobody waits for.
    AnyLine,
    /// Only lines that were noted as urgent.
    UrgentLines,
}

/// Tells a search when to stop.
#[derive(Clone, Debug)]
pub struct StopToken {
    interrupts: Arc<Interrupts>,
    obeys: Obeys,
    /// Number of the line that started the search.
    line: u64,
    /// Others whose closing ends the search as well; their lines do not.
    others: Vec<Arc<Interrupts>>,
    /// Whether somebody who asked was told to stop. Copies share it.
    has_stopped: Arc<AtomicBool>,
}

impl StopToken {
    /// A token that never stops a search.
    pub fn never() -> StopToken {
        StopToken::on_urgent_line(&Arc::default(), 0)
    }

    /// Stops at any line after number `line`.
    pub fn on_any_line(interrupts: &Arc<Interrupts>, line: u64) -> StopToken {
        StopToken::after(interrupts, line, Obeys::AnyLine)
    }

    /// Stops at an urgent line after number `line`.
    pub fn on_urgent_line(interrupts: &Arc<Interrupts>, line: u64) -> StopToken {
        StopToken::after(interrupts, line, Obeys::UrgentLines)
    }

    /// Stops at a line after number `line` that it obeys.
    pub fn after(interrupts: &Arc<Interrupts>, line: u64, obeys: Obeys) -> StopToken {
        let (interrupts, has_stopped) = (Arc::clone(interrupts), Arc::default());
        StopToken { interrupts, obeys, line, others: Vec::new(), has_stopped }
    }

    /// The same token, which also stops once searching by `other` is over.
    #[must_use]
    pub fn until_closed(mut self, other: &Arc<Interrupts>) -> StopToken {
        self.others.push(Arc::clone(other));
        self
    }

    /// Whether the search must end.
    pub fn is_stopped(&self) -> bool {
        let is_stopped = self.is_interrupted()
            || self.interrupts.is_closed()
            || self.others.iter().any(|other| other.is_closed());
        if is_stopped {
            self.has_stopped.store(true, SeqCst);
        }
        is_stopped
    }

    /// Whether the search was told to end. What comes after its last question did not end it.
    pub fn has_stopped(&self) -> bool {
        self.has_stopped.load(SeqCst)
    }

    /// The lines at which it stops.
    pub const fn obeys(&self) -> Obeys {
        self.obeys
    }

    /// Whether a line that it obeys has come.
    pub fn is_interrupted(&self) -> bool {
        let newest = match self.obeys {
            Obeys::AnyLine => self.interrupts.last_line.load(SeqCst),
            Obeys::UrgentLines => self.interrupts.last_urgent.load(SeqCst),
        };
        newest > self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_before_the_start_counts_and_one_before_the_line_does_not() {
        let interrupts = Arc::new(Interrupts::default());
        interrupts.note_line(5);
        interrupts.note_urgent(5);
        assert!(StopToken::on_urgent_line(&interrupts, 4).is_stopped());
        assert!(!StopToken::on_urgent_line(&interrupts, 5).is_stopped());
        interrupts.note_line(6);
        assert!(StopToken::on_any_line(&interrupts, 5).is_stopped());
        assert!(!StopToken::on_urgent_line(&interrupts, 5).is_stopped());
    }

    #[test]
    fn closing_ends_everything() {
        let interrupts = Arc::new(Interrupts::default());
        let token = StopToken::on_urgent_line(&interrupts, 0);
        interrupts.close_after(Duration::from_secs(60));
        assert!(!token.is_stopped());
        interrupts.close_after(Duration::ZERO);
        assert!(!token.clone().has_stopped(), "nobody has asked since");
        assert!(token.is_stopped() && !token.is_interrupted());
        assert!(token.clone().has_stopped());
    }

    #[test]
    fn others_end_a_search_by_closing_and_not_by_their_lines() {
        let (own, first, second) = (Arc::default(), Arc::default(), Arc::default());
        let token = StopToken::on_any_line(&own, 0).until_closed(&first).until_closed(&second);
        second.note_line(7);
        second.note_urgent(7);
        assert!(!token.is_stopped());
        second.close_after(Duration::ZERO);
        assert!(token.is_stopped() && !token.is_interrupted());
        assert!(!StopToken::on_any_line(&own, 0).until_closed(&first).is_stopped());
    }
}
