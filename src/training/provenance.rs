//! The training record: how the weights were trained, as JSON in the weights file.
//!
//! | field | content |
//! |---|---|
//! | `program`, `commit`, `date` | what made the file, and when |
//! | `data` | files: `name`, `bytes`, `positions`, `games`, `checksum` of the content |
//! | `settings` | settings of the training |
//! | `positions` | positions trained on, equal ones merged |
//! | `distinct` | positions with more than 14 empty squares, distinct up to symmetry, including those held back |
//! | `total_positions`, `total_distinct` | sums of these over this record and all earlier ones |
//! | `passes`, `best_pass` | number of passes over the data, and the one whose weights were kept, from 1 |
//! | `training`, `hold_out`, `hold_out_file` | `positions`, `mae` and `mse` (in discs) for training, held-back and hold-out file positions |
//! | `before` | the record of the initial weights |

use serde_json::{Value, json};

use super::checkpoint::{Best, Pass};
use super::data::Data;
use super::fit::{Loss, total};

#[derive(Clone, Debug)]
pub struct Making {
    pub program: String,
    pub commit: Option<String>,
    /// In the form 2026-11-22.
    pub date: String,
    pub settings: Value,
    pub before: Option<Value>,
}

#[derive(Clone, Debug)]
pub struct Outcome {
    pub hold_out: Vec<Loss>,
    pub test: Vec<Loss>,
}

impl Outcome {
    /// On the hold-out file, or else on the positions held back.
    pub fn judged(&self) -> &[Loss] {
        if total(&self.test).n == 0 { &self.hold_out } else { &self.test }
    }
}

pub fn record(
    making: Making,
    data: &Data,
    passes: &[Pass],
    best: &Best,
    outcome: &Outcome,
) -> Value {
    let training = passes.get(best.pass).map(|pass| total(&pass.training)).unwrap_or_default();
    let positions = data.n_training;
    let before = |field| making.before.as_ref().map_or(0, |before| sum(before, field));
    let mut record = json!({
        "program": making.program,
        "date": making.date,
        "data": data.sources,
        "settings": making.settings,
        "positions": positions,
        "distinct": data.n_distinct,
        "total_positions": positions + before("positions"),
        "total_distinct": data.n_distinct + before("distinct"),
        "passes": passes.len(),
        "best_pass": best.pass + 1,
        "training": training.to_json(),
        "hold_out": total(&outcome.hold_out).to_json(),
    });
    if let Some(commit) = making.commit {
        record["commit"] = commit.into();
    }
    if total(&outcome.test).n > 0 {
        record["hold_out_file"] = total(&outcome.test).to_json();
    }
    if let Some(before) = making.before {
        record["before"] = before;
    }
    record
}

/// The sum of a number over a record and all earlier ones. A record without totals counts only itself.
fn sum(record: &Value, field: &str) -> u64 {
    let number = |field: &str| record[field].as_u64();
    number(&format!("total_{field}")).or_else(|| number(field)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_go_over_all_records() {
        let first = json!({ "positions": 5, "distinct": 3 });
        assert_eq!((sum(&first, "positions"), sum(&first, "distinct")), (5, 3));
        let second = json!({ "distinct": 4, "total_distinct": 7, "before": first });
        assert_eq!((sum(&second, "distinct"), sum(&json!(null), "distinct")), (7, 0));
    }
}
