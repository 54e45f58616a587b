//! The database of tournament games, if present: every game is legal, and every file survives a round trip; and `othellier
//! convert`.

use std::fs;
use std::path::{Path, PathBuf};

use othellier::formats::archive::{Format, Reader, WthorWriter, write};
use othellier::formats::wthor::{self, Archive, NameKind, Names};

use crate::harness::{Folder, program, run, shared};

/// The years of the database; empty if it is missing.
fn years() -> Vec<PathBuf> {
    let Some(folder) = shared("games/wthor") else { return Vec::new() };
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut years: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "wtb")).collect();
    years.sort();
    years
}

/// The lists that go with the database.
fn lists(folder: &Path) -> [Names; 2] {
    let read = |kind, name| {
        let file = fs::read(folder.join(name)).unwrap();
        let names = Names::read(kind, &file, None).unwrap();
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
            // Only WTHOR has labels, such as the score of best play.
            game.labels = origin.labels;
            writer.add_numbered(&game).unwrap();
        }
        assert!(writer.games() == file, "{format}");
    }
    let text: String = games().map(|game| write(Format::Transcript, &game).unwrap()).collect();
    let again = Reader::new(Format::Transcript, text.as_bytes(), [None, None]).unwrap();
    for (game, origin) in again.zip(games()) {
        assert_eq!(game.unwrap().game.plies(), origin.game.plies());
    }
}

// Convert

/// Three games of a few moves, and one with another start.
const MOVES: &str = "f5d6c3d3c4\nc4e3f6e6f5\ne6f4c3\n";

#[test]
fn games_are_converted_there_and_back() {
    let folder = Folder::new("convert-round");
    let mut from = folder.write("a.txt", MOVES);
    for name in ["b.ggf", "c.sgf", "d.wtb", "e.ggf", "f.transcript"] {
        let to = folder.file(name);
        let output = run(&["convert", &from, &to], "");
        assert_eq!(output.status, Some(0), "{name}");
        assert_eq!(output.stdout, "convert: 3 games, 0 errors\n", "{name}");
        // WTHOR gives every game a result.
        let has_result = matches!(name, "d.wtb" | "f.transcript");
        let told = ["results: left out of 3 games", "games without a result: made up for 3 games"];
        let said = told.iter().any(|told| output.stderr.contains(told));
        assert_eq!(said, has_result, "{name}: {}", output.stderr);
        from = to;
    }
    // Writing WTHOR has turned all games to begin with F5.
    assert_eq!(folder.text("f.transcript"), "f5d6c3d3c4\nf5d6c3d3c4\nf5d6c3\n");
    assert!(folder.names().contains(&"d.jou".into()) && folder.names().contains(&"d.trn".into()));
    let output = run(&["convert", "--to", "transcript", "-", "-"], folder.text("c.sgf"));
    assert_eq!((output.status, output.stdout.as_str()), (Some(0), MOVES));
    assert_eq!(output.stderr, "convert: 3 games, 0 errors\n");
    let [a, b] = ["a.txt", "b.ggf"].map(|name| folder.file(name));
    let output = run(&["convert", &a, &b, "-o", &folder.file("g.obf")], "").success();
    assert_eq!(output.last_line(), "convert: 6 games, 0 errors");
    assert_eq!(folder.text("g.obf").lines().count(), 2 * 13);
}

