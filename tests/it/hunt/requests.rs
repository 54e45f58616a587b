//! Requests of `json` in random order, with cancels, priorities, bad lines and random limits: every id is answered exactly once,
//! and what is called proven holds against a plain solver.

use std::collections::BTreeMap;

use othellier::board::{Board, Color, Position};
use serde_json::{Value, json};

use super::{Random, few, many, tell};
use crate::harness::run;
use crate::harness::samples::{random_board, rows, solve};

/// A request, and what must hold of its answer.
struct Asked {
    board: Board,
    /// The moves that it leaves out, as a set of squares.
    avoid: u64,
}

fn request(random: &mut Random, id: usize) -> (Value, Asked) {
    let n_empties = if random.is_long { 6 + random.below(9) } else { 4 + random.below(6) };
    let board = random_board(n_empties as u32, |bound| random.below(bound));
    let side = random.pick(&[Color::Black, Color::White]);
    let mut request = json!({"id": id, "position": Position { board, side }.to_string()});
    let mut avoid = 0;
    match random.below(5) {
        0 => request["exact"] = json!(true),
        1 => request["depth"] = json!(1 + random.below(12)),
        2 => request["nodes"] = json!(1 + random.below(20_000)),
        3 => request["time"] = json!(random.below(20) as f64 / 1000.0),
        _ => {
            request["exact"] = json!(true);
            request["confidence"] = json!(random.pick(&[73, 87, 95, 99]));
        }
    }
    match random.below(6) {
        0 => request["lines"] = json!("all"),
        1 => request["lines"] = json!(1 + random.below(4)),
        2 => request["wld"] = json!(true),
        3 => request["window"] = json!([-10 + random.below(10) as i32, 1 + random.below(20)]),
        4 if board.legal_moves().count_ones() > 1 => {
            let square = board.moves().next().expect("it has several");
            (avoid, request["avoid"]) = (square.bit(), json!(square.to_string()));
        }
        _ => {}
    }
    if random.one_in(3) {
        request["priority"] = json!(random.below(5) as i64 - 2);
    }
    if random.one_in(4) {
        request["game"] = json!(format!("game {}", random.below(3)));
    }
    if random.one_in(8) {
        request["report_every"] = json!(0);
    }
    (request, Asked { board, avoid })
}

/// Holds an answer against the solver; returns how many bounds were proven.
fn check(answer: &Value, asked: &Asked) -> usize {
    let after = asked.board.moves().filter(|square| square.bit() & asked.avoid == 0);
    let of_moves =
        after.map(|square| -solve(asked.board.after(square, asked.board.flips(square)), -64, 64));
    let allowed = of_moves.max().expect("a move is left");
    let score = if asked.avoid == 0 { allowed } else { solve(asked.board, -64, 64) };
    let number = |key: &str| answer[key].as_i64().map(|n| n as i32);
    if answer["exact"] == true {
        assert_eq!(number("score"), Some(allowed), "{answer}");
    }
    assert!(number("lower").is_none_or(|lower| lower <= score), "{score}: {answer}");
    assert!(number("upper").is_none_or(|upper| upper >= score), "{score}: {answer}");
    ["lower", "upper"].iter().filter(|key| answer.get(**key).is_some()).count()
}

fn trial(random: &mut Random, n_requests: usize) -> usize {
    let mut asked = BTreeMap::new();
    let (mut input, mut n_bad) = (String::new(), 0);
    for id in 0..n_requests {
        let (request, what) = request(random, id);
        asked.insert(id, what);
        input += &format!("{request}\n");
        if random.one_in(20) {
            let other = random.below(id + 1);
            input += &format!("{{\"action\":\"cancel\",\"ids\":{other}}}\n");
        }
        if random.one_in(20) {
            input += random.word(
                "nonsense\n|{}\n|{\"id\":\"a\",\"position\":\"x\"}\n|[[[[\n|{\"position\":1}\n",
            );
            n_bad += 1;
        }
    }
    let [threads, concurrency] = [random.word("1|2|8"), random.word("1|2|8")];
    let options = ["json", "--hash", "1", "--threads", threads, "--concurrency", concurrency];
    let mut n_proven = 0;
    for answer in rows(&run(&options, input).success().stdout) {
        if answer.get("message").is_some() {
            n_bad -= 1;
            continue;
        }
        let id = answer["id"].as_u64().expect("a number") as usize;
        if answer["partial"] == true {
            assert!(asked.contains_key(&id), "a report after the answer: {answer}");
            assert!(answer["exact"] == false && answer.get("lower").is_none(), "{answer}");
            continue;
        }
        let what = asked.remove(&id).unwrap_or_else(|| panic!("answered twice: {answer}"));
        if answer.get("move").is_some() {
            n_proven += check(&answer, &what);
        } else {
            assert_eq!(answer["canceled"], true, "{answer}");
        }
    }
    assert!(asked.is_empty() && n_bad == 0, "{} without an answer, {n_bad}", asked.len());
    n_proven
}

#[test]
fn requests_are_answered_once_and_rightly() {
    few("requests", 3, |random| assert!(trial(random, 60) > 0));
}

#[test]
#[ignore = "long: random requests"]
fn requests_for_long() {
    let (mut n_requests, mut n_proven) = (0, 0);
    many("requests", |random| {
        n_proven += trial(random, 1000);
        n_requests += 1000;
    });
    tell(&format!("{n_requests} requests, {n_proven} bounds proven"));
}
