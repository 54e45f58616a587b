//! The NBoard cases N1 to N34.

use std::time::Duration;

use super::{Line, Session, TAGS, table};
use crate::board::{Board, Move, Position};
use crate::compliance::engine::{Outcome, Output, PROMPT_EXIT, SETTLE, Stop};
use crate::compliance::positions::{self, OVER_BLACK, PASS, ggf, replay};
use crate::compliance::{Case, Check};
use crate::game::Game;

/// The case about stderr, which covers all cases before it.
pub(in crate::compliance) const STDERR_CASE: &str = "N30";

/// The time after which a search surely runs.
const UNDERWAY: Duration = Duration::from_millis(300);

/// A pong is due within about 50 ms; this much is granted to a busy machine.
const PONG: Duration = Duration::from_millis(250);

/// Any output of a stopped search would have come within this much silence.
const AFTERMATH: Duration = Duration::from_millis(500);

/// A depth that no search reaches.
const ENDLESS: u32 = 60;

const fn case(
    number: &'static str,
    title: &'static str,
    check: fn(&mut Session) -> Outcome,
) -> Case {
    Case { number, title, check: Check::Nboard(check) }
}

/// Every case, in order.
pub(in crate::compliance) const CASES: &[Case] = &[
    case("N1", "greeting", |nboard| greeting(nboard, "nboard 2")),
    case("N2", "greeting with other versions", other_versions),
    case("N3", "ping", |nboard| pings(nboard, &[5])),
    case("N4", "pings out of sequence", |nboard| pings(nboard, &[1, 7, 7])),
    case("N5", "ping before anything else", ping_first),
    case("N6", "a ping stops a hint", |nboard| ping_stops(nboard, "hint 1")),
    case("N7", "a new position stops a hint", new_position_stops),
    case("N8", "a ping stops a search", |nboard| ping_stops(nboard, "go")),
    case("N9", "a game that ends in a pass", game_ending_in_pass),
    case("N10", "a request for a move without a legal one", move_where_none),
    case("N11", "hints without a legal move", hints_where_none),
    case("N12", "a pass is played", |nboard| moves_at_pass(nboard, &["PA"])),
    case("N13", "a pass is implied", implied_pass),
    case("N14", "a search does not play its move", search_again),
    case("N15", "two searches at once", two_searches),
    case("N16", "two hints", two_hints),
    case("N17", "odd numbers of hints", odd_hints),
    case("N18", "spellings of a move", spellings_of_move),
    case("N19", "spellings of a pass", |nboard| {
        moves_at_pass(nboard, &["pass", "PASS", "--", "pa/0.00"])
    }),
    case("N20", "an illegal move", illegal_move),
    case("N21", "unreadable games", unreadable_games),
    case("N22", "odd games", odd_games),
    case("N23", "no time left", no_time_left),
    case("N24", "five minutes for the game", five_minutes),
    case("N25", "settings without an answer", |nboard| {
        silent(nboard, "set contempt 100\nset volume 11\nset\n")
    }),
    case("N26", "meaningless lines and carriage returns", |nboard| {
        silent(nboard, "frobnicate 3\r\n\r\n\n")
    }),
    case("N27", "learn", learn),
    case("N28", "analysis of a game", analysis),
    case("N29", "requests after the end of the game", after_the_end),
    case(STDERR_CASE, "no output on stderr", nothing_on_stderr),
    case("N31", "the input ends during a hint", end_during_hint),
    case("N32", "quit", quit),
    case("N33", "numbers in another locale", other_locale),
    case("N34", "a huge game and odd bytes in a name", huge_and_odd_games),
];

fn position(moves: &str) -> Position {
    replay(moves).position()
}

fn greeting(nboard: &mut Session, line: &str) -> Outcome {
    nboard.send(line);
    let mut lines = nboard.sync()?;
    while let Some(line) =
        nboard.engine.line_before(std::time::Instant::now() + SETTLE, "an engine at work")?
    {
        lines.push(nboard.read(&line)?);
    }
    let names: Vec<&String> = lines
        .iter()
        .filter_map(|line| if let Line::Name(name) = line { Some(name) } else { None })
        .collect();
    match names.last() {
        None => return Err(nboard.unlike("no name", "set myname NAME")),
        Some(name) if name.contains(' ') => {
            return Err(nboard.unlike(format!("set myname {name}"), "a name of one word"));
        }
        Some(_) => {}
    }
    for line in lines {
        if let Line::Status(text) = line {
            let lower = text.to_lowercase();
            if ["error", "unknown", "unsupported", "invalid"]
                .iter()
                .any(|word| lower.contains(word))
            {
                return Err(nboard.unlike(format!("status {text}"), "no complaint"));
            }
        }
    }
    Ok(())
}