#[test]
fn names_go_to_wthor_and_back() {
    let folder = Folder::new("convert-names");
    let sgf = "(;GM[2]PB[Zoë]PW[Anna]PC[Oslo]DT[1999-05-01]RE[B+10];B[fe];W[df])\n\
        (;GM[2]PB[Anna]PW[Zoë]PC[Oslo];B[fe];W[df])\n";
    let sgf = folder.write("a.sgf", sgf);
    let output = run(&["convert", &sgf, &folder.file("b.wtb")], "");
    assert_eq!(output.status, Some(0));
    // The second game is unfinished and has no result.
    let lost = |kind| format!("othellier: wthor has no place for {kind}: left out of 1 game\n");
    let made_up = "othellier: wthor has no place for games without a result: made up for 1 game\n";
    assert_eq!(output.stderr, lost("months and days") + made_up);
    run(&["convert", &sgf, &folder.file("z.jou"), "--to", "wthor"], "").fails(1, "a list of names");
    let bare = program(&["convert", &sgf, "-", "--to", "wthor"]).output().unwrap();
    let bare = String::from_utf8_lossy(&bare.stderr);
    assert!(bare.contains("no place for names: left out of 2 games"), "{bare}");
    run(&["convert", &folder.file("b.wtb"), &folder.file("c.ggf")], "").success();
    let text = folder.text("c.ggf");
    assert!(text.contains("PC[Oslo]DT[1999]PB[Zoë]PW[Anna]RE[+10.00]"), "{text}");
    assert!(text.contains("PC[Oslo]DT[1999]PB[Anna]PW[Zoë]RE["), "{text}");
    // In the list of another file the numbers mean other names.
    let other = folder.write("o.sgf", "(;GM[2]PB[Cid]PW[Zoë]PC[Oslo]DT[1999]RE[0];B[fe];W[df])\n");
    run(&["convert", &other, &folder.file("o.wtb")], "").success();
    let both = ["b.wtb", "o.wtb", "both.wtb", "both.ggf"].map(|name| folder.file(name));
    run(&["convert", &both[0], &both[1], &both[2]], "").success();
    run(&["convert", &both[2], &both[3]], "").success();
    assert_eq!(folder.text("both.ggf").lines().count(), 3);
    assert!(folder.text("both.ggf").contains("PB[Cid]PW[Zoë]"));
    // WTHOR to WTHOR keeps the numbers of the names, whatever their order.
    run(&["convert", &folder.file("b.wtb"), &folder.file("d.wtb")], "").success();
    for extension in ["wtb", "jou", "trn"] {
        let [b, d] = ["b", "d"].map(|name| fs::read(folder.file(&format!("{name}.{extension}"))));
        assert_eq!(b.unwrap(), d.unwrap(), "{extension}");
    }
}

#[test]
fn names_of_wthor_are_found_by_every_usual_name_or_missed_aloud() {
    let folder = Folder::new("convert-lists");
    let sgf = folder.write("a.sgf", "(;GM[2]PB[Zoë]PW[Anna]PC[Oslo];B[fe];W[df])\n");
    assert_eq!(run(&["convert", &sgf, &folder.file("b.wtb")], "").status, Some(0));
    let convert = |to: &str| {
        let output = run(&["convert", "--force", &folder.file("b.wtb"), &folder.file(to)], "");
        assert_eq!(output.status, Some(0), "{output:?}");
        output
    };
    let mut own = ["b.jou".to_owned(), "b.trn".to_owned()];
    // What comes later is not looked at.
    folder.write("WTHOR.JOU", "bad");
    for stem in ["B", "wth", "WTH", "WTHOR", "wthor"] {
        for (own, extension) in own.iter_mut().zip(["JOU", "trn"]) {
            let name = format!("{stem}.{extension}");
            fs::rename(folder.file(own), folder.file(&name)).unwrap();
            *own = name;
        }
        let output = convert("c.ggf");
        assert_eq!(output.stderr, "", "{stem}");
        assert!(folder.text("c.ggf").contains("PC[Oslo]DT["), "{stem}");
        assert!(folder.text("c.ggf").contains("PB[Zoë]PW[Anna]"), "{stem}");
    }
    fs::remove_file(folder.file(&own[0])).unwrap();
    let output = convert("c.ggf");
    assert!(output.stderr.contains("without the names of a .jou file"), "{}", output.stderr);
    assert!(folder.text("c.ggf").contains("PC[Oslo]"));
    fs::remove_file(folder.file(&own[1])).unwrap();
    for to in ["c.ggf", "d.wtb"] {
        let output = convert(to);
        assert!(output.stderr.contains("of a .jou and .trn file"), "{}", output.stderr);
    }
    // Formats without names miss nothing.
    assert!(!convert("c.txt").stderr.contains("names"));
}

