//! Game files: GGF, SGF and transcripts, by extension.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::event::SaveError;
use super::language::Ending;
use super::settings::Settings;
use crate::board::Color;
use crate::clock::Control;
use crate::files::contents::check_regular;
use crate::files::games::GameFile;
use crate::files::replace::{Existing, NewFile, check_absent};
use crate::formats::archive::Format;
use crate::formats::ggf::{self, GgfClock};
use crate::formats::{Headers, Outcome, sgf, transcript};
use crate::game::Game;

/// Larger files are not games and are not read to the end.
const MAX_BYTES: u64 = 1 << 20;

/// A path in which `~` stands for the home folder, as in a shell.
fn at_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.into(),
    }
}

/// Writes a game; keeps an existing file unless `force` is set.
pub(super) fn save(
    path: &Path,
    game: &Game,
    settings: &Settings,
    ending: Option<Ending>,
    force: bool,
) -> Result<(), SaveError> {
    let path = &at_home(path);
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let text = match Format::from_extension(&extension) {
        Some(Format::Ggf) => ggf::write(game, &headers(settings, ending)),
        Some(Format::Sgf) => sgf::write(game, &headers(settings, ending)),
        Some(Format::Wthor | Format::Obf) => return Err(SaveError::Format),
        Some(Format::Transcript) | None => transcript::write(game),
    };
    let existing = if force { Existing::Replace } else { Existing::Keep };
    check_absent(path, existing).map_err(|_| SaveError::Exists)?;
    // An existing file is replaced only once the new game is on disk.
    let write = || NewFile::save(path, existing, format!("{text}\n").as_bytes());
    write().map_err(|error: anyhow::Error| SaveError::Failed(error.root_cause().to_string()))
}

fn headers(settings: &Settings, ending: Option<Ending>) -> Headers {
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
        result,
        clocks: settings.controls().map(clock),
        ..Headers::default()
    }
}

/// Reads the first game of a file in any of the formats.
pub(super) fn load(path: &Path) -> Result<Game, String> {
    let path = &at_home(path);
    let file = check_regular(path).and_then(|()| std::fs::File::open(path));
    let mut bytes = Vec::new();
    file.map_err(|error| error.to_string())?
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err("the file is too large for a game".into());
    }
    if bytes.trim_ascii().is_empty() {
        return Err("the file is empty".into());
    }
    // The content decides the format, not the extension.
    let file = GameFile::from_text(path.display().to_string(), bytes, None);
    let mut games = file.games().map_err(|error| format!("{error:#}"))?;
    match games.next() {
        Some(Ok(entry)) => Ok(entry.game),
        Some(Err(error)) => Err(error.problem),
        None => Err("there is no game in it".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::folder::Folder;

    #[test]
    fn games_survive_every_format_and_existing_files_too() {
        let folder = Folder::new("play");
        let record = transcript::read(b"f5f6d3g5h5h4f7h6c5").unwrap();
        let game = record.replay().unwrap();
        let settings = Settings::default();
        for name in ["a.ggf", "a.SGF", "a.txt"] {
            let path = folder.join(name);
            save(&path, &game, &settings, None, false).unwrap();
            let back = load(&path).unwrap();
            assert_eq!(back.position(), game.position(), "{name}");
            let again = save(&path, &Game::default(), &settings, None, false);
            assert_eq!(again, Err(SaveError::Exists));
            assert_eq!(load(&path).unwrap().plies().len(), game.plies().len());
            let resigned = Some(Ending::Resigned(Color::White));
            save(&path, &game, &settings, resigned, true).unwrap();
            assert_eq!(load(&path).unwrap().position(), game.position());
        }
        for name in ["a.wtb", "a.obf"] {
            let path = folder.join(name);
            assert_eq!(save(&path, &game, &settings, None, true), Err(SaveError::Format));
            assert!(!path.exists());
        }
        for (text, word) in [
            ("f5d6x", "no move"),
            ("f5f5", "illegal"),
            ("", "empty"),
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
