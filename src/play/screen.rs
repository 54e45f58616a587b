//! Draws the model on the screen.
//!
//! Discs differ in brightness and in their marks, never in hue alone; without colors they are letters. Drawing and mouse share one layout.

mod board;
mod dialogs;
mod graph;
mod panels;
#[cfg(test)]
mod tests;

use std::time::Instant;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::form::ROWS;
use super::language::{Label, Message, Tone};
use super::model::{Dialog, Model};
use crate::board::{Move, Square};

const MIN_SIZE: (u16, u16) = (80, 24);

const PANEL_WIDTH: u16 = 40;

/// Width of the row numbers left of the board.
const LEFT: u16 = 3;

/// Lines above the board: the title and the column letters.
const ABOVE: u16 = 2;

/// Lines below the board: the message and the keys.
const BELOW: u16 = 5;

/// From the environment.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    pub term: String,
    pub color_term: String,
    /// Set and not empty.
    pub no_color: bool,
    /// The locale that sets the character encoding.
    pub locale: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colors {
    None,
    /// The eight colors of every terminal.
    Basic,
    /// The 256 colors of nearly every terminal.
    Many,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    pub colors: Colors,
    /// Whether it can show more than ASCII.
    pub is_unicode: bool,
    /// Whether its font is only that of old computers, as on the console of Linux.
    pub is_console: bool,
}

impl Look {
    pub fn of(surroundings: &Surroundings) -> Look {
        let Surroundings { term, color_term, no_color, locale } = surroundings;
        let is_plain = term == "dumb" || term.starts_with("vt") || term.ends_with("-m");
        let colors = if *no_color || is_plain {
            Colors::None
        } else if !color_term.is_empty() || term.contains("256") {
            Colors::Many
        } else {
            Colors::Basic
        };
        let locale = locale.to_ascii_lowercase();
        let is_unicode = locale.contains("utf-8") || locale.contains("utf8");
        Look { colors, is_unicode, is_console: term == "linux" }
    }

    /// Whether there are lines between the squares; they take the first column of a cell.
    const fn has_lines(self) -> bool {
        matches!(self.colors, Colors::Many) && self.is_unicode && !self.is_console
    }

    /// The middle column of a cell.
    const fn center(self, width: u16) -> u16 {
        if self.has_lines() { width / 2 } else { width / 2 - 1 }
    }

    fn has_colors(self) -> bool {
        self.colors != Colors::None
    }

    fn pick<'a>(self, unicode: &'a str, ascii: &'a str) -> &'a str {
        if self.is_unicode { unicode } else { ascii }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    /// The 64 cells.
    board: Rect,
    /// Width and height of a cell.
    cell: (u16, u16),
    /// The area right of the board.
    panel: Rect,
    message: Rect,
    keys: Rect,
}

fn layout(area: Rect) -> Option<Layout> {
    if area.width < MIN_SIZE.0 || area.height < MIN_SIZE.1 {
        return None;
    }
    let fits = |height: &u16| {
        8 * height + ABOVE + BELOW <= area.height
            && 16 * height + LEFT + 2 + PANEL_WIDTH <= area.width
    };
    let height = [4, 3].into_iter().find(fits).unwrap_or(2);
    let board = Rect::new(area.x + LEFT, area.y + ABOVE, 16 * height, 8 * height);
    let bottom = board.bottom();
    let keys = Rect::new(area.x, area.bottom() - 1, area.width, 1);
    let message = Rect::new(area.x + 1, bottom, area.width - 2, (keys.y - bottom).min(BELOW - 1));
    let panel_x = board.right() + 2;
    // The panel extends from the column letters to the last row of the board.
    let panel = Rect::new(panel_x, area.y + 1, area.right() - panel_x, bottom - area.y - 1);
    Some(Layout { board, cell: (2 * height, height), panel, message, keys })
}

pub(super) fn square_at(area: Rect, position: Position) -> Option<Square> {
    let Layout { board, cell: (width, height), .. } = layout(area)?;
    if !board.contains(position) {
        return None;
    }
    let column = (position.x - board.x) / width;
    let row = (position.y - board.y) / height;
    Square::at(column as u8, row as u8)
}

pub(super) fn form_row_at(area: Rect, position: Position) -> Option<usize> {
    let rows = dialogs::form_rows(area);
    rows.contains(position)
        .then(|| usize::from(position.y - rows.y))
        .filter(|&row| row < ROWS.len())
}

pub(super) fn draw(frame: &mut Frame<'_>, model: &Model, look: Look, now: Instant) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    let language = model.settings.language;
    let Some(layout) = layout(area) else {
        let text = language.label(Label::TOO_SMALL);
        let width = text.width() as u16;
        let x = area.x + area.width.saturating_sub(width) / 2;
        put(
            buffer,
            Rect::new(x, area.y + area.height / 2, area.right() - x, 1),
            text,
            Style::new(),
        );
        return;
    };
    title(buffer, area, model);
    if !model.has_game() {
        dialogs::draw(buffer, area, &layout, model, look);
        return;
    }
    board::draw(buffer, &layout, model, look, now);
    panels::draw(buffer, layout.panel, model, look, now);
    message(buffer, layout.message, model);
    let keys = language.label(match () {
        () if model.open_review().is_some_and(|review| review.is_running) => Label::JUDGING_KEYS,
        () if model.open_review().is_some() => Label::REVIEW_KEYS,
        () if model.puzzles.is_some() => Label::PUZZLE_KEYS,
        () if model.ending.is_some() => Label::ENDED_KEYS,
        () if model.settings.is_show() => Label::SHOW_KEYS,
        () => Label::KEYS,
    });
    buffer.set_style(layout.keys, Style::new().add_modifier(Modifier::REVERSED));
    put(buffer, layout.keys, keys, Style::new().add_modifier(Modifier::REVERSED));
    dialogs::draw(buffer, area, &layout, model, look);
}

fn title(buffer: &mut Buffer, area: Rect, model: &Model) {
    let language = model.settings.language;
    let line = Rect::new(area.x, area.y, area.width, 1);
    let mut text = " othellier".to_owned();
    if model.has_game() {
        let is_over = model.ending.is_some();
        if let Some(puzzles) = &model.puzzles {
            let (number, of) = puzzles.place();
            text += &format!("   {} {number}/{of}", language.label(Label::PUZZLE));
        } else if !is_over {
            let plies = model.game.plies().iter();
            let number = plies.filter(|ply| ply.mv != Move::Pass).count() + 1;
            text += &format!("   {} {number}", language.label(Label::NUMBER));
        }
        let paused = model.is_paused.then_some(Label::PAUSED);
        if let Some(state) = if is_over { Some(Label::GAME_OVER) } else { paused } {
            text += &format!("   {}", language.label(state));
        }
    }
    buffer.set_style(line, Style::new().add_modifier(Modifier::REVERSED));
    put(buffer, line, &text, Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD));
}

