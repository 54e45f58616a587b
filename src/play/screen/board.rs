//! The board: cells, discs, marks and coordinates.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color as Paint, Modifier, Style};

use super::{Colors, LEFT, Layout, Look, put};
use crate::board::{Color, Square};
use crate::play::model::{Model, Shown};
use crate::score;
use crate::search::Line;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// The last move.
    Last,
    /// Flipped by the last move.
    Turned,
    /// The move that was played next, with the sign of its class.
    Played(&'static str),
    Hint,
    Legal,
    /// An illegal move was tried here.
    Flash,
}

pub(super) fn draw(buffer: &mut Buffer, layout: &Layout, model: &Model, look: Look, now: Instant) {
    let (width, height) = layout.cell;
    for index in 0..8u16 {
        let letter = char::from(b'a' + index as u8).to_string();
        let x = layout.board.x + index * width + look.center(width);
        put(buffer, Rect::new(x, layout.board.y - 1, 2, 1), &letter, Style::new());
        let y = layout.board.y + index * height + (height - 1) / 2;
        let x = layout.board.x - LEFT + 1;
        put(buffer, Rect::new(x, y, 1, 1), &(index + 1).to_string(), Style::new());
    }
    let Shown { position, last, turned, played, better } = model.shown();
    let shows_moves =
        model.settings.marks_moves && model.ending.is_none() && model.open_review().is_none();
    let legal = if shows_moves { position.board.legal_moves() } else { 0 };
    let values = model.values();
    for square in Square::all() {
        let bit = square.bit();
        let flashes =
            model.flash.is_some_and(|(flashing, until)| flashing == square && until > now);
        let mark = if flashes {
            Some(Mark::Flash)
        } else if last == Some(square) {
            Some(Mark::Last)
        } else if turned & bit != 0 {
            Some(Mark::Turned)
        } else if let Some((_, sign)) = played.filter(|(played, _)| *played == square) {
            Some(Mark::Played(sign))
        } else if model.hint == Some(square) || better == Some(square) {
            Some(Mark::Hint)
        } else if legal & bit != 0 {
            Some(Mark::Legal)
        } else {
            None
        };
        let disc = [Color::Black, Color::White]
            .into_iter()
            .find(|&color| position.discs(color) & bit != 0);
        let value = values.iter().position(|line| line.mv.square() == Some(square));
        let cell = Cell {
            area: Rect::new(
                layout.board.x + u16::from(square.column()) * width,
                layout.board.y + u16::from(square.row()) * height,
                width,
                height,
            ),
            disc,
            mark,
            value: value.map(|rank| (&values[rank], rank == 0)),
            has_cursor: model.cursor == square
                && model.is_human_turn()
                && model.open_review().is_none(),
        };
        cell.draw(buffer, model, look);
    }
}

struct Cell<'a> {
    area: Rect,
    disc: Option<Color>,
    mark: Option<Mark>,
    /// The value of the move, and whether it is the best.
    value: Option<(&'a Line, bool)>,
    has_cursor: bool,
}

