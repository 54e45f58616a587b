//! Tests of files of many games: detected formats, places of errors, what conversions preserve.

use encoding_rs::{EUC_JP, SHIFT_JIS, WINDOWS_1252};

use super::*;
use crate::board::Color;
use crate::formats::wthor::{Archive, NameKind, Names};
use crate::formats::{Headers, Outcome, tests};

fn read(format: Format, file: &[u8]) -> Vec<Result<Entry, EntryError>> {
    Reader::new(format, file, [None, None]).unwrap().collect()
}

/// The first game of a file.
fn first(format: Format, file: &str) -> Entry {
    read(format, file.as_bytes()).remove(0).unwrap()
}

const GGF: &str = "(;GM[Othello]PC[GGS/os]DT[2003.05.01]PB[Łódź]PW[b]RE[?]TY[8]BO[8 \
    -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]\
    B[F5]W[D6];)";

#[test]
fn formats_are_known_by_name_extension_and_looks() {
    for format in Format::ALL {
        assert_eq!(format.to_string(), format.name());
    }
    assert_eq!(Format::from_extension("WTB"), Some(Format::Wthor));
    assert_eq!(Format::from_extension("pdf"), None);
    let mut wthor = WthorWriter::new([20, 26, 1, 1]);
    wthor.add(&first(Format::Transcript, "f5")).unwrap();
    for (text, format) in [
        (GGF.as_bytes(), Format::Ggf),
        (b"(;FF[4]GM[2];B[cd])", Format::Sgf),
        (b"(;GaMe[2]SiZe[8];Black[cd])", Format::Sgf),
        (&wthor.games(), Format::Wthor),
        (format!("% a comment\n\n{} ;", Position::START).as_bytes(), Format::Obf),
    ] {
        assert_eq!(Format::guess(text), Some(format));
    }
    assert_eq!(Format::guess(b"1. f5d6c3"), Some(Format::Transcript));
    for text in ["", "Game 1", &Position::START.to_string()] {
        assert_eq!(Format::guess(text.as_bytes()), None);
    }
}

#[test]
fn errors_tell_game_line_and_what_was_accepted() {
    let bad = GGF.replace("W[D6]", "W[A1]");
    let start = Position::START.cells();
    for (format, file, n_games, errors) in [
        (
            Format::Ggf,
            format!("2 {GGF}\n{bad}\n\n{}\n{GGF}", GGF.replace("Othello", "Go")),
            2,
            &[
                "game 2 (line 2): move 2 of the game is illegal: W A1; accepted up to there: f5",
                "game 3 (line 4): 'Go' is not Othello",
            ][..],
        ),
        (
            Format::Transcript,
            "# comment\nf5d6\n\nf5f5\nf5 d6 hello c3\nF5 D6, c3 D3\n".into(),
            2,
            &[
                "game 2 (line 4): move 2 of the game is illegal: F5; accepted up to there: f5",
                "game 3 (line 5): no move at 'hello c3'",
            ],
        ),
        (
            Format::Sgf,
            "(;GM[2];B[cd](;W[ce])(;W[cc]))\n(;GM[2];B[cd];B[hh])(;GM[2]PB[)])(;GM[2];B[cd]".into(),
            2,
            &[
                "game 2 (line 2): move 2 of the game is illegal: B H8; accepted up to there: c4",
                "game 4 (line 2): the game does not end with ')'",
            ],
        ),
        (
            Format::Obf,
            format!("% positions\n{} X;\n{start} X; A1:+2;\n", "-".repeat(64)),
            0,
            &[
                "game 1 (line 2): impossible position: a center square is empty",
                "game 2 (line 3): A1 is illegal there",
            ],
        ),
    ] {
        let (games, found): (Vec<_>, Vec<_>) =
            read(format, file.as_bytes()).into_iter().partition(Result::is_ok);
        let found: Vec<_> =
            found.iter().map(|game| game.as_ref().unwrap_err().to_string()).collect();
        assert_eq!(games.len(), n_games, "{file}");
        assert_eq!(found, errors, "{file}");
    }
}