fn message(buffer: &mut Buffer, area: Rect, model: &Model) {
    let language = model.settings.language;
    if model.dialog == Some(Dialog::Over) {
        // The dialog shows the result.
        return;
    }
    let mut lines = Vec::new();
    if let Some(message) = &model.message {
        let style = match message.tone() {
            Tone::Plain => Style::new(),
            Tone::Notice | Tone::Wrong => Style::new().add_modifier(Modifier::BOLD),
        };
        // A person who had to pass reads it beside the answer.
        let passed = match &model.passed {
            Some(Message::Passes(color)) if model.settings.is_only_person(*color) => {
                language.label(Label::YOU_PASSED).to_owned() + " "
            }
            Some(passed) => language.say(passed) + ". ",
            None => String::new(),
        };
        let text = passed + &language.say(message);
        lines.extend(wrap(&text, area.width).into_iter().map(|line| (line, style)));
    }
    lines.truncate(usize::from(area.height.saturating_sub(1)));
    if model.is_human_turn() && model.open_review().is_none() {
        let typed = model.typed.map_or(String::from("_"), |c| format!("{c}_"));
        let text = format!("{}{} {typed}", language.label(Label::MOVE), language.colon());
        lines.push((text, Style::new()));
    }
    for (row, (line, style)) in area.rows().zip(&lines) {
        put(buffer, row, line, *style);
    }
}

/// Writes on the first line of an area, truncated to its width.
fn put(buffer: &mut Buffer, area: Rect, text: &str, style: Style) {
    let area = area.intersection(buffer.area);
    if !area.is_empty() {
        buffer.set_stringn(area.x, area.y, text, usize::from(area.width), style);
    }
}

/// Wraps a text at word boundaries to this many columns; longer words are broken.
fn wrap(text: &str, width: u16) -> Vec<String> {
    let width = usize::from(width);
    let mut lines = vec![String::new()];
    let mut n_columns = 0;
    for word in text.split_whitespace() {
        let mut rest = word;
        if n_columns > 0 && n_columns + 1 + rest.width() > width {
            lines.push(String::new());
            n_columns = 0;
        }
        while rest.width() > width {
            let (head, tail) = rest.split_at(head(rest, width));
            lines.push(head.into());
            lines.push(String::new());
            rest = tail;
        }
        if let Some(line) = lines.last_mut() {
            if n_columns > 0 {
                line.push(' ');
                n_columns += 1;
            }
            n_columns += rest.width();
            line.push_str(rest);
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// The length in bytes of the longest prefix within this many columns, at least one character.
fn head(text: &str, width: usize) -> usize {
    let mut n_columns = 0;
    let fitting = text.chars().take_while(|symbol| {
        n_columns += symbol.width().unwrap_or(0);
        n_columns <= width
    });
    let n_bytes = fitting.map(char::len_utf8).sum();
    text.chars().next().map_or(0, |first| first.len_utf8().max(n_bytes))
}