fn other_versions(nboard: &mut Session) -> Outcome {
    for line in ["nboard 1", "nboard 3", "nboard"] {
        nboard.engine.restart(&[], Output::Read)?;
        greeting(nboard, line)?;
        nboard.engine.end_without_noise()?;
    }
    Ok(())
}

fn pings(nboard: &mut Session, numbers: &[i64]) -> Outcome {
    nboard.open()?;
    nboard.sync()?;
    for number in numbers {
        nboard.send(&format!("ping {number}"));
        nboard.expect_line(&format!("pong {number}"))?;
    }
    Ok(())
}

fn ping_first(nboard: &mut Session) -> Outcome {
    nboard.pong(3, nboard.engine.limits.reply)?;
    Ok(())
}

/// Pings while something runs: the pong must come within `limit` and end all output.
fn stop_by_ping(nboard: &mut Session, limit: Duration) -> Outcome {
    nboard.pong(9, nboard.engine.limits.reply)?;
    let taken = nboard.engine.latency();
    nboard.engine.measured = Some(taken);
    if taken > limit {
        let got = format!("pong 9 after {} ms", taken.as_millis());
        let expected = format!("pong 9 within {} ms", limit.as_millis());
        return Err(nboard.unlike(got, &expected));
    }
    nboard.engine.quiet(AFTERMATH)
}

fn ping_stops(nboard: &mut Session, request: &str) -> Outcome {
    nboard.open_at_depth(ENDLESS)?;
    nboard.sync()?;
    nboard.send(request);
    std::thread::sleep(UNDERWAY);
    stop_by_ping(nboard, PONG)
}

fn new_position_stops(nboard: &mut Session) -> Outcome {
    let game = replay("f5d6c3");
    let by_game = format!("set game {}", ggf(TAGS, &game, &[]));
    for (command, position) in [("move f5", position("f5")), (&by_game, game.position())] {
        nboard.open_at_depth(ENDLESS)?;
        nboard.set_game(&Game::default());
        nboard.sync()?;
        nboard.send("hint 1");
        std::thread::sleep(UNDERWAY);
        nboard.send(command);
        stop_by_ping(nboard, PONG)?;
        nboard.send("set depth 4");
        nboard.go(position)?;
    }
    Ok(())
}

fn game_ending_in_pass(nboard: &mut Session) -> Outcome {
    nboard.open()?;
    let mut game = replay(PASS);
    positions::play(&mut game, Move::Pass);
    nboard.set_game(&game);
    nboard.go(game.position())?;
    Ok(())
}

fn move_where_none(nboard: &mut Session) -> Outcome {
    nboard.open()?;
    nboard.set_game(&replay(PASS));
    nboard.go(position(PASS))?;
    Ok(())
}

fn hints_where_none(nboard: &mut Session) -> Outcome {
    nboard.open()?;
    nboard.set_game(&replay(PASS));
    nboard.sync()?;
    nboard.send("hint 4");
    let hints = nboard.hints(Duration::from_secs(2))?;
    if let Some(hint) = hints.iter().find(|hint| hint.mv != Move::Pass) {
        return Err(nboard.unlike(format!("search {:#} ...", hint.mv), "search PA ... or nothing"));
    }
    nboard.sync()?;
    nboard.engine.quiet(SETTLE)
}

/// Checks that each of `spellings`, sent as a move where Black must pass, gives White the move.
fn moves_at_pass(nboard: &mut Session, spellings: &[&str]) -> Outcome {
    nboard.open()?;
    let mut after = replay(PASS);
    positions::play(&mut after, Move::Pass);
    for spelling in spellings {
        nboard.set_game(&replay(PASS));
        nboard.send(&format!("move {spelling}"));
        nboard.go(after.position())?;
    }
    Ok(())
}

fn implied_pass(nboard: &mut Session) -> Outcome {
    nboard.open()?;
    nboard.set_game(&replay(PASS));
    nboard.send("move e7");
    nboard.go(position(&format!("{PASS}e7")))?;
    Ok(())
}

fn search_again(nboard: &mut Session) -> Outcome {
    nboard.open()?;
    nboard.go(Position::START)?;
    nboard.send("go");
    nboard.choice(Position::START)?;
    Ok(())
}

