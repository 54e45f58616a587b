//! The positions of the cases, as moves from the standard start.

use crate::board::{Color, Move};
use crate::game::{Game, Note};

/// Plays squares from the standard start, with the forced passes filled in; `start` stands for none.
pub(super) fn replay(moves: &str) -> Game {
    let mut game = Game::default();
    let moves = moves.strip_prefix("start").unwrap_or(moves);
    for square in moves.as_bytes().chunks(2) {
        let played = Move::parse(square).is_some_and(|mv| play(&mut game, mv));
        debug_assert!(played, "{} in {moves}", square.escape_ascii());
    }
    game
}

/// Plays a move for the side to move, or for the other side if the side to move must pass.
fn play(game: &mut Game, mv: Move) -> bool {
    let side = game.position().side;
    game.play(mv, Note::default()) || game.play_as(side.opposite(), mv, Note::default())
}

/// The game in GGF, with the tags that NBoard writes before the board.
pub(super) fn ggf(game: &Game) -> String {
    const TAGS: &str = "PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[one]PW[two]RE[?]TI[5:00]TY[8]";
    let cells = game.start().cells().replace('X', "*");
    let mut text = format!("(;GM[Othello]{TAGS}BO[8 {cells} {}]", ggf_side(game.start().side));
    for ply in game.plies() {
        let tag = match ply.before.side {
            Color::Black => 'B',
            Color::White => 'W',
        };
        text.push_str(&format!("{tag}[{:#}]", ply.mv));
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
    fn forced_passes_are_filled_in() {
        let game = replay("f5f6d3g5h5h4f7h6");
        assert!(must_pass(game.position().board));
        assert_eq!(
            game.position().cells(),
            "-------------------X-------XX--O---XXXOO-----X-O-----X----------"
        );
        assert!(ggf(&replay("f5f6d3g5h5h4f7h6e7")).ends_with("W[H6]B[PA]W[E7];)"));
        assert!(ggf(&replay("f5f6d3g5h5h4f7h6pa")).ends_with("]W[H6]B[PA];)"));
        assert_eq!(
            ggf(&replay("f5")),
            "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[one]PW[two]RE[?]TI[5:00]TY[8]\
             BO[8 ---------------------------O*------*O--------------------------- *]B[F5];)"
        );
    }
}
