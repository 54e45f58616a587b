//! The form of settings: the start screen, and the same during a game.

use super::event::{DialogInput, Direction};
use super::language::Language;
use super::settings::{DEFAULT_OPPONENT, HUMAN, Settings, Side};
use crate::board::Color;
use crate::engine::Pace;
use crate::engine::strength::MAX_STRENGTH;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// On which side a person sits.
    You,
    Player(Color),
    Clock,
    MarkMoves,
    ShowValues,
    AdviserLevel,
    Language,
    Done,
}

pub(super) const ROWS: [Row; 9] = [
    Row::You,
    Row::Player(Color::Black),
    Row::Player(Color::White),
    Row::Clock,
    Row::MarkMoves,
    Row::ShowValues,
    Row::AdviserLevel,
    Row::Language,
    Row::Done,
];

/// Players to cycle through, after the person and the strengths.
const PLAYERS: [&str; 11] = [
    "engine:time=1",
    "engine:time=5,ponder=on",
    "engine:time=15,ponder=on",
    "random",
    "greedy",
    "greedy:directions",
    "minimizer",
    "minimax",
    "minimax2",
    "minimax:rounds=3",
    "classic",
];

/// Steps between the strengths to cycle through.
const STRENGTH_STEP: u32 = 5;

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
    /// Whether the help on players and clocks is open.
    pub shows_help: bool,
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
            shows_help: false,
            is_typing: false,
        }
    }

    pub fn handle(&mut self, input: DialogInput) -> Outcome {
        if std::mem::take(&mut self.shows_help) {
            return Outcome::Open;
        }
        match input {
            DialogInput::Char('?') if !self.is_typing => self.shows_help = true,
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

    /// On which side a person sits.
    pub fn people(&self) -> [bool; 2] {
        [0, 1].map(|index| Side::parse(&self.texts[index]).is_ok_and(|side| side.is_human()))
    }

    /// What a row with a text shows: words, or what is being typed.
    pub fn shown(&self, index: usize) -> String {
        let (text, language) = (&self.texts[index], self.draft.language);
        match index {
            _ if self.is_typing && self.text_index() == Some(index) => text.clone(),
            2 => language.pace(text),
            _ => language.player(text),
        }
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
            Row::You => self.change_sides(step),
            Row::Player(color) => {
                let strength = |strength| format!("engine:strength={strength}");
                let text = &mut self.texts[color.index()];
                // A strength between two steps counts as the lower one.
                let typed =
                    text.strip_prefix("engine:strength=").and_then(|text| text.parse::<u32>().ok());
                if let Some(typed) = typed {
                    *text = strength(u32::max(typed / STRENGTH_STEP * STRENGTH_STEP, 1));
                }
                let steps = (0..=MAX_STRENGTH).step_by(STRENGTH_STEP as usize);
                let mut known = vec![HUMAN.to_owned()];
                known.extend(steps.map(|step| strength(step.max(1))));
                known.extend(PLAYERS.map(String::from));
                cycle(text, &known, step);
            }
            Row::Clock => cycle(&mut self.texts[2], &CLOCKS.map(String::from), step),
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

    /// Seats the person elsewhere: black, white, both, none. A program keeps playing, on the other side.
    fn change_sides(&mut self, step: i32) {
        const SEATS: [[bool; 2]; 4] = [[true, false], [false, true], [true, true], [false, false]];
        let people = self.people();
        let seats = SEATS.iter().position(|seats| *seats == people).unwrap_or(0) as i32;
        let seats = SEATS[(seats + step).rem_euclid(4) as usize];
        let is_program = |text: &&String| !matches!(Side::parse(text), Ok(side) if side.is_human());
        let program = self.texts[..2].iter().find(is_program).cloned();
        let program = program.unwrap_or_else(|| DEFAULT_OPPONENT.into());
        for (text, is_person) in self.texts.iter_mut().zip(seats) {
            *text = if is_person { HUMAN.into() } else { program.clone() };
        }
    }

    /// Parses the texts; on an error, selects the row and shows the reason.
    fn check(&mut self) -> bool {
        for color in [Color::Black, Color::White] {
            match Side::parse(&self.texts[color.index()]) {
                Ok(side) => {
                    self.texts[color.index()] = side.text().into();
                    self.draft.sides[color.index()] = side;
                }
                Err(error) => {
                    return self.refuse(Row::Player(color), format!("{error:#}"));
                }
            }
        }
        match self.texts[2].trim().parse::<Pace>() {
            Ok(pace) => self.draft.pace = pace,
            Err(error) => return self.refuse(Row::Clock, error.to_string()),
        }
        self.error = None;
        true
    }

    fn refuse(&mut self, wrong: Row, error: String) -> bool {
        self.row = ROWS.iter().position(|row| *row == wrong).unwrap_or(self.row);
        self.is_typing = true;
        self.error = Some(error);
        false
    }
}

/// Wraps around; a text that is not in the list counts as before the first.
fn cycle(text: &mut String, list: &[String], step: i32) {
    let next = match list.iter().position(|known| known == text) {
        Some(index) => (index as i32 + step).rem_euclid(list.len() as i32) as usize,
        None => 0,
    };
    *text = list.get(next).cloned().unwrap_or_default();
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
        form.row = 1;
        assert_eq!(ROWS[form.row], Row::Player(Color::Black));
        keys(&mut form, "nobody");
        assert_eq!(form.handle(DialogInput::Enter), Outcome::Open);
        assert!(form.error.as_ref().unwrap().contains("nobody"), "{:?}", form.error);
        for _ in 0..6 {
            form.handle(DialogInput::Backspace);
        }
        keys(&mut form, "20");
        assert_eq!(form.handle(DialogInput::Enter), Outcome::Open);
        assert_eq!((form.error.as_ref(), form.row), (None, 2));
        assert_eq!(form.handle(DialogInput::Enter), Outcome::Accepted);
        assert_eq!(form.draft.side(Color::Black).name(), "engine:strength=20");
    }

    #[test]
    fn rows_can_be_cycled() {
        let mut form = Form::new(&Settings::default(), false);
        for row in 0..ROWS.len() {
            form.row = row;
            form.handle(DialogInput::Move(Direction::Right));
        }
        assert_eq!(form.texts, ["engine:strength=20", "engine:strength=1", "60"]);
        assert!(!form.draft.marks_moves && form.draft.shows_values);
        assert_eq!((form.draft.adviser_level, form.draft.language), (11, Language::French));
        for row in [0, 1] {
            form.row = row;
            for _ in 0..30 {
                form.handle(DialogInput::Move(Direction::Left));
                assert!(form.texts[..2].iter().all(|text| Side::parse(text).is_ok()));
            }
        }
        form.texts[0] = "engine:strength=17".into();
        form.handle(DialogInput::Move(Direction::Right));
        assert_eq!(form.shown(0), "Ordinateur 20, environ 1260");
        form.handle(DialogInput::Char('?'));
        assert!(form.shows_help);
        assert_eq!(form.handle(DialogInput::Cancel), Outcome::Open);
        assert_eq!(form.handle(DialogInput::Cancel), Outcome::Cancelled);
    }
}
