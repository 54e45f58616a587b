//! The rules of Othello on plain cells, written for the hunt alone, without the program's board.

use super::Random;

/// Sides, which are also cells.
pub const BLACK: u8 = b'X';
pub const WHITE: u8 = b'O';
const EMPTY: u8 = b'-';

/// Column and row, from 0.
pub type Square = (usize, usize);

pub fn other(side: u8) -> u8 {
    if side == BLACK { WHITE } else { BLACK }
}

/// The name of a side in GTP.
pub fn color(side: u8) -> &'static str {
    if side == BLACK { "black" } else { "white" }
}

/// `A1` to `H8`.
pub fn name((x, y): Square) -> String {
    format!("{}{}", char::from(b'A' + x as u8), y + 1)
}

/// A square or, as `Some(None)`, a pass, in upper or lower case; `None` for other words.
pub fn parse(word: &str) -> Option<Option<Square>> {
    let word = word.to_lowercase();
    if ["pa", "pass", "ps", "--", "@@"].contains(&word.as_str()) {
        return Some(None);
    }
    let &[column @ b'a'..=b'h', row @ b'1'..=b'8'] = word.as_bytes() else { return None };
    Some(Some((usize::from(column - b'a'), usize::from(row - b'1'))))
}

/// A position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Board {
    /// By row and column.
    pub cells: [[u8; 8]; 8],
    pub side: u8,
}

impl Board {
    pub fn start() -> Board {
        let mut board = Board { cells: [[EMPTY; 8]; 8], side: BLACK };
        (board.cells[3][3], board.cells[4][4]) = (WHITE, WHITE);
        (board.cells[3][4], board.cells[4][3]) = (BLACK, BLACK);
        board
    }

    /// A position of a game that went on at random from the start; it may be over, or leave no move but a pass.
    pub fn random(random: &mut Random) -> Board {
        let mut board = Board::start();
        for _ in 0..random.below(62) {
            board = board.random_ply(random).map_or(board, |(next, _)| next);
        }
        board
    }

    /// Plays a random move, or the pass that is forced; nothing after the end.
    pub fn random_ply(&self, random: &mut Random) -> Option<(Board, Option<Square>)> {
        if self.is_over() {
            return None;
        }
        let moves = self.moves();
        let mv = (!moves.is_empty()).then(|| random.pick(&moves));
        Some((self.play(mv).expect("it is legal"), mv))
    }

    fn flips(&self, side: u8, (x, y): Square) -> Vec<Square> {
        let mut all = Vec::new();
        if self.cells[y][x] != EMPTY {
            return all;
        }
        for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)] {
            let (mut run, mut x, mut y) = (Vec::new(), x as i32 + dx, y as i32 + dy);
            while (0..8).contains(&x) && (0..8).contains(&y) {
                let cell = self.cells[y as usize][x as usize];
                if cell != other(side) {
                    all.extend(run.drain(..).filter(|_| cell == side));
                    break;
                }
                run.push((x as usize, y as usize));
                (x, y) = (x + dx, y + dy);
            }
        }
        all
    }

    fn moves_of(&self, side: u8) -> Vec<Square> {
        let squares = (0..64).map(|n| (n % 8, n / 8));
        squares.filter(|&square| !self.flips(side, square).is_empty()).collect()
    }

    /// The legal moves, from a1 row by row.
    pub fn moves(&self) -> Vec<Square> {
        self.moves_of(self.side)
    }

    pub fn can_move(&self, side: u8) -> bool {
        !self.moves_of(side).is_empty()
    }

    pub fn is_over(&self) -> bool {
        !self.can_move(BLACK) && !self.can_move(WHITE)
    }

    pub fn with_side(self, side: u8) -> Board {
        Board { side, ..self }
    }

    /// After a move or, without a move, a pass; `None` if it is illegal.
    pub fn play(&self, mv: Option<Square>) -> Option<Board> {
        let mut next = self.with_side(other(self.side));
        let Some((x, y)) = mv else { return (!self.can_move(self.side)).then_some(next) };
        let flips = self.flips(self.side, (x, y));
        for &(x, y) in flips.iter().chain(&[(x, y)]) {
            next.cells[y][x] = self.side;
        }
        (!flips.is_empty()).then_some(next)
    }

    pub fn count(&self, cell: u8) -> i32 {
        self.cells.as_flattened().iter().filter(|&&here| here == cell).count() as i32
    }

    pub fn n_empties(&self) -> i32 {
        self.count(EMPTY)
    }

    /// Discs by which Black wins if the game is over, with the empty squares for the winner.
    pub fn result(&self) -> i32 {
        let lead = self.count(BLACK) - self.count(WHITE);
        lead + lead.signum() * self.n_empties()
    }

    /// The exact score for the side to move, by trying everything.
    pub fn solve(&self) -> i32 {
        let sign = if self.side == BLACK { 1 } else { -1 };
        let moves = self.moves();
        if moves.is_empty() {
            let passed = self.with_side(other(self.side));
            return if self.is_over() { sign * self.result() } else { -passed.solve() };
        }
        let after = moves.iter().map(|&mv| -self.play(Some(mv)).expect("it is legal").solve());
        after.max().expect("there is a move")
    }

    /// 64 cells from a1 row by row.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.cells.as_flattened()).into_owned()
    }
}

#[test]
fn the_plain_rules_know_passes_and_ends() {
    let play = |moves: &str| {
        let squares: Vec<_> =
            (0..moves.len() / 2).map(|n| parse(&moves[2 * n..2 * n + 2]).unwrap()).collect();
        squares.into_iter().fold(Board::start(), |board, mv| board.play(mv).expect(moves))
    };
    assert_eq!(play("").moves().len(), 4);
    let stuck = play("f5f6d3g5h5h4f7h6");
    assert!(!stuck.can_move(BLACK) && stuck.moves_of(WHITE) == [(2, 4), (4, 6)]);
    let over = play("e6f4e3f6g5d6e7f5c5");
    assert!(over.is_over());
    assert_eq!((over.result(), over.solve()), (64, -64));
}
