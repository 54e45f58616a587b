//! A game as moves and values, with positions beside its line.
//!
//! | bytes | content |
//! |---|---|
//! | 16 | the first position: discs of the side to move, discs of the opponent |
//! | 1 | steps of the line, *n* |
//! | 1 | branches, *m* |
//! | 2 each of *n* | a step: the square played (6 low bits), and the value before it in 1/8 disc, plus 512; 1023 is 64 discs |
//! | *m* times: 1 | the step whose position a branch begins at |
//! | 1 each | the squares of the branch; bit 7 marks the last |
//! | 2 | the value at its end in 1/128 disc, signed |
//!
//! Numbers are little-endian. Passes are not written, since the rules imply them; the first position has a legal move.

use super::openings::with_move;
use crate::board::{Board, Square};
use crate::score::{DISC, MAX, Score};

/// A move of the line, and the value of the position before it for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The square played.
    pub square: Square,
    /// See [`rounded`].
    pub score: Score,
}

/// A position beside the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The step whose position it begins at.
    pub step: usize,
    /// The moves to it, at least one.
    pub squares: Vec<Square>,
    /// The value at its end for the side to move.
    pub score: Score,
}

/// A game, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The first position.
    pub start: Board,
    /// The line, at most 60 steps.
    pub steps: Vec<Step>,
    /// The positions beside it, at most 255.
    pub branches: Vec<Branch>,
}

/// Units in a value of a step.
const UNIT: Score = DISC / 8;

/// The code of 64 discs. The value next below has none.
const HIGHEST: i32 = 1023;

const LAST_SQUARE: u8 = 0x80;

fn encoded(score: Score) -> i32 {
    ((score.clamp(-MAX, MAX) + MAX + UNIT / 2) / UNIT).min(HIGHEST)
}

const fn decoded(code: i32) -> Score {
    if code == HIGHEST { MAX } else { code * UNIT - MAX }
}

/// A value as it is kept for a step: in 1/8 disc; whole numbers of discs are exact.
pub fn rounded(score: Score) -> Score {
    decoded(encoded(score))
}

/// The position after a legal move; the side to move may have none.
fn after(board: Board, square: Square) -> Option<Board> {
    let is_legal = board.legal_moves() & square.bit() != 0;
    is_legal.then(|| board.after(square, board.flips(square)))
}

impl Played {
    /// Number of positions with a value.
    pub const fn n_positions(&self) -> usize {
        self.steps.len() + self.branches.len()
    }

    /// The positions with their values, those of the line first; `None` if a move is illegal.
    pub fn positions(&self) -> Option<Vec<(Board, Score)>> {
        let mut positions = Vec::with_capacity(self.n_positions());
        let mut board = self.start;
        for step in &self.steps {
            let here = with_move(board)?;
            positions.push((here, step.score));
            board = after(here, step.square)?;
        }
        for branch in &self.branches {
            let (mut board, _) = *positions[..self.steps.len()].get(branch.step)?;
            for &square in &branch.squares {
                board = after(with_move(board)?, square)?;
            }
            positions.push((with_move(board)?, branch.score));
        }
        Some(positions)
    }

