//! The steps of the cases: what each first word of a line does. `cases/README.md` describes them.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::anyhow;

use super::Protocol::Play;
use super::engine::{Output, SETTLE};
use super::nboard::leading_move;
use super::session::{ANSWER, ANYTHING, Session, game};
use super::{Outcome, Stop, notation};
use crate::protocol::Kind;

/// The limit of an exit that must come "within a second", with allowance for a busy machine.
const PROMPT_EXIT: Duration = Duration::from_millis(1500);

/// What shows the board, and what shows whose turn it is.
const VIEWS: [&str; 2] = ["gogui-rules_board | showboard", "gogui-rules_side_to_move"];

/// Performs a step.
pub(super) fn perform(session: &mut Session, (word, rest): notation::Step) -> Outcome {
    let rest = &*notation::expand(rest, &session.names);
    let words = rest.split_ascii_whitespace();
    match word {
        ">" => {
            session.heard.clear();
            session.enqueue(rest)?;
        }
        "<" if rest == ANYTHING => ANYTHING.clone_into(&mut session.over),
        "<" => session.expect(&rest.replace("\\n", "\n"))?,
        "<*" => rest.clone_into(&mut session.over),
        "^D" => session.engine.close_input(),
        "wait" => sleep(milliseconds(rest)),
        "within" => session.within = Some(milliseconds(rest)),
        "quiet" if rest.is_empty() => session.engine.quiet(SETTLE)?,
        "quiet" => session.engine.quiet(milliseconds(rest))?,
        "end" => {
            let limit = session.limit(PROMPT_EXIT);
            session.engine.end(limit, session.over == ANYTHING)?;
        }
        "exit" => {
            let limit = session.limit(PROMPT_EXIT);
            let status = session.engine.exit(limit)?;
            if !status.success() {
                return Err(session.unlike(status.to_string(), "exit status: 0"));
            }
        }
        "restart" => {
            let variables: Vec<_> = words.filter_map(|pair| pair.split_once('=')).collect();
            session.engine.restart(&variables, Output::Read)?;
        }
        "stderr" => {
            let noise = session.engine.finish();
            if !noise.is_empty() {
                return Err(session.engine.mismatch(noise, "no output on stderr"));
            }
        }
        "position" => {
            let positions: Outcome<_> = words.map(|moves| Ok(game(moves)?.position())).collect();
            session.positions = positions?;
        }
        "game" => session.set_up(rest)?,
        _ => return check(session, word, rest),
    }
    Ok(())
}

/// Performs a step of one protocol.
fn check(session: &mut Session, word: &str, rest: &str) -> Outcome {
    let mut words = rest.split_ascii_whitespace();
    match word {
        // GTP.
        "needs" if session.kind == Play(Kind::Gtp) => {
            for command in words {
                if !session.knows(command)? {
                    return Err(Stop::NotOffered);
                }
            }
        }
        "try" => drop(session.attempt(rest)?),
        "remember" => session.shown = shown(session)?,
        "unchanged" => {
            let now = shown(session)?;
            let compared = if rest == "board" { 1 } else { 2 };
            let pairs = session.shown.iter().zip(&now).take(compared);
            if let Some((before, now)) = pairs.into_iter().find(|(before, now)| before != now) {
                let expected = format!("the position unchanged: {before}");
                return Err(session.engine.mismatch(now, &expected));
            }
        }
        "lists" => {
            let text = session.text(false);
            let text = text.trim_start_matches("= ");
            let is_missing = |word: &&str| !text.lines().any(|line| line == *word);
            if let Some(missing) = words.find(is_missing) {
                return Err(session.wrong(&format!("a list with {missing}")));
            }
        }
        "words" => {
            let text = session.text(false);
            let text = text.trim_start_matches('=');
            let mut listed: Vec<&str> = text.split_ascii_whitespace().collect();
            listed.sort_unstable();
            if !words.eq(listed) {
                return Err(session.wrong(&format!("= {rest}\n\n")));
            }
        }
        "board" => {
            let cells = session.positions[0].cells().replace('-', ".");
            let rows: Vec<&str> = (0..8).rev().map(|row| &cells[8 * row..8 * row + 8]).collect();
            // Front ends skip blanks between the cells.
            let shown = session.text(false).replace([' ', '='], "");
            if shown.trim() != rows.join("\n") {
                return Err(session.wrong(&rows.join("\n")));
            }
        }
        "memory" => memory(session, rest)?,
        "unread" => unread(session)?,
        // NBoard and Cassio.
        "open" => session.aside(|session| {
            if session.kind == Play(Kind::Cassio) {
                return session.ask_past("ENGINE-PROTOCOL init", "ready.");
            }
            session.enqueue("nboard 2")?;
            session.flush();
            session.sync()?;
            session.enqueue(&format!("set depth {rest}"))?;
            session.flush();
            Ok(())
        })?,
        "sync" => session.sync()?,
        "go" => {
            session.sync()?;
            session.ask_past("go", "=== MOVE")?;
        }
        "needs" => {
            ANYTHING.clone_into(&mut session.over);
            if let Err(stop) = session.expect(rest) {
                return Err(if session.probe().is_ok() { Stop::NotOffered } else { stop });
            }
        }
        "heard" => {
            if session.heard(rest).is_none() {
                return Err(session.unlike(format!("no {rest}"), rest));
            }
        }
        "unheard" => {
            if let Some(line) = session.heard(rest) {
                return Err(session.engine.mismatch(line, &format!("no {rest}")));
            }
        }
        "hints" => hints(session, rest)?,
        _ => return Err(anyhow!("no step '{word}'").into()),
    }
    Ok(())
}