impl Cell<'_> {
    fn draw(&self, buffer: &mut Buffer, model: &Model, look: Look) {
        let ground = self.ground(look);
        buffer.set_style(self.area, ground);
        if look.has_lines() {
            self.draw_lines(buffer, ground);
        }
        match self.disc {
            Some(color) => self.draw_disc(buffer, color, ground, model, look),
            None => self.draw_empty(buffer, ground, look),
        }
        // A disc on a brighter ground needs no brackets, which would cut it.
        if self.has_cursor && (self.disc.is_none() || !look.has_colors()) {
            let style = if look.has_colors() { ground.fg(Paint::Black) } else { ground };
            let style = style.add_modifier(Modifier::BOLD);
            // A value takes the whole width of its row.
            let value_row = self.value.filter(|_| self.disc.is_none()).map(|_| self.center(look).y);
            for row in self.area.rows().filter(|row| Some(row.y) != value_row) {
                put(buffer, Rect { width: 1, ..row }, "[", style);
                put(buffer, Rect { x: row.right() - 1, width: 1, ..row }, "]", style);
            }
        }
    }

    /// The square's background color. Last move, hint and flash are brighter, in addition to their marks.
    fn ground(&self, look: Look) -> Style {
        let color = match (look.colors, self.mark) {
            (Colors::None, Some(Mark::Flash)) => {
                return Style::new().add_modifier(Modifier::REVERSED);
            }
            (Colors::None, _) => return Style::new(),
            (Colors::Basic, Some(Mark::Flash)) => Paint::Red,
            (Colors::Basic, _) if self.has_cursor => Paint::Cyan,
            (Colors::Basic, Some(Mark::Last | Mark::Hint | Mark::Played(_))) => Paint::Yellow,
            (Colors::Basic, _) => Paint::Green,
            (Colors::Many, Some(Mark::Flash)) => Paint::Indexed(160),
            (Colors::Many, _) if self.has_cursor => Paint::Indexed(222),
            (Colors::Many, Some(Mark::Last)) => Paint::Indexed(109),
            (Colors::Many, Some(Mark::Hint)) => Paint::Indexed(117),
            (Colors::Many, Some(Mark::Played(_))) => Paint::Indexed(173),
            (Colors::Many, _) => Paint::Indexed(29),
        };
        Style::new().bg(color)
    }

    fn draw_disc(
        &self,
        buffer: &mut Buffer,
        color: Color,
        ground: Style,
        model: &Model,
        look: Look,
    ) {
        let (paint, contrast) = match (look.colors, color) {
            (Colors::Many, Color::Black) => (Paint::Indexed(16), Paint::Indexed(231)),
            (Colors::Many, Color::White) => (Paint::Indexed(231), Paint::Indexed(16)),
            (Colors::Basic, Color::Black) => (Paint::Black, Paint::White),
            (Colors::Basic, Color::White) => (Paint::White, Paint::Black),
            (Colors::None, _) => (Paint::Reset, Paint::Reset),
        };
        let is_painted = look.has_colors() && look.is_unicode;
        let style = if look.has_colors() { ground.fg(paint) } else { ground };
        let bold = match color {
            Color::Black => style.add_modifier(Modifier::BOLD),
            Color::White => style,
        };
        let letter = model.settings.language.disc(color);
        for (row, area) in self.area.rows().enumerate() {
            if look.has_lines() {
                let disc = ROUND[usize::from(self.area.height) - 2][row];
                // A line in the ground's color keeps it apart from the one below.
                let is_last = row + 1 == usize::from(self.area.height);
                let style = if is_last { style.add_modifier(Modifier::UNDERLINED) } else { style };
                put_disc(buffer, Rect { x: area.x + 1, ..area }, disc, style);
            } else if is_painted {
                let disc = HALF_BLOCKS[usize::from(self.area.height) - 2][row];
                put_disc(buffer, area, disc, style);
            } else {
                let text = lettered(row, self.area, letter, look);
                put(buffer, area, &text, bold);
            }
        }
        let symbol = match self.mark {
            Some(Mark::Last) => look.pick("×", "*"),
            Some(Mark::Turned) => look.pick("·", "'"),
            Some(Mark::Flash) => "!",
            _ => return,
        };
        let on_disc = if is_painted { Style::new().bg(paint).fg(contrast) } else { style };
        let on_disc = on_disc.add_modifier(Modifier::BOLD);
        put(buffer, self.center(look), symbol, on_disc);
    }

    /// The lines left of the cell and below it.
    fn draw_lines(&self, buffer: &mut Buffer, ground: Style) {
        let style = ground.fg(Paint::Indexed(22));
        let below = "\u{2581}".repeat(usize::from(self.area.width));
        put(buffer, Rect { y: self.area.bottom() - 1, ..self.area }, &below, style);
        for row in self.area.rows() {
            put(buffer, Rect { width: 1, ..row }, "\u{258f}", style);
        }
    }

    fn draw_empty(&self, buffer: &mut Buffer, ground: Style, look: Look) {
        let ink = match look.colors {
            Colors::Many => ground.fg(Paint::Indexed(16)),
            Colors::Basic => ground.fg(Paint::Black),
            Colors::None => ground,
        };
        if let Some((line, is_best)) = self.value {
            let style =
                if is_best { ink.add_modifier(Modifier::BOLD | Modifier::UNDERLINED) } else { ink };
            // With decimals, values of neighbors would touch in a cell of four columns.
            let decimals = usize::from(self.area.width > 4);
            let text = score::short(line.score, line.is_proven(), decimals);
            let line = usize::from(look.has_lines());
            let left = line + (usize::from(self.area.width) - line).saturating_sub(text.len()) / 2;
            let y = self.center(look).y;
            let area = Rect::new(self.area.x + left as u16, y, self.area.width - left as u16, 1);
            put(buffer, area, &text, style);
            return;
        }
        let symbol = match self.mark {
            Some(Mark::Legal) => look.pick("•", "+"),
            Some(Mark::Hint) => "*",
            Some(Mark::Played("")) => look.pick("×", "x"),
            Some(Mark::Played(sign)) => sign,
            Some(Mark::Flash) => "!",
            _ if look.colors == Colors::Many => return,
            _ => look.pick("·", "."),
        };
        put(buffer, self.center(look), symbol, ink.add_modifier(Modifier::BOLD));
    }

    /// The place of a mark, or of a sign of two characters.
    fn center(&self, look: Look) -> Rect {
        let (width, height) = (self.area.width, self.area.height);
        Rect::new(self.area.x + look.center(width), self.area.y + (height - 1) / 2, 2, 1)
    }
}

