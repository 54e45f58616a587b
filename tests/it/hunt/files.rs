//! Damaged and truncated files of all kinds: commands that read them end with status 0, 1 or 2 and say what is wrong.
//! Damage to a file with checksums never goes unnoticed.

use std::fs;

use super::{Random, few, many};
use crate::harness::{Folder, Output, output};

/// Files, and commands that read them; the first judges whether a file is whole. PLAY stands for a longer one.
const FILES: &str = "\
b.othb b.othb.log|book check b.othb|book show b.othb|book show b.othb f5d6|book stats b.othb|book add b.othb g.txt|book compact b.othb
b.othb b.othb.log|book check b.othb|book export b.othb o.jsonl --to jsonl|book check b.othb --salvage s.othb|gtp --book b.othb --level 1
event/games.jsonl|report event|report event --json|match --resume event|report event --html r.html
event/event.toml event/games.ggf|report event|report event --json
sp.bin|train sp.bin --epochs 1 --output o.bin|PLAY --output sp.bin --positions 1200|PLAY --rescore sp.bin --output r.bin
w.bin|weights inspect w.bin|gtp --weights w.bin --no-book --level 1|train sp.bin --epochs 1 --init w.bin --output o.bin
c.bin.checkpoint|train sp.bin --epochs 1000 --patience 1000 --output c.bin
g.wtb g.jou g.trn|convert g.wtb o.ggf|convert --check g.wtb|book add n.othb g.wtb|train g.wtb --epochs 1 --output o.bin
g.sgf|convert g.sgf o.ggf|analyze g.sgf --depth 1|book add n.othb g.sgf
g.ggf|convert g.ggf o.sgf|analyze --batch g.ggf --depth 1|convert g.ggf o.wtb
g.txt|convert g.txt o.ggf|book add n.othb g.txt|book add b.othb g.txt --search --depth 1 --hash 1
g.obf|solve g.obf --depth 1 --hash 1|convert g.obf o.txt|analyze --batch g.obf --depth 1
e.dat|book import n.othb e.dat|book import b.othb e.dat
e.egbk3|book import n.othb e.egbk3|book import b.othb e.egbk3
e.jsonl|book import n.othb e.jsonl|book absorb b.othb e.jsonl
e.bin|gtp --book e.bin --level 1|book import n.othb e.bin
session.log|replay session.log
part1 part2|merge part1 part2|merge part2 part1 part1";

/// Files with checksums.
const CHECKED: [&str; 5] = ["b.othb", "b.othb.log", "sp.bin", "w.bin", "c.bin.checkpoint"];

const PLAY: &str = "selfplay --depth 1 --exact 6";

const GTP: &str = "genmove b\nbook_moves\ngenmove w\nset_book on\nundo\ngenmove w\nquit\n";

fn run(folder: &Folder, line: &str) -> Output {
    output(folder.command(&line.replace("PLAY", PLAY)), GTP.as_bytes())
}

/// A folder with whole files of all kinds; a checkpoint takes 190 MB.
fn whole(has_checkpoint: bool) -> Folder {
    let folder = Folder::new("hunt-files");
    folder.write("g.txt", "f5d6c3d3c4f4f6f3e6e7\nf5f6e6f4g5e7\nf5d6c3g5f6d3\n");
    let good = |line: &str| assert_eq!(run(&folder, line).status, Some(0), "{line}");
    for name in ["g.wtb", "g.sgf", "g.ggf", "g.obf"] {
        good(&format!("convert g.txt {name}"));
    }
    good("book build b.othb --positions 60 --depth 1 --hash 1");
    for (name, form) in
        [("e.dat", "edax"), ("e.egbk3", "egaroucid"), ("e.jsonl", "jsonl"), ("e.bin", "packed")]
    {
        good(&format!("book export b.othb {name} --to {form}"));
    }
    folder.kill("book build b.othb --until 30 --depth 4 --hash 1", "b.othb.log", 800);
    good("match --player random --player greedy --games 6 --out event");
    good("PLAY --output sp.bin --positions 1000");
    good("train sp.bin --epochs 1 --output w.bin");
    if has_checkpoint {
        let line = "train sp.bin --epochs 1000 --patience 1000 --output c.bin";
        folder.kill(line, "c.bin.checkpoint", 1);
    }
    good("gtp --log-file session.log --no-book --level 1");
    for part in ["1", "2"] {
        let made =
            run(&folder, &format!("analyze --batch g.obf --depth 1 --hash 1 --shard {part}/2"));
        folder.write(&format!("part{part}"), made.stdout);
    }
    folder
}

