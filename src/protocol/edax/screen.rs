//! What the console prints, column by column, since scripts cut these lines by columns.

use std::fmt::Write;
use std::time::Duration;

use crate::board::{Board, Color, Move, Position};
use crate::game::Game;
use crate::score::{self, Score};
use crate::search::{Bound, Line};

/// The heads of the columns of [`row`].
pub const HEADER: &str =
    " depth|score|       time   |  nodes (N)  |   N/s    | principal variation";

/// The rule above and below the rows, but for the dashes at its end.
pub const RULE: &str = "------+-----+--------------+-------------+----------+---------------------";

/// Columns of a line by default.
pub const WIDTH: usize = 80;

/// Columns before a row's variation, the line's end counted.
const BEFORE_LINE: usize = 52;

/// A result of a search in `width` columns, without the line's end.
pub fn row(line: &Line, side: Color, nodes: u64, elapsed: Duration, width: usize) -> String {
    let mark = match line.bound {
        Bound::Exact => ' ',
        Bound::AtLeast => '>',
        Bound::AtMost => '<',
    };
    let depth = match line.selectivity.percent() {
        100 => format!("   {:2}  ", line.depth),
        percent => format!("{:2}@{percent}% ", line.depth),
    };
    let speed = match elapsed.as_millis() {
        0 => " ".repeat(10),
        milliseconds => format!("{:10}", u128::from(nodes) * 1000 / milliseconds),
    };
    let work = if nodes > 0 { format!("{nodes:13} {speed}") } else { " ".repeat(24) };
    let pv = variation(&line.pv, side, width.saturating_sub(BEFORE_LINE));
    format!("{depth}{mark}{:+03} {} {work} {pv}", whole(line.score), time(elapsed))
}

/// A move of the book in `width` columns, without the line's end.
pub(super) fn book_row(line: &Line, side: Color, width: usize) -> String {
    let pv = variation(&line.pv, side, width.saturating_sub(BEFORE_LINE + 2));
    format!("book    {:+}{}{pv}", whole(line.score), " ".repeat(42))
}

/// Moves in small letters for Black, in capitals for White, three columns each.
pub(in crate::protocol) fn variation(moves: &[Move], mut side: Color, width: usize) -> String {
    let n = width.saturating_sub(1) / 3;
    let mut text = String::new();
    for mv in moves.iter().take(n) {
        let separator = if text.is_empty() { "" } else { " " };
        // A `String` takes all that is written.
        _ = match side {
            Color::Black => write!(text, "{separator}{mv}"),
            Color::White => write!(text, "{separator}{mv:#}"),
        };
        side = side.opposite();
    }
    text + &" ".repeat(3 * n.saturating_sub(moves.len()))
}

/// A score in whole discs.
pub fn whole(score: Score) -> i32 {
    score::discs(score).round() as i32
}

/// A time in 15 columns.
fn time(time: Duration) -> String {
    format!("{:>15}", short_time(time))
}

/// A time: minutes, seconds and milliseconds, with hours if there are any.
pub fn short_time(time: Duration) -> String {
    let (seconds, milliseconds) = (time.as_secs(), time.subsec_millis());
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    match minutes / 60 {
        0 => format!("{minutes:2}:{seconds:02}.{milliseconds:03}"),
        hours => format!("{hours:2}:{:02}:{seconds:02}.{milliseconds:03}", minutes % 60),
    }
}

fn n_moves(board: Board) -> u32 {
    board.legal_moves().count_ones()
}

const fn letter(color: Color) -> char {
    match color {
        Color::Black => '*',
        Color::White => 'O',
    }
}

/// The color whose disc is on a square.
fn disc(position: Position, index: usize) -> Option<Color> {
    [Color::Black, Color::White].into_iter().find(|&color| position.discs(color) >> index & 1 != 0)
}

/// The eight squares of a row with its number before and after them; a dot is a legal move.
fn left(position: Position, row: usize) -> String {
    let legal = position.board.legal_moves();
    let cell = |index: usize| match disc(position, index) {
        Some(color) => letter(color),
        None if legal >> index & 1 != 0 => '.',
        None => '-',
    };
    let cells: String = (8 * row..8 * row + 8).flat_map(|index| [cell(index), ' ']).collect();
    format!("{} {cells}{}", row + 1, row + 1)
}

/// The game: the board, what both sides have used of the time, and where each move was played.
pub(super) fn game(game: &Game, spent: [Duration; 2]) -> String {
    let position = game.position();
    let Position { board, side } = position;
    let mut numbers = [0; 64];
    let placed = game.plies().iter().filter_map(|ply| ply.mv.square());
    (1..).zip(placed).for_each(|(number, square)| numbers[square.index()] = number);
    let counts = |color: Color| {
        let own = if color == side { board } else { board.passed() };
        format!("   {:2} discs  {:2} moves   ", position.discs(color).count_ones(), n_moves(own))
    };
    let clock = |color: Color| format!("  {}       ", time(spent[color.index()]));
    let head = |color: &str| {
        format!("  A B C D E F G H            {color}            A  B  C  D  E  F  G  H\n")
    };
    let mut text = head("BLACK");
    for row in 0..8 {
        let middle = match (row, game.result()) {
            (0, _) => clock(Color::Black),
            (1, _) => counts(Color::Black),
            (3, None) => {
                let ply = game.plies().len() + 1;
                format!("  ply {ply:2} ({:2} empties)   ", board.n_empties())
            }
            (3, Some(_)) => "       Game over        ".into(),
            (4, None) => {
                let name = if side == Color::Black { "Black" } else { "White" };
                format!("    {name}'s turn ({})    ", letter(side))
            }
            (4, Some(0)) => "          draw          ".into(),
            (4, Some(discs)) => {
                format!("       {} won        ", if discs > 0 { "Black" } else { "White" })
            }
            (6, _) => counts(Color::White),
            (7, _) => clock(Color::White),
            _ => " ".repeat(24),
        };
        let right = |index: usize| match (numbers[index], disc(game.start(), index)) {
            (0, Some(Color::Black)) => "|##".into(),
            (0, Some(Color::White)) => "|()".into(),
            (0, None) => "|  ".into(),
            (number, _) => format!("|{number:2}"),
        };
        let played: String = (8 * row..8 * row + 8).map(right).collect();
        text += &format!("{}{middle}{} {played}| {}\n", left(position, row), row + 1, row + 1);
    }
    text + &head("WHITE")
}

