//! Which moves were good enough lately: the order of moves near the leaves.
//!
//! There a search to order moves costs more than it saves. What cut off elsewhere is a good guess instead, by the number of empty
//! squares (the history heuristic; Schaeffer 1989) and by the move before (the countermove heuristic; Uiterwijk 1992). It is soon
//! forgotten, as a killer move is (Akl and Newborn 1977).

use crate::board::Square;
use crate::board::bitboard::Squares;
use crate::search::ordering::SQUARE_RANK;

/// Each verdict moves a worth by a quarter (by 1 shifted by this) of the way to the end of its range.
const RATE: u32 = 2;

/// See the module.
#[derive(Clone, Debug)]
pub(in crate::search) struct History {
    /// By the number of empty squares, what each move is worth, up to 255.
    by_empties: [[u8; 64]; 61],
    /// The same by the move before.
    by_last: [[u8; 64]; 64],
    /// By the number of empty squares that it left, the last move of the line that is searched.
    last: [u8; 61],
}

impl History {
    /// Nothing is known; squares are worth what experience says of them.
    pub fn new() -> History {
        let squares = std::array::from_fn(|square| 2 * SQUARE_RANK[square].cast_unsigned());
        History { by_empties: [squares; 61], by_last: [[0; 64]; 64], last: [0; 61] }
    }

    /// Notes the last move of the line and how many empty squares it leaves.
    #[inline(always)]
    pub fn enter(&mut self, n_empties: u32, square: Square) {
        self.last[n_empties as usize] = square.index() as u8;
    }

    /// What moves are worth in a position with `n_empties` empty squares, the last of the line with so many.
    #[inline(always)]
    pub fn worths(&self, n_empties: u32) -> Worths<'_> {
        let last = usize::from(self.last[n_empties as usize]) % 64;
        Worths { by_empties: &self.by_empties[n_empties as usize], by_last: &self.by_last[last] }
    }

    /// Learns that a move was good enough in such a position, and that those of a set were not.
    #[inline(always)]
    pub fn learn(&mut self, n_empties: u32, square: Square, failed: u64) {
        let last = usize::from(self.last[n_empties as usize]) % 64;
        for worths in [&mut self.by_empties[n_empties as usize], &mut self.by_last[last]] {
            for failed in Squares(failed) {
                let worth = &mut worths[failed.index()];
                *worth -= *worth >> RATE;
            }
            let worth = &mut worths[square.index()];
            *worth += (u8::MAX - *worth) >> RATE;
        }
    }
}

/// What moves are worth in a position.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct Worths<'a> {
    by_empties: &'a [u8; 64],
    by_last: &'a [u8; 64],
}

impl Worths<'_> {
    /// What a move is worth, up to 510.
    #[inline(always)]
    pub fn of(self, square: Square) -> i32 {
        i32::from(self.by_empties[square.index()]) + i32::from(self.by_last[square.index()])
    }

    /// The move of a set that is worth most; the set must not be empty.
    #[inline(always)]
    pub fn best(self, moves: u64) -> Square {
        let mut best = Square::lowest(moves);
        let mut most = self.of(best);
        for square in Squares(moves & (moves - 1)) {
            let worth = self.of(square);
            if worth > most {
                (best, most) = (square, worth);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::bitboard::CORNERS;

    fn squares(names: &[u8]) -> [Square; 2] {
        [&names[..2], &names[2..]].map(|name| Square::parse(name).unwrap())
    }

    #[test]
    fn the_move_that_was_good_enough_last_is_tried_first() {
        let [c4, d7] = squares(b"c4d7");
        let moves = c4.bit() | d7.bit();
        let mut history = History::new();
        for (good, bad) in [(d7, c4), (c4, d7), (d7, c4), (c4, d7)] {
            for _ in 0..3 {
                history.learn(30, good, bad.bit());
            }
            assert_eq!(history.worths(30).best(moves), good);
        }
    }

    #[test]
    fn an_answer_is_known_with_any_number_of_empty_squares() {
        let [last, answer] = squares(b"b2a1");
        let mut history = History::new();
        history.enter(30, last);
        history.learn(30, answer, 0);
        let before = history.worths(28).of(answer);
        history.enter(28, last);
        assert!(history.worths(28).of(answer) > before);
    }

    #[test]
    fn worths_stay_in_their_range() {
        let [good, bad] = squares(b"a1b2");
        let mut history = History::new();
        for _ in 0..1000 {
            history.learn(0, good, bad.bit());
        }
        let worths = history.worths(0);
        assert!((480..=510).contains(&worths.of(good)) && (0..10).contains(&worths.of(bad)));
    }

    #[test]
    fn without_experience_corners_come_first_and_the_squares_beside_them_last() {
        let [corner, beside] = squares(b"h8g7");
        let history = History::new();
        assert_eq!(history.worths(40).best(u64::MAX), Square::lowest(1));
        for (square, others) in [(corner, !CORNERS), (beside, 0)] {
            assert_eq!(history.worths(40).best(square.bit() | others), square);
        }
        assert_eq!(history.worths(40).of(beside), 0);
    }
}
