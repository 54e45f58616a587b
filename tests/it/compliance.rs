//! The numbered protocol cases against our own binary: all must pass.

use std::collections::BTreeSet;

use crate::harness::{OTHELLIER, run};

/// Runs all cases of a protocol, one after the other because many measure times, and fails with a list of those that did not
/// pass.
#[track_caller]
fn all_cases_pass(protocol: &str, count: usize) {
    let output = run(&["compliance", "--json", "--proto", protocol, "--", OTHELLIER, protocol], "");
    let mut rows: Vec<&str> = output.stdout.lines().collect();
    assert!(rows.pop().is_some_and(|summary| summary.contains("\"not_offered\":")), "{output:?}");
    let number = |row: &str| {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        row["case"].as_str().unwrap().to_owned()
    };
    let numbers: BTreeSet<String> = rows.iter().map(|row| number(row)).collect();
    assert_eq!((rows.len(), numbers.len()), (count, count));
    rows.retain(|row| !row.contains("\"verdict\":\"passed\""));
    assert!(rows.is_empty(), "{rows:#?}");
}

#[test]
#[ignore = "long: measures times"]
fn gtp_cases() {
    all_cases_pass("gtp", 56);
}

#[test]
#[ignore = "long: measures times"]
fn nboard_cases() {
    all_cases_pass("nboard", 34);
}

#[test]
#[ignore = "long: measures times"]
fn cassio_cases() {
    all_cases_pass("cassio", 12);
}