#[test]
fn encodings() {
    assert_eq!(decode(b"\xef\xbb\xbff5", None).as_ref(), b"f5");
    assert_eq!(decode(b"\xff\xfef\x005\x00", Some(SHIFT_JIS)).as_ref(), b"f5");
    assert_eq!(decode(b"\xe9", Some(WINDOWS_1252)).as_ref(), "é".as_bytes());
    assert_eq!(decode(b"\xe9", None).as_ref(), b"\xe9");
    let latin1 = |text: &str| text.chars().map(|symbol| symbol as u8).collect::<Vec<_>>();
    let ggf = latin1(&GGF.replace("Łódź", "é"));
    let mut reader = Reader::new(Format::Ggf, &ggf, [None, None]).unwrap();
    let entry = reader.next().unwrap().unwrap();
    assert_eq!((entry.headers.names[0].as_str(), entry.game.plies().len()), ("\u{fffd}", 2));
    assert_eq!(reader.left_out().unwrap().to_string(), "1 game with texts that are not UTF-8");
    let sgf = latin1("(;GM[2]CA[ISO-8859-1]PB[é];B[cd])");
    assert_eq!(read(Format::Sgf, &sgf)[0].as_ref().unwrap().headers.names[0], "é");
    // The second byte of some letters is a backslash or a bracket.
    for (encoding, label) in [(SHIFT_JIS, "Shift_JIS"), (EUC_JP, "EUC-JP")] {
        let text = format!("(;GM[2]CA[{label}]PB[表ー十ソ構]PW[b];B[cd];W[ce])");
        let text = encoding.encode(&text).0;
        let decoded = decode(&text, None);
        let entries = read(Format::Sgf, &decoded);
        let entry = entries[0].as_ref().unwrap();
        assert_eq!((entries.len(), entry.game.plies().len()), (1, 2), "{label}");
        assert_eq!(entry.headers.names, ["表ー十ソ構", "b"], "{label}");
    }
    let huge = [b"(;".as_slice(), &vec![b'x'; 2 << 20]].concat();
    let error = read(Format::Ggf, &huge)[0].as_ref().unwrap_err().to_string();
    assert!(error.ends_with("a game of 2097154 bytes is too long"), "{error}");
}

#[test]
fn games_pass_through_wthor() {
    let mut writer = WthorWriter::new([20, 26, 11, 22]);
    let mut entry = first(Format::Ggf, GGF);
    writer.add(&entry).unwrap();
    entry.headers.names = ["b".into(), String::new()];
    entry.headers.result.score = Some(-20.0);
    writer.add(&entry).unwrap();
    let file = writer.games();
    let [players, tournaments] = writer.lists();
    let (players, tournaments) = (
        Names::read(NameKind::Players, &players.to_bytes(), None).unwrap(),
        Names::read(NameKind::Tournaments, &tournaments.to_bytes(), None).unwrap(),
    );
    let lists = [Some(&players), Some(&tournaments)];
    let games: Vec<_> =
        Reader::new(Format::Wthor, &file, lists).unwrap().map(Result::unwrap).collect();
    assert_eq!(games[0].headers.names, ["?ód?", "b"]);
    assert_eq!(
        (games[0].headers.place.as_str(), games[0].headers.date.as_str()),
        ("GGS/os", "2003")
    );
    // The first game is unfinished, with 3 discs each.
    assert_eq!(
        games.iter().map(|game| game.headers.result.score).collect::<Vec<_>>(),
        [Some(0.0), Some(-20.0)]
    );
    assert_eq!(games[1].headers.names[Color::White.index()], "");
    assert!(games[0].stops_early());

    let header = Archive::read(&file).unwrap().header;
    let mut copy = WthorWriter::continuing(header, lists);
    games.iter().for_each(|game| copy.add_numbered(game).unwrap());
    assert_eq!(copy.games(), file);
    assert_eq!(copy.lists()[0], players);
    // The score of best play goes along where the numbers are new ones.
    let mut scored = games[1].clone();
    scored.labels.as_mut().unwrap().theoretical = 40;
    let mut anew = WthorWriter::new(header.created);
    anew.add(&scored).unwrap();
    let file = anew.games();
    let labels = Archive::read(&file).unwrap().games().next().unwrap().labels();
    assert_eq!((labels.black_discs, labels.theoretical), (22, 40));
}

#[test]
fn the_board_counts_not_a_result_with_komi() {
    let game = first(Format::Transcript, "e6f6d3d6f5d2f7g6e7e8");
    let ggf = write(Format::Ggf, &game).unwrap();
    let with_komi = ggf.replace("RE[-64.00]", "RE[-60.50]KM[3.5]").replace("TY[8]", "TY[k8]");
    assert_ne!(with_komi, ggf);
    let entry = first(Format::Ggf, &with_komi);
    // A game that is given up is lost, whatever is on the board.
    let given_up = first(Format::Transcript, "[Result \"1-0\"]\nf5d6");
    let mut writer = WthorWriter::new([20, 26, 11, 22]);
    [&entry, &given_up].iter().for_each(|entry| writer.add(entry).unwrap());
    let file = writer.games();
    let discs = Archive::read(&file).unwrap().games().map(|game| game.black_discs());
    assert_eq!(discs.collect::<Vec<_>>(), [0, 0]);
    assert!(write(Format::Sgf, &given_up).unwrap().contains("RE[W+]"));
    // Without the komi its result would be another one.
    assert!(write(Format::Ggf, &entry).unwrap().contains("RE[-64.00]"));
    assert!(write(Format::Sgf, &entry).unwrap().contains("RE[W+64]"));
}