fn milliseconds(text: &str) -> Duration {
    Duration::from_millis(text.parse().unwrap_or_default())
}

/// The position as the engine shows it, by whatever means it has.
fn shown(session: &mut Session) -> Outcome<Vec<String>> {
    let mut shown = Vec::new();
    for view in VIEWS {
        let is_known = session.attempt(view)?;
        shown.push(if is_known { session.text(false) } else { String::new() });
    }
    Ok(shown)
}

/// Notes how much memory the engine has used; with a number, checks that it is no more MiB than noted before.
fn memory(session: &mut Session, most: &str) -> Outcome {
    let now = session.engine.peak_memory();
    let before = std::mem::replace(&mut session.memory, now);
    let growth = now.zip(before).map_or(0, |(now, before)| now.saturating_sub(before) >> 20);
    if most.parse().is_ok_and(|most| growth > most) {
        return Err(session.unlike(format!("{growth} MiB more memory"), "bounded memory"));
    }
    Ok(())
}

/// Starts the engine anew with its output closed; it must end without a crash.
fn unread(session: &mut Session) -> Outcome {
    session.engine.restart(&[], Output::Closed)?;
    session.engine.send(b"name\nname\nname\n".to_vec());
    let limit = session.limit(ANSWER);
    let status = session.engine.exit(limit)?.to_string();
    let noise = String::from_utf8_lossy(session.engine.noise()).to_lowercase();
    let is_panic = ["panic", "traceback", "exception", "abort"].iter().any(|w| noise.contains(w));
    // Ending by the signal of a broken pipe is fine.
    if is_panic || status.contains("signal") && !status.contains("SIGPIPE") {
        return Err(session.unlike(format!("{status}, {}", noise.trim()), "a quiet exit"));
    }
    Ok(())
}

/// Checks the next hints: all must be for legal moves and leave so many rows in the front end's table. `none` allows no
/// hint at all, `dots` no value whose comma might be a decimal mark. Ends when nothing has come for a while.
fn hints(session: &mut Session, wanted: &str) -> Outcome {
    const PAUSE: Duration = Duration::from_millis(500);
    let least = wanted.trim_end_matches(" dots").parse().unwrap_or(0);
    let first = Duration::from_secs(if least > 0 { 8 } else { 2 });
    let (mut deadline, last) = (Instant::now() + first, Instant::now() + ANSWER);
    // A move, its depth, and whether a book knows it.
    let mut rows = Vec::new();
    while let Some(line) = session.line_before(deadline, "hints")? {
        let words: Vec<&str> = line.split(' ').collect();
        let [kind @ ("search" | "book"), pv, value, _, depth, ..] = words[..] else { continue };
        let mv = leading_move(pv).filter(|mv| session.positions[0].play(*mv).is_some());
        let Some(mv) = mv else { return Err(session.wrong("legal moves")) };
        if wanted == "none" {
            return Err(session.wrong("no hint"));
        }
        if wanted.ends_with("dots") && value.contains(',') && !value.contains('.') {
            return Err(session.wrong("a decimal with a dot"));
        }
        // In the front end a new depth removes the rows of any other, except those from a book.
        let (depth, is_book) = (depth.to_owned(), kind == "book");
        rows.retain(|row: &(_, String, bool)| row.0 != mv && (is_book || row.2 || row.1 == depth));
        rows.push((mv, depth, is_book));
        deadline = last.min(Instant::now() + PAUSE);
    }
    if rows.len() < least {
        let got = format!("hints of one depth for {} moves", rows.len());
        return Err(session.unlike(got, &format!("{least} or more, with the same depth")));
    }
    Ok(())
}
