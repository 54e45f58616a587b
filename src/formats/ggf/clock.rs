//! Times and clocks of GGF.

use std::fmt;
use std::time::Duration;

use crate::formats::number;

/// Longer times are rejected; this also keeps sums of times far from overflow.
const MAX_TIME: Duration = Duration::from_secs(1_000_000_000);
const DEFAULT_GRACE: Duration = Duration::from_secs(120);

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A player's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GgfClock {
    /// Time for all moves.
    pub initial: Duration,
    /// Time added with each own move.
    pub increment: Duration,
    /// Time granted once, with a penalty, after the rest has run out.
    pub grace: Duration,
}

impl GgfClock {
    /// A time for all moves, and the usual grace period.
    pub const fn of(initial: Duration) -> GgfClock {
        GgfClock { initial, increment: Duration::ZERO, grace: DEFAULT_GRACE }
    }

    /// Reads `time[/increment[/grace]]`, each as in [`parse_time`]; `None` without an initial time. A missing or
    /// unreadable increment is 0, a grace period 2 minutes.
    pub fn parse(text: &[u8]) -> Option<GgfClock> {
        let mut parts = text.split(|&byte| byte == b'/').map(parse_time);
        let mut next = || parts.next().flatten();
        Some(GgfClock {
            initial: next()?,
            increment: next().unwrap_or_default(),
            grace: next().unwrap_or(DEFAULT_GRACE),
        })
    }
}

/// The form that [`GgfClock::parse`] reads; an increment of 0 and the usual grace period are left out.
impl fmt::Display for GgfClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_time(f, self.initial)?;
        let has_grace = self.grace != DEFAULT_GRACE;
        if !self.increment.is_zero() || has_grace {
            f.write_str("/")?;
        }
        if !self.increment.is_zero() {
            write_time(f, self.increment)?;
        }
        if has_grace {
            f.write_str("/")?;
            write_time(f, self.grace)?;
        }
        Ok(())
    }
}

/// Reads a time of at most 30 years as `m:ss`, `h:mm:ss`, `d.hh:mm:ss` or seconds, which may have decimals.
pub fn parse_time(text: &[u8]) -> Option<Duration> {
    let text = text.trim_ascii();
    let (head, seconds) = match text.iter().rposition(|&byte| byte == b':') {
        Some(colon) => (Some(&text[..colon]), &text[colon + 1..]),
        None => (None, text),
    };
    let mut total = number(seconds).filter(|&seconds| seconds >= 0.0)?;
    if let Some(head) = head {
        // A dot ends the days only before a colon; elsewhere it is a decimal mark.
        let (days, clock) = match head.iter().position(|&byte| byte == b'.') {
            Some(dot) => (whole_number(&head[..dot])?, &head[dot + 1..]),
            None => (0.0, head),
        };
        let mut fields = clock.rsplit(|&byte| byte == b':').map(whole_number);
        let minutes = fields.next()??;
        let hours = fields.next().unwrap_or(Some(0.0))?;
        if fields.next().is_some() {
            return None;
        }
        total += days * DAY as f64 + hours * HOUR as f64 + minutes * MINUTE as f64;
    }
    Duration::try_from_secs_f64(total).ok().filter(|&time| time <= MAX_TIME)
}

fn whole_number(text: &[u8]) -> Option<f64> {
    let text = text.trim_ascii();
    text.iter().all(u8::is_ascii_digit).then(|| number(text)).flatten()
}

/// Writes `m:ss`, `h:mm:ss` or `d.hh:mm:ss`, with decimals of seconds only where there are any.
fn write_time(f: &mut fmt::Formatter<'_>, time: Duration) -> fmt::Result {
    let seconds = time.as_secs();
    let (days, hours, minutes) = (seconds / DAY, seconds % DAY / HOUR, seconds % HOUR / MINUTE);
    match (days, hours) {
        (0, 0) => write!(f, "{minutes}")?,
        (0, _) => write!(f, "{hours}:{minutes:02}")?,
        _ => write!(f, "{days}.{hours:02}:{minutes:02}")?,
    }
    write!(f, ":{:02}", seconds % MINUTE)?;
    match time.subsec_nanos() {
        0 => Ok(()),
        nanos => f.write_str(format!(".{nanos:09}").trim_end_matches('0')),
    }
}
