//! Positions and games that several commands read, and what they print of them.

use othellier::board::Board;
use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};
use serde_json::Value;

/// The start position in OBF.
pub const START: &str = "---------------------------OX------XO--------------------------- X";

/// Black, to move, has no legal move; White has two.
pub const PASS: &str = "-------------------X-------XX--O---XXXOO-----X-O-----X---------- X";

/// Lines of positions, one of them empty and one nonsense, repeated.
pub fn positions(times: usize) -> String {
    format!("{START}\n{PASS}\nnonsense\n\n{START}\n").repeat(times)
}

/// Games of 4 to 2 × `most` plies, one per line, one of them illegal.
pub fn games(most: usize) -> String {
    let moves = "f5d6c3d3c4f4f6f3e6e7";
    let games: String = (2..=most).map(|n| moves[..2 * n].to_owned() + "\n").collect();
    games.replace("f5d6c3\n", "f5d6c3\nf5f5\n")
}

/// The moves of `n` random games of up to 30 plies, one game per line.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "for tests with signals"))]
pub fn random_games(seed: u64, n: usize) -> String {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let game = |_| {
        let (mut board, mut moves) = (Board::START, String::new());
        while moves.len() < 60 && board.legal_moves() != 0 {
            let number = random.next_u64() % u64::from(board.legal_moves().count_ones());
            let square = board.moves().nth(number as usize).unwrap();
            moves += &square.to_string();
            board = board.after(square, board.flips(square));
        }
        moves + "\n"
    };
    (0..n).map(game).collect()
}

/// Rows of JSON.
pub fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Rows of JSON without times.
pub fn timeless(text: &str) -> Vec<Value> {
    let mut rows = rows(text);
    for row in &mut rows {
        for key in ["time", "seconds"] {
            row.as_object_mut().expect(text).remove(key);
        }
    }
    rows
}
