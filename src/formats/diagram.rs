//! Boards as programs show them and people draw them: eight rows of cells with or without coordinates, blanks and borders, and the side
//! to move in words.

use crate::board::parse::{ParseError, cell};
use crate::board::{Color, Position};

const BARS: [char; 4] = ['|', '│', '┃', '║'];

/// Reads a text that shows one board; `None` if it shows none. The first row is row 1, unless its number is 8.
pub fn read(text: &[u8]) -> Option<Result<Position, ParseError>> {
    let (mut discs, mut numbers, mut sides) = ([0u64; 2], Vec::new(), Vec::new());
    for line in String::from_utf8_lossy(text).lines() {
        let line = line.trim_start_matches(['\u{feff}', ' ', '\t']);
        let is_number = |symbol: &char| ('1'..='8').contains(symbol);
        let number = line.chars().next().filter(is_number);
        let Some((cells, rest)) = row(&line[usize::from(number.is_some())..]) else {
            sides.extend(named_sides(line));
            continue;
        };
        let placed = (0..8).zip(cells).filter_map(|(at, cell)| Some((at, cell?)));
        for (at, color) in placed.filter(|_| numbers.len() < 8) {
            discs[color.index()] |= 1 << (8 * numbers.len() + at);
        }
        numbers.push(number);
        sides
            .extend(named_sides(rest.trim_start().trim_start_matches(|symbol| is_number(&symbol))));
    }
    // Fewer rows are something else.
    if numbers.len() < 5 || discs == [0; 2] {
        return None;
    }
    // In reverse, each row is a byte.
    let is_turned = numbers.first() == Some(&Some('8'));
    let [black, white] = discs.map(|discs| if is_turned { discs.swap_bytes() } else { discs });
    sides.dedup();
    Some(match (numbers.len(), &sides[..]) {
        (8, [side]) => Ok(Position::new(black, white, *side)),
        (8, _) => Err(ParseError::Side),
        (n, _) => Err(ParseError::CellCount(8 * n)),
    })
}

fn cell_of(symbol: char) -> Option<Option<Color>> {
    match symbol {
        '●' | '⚫' | '@' => Some(Some(Color::Black)),
        '○' | '⚪' => Some(Some(Color::White)),
        '·' | '+' => Some(None),
        _ => cell(u8::try_from(symbol).ok()?),
    }
}

/// The cells of a row without its number, and what follows; `None` if that are more cells, as in a border or a whole board.
fn row(line: &str) -> Option<([Option<Color>; 8], String)> {
    let parts: Vec<&str> = line.split(BARS).map(str::trim).collect();
    let text = match &parts[..] {
        // Between bars an empty cell may be blank.
        ["", cells @ .., _] if cells.len() >= 8 => {
            let cells = cells.iter().map(|cell| if cell.is_empty() { "-" } else { cell });
            cells.collect::<Vec<_>>().join(" ")
        }
        _ => parts.join(" "),
    };
    let mut symbols = text.chars();
    let mut cells = [None; 8];
    for cell in &mut cells {
        *cell = cell_of(symbols.find(|symbol| *symbol != ' ')?)?;
    }
    let rest = symbols.as_str();
    let is_cell = |symbol: char| cell_of(symbol).is_some();
    let next = rest.split(' ').find(|word| !word.is_empty()).unwrap_or_default();
    let is_longer = rest.starts_with(is_cell) || next.len() > 1 && next.chars().all(is_cell);
    (!is_longer).then(|| (cells, rest.to_owned()))
}

/// The sides that a text names as the one to move, or the one that it names alone.
fn named_sides(text: &str) -> Vec<Color> {
    let text = text.to_lowercase();
    let is_disc = |symbol: char| matches!(cell_of(symbol), Some(Some(_)));
    let words = text.split(|symbol: char| !symbol.is_alphanumeric() && !is_disc(symbol));
    let words: Vec<&str> = words.filter(|word| !matches!(*word, "" | "s" | "is")).collect();
    let color = |word: &str| match word {
        "black" => Some(Color::Black),
        "white" => Some(Color::White),
        "0" => None,
        _ => word.parse().ok().and_then(cell_of).flatten(),
    };
    if let [only] = words[..] {
        return color(only).into_iter().collect();
    }
    let (mut sides, mut rest) = (Vec::new(), &words[..]);
    while !rest.is_empty() {
        let (side, n_words) = match rest {
            [side, "turn", ..] | ["turn" | "side" | "next", side, ..] => (*side, 2),
            [side, "to", "move" | "play", ..] | ["to", "move" | "play", side, ..] => (*side, 3),
            _ => ("", 1),
        };
        let side = color(side);
        sides.extend(side);
        rest = &rest[side.map_or(1, |_| n_words)..];
    }
    sides
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELLS: &str = "-------- -------- -------- ---OX--- ---XXX-- -------- -------- --------";

    /// After f5, each row made of its number and of its cells with a gap behind each.
    fn drawn(gap: &str, row: impl Fn(usize, String) -> String) -> String {
        let spaced = |cells: &str| cells.chars().map(|cell| format!("{cell}{gap}")).collect();
        (1..).zip(CELLS.split(' ')).map(|(n, cells)| row(n, spaced(cells)) + "\n").collect()
    }

    #[test]
    fn boards_are_read_as_programs_and_people_draw_them() {
        let beside = |n: usize, at, text| if n == at { text } else { "" };
        let bars = |n: usize, cells: String| format!("+-+-+\n{n}|{}", cells.replace('-', " "));
        let upwards = drawn(" ", |n, cells| format!("{n} {cells}"));
        let upwards: Vec<&str> = upwards.lines().rev().collect();
        for text in [
            drawn("", |_, cells| cells) + "O\n",
            "\u{feff}side to move: White\n\n".to_owned() + &drawn("  ", |_, cells| cells),
            drawn(" ", |n, cells| format!("{n} {cells}{}", beside(n, 4, "X: discs =  4")))
                + "white to move, Black (X) 4",
            drawn(" ", |n, cells| format!("{n} {cells}{n}{}", beside(n, 2, " O to move"))),
            drawn("", |_, cells| format!("|{cells}|\r")) + "+--------+\nWhite's turn",
            drawn("|", bars) + "(O)",
            drawn("", |_, cells| cells.replace('X', "●").replace('O', "○")) + "○ to move",
            upwards.join("\n") + "\nto play: o",
        ] {
            let found = read(text.as_bytes()).map(|found| found.map(|found| found.to_string()));
            assert_eq!(found, Some(Ok(CELLS.replace(' ', "") + " O")), "{text}");
        }
    }

    #[test]
    fn no_side_is_guessed() {
        let board = CELLS.replace(' ', "\n");
        let two = ["X to move\nO to move", "Black to move, not White to move"];
        for beside in ["", two[0], two[1], "Black 4, White 1", "last move: White d6", "0"] {
            let found = read(format!("{board}\n{beside}\n").as_bytes());
            assert_eq!(found, Some(Err(ParseError::Side)), "{beside}");
        }
        let found = read(format!("{board}\n--------\nX").as_bytes());
        assert_eq!(found, Some(Err(ParseError::CellCount(72))));
        let lines = [format!("{}\n", Position::START), format!("{CELLS} O\n"), "--------\n".into()];
        for line in lines {
            assert_eq!(read(line.repeat(8).as_bytes()), None, "{line}");
        }
    }
}
