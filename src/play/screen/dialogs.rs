//! Questions, forms and the help, in a box over the board.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::{Block, Clear, Widget};
use unicode_width::UnicodeWidthStr;

use super::{Layout, Look, put, wrap};
use crate::board::Color;
use crate::play::form::{Form, ROWS, Row};
use crate::play::language::{HelpRow, Label, Language, help, player_help, review_help};
use crate::play::model::{Dialog, Model};

const FORM_WIDTH: u16 = 76;
/// Lines of an error.
const ERROR_HEIGHT: u16 = 6;
/// Rows with a gap above and below, an error, the keys, the border.
const FORM_HEIGHT: u16 = ROWS.len() as u16 + ERROR_HEIGHT + 5;

pub(super) fn draw(buffer: &mut Buffer, area: Rect, layout: &Layout, model: &Model, look: Look) {
    let Some(dialog) = &model.dialog else { return };
    let language = model.settings.language;
    match dialog {
        Dialog::Form(form) => {
            draw_form(buffer, form_box(area), form, look);
            if form.shows_help {
                draw_help(
                    buffer,
                    area,
                    player_help(form.draft.language),
                    form.draft.language,
                    look,
                );
            }
        }
        Dialog::Help => {
            let is_review = model.open_review().is_some();
            let rows = if is_review { review_help(language) } else { help(language) };
            draw_help(buffer, area, rows, language, look);
        }
        Dialog::Save(typed) | Dialog::Load(typed) => {
            let labels = match dialog {
                Dialog::Load(_) => [Label::LOAD_FROM, Label::FILE_HINT],
                _ if model.open_review().is_some() => [Label::SAVE_TO, Label::PAGE_HINT],
                _ => [Label::SAVE_TO, Label::FILE_HINT],
            };
            prompt(buffer, area, labels.map(|label| language.label(label)), &typed.text, look);
        }
        Dialog::Overwrite(path) => {
            let text = format!("{} {}", path.display(), language.label(Label::OVERWRITE));
            question(buffer, area, &text, look);
        }
        Dialog::NewGame => question(buffer, area, language.label(Label::ASK_NEW_GAME), look),
        Dialog::Resign => question(buffer, area, language.label(Label::ASK_RESIGN), look),
        Dialog::Pasted | Dialog::Leave(_) => {
            question(buffer, area, language.label(Label::PASTED), look)
        }
        Dialog::Quit => question(buffer, area, language.label(Label::ASK_QUIT), look),
        Dialog::Over => {
            // Below the board, so that the final position stays visible.
            let bottom = layout.keys.y;
            let width = area.width.min(74);
            let box_area = Rect::new(area.x + (area.width - width) / 2, bottom - 4, width, 4);
            let inner = open(buffer, box_area, language.label(Label::GAME_OVER), look);
            if let Some(result) = model.result() {
                let bold = Style::new().add_modifier(Modifier::BOLD);
                put(buffer, inner, &language.say(&result), bold);
            }
            let keys = Rect { y: inner.y + 1, ..inner };
            put(buffer, keys, language.label(Label::OVER_KEYS), Style::new());
        }
    }
}

fn draw_help(buffer: &mut Buffer, area: Rect, rows: &[HelpRow], language: Language, look: Look) {
    let place = centered(area, 72, rows.len() as u16 + 2);
    let inner = open(buffer, place, language.label(Label::HELP), look);
    for (line, (keys, text)) in inner.rows().zip(rows) {
        put(buffer, line, &format!("{keys:28} {text}"), Style::new());
    }
}

fn centered(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect::new(area.x + (area.width - width) / 2, area.y + (area.height - height) / 2, width, height)
}

/// Returns the area within the border, with a margin of one column on either side.
fn open(buffer: &mut Buffer, area: Rect, title: &str, look: Look) -> Rect {
    Clear.render(area, buffer);
    let mut block = Block::bordered().title(format!(" {title} "));
    if !look.is_unicode {
        block = block.border_set(ASCII);
    }
    let inner = block.inner(area);
    block.render(area, buffer);
    Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner }
}

const ASCII: ratatui::symbols::border::Set<'_> = ratatui::symbols::border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

fn question(buffer: &mut Buffer, area: Rect, text: &str, look: Look) {
    let lines = wrap(text, 66);
    let inner = open(buffer, centered(area, 70, lines.len() as u16 + 2), "othellier", look);
    for (row, line) in inner.rows().zip(&lines) {
        put(buffer, row, line, Style::new().add_modifier(Modifier::BOLD));
    }
}

