//! Tests of whole screens.

use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::play::event::{Command, Event};
use crate::play::language::{Language, help, plain_help, player_help, review_help};
use crate::play::settings::{Begin, Settings, Side};

const ASCII: Look = Look { colors: Colors::None, is_unicode: false, is_console: false };
const PAINTED: Look = Look { colors: Colors::Many, is_unicode: true, is_console: false };

fn settings(language: Language) -> Settings {
    let human = || Side::parse("human").unwrap();
    Settings { sides: [human(), human()], language, ..Settings::default() }
}

fn play(settings: Settings, moves: &str) -> (Model, Instant) {
    let now = Instant::now();
    let (mut model, _) = Model::started(settings, Begin::New, now);
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

#[test]
fn screens_are_those_of_the_files() {
    let (letters, now) = play(settings(Language::English), "f5d6");
    let (mut painted, _) = play(settings(Language::French), "f5d6c3");
    painted.handle(Event::Command(Command::Place(Square::lowest(1))), now);
    let start = Model::new(settings(Language::English));
    let (end, _) = play(settings(Language::English), "e6f4e3f6g5d6e7f5c5");
    let later = now + Duration::from_secs(75);
    for (model, now, look, expected) in [
        (letters, later, ASCII, include_str!("tests/letters.txt")),
        (painted, now, PAINTED, include_str!("tests/painted.txt")),
        (start, now, ASCII, include_str!("tests/start.txt")),
        (end, now, ASCII, include_str!("tests/end.txt")),
    ] {
        let found = screen(&model, now, look, 80, 24).join("\n");
        assert!(found.trim_end() == expected.trim_end(), "found\n{found}\nexpected\n{expected}");
    }
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
            Command::AskLoad,
            Command::Paste("f5d6".into()),
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
        for (label, most) in [
            (Label::KEYS, 80),
            (Label::SHOW_KEYS, 80),
            (Label::REVIEW_KEYS, 80),
            (Label::JUDGING_KEYS, 80),
            (Label::ENDED_KEYS, 80),
            (Label::OVER_KEYS, 70),
            (Label::START_KEYS, 70),
            (Label::SETTINGS_KEYS, 70),
        ] {
            let width = language.label(label).chars().count();
            assert!(width <= most, "{} has {width}", language.label(label));
        }
        // The box of the help is narrower than the screen.
        let helps = [help, player_help, review_help, plain_help].map(|help| help(language));
        for (rows, width) in helps.into_iter().zip([39, 39, 39, 44]) {
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
        let look = Look { colors, is_unicode: true, is_console: false };
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
            assert_ne!(black.bg, white.bg);
        }
    }
}

#[test]
fn surroundings_choose_the_look() {
    for (term, color_term, no_color, locale, colors, is_unicode) in [
        ("xterm-256color", "", false, "fr_FR.UTF-8", Colors::Many, true),
        ("xterm", "truecolor", false, "C.utf8", Colors::Many, true),
        ("xterm-256color", "truecolor", true, "C", Colors::None, false),
        ("linux", "", false, "en_US.UTF-8", Colors::Basic, true),
        ("vt100", "", false, "", Colors::None, false),
    ] {
        let [term, color_term, locale] = [term, color_term, locale].map(String::from);
        let look = Look::of(&Surroundings { term, color_term, no_color, locale });
        assert_eq!(look, Look { colors, is_unicode, is_console: look.is_console });
        assert_eq!(look.is_console, colors == Colors::Basic);
    }
}

#[test]
fn long_texts_are_broken_between_words_by_their_width() {
    for (text, width, lines) in [
        ("one two three", 7, &["one two", "three"][..]),
        ("abcdefgh ij", 3, &["abc", "def", "gh", "ij"]),
        ("", 3, &[]),
        ("オセロ othello éé オセロオセロ", 10, &["オセロ", "othello éé", "オセロオセ", "ロ"]),
        ("オセロ", 1, &["オ", "セ", "ロ"]),
    ] {
        assert_eq!(wrap(text, width), lines, "{text}");
    }
    let mut buffer = Buffer::empty(Rect::new(0, 0, 6, 1));
    let area = buffer.area;
    dialogs::field(&mut buffer, area, "オセロabc", Style::new());
    assert_eq!(buffer[(0, 0)].symbol(), "ロ");
    assert_eq!((buffer[(4, 0)].symbol(), buffer[(5, 0)].symbol()), ("c", "_"));
}
