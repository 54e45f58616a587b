//! Interprets keys and mouse.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};
use ratatui::layout::{Position, Rect};

use super::event::{Command, DialogInput, Direction};
use super::model::{Dialog, Model};
use super::screen;

/// `area` is the screen.
pub(super) fn command(event: &Event, model: &Model, area: Rect) -> Option<Command> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => key_command(*key, model),
        Event::Paste(text) => Some(Command::Paste(text.clone())),
        Event::Mouse(mouse) if mouse.kind == MouseEventKind::Down(MouseButton::Left) => {
            click(Position::new(mouse.column, mouse.row), model, area)
        }
        _ => None,
    }
}

/// Whether a person has pressed Ctrl-Z.
pub(super) fn suspends(event: &Event) -> bool {
    let key = KeyEvent::new(KeyCode::Char('z'), KeyModifiers::CONTROL);
    cfg!(unix) && *event == Event::Key(key)
}

/// Whether to draw the whole screen again: the window has changed, or a person has pressed Ctrl-L.
pub(super) fn wants_redraw(event: &Event) -> bool {
    match event {
        Event::Resize(..) => true,
        Event::Key(key) => {
            key.kind != KeyEventKind::Release
                && key.modifiers.contains(KeyModifiers::CONTROL)
                && key.code == KeyCode::Char('l')
        }
        _ => false,
    }
}

fn click(position: Position, model: &Model, area: Rect) -> Option<Command> {
    match &model.dialog {
        None if model.open_review().is_some() => None,
        None => screen::square_at(area, position).map(Command::Point),
        Some(Dialog::Form(_)) => {
            screen::form_row_at(area, position).map(DialogInput::Row).map(Command::Dialog)
        }
        Some(Dialog::Help | Dialog::Over) => Some(Command::Dialog(DialogInput::Cancel)),
        Some(_) => None,
    }
}

fn key_command(key: KeyEvent, model: &Model) -> Option<Command> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c' | 'q' | 'd') => Some(Command::Quit { sure: true }),
            KeyCode::Char('u') if model.dialog.is_some() => {
                Some(Command::Dialog(DialogInput::Clear))
            }
            _ => None,
        };
    }
    match &model.dialog {
        Some(Dialog::Over) if key.code == KeyCode::Esc => {
            Some(Command::Dialog(DialogInput::Cancel))
        }
        Some(Dialog::Over) if key.code == KeyCode::Enter => {
            Some(Command::Dialog(DialogInput::Enter))
        }
        None if model.open_review().is_some() => review_command(key.code),
        None | Some(Dialog::Over) if key.code == KeyCode::Char('n') && model.puzzles.is_some() => {
            Some(Command::NextPuzzle)
        }
        None | Some(Dialog::Over) if key.code == KeyCode::Char('a') && model.ending.is_some() => {
            Some(Command::Review)
        }
        None | Some(Dialog::Over) => board_command(key.code),
        Some(dialog) => {
            let takes_text = match dialog {
                Dialog::Form(form) => form.takes_text(),
                Dialog::Save(_) | Dialog::Load(_) => true,
                _ => false,
            };
            if key.code == KeyCode::Char('q') && !takes_text {
                // Twice means that it is meant.
                return Some(Command::Quit { sure: *dialog == Dialog::Quit });
            }
            dialog_input(key.code).map(Command::Dialog)
        }
    }
}

fn direction(code: KeyCode) -> Option<Direction> {
    match code {
        KeyCode::Up | KeyCode::BackTab => Some(Direction::Up),
        KeyCode::Down | KeyCode::Tab => Some(Direction::Down),
        KeyCode::Left => Some(Direction::Left),
        KeyCode::Right => Some(Direction::Right),
        _ => None,
    }
}

fn dialog_input(code: KeyCode) -> Option<DialogInput> {
    match code {
        KeyCode::Char(c) => Some(DialogInput::Char(c)),
        KeyCode::Backspace => Some(DialogInput::Backspace),
        KeyCode::Enter => Some(DialogInput::Enter),
        KeyCode::Esc => Some(DialogInput::Cancel),
        code => direction(code).map(DialogInput::Move),
    }
}