#[test]
fn packed_files_are_named_with_what_unpacks_them() {
    let folder = Folder::new("packed");
    for (name, head, program) in [
        ("a.wtb.gz", &b"\x1f\x8b\x08"[..], "gunzip -k"),
        ("a.bz2", b"BZh91AY", "bunzip2 -k"),
        ("a.xz", b"\xfd7zXZ\0", "unxz -k"),
        ("a.zst", b"\x28\xb5\x2f\xfd", "unzstd"),
    ] {
        let path = folder.write(name, [head, &[7; 99]].concat());
        let out = folder.file("out");
        for command in [
            &["convert", "--to", "ggf", &path, "-"][..],
            &["convert", "--format", "wthor", "--to", "ggf", &path, "-"],
            &["book", "show", &path],
            &["book", "import", &out, &path],
            &["gtp", "--repertoire", &path],
        ] {
            run(command, "").fails(1, &format!("{program} {path}"));
        }
    }
}

#[test]
fn nothing_is_overwritten_unasked() {
    let folder = Folder::new("convert-force");
    let good = folder.write("good.txt", MOVES);
    let bad = folder.write("bad.txt", format!("{MOVES}f5f5\n"));
    let out = folder.write("out.ggf", "precious");
    let convert = |arguments: &[&str]| {
        let output = run(&[&["convert"], arguments].concat(), "");
        (output.status, output.stderr)
    };
    let (status, error) = convert(&[&good, &out]);
    assert_eq!(status, Some(1));
    assert!(error.contains("out.ggf exists") && error.contains("--force"), "{error}");
    let (status, error) = convert(&["--force", &bad, &out]);
    assert_eq!(status, Some(1));
    assert!(error.contains("bad.txt: game 4 (line 4): move 2"), "{error}");
    assert!(error.contains("accepted up to there: f5\n"), "{error}");
    assert!(error.contains("bad.txt: 3 games were accepted"), "{error}");
    assert_eq!(folder.text("out.ggf"), "precious");
    assert_eq!(convert(&["--force", &good, &out]).0, Some(0));
    assert_eq!(folder.text("out.ggf").lines().count(), 3);
    // A new file gets the good games.
    assert_eq!(convert(&[&bad, &folder.file("new.ggf")]).0, Some(1));
    assert_eq!(folder.text("new.ggf").lines().count(), 3);
    assert_eq!(folder.names(), ["bad.txt", "good.txt", "new.ggf", "out.ggf"]);
}

/// A WTHOR file with a game: Black's discs, the theoretical ones, the moves.
fn wthor(n_games: u8, size: u8, game: &[u8]) -> Vec<u8> {
    let header = [20, 26, 1, 1, n_games, 0, 0, 0, 0, 0, 0, 0, size, 0, 0, 0];
    let mut file = [&header[..], &[0; 6], game].concat();
    file.resize(16 + 68, 0);
    file
}

