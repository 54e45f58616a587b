//! The simple players: opponents from the older programs.
//!
//! | name | its move | among equal moves |
//! |---|---|---|
//! | `random` | any legal one | random |
//! | `greedy` | flips the most discs | random |
//! | `greedy:directions` | flips the most discs, with each direction of flips counted as one more disc | random |
//! | `minimizer` | flips the fewest discs | random |
//! | `minimax:rounds=N` | the best disc difference after N own moves and the best replies | the first, row by row |
//! | `classic:...` | pyReversi's: by phases, each with an evaluation and a depth; thinks ahead | the first, from row 8 up |

mod classic;
mod greedy;
mod minimax;
pub mod random;
pub mod spec;

#[cfg(test)]
mod tests;
