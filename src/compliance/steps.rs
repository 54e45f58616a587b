//! The steps of the cases: what each first word of a line does. `cases/README.md` describes them.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::cassio::Found;
use super::engine::{Outcome, Output, PROMPT_EXIT, SETTLE, Stop};
use super::nboard::{Hint, Line, table};
use super::session::Session;
use super::{notation, positions};
use crate::game::must_pass;
use crate::protocol::Kind;

/// The action of a step, called with the rest of its line.
type Action = fn(&mut Session, &str) -> Outcome;

/// The action of a first word.
pub(super) fn action(word: &str) -> Option<Action> {
    Some(match word {
        ">" => |session, line| session.enqueue(line),
        "<" => |session, pattern| {
            session.passes_over |= pattern == "...";
            if pattern == "..." { Ok(()) } else { session.expect(pattern) }
        },
        "^D" => |session, _| {
            session.engine.close_input();
            Ok(())
        },
        "wait" => |_, time| {
            sleep(milliseconds(time));
            Ok(())
        },
        "within" => |session, time| {
            session.within = Some(milliseconds(time));
            Ok(())
        },
        "quiet" => |session, time| match time {
            "" => session.engine.quiet(SETTLE),
            time => session.engine.quiet(milliseconds(time)),
        },
        "end" => |session, _| {
            let rest = session.engine.rest(PROMPT_EXIT + session.grace)?;
            if rest.is_empty() {
                return Ok(());
            }
            Err(session.engine.mismatch(rest, "no more output"))
        },
        "exit" => |session, _| session.engine.clean_exit(PROMPT_EXIT + session.grace),
        "restart" => |session, variables| {
            let pairs = variables.split_ascii_whitespace().filter_map(|pair| pair.split_once('='));
            session.restart(&pairs.collect::<Vec<_>>())
        },
        "stderr" => |session, _| session.engine.end_without_noise(),
        "position" => |session, games| {
            let games = notation::expand(games, &session.names);
            let games = games.split_ascii_whitespace();
            session.positions = games.map(|moves| positions::replay(moves).position()).collect();
            Ok(())
        },
        "game" => |session, moves| {
            let moves = notation::expand(moves, &session.names);
            session.set_up(&moves)
        },
        // GTP.
        "needs" => needs,
        "try" => try_commands,
        "remember" => |session, _| {
            session.remembered = session.shown()?;
            Ok(())
        },
        "unchanged" => unchanged,
        "lists" => lists,
        "lines" => lines,
        "legal" => legal,
        "board" => board,
        "memory" => memory,
        "unread" => unread,
        // NBoard and Cassio.
        "open" => open,
        "sync" => |session, _| session.sync(),
        "go" => |session, _| session.go(),
        "heard" => heard,
        "greeting" => greeting,
        "hints" => hints,
        "analysis" => analysis,
        "results" => results,
        _ => return None,
    })
}

fn milliseconds(text: &str) -> Duration {
    Duration::from_millis(text.parse().unwrap_or_default())
}

/// Ends the case as not offered if the engine does not list all these commands.
fn needs(session: &mut Session, commands: &str) -> Outcome {
    for command in commands.split_ascii_whitespace() {
        if !session.offers(command)? {
            return Err(Stop::NotOffered);
        }
    }
    Ok(())
}

/// Sends the first of these commands that the engine lists, outside of the case.
fn try_commands(session: &mut Session, commands: &str) -> Outcome {
    for command in commands.split(" | ") {
        if session.offers(command.split(' ').next().unwrap_or_default())? {
            return session.ask_quietly(command, "=... | ?...");
        }
    }
    Ok(())
}

/// Checks that the engine shows the position remembered, or only its board.
fn unchanged(session: &mut Session, what: &str) -> Outcome {
    let compared = if what == "board" { 1 } else { 2 };
    let now = session.shown()?;
    for pair in session.remembered.iter().zip(&now).take(compared) {
        if let (Some(before), Some(now)) = pair
            && before != now
        {
            return Err(session.engine.mismatch(now, &format!("the position unchanged: {before}")));
        }
    }
    Ok(())
}

/// The text of the last reply.
fn text<'a>(session: &'a Session<'_>) -> &'a str {
    session.last.text.trim_start_matches('=').trim_start()
}

/// Checks that these are lines of the last reply; a first `words` demands that every line is one word.
fn lists(session: &mut Session, wanted: &str) -> Outcome {
    let (one_word, wanted) = match wanted.strip_prefix("words ") {
        Some(wanted) => (true, wanted),
        None => (false, wanted),
    };
    if one_word && !text(session).lines().all(|line| line.split_whitespace().count() == 1) {
        return Err(session.wrong("one command a line"));
    }
    let is_listed = |word: &&str| text(session).lines().any(|line| line == *word);
    match wanted.split(' ').find(|word| !is_listed(word)) {
        Some(missing) => Err(session.wrong(&format!("a list with {missing}"))),
        None => Ok(()),
    }
}

