//! Long jobs: units of work, mostly numbers, done by several threads.
//!
//! A unit's result depends on the unit alone, so neither the number of threads nor a split over several machines changes what
//! comes out.

pub mod part;
pub mod shard;

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::engine::STACK;
use crate::search::Stop;

#[derive(Clone, Copy, Debug)]
pub struct Pool<'a> {
    /// Threads, at least 1; fewer work if the system refuses some.
    pub n_threads: usize,
    pub order: Order,
    /// Ends the job when it is set, after the units under way. Set by the job itself when it ends early, so that these may
    /// look at it and break off.
    pub stop: &'a Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As the units were given. Results that are early wait; threads too far ahead wait with them.
    ByNumber,
    AsFinished,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Complete,
    /// Before that: from outside, by `work` or by `take`.
    Stopped,
}

/// Results that may wait for an earlier one, those under way included.
const MAX_WAITING: usize = 1024;

/// Runs all units. Each thread calls `init` once for what it keeps between units, such as a table or players, then `work` for each
/// unit; `Ok(None)` cancels the job. `take` gets the results one at a time, each before its thread goes on, and ends the job with
/// [`ControlFlow::Break`]. `units` may wait for its next one, such as a line of input: results are taken meanwhile.
pub fn run<S, U: Send, T: Send>(
    units: impl Iterator<Item = U> + Send,
    pool: Pool<'_>,
    init: impl Fn() -> anyhow::Result<S> + Sync,
    work: impl Fn(&mut S, &U) -> anyhow::Result<Option<T>> + Sync,
    take: impl FnMut(U, T) -> anyhow::Result<ControlFlow<()>> + Send,
) -> anyhow::Result<Ended> {
    let queue = Queue {
        units: Mutex::new(units),
        state: Mutex::new(State {
            take,
            slots: VecDeque::new(),
            n_taken: 0,
            ended: None,
            error: None,
            ready: Err(None),
        }),
        has_room: Condvar::new(),
        pool,
    };
    std::thread::scope(|scope| {
        for index in 0..pool.n_threads.max(1) {
            let (queue, init, work) = (&queue, &init, &work);
            let thread =
                std::thread::Builder::new().name(format!("batch {index}")).stack_size(STACK);
            let serve = move || match init() {
                Ok(mut own) => {
                    queue.lock().ready = Ok(());
                    while let Some((ticket, unit)) = queue.next_unit() {
                        let result = work(&mut own, &unit);
                        queue.submit(ticket, unit, result);
                    }
                }
                Err(error) => queue.lock().cannot_init(error),
            };
            if let Err(error) = thread.spawn_scoped(scope, serve) {
                if index > 0 {
                    log::warn!("working with {index} threads: {error}");
                    break;
                }
                queue.lock().fail(anyhow::Error::new(error).context("cannot start a thread"));
            }
        }
    });
    let state = queue.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = state.error {
        return Err(error);
    }
    if let Err(Some(error)) = state.ready {
        return Err(error);
    }
    Ok(state.ended.unwrap_or(Ended::Complete))
}

struct Queue<'a, I, F, U, T> {
    /// Held while the next unit is awaited. Whoever holds it may lock the state, never the other way round.
    units: Mutex<I>,
    state: Mutex<State<F, U, T>>,
    has_room: Condvar,
    pool: Pool<'a>,
}

struct State<F, U, T> {
    take: F,
    /// With [`Order::ByNumber`]: results by ticket, those not there yet empty; the first has the ticket `n_taken`.
    slots: VecDeque<Option<(U, T)>>,
    n_taken: u64,
    ended: Option<Ended>,
    error: Option<anyhow::Error>,
    /// Whether a thread is ready to work, or why the last one is not.
    ready: Result<(), Option<anyhow::Error>>,
}

impl<F, U, T> State<F, U, T> {
    fn fail(&mut self, error: anyhow::Error) {
        self.error.get_or_insert(error);
        self.ended = Some(Ended::Stopped);
    }

    fn cannot_init(&mut self, error: anyhow::Error) {
        if self.ready.is_err() {
            self.ready = Err(Some(error));
        } else {
            log::warn!("working with a thread less: {error:#}");
        }
    }
}