/// Discs between the lines, by height of the cell from 2.
const ROUND: [&[&str]; 3] =
    [&["▟█▙", "▜█▛"], &["▗███▖", "█████", "▝███▘"], &["▗▟███▙▖", "███████", "███████", "▝▜███▛▘"]];

/// Discs without quarters of blocks, which the console of Linux does not have.
const HALF_BLOCKS: [&[&str]; 3] = [
    &["▄██▄", "▀██▀"],
    &[" ▄▄▄▄ ", "██████", " ▀▀▀▀ "],
    &["  ▄▄▄▄  ", " ██████ ", " ██████ ", "  ▀▀▀▀  "],
];

/// Writes a row of a disc, whose color is the foreground. Where the disc covers more of a character than the ground, it becomes the
/// background: between rows of characters some fonts leave seams.
fn put_disc(buffer: &mut Buffer, area: Rect, row: &str, style: Style) {
    const COVERED: [(char, &str); 7] =
        [('█', " "), ('▟', "▘"), ('▙', "▝"), ('▜', "▖"), ('▛', "▗"), ('▄', "▀"), ('▀', "▄")];
    for (x, symbol) in (area.x..).zip(row.chars()) {
        let place = Rect { x, width: 1, ..area };
        match COVERED.iter().find(|(whole, _)| *whole == symbol) {
            Some((_, rest)) => {
                put(buffer, place, rest, Style { fg: style.bg, bg: style.fg, ..style })
            }
            // A line there would have the disc's color.
            None => {
                let style = style.remove_modifier(Modifier::UNDERLINED);
                put(buffer, place, &symbol.to_string(), style);
            }
        }
    }
}

/// A row of a disc drawn in letters, with round corners.
fn lettered(row: usize, area: Rect, letter: char, look: Look) -> String {
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let (left, right) = if row == 0 {
        (look.pick("╭", "/"), look.pick("╮", "\\"))
    } else if row + 1 == height {
        (look.pick("╰", "\\"), look.pick("╯", "/"))
    } else {
        (look.pick("│", "|"), look.pick("│", "|"))
    };
    format!("{left}{}{right}", letter.to_string().repeat(width - 2))
}
