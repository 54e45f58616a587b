//! Parses the lines of the line mode.

use std::path::PathBuf;

use crate::board::{Color, Square};
use crate::engine::Pace;
use crate::formats::archive::impossibility;
use crate::formats::transcript;
use crate::game::Game;
use crate::play::event::Command;
use crate::play::language::{Language, Message};
use crate::play::settings::Side;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line {
    Command(Command),
    /// The reason why the line is invalid.
    Wrong(String),
    /// The best moves, so many.
    Hints(usize),
    /// A game to go on with.
    SetBoard(Box<Game>),
    /// The level of the programs.
    Level(u32),
    /// Their strength.
    Strength(u32),
    Analyze,
    Book,
    Score,
    Board,
    Moves,
    Help,
    Empty,
}

/// Accepts the words of both languages.
pub(super) fn read(line: &str, language: Language) -> Line {
    let line = line.trim();
    if line.is_empty() {
        return Line::Empty;
    }
    if let Some(square) = Square::parse(line.as_bytes()) {
        return Line::Command(Command::Place(square));
    }
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let word = word.to_lowercase();
    if let Some(line) = with_argument(&word, rest, language) {
        return line;
    }
    let unknown = || Line::Command(Command::Unknown(line.chars().take(40).collect()));
    if !rest.is_empty() {
        return unknown();
    }
    Line::Command(match word.as_str() {
        "back" | "recule" => Command::Back,
        "forward" | "avance" => Command::Forward,
        "first" | "debut" | "début" => Command::First,
        "last" | "fin" => Command::Last,
        "next" | "suivant" => Command::NextPuzzle,
        "hint" | "conseil" => Command::Hint,
        "scores" | "values" | "valeurs" => Command::Values,
        "now" | "joue" => Command::MoveNow,
        "start" | "pause" | "commencer" => Command::Pause,
        "step" | "pas" => Command::Step,
        "swap" | "echange" | "échange" => Command::Swap,
        "new" | "restart" | "nouvelle" => Command::NewGame { sure: true },
        "resign" | "abandon" => Command::Resign { sure: true },
        "english" => Command::SetLanguage(Language::English),
        "french" | "francais" | "français" => Command::SetLanguage(Language::French),
        "q" | "quit" | "exit" | "quitter" => Command::Quit { sure: true },
        "a" | "analyze" | "analyse" => return Line::Analyze,
        "book" | "bibliotheque" | "bibliothèque" => return Line::Book,
        "score" => return Line::Score,
        "board" | "plateau" => return Line::Board,
        "moves" | "coups" => return Line::Moves,
        "help" | "?" | "aide" => return Line::Help,
        _ => return unknown(),
    })
}

/// `y` or `n`, in both languages.
pub(super) fn answer(line: &str) -> Option<char> {
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" | "o" | "oui" => Some('y'),
        "n" | "no" | "non" => Some('n'),
        _ => None,
    }
}

fn with_argument(word: &str, rest: &str, language: Language) -> Option<Line> {
    let wrong = |text: String| Some(Line::Wrong(text));
    let count = |make: fn(usize) -> Command| match rest {
        "" => Some(Line::Command(make(1))),
        rest => match rest.parse::<usize>() {
            Ok(n) if n > 0 => Some(Line::Command(make(n))),
            _ => wrong(language.say(&Message::Unknown(format!("{word} {rest}")))),
        },
    };
    let path = |make: fn(PathBuf) -> Command| match rest {
        "" => wrong(format!(
            "{word} {}",
            language
                .pick("needs a file such as game.ggf", "attend un fichier, par exemple partie.ggf")
        )),
        rest => Some(Line::Command(make(rest.into()))),
    };
    let player = |color| match Side::parse(rest) {
        Ok(side) => Some(Line::Command(Command::SetSide(color, side))),
        Err(error) => wrong(format!("{error:#}")),
    };
    match word {
        "undo" | "u" | "annuler" => count(Command::Undo),
        "redo" | "r" | "refaire" | "retablir" | "rétablir" => count(Command::Redo),
        "save" | "enregistrer" => path(|path| Command::Save { path, force: false }),
        "load" | "charger" => path(Command::Load),
        "black" | "noir" => player(Color::Black),
        "white" | "blanc" => player(Color::White),
        "clock" | "pendule" => match rest.parse::<Pace>() {
            Ok(pace) => Some(Line::Command(Command::SetPace(pace))),
            Err(error) => wrong(format!("{word} {rest}: {error}")),
        },
        "level" | "niveau" | "advice" | "avis" => match rest.parse::<u32>() {
            Ok(level @ 1..=60) if word.starts_with('a') => {
                Some(Line::Command(Command::SetAdviser(level)))
            }
            Ok(level @ 1..=60) => Some(Line::Level(level)),
            _ => wrong(format!("{word} {rest}: 1-60")),
        },
        "strength" | "force" => match rest.parse::<u32>() {
            Ok(strength @ 1..=60) => Some(Line::Strength(strength)),
            _ => wrong(format!("{word} {rest}: 1-60")),
        },
        "hint" | "conseil" if !rest.is_empty() => match rest.parse::<usize>() {
            Ok(n) if n > 0 => Some(Line::Hints(n)),
            _ => wrong(language.say(&Message::Unknown(format!("{word} {rest}")))),
        },
        "setboard" | "position" => match transcript::game(rest) {
            Ok(game) => match impossibility(game.start()) {
                Some(reason) => wrong(reason.into()),
                None => Some(Line::SetBoard(game.into())),
            },
            Err(error) => wrong(format!("{word}: {error}")),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_one_meaning() {
        let read = |line| read(line, Language::English);
        let square = Square::parse(b"d3").unwrap();
        assert_eq!(read("d3"), Line::Command(Command::Place(square)));
        assert_eq!(read(" D3 "), Line::Command(Command::Place(square)));
        assert_eq!(read("undo 5"), Line::Command(Command::Undo(5)));
        assert_eq!(read("annuler"), Line::Command(Command::Undo(1)));
        assert_eq!(read("Q"), Line::Command(Command::Quit { sure: true }));
        assert_eq!(read("save a b.ggf"), {
            let path = "a b.ggf".into();
            Line::Command(Command::Save { path, force: false })
        });
        assert_eq!(read(""), Line::Empty);
        for line in ["d9", "i1", "d3 d4", "dd3", "quit now", "blah", "\u{0}", "d\u{e9}3"] {
            assert!(matches!(read(line), Line::Command(Command::Unknown(_))), "{line}");
        }
        for line in [
            "undo 0",
            "undo x",
            "save",
            "black nobody",
            "clock soon",
            "level 61",
            "hint 0",
            "setboard f5f5",
        ] {
            assert!(matches!(read(line), Line::Wrong(_)), "{line}");
        }
    }
}