#[test]
fn texts_of_every_format_are_read_again() {
    let cells = Position::START.cells();
    let scored = format!("{cells} X; D3:+2; C4:-1;\n");
    for entry in [first(Format::Transcript, "f5d6c3d3c4"), first(Format::Obf, &scored)] {
        for format in [Format::Ggf, Format::Sgf, Format::Transcript] {
            let text = write(format, &entry).unwrap();
            assert_eq!(first(format, &text).game.plies(), entry.game.plies(), "{text}");
        }
        let positions = write(Format::Obf, &entry).unwrap();
        if entry.game.plies().is_empty() {
            assert_eq!(positions, scored);
        } else {
            assert_eq!(positions.lines().count(), 5);
            assert!(positions.ends_with("X; % game 1, c4\n"), "{positions}");
        }
    }
    // WTHOR refuses other starts.
    let entry = first(Format::Obf, &format!("{cells} O;"));
    assert_eq!(WthorWriter::new([0; 4]).add(&entry), Err(WriteError::Start));
    assert_eq!(write(Format::Wthor, &entry), Err(WriteError::NoText));
}

/// What a game of a file holds, as far as it does not depend on how a format spells it.
fn held(entry: &Entry) -> String {
    let Entry { game, headers, scores, labels, .. } = entry;
    let notes: Vec<_> = game.plies().iter().map(|ply| (ply.mv, ply.note)).collect();
    let (result, board) = (&headers.result, game.result().map(f64::from));
    let forfeit = result.forfeit();
    let lost = forfeit.map(|(winner, _)| f64::from(64 * winner.sign()));
    let score = result.score.or(lost).or(board);
    // A way to forfeit without a winner.
    let mark = result.text.contains(':') && forfeit.is_none();
    let result = (score, mark, result.winner().filter(|_| board.is_none()), forfeit);
    let mut headers = Headers { result: Outcome::default(), ..headers.clone() };
    if headers.place.is_empty() {
        headers.place = std::mem::take(&mut headers.event);
    }
    let theoretical = labels.map(|labels| labels.theoretical);
    format!("{notes:?} {result:?} {headers:?} {scores:?} {theoretical:?}")
}

