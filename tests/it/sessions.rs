//! Whole dialogues as the front ends and match tools lead them, one in each file of `tests/sessions`.

use crate::harness::session::{run_all, sessions};

#[test]
fn gtp() {
    run_all(&sessions("gtp"));
}

#[test]
fn nboard() {
    run_all(&sessions("nboard"));
}

#[test]
fn cassio() {
    run_all(&sessions("cassio"));
}
