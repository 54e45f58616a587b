//! Tests of whole screens.

use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::play::event::{Command, Event};
use crate::play::language::{Language, help, plain_help};
use crate::play::settings::{Settings, Side};

const ASCII: Look = Look { colors: Colors::None, is_unicode: false };
const PAINTED: Look = Look { colors: Colors::Many, is_unicode: true };

fn settings(language: Language) -> Settings {
    let human = || Side::parse("human").unwrap();
    Settings { sides: [human(), human()], language, ..Settings::default() }
}

fn play(settings: Settings, moves: &str) -> (Model, Instant) {
    let now = Instant::now();
    let (mut model, _) = Model::started(settings, now);
    for text in moves.as_bytes().chunks(2) {
        let command = Command::Place(Square::parse(text).unwrap());
        model.handle(Event::Command(command), now);
    }
    (model, now)
}

/// The lines of a screen without blanks at their ends.
fn screen(model: &Model, now: Instant, look: Look, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, model, look, now)).unwrap();
    let buffer = terminal.backend().buffer();
    let line = |y| -> String { (0..width).map(|x| buffer[(x, y)].symbol()).collect() };
    (0..height).map(|y| line(y).trim_end().to_owned()).collect()
}

#[track_caller]
fn assert_screen(found: &[String], expected: &str) {
    let found = found.join("\n");
    assert!(found.trim_end() == expected.trim_end(), "found\n{found}\nexpected\n{expected}");
}

#[test]
fn a_game_in_letters() {
    let (model, now) = play(settings(Language::English), "f5d6");
    let found = screen(&model, now + Duration::from_secs(75), ASCII, 80, 24);
    assert_screen(&found, include_str!("tests/letters.txt"));
}

#[test]
fn a_game_with_painted_discs_in_french() {
    let (mut model, now) = play(settings(Language::French), "f5d6c3");
    model.handle(Event::Command(Command::Place(Square::lowest(1))), now);
    let found = screen(&model, now, PAINTED, 80, 24);
    assert_screen(&found, include_str!("tests/painted.txt"));
}

#[test]
fn the_start_screen() {
    let model = Model::new(settings(Language::English));
    let found = screen(&model, Instant::now(), ASCII, 80, 24);
    assert_screen(&found, include_str!("tests/start.txt"));
}

#[test]
fn the_end_of_a_game() {
    let (model, now) = play(settings(Language::English), "e6f4e3f6g5d6e7f5c5");
    let found = screen(&model, now, ASCII, 80, 24);
    assert_screen(&found, include_str!("tests/end.txt"));
}

#[test]
fn small_screens_say_what_they_need_and_large_ones_are_filled() {
    let (model, now) = play(settings(Language::English), "f5");
    for (width, height) in [(79, 24), (80, 23), (20, 5), (1, 1)] {
        let found = screen(&model, now, PAINTED, width, height).join("");
        assert!("needs 80x24".contains(found.trim()) && !found.is_empty(), "{found}");
    }
    for (width, height) in [(80, 24), (95, 33), (120, 40), (300, 100), (80, 200), (1000, 24)] {
        let found = screen(&model, now, PAINTED, width, height);
        assert!(found.last().unwrap().contains("q quit"), "{width}x{height}");
    }
}

#[test]
fn every_dialog_fits_the_smallest_screen() {
    for language in [Language::English, Language::French] {
        let (mut model, now) = play(settings(language), "f5");
        let commands = [
            Command::Settings,
            Command::Help,
            Command::AskSave,
            Command::AskLoad,
            Command::NewGame { sure: false },
            Command::Resign { sure: false },
        ];
        for command in commands {
            model.dialog = None;
            let open = format!("{command:?}");
            model.handle(Event::Command(command), now);
            let found = screen(&model, now, ASCII, 80, 24);
            let edges = found.iter().filter(|line| line.contains("-+")).count();
            assert!(edges >= 2, "{open}: {}", found.join("\n"));
        }
        for label in [Label::Keys, Label::ShowKeys, Label::OverKeys, Label::StartKeys] {
            let width = language.label(label).chars().count();
            assert!(width <= 80, "{} has {width}", language.label(label));
        }
        for label in [Label::OverKeys, Label::StartKeys, Label::SettingsKeys] {
            let width = language.label(label).chars().count();
            assert!(width <= 70, "{} has {width}", language.label(label));
        }
        // The box of the help is narrower than the screen.
        for (rows, width) in [(help(language), 39), (plain_help(language), 44)] {
            for (keys, text) in rows {
                let fits = keys.chars().count() <= 28 && text.chars().count() <= width;
                assert!(fits, "{keys}: {text}");
            }
        }
    }
}

#[test]
fn black_and_white_differ_without_any_color() {
    let (model, now) = play(settings(Language::English), "");
    for colors in [Colors::None, Colors::Basic, Colors::Many] {
        let look = Look { colors, is_unicode: true };
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        terminal.draw(|frame| draw(frame, &model, look, now)).unwrap();
        let buffer = terminal.backend().buffer();
        let cell = |square: &[u8]| {
            let square = Square::parse(square).unwrap();
            let x = LEFT + 4 * u16::from(square.column()) + 1;
            &buffer[(x, ABOVE + 2 * u16::from(square.row()))]
        };
        let (black, white) = (cell(b"d5"), cell(b"d4"));
        if colors == Colors::None {
            assert_ne!(black.symbol(), white.symbol());
            let reset = ratatui::style::Color::Reset;
            assert!(buffer.content.iter().all(|cell| cell.fg == reset && cell.bg == reset));
        } else {
            assert_ne!(black.fg, white.fg);
        }
    }
}

#[test]
fn surroundings_choose_the_look() {
    let look = |term: &str, color_term: &str, no_color, locale: &str| {
        Look::of(&Surroundings {
            term: term.into(),
            color_term: color_term.into(),
            no_color,
            locale: locale.into(),
        })
    };
    assert_eq!(look("xterm-256color", "", false, "fr_FR.UTF-8"), PAINTED);
    assert_eq!(look("xterm", "truecolor", false, "C.utf8"), PAINTED);
    assert_eq!(look("xterm-256color", "truecolor", true, "C"), ASCII);
    assert_eq!(look("linux", "", false, "en_US.UTF-8").colors, Colors::Basic);
    assert_eq!(look("vt100", "", false, "").colors, Colors::None);
}

#[test]
fn long_texts_are_broken_between_words() {
    assert_eq!(wrap("one two three", 7), ["one two", "three"]);
    assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
    assert_eq!(wrap("", 3), Vec::<String>::new());
}

#[test]
fn wide_characters_take_two_columns() {
    let text = "オセロ othello éé オセロオセロ";
    assert_eq!(wrap(text, 10), ["オセロ", "othello éé", "オセロオセ", "ロ"]);
    assert_eq!(wrap("オセロ", 1), ["オ", "セ", "ロ"]);
    let mut buffer = Buffer::empty(Rect::new(0, 0, 6, 1));
    let area = buffer.area;
    dialogs::field(&mut buffer, area, "オセロabc", Style::new());
    assert_eq!(buffer[(0, 0)].symbol(), "ロ");
    assert_eq!((buffer[(4, 0)].symbol(), buffer[(5, 0)].symbol()), ("c", "_"));
}