    /// Appends the bytes of the game.
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        debug_assert!(self.steps.len() <= 60 && self.branches.len() <= 255);
        bytes.extend(self.start.player.to_le_bytes());
        bytes.extend(self.start.opponent.to_le_bytes());
        bytes.extend([self.steps.len() as u8, self.branches.len() as u8]);
        for step in &self.steps {
            let code = encoded(step.score) << 6 | step.square.index() as i32;
            bytes.extend((code as u16).to_le_bytes());
        }
        for branch in &self.branches {
            bytes.push(branch.step as u8);
            bytes.extend(branch.squares.iter().map(|square| square.index() as u8));
            if let Some(last) = bytes.last_mut() {
                *last |= LAST_SQUARE;
            }
            bytes.extend((branch.score.clamp(-MAX, MAX) as i16).to_le_bytes());
        }
    }

    /// Takes a game from the start of `bytes`; `None` if they hold none, or illegal moves.
    pub fn decode(bytes: &mut &[u8]) -> Option<Played> {
        let start = Board {
            player: u64::from_le_bytes(take(bytes)?),
            opponent: u64::from_le_bytes(take(bytes)?),
        };
        let [n_steps, n_branches] = take(bytes)?;
        if start.player & start.opponent != 0 {
            return None;
        }
        let mut steps = Vec::with_capacity(n_steps.into());
        for _ in 0..n_steps {
            let code = u16::from_le_bytes(take(bytes)?);
            let (square, score) = (square((code & 63) as u8)?, decoded(i32::from(code >> 6)));
            steps.push(Step { square, score });
        }
        let mut branches = Vec::with_capacity(n_branches.into());
        for _ in 0..n_branches {
            let [step] = take(bytes)?;
            let mut squares = Vec::new();
            loop {
                let [byte] = take(bytes)?;
                squares.push(square(byte & !LAST_SQUARE)?);
                if byte & LAST_SQUARE != 0 {
                    break;
                }
            }
            let score = Score::from(i16::from_le_bytes(take(bytes)?));
            if !(-MAX..=MAX).contains(&score) {
                return None;
            }
            branches.push(Branch { step: step.into(), squares, score });
        }
        let played = Played { start, steps, branches };
        played.positions().map(|_| played)
    }
}

fn square(index: u8) -> Option<Square> {
    Square::at(index & 7, index >> 3)
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = bytes.split_first_chunk()?;
    *bytes = tail;
    Some(*head)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::players::random::draw_square;
    use crate::support::draw::draw;
    use proptest::prelude::*;
    use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

    /// A random game with branches.
    pub(in crate::training) fn random_game(seed: u64) -> Played {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let score =
            |random: &mut Xoshiro256PlusPlus| draw(random, 2 * MAX as u64 + 1) as Score - MAX;
        let mut played = Played { start: Board::START, steps: Vec::new(), branches: Vec::new() };
        let mut board = Board::START;
        while let Some(here) = with_move(board) {
            let step = played.steps.len();
            let squares = [draw_square(&mut random, here.legal_moves())];
            let there = after(here, squares[0]).unwrap();
            if draw(&mut random, 3) == 0
                && let Some(there) = with_move(there)
            {
                let mut squares = squares.to_vec();
                if let Some(end) = there.moves().next().and_then(|square| after(there, square))
                    && with_move(end).is_some()
                {
                    squares.push(there.moves().next().unwrap());
                }
                played.branches.push(Branch { step, squares, score: score(&mut random) });
            }
            let square = draw_square(&mut random, here.legal_moves());
            played.steps.push(Step { square, score: rounded(score(&mut random)) });
            board = after(here, square).unwrap();
        }
        played
    }

    #[test]
    fn values_are_rounded_to_an_eighth_of_a_disc() {
        for score in -MAX..=MAX {
            let error = (rounded(score) - score).abs();
            assert!(error <= UNIT / 2 || score > MAX - 2 * UNIT, "{score}");
            assert_eq!(rounded(rounded(score)), rounded(score));
            assert!(error == 0 || score % DISC != 0, "{score}");
        }
    }

    #[test]
    fn games_come_back() {
        let games: Vec<Played> = (0..100).map(random_game).collect();
        assert!(games.iter().any(|game| game.branches.iter().any(|b| b.squares.len() > 1)));
        let mut bytes = Vec::new();
        games.iter().for_each(|game| game.encode(&mut bytes));
        let mut rest = &bytes[..];
        for game in &games {
            assert_eq!(Played::decode(&mut rest).as_ref(), Some(game));
            let positions = game.positions().unwrap();
            assert_eq!(positions.len(), game.n_positions());
            assert!(positions.iter().all(|(board, _)| board.legal_moves() != 0));
        }
        assert!(rest.is_empty());
    }

    proptest! {
        #[test]
        fn anything_else_is_refused(seed in 0..1000u64, at in 0..400usize, byte: u8) {
            let mut bytes = Vec::new();
            random_game(seed).encode(&mut bytes);
            let at = at % bytes.len();
            prop_assert_eq!(Played::decode(&mut &bytes[..at]), None);
            bytes[at] = byte;
            if let Some(played) = Played::decode(&mut &bytes[..]) {
                let mut again = Vec::new();
                played.encode(&mut again);
                prop_assert_eq!(Played::decode(&mut &again[..]), Some(played));
            }
        }
    }
}
