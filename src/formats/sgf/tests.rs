//! Tests of SGF: the dialects of Quarry, Edax, GRhino and GoGui.

use super::*;
use crate::formats::tests::{PASS, moves, replayed};

/// A game that Quarry saved; White moves twice near the end.
const QUARRY: &str = "(;GM[2]FF[4]
CA[UTF-8]
AP[Quarry:0.2.0]
SZ[8]
PB[GTP GRhino]
PW[GTP GRhino]
RE[B+38]
;B[cd];W[ec];B[ff];W[ef];B[fe];W[ce];B[fd];W[gf];B[fg];W[ge]
;B[fc];W[dc];B[gd];W[hd];B[hc];W[hb];B[cf];W[df];B[dg];W[eh]
;B[eg];W[fb];B[hf];W[gc];B[he];W[hg];B[cc];W[ch];B[dh];W[cg]
;B[bf];W[gg];B[hh];W[fh];B[ha];W[bg];B[gh];W[af];B[bh];W[be]
;B[gb];W[bc];B[ah];W[ag];B[fa];W[ga];B[ad];W[ae];B[ea];W[ac]
;B[ab];W[bd];B[bb];W[db];B[cb];W[eb];B[ca];W[da];W[ba];B[aa]
)
";

fn read_ok(text: &str) -> Record {
    read(text.as_bytes(), None).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn what_quarry_saves() {
    let record = read_ok(QUARRY);
    assert_eq!(record.headers.names, ["GTP GRhino", "GTP GRhino"]);
    assert_eq!(record.headers.result.score, Some(38.0));
    let game = record.replay().unwrap();
    assert_eq!((record.items.len(), game.plies().len(), game.result()), (60, 61, Some(38)));
    let own_name = concat!("othellier:", env!("CARGO_PKG_VERSION"));
    let written = write(&game, &record.headers).replace(own_name, "Quarry:0.2.0");
    assert_eq!(written, QUARRY.replace('\n', ""));
    let n_items = |until| read(QUARRY.as_bytes(), until).unwrap().items.len();
    assert_eq!(
        [None, Some(0), Some(1), Some(2), Some(60), Some(61), Some(usize::MAX)].map(n_items),
        [60, 0, 0, 1, 59, 60, 60]
    );
}

#[test]
fn reading_stops_before_a_move() {
    let text = "(;GM[2]AB[d4]AW[e4]PL[W];W[c4];B[zz]";
    let record = read(text.as_bytes(), Some(1)).unwrap();
    assert_eq!((record.start.discs(Color::White), record.start.side), (1 << 28, Color::White));
    assert_eq!(moves(&read(text.as_bytes(), Some(2)).unwrap()), "c4");
}

#[test]
fn moves_and_names_of_every_dialect() {
    for (text, names, expected) in [
        (
            "junk (x) ( ;GM[2](;PB[a\\]b\\\\ \\\nc\\)]C[(;B[aa\\] );]B[f5](;W[fD];B[C3])(;W[f6])(;W[f4]))(;B[e6]))(;GM[1])",
            ["a]b\\ c)", ""],
            "f5f4c3",
        ),
        // Names of properties were long.
        (
            "(;FF[1]GaMe[2]SiZe[8]PlayerBlack[Ann]PlayerWhite[Bob]ReSult[x];Black[ef];White[ff])",
            ["Ann", "Bob"],
            "e6f6",
        ),
        ("(;gm[2];b[ef];w[ff])", ["", ""], "e6f6"),
        // GoGui, with rows from the bottom; the same from the top; with a line added by hand.
        (
            "(;FF[4]CA[UTF-8]AP[GoGui:1.6.0]SZ[8]\nKM[6.5]PB[Othellier]DT[2026-11-23]\n;B[df];W[cd];B[dc])\n",
            ["Othellier", ""],
            "d3c5d6",
        ),
        ("(;FF[4]SZ[8];B[dc];W[ce];B[df])", ["", ""], "d3c5d6"),
        ("(;GM[2]FF[4]SZ[8];B[df];W[cd];B[dc])", ["", ""], "d3c5d6"),
        ("(;FF[4]SZ[8];B[d3];W[c5];B[d6])", ["", ""], "d3c5d6"),
    ] {
        let record = read_ok(text);
        assert_eq!((&*moves(&record), record.headers.names), (expected, names.map(String::from)));
    }
}

#[test]
fn set_up_positions() {
    let start = |tags: &str| read_ok(&format!("(;GM[2]{tags})")).start;
    let standard = "AB[e4][d5]AW[d4] [e5]";
    let [black, white] = [Color::Black, Color::White].map(|color| Position::START.discs(color));
    for (tags, black, white, side) in [
        (&*format!("{standard}PL[B]"), black, white, Color::Black),
        (&format!("{standard}PL[white]"), black, white, Color::White),
        // Without PL the first item tells who is to move.
        (&format!("{standard};W[c5]"), black, white, Color::White),
        (";W[c5]", black, white, Color::Black),
        ("HA[2]AB[aa][hh]", black | 1 << 63 | 1, white, Color::Black),
        ("AddBlack[aa]PLayer[Black]", black | 1, white, Color::Black),
        ("AB[ca:ah]", black, white, Color::Black),
        (
            "AB[aa:hh]AW[b2:g7]AE[c3:f6]AB[dd]",
            0xFF81_8181_8981_81FF,
            0x007E_4242_4242_7E00,
            Color::Black,
        ),
        ("AW[dd]AB[dd]", 1 << 27, 0, Color::Black),
        ("AE[dd:ee]", 0, 0, Color::Black),
    ] {
        assert_eq!(start(tags), Position::new(black, white, side), "{tags}");
    }
    // Rows from the bottom.
    let below = Position::new(black | 0x0003_0303 << 40, white | 1 << 63, Color::White);
    assert_eq!(read_ok("(;SZ[8]AB[aa:bc]AW[ha]PL[W])").start, below);
}

#[test]
fn a_side_named_with_a_move_moves_next() {
    for text in [
        "(;FF[4]AP[GoGui:1.6.0]SZ[8];B[df]PL[W])",
        "(;FF[4]SZ[8];PL[W]B[df])",
        "(;FF[4]SZ[8]PL[B];B[df];PL[W]C[next])",
        "(;GM[2]PL[W]B[dc])",
    ] {
        let record = read_ok(text);
        assert_eq!(record.start, Position::START, "{text}");
        assert_eq!(record.replay().unwrap().position().side, Color::White, "{text}");
    }
    let later = read_ok("(;GM[2];AB[d4][e4][f4]AW[e5]PL[W];W[c3]PL[B])");
    assert_eq!(later.start.side, Color::White);
}

#[test]
fn passes_of_every_dialect() {
    let position = Position::parse(PASS.as_bytes()).unwrap();
    let setup = write(&Game::new(position), &Headers::default());
    let after = |items: &str| replayed(read_ok(&setup.replace(')', &format!("{items})"))));
    let expected = after(";W[eg]");
    for pass in ["", "PA", "pass", "Pass", "@@@@", "tt", "TT", " "] {
        assert_eq!(after(&format!(";B[{pass}];W[e7]")), expected, "{pass}");
    }
    assert_eq!(after(";B[]"), position.with_side(Color::White).to_string());
    // Two passes end a match.
    let over = "(;FF[4]SZ[8];B[ec];W[fe];B[ef];W[fc];B[gd];W[dc];B[eb];W[fd];B[cd];W[];B[]C[end])";
    let record = read_ok(over);
    // No disc is placed by a pass.
    assert_eq!(record.headers.comments, [(9, "end".to_owned())]);
    let game = record.replay().unwrap();
    assert_eq!((game.plies().len(), game.result()), (9, Some(64)));
}

#[test]
fn not_a_game() {
    for (texts, error) in [
        ("|garbage|()|;B[cd]", "no game found: it begins with '(;'"),
        ("(;|(;GM[2]|(;GM[2];B[cd|(;GM[2]C[\\])|(;GM[2]C[\\", "the game does not end with ')'"),
        ("(;GM[1]SZ[19];B[pd])", "GM[1] is not Othello, which is 2"),
        ("(;FF[4];B[cd])", "the property GM[2], which means Othello, is missing"),
        ("(;GM[2]SZ[10];B[cd])", "board size 10 is not supported, only 8"),
        ("(;GM[2];B[ci])", "'ci' is not a square"),
        ("(;GM[2];B[c9])", "'c9' is not a square"),
        ("(;GM[2]AB[xx])", "'xx' is not a square"),
        ("(;GM[2];B[f5][d6])", "'d6' is a second move in one place"),
        ("(;GM[2];B[cd];AB[aa])", "discs are set up after the first move"),
        // Illegal from both ends of the board: reported as the file has it.
        ("(;FF[4]SZ[8];B[df];W[aa])", "move 2 of the game is illegal: W A8"),
        ("(;GM[2]SZ[8];B[cd];W[aa])", "move 2 of the game is illegal: W A1"),
    ] {
        for text in texts.split('|') {
            let found =
                read(text.as_bytes(), None).map_or_else(|error| error.to_string(), replayed);
            assert_eq!(found, error, "{text}");
        }
    }
}

#[test]
fn results() {
    for (texts, discs) in [
        ("B+18", Some(18.0)),
        ("w+2.5", Some(-2.5)),
        ("Draw|0", Some(0.0)),
        ("B+Resign|W+R|Void|?||B+", None),
    ] {
        for text in texts.split('|') {
            assert_eq!(score(text.as_bytes()), discs, "{text}");
        }
    }
}

#[test]
fn written_form() {
    let game = read_ok("(;GM[2];B[c4];W[c3])").replay().unwrap();
    let headers = Headers {
        names: ["a]b".into(), "c\\d".into()],
        result: Outcome { score: Some(18.0), text: String::new() },
        ..Headers::default()
    };
    let head = concat!("(;GM[2]FF[4]CA[UTF-8]AP[othellier:", env!("CARGO_PKG_VERSION"), "]SZ[8]");
    assert_eq!(write(&game, &headers), format!("{head}PB[a\\]b]PW[c\\\\d]RE[B+18];B[cd];W[cc])"));
    let start = Position::new(1, 2, Color::White);
    let text = write(&Game::new(start), &Headers::default());
    assert_eq!(text, format!("{head}PB[]PW[]AB[aa]AW[ba]AE[dd][ed][de][ee]PL[W])"));
}