/// A copy, without a checkpoint unless it is wanted.
fn copy(from: &Folder, wanted: &str) -> Folder {
    let to = Folder::new("hunt-file");
    fs::create_dir(to.join("event")).unwrap();
    for name in from
        .names()
        .into_iter()
        .chain(["event/games.jsonl", "event/event.toml", "event/games.ggf"].map(Into::into))
    {
        if from.join(&name).is_file() && (wanted == name || !name.ends_with(".checkpoint")) {
            fs::copy(from.join(&name), to.join(&name)).unwrap();
        }
    }
    to
}

/// Damages bytes; returns whether it only flipped or cleared bits.
fn damage(random: &mut Random, bytes: &mut Vec<u8>) -> bool {
    let (from, length) = (random.below(bytes.len()), 1 + random.below(40));
    let to = bytes.len().min(from + length);
    let kind = random.below(9);
    match kind {
        0..=2 => {
            for _ in 0..1 + random.below(3) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
        }
        3 => bytes[from..to].fill(0),
        4 => bytes.truncate(from),
        5 => {
            let noise: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
            bytes.splice(from..from, noise);
        }
        6 => drop(bytes.drain(from..to)),
        7 => {
            let twice = bytes[from..to].to_vec();
            bytes.splice(to..to, twice);
        }
        _ => bytes[from] = random.pick(b"\n\"0{}[]-; 9"),
    }
    kind <= 3
}

fn trial(random: &mut Random, whole: &Folder) {
    let row: Vec<&str> = random.pick(&FILES.lines().collect::<Vec<_>>()).split('|').collect();
    let name = random.pick(&row[0].split(' ').collect::<Vec<_>>());
    let (judge, mut line) = (row[1], random.pick(&row[1..]));
    if !whole.join(name).exists() {
        return;
    }
    let folder = copy(whole, name);
    let before = folder.read(name);
    let mut after = before.clone();
    let is_flipped = damage(random, &mut after);
    fs::write(folder.join(name), &after).unwrap();
    let is_checked = CHECKED.contains(&name) && is_flipped && before != after;
    if is_checked && random.one_in(2) {
        line = judge;
    }
    let ran = run(&folder, line);
    let at = before.iter().zip(&after).position(|(old, new)| old != new);
    let shown = format!(
        "{line}\n{name}: {} bytes, now {}, first difference {at:?}\n{ran:?}",
        before.len(),
        after.len()
    );
    // JSON rows hold their own errors, and some commands report on standard output.
    let is_told = !ran.stderr.is_empty()
        || ran.stdout.contains("\"message\":")
        || !ran.stdout.is_empty()
            && ["replay", "book check"].iter().any(|report| line.starts_with(report));
    assert!(ran.status.is_some_and(|status| status <= 2), "a bad end: {shown}");
    assert!(ran.status == Some(0) || is_told, "no reason: {shown}");
    assert!(!ran.stderr.contains("panicked"), "a panic: {shown}");
    if is_checked && line == judge {
        assert!(ran.status != Some(0) || is_told, "taken for whole: {shown}");
    }
}

#[test]
fn a_few_damaged_files_are_refused_or_read() {
    let whole = whole(false);
    few("files", 12, |random| trial(random, &whole));
}

#[test]
#[ignore = "long: hunts for OTHELLIER_HUNT_SECONDS"]
fn damaged_files_are_refused_or_read() {
    let whole = whole(true);
    many("files", |random| trial(random, &whole));
}