/// Checks that the last reply has at least so many lines.
fn lines(session: &mut Session, least: &str) -> Outcome {
    if text(session).lines().count() < least.parse().unwrap_or_default() {
        return Err(session.wrong(&format!("at least {least} lines, none empty")));
    }
    Ok(())
}

/// Checks that the last reply names the legal moves, in any order.
fn legal(session: &mut Session, _: &str) -> Outcome {
    session.side = None;
    let mut expected = session.legal_squares();
    if must_pass(session.positions[0].board) {
        expected.push("pass".to_owned());
    }
    expected.sort();
    let mut listed: Vec<_> = text(session).split_ascii_whitespace().collect();
    listed.sort_unstable();
    if listed != expected {
        return Err(session.wrong(&format!("= {}\n\n", expected.join(" "))));
    }
    Ok(())
}

/// Checks that the last reply is the board, row 8 first; front ends skip blanks between the cells.
fn board(session: &mut Session, _: &str) -> Outcome {
    let cells = session.positions[0].cells().replace('-', ".");
    let expected: Vec<&str> = (0..8).rev().map(|row| &cells[8 * row..8 * row + 8]).collect();
    let rows: Vec<String> = text(session).lines().map(|line| line.replace(' ', "")).collect();
    if rows != expected {
        return Err(session.wrong(&expected.join("\n")));
    }
    Ok(())
}

/// Without a number, waits until the engine has finished what it does at the start; with one, checks that its memory has grown
/// by no more MiB since.
fn memory(session: &mut Session, most: &str) -> Outcome {
    const MAX_ROUNDS: usize = 20;
    let mut now = session.engine.peak_memory();
    if let Ok(most) = most.parse::<u64>() {
        let growth = now.zip(session.memory).map_or(0, |(now, before)| now.saturating_sub(before));
        if growth > most << 20 {
            let got = format!("{} MiB more memory", growth >> 20);
            return Err(session.unlike(got, "bounded memory"));
        }
        return Ok(());
    }
    for _ in 0..MAX_ROUNDS {
        session.engine.quiet(2 * SETTLE)?;
        let before = std::mem::replace(&mut now, session.engine.peak_memory());
        if now == before {
            break;
        }
    }
    session.memory = now;
    Ok(())
}

/// Starts the engine anew with its output closed; it must end without a crash.
fn unread(session: &mut Session, _: &str) -> Outcome {
    session.engine.restart(&[], Output::Closed)?;
    session.engine.send("name\nname\nname\n");
    let status = session.engine.exit(session.engine.limits.reply)?;
    let noise = String::from_utf8_lossy(session.engine.noise()).to_lowercase();
    let is_panic = ["panic", "traceback", "exception", "abort"].iter().any(|w| noise.contains(w));
    // Ending by the signal of a broken pipe is fine.
    if is_panic || is_crash(status) {
        return Err(session.unlike(format!("{status}, {}", noise.trim()), "a quiet exit"));
    }
    Ok(())
}

#[cfg(unix)]
fn is_crash(status: std::process::ExitStatus) -> bool {
    const SIGPIPE: i32 = 13;
    std::os::unix::process::ExitStatusExt::signal(&status).is_some_and(|signal| signal != SIGPIPE)
}

#[cfg(not(unix))]
fn is_crash(_: std::process::ExitStatus) -> bool {
    false
}

/// Begins a session as a front end does; for NBoard with this depth.
fn open(session: &mut Session, depth: &str) -> Outcome {
    let mark = session.engine.sent_mark();
    session.passes_over = true;
    if session.kind == Kind::Cassio {
        session.ask("ENGINE-PROTOCOL init", "ready.")?;
    } else {
        session.send("nboard 2")?;
        session.sync()?;
        session.send(&format!("set depth {depth}"))?;
    }
    session.engine.forget_since(mark);
    Ok(())
}

/// Checks that one of the lines passed over fits a pattern.
fn heard(session: &mut Session, pattern: &str) -> Outcome {
    let fits = |line: &String| notation::fits(pattern, line, &mut Vec::new(), &mut |_| false);
    if session.heard.iter().any(fits) {
        return Ok(());
    }
    Err(session.unlike(format!("no {pattern}"), pattern))
}

/// Awaits the answer to `nboard`: a name of one word, and no complaint.
fn greeting(session: &mut Session, _: &str) -> Outcome {
    session.sync()?;
    let mut lines = std::mem::take(&mut session.heard);
    while session.line_before(Instant::now() + SETTLE, "an engine at work")?.is_some() {
        lines.push(session.last.text.clone());
    }
    match lines.iter().rev().find_map(|line| line.strip_prefix("set myname ")) {
        None => return Err(session.unlike("no name", "set myname NAME")),
        Some(name) if name.contains(' ') => {
            return Err(session.unlike(format!("set myname {name}"), "a name of one word"));
        }
        Some(_) => {}
    }
    for line in lines.iter().filter(|line| line.starts_with("status")) {
        let complaints = ["error", "unknown", "unsupported", "invalid"];
        if complaints.iter().any(|word| line.to_lowercase().contains(word)) {
            return Err(session.unlike(line.as_str(), "no complaint"));
        }
    }
    Ok(())
}

