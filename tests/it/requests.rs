//! `othellier json`: requests for scores, their answers and their ends.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::samples::{PASS, START, rows, timeless};
use crate::harness::{Engine, run};

/// The answers of `json`, without times.
fn answers(input: &str) -> Vec<Value> {
    timeless(&run(&["json", "--threads", "1"], input).success().stdout)
}

#[test]
fn requests_are_answered_in_their_forms() {
    for (request, key, expected) in [
        (json!({"id": "a", "moves": "F5 d6", "depth": 1}), "ply", json!(2)),
        (json!({"id": 7, "position": START, "depth": 3}), "depth", json!(3)),
        (json!({"position": START, "depth": 1, "lines": "all"}), "id", Value::Null),
        (json!({"id": 1, "position": PASS, "depth": 2}), "move", json!("pa")),
        (json!({"id": 1, "position": START, "depth": 2, "allow": "f5"}), "move", json!("f5")),
        (json!({"position": &START[..64], "depth": 1}), "assumed", json!("black")),
        (json!({"moves": "f5", "start": &START[..64], "depth": 1}), "assumed", json!("black")),
        (json!({"moves": "f5", "start": START, "depth": 1}), "assumed", Value::Null),
        (json!({"id": 1, "position": START, "depth": 2, "avoid": "f5 d3,c4"}), "move", json!("e6")),
        (json!({"id": 1, "action": "version"}), "name", json!("othellier")),
        (json!({"action": "status"}), "waiting", json!(0)),
        (json!({"action": "clear"}), "action", json!("clear")),
        (json!({"action": "quit"}), "left", json!([])),
    ] {
        let answers = answers(&format!("\n{request}\r\n"));
        assert_eq!((answers.len(), &answers[0][key]), (1, &expected), "{request} {answers:?}");
    }
    assert!(run(&[], "{\"action\":\"version\"}\n").success().stdout.starts_with("{\"action\""));
    // Ids come back as they were written.
    for id in ["18446744073709551616", &"123456789".repeat(4), "-0", "1.50", r#""\u0061 ä""#] {
        for request in
            ["\"moves\":\"\",\"depth\":1", "\"action\":\"status\"", "\"action\":\"x\"", ""]
        {
            let answer = run(&["json"], format!("{{{request},\"id\":{id}}}")).success().stdout;
            let is_known = !request.is_empty();
            assert_eq!(answer.contains(&format!("\"id\":{id},")), is_known, "{request} {answer}");
        }
    }
    // However many wait, what is no search is read.
    let mut many = json!({"id": "first", "position": START, "depth": 60}).to_string();
    (0..10_001)
        .for_each(|id| many += &format!("\n{{\"id\":{id},\"position\":\"{START}\",\"depth\":60}}"));
    many +=
        "\n{\"action\":\"cancel\",\"ids\":[7],\"id\":\"c\"}\n{\"action\":\"quit\",\"id\":\"q\"}";
    let said = run(&["json", "--concurrency", "1"], &many).success().stdout;
    let mut said = said.lines();
    assert!(said.next().is_some_and(|line| line.starts_with("{\"canceled\":true,\"id\":7,")));
    assert_eq!(said.next(), Some("{\"action\":\"cancel\",\"id\":\"c\"}"));
    assert!(said.next().is_some_and(|line| line.starts_with("{\"action\":\"quit\",\"id\":\"q\"")));
    let all = json!({"id": 1, "moves": "f5d6c3", "plies": "all", "depth": 1});
    let plies: BTreeSet<u64> =
        answers(&all.to_string()).iter().map(|row| row["ply"].as_u64().unwrap()).collect();
    assert_eq!(plies, BTreeSet::from([0, 1, 2, 3]));
}

#[test]
fn requests_of_a_game_share_a_table_until_it_is_cleared() {
    let mut engine = Engine::start(&["json", "--concurrency", "1", "--threads", "1"]);
    let search = json!({"game": "a", "position": START, "depth": 8}).to_string();
    let clear = r#"{"action":"clear"}"#;
    let answer = |line: &str| {
        engine.send(line);
        rows(&engine.line()).remove(0)
    };
    let answers = [&*search, &search, clear, &search].map(answer);
    let nodes = answers.map(|answer| answer["nodes"].as_u64());
    assert!(nodes[1] < nodes[0] && nodes[3] == nodes[0], "{nodes:?}");
}

#[test]
fn opponents_choose_by_seed_and_position_alone() {
    let ask = |seed| json!({"moves": "f5d6c3", "strength": 12, "seed": seed, "game": "a"});
    let deep = json!({"moves": "f5d6c3", "depth": 9, "game": "a"});
    let input: String = (0..9).map(|n| format!("{}\n{deep}\n", ask(n % 8))).collect();
    let answers = answers(&input);
    let chosen: Vec<&Value> = answers.iter().step_by(2).collect();
    assert_eq!(chosen[0], chosen[8]);
    assert!(chosen.iter().any(|answer| answer["move"] != chosen[0]["move"]));
    let of_one = |answer: &Value| json!([{"move": answer["move"], "score": answer["score"]}]);
    assert!(chosen.iter().all(|answer| answer["moves"] == of_one(answer)), "{chosen:?}");
}

