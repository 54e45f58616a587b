//! The evaluation, which loads in a thread of its own: a search with little time need not wait for it.

use std::sync::Arc;
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

use crate::book::Book;
use crate::evaluation::terms::Terms;
use crate::evaluation::{Evaluation, Source};
use crate::journal::Recorder;
use crate::search::Stop;

/// Stack in bytes of the thread that unpacks weights: less than the default, so that it starts where memory is short.
const STACK: usize = 1 << 20;

/// Polling interval while waiting for the evaluation.
const INTERVAL: Duration = Duration::from_millis(1);

/// An evaluation that is ready or still loading.
#[derive(Debug)]
pub(super) enum Loading {
    Ready(Evaluation),
    /// The thread is not joined on drop: the end of the program does not wait for it.
    Underway {
        thread: Option<JoinHandle<Evaluation>>,
        recorder: Recorder,
    },
}

impl Loading {
    /// Starts loading an evaluation in a thread. If the system refuses the thread, loads the evaluation before returning.
    pub fn start(source: &Source, recorder: &Recorder) -> Loading {
        if *source == Source::Terms {
            return Loading::Ready(Evaluation::Terms(Terms));
        }
        let (wanted, noting) = (source.clone(), recorder.clone());
        let thread = std::thread::Builder::new().name("weights".into()).stack_size(STACK);
        match thread.spawn(move || load(&wanted, &noting)) {
            Ok(thread) => Loading::underway(thread, recorder.clone()),
            Err(_) => Loading::Ready(load(source, recorder)),
        }
    }

    /// An evaluation that `thread` loads.
    pub const fn underway(thread: JoinHandle<Evaluation>, recorder: Recorder) -> Loading {
        Loading::Underway { thread: Some(thread), recorder }
    }

    /// The evaluation, if it is ready.
    pub const fn get(&self) -> Option<&Evaluation> {
        match self {
            Loading::Ready(evaluation) => Some(evaluation),
            Loading::Underway { .. } => None,
        }
    }

    /// Waits until the evaluation is ready, the time `until` is reached, or the stop is set.
    pub fn wait(&mut self, until: Option<Instant>, stop: &Stop) {
        while let Loading::Underway { thread, recorder } = self {
            if thread.as_ref().is_none_or(JoinHandle::is_finished) {
                let loaded = thread.take().and_then(|thread| thread.join().ok());
                let evaluation = loaded.unwrap_or_else(|| {
                    recorder.error("loading the weights panicked; using the classic terms");
                    Evaluation::Terms(Terms)
                });
                *self = Loading::Ready(evaluation);
                return;
            }
            if stop.is_stopped() || until.is_some_and(|until| Instant::now() >= until) {
                return;
            }
            sleep(INTERVAL);
        }
    }
}

/// Unpacks a book in a thread of its own. If the system refuses the thread, the first look-up unpacks the book.
pub(super) fn unpack(book: &Arc<Book>) {
    if !book.is_unpacked() {
        let book = Arc::clone(book);
        drop(std::thread::Builder::new().name("book".into()).spawn(move || book.prepare()));
    }
}

/// The evaluation of a source that the caller has validated; the embedded weights if it fails to load all the same.
fn load(source: &Source, recorder: &Recorder) -> Evaluation {
    Evaluation::load(source).unwrap_or_else(|error| {
        recorder.error(format_args!("{error}; using the embedded weights"));
        Evaluation::embedded()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Entry;
    use std::sync::mpsc;

    #[test]
    fn nobody_waits_longer_than_told() {
        let (sender, gate) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            gate.recv().unwrap();
            Evaluation::Terms(Terms)
        });
        let mut loading = Loading::underway(thread, Recorder::default());
        let never = Stop::new();
        loading.wait(Some(Instant::now()), &never);
        assert!(loading.get().is_none());
        let stopped = Stop::new();
        stopped.set();
        loading.wait(None, &stopped);
        assert!(loading.get().is_none());
        sender.send(()).unwrap();
        loading.wait(None, &never);
        assert!(loading.get().is_some());
    }

    #[test]
    fn a_panic_leaves_the_classic_terms() {
        let (sender, entries) = mpsc::channel();
        let recorder = Recorder::new(move |entry| drop(sender.send(entry)));
        let mut loading = Loading::underway(std::thread::spawn(|| panic!("a test")), recorder);
        loading.wait(None, &Stop::new());
        assert!(matches!(entries.try_recv(), Ok(Entry::Error(_))));
        assert!(matches!(loading.get(), Some(Evaluation::Terms(_))));
    }
}
