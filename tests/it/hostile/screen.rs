//! Text from outside that would control a terminal, in every field of every format and in names of files, reaches no screen.

use std::fs;

use crate::harness::{Folder, run};

/// A title for the window, a bell, a clearing of the screen as C1, and turns of direction.
const HOSTILE: &str = "\u{1b}]0;x\u{7}\u{9b}2J\u{202e}\u{2066}\u{8}";

/// Files by their extensions; `~` stands for the text above, `=` for the start position. Their names have the text too.
const FILES: &str = "ggf (;GM[Othello]PC[~]DT[~]PB[~]PW[~]RB[~]RW[~]RE[~]TI[~]~[~]XX~[~]BO[8 = *]B[F5/~/~]W[D6];)|(;GM[~]PB[~]BO[8 ~];)|(;GM[Othello]TY[8~]BO[8 = *]B[~];)
sgf (;GM[2]PB[~]PW[~]BR[~]WR[~]PC[~]EV[~]DT[~]RE[~]TM[~]C[~]XX[~]GC[~];B[fe]C[~];W[df](;B[~]))|(;GM[~])|(;GM[2]SZ[~])|(;GM[2];B[~])|(;GM[2];B[fe][~])
txt [Event \"~\"]|[Black \"~\"]|[White \"~\"]|[~ \"~\"]||1. f5 {~} d6 (~) ; ~||f5 ~ d6|~|f5d6 ~ c9|f5~
obf = X; ~; D3:~|= ~|~
json {\"~\": \"~\"}|~
toml ~ = \"~\"|[~]
log ~|2026-11-28T00:00:00.000Z INFO  [1] ~
othb ~";

/// Commands for each file; some suit it.
const COMMANDS: &str = "convert --check FILE|convert FILE out.ggf --force|convert FILE out.wtb --force|convert out.wtb FILE|convert --to ~ FILE out.ggf
analyze FILE --depth 1|analyze --batch FILE --depth 1|analyze FILE --depth 1 --ggf no/FILE|solve FILE --depth 1 --hash 1|solve FILE~|play FILE --plain
book add b.othb FILE|book import b.othb FILE|book look FILE|book check FILE|book absorb b.othb FILE|report FILE|replay FILE|merge FILE FILE
match --player random --player random:~ --openings FILE --games 2|match --player random --player random --openings FILE --games 2|match --players FILE
weights inspect FILE|gtp --book FILE|gtp --weights FILE|nboard --repertoire FILE|gtp --log-file FILE|~|gtp --level ~";

#[test]
fn no_field_and_no_name_reaches_a_screen_as_it_is() {
    let folder = Folder::new("hostile-screen");
    let start = othellier::board::Position::START.cells().replace('X', "*");
    for file in FILES.lines() {
        let (extension, text) = file.split_once(' ').unwrap();
        let text = text.replace('|', "\n").replace('=', &start).replace('~', HOSTILE);
        let path = folder.write(&format!("{HOSTILE}.{extension}"), &text);
        for line in COMMANDS.split(['|', '\n']) {
            let words =
                line.replace("out.", &folder.file("out.")).replace("b.o", &folder.file("b.o"));
            let words = words.replace("FILE", &path).replace('~', HOSTILE);
            let words: Vec<&str> = words.split(' ').collect();
            let output = run(&words, format!("load {path}\nsave {path}\n{HOSTILE}\nq\nquit\n"));
            let shown = output.stdout + &output.stderr;
            let is_raw = |c: char| HOSTILE.contains(c) && !c.is_ascii_graphic();
            assert!(!shown.contains(is_raw) && !shown.contains("panicked"), "{line}: {shown:?}");
            fs::write(&path, &text).unwrap();
        }
    }
}