/// The discs and the moves of a side, as they stand beside a board.
pub(in crate::protocol) fn counts(position: Position, color: Color) -> String {
    let Position { board, side } = position;
    let (own, discs) = (if color == side { board } else { board.passed() }, position.discs(color));
    let n_discs = discs.count_ones();
    format!(" {}: discs = {n_discs:2}    moves = {:2}", letter(color), n_moves(own))
}

/// A position to solve, as it stands above its search.
pub fn problem(position: Position) -> String {
    let Position { board, side } = position;
    let head = "  A B C D E F G H\n";
    let mut text = String::from(head);
    for row in 0..8 {
        let right = match row {
            1 => format!(" {} to move", letter(side)),
            3 => counts(position, side),
            4 => counts(position, side.opposite()),
            5 => format!(
                "  empties = {:2}      ply = {:2}",
                board.n_empties(),
                61 - board.n_empties()
            ),
            _ => String::new(),
        };
        text += &format!("{}{right}\n", left(position, row));
    }
    text + head
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::transcript;
    use crate::score::DISC;
    use crate::search::Selectivity;

    #[test]
    fn rows_keep_their_columns() {
        let pv: Vec<Move> = ["a2", "b1", "pass", "c1"]
            .iter()
            .map(|mv| Move::parse(mv.as_bytes()).unwrap())
            .collect();
        let (black, white, ms) = (Color::Black, Color::White, Duration::from_millis);
        let rows = [
            "   20   +38        0:00.778      10429939   13406091 a2 B1 pa C1               ",
            "20@73% >-07        0:00.000           556            A2 b1 PA c1               ",
            "20@98% <+00        1:01.000                          A2 b1 PA c1               ",
            "   20   +00     1:02:03.004             1          0 a2 B1 pa C1               ",
        ];
        let cases = [
            (100, Bound::Exact, 38, 10_429_939, ms(778), black),
            (73, Bound::AtLeast, -7, 556, ms(0), white),
            (98, Bound::AtMost, 0, 0, ms(61_000), white),
            (100, Bound::Exact, 0, 1, ms(3_723_004), black),
        ];
        for ((percent, bound, score, nodes, elapsed, side), expected) in cases.into_iter().zip(rows)
        {
            let line = Line {
                bound,
                selectivity: Selectivity::from_percent(percent),
                pv: pv.clone(),
                ..Line::new(pv[0], score * DISC, bound, 20)
            };
            assert_eq!(row(&line, side, nodes, elapsed, WIDTH), expected);
        }
        let line = Line { pv: vec![pv[0]; 20], ..Line::new(pv[0], -DISC, Bound::Exact, 1) };
        assert_eq!(
            book_row(&line, black, 80),
            format!("book    -1{}{}", " ".repeat(42), "a2 A2 a2 A2 a2 A2 a2 A2")
        );
        assert!(row(&line, black, 1, ms(0), 0).ends_with(' '));
    }

    #[test]
    fn the_board_shows_state_and_history() {
        let moves = transcript::read(b"f5d6c3d3").unwrap().replay().unwrap();
        let text = game(&moves, [Duration::from_millis(43), Duration::ZERO]);
        let expected = "  A B C D E F G H            BLACK            A  B  C  D  E  F  G  H
1 - - - - - - - - 1         0:00.043       1 |  |  |  |  |  |  |  |  | 1
2 - - . - - - - - 2    4 discs   6 moves   2 |  |  |  |  |  |  |  |  | 2
3 - - * O . - - - 3                        3 |  |  | 3| 4|  |  |  |  | 3
4 - - . O * - - - 4  ply  5 (56 empties)   4 |  |  |  |()|##|  |  |  | 4
5 - - . O * * - - 5    Black's turn (*)    5 |  |  |  |##|()| 1|  |  | 5
6 - - . O - - - - 6                        6 |  |  |  | 2|  |  |  |  | 6
7 - - . - - - - - 7    4 discs   7 moves   7 |  |  |  |  |  |  |  |  | 7
8 - - - - - - - - 8         0:00.000       8 |  |  |  |  |  |  |  |  | 8
  A B C D E F G H            WHITE            A  B  C  D  E  F  G  H
";
        assert_eq!(text, expected);
        let position = Position::new(u64::MAX << 1, 0, Color::White);
        let over = game(&Game::new(position), [Duration::ZERO; 2]);
        assert!(
            over.contains("       Game over        4")
                && over.contains("       Black won        5")
        );
        let text = problem(moves.position());
        assert!(text.contains("2 - - . - - - - - 2 * to move\n"), "{text}");
        assert!(text.contains("4 - - . O * - - - 4 *: discs =  4    moves =  6\n"), "{text}");
        assert!(text.contains("6 - - . O - - - - 6  empties = 56      ply =  5\n"), "{text}");
    }
}
