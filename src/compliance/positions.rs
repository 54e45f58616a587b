//! The positions of the cases, as moves from the standard start.

use crate::board::{Color, Move};
use crate::game::{Game, Note};

/// Black is to move but has no move; White could play c5 or e7.
pub(super) const PASS: &str = "f5f6d3g5h5h4f7h6";

/// Over: Black 13 discs, White none.
pub(super) const OVER_BLACK: &str = "e6f4e3f6g5d6e7f5c5";

/// Over: Black no discs, White 14.
pub(super) const OVER_WHITE: &str = "e6f6d3d6f5d2f7g6e7e8";

/// Sixteen plies of a random game, so that no book knows it; Black to move has twelve moves.
pub(super) const MIDGAME: &str = "c4c5d6e3f3g3d3c7f6f5f4d2b5f7g5g6";

/// A random game of 60 moves without a pass that ends 32 to 32.
pub(super) const DRAWN: &str = "c4e3f3g3f5c6d3e6f4g5h3c2d2c3f7d1h5b5b3a4c5f2a5h4g4g8e2e1g2b2\
                                f1g6e7e8b4f6a2c1h7a3d7a1h6b6a7h1d8a6g1c7d6g7b1h8b7a8f8b8c8h2";

/// Plays squares from the standard start, with the forced passes filled in.
pub(super) fn replay(moves: &str) -> Game {
    let mut game = Game::default();
    for square in moves.as_bytes().chunks(2) {
        let played = Move::parse(square).is_some_and(|mv| play(&mut game, mv));
        debug_assert!(played, "{} in {moves}", square.escape_ascii());
    }
    game
}

/// Plays a move for the side to move, or for the other side if the side to move must pass.
pub(super) fn play(game: &mut Game, mv: Move) -> bool {
    let side = game.position().side;
    game.play(mv, Note::default()) || game.play_as(side.opposite(), mv, Note::default())
}

/// The game as a line of GGF with these tags before the board, and `notes` (as `/1.25/0.3`) after its first moves.
pub(super) fn ggf(tags: &str, game: &Game, notes: &[&str]) -> String {
    let cells = game.start().cells().replace('X', "*");
    let mut text = format!("(;GM[Othello]{tags}BO[8 {cells} {}]", ggf_side(game.start().side));
    for (index, ply) in game.plies().iter().enumerate() {
        let tag = match ply.before.side {
            Color::Black => 'B',
            Color::White => 'W',
        };
        let note = notes.get(index).copied().unwrap_or("");
        text.push_str(&format!("{tag}[{:#}{note}]", ply.mv));
    }
    text.push_str(";)");
    text
}

fn ggf_side(side: Color) -> char {
    match side {
        Color::Black => '*',
        Color::White => 'O',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::must_pass;

    #[test]
    fn positions_are_what_they_are_said_to_be() {
        let game = replay(PASS);
        assert!(must_pass(game.position().board) && game.position().side == Color::Black);
        assert_eq!(
            game.position().cells(),
            "-------------------X-------XX--O---XXXOO-----X-O-----X----------"
        );
        assert_eq!(replay(OVER_BLACK).result(), Some(64));
        assert_eq!(replay(OVER_WHITE).result(), Some(-64));
        let game = replay(DRAWN);
        assert_eq!((game.result(), game.plies().len()), (Some(0), 60));
        let position = replay(MIDGAME).position();
        assert_eq!((position.side, position.board.moves().count()), (Color::Black, 12));
    }

    #[test]
    fn games_are_written_as_ggf() {
        let mut game = replay("f5");
        assert_eq!(
            ggf("PB[x]", &game, &["/1.5"]),
            "(;GM[Othello]PB[x]BO[8 ---------------------------O*------*O--------------------------- *]\
             B[F5/1.5];)"
        );
        game = replay(PASS);
        assert!(play(&mut game, Move::Pass));
        assert!(ggf("", &game, &[]).ends_with("W[H6]B[PA];)"));
    }
}
