//! Integration tests.

mod games;
