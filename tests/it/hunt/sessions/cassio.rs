//! The model of Cassio's protocol: every request gets its lines, and every result fits its position.

use super::super::rules::{BLACK, Board, parse};
use super::super::{Random, few, many};
use super::{End, Talk, is_decimal, options};

/// A search that was asked for.
struct Search {
    text: String,
    board: Board,
    window: (f64, f64),
    is_endgame: bool,
}

/// The answers that a burst must get.
#[derive(Default)]
struct Due {
    searches: Vec<Search>,
    /// Requests that are answered with `ready.`.
    n_ready: usize,
    /// Requests that are answered with `ready.`, or during a search with `ok.` or `node ...`.
    n_signs: usize,
    n_errors: usize,
    /// Whether there is a `stop`, which gets no line of its own if it ends a search.
    has_stop: bool,
}

fn request(random: &mut Random, due: &mut Due) -> String {
    let mut board = Board::random(random);
    if random.one_in(3) {
        // Near the end, where `Board::solve` is quick.
        while board.n_empties() > 5 {
            board = board.random_ply(random).map_or_else(Board::start, |(next, _)| next);
        }
    }
    let is_endgame = board.n_empties() <= 8 && random.one_in(2);
    let side = char::from(board.side);
    let cells = board.text();
    let cells = if random.one_in(3) { cells.replace('X', "*").replace('-', ".") } else { cells };
    let text = format!("{cells}{side}");
    let (alpha, beta) = random.pick(&[
        (-64.0, 64.0),
        (-64.0, 64.0),
        (-1.0, 1.0),
        (0.0, 2.5),
        (-9.5, -3.0),
        (4.0, 4.0),
        (9.0, -9.0),
    ]);
    let precision = random.word("100|100|73|90|0|99.5");
    let bad = random.below(20);
    let (text, precision) = match bad {
        0 => (text[1..].to_owned(), precision),
        1 => (text, "x"),
        2 => (text, "100 5"),
        _ => (text, precision),
    };
    due.n_ready += 1;
    if bad < 2 || alpha >= beta || board.is_over() {
        due.n_errors += 1;
    } else {
        due.searches.push(Search { text: text.clone(), board, window: (alpha, beta), is_endgame });
    }
    let depth = random.word("1|2|4|5");
    let blanks = random.word(" |  ");
    if is_endgame {
        format!("ENGINE-PROTOCOL{blanks}endgame-search {text} {alpha:.2} {beta} {precision}")
    } else {
        format!(
            "ENGINE-PROTOCOL{blanks}midgame-search {text} {alpha} {beta:.2} {depth} {precision}"
        )
    }
}

fn line(random: &mut Random, due: &mut Due) -> String {
    let command = |name: &str| format!("ENGINE-PROTOCOL {name}");
    match random.below(12) {
        0..=3 => request(random, due),
        4..=6 => {
            due.n_signs += 1;
            random.word("| |ENGINE-PROTOCOL get-search-infos").into()
        }
        7 => {
            due.n_ready += 1;
            command(random.word("init|new-position"))
        }
        8 => command(random.word("feed-hash ?? 1 2|feed-hash nonsense|empty-hash")),
        9 => {
            due.n_errors += 1;
            random.word("hello|genmove b|\u{e9}|engine-protocol init").into()
        }
        _ => {
            due.n_errors += 1;
            due.n_ready += 1;
            command(random.word("sing||midgame-search|INIT"))
        }
    }
}

/// Requests, or a search that is stopped, with requests in between that must not disturb it.
fn burst(random: &mut Random) -> (Vec<String>, Due) {
    let mut due = Due::default();
    let mut lines = Vec::new();
    if random.one_in(3) {
        let mut search = request(random, &mut due);
        if due.n_errors == 0 && search.contains("midgame") && random.one_in(2) {
            let words: Vec<&str> = search.split_whitespace().collect();
            search = [&words[..5], &["40", "73"]].concat().join(" ");
        }
        lines.push(search);
        for _ in 0..random.below(4) {
            due.n_signs += 1;
            lines.push(random.word("|ENGINE-PROTOCOL get-search-infos").into());
        }
        due.has_stop = true;
        lines.push("ENGINE-PROTOCOL stop".into());
    } else {
        lines.extend((0..1 + random.below(6)).map(|_| line(random, &mut due)));
    }
    (lines, due)
}

