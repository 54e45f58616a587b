//! Files on disk: opening books, repertoires, games in any format, files that are whole or absent, and files that grow.

pub mod book;
pub mod contents;
pub mod games;
pub mod growing;
mod lock;
pub mod part;
pub mod repertoire;
pub mod replace;

use std::path::Path;

use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};

/// The day in UTC, for what is written today.
pub fn today() -> Date {
    Timestamp::now().to_zoned(TimeZone::UTC).date()
}

/// The folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