fn two_searches(nboard: &mut Session) -> Outcome {
    nboard.open()?;
    nboard.sync()?;
    nboard.send("go\ngo");
    nboard.choice(Position::START)?;
    nboard.choice(Position::START)?;
    Ok(())
}

/// Long enough for a hint of small depth.
const HINT: Duration = Duration::from_secs(8);

fn two_hints(nboard: &mut Session) -> Outcome {
    nboard.open()?;
    nboard.sync()?;
    nboard.send("hint 2");
    let rows = table(&nboard.hints(HINT)?);
    if rows.len() < 2 {
        let got = format!("hints of one depth for {} moves", rows.len());
        return Err(nboard.unlike(got, "two moves or more, with the same depth"));
    }
    check_hints_legal(nboard, &rows)
}

fn check_hints_legal(nboard: &Session, hints: &[super::Hint]) -> Outcome {
    match hints.iter().find(|hint| Board::START.play(hint.mv).is_none()) {
        Some(hint) => Err(nboard.unlike(format!("search {:#} ...", hint.mv), "legal moves")),
        None => Ok(()),
    }
}

fn odd_hints(nboard: &mut Session) -> Outcome {
    nboard.open()?;
    for request in ["hint 64", "hint 0", "hint", "hint -1", "hint x"] {
        nboard.sync()?;
        nboard.send(request);
        let hints = nboard.hints(HINT)?;
        if hints.is_empty() {
            return Err(nboard.unlike("no hint", "a hint for at least one move"));
        }
        check_hints_legal(nboard, &hints)?;
    }
    nboard.sync()?;
    Ok(())
}

fn spellings_of_move(nboard: &mut Session) -> Outcome {
    nboard.open()?;
    for line in ["move d6 -1.00 0.0", "move d6/-1.00/0.0", "move D6", "move d6//2.4", "D6"] {
        nboard.set_game(&replay("f5"));
        nboard.send(line);
        nboard.go(position("f5d6"))?;
    }
    Ok(())
}

fn illegal_move(nboard: &mut Session) -> Outcome {
    nboard.open()?;
    nboard.sync()?;
    nboard.send("move a1");
    let lines = nboard.sync()?;
    if !lines.iter().any(|line| matches!(line, Line::Status(text) if !text.is_empty())) {
        return Err(nboard.unlike("no status line", "a status line that says so"));
    }
    nboard.go(Position::START)?;
    Ok(())
}

fn unreadable_games(nboard: &mut Session) -> Outcome {
    nboard.open()?;
    for line in ["set game garbage", "set game", "set game (;GM[Othello]"] {
        nboard.set_game(&replay("f5"));
        nboard.send(line);
        nboard.go(position("f5"))?;
    }
    Ok(())
}

fn odd_games(nboard: &mut Session) -> Outcome {
    nboard.open()?;
    let game = replay("f5");
    let blanks = {
        let cells = Position::START.cells().replace('X', "*");
        let rows: Vec<&str> = (0..8).map(|row| &cells[8 * row..8 * row + 8]).collect();
        format!("(;GM[Othello]{TAGS}BO[8 {} *]B[F5//21.5];)", rows.join(" "))
    };
    let without = "PC[NBoard]PB[one]PW[two]RE[?]TY[8]";
    for text in [
        ggf(TAGS, &game, &["/1,25/2,4"]),
        ggf("PC[NBoard]PB[./mEdax]PW[]RE[?]TI[5:00]TY[8]", &game, &[]),
        ggf("PC[GGS/os]DT[2004.09.18_05:54:38.MDT]PB[one]PW[two]RE[?]TY[8]", &game, &[]),
        ggf("PC[GGS/os]DT[1095508478]PB[one]PW[two]RE[?]TY[8]", &game, &[]),
        ggf("PC[x]DT[on a Friday]PB[one]PW[two]RE[?]TY[8]", &game, &[]),
        ggf(&format!("{without}TI[15:00//2:00]"), &game, &["/0.00/2.5"]),
        ggf(without, &game, &[]),
        ggf("PC[NBoard]PB[one]PW[two]RE[+10.00]TI[5:00]TY[8]", &game, &[]),
        blanks,
    ] {
        // If the text is not read, the answer is for the start position, where it is not White's turn.
        nboard.set_game(&Game::default());
        nboard.send(&format!("set game {text}"));
        nboard.go(game.position())?;
    }
    Ok(())
}

