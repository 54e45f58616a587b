//! Results as a table for the terminal and as a page.

use super::record::GameRecord;
use super::standing::Standing;

/// The page.
pub fn html(_title: &str, _standing: &Standing, _records: &[GameRecord]) -> String {
    String::new()
}

/// The table.
pub fn text(_standing: &Standing) -> String {
    String::new()
}
