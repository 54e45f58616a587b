//! Progress on standard error: one bar for all commands, which ticks each second and says how long the rest takes.

use std::fmt;
use std::io::IsTerminal;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// Units done, and the time since the start.
type Mark = (u64, Duration);

/// The rest of the `time` for the whole, if it is set, or else by the units since `first`: an earlier run's took no time.
fn left(length: Option<u64>, time: Option<Duration>, first: Mark, now: Mark) -> Option<Duration> {
    let by_units = length.filter(|_| now.0 > first.0).map(|length| {
        let rest = length.saturating_sub(now.0) as f64 / (now.0 - first.0) as f64;
        now.1.saturating_sub(first.1).mul_f64(rest)
    });
    time.map(|time| time.saturating_sub(now.1)).or(by_units)
}

/// A bar over `n` units called `what`, or a counter if their number is not known.
pub(super) fn over(n: Option<usize>, what: &str) -> ProgressBar {
    bar(what, n.map(|n| n as u64), None)
}

/// A bar over units called `what`, hidden unless standard error is a terminal; `time` is set for all of them.
pub(super) fn bar(what: &str, length: Option<u64>, time: Option<Duration>) -> ProgressBar {
    let is_terminal = std::io::stderr().is_terminal();
    let target =
        if is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(None, target);
    begin(&bar, what, length, time);
    if is_terminal {
        bar.enable_steady_tick(Duration::from_secs(1));
    }
    bar
}

pub(super) fn begin(bar: &ProgressBar, what: &str, length: Option<u64>, time: Option<Duration>) {
    bar.reset();
    bar.set_message("");
    bar.set_prefix(what.to_owned());
    length.map_or_else(|| bar.unset_length(), |length| bar.set_length(length));
    let template = match length {
        Some(_) => "{human_pos}/{human_len} {prefix}, {elapsed}{left}  {wide_msg}",
        None => "{human_pos} {prefix}, {elapsed}{left}  {wide_msg}",
    };
    let first = Arc::new(OnceLock::new());
    let left = move |state: &ProgressState, output: &mut dyn fmt::Write| {
        let now = (state.pos(), state.elapsed());
        let first = if now.0 > 0 { *first.get_or_init(|| now) } else { now };
        if let Some(left) = left(length, time, first, now) {
            // Writing to the bar's text cannot fail.
            let _ = write!(output, ", {:#} left", HumanDuration(left));
        }
    };
    // The templates are constants; without one the bar keeps its form.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.with_key("left", left));
    }
}

/// Where there is no terminal, prints the state of work that takes hours every ten seconds: its log shows that it lives.
#[cfg(feature = "training")]
pub(super) fn speak(bar: &ProgressBar) {
    use std::io::Write;

    if !bar.is_hidden() {
        return;
    }
    let bar = bar.downgrade();
    // Ends with the process. Without a thread there are no lines.
    drop(std::thread::Builder::new().name("progress".into()).spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(10));
            let Some(bar) = bar.upgrade() else { return };
            let length = bar.length().map_or_else(String::new, |n| format!("/{n}"));
            let (at, what, time) = (bar.position(), bar.prefix(), HumanDuration(bar.elapsed()));
            let line = format!("after {time:#}: {at}{length} {what}  {}", bar.message());
            drop(writeln!(std::io::stderr(), "{}", line.trim_end()));
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_follows_from_the_time_set_or_the_units_done() {
        let after = Duration::from_secs;
        for (length, time, first, now, expected) in [
            (Some(14), None, (0, 0), (0, 10), None),
            (Some(14), None, (1, 2), (1, 10), None),
            (Some(14), None, (1, 2), (5, 10), Some(18)),
            (Some(14), None, (9, 2), (14, 7), Some(0)),
            (Some(14), Some(15), (0, 10), (0, 10), Some(5)),
            (None, Some(5), (2, 1), (7, 10), Some(0)),
            (None, None, (2, 1), (7, 10), None),
        ] {
            let [first, now] = [first, now].map(|(n, seconds)| (n, after(seconds)));
            let found = left(length, time.map(after), first, now);
            assert_eq!(found, expected.map(after), "{length:?} {time:?} {now:?}");
        }
    }
}