#[test]
fn bad_files_are_refused() {
    let folder = Folder::new("convert-bad");
    for (name, text, words) in [
        ("empty.ggf", &b""[..], "empty.ggf: no games in it (read as ggf)"),
        ("empty.txt", b"# nothing\n", "empty.txt: no games in it"),
        ("empty.wtb", b"", "empty.wtb: the file is shorter than a WTHOR header"),
        ("cut.wtb", &wthor(9, 8, &[200]), "the header counts 9 games, the file has 1"),
        (
            "more.wtb",
            &[&wthor(1, 8, &[200])[..], &[0; 2 * 68]].concat(),
            "counts 1 games, the file has 3",
        ),
        ("ten.dat", &wthor(1, 10, &[33]), "ten.dat: a board of size 10 is not supported"),
        (
            "hole.wtb",
            &wthor(1, 8, &[33, 0, 56, 0, 64]),
            "move 2 of the game is illegal: the byte 0",
        ),
        ("score.wtb", &wthor(1, 8, &[200]), "game 1: Black has 200 of 64 discs at the end"),
        ("half.ggf", b"(;GM[Othello]PB[x]", "the game does not end"),
        ("noise.txt", b"\0\x01\x02", "noise.txt: no games in it"),
        ("board.obf", b"XO X;", "game 1 (line 1): a board has 64 cells"),
    ] {
        let path = folder.write(name, text);
        run(&["convert", &path, &folder.file("out.txt"), "--force"], "").fails(1, words);
        assert!(!folder.names().contains(&"out.txt".into()), "{name}");
    }
    for arguments in [&["only.ggf"][..], &["a.ggf", "b.pdf"], &["a.ggf", "b", "--to", "pdf"], &[]] {
        let output = run(&[&["convert"], arguments].concat(), "");
        assert_eq!((output.status, output.stdout.as_str()), (Some(2), ""), "{arguments:?}");
    }
    // One that cannot be read takes nothing from the others.
    let (good, out) = (folder.write("good.txt", MOVES), folder.file("x.sgf"));
    let output = run(&["convert", "/nonexistent.ggf", &good, &out], "");
    assert_eq!((output.status, output.last_line()), (Some(1), "convert: 3 games, 1 errors"));
    output.fails(1, "/nonexistent.ggf");
}

#[test]
fn names_are_decoded_and_cost_no_moves_where_they_are_not() {
    let folder = Folder::new("convert-encoding");
    let path = folder.write("latin.sgf", b"(;GM[2]PB[\xe9];B[cd])");
    let ggf = |options: &[&str]| {
        let output = run(&[&["convert", "--to", "ggf"], options, &[&path, "-"]].concat(), "");
        assert_eq!(output.status, Some(0), "{}", output.stderr);
        (output.stdout, output.stderr)
    };
    let (game, said) = ggf(&[]);
    assert!(game.contains("PB[\u{fffd}]") && game.contains("B[C4]"), "{game}");
    assert!(said.contains("left out: 1 game with texts that are not UTF-8"), "{said}");
    let (game, said) = ggf(&["--encoding", "latin1"]);
    assert!(game.contains("PB[é]") && !said.contains("left out"), "{game} {said}");
    run(&["convert", "--encoding", "morse", &path, "-"], "").fails(2, "shift_jis");
}

#[test]
fn the_content_decides_what_a_file_is() {
    let folder = Folder::new("convert-content");
    let sgf = "(;GM[2];B[cd])\n";
    let start = "---------------------------OX------XO--------------------------- X";
    let ggf = format!("(;GM[Othello]BO[8 {}]B[C4];)\n", start.replace(" X", " *"));
    for (name, text, moves) in [
        ("sgf.txt", sgf, "c4"),
        ("ggf.sgf", &ggf, "c4"),
        ("list.sgf", "c4\n", "c4"),
        ("obf.txt", &format!("{start}; C4:+0;\n"), start),
        ("marked.ggf", &format!("\u{feff}{ggf}"), "c4"),
    ] {
        let path = folder.write(name, text);
        let expected = format!("{moves}\n");
        let convert = |input: &str, text: &str| {
            run(&["convert", "--to", "transcript", input, "-"], text).stdout
        };
        assert_eq!(convert(&path, ""), expected, "{name}");
        assert_eq!(convert("-", text), expected, "{name}");
    }
    // What is named counts.
    let path = folder.write("named.txt", sgf);
    let output = run(&["convert", "--format", "ggf", "--to", "transcript", &path, "-"], "");
    assert_eq!(output.status, Some(1));
}