#[test]
fn bad_requests_are_told_with_their_id() {
    for (request, part) in [
        ("nonsense".into(), "no JSON"),
        ("[".repeat(1000), "expected an object"),
        (r#"{"id":5,"moves":"f5"} {}"#.into(), "no JSON: trailing characters"),
        (r#"{"id":5,"moves":"f5","depth":}"#.into(), "no JSON"),
        (r#"{"id":5,"moves":"f5","moves":"d3"}"#.into(), "moves: given twice"),
        (json!({"id": 5, "position": START, "start": START}).to_string(), "start: only with"),
        (json!([1]).to_string(), "expected an object"),
        (json!({"id": 5, "moves": "f5", "depth": "4"}).to_string(), "depth: invalid type"),
        (json!({"id": 5}).to_string(), "expected a position or moves"),
        (json!({"id": 5, "position": "x"}).to_string(), "position: "),
        (json!({"id": 5, "moves": "f5f5"}).to_string(), "moves: move 2 of the game is illegal: F5"),
        (json!({"id": 5, "moves": "f5", "plies": [2]}).to_string(), "there are 1 plies, not 2"),
        (json!({"id": 5, "moves": "f5", "plies": []}).to_string(), "plies: expected"),
        (json!({"id": 5, "position": START, "moves": "f5"}).to_string(), "not both position"),
        (json!({"id": 5, "position": START, "depth": 61}).to_string(), "depth: "),
        (json!({"id": 5, "position": START, "lines": 0}).to_string(), "lines: "),
        (json!({"id": 5, "position": START, "time": -1}).to_string(), "time: "),
        (json!({"id": 5, "position": START, "window": [2, 2]}).to_string(), "window: it is empty"),
        (json!({"id": 5, "position": START, "allow": "a1"}).to_string(), "no move is left"),
        (json!({"id": 5, "moves": "", "strength": 61}).to_string(), "from 1 to 60"),
        (json!({"id": 5, "moves": "", "elo": 1}).to_string(), "from 680 to 2490"),
        (json!({"id": 5, "moves": "", "elo": 900, "strength": 9}).to_string(), "elo: not with"),
        (json!({"id": 5, "moves": "", "elo": 900, "wld": true}).to_string(), "wld: not with"),
        (json!({"id": 5, "moves": "", "seed": 1}).to_string(), "seed: only with"),
        (json!({"id": 5, "position": START, "dept": 1}).to_string(), "unknown field `dept`"),
        (json!({"id": 5, "action": "dance"}).to_string(), "'dance' is none of"),
        (json!({"id": 5, "action": "cancel"}).to_string(), "expected ids"),
    ] {
        let found = &answers(&request)[0];
        let message = found["message"].as_str().unwrap_or_default();
        let has_id = !request.contains("\"id\":5") || found["id"] == 5;
        assert!(message.contains(part) && has_id, "{request} {found}");
    }
    let long = format!("{{\"id\":\"{}\"}}\n{{\"action\":\"clear\"}}", "x".repeat(1 << 20));
    assert_eq!(answers(&long).len(), 2);
}

#[test]
fn a_value_that_two_searches_found_goes_with_the_move_that_is_worth_it() {
    let position = "XXO-X---XXXOOOOOXOXXXXOOXXXXXOO-XXXOOOOO-XOOOOOOXXOOOOOO-X-OX--- O".to_string();
    let ask = |limit: &str, value: Value| {
        let mut request = json!({"position": position, "game": "g", "exact": true});
        request[limit] = value;
        request.to_string()
    };
    let requests =
        [ask("window", json!([-64, -16])), ask("window", json!([-16, 64])), ask("nodes", json!(1))];
    let found = answers(&requests.join("\n"));
    assert_eq!((&found[2]["move"], &found[2]["score"]), (&json!("d1"), &json!(-16.0)));
    let over = position.replace('-', "X");
    let found = &answers(&json!({"position": over}).to_string())[0];
    assert_eq!([&found["lower"], &found["upper"]], [&found["score"]; 2], "{found}");
}

#[test]
fn running_and_waiting_requests_are_canceled() {
    let mut engine = Engine::start(&["json", "--concurrency", "1"]);
    for id in 1..=3 {
        engine.send(&json!({"id": id, "position": START, "time": 1000}).to_string());
    }
    engine.send(r#"{"action":"cancel","ids":[1,3]}"#);
    let rows: Vec<Value> = (0..2).map(|_| serde_json::from_str(&engine.line()).unwrap()).collect();
    assert!(rows.iter().all(|row| row["canceled"] == true), "{rows:?}");
    let ids: BTreeSet<u64> = rows.iter().map(|row| row["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, BTreeSet::from([1, 3]));
    engine.send(r#"{"action":"quit"}"#);
    let (rest, status) = engine.end();
    assert_eq!(status, Some(0));
    assert_eq!(rest, [r#"{"action":"quit","left":[2]}"#]);
}

/// Whether it reads on, waits for room, or has read all.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_tells_which_requests_are_left() {
    for (n_requests, n_least, is_closed) in [(3, 3, false), (13_000, 10_001, false), (3, 3, true)] {
        let mut engine = Engine::start(&["json", "--concurrency", "1"]);
        engine.send(r#"{"id":0,"moves":"","time":1000,"report_every":0}"#);
        engine.read_to(r#"{"id":0"#);
        engine.send(&vec![r#"{"moves":"","time":9}"#; n_requests - 1].join("\n"));
        if is_closed {
            engine.close_input();
        }
        thread::sleep(Duration::from_millis(300));
        crate::harness::send(engine.id(), rustix::process::Signal::TERM);
        let last: Value = serde_json::from_str(&engine.read_to(r#"{"action"#)).unwrap();
        let left = last["left"].as_array().unwrap();
        assert!(left.len() >= n_least && left[0] == 0, "{n_requests}: {}", left.len());
        assert_eq!(engine.end(), (Vec::new(), Some(0)));
    }
}
