//! Integration tests.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "tests play front ends")]

// Analysis of games and positions.
mod analyze;
// Opening books: growing, sharing, exchanging, damage.
mod book;
// Playing from opening books, through every interface of the engine.
mod bookplay;
// Matches: faults, resumed events, shards.
mod matches;
// The invariants of the architecture, checked on the sources.
mod architecture;
// The program from outside: arguments, exit codes, the measuring commands.
mod cli;
// The numbered cases of the protocols against our own program.
mod compliance;
// Links between the documents.
mod documents;
// External faults: pipes, signals, memory, threads, disks, clocks; on Linux.
#[cfg(target_os = "linux")]
mod faults;
// Files of games, and converting them.
mod formats;
// Complete games against ourselves and another engine.
mod games;
// How tests run programs, talk with them and keep their files.
mod harness;
// Untrusted input, with the same properties as for the fuzzer.
mod hostile;
// Random trials that look for faults, for as long as wanted.
#[cfg(target_os = "linux")]
mod hunt;
// The launcher of packages.
#[cfg(all(unix, feature = "launcher"))]
mod launcher;
// Jobs in shards, and merging them.
mod merge;
// A game at the terminal: lines over pipes, and the full screen in tmux.
mod play;
// The protocol document against the program.
mod protocol_doc;
// Every command line that the documents and the help print, run by a shell.
#[cfg(target_os = "linux")]
mod printed_commands;
// What all protocols do with their pipes: start, end, odd input, logs, pondering.
mod protocol_io;
// Logs as bug reports: sessions that repeat.
mod replay;
mod requests;
// Whole dialogues of front ends and match tools.
mod sessions;
// The command that solves files of positions.
mod solve;
// Exact scores of known positions.
mod solver;
// The table and the stop machinery under load.
mod stress;
// The words of options and keys.
mod words;
// Self-play, training, weights files.
#[cfg(feature = "training")]
mod training;