fn prompt(buffer: &mut Buffer, area: Rect, [title, hint]: [&str; 2], text: &str, look: Look) {
    let inner = open(buffer, centered(area, 70, 4), title, look);
    field(buffer, inner, text, Style::new().add_modifier(Modifier::UNDERLINED));
    put(buffer, Rect { y: inner.y + 1, ..inner }, hint, Style::new());
}

/// A text being typed, scrolled to its end.
pub(super) fn field(buffer: &mut Buffer, area: Rect, text: &str, style: Style) {
    let room = usize::from(area.width).saturating_sub(1);
    let mut shown = text.chars();
    while shown.as_str().width() > room {
        shown.next();
    }
    put(buffer, area, &format!("{}_", shown.as_str()), style);
}

fn form_box(area: Rect) -> Rect {
    centered(area, FORM_WIDTH, FORM_HEIGHT)
}

pub(super) fn form_rows(area: Rect) -> Rect {
    let outer = form_box(area);
    Rect::new(outer.x + 1, outer.y + 2, outer.width - 2, ROWS.len() as u16)
}

fn draw_form(buffer: &mut Buffer, area: Rect, form: &Form, look: Look) {
    let language = form.draft.language;
    let title = if form.is_start { Label::NEW_GAME } else { Label::SETTINGS };
    let inner = open(buffer, area, language.label(title), look);
    let rows = Rect { y: inner.y + 1, height: ROWS.len() as u16, ..inner };
    for (index, (line, row)) in rows.rows().zip(ROWS).enumerate() {
        let is_current = index == form.row;
        let style =
            if is_current { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        let arrow = if is_current { look.pick("▶", ">") } else { " " };
        let (name, value) = texts(form, row, language);
        put(buffer, Rect { width: 20, ..line }, &format!("{arrow} {name}"), Style::new());
        let (left, right) = if is_current && row != Row::Done {
            (look.pick("◀ ", "< "), look.pick(" ▶", " >"))
        } else {
            ("  ", "")
        };
        let place = Rect { x: line.x + 18, width: line.width - 18, ..line };
        let is_typed = is_current && form.takes_text();
        let width = (value.width() as u16 + u16::from(is_typed)).min(place.width - 4);
        let text_place = Rect { x: place.x + 2, width, ..place };
        put(buffer, place, left, Style::new());
        if is_typed {
            field(buffer, text_place, &value, style);
        } else {
            put(buffer, text_place, &value, style);
        }
        let after = Rect { x: text_place.right(), width: 2, ..place };
        put(buffer, after, right, Style::new());
    }
    let below = rows.bottom() + 1;
    if let Some(error) = &form.error {
        let room = Rect { y: below, height: ERROR_HEIGHT, ..inner };
        for (line, text) in room.rows().zip(wrap(error, inner.width)) {
            put(buffer, line, &text, Style::new().add_modifier(Modifier::BOLD));
        }
    }
    let keys = if form.is_start { Label::START_KEYS } else { Label::SETTINGS_KEYS };
    let line = Rect { y: inner.bottom() - 1, height: 1, ..inner };
    put(buffer, line, language.label(keys), Style::new().add_modifier(Modifier::DIM));
}

fn texts(form: &Form, row: Row, language: Language) -> (&'static str, String) {
    let shown = |is_shown: bool| {
        language.label(if is_shown { Label::SHOWN } else { Label::HIDDEN }).to_owned()
    };
    match row {
        Row::You => {
            let seats = match form.people() {
                [true, false] => language.color(Color::Black),
                [false, true] => language.color(Color::White),
                [true, true] => language.label(Label::BOTH),
                [false, false] => language.label(Label::NONE),
            };
            (language.label(Label::YOU), seats.into())
        }
        Row::Player(color) => (language.color(color), form.shown(color.index())),
        Row::Clock => (language.label(Label::CLOCK), form.shown(2)),
        Row::MarkMoves => (language.label(Label::MARK_MOVES), shown(form.draft.marks_moves)),
        Row::ShowValues => (language.label(Label::SHOW_VALUES), shown(form.draft.shows_values)),
        Row::AdviserLevel => {
            (language.label(Label::ADVISER_LEVEL), form.draft.adviser_level.to_string())
        }
        Row::Language => (language.label(Label::LANGUAGE), language.name().into()),
        Row::Done => {
            let label = if form.is_start { Label::START } else { Label::ACCEPT };
            ("", format!("[ {} ]", language.label(label)))
        }
    }
}
