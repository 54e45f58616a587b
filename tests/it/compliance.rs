//! The numbered protocol cases against our own binary: all must pass.

use std::collections::BTreeSet;
use std::time::Instant;

use serde_json::Value;

use crate::harness::samples::rows;
use crate::harness::{OTHELLIER, PATIENCE, run};

/// Runs all cases of a protocol. Where time plays a part, a busy machine may spoil even the three tries of the program, so such
/// cases are run again.
#[track_caller]
fn all_cases_pass(protocol: &str, count: usize) {
    let begin = Instant::now();
    let mut open = BTreeSet::new();
    loop {
        let selected: Vec<&str> = open.iter().flat_map(|case: &String| ["--case", case]).collect();
        let options = ["compliance", "--json", "--proto", protocol];
        let engine = ["--", OTHELLIER, protocol, "--hash", "1", "--threads", "1"];
        // Requests have limits of their own.
        let limit = if protocol == "json" { ["--concurrency", "2"] } else { ["--level", "1"] };
        let output = run(&[&options, &selected[..], &engine, &limit].concat(), "");
        let mut rows = rows(&output.stdout);
        let summary = rows.pop().unwrap_or_default();
        assert!(summary.get("not_offered").is_some(), "{output:?}");
        let number = |row: &Value| row["case"].as_str().unwrap().to_owned();
        let numbers: BTreeSet<String> = rows.iter().map(number).collect();
        assert!(rows.len() == numbers.len(), "{output:?}");
        assert!(if open.is_empty() { rows.len() == count } else { numbers == open }, "{output:?}");
        rows.retain(|row| row["verdict"] != "passed");
        let may_be_late = rows.iter().all(|row| row["tries"].as_u64() > Some(1));
        assert!(may_be_late && begin.elapsed() < PATIENCE, "{rows:#?}");
        open = rows.iter().map(number).collect();
        if open.is_empty() {
            return;
        }
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
