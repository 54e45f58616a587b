//! A worker's evaluation, made ready by a thread of its own: a search with little time need not wait for it.

use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

use crate::evaluation::terms::Terms;
use crate::evaluation::{Evaluation, Source};
use crate::search::StopToken;

/// Stack in bytes of the thread that unpacks weights: it is needed where memory is short.
const STACK: usize = 1 << 20;

/// Time between two looks whether the evaluation is there.
const INTERVAL: Duration = Duration::from_millis(1);

/// An evaluation that is there, or will be.
#[derive(Debug)]
pub(super) enum Loading {
    Ready(Evaluation),
    /// Not joined when dropped: the end of the program does not wait for it.
    Underway(Option<JoinHandle<Evaluation>>),
}

impl Loading {
    /// Begins to make an evaluation ready; where the system refuses a thread, it is ready at once.
    pub fn start(source: &Source) -> Loading {
        if *source == Source::Terms {
            return Loading::Ready(Evaluation::Terms(Terms));
        }
        let wanted = source.clone();
        let thread = std::thread::Builder::new().name("weights".into()).stack_size(STACK);
        match thread.spawn(move || load(&wanted)) {
            Ok(thread) => Loading::Underway(Some(thread)),
            Err(_) => Loading::Ready(load(source)),
        }
    }

    /// The evaluation, if it is there.
    pub const fn get(&self) -> Option<&Evaluation> {
        match self {
            Loading::Ready(evaluation) => Some(evaluation),
            Loading::Underway(_) => None,
        }
    }

    /// Waits for the evaluation, no longer than `until` and no further than a stop.
    pub fn wait(&mut self, until: Option<Instant>, stop: &StopToken) {
        while let Loading::Underway(thread) = self {
            if thread.as_ref().is_none_or(JoinHandle::is_finished) {
                let loaded = thread.take().and_then(|thread| thread.join().ok());
                *self = Loading::Ready(loaded.unwrap_or_else(|| {
                    log::error!("loading the weights panicked; using the classic terms");
                    Evaluation::Terms(Terms)
                }));
                return;
            }
            if stop.is_stopped() || until.is_some_and(|until| Instant::now() >= until) {
                return;
            }
            sleep(INTERVAL);
        }
    }
}

/// The evaluation asked for; whoever asks has made sure that there is one.
fn load(source: &Source) -> Evaluation {
    Evaluation::load(source).unwrap_or_else(|error| {
        log::error!("{error}; using the embedded weights");
        Evaluation::embedded()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn nobody_waits_longer_than_told() {
        let (sender, gate) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            gate.recv().unwrap();
            Evaluation::Terms(Terms)
        });
        let mut loading = Loading::Underway(Some(thread));
        let never = StopToken::never();
        loading.wait(Some(Instant::now()), &never);
        assert!(loading.get().is_none());
        let interrupts = std::sync::Arc::default();
        let stopped = StopToken::on_any_line(&interrupts, 0);
        interrupts.note_line(1);
        loading.wait(None, &stopped);
        assert!(loading.get().is_none());
        sender.send(()).unwrap();
        loading.wait(None, &never);
        assert!(loading.get().is_some());
    }

    #[test]
    fn a_panic_leaves_the_classic_terms() {
        let mut loading = Loading::Underway(Some(std::thread::spawn(|| panic!("a test"))));
        loading.wait(None, &StopToken::never());
        assert!(matches!(loading.get(), Some(Evaluation::Terms(_))));
    }
}
