//! Positions and games that several commands read, and what they print of them.

use othellier::board::{Board, Move, Position, Square};
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

/// The board after a random move or the pass that is forced, and which; `None` after the end. `below` draws a number below a bound.
pub fn random_ply(board: Board, mut below: impl FnMut(usize) -> usize) -> Option<(Board, Move)> {
    let moves: Vec<Square> = board.moves().collect();
    let mv = if moves.is_empty() { Move::Pass } else { Move::Place(moves[below(moves.len())]) };
    board.play(mv).filter(|_| !board.is_over()).map(|next| (next, mv))
}

/// A board of a random game in which the side to move can move.
pub fn random_board(n_empties: u32, mut below: impl FnMut(usize) -> usize) -> Board {
    let mut board = Board::START;
    while board.n_empties() > n_empties || board.legal_moves() == 0 {
        board = random_ply(board, &mut below).map_or(Board::START, |(next, _)| next);
    }
    board
}

/// The moves of `n` random games of up to 30 plies, one game per line.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "for tests with signals"))]
pub fn random_games(seed: u64, n: usize) -> String {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut below = |bound| (random.next_u64() % bound as u64) as usize;
    let game = |_| {
        let (mut board, mut moves) = (Board::START, String::new());
        while moves.len() < 60
            && let Some((next, Move::Place(square))) = random_ply(board, &mut below)
        {
            moves += &square.to_string();
            board = next;
        }
        moves + "\n"
    };
    (0..n).map(game).collect()
}

/// The exact score for the side to move, by plain alpha-beta between two scores.
pub fn solve(board: Board, mut alpha: i32, beta: i32) -> i32 {
    let next = board.moves().filter_map(|square| board.play(Move::Place(square)));
    let mut next: Vec<Board> = next.collect();
    if next.is_empty() && !board.is_over() {
        return -solve(board.passed(), -beta, -alpha);
    }
    next.sort_by_cached_key(|next| next.legal_moves().count_ones());
    let mut best = if next.is_empty() { board.final_score() } else { -64 };
    for next in next {
        best = best.max(-solve(next, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// The commands that set a position up over GTP.
pub fn set_up(position: Position) -> String {
    let mut discs = String::new();
    for (square, cell) in Square::all().zip(position.cells().chars()).filter(|disc| disc.1 != '-') {
        discs += &format!(" {} {square}", if cell == 'X' { 'b' } else { 'w' });
    }
    format!("gogui-setup{discs}\ngogui-setup_player {}\n", position.side)
}

/// Rows of JSON.
pub fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Rows of JSON without times.
pub fn timeless(text: &str) -> Vec<Value> {
    let mut rows = rows(text);
    for row in &mut rows {
        row.as_object_mut().expect(text).remove("time");
    }
    rows
}
