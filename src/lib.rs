//! Othellier: an Othello engine, and everything around it.
//!
//! # For programs that embed it
//!
//! ```toml
//! [dependencies]
//! othellier = { git = "...", default-features = false }   # or path = "..."
//! ```
//!
//! Without features the library is its core: the rules, games, formats, evaluation, and search with one thread. It builds for
//! WebAssembly too, where it imports a clock, `othellier.milliseconds` (`scripts/wasm.sh`). The feature `threads` adds searches with
//! several threads, `web` requests in JSON, `engine` both with the engine's own thread, clocks and books, `program` the protocols and the
//! program.
//!
//! Load the weights, set up a game, search its position, look at each iteration, and stop when it is good enough:
//!
//! ```
//! use othellier::evaluation::Evaluation;
//! use othellier::formats::transcript;
//! use othellier::search::{Limits, Search, Selectivity, Stop, Threads};
//! use othellier::transposition::Table;
//!
//! let evaluation = Evaluation::embedded();
//! let table = Table::try_new(16).expect("16 MB of memory");
//! let game = transcript::read(b"f5d6c3d3c4f4").unwrap().replay().unwrap();
//!
//! // Whoever holds a clone of `stop` can end the search, from any thread.
//! let stop = Stop::new();
//! let threads = Threads::new(1);
//! let search = Search { evaluation, table: &table, threads: &threads };
//! let limits = Limits::plies(30, Selectivity::from_percent(73));
//! let outcome = search.run(game.position().board, &limits, &stop, &mut |report| {
//!     if report.nodes > 10_000 {
//!         stop.set();
//!     }
//! });
//! assert!(outcome.interrupted);
//! let best = outcome.best().expect("the game is not over");
//! assert!(game.position().board.play(best.mv).is_some());
//! ```
//!
//! * A search ends within 10 ms after its [`search::Stop`] is set, by any thread or by [`search::Stop::set_after`] (0.7 ms is usual),
//!   and has a move whenever it is stopped.
//! * [`engine::Engine`] does the same in a thread of its own with a clock, and [`protocol::run`] serves a front end with it.
//! * Everything is in memory: the library reads no file that the caller does not name, opens no connection, writes nothing to the
//!   standard streams. It takes the memory of the table and about 80 MB.
//! * Stable within 0.x: `board`, `game`, `clock`, `score`, [`formats`] and the types in this example. Everything else that is public
//!   may change with a minor version; [`main`] is the program.
//!
//! `scripts/examples` holds whole programs: a search ([`Stop`](search::Stop) by time), a game on the clock with the engine's thread,
//! and reading files of games: `cargo run --release --example best_move -- f5d6c3`.
//!
//! # Layers
//!
//! A top-level module, with all below it, is a room. A room uses only rooms of lower layers; `tests/it/architecture.rs`
//! checks this.
//!
//! | layer | room | what it is |
//! |---|---|---|
//! | 0 | `support` | zeroed memory, prefetch, checksums, processor features, random draws that repeat, safe texts, the time |
//! | 1 | [`board`] | the rules on bitboards: legal moves, flips, stable discs, symmetries, hash, text |
//! | 2 | [`score`] | the scale of all scores |
//! | 2 | [`game`] | a game in progress: moves, passes, undo, result |
//! | 2 | [`clock`] | time controls and what a side has left, pure arithmetic |
//! | 3 | [`formats`] | games and positions in files: GGF, SGF, WTHOR, OBF, transcripts |
//! | 3 | [`evaluation`] | the value of a position without search |
//! | 3 | [`transposition`] | the table of searched positions, shared without locks |
//! | 4 | [`search`] | iterative deepening, midgame, endgame, ordering, forward pruning, threads |
//! | 5 | [`book`] | opening books: facts about positions, what follows from them, their bytes |
//! | 5 | [`journal`] | the events of a session, typed, and as lines of its log |
//! | 6 | [`engine`] | jobs, the worker that does them, the thread it sits on, and what was chosen; planning of time, pondering, levels, strengths |
//! | 7 | [`requests`] | requests for scores in JSON, and their answers |
//! | 7 | `process` | other programs as child processes: pipes, deadlines, guaranteed termination |
//! | 7 | `batch` | long jobs: units of work over several threads, and their shards on several machines |
//! | 7 | `files` | files of games in any format, books on disk, files written whole or by appending |
//! | 7 | `page` | the common parts of HTML pages: frame, style, board, charts |
//! | 8 | [`web`] | the same requests as calls of functions, for WebAssembly, where nothing has threads |
//! | 8 | `players` | who chooses moves: simple players, the engine, external engines, behind one trait; the desk behind a protocol |
//! | 9 | [`protocol`] | NBoard, GTP, Cassio, XBoard and Edax's console as state machines, and the runtime that serves them; requests in JSON over a pipe |
//! | 10 | `matches` | matches and tournaments: schedule, referee, records, ratings, reports |
//! | 10 | `training` | learning an evaluation from self-play; only with the feature `training` |
//! | 10 | `analyze` | the loss of each move of a game; positions, one a line |
//! | 10 | `measure` | `bench` and `solve` |
//! | 10 | `replay` | repeating the session of a log |
//! | 10 | [`compliance`] | the numbered protocol cases against any engine, and dialogues with ours |
//! | 10 | `bookmaking` | growing opening books by games and searches, and exchanging them |
//! | 11 | `play` | a game at a terminal, full-screen or line by line |
//! | 12 | `cli` | the command line: one file per command |
//!
//! Rooms with a link are the library's public surface: what an embedder, the tests and the fuzz targets use. The others are
//! private to the program, which is [`main`].
//!
//! # Where to find what
//!
//! | question | place |
//! |---|---|
//! | Where is a GTP command handled? | in its row of `protocol::gtp::commands` |
//! | Where is a request in JSON handled? | `requests::request` reads it, `requests::answer` tells what was found; `protocol::json` queues and cancels |
//! | Where is the package for browsers and Node.js? | `web`, its exports in `src/web/module.rs`; JavaScript and the page beside them |
//! | Where is a clock turned into a time for a move? | `engine::time` |
//! | Where is a late move reduced? | `search::node` |
//! | Where is the endgame solved? | `search::endgame` |
//! | What do threads share? | `search::parallel` |
//! | Where is a book looked up? | `engine::worker`, by `book::Book` |
//! | Where is a match's game refereed? | `matches::referee::play` |
//! | Where is an external engine talked to? | `players::external`; its process in `process` |
//! | Where is a page's HTML? | `page` (frame, style, board), `analyze::page`, `matches::report::page` |
//! | Where does a command of the program begin? | `cli`, in the file of its name |
//! | Where is a command, a setting or a file explained to users? | `protocol.md`; `docs/engine.md`, `docs/formats.md` and the others there |
//!
//! # Invariants
//!
//! * Nothing up to the engine prints, reads the environment or starts processes. Nothing up to the search does input or output,
//!   or fails in any way but `Option`.
//! * Only `protocol::writer` and the command line write to standard output; NBoard's standard error stays empty.
//! * `board` knows nothing of players, clocks or history. `search` takes a board, limits, a stop and a callback, and
//!   returns a result; it knows no protocol.
//! * `unsafe` code is confined to `support`, the SIMD leaves of `board`, and `transposition`, each place with its reason, a safe
//!   twin and a test that both agree. `src/web/module.rs` names its exports and imports by it, and has no other.
//! * No mutable statics and no global engine state: tables are constants or live in a value that is passed down. One constant, the
//!   embedded weights, is unpacked when it is first used; and `files::part` lists the unfinished files that a signal removes.
//! * Scores are in 1/128 disc for the side to move ([`score::Score`]); a board is always seen from the side to move
//!   ([`board::Board`]).
//!
//! # Where to start reading
//!
//! [`board::Board`], then `search::root`, then `protocol::runtime`. How a line becomes a move: `protocol::reader` numbers the line
//! and notes at once whether it ends a running search; once no job runs, `protocol::runtime` hands it to a machine such as
//! `protocol::gtp`; the machine asks for a [`protocol::Task`]; `players::desk` does it in the thread of an [`engine::Engine`],
//! a search by its [`engine::Worker`], whose thinker plans the time by the clock and calls [`search::Search::run`].
//!
//! # Tests and measurements
//!
//! `cargo test` needs only this folder; it also plays against `gtp-rhino` (Debian package `grhino`) if that is installed.
//! `.ci/run` must pass before a change goes in, `.ci/full` before a release. `OTHELLIER_HUNT_SECONDS=600 cargo test --test it hunt --
//! --ignored` looks for new faults by misbehaving engines, damaged files, stopped searches and kills.
//!
//! | script | what it does |
//! |---|---|
//! | `scripts/fuzz.sh` | fuzzes protocols, files and rules |
//! | `scripts/windows.sh`, `scripts/qemu.sh`, `scripts/wasm.sh` | try the program under wine and qemu; make the package for browsers and Node.js and try it |
//! | `scripts/cross.sh`, `scripts/wine.sh` | build for other platforms; run a program for Windows |
//! | `scripts/sanitize.sh` | looks for data races and misuse of memory |
//! | `scripts/soak.sh` | thousands of games by the clock |
//! | `scripts/audit.sh` | checks the dependencies |
//! | `scripts/same_as_before.sh` | compares two builds byte for byte |
//! | `scripts/count_instructions.sh` | counts instructions, to compare speeds where times vary |
//! | `scripts/cluster` | long jobs on many machines: GNU parallel, Slurm, Ray (`docs/cluster.md`) |
//! | `scripts/calibrate_strength.sh` | rates the strengths |
//! | `benches/measure.sh` | measures the figures of `benches/README.md` |
//!
//! What was tried, with what result: `benches/experiments.md`.
//!
//! `othellier bench` ends with `Bench: N`, a node count that is the same on every run and build; every commit that touches `src`
//! carries it, so that a change of the search shows.

