//! The rules of Othello and a solver, written for the hunt alone, without the program's board.

use super::Random;

/// Sides, which are also cells.
pub const BLACK: u8 = b'X';
pub const WHITE: u8 = b'O';

/// The name of a side in GTP.
pub fn color(side: u8) -> &'static str {
    if side == BLACK { "black" } else { "white" }
}

/// `A1` to `H8`, of squares numbered row by row.
pub fn name(square: usize) -> String {
    format!("{}{}", char::from(b'A' + (square % 8) as u8), square / 8 + 1)
}

/// The number of a square; `None` for a pass.
pub fn parse(word: &str) -> Option<usize> {
    (0..64).find(|square| name(*square).eq_ignore_ascii_case(word))
}

/// The directions: how far a step shifts, and the squares that a step does not come to from the other edge.
const STEPS: [(i32, u64); 8] = [
    (1, !0x0101_0101_0101_0101),
    (-1, !0x8080_8080_8080_8080),
    (8, !0),
    (-8, !0),
    (9, !0x0101_0101_0101_0101),
    (-9, !0x8080_8080_8080_8080),
    (7, !0x8080_8080_8080_8080),
    (-7, !0x0101_0101_0101_0101),
];

/// A position by sets of discs, a1 the lowest bit.
#[derive(Clone, Copy)]
pub struct Board {
    own: u64,
    other: u64,
    pub side: u8,
}

impl Board {
    pub fn start() -> Board {
        Board { own: 1 << 28 | 1 << 35, other: 1 << 27 | 1 << 36, side: BLACK }
    }

    fn flips(self, at: u64) -> u64 {
        let mut all = 0;
        for (by, mask) in STEPS {
            let step = |set: u64| (if by > 0 { set << by } else { set >> -by }) & mask;
            let (mut run, mut next) = (0, step(at));
            while next & self.other != 0 {
                run |= next;
                next = step(next);
            }
            all |= if next & self.own != 0 { run } else { 0 };
        }
        all
    }

    /// The legal moves, from a1 row by row.
    pub fn moves(self) -> impl Iterator<Item = usize> {
        let taken = self.own | self.other;
        (0..64).filter(move |at| taken >> at & 1 == 0 && self.flips(1 << at) != 0)
    }

    pub fn can_move(self) -> bool {
        self.moves().next().is_some()
    }

    pub fn n_empties(self) -> u32 {
        (self.own | self.other).count_zeros()
    }

    fn passed(self) -> Board {
        let side = if self.side == BLACK { WHITE } else { BLACK };
        Board { own: self.other, other: self.own, side }
    }

    /// After a legal move or, without a move, a pass.
    pub fn play(self, mv: Option<usize>) -> Board {
        let Some(at) = mv else { return self.passed() };
        let flips = self.flips(1 << at);
        Board { own: self.own | flips | 1 << at, other: self.other & !flips, ..self }.passed()
    }

    /// Plays a random move, or the pass that is forced; nothing after the end.
    pub fn random_ply(self, random: &mut Random) -> Option<(Board, Option<usize>)> {
        let moves: Vec<usize> = self.moves().collect();
        let mv = (!moves.is_empty()).then(|| random.pick(&moves));
        (mv.is_some() || self.passed().can_move()).then(|| (self.play(mv), mv))
    }

    /// The exact score for the side to move, by alpha-beta between two scores.
    pub fn solve(self, mut alpha: i32, beta: i32) -> i32 {
        let mut next: Vec<Board> = self.moves().map(|mv| self.play(Some(mv))).collect();
        if next.is_empty() {
            if self.passed().can_move() {
                return -self.passed().solve(-beta, -alpha);
            }
            let lead = self.own.count_ones() as i32 - self.other.count_ones() as i32;
            return lead + lead.signum() * self.n_empties() as i32;
        }
        if self.n_empties() > 5 {
            next.sort_by_cached_key(|next| next.moves().count());
        }
        let mut best = -64;
        for next in next {
            best = best.max(-next.solve(-beta, -alpha));
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// The disc on a square, or `-`.
    pub fn cell(self, at: usize) -> u8 {
        match (self.own >> at & 1, self.other >> at & 1) {
            (1, _) => self.side,
            (_, 1) => self.passed().side,
            _ => b'-',
        }
    }

    /// 64 cells from a1 row by row.
    pub fn text(self) -> String {
        (0..64).map(|at| char::from(self.cell(at))).collect()
    }
}

#[test]
fn the_plain_rules_know_passes_and_ends() {
    let play = |moves: &str| {
        let squares = (0..moves.len()).step_by(2).map(|at| parse(&moves[at..at + 2]));
        squares.fold(Board::start(), Board::play)
    };
    assert_eq!(play("").moves().count(), 4);
    let stuck = play("f5f6d3g5h5h4f7h6");
    assert!(!stuck.can_move() && stuck.passed().moves().map(name).eq(["C5", "E7"]));
    let over = play("e6f4e3f6g5d6e7f5c5");
    assert!(!over.can_move() && !over.passed().can_move());
    assert_eq!((over.solve(-64, 64), over.passed().solve(-64, 64)), (-64, 64));
}