#[test]
fn all_that_a_game_holds_is_kept_or_named() {
    // A game of a line in GGF and a property in SGF for each kind of data, on a board where the game is over.
    let over = write(Format::Ggf, &first(Format::Transcript, "f5d6c5f6e7f4g5e6e3")).unwrap();
    let tagged = |tag: &str| over.replace("RE[", &format!("{tag}RE["));
    let moves = |from: &str, to: &str| over.replace(from, to);
    let sgf = |tag: &str| format!("(;GM[2]{tag};B[fe];W[df])");
    let board = format!("BO[8 {} *]", tests::PASS[..64].replace('X', "*"));
    let pass = format!("(;GM[Othello]{board}B[PA];)");
    for (text, kinds) in [
        (over.clone(), ["", "", "", ""]),
        (tagged("PB[Ann]"), ["", "", "", "names"]),
        (tagged("PB[Łódź]"), ["", "", "letters of names", "names"]),
        (sgf("PB[a [b\\]]RE[0]"), ["letters of names", "", "", "names, results"]),
        (tagged("RB[1700]"), ["", "", "ratings", "ratings"]),
        (tagged("PC[Oslo]"), ["", "", "", "places"]),
        (sgf("PC[Oslo]EV[WOC]RE[0]"), ["events", "", "places", "places, events, results"]),
        (tagged("DT[2003]"), ["", "", "", "dates"]),
        (tagged("DT[2003-01-02]"), ["", "", "months and days", "dates"]),
        (tagged("DT[2003-01-02_10:00]"), ["", "times of day", "months and days", "dates"]),
        (tagged("TI[5:00]"), ["", "", "clocks", "clocks"]),
        (tagged("TI[5:00/5]"), ["", "clocks", "clocks", "clocks"]),
        (moves("[F5]", "[F5/1.5]"), ["", "", "scores of moves", "scores of moves"]),
        (moves("[F5]", "[F5//1.5]"), ["", "times of moves", "times of moves", "times of moves"]),
        (moves("+64.00", "+60.50"), ["results", "results", "results", "results"]),
        (moves("+64.00", "-64.00:t"), ["", "", "results", "results"]),
        (moves("+64.00", "-10.00:t"), ["", "results", "results", "results"]),
        (moves("+64.00", "+0.00:t"), ["results"; 4]),
        ("[Result \"0-1\"]\nf5d6c5f6e7f4g5e6e3".into(), ["", "", "", ""]),
        (sgf("RE[W+]"), ["results", "", "results", "results"]),
        (sgf("C[good]RE[0]"), ["comments", "", "comments", "results, comments"]),
        (
            pass,
            [
                "",
                "passes at the end",
                "passes at the end, games without a result",
                "passes at the end",
            ],
        ),
    ] {
        let entry = first(Format::guess(text.as_bytes()).unwrap(), &text);
        let formats = [Format::Ggf, Format::Sgf, Format::Wthor, Format::Transcript];
        for (format, kinds) in formats.into_iter().zip(kinds) {
            let named: Vec<_> = lost(format, &entry).map(|kind| kind.to_string()).collect();
            assert_eq!(named.join(", "), kinds, "{format} {text}");
            let mut writer = WthorWriter::new([20, 26, 11, 22]);
            let again = if format != Format::Wthor {
                first(format, &write(format, &entry).unwrap())
            } else if writer.add(&entry).is_ok() {
                let (file, [players, tournaments]) = (writer.games(), writer.lists());
                let mut reader =
                    Reader::new(format, &file, [Some(players), Some(tournaments)]).unwrap();
                Entry { labels: None, ..reader.next().unwrap().unwrap() }
            } else {
                continue;
            };
            assert_eq!(held(&again) == held(&entry), kinds.is_empty(), "{format} {text}");
        }
    }
}

#[test]
fn what_is_not_read_is_named() {
    let ggf = |tags: &str| GGF.replace("TY[8]", tags);
    let sgf = |tags: &str| format!("(;GM[2]{tags};B[cd])");
    for (text, named) in [
        (ggf("TY[8]KM[0]TI[5:00//2:00]"), ""),
        (ggf("TY[s8r20]KM[-3]TI[soon]TB[5:00,N2]XX[x]"), "KM, TB, TI, TY, XX"),
        (GGF.replace("F5", "F5/a"), "B"),
        (sgf("KM[0]RU[]TM[300]"), ""),
        (sgf("KM[6.5]TM[soon]V[3]OT[x]"), "KM, OT, TM, V"),
    ] {
        let mut reader =
            Reader::new(Format::guess(text.as_bytes()).unwrap(), text.as_bytes(), [None, None])
                .unwrap();
        assert!(reader.next().unwrap().is_ok());
        let said = reader.left_out().map(|left_out| left_out.to_string()).unwrap_or_default();
        assert_eq!(said.replace("what ", "").replace(" say", ""), named, "{text}");
    }
}

#[test]
fn comments_and_events_pass_through_sgf() {
    let sgf = "(;GM[2]C[The final:\nround 2]EV[WOC]PC[Oslo];B[cd];C[a \\] )b]V[-1.5]W[ce](;B[cf]GC[good])(;B[de]))";
    let mut reader = Reader::new(Format::Sgf, sgf.as_bytes(), [None, None]).unwrap();
    let entry = reader.next().unwrap().unwrap();
    assert_eq!(reader.left_out().unwrap().to_string(), "1 game's variations");
    let comments = [(0, "The final:\nround 2"), (2, "a ] )b"), (3, "good")];
    assert_eq!(entry.headers.comments, comments.map(|(at, text)| (at, text.to_owned())));
    assert_eq!(entry.game.plies()[1].note.value, Some(1.5));
    let text = write(Format::Sgf, &entry).unwrap();
    let again = first(Format::Sgf, &text);
    assert_eq!(
        (&again.headers, again.game.plies()),
        (&entry.headers, entry.game.plies()),
        "{text}"
    );
}

#[test]
fn years_of_many_spellings() {
    for (date, expected) in [
        ("2004.09.18_05:54:38.MDT", Some(2004)),
        ("2014-02-21 20:52:27 GMT", Some(2014)),
        ("1095485641", Some(2004)),
        ("925430400", Some(1999)),
        ("19990401", Some(1999)),
        ("1 April 1999", Some(1999)),
        ("", None),
        ("0815", None),
    ] {
        assert_eq!(year(date), expected, "{date}");
    }
}
