//! Othellier: an Othello engine, and everything around it.
//!
//! # Layers
//!
//! A module uses only modules of layers below its own; `tests/it/architecture.rs` checks it.
//!
//! | layer | module | what it is |
//! |---|---|---|
//! | 0 | [`support`] | zeroed memory, prefetch, processor features, draws that repeat |
//! | 1 | [`board`] | the rules on bitboards: legal moves, flips, stable discs, symmetries, hash, text |
//! | 2 | [`score`] | the one scale of scores |
//! | 2 | [`game`] | a game in progress: moves, passes, undo, result |
//! | 2 | [`clock`] | time controls and the planning of thinking time, pure arithmetic |
//! | 3 | [`formats`] | games and positions in files: GGF, SGF, WTHOR, OBF, transcripts |
//! | 3 | [`evaluation`] | judging a position without search |
//! | 3 | [`transposition`] | the table of searched positions, shared without locks |
//! | 4 | [`search`] | iterative deepening, midgame, endgame, ordering, forward pruning, threads |
//! | 5 | [`book`] | opening books: facts about positions, what follows from them, their bytes |
//! | 5 | [`journal`] | what happened in a session, typed, and as lines of its log |
//! | 6 | [`engine`] | the worker thread: jobs, pondering, levels |
//! | 6 | [`players`] | the simple opponents of the older programs |
//! | 7 | [`process`] | child processes with all that they start |
//! | 7 | [`protocol`] | NBoard, GTP and Cassio as state machines, and the runtime that serves them |
//! | 7 | [`batch`] | long jobs: numbered units of work over several threads |
//! | 7 | [`files`] | games in any format, files that are whole or absent, files that grow |
//! | 7 | [`page`] | what HTML pages are made of |
//! | 8 | [`seats`] | everybody who can sit at a board, behind one trait |
//! | 9 | [`arena`] | matches and tournaments: schedule, referee, records |
//! | 9 | [`play`] | a game at a terminal, full-screen or line by line |
//! | 9 | [`training`] | learning an evaluation from self-play; left out without the feature of that name |
//! | 9 | [`analyze`] | judging the moves of a game |
//! | 9 | [`measure`] | bench and solve |
//! | 9 | [`replay`] | sessions of a log, repeated |
//! | 9 | [`compliance`] | the numbered protocol cases against any engine |
//! | 9 | [`bookmaking`] | opening books from games and searches, and those of other programs |
//! | 10 | [`results`] | what the games of an event come to: points, ratings, reports |
//! | 11 | [`cli`] | the command line |
//!
//! # Invariants
//!
//! * Nothing up to the engine prints, reads the environment or starts processes. Nothing up to the search does input or output,
//!   or fails in any way but `Option`.
//! * Only `protocol::writer` and the command line write to standard output; NBoard's standard error stays empty.
//! * `board` knows nothing of players, clocks or history. `search` takes a board, limits, a stop token and a callback, and
//!   returns a result; it knows no protocol.
//! * `unsafe` code is confined to `support`, the SIMD leaves of `board`, and `transposition`, each place with its reason, a safe
//!   twin and a test that both agree.
//! * No mutable statics and no global engine state: tables are constants or live in a value that is passed down.
//! * Scores are in 1/128 disc for the side to move ([`score::Score`]); a board is always seen from the side to move
//!   ([`board::Board`]).
//!
//! # Where to start reading
//!
//! [`board::Board`], then `search::root`, then `protocol::runtime`. How a line becomes a move: `protocol::reader` numbers the line
//! and notes at once whether it ends a running search; once no job runs, `protocol::runtime` hands it to a machine such as
//! `protocol::gtp`; the machine starts an [`engine::Job`]; the worker plans its time with [`clock`] and calls [`search::search`].
//!
//! # Tests and measurements
//!
//! `cargo test` needs only this folder; it also plays against `gtp-rhino` (Debian package `grhino`) if that is installed.
//! `.ci/run` is what must pass before a change goes in.
//!
//! | script | what it does |
//! |---|---|
//! | `scripts/fuzz.sh` | fuzzes protocols, files and rules |
//! | `scripts/sanitize.sh` | looks for data races and misuse of memory |
//! | `scripts/soak.sh` | thousands of games by the clock |
//! | `scripts/audit.sh` | checks the dependencies |
//! | `scripts/same_as_before.sh` | compares two builds byte for byte |
//! | `scripts/count_instructions.sh` | counts instructions, for speed where times vary |
//! | `scripts/calibrate_strength.sh` | rates the strengths |
//! | `benches/measure.sh` | measures the figures of `benches/README.md` |
//!
//! `othellier bench` ends with `Bench: N`, a node count that is the same on every run and build; every commit that touches `src`
//! carries it, so that a change of the search shows.

pub mod analyze;
pub mod arena;
pub mod batch;
pub mod board;
pub mod book;
pub mod bookmaking;
pub mod cli;
pub mod clock;
pub mod compliance;
pub mod engine;
pub mod evaluation;
pub mod files;
pub mod formats;
pub mod game;
pub mod journal;
pub mod measure;
pub mod page;
pub mod play;
pub mod players;
pub mod process;
pub mod protocol;
pub mod replay;
pub mod results;
pub mod score;
pub mod search;
pub mod seats;
pub mod support;
#[cfg(feature = "training")]
pub mod training;
pub mod transposition;