/// Checks the next hints: all must be for legal moves and leave so many rows in the front end's table. `none` allows no
/// hint at all, `dots` no value whose comma might be a decimal mark. Ends when nothing has come for a while.
fn hints(session: &mut Session, wanted: &str) -> Outcome {
    const PAUSE: Duration = Duration::from_millis(500);
    let (least, form) = wanted.split_once(' ').unwrap_or((wanted, ""));
    let least: usize = least.parse().unwrap_or_default();
    let first = Duration::from_secs(if least > 0 { 8 } else { 2 });
    let mut deadline = Instant::now() + first;
    let mut hints: Vec<Hint> = Vec::new();
    while let Some(line) = session.line_before(deadline, "hints")? {
        if let Line::Hint(hint) = line {
            let is_legal = session.positions[0].play(hint.mv).is_some();
            if wanted == "none" || !is_legal {
                let expected = if is_legal { "no hint" } else { "legal moves" };
                return Err(session.wrong(expected));
            }
            let value = session.last.text.split(' ').nth(2).unwrap_or_default();
            if form == "dots" && value.contains(',') && !value.contains('.') {
                return Err(session.wrong("a decimal with a dot"));
            }
            hints.push(hint);
        }
        if !hints.is_empty() {
            deadline = Instant::now() + PAUSE;
        }
        if hints.len() > 10_000 {
            return Err(session.unlike("hints without end", "hints up to the depth"));
        }
    }
    let rows = table(&hints).len();
    if rows < least {
        let got = format!("hints of one depth for {rows} moves");
        return Err(session.unlike(got, &format!("{least} or more, with the same depth")));
    }
    Ok(())
}

/// Awaits the values of `analyze` for all positions up to this ply; without any value, the case counts as not offered.
/// The value of a finished game must be from Black's view.
fn analysis(session: &mut Session, last: &str) -> Outcome {
    let last: u32 = last.parse().unwrap_or_default();
    let expected = format!("analysis 0 to {last}");
    let mut values: Vec<(u32, f64)> = Vec::new();
    let mut limit = session.engine.limits.reply;
    loop {
        let is_complete = (0..=last).all(|ply| values.iter().any(|value| value.0 == ply));
        // The last ones may still be in transit.
        let deadline = Instant::now() + if is_complete { SETTLE } else { limit };
        match session.line_before(deadline, &expected)? {
            Some(Line::Analysis(ply, value)) => {
                values.push((ply, value));
                limit = session.engine.limits.search;
            }
            Some(_) => {}
            None if is_complete => break,
            None if values.is_empty() => return Err(Stop::NotOffered),
            None => {
                let got = format!("analysis for {} positions only", values.len());
                return Err(session.unlike(got, &expected));
            }
        }
        if values.len() > 1000 {
            return Err(session.unlike("analysis without end", &expected));
        }
    }
    let end = session.positions[0];
    for (ply, value) in values.iter().filter(|value| value.0 == last + 1) {
        if end.board.is_over() && value * f64::from(end.final_score_for_black()) <= 0.0 {
            return Err(
                session.unlike(format!("analysis {ply} {value}"), "a win from Black's view")
            );
        }
    }
    session.sync()
}

/// Awaits the results of a Cassio search, the last one with at least this depth and, if given, this precision.
fn results(session: &mut Session, wanted: &str) -> Outcome {
    let position = session.positions[0];
    let (depth, precision) = wanted.split_once(' ').unwrap_or((wanted, ""));
    let deadline = Instant::now() + session.engine.limits.search;
    let mut last: Option<Found> = None;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        session.take_answer(left, "ready.")?;
        let line = session.last.text.as_str();
        if line == "ready." {
            break;
        }
        // The front end shows these to the user.
        if ["DEBUG", "WARNING"].iter().any(|word| line.starts_with(word)) {
            continue;
        }
        let found = Found::parse(line, position).map_err(|expected| session.wrong(expected))?;
        if position.play(found.mv).is_none() {
            return Err(session.wrong("a legal move"));
        }
        last = Some(found);
    }
    let Some(last) = last else { return Err(session.wrong("a result line before ready.")) };
    let depths = depth.parse().unwrap_or(0)..=position.board.n_empties();
    if !depths.contains(&last.depth) || !(precision.is_empty() || precision == last.precision) {
        let got = format!("depth {}, @{}", last.depth, last.precision);
        return Err(session.unlike(got, &format!("depth {depth} @{precision} in the last result")));
    }
    Ok(())
}
