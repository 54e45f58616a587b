//! The numbered protocol cases against our own binary: all must pass.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::{Engine, OTHELLIER};

/// Where time plays a part, a busy machine may spoil even the three tries of the program, so such a case is run so often again.
const MORE_RUNS: usize = 3;

/// Runs the cases of a protocol up to the first that fails.
#[track_caller]
fn all_cases_pass(protocol: &str, count: usize) {
    let start = |selected: &[&str]| {
        let options = ["compliance", "--json", "--proto", protocol];
        let engine = ["--", OTHELLIER, protocol, "--hash", "1", "--threads", "1"];
        // Requests have limits of their own.
        let limit = if protocol == "json" { ["--concurrency", "2"] } else { ["--level", "1"] };
        Engine::start(&[&options, selected, &engine, &limit].concat())
    };
    let next_row = |cases: &mut Engine| -> Value { serde_json::from_str(&cases.line()).unwrap() };
    let mut cases = start(&[]);
    let mut numbers = BTreeSet::new();
    loop {
        let mut row = next_row(&mut cases);
        let Some(number) = row["case"].as_str().map(str::to_owned) else {
            assert_eq!(numbers.len(), count, "{row}");
            return;
        };
        for _ in 0..MORE_RUNS {
            if row["verdict"] == "passed" || row["tries"] == 1 {
                break;
            }
            row = next_row(&mut start(&["--case", &number]));
        }
        assert_eq!(row["verdict"], "passed", "{row:#}");
        assert!(numbers.insert(number), "{row}");
    }
}

#[test]
fn gtp_cases() {
    all_cases_pass("gtp", 56);
}

#[test]
fn nboard_cases() {
    all_cases_pass("nboard", 34);
}

#[test]
fn cassio_cases() {
    all_cases_pass("cassio", 12);
}

#[test]
fn edax_cases() {
    all_cases_pass("edax", 25);
}

#[test]
fn xboard_cases() {
    all_cases_pass("xboard", 10);
}

#[test]
fn json_cases() {
    all_cases_pass("json", 25);
}
