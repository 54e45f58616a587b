//! Figures of a large opening book: `cargo bench --bench book [-- POSITIONS [FOLDER]]`.
//!
//! Makes a book of random positions (10 million unless said otherwise), opens it, looks positions up, and lets `book
//! compact` and `book build` work on it. Prints one row per figure. The book stays in the folder, the temporary one
//! unless said otherwise, for the next run.
//!
//! Times are the best of several runs, so that a busy machine disturbs little. Memory is the peak that Linux reports.

#![expect(clippy::print_stdout, clippy::disallowed_types, reason = "a measurement of the program")]

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use othellier::board::Board;
use othellier::board::symmetry::canonical;
use othellier::book::sections::Sections;
use othellier::book::snapshot::Snapshot;
use othellier::book::{Book, Entry, Leaf, Origin};
use othellier::search::Selectivity;
use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

/// Number of runs; the best one counts.
const RUNS: usize = 20;

/// Look-ups in a run.
const LOOKS: usize = 1_000_000;

/// The most discs of a position.
const MOST_DISCS: u32 = 40;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    let n: usize = arguments.next().map_or(10_000_000, |n| n.parse().expect("a number"));
    let folder = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let path = folder.join(format!("othellier-bench-{n}.othb"));
    let small = folder.join("othellier-bench-1.othb");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for (path, n) in [(&small, 1), (&path, n)] {
        if !path.exists() {
            write(path, &book(&mut random, n));
        }
    }
    println!("size: {n} positions, {} bytes", fs::metadata(&path).expect("a book").len());
    open(&small, &path);
    look_up(&mut random, &path);
    for (name, options) in
        [("compact", &[][..]), ("build", &["--depth", "1", "--hash", "1", "--duration", "40ms"])]
    {
        let (time, peak) = work(name, &path, options);
        println!(
            "{name}: {time:.1?}, peak {} MB, {} bytes a position",
            peak >> 20,
            peak / n as u64
        );
    }
}

/// Plays a random game from the start, and hands out its positions.
fn play(random: &mut Xoshiro256PlusPlus, mut take: impl FnMut(Board)) {
    let mut board = Board::START;
    while board.legal_moves() != 0 && 64 - board.n_empties() <= MOST_DISCS {
        take(board);
        let number = random.next_u64() % u64::from(board.legal_moves().count_ones());
        let Some(square) = board.moves().nth(number as usize) else { return };
        board = board.after(square, board.flips(square));
    }
}

/// A book of about `n` positions, each with a leaf.
fn book(random: &mut Xoshiro256PlusPlus, n: usize) -> Sections {
    let mut entries: Vec<Entry> = Vec::new();
    let mut sections = Sections::default();
    // The last positions would take long, because most games begin with known ones.
    while sections.len() + n / 1000 < n {
        let missing = n - sections.len();
        entries.clear();
        while entries.len() < missing {
            play(random, |board| entries.push(Entry::new(board)));
        }
        entries.truncate(missing);
        for entry in &mut entries {
            entry.leaf = entry.board.moves().next().map(|square| Leaf {
                square,
                score: (random.next_u64() % 2048) as i16 - 1024,
                depth: 20,
                selectivity: Selectivity::BOLD,
                origin: Origin::Search,
            });
        }
        sections = Sections::new(sections.iter().chain(&entries).copied());
    }
    sections
}

fn write(path: &Path, sections: &Sections) {
    let mut output = BufWriter::new(File::create(path).expect("a new file"));
    sections.write(0, |piece| output.write_all(piece)).expect("room on the disk");
    output.flush().expect("room on the disk");
}

fn best(mut run: impl FnMut()) -> Duration {
    let time = |()| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..RUNS).map(|_| ()).map(time).min().unwrap_or_default()
}

/// Times the whole program as it shows a position, with the book and with a book of a single position.
fn open(small: &Path, path: &Path) {
    let show = |path: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_othellier"));
        command.args(["book", "show"]).arg(path).arg("f5").stdout(Stdio::null());
        best(|| assert!(command.status().expect("the program").success()))
    };
    let (least, whole) = (show(small), show(path));
    println!("open and show: {whole:.2?}, of which with a single position {least:.2?}");
}

/// Times look-ups as the engine makes them, of positions in the book and of others.
fn look_up(random: &mut Xoshiro256PlusPlus, path: &Path) {
    let file = Mutex::new(File::open(path).expect("a book"));
    let length = fs::metadata(path).expect("a book").len();
    let fetch = move |bytes: &mut [u8], at: u64| {
        let mut file = file.lock().expect("no panic");
        file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(bytes)).is_ok()
    };
    let book = Book::new(Snapshot::new(length, Box::new(fetch)).expect("a sound book"));
    let sections = book.sections().expect("a sound book");
    let n = sections.len() as u64;
    let all: Vec<Board> = sections.iter().map(|entry| entry.board).collect();
    drop(sections);
    let hits: Vec<Board> = (0..LOOKS).map(|_| all[(random.next_u64() % n) as usize]).collect();
    drop(all);
    let mut misses = Vec::new();
    while misses.len() < LOOKS {
        play(random, |board| {
            if board.n_empties() < 44 && book.find(board).is_none() {
                misses.push(canonical(board));
            }
        });
    }
    for (name, boards) in [("found", &hits), ("not found", &misses)] {
        let time = best(|| {
            for &board in boards.iter().take(LOOKS) {
                black_box(book.find(black_box(board)));
            }
        });
        println!("look-up, {name}: {} ns", time.as_nanos() / LOOKS as u128);
    }
}

/// Runs a command on the book; returns its time and its peak memory in bytes.
fn work(name: &str, path: &Path, options: &[&str]) -> (Duration, u64) {
    let start = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_othellier"));
    command.args(["book", name]).arg(path).args(options);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program");
    let mut peak = 0;
    while child.try_wait().expect("the program").is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        peak = kilobytes.map_or(peak, |kilobytes: u64| peak.max(kilobytes << 10));
        std::thread::sleep(Duration::from_millis(10));
    }
    (start.elapsed(), peak)
}
