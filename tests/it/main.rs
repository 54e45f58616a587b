//! Integration tests.

// The invariants of the architecture, checked on the sources.
mod architecture;
// The program from outside: arguments, exit codes, the measuring commands.
mod cli;
// The numbered cases of the protocols against our own program.
mod compliance;
// Complete games against ourselves and another engine.
mod games;
// What all protocols do with their pipes: start, end, odd input, logs, pondering.
mod protocol_io;
// Exact scores of known positions.
mod solver;