impl<I, F, U, T> Queue<'_, I, F, U, T>
where
    I: Iterator<Item = U>,
    F: FnMut(U, T) -> anyhow::Result<ControlFlow<()>>,
{
    fn lock(&self) -> MutexGuard<'_, State<F, U, T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None` if there is nothing more to do.
    fn next_unit(&self) -> Option<(u64, U)> {
        let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.lock();
        // The thread with the oldest ticket is at work, so there will be room.
        while state.ended.is_none() && state.slots.len() >= MAX_WAITING {
            state = self.has_room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.ended.is_some() {
            return None;
        }
        if self.pool.stop.is_stopped() {
            state.ended = Some(Ended::Stopped);
            return None;
        }
        drop(state);
        // Without one, others may still be at work, and may still fail.
        let unit = units.next()?;
        let mut state = self.lock();
        if state.ended.is_some() {
            return None;
        }
        let ticket = state.n_taken + state.slots.len() as u64;
        if self.pool.order == Order::ByNumber {
            state.slots.push_back(None);
        }
        Some((ticket, unit))
    }

    fn submit(&self, ticket: u64, unit: U, result: anyhow::Result<Option<T>>) {
        let mut state = self.lock();
        let state = &mut *state;
        if state.ended.is_none() {
            match result {
                Err(error) => state.fail(error),
                Ok(None) => state.ended = Some(Ended::Stopped),
                Ok(Some(result)) if self.pool.order == Order::AsFinished => {
                    take(state, unit, result);
                }
                Ok(Some(result)) => {
                    state.slots[(ticket - state.n_taken) as usize] = Some((unit, result));
                    while state.ended.is_none()
                        && let Some((unit, result)) = state.slots.front_mut().and_then(Option::take)
                    {
                        state.slots.pop_front();
                        state.n_taken += 1;
                        take(state, unit, result);
                    }
                }
            }
        }
        if state.ended.is_some() {
            self.pool.stop.set();
        }
        self.has_room.notify_all();
    }
}

fn take<F, U, T>(state: &mut State<F, U, T>, unit: U, result: T)
where
    F: FnMut(U, T) -> anyhow::Result<ControlFlow<()>>,
{
    match (state.take)(unit, result) {
        Ok(ControlFlow::Continue(())) => {}
        Ok(ControlFlow::Break(())) => state.ended = Some(Ended::Stopped),
        Err(error) => state.fail(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    fn pool(n_threads: usize, order: Order, stop: &Stop) -> Pool<'_> {
        Pool { n_threads, order, stop }
    }

    /// The results of squaring the first units, and how it ended.
    fn squares(n: u64, n_threads: usize, order: Order) -> (Vec<(u64, u64)>, Ended) {
        let stop = Stop::new();
        let mut taken = Vec::new();
        let ended = run(
            0..n,
            pool(n_threads, order, &stop),
            || Ok(()),
            |(), &unit| Ok(Some(unit * unit)),
            |unit, square| {
                taken.push((unit, square));
                Ok(ControlFlow::Continue(()))
            },
        );
        (taken, ended.unwrap())
    }

    #[test]
    fn results_come_in_order_whatever_the_threads() {
        let expected: Vec<_> = (0..5000).map(|unit| (unit, unit * unit)).collect();
        for n_threads in [1, 2, 7] {
            assert_eq!(
                squares(5000, n_threads, Order::ByNumber),
                (expected.clone(), Ended::Complete)
            );
            let (mut taken, ended) = squares(5000, n_threads, Order::AsFinished);
            taken.sort_unstable();
            assert_eq!((taken, ended), (expected.clone(), Ended::Complete));
        }
        assert_eq!(squares(0, 3, Order::ByNumber), (Vec::new(), Ended::Complete));
    }

    #[test]
    fn nobody_gets_far_ahead_of_a_slow_unit() {
        let stop = Stop::new();
        let (begun, release) = (AtomicU64::new(0), (Mutex::new(false), Condvar::new()));
        let most = AtomicU64::new(0);
        let work = |(): &mut (), &unit: &u64| {
            begun.fetch_add(1, Relaxed);
            if unit == 0 {
                let mut is_free = release.0.lock().unwrap();
                while !*is_free {
                    is_free = release.1.wait(is_free).unwrap();
                }
            } else if unit == MAX_WAITING as u64 - 1 {
                // As far as the others can come without the first.
                most.store(begun.load(Relaxed), Relaxed);
                *release.0.lock().unwrap() = true;
                release.1.notify_all();
            }
            Ok(Some(unit))
        };
        let mut next = 0;
        let take = |unit, _| {
            assert_eq!(unit, next);
            next += 1;
            Ok(ControlFlow::Continue(()))
        };
        let ended = run(0..3000, pool(3, Order::ByNumber, &stop), || Ok(()), work, take);
        assert_eq!((ended.unwrap(), next), (Ended::Complete, 3000));
        assert!(most.into_inner() <= MAX_WAITING as u64);
    }

    #[test]
    fn early_exit_sets_the_stop_flag() {
        for order in [Order::ByNumber, Order::AsFinished] {
            let stop = Stop::new();
            let mut taken = 0;
            let take = |_, _| {
                taken += 1;
                Ok(if taken == 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            };
            let ended =
                run(0.., pool(2, order, &stop), || Ok(()), |(), &unit: &u64| Ok(Some(unit)), take);
            assert_eq!((ended.unwrap(), taken, stop.is_set()), (Ended::Stopped, 10, true));

            let stop = Stop::new();
            let work =
                |(): &mut (), &unit: &u64| if unit == 7 { bail!("unit 7") } else { Ok(Some(unit)) };
            let go_on = |_, _| Ok(ControlFlow::Continue(()));
            let error = run(0.., pool(2, order, &stop), || Ok(()), work, go_on).unwrap_err();
            assert_eq!((error.to_string(), stop.is_set()), ("unit 7".into(), true));

            let stop = Stop::new();
            let work = |(): &mut (), &unit: &u64| Ok((unit < 20).then_some(unit));
            let ended = run(0.., pool(2, order, &stop), || Ok(()), work, go_on);
            assert_eq!((ended.unwrap(), stop.is_set()), (Ended::Stopped, true));

            let stop = Stop::new();
            stop.set();
            let ended = run(0.., pool(2, order, &stop), || Ok(()), work, go_on);
            assert_eq!(ended.unwrap(), Ended::Stopped);

            let stop = Stop::new();
            let full = |_, _: u64| bail!("disk full");
            let error = run(0.., pool(2, order, &stop), || Ok(()), work, full).unwrap_err();
            assert_eq!(error.to_string(), "disk full");
        }
    }

    #[test]
    fn results_are_taken_while_the_next_unit_is_awaited() {
        for n_threads in [1, 2, 5] {
            let stop = Stop::new();
            let (ask, questions) = std::sync::mpsc::channel();
            let (tell, answers) = std::sync::mpsc::channel();
            std::thread::scope(|scope| {
                let stop = &stop;
                scope.spawn(move || {
                    let take = |unit, double| {
                        tell.send((unit, double))?;
                        Ok(ControlFlow::Continue(()))
                    };
                    let work = |(): &mut (), &unit: &u64| Ok(Some(2 * unit));
                    let pool = pool(n_threads, Order::ByNumber, stop);
                    assert_eq!(
                        run(questions.into_iter(), pool, || Ok(()), work, take).unwrap(),
                        Ended::Complete
                    );
                });
                for unit in 0..20 {
                    ask.send(unit).unwrap();
                    assert_eq!(answers.recv(), Ok((unit, 2 * unit)));
                }
                drop(ask);
            });
        }
    }

    #[test]
    fn one_thread_that_is_ready_is_enough() {
        let stop = Stop::new();
        let n_ready = AtomicU64::new(0);
        let init = |limit| {
            if n_ready.fetch_add(1, Relaxed) < limit { Ok(()) } else { bail!("no memory") }
        };
        let work = |(): &mut (), &unit: &u64| Ok(Some(unit));
        let go_on = |_, _| Ok(ControlFlow::Continue(()));
        let ended = run(0..100, pool(3, Order::ByNumber, &stop), || init(1), work, go_on);
        assert_eq!(ended.unwrap(), Ended::Complete);
        let error = run(0..100, pool(3, Order::ByNumber, &stop), || init(0), work, go_on);
        assert_eq!(error.unwrap_err().to_string(), "no memory");
    }
}
