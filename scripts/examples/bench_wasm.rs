//! The benchmark as a function of a library, for WebAssembly: `scripts/wasm.sh` builds it and runs it in Node.js.

#![expect(unsafe_code, reason = "exports a function by its name")]

use othellier::bench;
use othellier::evaluation::Evaluation;

/// The nodes of the whole benchmark; 0 without memory for it.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
pub extern "C" fn othellier_bench() -> f64 {
    let evaluation = Evaluation::embedded();
    let parts = [bench::midgame(evaluation), bench::endgame(evaluation)];
    let nodes: Option<u64> = parts.into_iter().map(|work| Some(work?.nodes)).sum();
    nodes.unwrap_or_default() as f64
}
