//! A thread that serves one request at a time.
//!
//! Requests are numbered, and a newer one ends the older ones. Nobody waits for the thread: when dismissed, it ends as soon as it can.

use std::thread::JoinHandle;

use crossbeam_channel::{Sender, unbounded};

use super::event::Id;
use crate::engine::STACK;
use crate::search::Stop;

#[derive(Debug)]
pub(super) struct Attendant<R> {
    requests: Sender<(Id, R, Stop)>,
    last_id: Id,
    /// Ends the requests with the last id.
    stop: Stop,
    /// Ends all requests; set when the attendant is dismissed.
    gone: Stop,
    thread: JoinHandle<()>,
}

impl<R: Send + 'static> Attendant<R> {
    /// Starts a thread, which calls `init` with the stop of its dismissal and then the function it returns for each request.
    pub fn start<F: FnMut(Id, R, &Stop)>(
        name: &str,
        init: impl FnOnce(Stop) -> F + Send + 'static,
    ) -> std::io::Result<Attendant<R>> {
        let (requests, queue) = unbounded::<(Id, R, Stop)>();
        let gone = Stop::new();
        let stop = gone.clone();
        let thread = std::thread::Builder::new().name(name.into()).stack_size(STACK);
        let thread = thread.spawn(move || {
            let mut serve = init(stop);
            for (id, request, stop) in queue {
                serve(id, request, &stop);
            }
        })?;
        Ok(Attendant { requests, last_id: 0, stop: gone.child(), gone, thread })
    }

    /// Sends a request and ends all earlier ones.
    pub fn ask(&mut self, id: Id, request: R) {
        self.stop.set();
        self.stop = self.gone.child();
        self.last_id = id;
        self.tell(request);
    }

    /// Sends a request that ends no other one and needs no answer.
    pub fn tell(&self, request: R) {
        // The thread outlives this handle.
        drop(self.requests.send((self.last_id, request, self.stop.clone())));
    }

    /// Ends the running request: a search answers at once with its best move so far.
    pub fn hurry(&self) {
        self.stop.set();
    }

    /// Dismisses the attendant; its thread ends soon.
    pub fn leave(self) -> JoinHandle<()> {
        self.gone.set();
        self.thread
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::{Receiver, bounded};
    use std::time::Duration;

    /// Longer than anything here takes on a busy machine.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// An attendant that works on each request until stopped, and reports when it begins and ends one, and when it leaves.
    fn diligent() -> (Attendant<char>, Receiver<String>) {
        struct Leaves(Sender<String>);
        impl Drop for Leaves {
            fn drop(&mut self) {
                self.0.send("left".into()).unwrap();
            }
        }
        let (sender, said) = bounded(16);
        let attendant = Attendant::start("test", move |gone| {
            let leaves = Leaves(sender);
            move |id, request, stop: &Stop| {
                leaves.0.send(format!("{request}{id}")).unwrap();
                while !stop.is_stopped() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                leaves.0.send(format!("{request} over, gone {}", gone.is_stopped())).unwrap();
            }
        });
        (attendant.unwrap(), said)
    }

    #[test]
    fn a_request_ends_by_a_newer_one_by_hurrying_and_by_leaving() {
        let (mut attendant, said) = diligent();
        let next = || said.recv_timeout(PATIENCE).unwrap();
        attendant.ask(1, 'a');
        assert_eq!(next(), "a1");
        attendant.ask(2, 'b');
        assert_eq!([next(), next()], ["a over, gone false", "b2"]);
        attendant.hurry();
        assert_eq!(next(), "b over, gone false");
        // `hurry` ends the last request, not the next one.
        attendant.ask(3, 'c');
        assert_eq!(next(), "c3");
        attendant.tell('d');
        assert!(said.recv_timeout(Duration::from_millis(20)).is_err(), "it ends nothing");
        let thread = attendant.leave();
        assert_eq!([next(), next()], ["c over, gone true", "d3"]);
        assert_eq!([next(), next()], ["d over, gone true", "left"]);
        thread.join().unwrap();
    }
}
