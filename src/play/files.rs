//! Game files: GGF, SGF and transcripts, by extension.

use std::path::{Path, PathBuf};

use super::event::SaveError;
use super::language::Ending;
use super::model::Model;
use crate::analyze;
use crate::board::Color;
use crate::book::openings::Openings;
use crate::clock::Control;
use crate::files::contents::check_regular;
use crate::files::games::GameFile;
use crate::files::replace::{Existing, NewFile, check_absent};
use crate::files::today;
use crate::formats::archive::{Entry, Format, impossibility};
use crate::formats::ggf::{self, GgfClock};
use crate::formats::{Headers, Outcome, sgf, transcript};

/// A path in which `~` stands for the home folder, as in a shell.
fn at_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.into(),
    }
}

/// Whether a file is to hold a page, which is no game that can be loaded.
pub(super) fn is_page(path: &Path) -> bool {
    path.extension()
        .is_some_and(|name| ["html", "htm"].iter().any(|page| name.eq_ignore_ascii_case(page)))
}

/// Writes the game; keeps an existing file unless `force` is set.
pub(super) fn save(path: &Path, model: &Model, force: bool) -> Result<(), SaveError> {
    let path = &at_home(path);
    let game = &model.game;
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let text = match Format::from_extension(&extension) {
        None if is_page(path) => page(model).ok_or(SaveError::Unjudged)?,
        Some(Format::Ggf) => ggf::write(game, &headers(model)),
        Some(Format::Sgf) => sgf::write(game, &headers(model)),
        Some(Format::Wthor | Format::Obf) => return Err(SaveError::Format),
        Some(Format::Transcript) | None => transcript::write(game),
    };
    let existing = if force { Existing::Replace } else { Existing::Keep };
    check_absent(path, existing).map_err(|_| SaveError::Exists)?;
    // An existing file is replaced only once the new game is on disk.
    let write = || NewFile::save(path, existing, format!("{text}\n").as_bytes());
    write().map_err(|error: anyhow::Error| SaveError::Failed(error.root_cause().to_string()))
}

/// The page of an analyzed game; `None` if nothing is judged.
fn page(model: &Model) -> Option<String> {
    let judged = &model.review.as_ref()?.judged;
    let openings = Openings::default();
    let opening = openings.of(&model.game).map(|opening| opening.0);
    let effort = model.settings.analysis().in_words();
    let page = analyze::html(&model.game, &headers(model), opening, judged, &effort, None);
    (!judged.is_empty()).then_some(page)
}

/// A name that no file has: with the day, and a number if one is needed.
pub(super) fn new_name(extension: &str) -> String {
    let day = today();
    let names = (1..).map(|number| match number {
        1 => format!("othello-{day}.{extension}"),
        _ => format!("othello-{day}-{number}.{extension}"),
    });
    let mut names = names.skip_while(|name| Path::new(name).exists());
    names.next().unwrap_or_default()
}

/// The game in a text of any format.
pub(super) fn pasted(text: &str) -> Option<Entry> {
    let format = Format::guess(text.as_bytes())?;
    let file = GameFile::of(String::new(), text.into(), format);
    let entry = file.games().ok()?.next()?.ok();
    entry.filter(|entry| impossibility(entry.game.start()).is_none())
}

/// Those that the game was loaded with, if there were any, as long as it has neither gone on nor been given up since.
fn headers(model: &Model) -> Headers {
    let Model { game, settings, origin, .. } = model;
    let ending = model.ending;
    let is_as_read = |entry: &&Entry| {
        entry.headers != Headers::default()
            && entry.game.goes_on_from(game)
            && ending.is_none_or(|ending| ending == Ending::Played)
    };
    if let Some(entry) = origin.as_deref().filter(is_as_read) {
        let is_whole = entry.game.plies().len() == game.plies().len();
        let result = if is_whole { entry.headers.result.clone() } else { Outcome::default() };
        return Headers { result, ..entry.headers.clone() };
    }
    let clock = |control| match control {
        Control::Game { main, increment } => Some(GgfClock { increment, ..GgfClock::of(main) }),
        Control::Unlimited | Control::Move(_) | Control::Byoyomi { .. } => None,
    };
    let result = match ending {
        Some(Ending::Resigned(loser) | Ending::Time(loser)) => {
            let mark = if matches!(ending, Some(Ending::Time(_))) { 't' } else { 'r' };
            let score = -64 * loser.sign();
            Outcome { score: Some(f64::from(score)), text: format!("{score:+}:{mark}") }
        }
        Some(Ending::Played) | None => Outcome::default(),
    };
    Headers {
        names: [Color::Black, Color::White].map(|color| settings.side(color).name().into()),
        place: "othellier".into(),
        date: today().to_string(),
        result,
        clocks: settings.controls().map(clock),
        ..Headers::default()
    }
}