/// Whether the result line is right for the search.
fn is_result(search: &Search, line: &str, is_stopped: bool) -> bool {
    let Search { text, board, window: (alpha, beta), is_endgame } = search;
    let rest = line.strip_prefix(text.as_str()).and_then(|rest| rest.strip_prefix(", move "));
    let fields: Vec<&str> = rest.unwrap_or_default().split(", ").collect();
    let [mv, depth, percent, bounds, pv, nodes, time] = fields[..] else { return false };
    let letter = if board.side == BLACK { "B" } else { "W" };
    let discs = |text: &str| {
        let number = text.strip_prefix(letter).filter(|number| is_decimal(number, 64.0));
        number.and_then(|number| number.parse::<f64>().ok())
    };
    let bounds: Option<Vec<f64>> = bounds.split(" <= v <= ").map(discs).collect();
    let Some(&[lower, upper]) = bounds.as_deref() else { return false };
    let depth = depth.strip_prefix("depth ").and_then(|depth| depth.parse::<i32>().ok());
    let percents = ["@73%", "@87%", "@95%", "@98%", "@99%", "@100%"];
    let moves: Option<Vec<&str>> = (0..pv.len() / 2).map(|n| pv.get(2 * n..2 * n + 2)).collect();
    let mut after = Some(*board);
    for word in moves.iter().flatten() {
        after = after.zip(parse(word)).and_then(|(board, mv)| board.play(mv));
    }
    let is_form = depth.is_some_and(|depth| (0..=60).contains(&depth))
        && percents.contains(&percent)
        && nodes.strip_prefix("node ").is_some_and(|n| n.parse::<u64>().is_ok())
        && time.strip_prefix("time ").is_some_and(|seconds| is_decimal(seconds, 1e6));
    let is_exact = *is_endgame && percent == "@100%" && !is_stopped && board.n_empties() <= 5;
    let is_true = !is_exact || {
        let value = f64::from(board.solve());
        let is_inside = *alpha < value && value < *beta;
        lower <= value && value <= upper && (!is_inside || lower == upper)
    };
    is_form && is_true && lower <= upper && pv.starts_with(mv) && after.is_some()
}

/// Judges the lines that came for a burst.
fn judge(talk: &Talk, due: &Due, lines: &[String]) {
    let (mut n_ready, mut n_signs, mut n_errors) = (0, 0, 0);
    let mut searches = due.searches.iter();
    for line in lines {
        if line == "ready." {
            n_ready += 1;
        } else if line == "ok." || line.starts_with("node ") {
            n_signs += 1;
        } else if line.starts_with("ERROR: ") {
            n_errors += 1;
        } else {
            let is_right =
                searches.next().is_some_and(|search| is_result(search, line, due.has_stop));
            talk.check(is_right, "a wrong result", line);
        }
    }
    let expected = due.n_ready + due.n_signs;
    // A stop that comes late gets a line of its own.
    let is_enough =
        n_ready + n_signs == expected || due.has_stop && n_ready + n_signs == expected + 1;
    let is_all = searches.next().is_none() && n_errors == due.n_errors;
    if !is_enough || !is_all || n_signs > due.n_signs {
        talk.fail(&format!(
            "{n_ready} ready, {n_signs} signs, {n_errors} errors for {} searches, {} ready, {} signs, {} errors",
            due.searches.len(), due.n_ready, due.n_signs, due.n_errors
        ));
    }
}

fn trial(random: &mut Random) {
    let options: Vec<&str> = options(random);
    // Another player has its own depth and values, and no window.
    let is_plain = !options.iter().any(|option| option.starts_with("--player"));
    let options = if is_plain { options } else { Vec::new() };
    let mut talk = Talk::start(random, "cassio", &options);
    let bytes = |lines: Vec<String>| lines.into_iter().map(String::into_bytes).collect::<Vec<_>>();
    for _ in 0..random.below(30) {
        let (mut lines, due) = burst(random);
        lines.push("ENGINE-PROTOCOL get-version".into());
        talk.send(random, &bytes(lines));
        let mut answers = Vec::new();
        loop {
            match talk.line() {
                line if line.starts_with("version: ") => break,
                line => answers.push(line),
            }
        }
        judge(&talk, &due, &answers);
        let ready = talk.line();
        talk.check(ready == "ready.", "no end", &ready);
    }
    let end = random.pick(&[End::Quit, End::Close, End::Break]);
    let (mut lines, due) = burst(random);
    // The end of the input cuts searches short.
    let due = Due { has_stop: due.has_stop || end != End::Quit, ..due };
    if lines.last().is_some_and(String::is_empty) {
        lines.push("ENGINE-PROTOCOL feed-hash".into());
    }
    talk.send_last(end, "ENGINE-PROTOCOL quit", &bytes(lines));
    let mut answers: Vec<String> = std::iter::from_fn(|| talk.next()).collect();
    let last = answers.pop().unwrap_or_default();
    talk.check(last == "bye bye.", "no farewell", &last);
    judge(&talk, &due, &answers);
    talk.finish();
}

#[test]
fn a_few_sessions_are_answered_as_the_model_says() {
    few("sessions in Cassio", 5, trial);
}

#[test]
#[ignore = "long: hunts for OTHELLIER_HUNT_SECONDS"]
fn sessions_are_answered_as_the_model_says() {
    many("sessions in Cassio", trial);
}
