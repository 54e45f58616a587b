//! The hunt for faults: random trials, each with a seed of its own, which a failure prints.
//!
//! The usual tests run a few trials of each hunt, always the same ones. The long tests try other seeds each time, for as many
//! seconds as `OTHELLIER_HUNT_SECONDS` says (60):
//!
//!     OTHELLIER_HUNT_SECONDS=3600 cargo test --test it hunt::kills -- --ignored --nocapture
//!
//! With `OTHELLIER_HUNT_SEED=N` the same test begins with that trial, which repeats it.

pub mod engines;
mod files;
mod kills;
mod requests;
mod stopped;

use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

/// The random draws of a trial.
pub struct Random {
    generator: Xoshiro256PlusPlus,
    /// Whether the trial may take long.
    is_long: bool,
}

impl Random {
    fn new(seed: u64, is_long: bool) -> Random {
        Random { generator: Xoshiro256PlusPlus::seed_from_u64(seed), is_long }
    }

    /// A number below `bound`, which is not 0.
    fn below(&mut self, bound: usize) -> usize {
        (self.generator.next_u64() % bound as u64) as usize
    }

    /// True with a chance of one in `n`.
    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// One of the texts that are separated by `|`.
    fn word<'a>(&mut self, words: &'a str) -> &'a str {
        self.pick(&words.split('|').collect::<Vec<_>>())
    }
}

/// A number from the environment.
fn setting<T: FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

/// Names the seed of a trial that fails.
struct Shown(&'static str, u64);

impl Drop for Shown {
    fn drop(&mut self) {
        if thread::panicking() {
            tell(&format!("hunt of {} failed: OTHELLIER_HUNT_SEED={}", self.0, self.1));
        }
    }
}

/// Writes a line that shows whether the test fails or not.
fn tell(line: &str) {
    drop(writeln!(std::io::stderr(), "{line}"));
}

/// Runs `n_trials` trials, the same ones each time.
fn few(name: &'static str, n_trials: u64, trial: impl FnMut(&mut Random)) {
    let first = setting("OTHELLIER_HUNT_SEED").unwrap_or(1);
    hunt(name, first, false, |n| n < n_trials, trial);
}

/// Runs trials for as long as the environment says.
fn many(name: &'static str, trial: impl FnMut(&mut Random)) {
    // A random first seed, far from that of the next hunt.
    let first = setting("OTHELLIER_HUNT_SEED");
    let first = first.unwrap_or_else(|| RandomState::new().hash_one(name) >> 1);
    let length = Duration::from_secs(setting("OTHELLIER_HUNT_SECONDS").unwrap_or(60));
    let start = Instant::now();
    hunt(name, first, true, |n| n == 0 || start.elapsed() < length, trial);
}

fn hunt(
    name: &'static str,
    first: u64,
    is_long: bool,
    goes_on: impl Fn(u64) -> bool,
    mut trial: impl FnMut(&mut Random),
) {
    let start = Instant::now();
    let mut n_trials = 0;
    while goes_on(n_trials) {
        let shown = Shown(name, first + n_trials);
        trial(&mut Random::new(first + n_trials, is_long));
        drop(shown);
        n_trials += 1;
    }
    tell(&format!(
        "hunt of {name}: {n_trials} trials from seed {first} in {:.1?}",
        start.elapsed()
    ));
}
