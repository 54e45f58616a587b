//! The form of settings: the start screen, and the same during a game.

use super::event::{DialogInput, Direction};
use super::language::Language;
use super::settings::{Settings, Side};
use crate::board::Color;
use crate::engine::Pace;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Row {
    Player(Color),
    Clock,
    MarkMoves,
    ShowValues,
    AdviserLevel,
    Language,
    Done,
}

pub(super) const ROWS: [Row; 8] = [
    Row::Player(Color::Black),
    Row::Player(Color::White),
    Row::Clock,
    Row::MarkMoves,
    Row::ShowValues,
    Row::AdviserLevel,
    Row::Language,
    Row::Done,
];

/// Players to cycle through; those unknown to this build are skipped.
const PLAYERS: &str = "human random minimizer greedy greedy:directions minimax minimax2 minimax:rounds=3 classic engine:strength=5 \
    engine:strength=10 engine:strength=20 engine:strength=30 engine:strength=40 engine:level=2 engine:level=4 engine:level=6 \
    engine:level=8 engine:level=10 engine:level=10,ponder=on engine:level=14 engine:level=18 engine:time=1 \
    engine:time=5,ponder=on engine:time=15,ponder=on";

const CLOCKS: [&str; 9] =
    ["unlimited", "60", "180+2", "300", "300+5", "900", "1800", "move:10", "move:30"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Open,
    Accepted,
    Cancelled,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form {
    pub is_start: bool,
    /// The settings, except for the texts below.
    pub draft: Settings,
    /// Black's player, White's player, the clock.
    pub texts: [String; 3],
    /// Index into [`ROWS`].
    pub row: usize,
    pub error: Option<String>,
    /// Whether typing continues the row's text instead of replacing it.
    is_typing: bool,
}

impl Form {
    /// A form with the current settings, at its last row.
    pub fn new(settings: &Settings, is_start: bool) -> Form {
        let [black, white] = &settings.sides;
        Form {
            is_start,
            texts: [black.text().into(), white.text().into(), settings.pace.to_string()],
            draft: settings.clone(),
            row: ROWS.len() - 1,
            error: None,
            is_typing: false,
        }
    }

    pub fn handle(&mut self, input: DialogInput) -> Outcome {
        match input {
            DialogInput::Cancel => return Outcome::Cancelled,
            DialogInput::Enter if self.is_typing => {
                if self.check() {
                    self.go(1);
                }
            }
            DialogInput::Enter => {
                if self.check() {
                    return Outcome::Accepted;
                }
            }
            DialogInput::Move(Direction::Up) => self.go(-1),
            DialogInput::Move(Direction::Down) => self.go(1),
            DialogInput::Move(Direction::Left) => self.change(-1),
            DialogInput::Move(Direction::Right) => self.change(1),
            DialogInput::Char(' ') if self.text_index().is_none() => self.change(1),
            DialogInput::Char(c) => {
                if let Some(index) = self.text_index() {
                    if !std::mem::replace(&mut self.is_typing, true) {
                        self.texts[index].clear();
                    }
                    self.texts[index].push(c);
                    self.error = None;
                }
            }
            DialogInput::Backspace | DialogInput::Clear => {
                if let Some(index) = self.text_index() {
                    if input == DialogInput::Clear {
                        self.texts[index].clear();
                    }
                    self.texts[index].pop();
                    (self.is_typing, self.error) = (true, None);
                }
            }
            DialogInput::Row(row) if row < ROWS.len() => {
                if row == self.row && ROWS[row] == Row::Done {
                    return self.handle(DialogInput::Enter);
                }
                let is_again = row == self.row;
                self.go(row as i32 - self.row as i32);
                if is_again {
                    self.change(1);
                }
            }
            DialogInput::Row(_) => {}
        }
        Outcome::Open
    }

    pub fn takes_text(&self) -> bool {
        self.text_index().is_some()
    }

    fn text_index(&self) -> Option<usize> {
        match ROWS[self.row] {
            Row::Player(color) => Some(color.index()),
            Row::Clock => Some(2),
            _ => None,
        }
    }

    fn go(&mut self, step: i32) {
        self.row = (self.row as i32 + step).rem_euclid(ROWS.len() as i32) as usize;
        self.is_typing = false;
    }

    fn change(&mut self, step: i32) {
        self.is_typing = false;
        self.error = None;
        match ROWS[self.row] {
            Row::Player(color) => {
                let known: Vec<&str> =
                    PLAYERS.split(' ').filter(|text| Side::parse(text).is_ok()).collect();
                cycle(&mut self.texts[color.index()], &known, step);
            }
            Row::Clock => cycle(&mut self.texts[2], &CLOCKS, step),
            Row::MarkMoves => self.draft.marks_moves ^= true,
            Row::ShowValues => self.draft.shows_values ^= true,
            Row::AdviserLevel => {
                let level = self.draft.adviser_level as i32 + step;
                self.draft.adviser_level = level.clamp(1, 60) as u32;
            }
            Row::Language => {
                self.draft.language = self.draft.language.pick(Language::French, Language::English);
            }
            Row::Done => {}
        }
    }

    /// Parses the texts; on an error, selects the row and shows the reason.
    fn check(&mut self) -> bool {
        for color in [Color::Black, Color::White] {
            match Side::parse(&self.texts[color.index()]) {
                Ok(side) => self.draft.sides[color.index()] = side,
                Err(error) => return self.refuse(color.index(), format!("{error:#}")),
            }
        }
        match self.texts[2].trim().parse::<Pace>() {
            Ok(pace) => self.draft.pace = pace,
            Err(error) => return self.refuse(2, error.to_string()),
        }
        self.error = None;
        true
    }

    fn refuse(&mut self, row: usize, error: String) -> bool {
        self.row = row;
        self.is_typing = true;
        self.error = Some(error);
        false
    }
}

/// Wraps around; a text that is not in the list counts as before the first.
fn cycle(text: &mut String, list: &[&str], step: i32) {
    let next = match list.iter().position(|known| known == text) {
        Some(index) => (index as i32 + step).rem_euclid(list.len() as i32) as usize,
        None => 0,
    };
    *text = list.get(next).copied().unwrap_or_default().into();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(form: &mut Form, text: &str) {
        for c in text.chars() {
            assert_eq!(form.handle(DialogInput::Char(c)), Outcome::Open);
        }
    }

    #[test]
    fn a_wrong_name_says_why_and_asks_again() {
        let mut form = Form::new(&Settings::default(), true);
        form.handle(DialogInput::Move(Direction::Down));
        assert_eq!(ROWS[form.row], Row::Player(Color::Black));
        keys(&mut form, "nobody");
        assert_eq!(form.handle(DialogInput::Enter), Outcome::Open);
        assert!(form.error.as_ref().unwrap().contains("nobody"), "{:?}", form.error);
        for _ in 0..6 {
            form.handle(DialogInput::Backspace);
        }
        keys(&mut form, "minimax2");
        assert_eq!(form.handle(DialogInput::Enter), Outcome::Open);
        assert_eq!((form.error.as_ref(), form.row), (None, 1));
        assert_eq!(form.handle(DialogInput::Enter), Outcome::Accepted);
        assert_eq!(form.draft.side(Color::Black).name(), "minimax2");
    }

    #[test]
    fn rows_can_be_cycled() {
        let mut form = Form::new(&Settings::default(), false);
        for row in 0..ROWS.len() {
            form.row = row;
            form.handle(DialogInput::Move(Direction::Right));
        }
        assert_eq!(form.texts[0], "random");
        assert_eq!(form.texts[2], "60");
        assert!(!form.draft.marks_moves && form.draft.shows_values);
        assert_eq!((form.draft.adviser_level, form.draft.language), (11, Language::French));
        form.row = 0;
        form.handle(DialogInput::Move(Direction::Left));
        form.handle(DialogInput::Move(Direction::Left));
        assert!(Side::parse(&form.texts[0]).is_ok_and(|side| !side.is_human()));
        assert_eq!(form.handle(DialogInput::Cancel), Outcome::Cancelled);
    }
}
