//! A game in progress: the start position, the plies played, take-back and redo, and the result.

use std::time::Duration;

use crate::board::{Board, Color, Move, Position};

/// 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The seed of game `number` in a series with the seed `base`. As fractions of their range, the seeds of any number of
/// successive games are spread evenly, because they are multiples of the golden ratio.
pub fn seed_of(base: u64, number: u64) -> u64 {
    mix(base).wrapping_add(number.wrapping_mul(GOLDEN))
}

/// Scatters numbers that are close, by the finalizer of `SplitMix64`.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(GOLDEN);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// What is known of a played move besides the move itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Note {
    /// The mover's evaluation in discs for itself.
    pub value: Option<f64>,
    /// The mover's thinking time.
    pub time: Option<Duration>,
}

/// A ply: a move or a pass, as played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ply {
    /// The position in which it was played.
    pub before: Position,
    /// The move.
    pub mv: Move,
    /// What is known of it.
    pub note: Note,
}

/// A game: every recorded move is legal.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    start: Position,
    plies: Vec<Ply>,
    /// Plies taken back and not yet overwritten, the next one to redo last.
    undone: Vec<Ply>,
    position: Position,
}

impl Default for Game {
    fn default() -> Game {
        Game::new(Position::START)
    }
}

impl Game {
    /// A game without moves from any position.
    pub const fn new(start: Position) -> Game {
        Game { start, plies: Vec::new(), undone: Vec::new(), position: start }
    }

    /// The position before the first ply.
    pub const fn start(&self) -> Position {
        self.start
    }

    /// The current position.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// The plies played so far, passes included.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// Plays a move; `false`, with nothing changed, if it is illegal. A pass is legal for a side without a move.
    pub fn play(&mut self, mv: Move, note: Note) -> bool {
        let Some(next) = self.position.play(mv) else { return false };
        self.plies.push(Ply { before: self.position, mv, note });
        self.undone.clear();
        self.position = next;
        true
    }

    /// Plays a move for `color`; if the other side is on turn and must pass, its pass is recorded first. `false`, with nothing
    /// changed, if that gives no legal move.
    pub fn play_as(&mut self, color: Color, mv: Move, note: Note) -> bool {
        if color == self.position.side {
            return self.play(mv, note);
        }
        let Some(passed) = self.position.play(Move::Pass) else { return false };
        if passed.play(mv).is_none() {
            return false;
        }
        self.play(Move::Pass, Note::default()) && self.play(mv, note)
    }

    /// Takes the last ply back; `None` at the start.
    pub fn undo(&mut self) -> Option<Ply> {
        let ply = self.plies.pop()?;
        self.position = ply.before;
        self.undone.push(ply);
        Some(ply)
    }

    /// Plays again the ply that was taken back last; `None` if there is none.
    pub fn redo(&mut self) -> Option<Ply> {
        let ply = self.undone.pop()?;
        self.position = self.position.play(ply.mv)?;
        self.plies.push(ply);
        Some(ply)
    }

    /// Whether this game is `earlier`, possibly continued by more plies.
    pub fn goes_on_from(&self, earlier: &Game) -> bool {
        let same = |(ply, old): (&Ply, &Ply)| ply.mv == old.mv;
        self.start == earlier.start
            && self.plies.len() >= earlier.plies.len()
            && self.plies.iter().zip(&earlier.plies).all(same)
    }

    /// Whether neither side can move.
    pub fn is_over(&self) -> bool {
        self.position.board.is_over()
    }

    /// Discs for Black at the end of the game, empty squares counted for the winner; `None` while it goes on.
    pub fn result(&self) -> Option<i32> {
        self.is_over().then(|| self.position.final_score_for_black())
    }

    /// The positions from the start to the current one, one more than there are plies.
    pub fn positions(&self) -> impl Iterator<Item = Position> + '_ {
        self.plies.iter().map(|ply| ply.before).chain(std::iter::once(self.position))
    }
}

/// Whether the side to move must pass and the other side can move.
pub fn must_pass(board: Board) -> bool {
    board.legal_moves() == 0 && board.passed().legal_moves() != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(moves: &str) -> Game {
        let mut game = Game::default();
        for square in moves.as_bytes().chunks(2) {
            let mv = Move::parse(square).unwrap();
            assert!(game.play(mv, Note::default()), "{mv}");
        }
        game
    }

    #[test]
    fn passes_must_be_forced_and_may_be_implied() {
        let mut game = played("f5f6d3g5h5h4f7h6");
        assert!(must_pass(game.position().board));
        assert!(!game.play(Move::parse(b"c5").unwrap(), Note::default()));
        assert!(game.play_as(Color::White, Move::parse(b"c5").unwrap(), Note::default()));
        assert_eq!(game.plies().len(), 10);
        assert_eq!(game.plies()[8].mv, Move::Pass);
        assert!(!Game::default().play(Move::Pass, Note::default()));
        let f4 = Move::parse(b"f4").unwrap();
        assert!(!Game::default().play_as(Color::White, f4, Note::default()));
    }

    #[test]
    fn undo_and_redo_are_inverse() {
        let mut game = played("f5d6c3d3c4");
        let end = game.position();
        while game.undo().is_some() {}
        assert_eq!(game.position(), Position::START);
        for _ in 0..5 {
            assert!(game.redo().is_some());
        }
        assert!(game.redo().is_none());
        assert_eq!(game.position(), end);
        game.undo();
        assert!(game.play(Move::parse(b"c4").unwrap(), Note::default()) && game.redo().is_none());
    }

    #[test]
    fn results_give_the_empties_to_the_winner() {
        for (moves, result) in [
            ("f5d6c3", None),
            ("e6f4e3f6g5d6e7f5c5", Some(64)),
            ("e6f6d3d6f5d2f7g6e7e8", Some(-64)),
        ] {
            assert_eq!(played(moves).result(), result);
        }
    }
}
