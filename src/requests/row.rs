//! What all rows of JSON have in common: how they tell scores and times.

use std::time::Duration;

use serde::Serialize;
use serde_json::Number;

use crate::score::{DISC, Score, text};
use crate::support::text::printable;

/// A score in discs: two decimals, or whole if proven.
pub fn number(score: Score, is_proven: bool) -> Number {
    if is_proven {
        return Number::from(score / DISC);
    }
    let rounded = text(score, false).parse::<f64>().ok();
    // Adding zero turns a negative zero positive.
    rounded.and_then(|discs| Number::from_f64(discs + 0.0)).unwrap_or_else(nought)
}

/// The number 0.
pub fn nought() -> Number {
    Number::from(0)
}

/// Seconds with three significant digits.
pub fn time(time: Duration) -> Number {
    let rounded = format!("{:.2e}", time.as_secs_f64()).parse().ok();
    rounded.and_then(Number::from_f64).unwrap_or_else(nought)
}

/// A value as JSON on one line. Rows hold only texts and finite numbers, which JSON can express.
pub fn to_text(value: &impl Serialize) -> String {
    printable(&serde_json::to_string(value).unwrap_or_else(|_| "null".into()))
}
