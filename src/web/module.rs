//! The exports and imports of the module for WebAssembly: `othellier.js` is the other side of them.
//!
//! A call takes a text from the input, which the caller has made room for and written, and tells texts by `say`. The caller keeps what
//! `othellier_new` returns and passes nothing else for it.

// Elsewhere there is nobody to import from.
#![cfg(target_family = "wasm")]
#![expect(unsafe_code, reason = "exports have names, and imports are declared by hand")]

use othellier::bench;
use othellier::book::Book;
use othellier::evaluation::Evaluation;
use othellier::web::{self, Said, Server};

#[link(wasm_import_module = "othellier")]
unsafe extern "C" {
    /// Tells a text, which is there until it returns: an answer (0), a report that is due (1), another one (2).
    safe fn say(text: *const u8, length: usize, kind: u32);

    /// Whether the request is canceled: 0 if not.
    safe fn canceled() -> u32;
}

/// A server and what it is asked next.
pub struct Module {
    server: Server,
    input: Vec<u8>,
}

fn tell(said: Said, text: &str) {
    say(text.as_ptr(), text.len(), said as u32);
}

/// A module with a table of so many MiB.
// SAFETY: of this function and those below, no other has the name.
#[unsafe(no_mangle)]
pub extern "C" fn othellier_new(hash_megabytes: usize) -> Box<Module> {
    let book = cfg!(feature = "web-book").then(Book::embedded);
    let server = Server::new(hash_megabytes, book, || canceled() != 0);
    Box::new(Module { server, input: Vec::new() })
}

/// Makes room for an input of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn othellier_input(module: &mut Module, length: usize) -> *mut u8 {
    module.input = vec![0; length];
    module.input.as_mut_ptr()
}

/// Answers a request.
#[unsafe(no_mangle)]
pub extern "C" fn othellier_ask(module: &mut Module) {
    let line = std::mem::take(&mut module.input);
    module.server.ask(&line, &mut tell);
}

/// Tells the position after a list of moves.
#[unsafe(no_mangle)]
pub extern "C" fn othellier_game(module: &mut Module) {
    let text = std::mem::take(&mut module.input);
    tell(Said::Answer, &web::game(&String::from_utf8_lossy(&text)));
}

/// Tells the games of a file.
#[unsafe(no_mangle)]
pub extern "C" fn othellier_read(module: &mut Module) {
    tell(Said::Answer, &web::read(std::mem::take(&mut module.input)));
}

/// The nodes of the whole benchmark; 0 without memory for it.
#[unsafe(no_mangle)]
pub extern "C" fn othellier_bench() -> f64 {
    let evaluation = Evaluation::embedded();
    let parts = [bench::midgame(evaluation), bench::endgame(evaluation)];
    let nodes: Option<u64> = parts.into_iter().map(|work| Some(work?.nodes)).sum();
    nodes.unwrap_or_default() as f64
}