fn no_time_left(nboard: &mut Session) -> Outcome {
    const AT_ONCE: Duration = Duration::from_millis(500);
    nboard.open_at_depth(ENDLESS)?;
    let game = replay("f5d6c3d3");
    let tags = "PC[NBoard]PB[one]PW[two]RE[?]TI[0:01]TY[8]";
    let notes = ["//0.9", "//0.9", "//0.9", "//0.9"];
    nboard.send(&format!("set game {}", ggf(tags, &game, &notes)));
    go_within(nboard, game.position(), AT_ONCE)
}

fn go_within(nboard: &mut Session, position: Position, limit: Duration) -> Outcome {
    nboard.go(position)?;
    let taken = nboard.engine.latency();
    nboard.engine.measured = Some(taken);
    if taken > limit {
        let got = format!("a move after {:.2} s", taken.as_secs_f64());
        let expected = format!("a move within {:.2} s", limit.as_secs_f64());
        return Err(nboard.unlike(got, &expected));
    }
    Ok(())
}

fn five_minutes(nboard: &mut Session) -> Outcome {
    // A sane engine spends at most a fifth of the clock on the first of thirty moves.
    const SANE: Duration = Duration::from_secs(60);
    nboard.open_at_depth(ENDLESS)?;
    nboard.set_game(&Game::default());
    go_within(nboard, Position::START, SANE)
}

/// Lines that must not be answered.
fn silent(nboard: &mut Session, lines: &str) -> Outcome {
    nboard.open()?;
    nboard.sync()?;
    nboard.engine.send(lines);
    nboard.engine.send("ping 4\r\n");
    nboard.expect_line("pong 4")?;
    nboard.engine.quiet(SETTLE)
}

fn learn(nboard: &mut Session) -> Outcome {
    const PROMPTLY: Duration = Duration::from_secs(2);
    nboard.open()?;
    nboard.set_game(&replay("f5d6c3"));
    nboard.sync()?;
    nboard.send("learn");
    nboard.lines_until(PROMPTLY, "learned", |line| *line == Line::Learned)?;
    Ok(())
}

fn analysis(nboard: &mut Session) -> Outcome {
    let values = analyzed(nboard, "f5d6c3", 3)?;
    if values.is_empty() {
        return Err(Stop::NotOffered);
    }
    // At the end of this game it would be White's turn, so the value shows whose view it is.
    let values = analyzed(nboard, OVER_BLACK, 8)?;
    let last = (OVER_BLACK.len() / 2) as u32;
    if let Some((_, value)) = values.iter().find(|(ply, value)| *ply == last && *value <= 0.0) {
        return Err(nboard.unlike(format!("analysis {last} {value}"), "a win from Black's view"));
    }

    nboard.send(&format!("set depth {ENDLESS}"));
    nboard.set_game(&replay(positions::MIDGAME));
    nboard.sync()?;
    nboard.send("analyze");
    std::thread::sleep(UNDERWAY);
    stop_by_ping(nboard, PROMPT_EXIT)
}

/// The values that `analyze` gives, at least for all positions up to `last`; none at all if the engine gives none.
fn analyzed(nboard: &mut Session, moves: &str, last: u32) -> Outcome<Vec<(u32, f64)>> {
    nboard.open()?;
    nboard.set_game(&replay(moves));
    nboard.sync()?;
    nboard.send("analyze");
    let expected = format!("analysis 0 to {last}");
    let mut values: Vec<(u32, f64)> = Vec::new();
    let is_complete =
        |values: &[(u32, f64)]| (0..=last).all(|ply| values.iter().any(|value| value.0 == ply));
    let mut limit = nboard.engine.limits.reply;
    while !is_complete(&values) {
        let deadline = std::time::Instant::now() + limit;
        match nboard.engine.line_before(deadline, &expected)? {
            Some(line) => {
                if let Line::Analysis(ply, value) = nboard.read(&line)? {
                    values.push((ply, value));
                    limit = nboard.engine.limits.search;
                }
            }
            None if values.is_empty() => break,
            None => {
                let got = format!("analysis for {} positions only", values.len());
                return Err(nboard.unlike(got, &expected));
            }
        }
        if values.len() > 1000 {
            return Err(nboard.unlike("analysis without end", &expected));
        }
    }
    // The last ones may still be in transit.
    let deadline = std::time::Instant::now() + SETTLE;
    while let Some(line) = nboard.engine.line_before(deadline, &expected)? {
        if let Line::Analysis(ply, value) = nboard.read(&line)? {
            values.push((ply, value));
        }
    }
    nboard.sync()?;
    Ok(values)
}

