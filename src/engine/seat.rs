//! The thread of somebody who thinks: an engine, a player, an adviser.

use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, Sender, unbounded};

use crate::search::Stop;

/// Stack in bytes of a thread that searches.
pub const STACK: usize = 16 << 20;

/// After so long without a request, whoever serves may prepare for the next one.
const IDLE: Duration = Duration::from_millis(5);

/// Who serves the requests of a seat.
pub trait Serve<R> {
    /// Serves a request made at `asked`, when a clock may have begun to run, and sends its answers itself. `stop` ends it.
    fn serve(&mut self, request: R, asked: Instant, stop: &Stop);

    /// Prepares for the next request, in little time; called again and again until it returns `true`.
    fn idle(&mut self) -> bool {
        true
    }
}

struct Asked<R> {
    request: R,
    at: Instant,
    stop: Stop,
}

/// A handle on a thread that serves requests in their order; dropping it ends them and joins the thread.
#[derive(Debug)]
pub struct Seat<R> {
    /// `None` only while the handle is dropped.
    requests: Option<Sender<Asked<R>>>,
    /// Ends the newest request.
    newest: Stop,
    /// Ends all requests.
    gone: Stop,
    thread: Option<JoinHandle<()>>,
}

impl<R: Send + 'static> Seat<R> {
    /// Starts a thread with whom `make` returns there, given the stop of the seat's end. Fails if the system refuses the thread.
    pub fn start<S: Serve<R>>(
        name: &str,
        make: impl FnOnce(Stop) -> S + Send + 'static,
    ) -> std::io::Result<Seat<R>> {
        let (requests, queue) = unbounded::<Asked<R>>();
        let gone = Stop::new();
        let stop = gone.clone();
        let thread = std::thread::Builder::new().name(name.into()).stack_size(STACK);
        let thread = thread.spawn(move || {
            let mut server = make(stop);
            let mut is_ready = false;
            loop {
                let next = match is_ready {
                    true => queue.recv().map_err(RecvTimeoutError::from),
                    false => queue.recv_timeout(IDLE),
                };
                match next {
                    Ok(Asked { request, at, stop }) => server.serve(request, at, &stop),
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => {
                        is_ready = server.idle();
                        continue;
                    }
                }
                is_ready = false;
            }
        })?;
        let newest = gone.child();
        Ok(Seat { requests: Some(requests), newest, gone, thread: Some(thread) })
    }

    /// Queues a request, which ends by `stop` or with the seat.
    pub fn queue(&mut self, request: R, stop: &Stop) {
        self.newest = stop.or(&self.gone);
        self.tell(request);
    }

    /// Ends the newest request and queues another.
    pub fn ask(&mut self, request: R) {
        self.hurry();
        self.queue(request, &Stop::new());
    }

    /// Queues a request that ends together with the newest one.
    pub fn tell(&self, request: R) {
        let asked = Asked { request, at: Instant::now(), stop: self.newest.clone() };
        if let Some(requests) = &self.requests
            && requests.send(asked).is_err()
        {
            log::warn!("nobody serves any more");
        }
    }

    /// Ends the newest request: a search answers at once with its best move so far.
    pub fn hurry(&self) {
        self.newest.set();
    }

    /// Lets the thread end by itself, soon.
    pub fn leave(mut self) -> Option<JoinHandle<()>> {
        self.gone.set();
        self.thread.take()
    }
}

impl<R> Drop for Seat<R> {
    fn drop(&mut self) {
        self.gone.set();
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            let name = thread.thread().name().unwrap_or_default().to_owned();
            if thread.join().is_err() {
                log::error!("the thread '{name}' panicked");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::{Receiver, bounded};

    /// Longer than anything here takes on a busy machine.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// Works on each request until stopped, and reports when it begins and ends one, and when it leaves.
    struct Diligent {
        said: Sender<String>,
        gone: Stop,
    }

    impl Serve<char> for Diligent {
        fn serve(&mut self, request: char, _: Instant, stop: &Stop) {
            self.said.send(request.to_string()).unwrap();
            while !stop.is_stopped() {
                std::thread::sleep(Duration::from_millis(1));
            }
            self.said.send(format!("{request} over, gone {}", self.gone.is_stopped())).unwrap();
        }
    }

    impl Drop for Diligent {
        fn drop(&mut self) {
            self.said.send("left".into()).unwrap();
        }
    }

    fn diligent() -> (Seat<char>, Receiver<String>) {
        let (said, heard) = bounded(16);
        (Seat::start("test", |gone| Diligent { said, gone }).unwrap(), heard)
    }

    #[test]
    fn a_request_ends_by_a_newer_one_by_hurrying_and_by_leaving() {
        let (mut seat, said) = diligent();
        let next = || said.recv_timeout(PATIENCE).unwrap();
        seat.ask('a');
        assert_eq!(next(), "a");
        seat.ask('b');
        assert_eq!([next(), next()], ["a over, gone false", "b"]);
        seat.hurry();
        assert_eq!(next(), "b over, gone false");
        // `hurry` ends the last request, not the next one.
        seat.ask('c');
        assert_eq!(next(), "c");
        seat.tell('d');
        assert!(said.recv_timeout(Duration::from_millis(20)).is_err(), "it ends nothing");
        let thread = seat.leave().unwrap();
        assert_eq!([next(), next()], ["c over, gone true", "d"]);
        assert_eq!([next(), next()], ["d over, gone true", "left"]);
        thread.join().unwrap();
    }

    #[test]
    fn an_idle_seat_prepares_until_it_is_ready() {
        struct Prepares(Sender<&'static str>, u32);
        impl Serve<()> for Prepares {
            fn serve(&mut self, (): (), _: Instant, _: &Stop) {
                self.0.send("served").unwrap();
            }
            fn idle(&mut self) -> bool {
                self.0.send("idle").unwrap();
                self.1 += 1;
                self.1.is_multiple_of(2)
            }
        }
        let (said, heard) = bounded(16);
        let mut seat = Seat::start("test", |_| Prepares(said, 0)).unwrap();
        let next = || heard.recv_timeout(PATIENCE).unwrap();
        assert_eq!([next(), next()], ["idle", "idle"]);
        assert!(heard.recv_timeout(Duration::from_millis(20)).is_err(), "it is ready");
        seat.queue((), &Stop::new());
        assert_eq!([next(), next(), next()], ["served", "idle", "idle"]);
    }
}
