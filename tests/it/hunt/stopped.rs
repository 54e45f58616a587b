//! Searches that are stopped at random moments, wherever the program shows a value: what it calls proven is held against a plain
//! solver, which tests of the search hold against scores from elsewhere.

use std::thread;
use std::time::Duration;

use othellier::board::{Board, Color, Move, Position};
use serde_json::Value;

use super::{Random, few, many, tell};
use crate::harness::samples::{random_board, random_ply, rows, set_up, solve as exact};
use crate::harness::{Engine, run};

/// A position with its score for the side to move.
struct Problem {
    position: Position,
    score: i32,
}

impl Problem {
    fn new(position: Position) -> Problem {
        Problem { position, score: exact(position.board, -64, 64) }
    }

    /// One of a random game, with so few empty squares that the solver is quick, but not the searches to be stopped.
    fn draw(random: &mut Random) -> Problem {
        let n_empties = if random.is_long { 10 + random.below(5) } else { 10 } as u32;
        let board = random_board(n_empties, |bound| random.below(bound));
        Problem::new(Position { board, side: random.pick(&[Color::Black, Color::White]) })
    }

    /// The position as a game of NBoard whose clocks are empty.
    fn game(&self) -> String {
        let text = self.position.to_string().replace('X', "*");
        format!("set game (;GM[Othello]TI[0:00]BO[8 {text}];)")
    }

    /// Checks a score that is shown in discs; it is proven if it is a whole number.
    #[track_caller]
    fn check(&self, shown: &str, from: &str) -> usize {
        let proven: Option<i32> = shown.parse().ok();
        let Problem { position, score } = self;
        assert!(proven.is_none_or(|proven| proven == *score), "{position} {score}: {from}");
        usize::from(proven.is_some())
    }
}

/// The way of a trial to stop searches and see their values; returns how many were proven.
type Way = fn(&mut Random, &[Problem], &str) -> usize;

const WAYS: [Way; 6] = [batch, solve, game, cassio, gtp, nboard];

fn seconds(random: &mut Random) -> String {
    format!("0.{:05}", 1 + random.below(if random.is_long { 1500 } else { 300 }))
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("{}\n", problem.position)).collect()
}

fn batch(random: &mut Random, problems: &[Problem], threads: &str) -> usize {
    let (time, n_lines) = (seconds(random), random.word("1|2|64"));
    let arguments =
        ["analyze", "--batch", "--time", &time, "--threads", threads, "--lines", n_lines];
    let found = rows(&run(&arguments, lines(problems)).success().stdout);
    assert_eq!(found.len(), problems.len());
    let checked = problems.iter().zip(found).map(|(problem, row)| {
        assert_eq!(row["exact"], row["score"].is_i64(), "{row}");
        best_first(problem.position.board, row["moves"].as_array().expect("moves"), &row);
        problem.check(&row["score"].to_string(), &row.to_string())
    });
    checked.sum()
}

/// No move is better than one before it, and whoever is proven is as good as it says.
fn best_first(board: Board, moves: &[Value], row: &Value) {
    let shown: Vec<&Value> = moves.iter().map(|mv| &mv["score"]).collect();
    assert!(shown.is_sorted_by(|a, b| a.as_f64() >= b.as_f64()), "{row}");
    if moves.len() > 3 || row["move"] == "pa" {
        return;
    }
    let known = moves.iter().map(|mv| {
        let mv = Move::parse(mv["move"].as_str().expect("a move").as_bytes()).expect("a move");
        -exact(board.play(mv).expect("a legal one"), -64, 64)
    });
    let known: Vec<i32> = known.collect();
    for (at, proven) in shown.iter().enumerate() {
        let Some(proven) = proven.as_i64() else { continue };
        let rest = known[at..].iter().max().copied().map(i64::from);
        assert!(known[at] as i64 == proven && rest == Some(proven), "{known:?}: {row}");
    }
}

fn solve(random: &mut Random, problems: &[Problem], threads: &str) -> usize {
    let time = format!("0.{:03}", 1 + random.below(15));
    let limit = random.word("--skip=0|--wld|--window=-5,3|--depth=4 --wld|--confidence=73 --wld");
    let arguments = ["solve", "-", "--time", &time, "--threads", threads, "--json"];
    let arguments: Vec<&str> = arguments.into_iter().chain(limit.split(' ')).collect();
    let found = rows(&run(&arguments, lines(problems)).success().stdout);
    let checked = problems.iter().zip(found).map(|(problem, row)| {
        let score = f64::from(problem.score);
        let is_right = row["score"].as_f64() == Some(score) || limit != "--skip=0";
        let is_exact = row["exact"] == true;
        assert!(is_right || !is_exact, "{} {}: {row}", problem.position, problem.score);
        let [lower, upper] = ["lower", "upper"].map(|key| row[key].as_f64());
        let is_within = lower.is_none_or(|n| n <= score) && upper.is_none_or(|n| n >= score);
        assert!(is_within, "{} {}: {row}", problem.position, problem.score);
        usize::from(is_exact)
    });
    checked.sum()
}

