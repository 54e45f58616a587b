//! Text from outside that would control a terminal, in every field of every format and in names of files, reaches no screen and no page.

use std::collections::BTreeSet;
use std::fs;

use crate::harness::{Folder, OTHELLIER, run};

/// A title for the window, a bell, a clearing of the screen as C1, turns of direction, and a tag.
const HOSTILE: &str = "\u{1b}]0;x\u{7}\u{9b}2J\u{202e}\u{2066}\u{8}<u>";

/// Files by their extensions; `~` stands for the text above, `=` for the start position. Their names have the text too.
const FILES: &str = "ggf (;GM[Othello]PC[~]DT[~]PB[~]PW[~]RB[~]RW[~]RE[~]TI[~]~[~]XX~[~]BO[8 = *]B[F5/~/~]W[D6];)|(;GM[~]PB[~]BO[8 ~];)|(;GM[Othello]TY[8~]BO[8 = *]B[~];)
sgf (;GM[2]PB[~]PW[~]BR[~]WR[~]PC[~]EV[~]DT[~]RE[~]TM[~]C[~]XX[~]GC[~];B[fe]C[~];W[df](;B[~]))|(;GM[~])|(;GM[2]SZ[~])|(;GM[2];B[~])|(;GM[2];B[fe][~])
txt [Event \"~\"]|[Black \"~\"]|[White \"~\"]|[~ \"~\"]||1. f5 {~} d6 (~) ; ~||f5 ~ d6|~|f5d6 ~ c9|f5~
obf = X; ~; D3:~|= ~|~
json {\"~\": \"~\"}|~
toml ~ = \"~\"|[~]
log ~|2026-11-28T00:00:00.000Z INFO  [1] # {\"othellier\":\"\",\"build\":\"\",\"commit\":\"\",\"evaluation\":\"\",\"threads\":1,\"hash\":1,\"arguments\":[\"gtp\"]}|2026-11-28T00:00:00.000Z DEBUG [1] > ~|2026-11-28T00:00:00.000Z INFO  [1] ~
othb ~";

/// Commands for each file; each of those without `~` suits some file.
const COMMANDS: &str = "convert --check FILE|convert FILE out.ggf --force|convert FILE out.wtb --force|convert out.wtb FILE|convert --to ~ FILE out.ggf
analyze FILE --depth 1|analyze --batch FILE --depth 1|analyze FILE --depth 1 --ggf no/FILE|solve FILE --depth 1 --hash 1|solve FILE~|play FILE --plain
book add b.othb FILE|book import b.othb FILE|book show b.othb|book show FILE|book check FILE|book absorb b.othb FILE|report FILE|replay FILE|merge FILE FILE
match --player random --player random:~ --openings FILE --games 2|match --player random --player greedy --openings FILE --games 2|match --players FILE
weights inspect FILE|gtp --book FILE|gtp --weights FILE|nboard --repertoire FILE|gtp --log-file FILE|~|gtp --level ~
analyze FILE --depth 1 --html page.html|analyze --summary FILE --depth 1 --html page.html|report event --html page.html";

#[test]
fn no_field_and_no_name_reaches_a_screen_or_a_page_as_it_is() {
    let folder = Folder::new("hostile-screen");
    let is_raw = |c: char| HOSTILE.contains(c) && !c.is_ascii_graphic();
    let engine =
        format!("name={HOSTILE},proto=gtp,clock=none,cmd={OTHELLIER} gtp --depth 1 --no-book");
    let event = ["match", "--games", "2", "--out", &folder.file("event"), "--player", "random"];
    run(&[&event[..], &["--player", &engine]].concat(), "").success();
    let start = othellier::board::Position::START.cells().replace('X', "*");
    let (mut n_pages, mut unsuited) = (0, BTreeSet::new());
    unsuited.extend(COMMANDS.split(['|', '\n']).filter(|line| !line.contains('~')));
    for file in FILES.lines() {
        let (extension, text) = file.split_once(' ').unwrap();
        let text = text.replace('|', "\n").replace('=', &start).replace('~', HOSTILE);
        let path = folder.write(&format!("{HOSTILE}.{extension}"), &text);
        for line in COMMANDS.split(['|', '\n']) {
            let words = line.split(' ').map(|word| match word {
                "FILE" => path.clone(),
                "out.ggf" | "out.wtb" | "b.othb" | "event" | "page.html" => folder.file(word),
                _ => word.replace("FILE", &path).replace('~', HOSTILE),
            });
            let words: Vec<String> = words.collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let output = run(&words, format!("load {path}\nsave {path}\n{HOSTILE}\nq\nquit\n"));
            if output.status != Some(2) {
                unsuited.remove(line);
            }
            let shown = output.stdout + &output.stderr;
            assert!(!shown.contains(is_raw) && !shown.contains("panicked"), "{line}: {shown:?}");
            if let Ok(page) = fs::read_to_string(folder.join("page.html")) {
                assert!(!page.contains(is_raw) && !page.contains("<u>"), "{line}: {page:?}");
                fs::remove_file(folder.join("page.html")).unwrap();
                n_pages += 1;
            }
            fs::write(&path, &text).unwrap();
        }
    }
    assert!(n_pages >= 14 && unsuited.is_empty(), "{n_pages} {unsuited:?}");
}