/// Reads the first game of a file in any of the formats. What names no file may be the moves of a game themselves.
pub(super) fn load(path: &Path) -> Result<Entry, String> {
    let path = &at_home(path);
    if !path.exists()
        && let Some(entry) = path.to_str().and_then(pasted)
    {
        return Ok(entry);
    }
    check_regular(path).map_err(|error| error.to_string())?;
    // The content decides the format, not the extension.
    let file = GameFile::read(path, None, None).map_err(|error| format!("{error:#}"))?;
    let mut games = file.games().map_err(|error| format!("{error:#}"))?;
    match games.next() {
        Some(Ok(entry)) => Ok(entry),
        Some(Err(error)) => Err(error.problem),
        None => Err("there is no game in it".into()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::board::Move;
    use crate::game::{Game, Note};
    use crate::play::settings::{Begin, Settings};
    use crate::support::folder::Folder;

    #[test]
    fn games_survive_every_format_and_existing_files_too() {
        let folder = Folder::new("play");
        let record = transcript::read(b"f5f6d3g5h5h4f7h6c5").unwrap();
        let game = record.replay().unwrap();
        let (mut model, _) = Model::started(Settings::default(), Begin::New, Instant::now());
        for name in ["a.ggf", "a.SGF", "a.txt"] {
            let path = folder.join(name);
            (model.game, model.ending) = (game.clone(), None);
            save(&path, &model, false).unwrap();
            assert_eq!(load(&path).unwrap().game.position(), game.position(), "{name}");
            model.game = Game::default();
            assert_eq!(save(&path, &model, false), Err(SaveError::Exists));
            assert_eq!(load(&path).unwrap().game.plies().len(), game.plies().len());
            (model.game, model.ending) = (game.clone(), Some(Ending::Resigned(Color::White)));
            save(&path, &model, true).unwrap();
            assert_eq!(load(&path).unwrap().game.position(), game.position());
        }
        for name in ["a.wtb", "a.obf"] {
            let path = folder.join(name);
            assert_eq!(save(&path, &model, true), Err(SaveError::Format));
            assert!(!path.exists());
        }
        // Names of others stay as long as no move is added, their result only with all moves.
        let path = folder.join("b.ggf");
        let names = ["Ann".into(), "Bob".into()];
        let result = Outcome { score: Some(-12.0), text: "-12:r".into() };
        let headers = Headers { names, result, ..Headers::default() };
        model.origin = Some(Box::new(Entry::of(game.clone(), headers)));
        model.ending = None;
        let next = Move::Place(game.position().board.moves().next().unwrap());
        for (n_more, names, result) in [
            (0, ["Ann", "Bob"], "-12:r"),
            (-1, ["Ann", "Bob"], "?"),
            (1, ["human", "engine:strength=15"], "?"),
        ] {
            model.game = game.clone();
            match n_more {
                1 => assert!(model.game.play(next, Note::default())),
                -1 => assert!(model.game.undo().is_some()),
                _ => {}
            }
            save(&path, &model, true).unwrap();
            let headers = load(&path).unwrap().headers;
            assert_eq!(
                (headers.names, &*headers.result.text),
                (names.map(Into::into), result),
                "{n_more}"
            );
        }
        (model.game, model.ending) = (game.clone(), Some(Ending::Resigned(Color::Black)));
        save(&path, &model, true).unwrap();
        assert_eq!(load(&path).unwrap().headers.result.text, "-64:r");
        for (text, word) in [
            ("f5d6x", "no move"),
            ("f5f5", "illegal"),
            ("", "no game"),
            ("(;GM[2]", "end"),
            ("(;GM[Othello]", "end"),
        ] {
            let error = load(folder.write("bad", text).as_ref()).unwrap_err();
            assert!(error.contains(word), "{text}: {error}");
        }
        assert!(load(&folder.join("none")).is_err());
        assert!(load(&folder).is_err());
    }
}