/// The last moves of games.
fn game(random: &mut Random, problems: &[Problem], threads: &str) -> usize {
    let time = seconds(random);
    let mut n_proven = 0;
    for problem in problems {
        let (mut board, mut moves) = (problem.position.board, String::new());
        while let Some((next, mv)) = random_ply(board, |bound| random.below(bound)) {
            moves += &mv.to_string();
            board = next;
        }
        let text = format!("{}\n{moves}\n", problem.position);
        let arguments = ["analyze", "-", "--json", "--time", &time, "--threads", threads];
        let mut position = problem.position;
        for row in rows(&run(&arguments, &text).success().stdout) {
            let here = Problem::new(position);
            let mv = Move::parse(row["move"].as_str().expect("a move").as_bytes());
            position = position.play(mv.expect("a move")).expect("a legal one");
            let after = Problem { score: -exact(position.board, -64, 64), position };
            n_proven += here.check(&row["best_score"].to_string(), &row.to_string());
            n_proven += after.check(&row["score"].to_string(), &row.to_string());
        }
    }
    n_proven
}

/// A little time, after which a search is stopped.
fn wait(random: &mut Random) {
    thread::sleep(Duration::from_micros(random.below(15_000) as u64));
}

fn cassio(random: &mut Random, problems: &[Problem], threads: &str) -> usize {
    let mut engine = Engine::start(&["cassio", "--threads", threads]);
    let mut n_proven = 0;
    for problem in problems {
        let (alpha, beta) = random.pick(&[(-64, 64), (-64, 64), (-1, 1), (0, 5), (-20, 10)]);
        let text = problem.position.to_string().replace(' ', "");
        let precision = random.word("100|100|73");
        engine.send(&format!("ENGINE-PROTOCOL new-position\nENGINE-PROTOCOL endgame-search {text} {alpha} {beta} {precision}"));
        wait(random);
        engine.send("ENGINE-PROTOCOL stop\nENGINE-PROTOCOL get-search-infos");
        let line = engine.read_to(&text);
        let (_, bounds) = line.split_once("%, ").expect(&line);
        let (lower, rest) = bounds.split_once(" <= v <= ").expect(&line);
        let upper = rest.split(',').next().expect(&line);
        let [lower, upper] = [lower, upper].map(|text| text[1..].parse::<f64>().expect(text));
        // Only what is searched to the end at 100 % is certain.
        let is_certain =
            line.contains(&format!("depth {}, @100%", problem.position.board.n_empties()));
        let is_true = lower <= f64::from(problem.score) && f64::from(problem.score) <= upper;
        assert!(is_true || !is_certain, "{}: {line}", problem.score);
        n_proven += usize::from(lower == upper && is_certain);
    }
    n_proven
}

fn gtp(random: &mut Random, problems: &[Problem], threads: &str) -> usize {
    let mut engine = Engine::start(&["gtp", "--threads", threads, "--no-book", "--level", "60"]);
    let mut n_proven = 0;
    for problem in problems {
        let side = problem.position.side;
        for command in set_up(problem.position).lines() {
            engine.ask(command);
        }
        engine.ask("clear_cache");
        engine.send(&format!("genmove {side}"));
        wait(random);
        engine.send("# interrupt");
        engine.reply("genmove");
        let searched = engine.ask("othellier-last_search");
        n_proven += problem.check(searched.split(' ').next().unwrap_or_default(), &searched);
    }
    n_proven
}

fn nboard(random: &mut Random, problems: &[Problem], threads: &str) -> usize {
    let mut engine = Engine::start(&["nboard", "--threads", threads, "--no-book", "--level", "60"]);
    let mut n_proven = 0;
    for problem in problems {
        engine.send(&problem.game());
        let asks_for_hints = random.one_in(2);
        engine.send(if asks_for_hints { "hint 1" } else { "go" });
        wait(random);
        engine.send("set contempt 0\nping 1");
        loop {
            let line = engine.line();
            let words: Vec<&str> = line.split([' ', '/']).collect();
            match words[..] {
                ["search", _, score, _, "100%"] => n_proven += problem.check(score, &line),
                ["search", _, score, _, "100%W"] => {
                    let score: f64 = score.parse().expect(&line);
                    assert_eq!(score.signum(), f64::from(problem.score).signum(), "{line}");
                }
                ["===", _, score, _] => n_proven += problem.check(score, &line),
                ["pong", ..] => break,
                _ => {}
            }
        }
    }
    n_proven
}

/// Tries a way several times on the same positions, and returns how many searches these were and how many values were proven.
fn trial(random: &mut Random, n_problems: usize, n_times: usize, way: Way) -> (usize, usize) {
    let problems: Vec<Problem> = (0..n_problems).map(|_| Problem::draw(random)).collect();
    let n_proven = (0..n_times).map(|_| {
        let threads = random.word("1|1|2|8");
        way(random, &problems, threads)
    });
    (n_problems * n_times, n_proven.sum())
}

#[test]
fn a_few_stopped_searches_call_nothing_proven_that_is_not() {
    let mut ways = WAYS.iter();
    few("stopped searches", WAYS.len() as u64, |random| {
        trial(random, 4, 2, *ways.next().expect("a way"));
    });
}

#[test]
#[ignore = "long: hunts for OTHELLIER_HUNT_SECONDS"]
fn stopped_searches_call_nothing_proven_that_is_not() {
    let (mut n_searches, mut n_proven) = (0, 0);
    many("stopped searches", |random| {
        let way = random.pick(&WAYS);
        let (searches, proven) = trial(random, 10, 20, way);
        n_searches += searches;
        n_proven += proven;
    });
    tell(&format!("{n_searches} stopped searches, {n_proven} values called proven"));
}
