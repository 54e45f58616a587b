//! Cancels an event or a single player.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::search::Interrupts;

/// Stops games at once, even within a move: searches in this process as well as waiting for other processes. Clones share one state;
/// a call is final.
#[derive(Clone, Debug)]
pub struct Halt {
    /// `None` once it has been called.
    sender: Arc<Mutex<Option<Sender<()>>>>,
    called: Receiver<()>,
    interrupts: Arc<Interrupts>,
}

impl Default for Halt {
    fn default() -> Halt {
        let (sender, called) = bounded(0);
        Halt { sender: Arc::new(Mutex::new(Some(sender))), called, interrupts: Arc::default() }
    }
}

impl Halt {
    /// Stops everything; returns whether this was the first call.
    pub fn call(&self) -> bool {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.interrupts.close_after(Duration::ZERO);
        sender.is_some()
    }

    /// Whether it has been called.
    pub fn is_called(&self) -> bool {
        self.sender.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// A channel that is closed by the call and never carries a message.
    pub(super) const fn called(&self) -> &Receiver<()> {
        &self.called
    }

    /// The interrupts that stop searches.
    pub(super) const fn interrupts(&self) -> &Arc<Interrupts> {
        &self.interrupts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::StopToken;

    #[test]
    fn it_is_called_once_and_all_clones_know() {
        let halt = Halt::default();
        let other = halt.clone();
        let token = StopToken::never().until_closed(other.interrupts());
        assert!(!halt.is_called() && !token.is_stopped());
        assert!(halt.called().try_recv().is_err_and(|error| error.is_empty()));
        assert!(other.call() && !halt.call());
        assert!(halt.is_called() && token.is_stopped());
        assert!(halt.called().try_recv().is_err_and(|error| error.is_disconnected()));
    }
}