#[test]
#[ignore = "long: 200 megabytes"]
fn a_hundred_megabytes_are_survived() {
    let folder = Folder::new("convert-huge");
    let size = 100 << 20;
    let one_line = folder.write("line.txt", "f5".repeat(size / 2));
    let output = run(&["convert", &one_line, &folder.file("out.ggf")], "");
    assert_eq!((output.status, output.last_line()), (Some(1), "convert: 0 games, 1 errors"));
    assert!(output.stderr.contains("a game of 104857600 bytes is too long"), "{}", output.stderr);
    let many_lines = folder.write("lines.txt", format!("{}\n", "x".repeat(99)).repeat(size / 100));
    let output = run(&["convert", &many_lines, &folder.file("out.ggf")], "");
    assert_eq!((output.status, output.last_line()), (Some(1), "convert: 0 games, 1 errors"));
    assert!(output.stderr.len() < 10_000 && output.stderr.contains("1048576 lines without moves"));
    assert_eq!(folder.names(), ["line.txt", "lines.txt"]);
}

#[test]
fn games_that_stop_early_are_listed() {
    let folder = Folder::new("convert-check");
    let whole = "e6f4e3f6g5d6e7f5c5";
    let path = folder.write("a.txt", format!("{whole}\nf5d6\n"));
    let output = run(&["convert", "--check", &path], "").success();
    let listed = format!(
        "{path}: game 2 stops after 2 moves: ? - ?\n1 game stops before its end\n\
        convert: 2 games, 0 errors\n"
    );
    assert_eq!(output.stdout, listed);
    // Files are reported in their order, however many are checked at a time.
    let bad = folder.write("bad.txt", "f5d6\nf5f5\n");
    let check = |concurrency| {
        let files = ["convert", "--check", &path, &bad, &path, &path];
        let output = run(&[&files[..], &["--concurrency", concurrency]].concat(), "");
        (output.status, output.stdout, output.stderr)
    };
    let one = check("1");
    assert_eq!((one.0, one.1.lines().count()), (Some(1), 4 + 2));
    assert_eq!(one, check("3"));
    let missing = run(&["convert", "--check", &path, "/nonexistent.txt", &bad], "");
    assert_eq!((missing.status, missing.stdout.lines().count()), (Some(1), 4));
    let years = years();
    let paths: Vec<&str> = years.iter().map(|path| path.to_str().unwrap()).collect();
    if !paths.is_empty() {
        let output = run(&[&["convert", "--check"], &paths[..]].concat(), "").success();
        assert_eq!(output.last_line(), "convert: 137548 games, 0 errors");
        assert_eq!(output.stdout.lines().count(), 413 + 2);
    }
}

/// Two games in the spellings of `tests/data/games`: one is whole, one has a pass.
const WHOLE: &str = "d3c5e6f5f6e3d6f7g6f4g5c6e7f8e2f3c4b3f2h6d7e8b4c3c8a4b6h5b5d2c2g3h4h3a5f1g4e1a3b1b2a1a2d8g8c7b8d1c1g2h7h8g7a7a6a8h1b7g1h2";
const PASSED: &str = "f5f6d3g5h5h4f7h6e7";

#[test]
fn move_lists_are_read_as_people_have_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/games");
    let mut names: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert!(names.len() >= 20, "{names:?}");
    for name in names {
        let path = folder.join(&name);
        let name = name.to_str().unwrap();
        let expected = match name.split_once('.').unwrap().0 {
            "array" | "list" | "list-numbered" | "page" | "plies" | "sides" => vec![WHOLE],
            "passes" => vec![PASSED; 16],
            _ => vec![WHOLE, PASSED],
        };
        let read = run(&["convert", "--to", "transcript", path.to_str().unwrap(), "-"], "");
        assert_eq!(read.status, Some(0), "{name}: {}", read.stderr);
        assert_eq!(read.stdout.lines().collect::<Vec<_>>(), expected, "{name}: {}", read.stderr);
        if name == "headings.txt" {
            let said = "left out: 4 lines without moves; line 1: 'Game 1: Rose - Tamenori'";
            assert!(read.stderr.contains(said), "{}", read.stderr);
        }
    }
}