fn board_command(code: KeyCode) -> Option<Command> {
    let command = match code {
        KeyCode::Enter | KeyCode::Char(' ') => Command::Enter,
        KeyCode::Char('u') | KeyCode::Backspace => Command::Undo(1),
        KeyCode::Char('r') => Command::Redo(1),
        KeyCode::Char('<') | KeyCode::PageUp => Command::Back,
        KeyCode::Char('>') | KeyCode::PageDown => Command::Forward,
        KeyCode::Home => Command::First,
        KeyCode::End => Command::Last,
        KeyCode::Char('i') => Command::Hint,
        KeyCode::Char('v') => Command::Values,
        KeyCode::Char('x') => Command::Review,
        KeyCode::Char('m') => Command::MoveNow,
        KeyCode::Char('p') => Command::Pause,
        KeyCode::Char('t') => Command::Step,
        KeyCode::Char('w') => Command::Swap,
        KeyCode::Char('n') => Command::NewGame { sure: false },
        KeyCode::Char('k') => Command::Resign { sure: false },
        KeyCode::Char('s') => Command::AskSave,
        KeyCode::Char('l') => Command::AskLoad,
        KeyCode::Char('o') => Command::Settings,
        KeyCode::Char('?') | KeyCode::F(1) => Command::Help,
        KeyCode::Char('q') => Command::Quit { sure: false },
        KeyCode::Char(c) => Command::Type(c),
        code => Command::Cursor(direction(code)?),
    };
    Some(command)
}

/// Keys of a review: `n` and `p` lead from error to error, `w` from the worst to lesser ones.
fn review_command(code: KeyCode) -> Option<Command> {
    let command = match code {
        KeyCode::Char('n') | KeyCode::Enter => Command::NextError,
        KeyCode::Char('p') => Command::PreviousError,
        KeyCode::Char('w') => Command::WorstError,
        KeyCode::Left | KeyCode::Up => Command::Back,
        KeyCode::Right | KeyCode::Down => Command::Forward,
        KeyCode::Esc | KeyCode::Char('a' | 'x') => Command::Leave,
        code => board_command(code).filter(|command| {
            matches!(
                command,
                Command::Back
                    | Command::Forward
                    | Command::First
                    | Command::Last
                    | Command::MoveNow
                    | Command::AskSave
                    | Command::Help
                    | Command::Quit { .. }
            )
        })?,
    };
    Some(command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;
    use crate::play::settings::{Begin, Settings};
    use crossterm::event::MouseEvent;
    use std::time::Instant;

    fn key(code: KeyCode) -> Event {
        Event::Key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn letters_of_columns_are_no_commands() {
        let (model, _) = Model::started(Settings::default(), Begin::New, Instant::now());
        let area = Rect::new(0, 0, 80, 24);
        for c in 'a'..='h' {
            let command = command(&key(KeyCode::Char(c)), &model, area);
            assert_eq!(command, Some(Command::Type(c)));
        }
        for code in [KeyCode::Char('q'), KeyCode::Enter] {
            assert!(!matches!(command(&key(code), &model, area), Some(Command::Type(_)) | None));
        }
        let interrupt = Event::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
        for model in [model, Model::new(Settings::default())] {
            assert_eq!(command(&interrupt, &model, area), Some(Command::Quit { sure: true }));
        }
    }

    #[test]
    fn a_click_finds_its_square_on_every_size() {
        let (model, _) = Model::started(Settings::default(), Begin::New, Instant::now());
        for (width, height) in [(80, 24), (100, 33), (120, 40), (200, 60)] {
            let area = Rect::new(0, 0, width, height);
            let mut found = std::collections::BTreeMap::new();
            for row in 0..height {
                for column in 0..width {
                    let event = Event::Mouse(MouseEvent {
                        kind: MouseEventKind::Down(MouseButton::Left),
                        column,
                        row,
                        modifiers: KeyModifiers::NONE,
                    });
                    if let Some(Command::Point(square)) = command(&event, &model, area) {
                        *found.entry(square).or_insert(0) += 1;
                    }
                }
            }
            assert_eq!(found.len(), 64, "{width}x{height}");
            let n_cells = found[&Square::lowest(1)];
            assert!(n_cells >= 8 && found.values().all(|&n| n == n_cells));
        }
    }
}
