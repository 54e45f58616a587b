//! The database of tournament games, where it is present: every game is legal, and every file is written again as it was; and
//! `othellier convert`.

use std::fs;
use std::path::{Path, PathBuf};

use othellier::formats::archive::{Format, Reader, WthorWriter, write};
use othellier::formats::wthor::{self, Archive, NameKind, Names};

/// The years of the database; empty where it is missing.
fn years() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/games/wthor");
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut years: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "wtb")).collect();
    years.sort();
    years
}

/// The lists that go with the database.
fn lists(folder: &Path) -> [Names; 2] {
    let read = |kind, name| {
        let file = fs::read(folder.join(name)).unwrap();
        let names = Names::read(kind, &file).unwrap();
        assert_eq!(names.to_bytes(), file, "{name}");
        names
    };
    [read(NameKind::Players, "WTH.JOU"), read(NameKind::Tournaments, "WTH.TRN")]
}

#[test]
fn all_games_of_the_database_replay_and_round_trip() {
    let years = years();
    let files: Vec<Vec<u8>> = years.iter().map(|path| fs::read(path).unwrap()).collect();
    let (mut n_games, mut n_unfinished) = (0, 0);
    for file in &files {
        for game in wthor::games(file).unwrap() {
            let played = game.game().unwrap();
            n_games += 1;
            match played.result() {
                Some(result) => assert_eq!(wthor::result(game.black_discs()), result),
                None => n_unfinished += 1,
            }
        }
    }
    for (path, file) in years.iter().zip(&files) {
        let archive = Archive::read(file).unwrap();
        let mut written = archive.header.to_bytes(archive.games().len() as u32).to_vec();
        for game in archive.games() {
            written.extend(wthor::write(&game.game().unwrap(), game.labels()).unwrap());
        }
        assert!(written == *file, "{path:?}");
    }
    if !years.is_empty() {
        assert_eq!((years.len(), n_games, n_unfinished), (49, 137_548, 413));
    }
}

#[test]
fn a_year_of_the_database_passes_through_every_format() {
    let Some(path) = years().into_iter().find(|path| path.ends_with("WTH_1986.wtb")) else {
        return;
    };
    let file = fs::read(&path).unwrap();
    let [players, tournaments] = lists(path.parent().unwrap());
    let lists = [Some(&players), Some(&tournaments)];
    let games = || Reader::new(Format::Wthor, &file, lists).unwrap().map(Result::unwrap);
    assert!(games().filter(|game| !game.headers.names[0].is_empty()).count() > 1000);
    let header = Archive::read(&file).unwrap().header;
    for format in [Format::Ggf, Format::Sgf] {
        let text: String = games().map(|game| write(format, &game).unwrap()).collect();
        let mut writer = WthorWriter::continuing(header, lists);
        for (game, origin) in
            Reader::new(format, text.as_bytes(), [None, None]).unwrap().zip(games())
        {
            let mut game = game.unwrap();
            assert_eq!(game.headers.names, origin.headers.names);
            // Only WTHOR knows of best play.
            game.labels = origin.labels;
            writer.add(&game).unwrap();
        }
        assert!(writer.games() == file, "{format}");
    }
    let text: String = games().map(|game| write(Format::Transcript, &game).unwrap()).collect();
    let again = Reader::new(Format::Transcript, text.as_bytes(), [None, None]).unwrap();
    for (game, origin) in again.zip(games()) {
        assert_eq!(game.unwrap().game.plies(), origin.game.plies());
    }
}
