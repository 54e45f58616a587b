//! The console's options: `[set] NAME [=] VALUE`, on the command line `-NAME VALUE`.

use std::time::Duration;

use super::{Action, Edax, number, warning};
use crate::clock::{Control, clock_time};
use crate::engine::Pace;
use crate::engine::level::MAX_LEVEL;
use crate::engine::settings::HASH;
use crate::protocol::session::Session;

/// The options that have an effect.
pub(super) const NAMES: &str = "verbose noise width level depth move-time game-time n-tasks hash-table-size ponder \
    book-usage book-randomness mode pass name";

/// Options of Edax that change nothing here: files, logs, habits of its games.
const IDLE: &str = "selectivity alpha beta all-best o option-file speed nps game-file eval-file book-file \
    search-log-file ui-log-file ggs-log-file echo auto-start auto-store auto-swap auto-quit repeat probcut-d pv-debug";

/// The size of a table given as the binary logarithm of its number of entries, in MiB: an entry has 24 bytes in Edax.
pub fn megabytes(bits: u64) -> usize {
    ((24u64 << bits.min(32) >> 20) as usize).clamp(*HASH.start(), *HASH.end())
}

/// Reads `on` or `off` in Edax's words.
pub fn switch(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" | "1" => Some(true),
        "off" | "false" | "no" | "0" => Some(false),
        _ => None,
    }
}

impl Edax {
    /// Sets an option; `None` if there is no such option, or it has no value.
    pub(super) fn option(
        &mut self,
        name: &str,
        value: &str,
        session: &mut Session,
    ) -> Option<Vec<Action>> {
        match name {
            "q" => self.verbosity = 0,
            "vv" => self.verbosity = 2,
            "info" | "cpu" | "debug-cassio" | "follow-cassio" => {}
            _ if value.is_empty() => return None,
            _ if IDLE.split(' ').any(|idle| idle == name) => {}
            "pass" => match value.to_ascii_uppercase().as_str() {
                "PA" | "PS" => self.is_pass_old = value.eq_ignore_ascii_case("ps"),
                _ => return Some(vec![no_value(name, value)]),
            },
            "name" => session.name = crate::protocol::echo(value.as_bytes(), super::MAX_TEXT),
            "verbose" => return Some(self.bounded(name, value, 4, |edax, n| edax.verbosity = n)),
            "noise" => return Some(self.bounded(name, value, 60, |edax, n| edax.noise = n)),
            "width" => {
                return Some(self.bounded(name, value, 250, |edax, n| edax.width = n as usize));
            }
            "mode" => return Some(self.bounded(name, value, 3, |edax, n| edax.mode = n)),
            "l" | "level" | "d" | "depth" => {
                return Some(self.bounded(name, value, MAX_LEVEL, |_, n| {
                    let n = Some(n.max(1));
                    let is_level = name.starts_with('l');
                    let pace = Pace::timed(Control::Unlimited);
                    let level = if is_level { n } else { None };
                    session.set_pace(Pace { level, depth: n.filter(|_| !is_level), ..pace });
                }));
            }
            "t" | "game-time" | "move-time" => {
                let Some(time) = clock_time(value).filter(|time| !time.is_zero()) else {
                    return Some(vec![no_value(name, value)]);
                };
                let game = Control::Game { main: time, increment: Duration::ZERO };
                let control = if name == "move-time" { Control::Move(time) } else { game };
                session.set_pace(Pace::timed(control));
            }
            _ => return setting(name, value, session),
        }
        Some(Vec::new())
    }

    /// Sets a number that is brought within its range.
    fn bounded(
        &mut self,
        name: &str,
        value: &str,
        most: u32,
        set: impl FnOnce(&mut Edax, u32),
    ) -> Vec<Action> {
        let Some(n) = number(value) else { return vec![no_value(name, value)] };
        set(self, n.min(most));
        if n <= most {
            return Vec::new();
        }
        vec![warning(&format!("{name} = {n} is out of range. Set to {most}"))]
    }
}

fn no_value(name: &str, value: &str) -> Action {
    let value = crate::protocol::echo(value.as_bytes(), super::MAX_TEXT);
    warning(&format!("{name} cannot be \"{value}\""))
}

/// Sets what the engine calls by another name.
fn setting(name: &str, value: &str, session: &mut Session) -> Option<Vec<Action>> {
    let config = &mut session.options.engine;
    let bits = || {
        let bits = number(value).filter(|&bits| bits <= 32)?;
        Some(megabytes(u64::from(bits)).to_string())
    };
    let done = match name {
        "n" | "n-tasks" => Some(session.set("threads", value).is_ok()),
        "h" | "hash-table-size" => bits().map(|n| session.set("hash", &n).is_ok()),
        "book-randomness" => Some(session.set("book-variety", value).is_ok()),
        "ponder" => {
            switch(value).map(|on| session.set("ponder", if on { "on" } else { "off" }).is_ok())
        }
        "book-usage" => switch(value).map(|on| {
            config.book = session.book.clone().filter(|_| on);
            true
        }),
        _ => return None,
    };
    if done != Some(true) {
        return Some(vec![no_value(name, value)]);
    }
    Some(vec![Action::Configure(session.options.engine.clone())])
}
