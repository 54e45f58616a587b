#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| othellier_fuzz::check("requests", bytes));
