//! The evaluation and the book, which load in threads of their own while the first commands are read.

use std::sync::Arc;
use std::thread::{Builder, sleep};
use std::time::{Duration, Instant};

use crate::book::Book;
use crate::evaluation::Source;
use crate::search::Stop;

/// Stack in bytes of the thread that unpacks weights: less than the default, so that it starts where memory is short.
const STACK: usize = 1 << 20;

const INTERVAL: Duration = Duration::from_millis(1);

/// If the system refuses the thread, loads it before returning.
pub(super) fn load(evaluation: &Source) {
    let wanted = evaluation.clone();
    let thread = Builder::new().name("weights".into()).stack_size(STACK);
    if !evaluation.is_loaded() && thread.spawn(move || wanted.load()).is_err() {
        evaluation.load();
    }
}

pub(super) fn wait(is_loaded: impl Fn() -> bool, until: Option<Instant>, stop: &Stop) {
    let is_over = || stop.is_stopped() || until.is_some_and(|until| Instant::now() >= until);
    while !is_loaded() && !is_over() {
        sleep(INTERVAL);
    }
}

/// Like [`load`].
pub(super) fn unpack(book: &Arc<Book>) {
    let wanted = Arc::clone(book);
    let thread = Builder::new().name("book".into());
    if !book.is_unpacked() && thread.spawn(move || wanted.prepare()).is_err() {
        book.prepare();
    }
}
