//! Positions in the notation of chess programs, as XBoard writes them: ranks from the eighth down, `p` for Black, `P` for White.

use crate::board::{Color, Position, Square};

/// The start of a game of XBoard, in which White begins.
pub fn start() -> Position {
    let [black, white] = [Color::Black, Color::White].map(|color| Position::START.discs(color));
    Position::new(white, black, Color::White)
}

/// Writes a position.
pub fn write(position: Position) -> String {
    let cells = position.cells().replace('X', "p").replace('O', "P");
    let rows: Vec<&str> = (0..8).rev().map(|row| &cells[8 * row..8 * row + 8]).collect();
    let lengths = (1..=8).rev();
    let board =
        lengths.fold(rows.join("/"), |text, n| text.replace(&"-".repeat(n), &n.to_string()));
    let side = if position.side == Color::Black { 'b' } else { 'w' };
    format!("{board} {side} - - 0 1")
}

/// Reads the board and the side to move; `None` if they are none of Othello. What follows does not count.
pub fn read(text: &str) -> Option<Position> {
    let mut words = text.split_whitespace();
    let rows: Vec<&str> = words.next()?.split('/').collect();
    let side = match words.next()? {
        "b" => Color::Black,
        "w" => Color::White,
        _ => return None,
    };
    if rows.len() != 8 {
        return None;
    }
    let mut discs = [0; 2];
    for (row, cells) in (0..8).rev().zip(rows) {
        let mut column = 0;
        for cell in cells.chars() {
            match cell {
                'P' | 'p' => {
                    let color = if cell == 'p' { Color::Black } else { Color::White };
                    discs[color.index()] |= Square::at(column, row)?.bit();
                    column += 1;
                }
                '1'..='8' if column < 8 => column += cell as u8 - b'0',
                _ => return None,
            }
        }
        if column != 8 {
            return None;
        }
    }
    Some(Position::new(discs[0], discs[1], side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_round_trip() {
        const START: &str = "8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1";
        assert_eq!(write(start()), START);
        for text in
            [START, "8/8/8/2PPP3/3pp3/8/8/7P b - - 0 1", "pppppppp/8/8/8/8/8/8/PPPPPPPP w - - 0 1"]
        {
            assert_eq!(read(text).map(write).as_deref(), Some(text));
        }
        for bad in [
            "",
            "8/8 w",
            "9/8/8/8/8/8/8/8 w",
            "8/8/8/8/8/8/8/8 x",
            "ppppppppp/8/8/8/8/8/8/8 w",
            &"8".repeat(99),
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
