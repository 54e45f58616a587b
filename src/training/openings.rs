//! Where self-play starts: lines that neither side would choose.
//!
//! Half of the openings are fully random (Buro 1995 and most programs since), half a line of fair play that ends with a few random
//! moves. If games of others are given, a third of all openings lie a few random moves away from a position of such a game.

use std::ops::RangeInclusive;
use std::path::Path;

use anyhow::Context;
use rand::rngs::Xoshiro256PlusPlus;

use super::search_context::{SearchContext, look, nearly_best};
use crate::board::{Board, Square};
use crate::evaluation::Evaluation;
use crate::files::games::GameFile;
use crate::game::Game;
use crate::players::simple::random::draw_square;
use crate::score::DISC;
use crate::support::random::draw;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    start: Board,
    /// Without passes, which the rules imply.
    squares: Vec<Square>,
}

impl Line {
    fn new(game: &Game) -> Line {
        let squares = game.plies().iter().filter_map(|ply| ply.mv.square()).collect();
        Line { start: game.start().board, squares }
    }

    /// The position with this many discs beyond the first four and a legal move for the side to move, if the game has one.
    pub fn position(&self, n_discs: u32) -> Option<Board> {
        let mut board = self.start;
        for &square in &self.squares {
            if board.n_empties() + n_discs <= 60 {
                break;
            }
            board = with_move(board)?;
            board = board.after(square, board.flips(square));
        }
        if board.n_empties() + n_discs == 60 { with_move(board) } else { None }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Openings<'a> {
    pub evaluation: &'a Evaluation,
    /// Games of others; may be empty.
    pub games: &'a [Line],
}

impl Openings<'_> {
    /// A position after an opening with so many discs beyond the first four, and a legal move for the side to move.
    pub fn draw(
        &self,
        discs: &RangeInclusive<u32>,
        random: &mut Xoshiro256PlusPlus,
        context: &SearchContext,
    ) -> Board {
        /// Games tried for a position of the wanted length; most have one, except those that ended early.
        const TRIES: usize = 100;
        let (least, most) = (*discs.start(), *discs.end());
        let length = |random: &mut _| least + draw(random, u64::from(most - least) + 1) as u32;
        if !self.games.is_empty() && draw(random, 3) == 0 {
            for _ in 0..TRIES {
                let length = length(random);
                if let Some(board) = borrowed_line(self.games, length, random) {
                    return board;
                }
            }
        }
        loop {
            let length = length(random);
            let n_disturbed =
                if draw(random, 2) == 0 { length } else { 1 + draw(random, 3) as u32 };
            if let Some(board) = self.disturbed_line(length, n_disturbed, random, context) {
                return board;
            }
        }
    }

    /// Plays `length` plies, the last `n_disturbed` of them at random; `None` if the game ends before.
    fn disturbed_line(
        &self,
        length: u32,
        n_disturbed: u32,
        random: &mut Xoshiro256PlusPlus,
        context: &SearchContext,
    ) -> Option<Board> {
        let mut board = Board::START;
        for ply in 0..length {
            board = with_move(board)?;
            let square = if ply + n_disturbed >= length {
                draw_square(random, board.legal_moves())
            } else {
                self.fair_move(board, random, context)?
            };
            board = board.after(square, board.flips(square));
        }
        with_move(board)
    }

    /// One of the moves that a shallow search considers nearly best.
    fn fair_move(
        &self,
        board: Board,
        random: &mut Xoshiro256PlusPlus,
        context: &SearchContext,
    ) -> Option<Square> {
        /// The largest loss in discs that still counts as fair.
        const MARGIN: i32 = 3;
        const DEPTH: u32 = 1;
        let outcome = look(self.evaluation, board, &nearly_best(DEPTH, MARGIN * DISC), context);
        let index = draw(random, outcome.lines.len().max(1) as u64) as usize;
        outcome.lines.get(index)?.mv.square()
    }
}

/// With `length` discs beyond the first four, one to three random moves away from a game drawn from `games`; `None` if there is none.
fn borrowed_line(games: &[Line], length: u32, random: &mut Xoshiro256PlusPlus) -> Option<Board> {
    let game = &games[draw(random, games.len() as u64) as usize];
    let n_disturbed = (1 + draw(random, 3) as u32).min(length);
    let mut board = game.position(length - n_disturbed)?;
    for _ in 0..n_disturbed {
        let square = draw_square(random, board.legal_moves());
        board = with_move(board.after(square, board.flips(square)))?;
    }
    Some(board)
}

/// The board for the side to move, after a forced pass if necessary; `None` if the game is over.
pub fn with_move(board: Board) -> Option<Board> {
    [board, board.passed()].into_iter().find(|board| board.legal_moves() != 0)
}

/// The games of a file; `tell` hears what is left out.
pub fn read(path: &Path, tell: impl Fn(&str)) -> anyhow::Result<Vec<Line>> {
    let games = GameFile::read(path, None, None).and_then(|file| file.legal_games(tell));
    let games = games.with_context(|| format!("games file {}", path.display()))?;
    Ok(games.iter().map(Line::new).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::transcript;

    /// The second move after Black's pass is c5.
    const WITH_PASS: &[u8] = b"f5f6d3g5h5h4f7h6c5";

    #[test]
    fn positions_are_those_of_the_game() {
        let game = |text: &[u8]| transcript::read(text).unwrap().replay().unwrap();
        let line = Line::new(&game(WITH_PASS));
        let game_with_pass = game(WITH_PASS);
        for position in game_with_pass.positions() {
            let board = position.board;
            if board.legal_moves() != 0 {
                assert_eq!(line.position(60 - board.n_empties()), Some(board));
            }
        }
        assert_eq!(line.position(10), None);
        // A wipe-out: nobody can move after the last ply.
        let lost = Line::new(&game(b"e6f4e3f6g5d6e7f5c5"));
        assert!(lost.position(8).is_some() && lost.position(9).is_none());
    }
}