#![cfg_attr(
    not(feature = "program"),
    allow(rustdoc::broken_intra_doc_links, reason = "the layers are those of the whole program")
)]

#[cfg(feature = "program")]
mod analyze;
#[cfg(feature = "program")]
mod batch;
pub mod board;
#[cfg(feature = "web")]
pub mod book;
#[cfg(feature = "program")]
mod bookmaking;
#[cfg(feature = "program")]
mod cli;
pub mod clock;
#[cfg(feature = "program")]
pub mod compliance;
#[cfg(feature = "web")]
pub mod engine;
pub mod evaluation;
#[cfg(feature = "program")]
mod files;
pub mod formats;
pub mod game;
#[cfg(feature = "web")]
pub mod journal;
#[cfg(feature = "program")]
mod matches;
mod measure;
#[cfg(feature = "program")]
mod page;
#[cfg(feature = "program")]
mod play;
#[cfg(feature = "program")]
mod players;
#[cfg(feature = "program")]
mod process;
#[cfg(feature = "program")]
pub mod protocol;
#[cfg(feature = "program")]
mod replay;
#[cfg(feature = "web")]
pub mod requests;
pub mod score;
pub mod search;
mod support;
#[cfg(feature = "training")]
mod training;
pub mod transposition;
#[cfg(feature = "web")]
pub mod web;

#[cfg(feature = "program")]
pub use cli::main;
pub use measure::bench;
pub use support::cpu;