fn after_the_end(nboard: &mut Session) -> Outcome {
    nboard.open()?;
    nboard.set_game(&replay(OVER_BLACK));
    nboard.sync()?;
    nboard.send("go");
    // An engine may be silent here; it does not hang as long as it answers the next ping.
    let deadline = std::time::Instant::now() + Duration::from_secs(3);
    loop {
        match nboard.engine.line_before(deadline, "=== PA")? {
            None => return Err(nboard.unlike("nothing", "=== PA")),
            Some(line) => match nboard.read(&line)? {
                Line::Choice(Move::Pass) => break,
                Line::Choice(_) => return Err(nboard.engine.mismatch(line, "=== PA")),
                _ => {}
            },
        }
    }
    nboard.sync()?;
    nboard.send("hint 1");
    if let Some(hint) = nboard.hints(Duration::from_secs(1))?.first() {
        return Err(nboard.unlike(format!("search {:#} ...", hint.mv), "no hint"));
    }
    Ok(())
}

fn nothing_on_stderr(nboard: &mut Session) -> Outcome {
    nboard.open()?;
    nboard.sync()?;
    nboard.send("hint 4");
    nboard.hints(HINT)?;
    nboard.send("set contempt 100\nset volume 11\nfrobnicate 3\nset game garbage\nmove a1");
    nboard.go(Position::START)?;
    nboard.send("move f5/1.25/0.5\nlearn");
    nboard.go(position("f5"))?;
    nboard.engine.end_without_noise()
}

fn end_during_hint(nboard: &mut Session) -> Outcome {
    nboard.open_at_depth(ENDLESS)?;
    nboard.sync()?;
    nboard.send("hint 1");
    std::thread::sleep(UNDERWAY);
    nboard.engine.close_input();
    nboard.engine.clean_exit(PROMPT_EXIT)
}

fn quit(nboard: &mut Session) -> Outcome {
    nboard.open()?;
    nboard.sync()?;
    nboard.send("quit");
    nboard.engine.clean_exit(PROMPT_EXIT)
}

fn other_locale(nboard: &mut Session) -> Outcome {
    const GERMAN: &str = "de_DE.UTF-8";
    nboard.engine.restart(&[("LC_ALL", GERMAN), ("LANG", GERMAN)], Output::Read)?;
    nboard.open()?;
    nboard.sync()?;
    nboard.send("hint 4");
    // Other numbers are read strictly anyway, but a value with a comma could also be a pair.
    let deadline = std::time::Instant::now() + HINT;
    let mut last = None;
    while let Some(line) = nboard.engine.line_before(last.unwrap_or(deadline), "a hint")? {
        if let Line::Hint(_) = nboard.read(&line)? {
            let text = String::from_utf8_lossy(&line);
            let value = text.split_ascii_whitespace().nth(2).unwrap_or("");
            if value.contains(',') && !value.contains('.') {
                return Err(nboard.engine.mismatch(&line, "a decimal with a dot"));
            }
            last = Some(std::time::Instant::now() + AFTERMATH);
        }
    }
    if last.is_none() {
        return Err(nboard.unlike("no hint", "a hint with a value"));
    }
    nboard.go(Position::START)?;
    Ok(())
}

fn huge_and_odd_games(nboard: &mut Session) -> Outcome {
    nboard.open()?;
    let game = replay("f5");
    let huge = ggf(&format!("PC[NBoard]CO[{}]TY[8]", "x".repeat(1 << 20)), &game, &[]).into_bytes();
    let (before, after) = (&b"(;GM[Othello]PC[NBoard]PB[a\0b\xffc]PW["[..], "two]TY[8]");
    let plain = ggf(after, &game, &[]);
    let odd = [before, plain.trim_start_matches("(;GM[Othello]").as_bytes()].concat();
    for text in [huge, odd] {
        nboard.set_game(&Game::default());
        nboard.engine.send([b"set game ", text.as_slice(), b"\n"].concat());
        nboard.sync()?;
        // The answer shows whether it was read or refused.
        nboard.send("go");
        let is_choice = |line: &Line| matches!(line, Line::Choice(_));
        let expected = "=== and a legal move";
        let (line, _) = nboard.lines_until(nboard.engine.limits.search, expected, is_choice)?;
        let Line::Choice(mv) = line else { continue };
        if Position::START.play(mv).is_none() && game.position().play(mv).is_none() {
            return Err(nboard.unlike(format!("=== {mv:#}"), expected));
        }
    }
    Ok(())
}
