//! The GTP cases that need more than commands with their replies: one function per case.

use std::time::Duration;

use super::Expect::{Empty, Error, Exactly, Pass, Success, Text};
use super::{Reply, Session};
use crate::board::Color::Black;
use crate::board::Position;
use crate::compliance::engine::{Outcome, Output, PROMPT_EXIT, SETTLE};
use crate::compliance::positions::{self, OVER_BLACK, OVER_WHITE, PASS};

/// An engine without time left should take milliseconds; this much is tolerated.
const AT_ONCE: Duration = Duration::from_millis(500);

/// The time after which a search is surely running, unless it has ended.
const UNDERWAY: Duration = Duration::from_millis(300);

/// The engine's name, in a reply without an id.
fn name(gtp: &mut Session) -> Outcome<Reply> {
    let reply = gtp.expect("name", Success)?;
    if reply.text.is_empty() || !reply.id.is_empty() {
        return Err(gtp.engine.mismatch(&reply.raw, "= NAME\n\n"));
    }
    Ok(reply)
}

/// Checks that each of `inputs` has exactly the output of `name`.
pub(super) fn same_as_name(gtp: &mut Session, inputs: &[&[u8]]) -> Outcome {
    let name = name(gtp)?;
    inputs.iter().try_for_each(|input| gtp.expect_single(input, &name.raw))
}

pub(super) fn id_glued(gtp: &mut Session) -> Outcome {
    let expected = format!("=7 {}\n\n", name(gtp)?.text);
    gtp.expect_single(b"7 name\n", expected.as_bytes())
}

pub(super) fn id_not_kept(gtp: &mut Session) -> Outcome {
    gtp.expect("7 name", Success)?;
    name(gtp)?;
    Ok(())
}

pub(super) fn odd_ids(gtp: &mut Session) -> Outcome {
    let name = name(gtp)?;
    let expected = format!("=7 {}\n\n", name.text);
    gtp.expect_single(b"007 name\n", expected.as_bytes())?;

    let id = "99999999999999999999";
    let reply = gtp.ask(&format!("{id} name"))?;
    let echoed = reply.success && reply.id == id && reply.text == name.text;
    let unknown = !reply.success && reply.text == "unknown command";
    if !echoed && !unknown {
        let expected = format!("={id} {}\n\n or ? unknown command\n\n", name.text);
        return Err(gtp.engine.mismatch(&reply.raw, &expected));
    }
    gtp.expect_single(b"name\n", &name.raw)
}

pub(super) fn list_of_commands(gtp: &mut Session) -> Outcome {
    let reply = gtp.expect("list_commands", Success)?;
    let is_listed = |command: &str| reply.text.lines().any(|line| line == command);
    let one_word_a_line = reply.text.lines().all(|line| line.split_whitespace().count() == 1);
    if !one_word_a_line {
        return Err(gtp.engine.mismatch(&reply.raw, "one command a line"));
    }
    if let Some(missing) =
        ["list_games", "set_game", "quit"].into_iter().find(|command| !is_listed(command))
    {
        return Err(gtp.engine.mismatch(&reply.raw, &format!("a list with {missing}")));
    }
    // More output would show that there was an empty line inside.
    gtp.engine.quiet(SETTLE)
}

pub(super) fn empty_lines(gtp: &mut Session) -> Outcome {
    let name = name(gtp)?;
    // The next reply, and the only one, must be that to the command at the end.
    gtp.expect_single(b"\n  \t \n# comment\n 5   # c\nname\n", &name.raw)
}

pub(super) fn carriage_return(gtp: &mut Session) -> Outcome {
    gtp.engine.send("name\r\n");
    let reply = gtp.reply(gtp.engine.limits.reply)?;
    if !reply.success || reply.raw.contains(&b'\r') || !reply.raw.ends_with(b"\n\n") {
        return Err(gtp.engine.mismatch(&reply.raw, "= NAME\n\n"));
    }
    gtp.expect_single(b"name\n", &reply.raw)
}

pub(super) fn no_text(gtp: &mut Session) -> Outcome {
    let name = name(gtp)?;
    gtp.expect_single(b"\xff\xfe\xc3( name\n", b"? unknown command\n\n")?;
    gtp.expect_single(b"name\n", &name.raw)
}

/// The engine's peak memory, once it has finished what it does at the start.
fn settled_memory(gtp: &mut Session) -> Outcome<Option<u64>> {
    const MOST_ROUNDS: usize = 20;
    let mut before = gtp.engine.peak_memory();
    for _ in 0..MOST_ROUNDS {
        gtp.engine.quiet(2 * SETTLE)?;
        let now = gtp.engine.peak_memory();
        if now == before {
            break;
        }
        before = now;
    }
    Ok(before)
}

pub(super) fn huge_line(gtp: &mut Session) -> Outcome {
    /// Far more than the line itself, far less than a copy of it for each piece that is read.
    const MOST_GROWTH: u64 = 64 << 20;
    let name = name(gtp)?;
    let before = settled_memory(gtp)?;
    let mut line = vec![b'a'; 10_000_000];
    line.push(b'\n');
    gtp.engine.send(line);
    let reply = gtp.reply(gtp.engine.limits.search)?;
    gtp.check(&reply, Exactly("? unknown command\n\n"))?;
    gtp.engine.quiet(SETTLE)?;
    if let (Some(before), Some(after)) = (before, gtp.engine.peak_memory())
        && after > before + MOST_GROWTH
    {
        let got = format!("{} MiB more memory", (after - before) >> 20);
        return Err(gtp.engine.mismatch(got, "bounded memory"));
    }
    gtp.expect_single(b"name\n", &name.raw)
}

pub(super) fn unfinished_line(gtp: &mut Session) -> Outcome {
    let name = name(gtp)?;
    gtp.engine.send("name");
    gtp.engine.close_input();
    let rest = gtp.engine.rest(PROMPT_EXIT)?;
    if rest != name.raw {
        return Err(gtp.engine.mismatch(rest, &String::from_utf8_lossy(&name.raw)));
    }
    gtp.engine.clean_exit(PROMPT_EXIT)
}

pub(super) fn no_input(gtp: &mut Session) -> Outcome {
    // A first process shows how long a start takes.
    name(gtp)?;
    let start = gtp.engine.latency();
    gtp.engine.restart(&[], Output::Read)?;
    gtp.engine.close_input();
    let limit = start + PROMPT_EXIT;
    let rest = gtp.engine.rest(limit)?;
    if !rest.is_empty() {
        return Err(gtp.engine.mismatch(rest, "no output"));
    }
    gtp.engine.clean_exit(limit)
}

pub(super) fn end_during_search(gtp: &mut Session) -> Outcome {
    gtp.search_long()?;
    gtp.send("genmove black");
    std::thread::sleep(UNDERWAY);
    gtp.engine.close_input();
    let rest = gtp.engine.rest(PROMPT_EXIT)?;
    let legal = Reply::find(&rest).is_some_and(|(reply, length)| {
        length == rest.len() && reply.is_ok_and(|reply| gtp.after(Black, &reply).is_some())
    });
    if !legal {
        return Err(gtp.engine.mismatch(rest, "a legal move for black"));
    }
    gtp.engine.clean_exit(PROMPT_EXIT)
}

pub(super) fn quit(gtp: &mut Session) -> Outcome {
    name(gtp)?;
    gtp.engine.send("quit\nname\n");
    let rest = gtp.engine.rest(PROMPT_EXIT)?;
    if rest != b"= \n\n" && rest != b"=\n\n" {
        return Err(gtp.engine.mismatch(rest, "= \n\n"));
    }
    gtp.engine.clean_exit(PROMPT_EXIT)
}

pub(super) fn choice_of_game(gtp: &mut Session) -> Outcome {
    let reply = gtp.expect("list_games", Success)?;
    if !reply.text.lines().any(|line| line == "Othello") {
        return Err(gtp.engine.mismatch(&reply.raw, "= Othello\n\n"));
    }
    gtp.expect("set_game Othello", Empty)?;
    gtp.expect("set_game Go", Error("unsupported game"))?;
    Ok(())
}

pub(super) fn undo_played_pass(gtp: &mut Session) -> Outcome {
    gtp.set_up(PASS)?;
    let before = gtp.shown()?;
    for command in ["play black PASS", "play white e7", "undo", "undo"] {
        gtp.expect(command, Success)?;
    }
    gtp.same_position(&before)?;
    gtp.expect("play black pass", Success)?;
    gtp.expect("play white c5", Success)?;
    Ok(())
}

pub(super) fn undo_implied_pass(gtp: &mut Session) -> Outcome {
    let (earlier_moves, last) = PASS.split_at(PASS.len() - 2);
    let last = format!("play white {last}");
    gtp.set_up(earlier_moves)?;
    let earlier = gtp.shown()?;
    gtp.expect(&last, Success)?;
    let before = gtp.shown()?;
    gtp.expect("play white e7", Success)?;
    gtp.expect("undo", Success)?;
    gtp.same_position(&before)?;
    // If the pass were still there, this would take back only the pass.
    gtp.expect("undo", Success)?;
    gtp.same_position(&earlier)?;
    gtp.expect(&last, Success)?;
    gtp.expect("play white c5", Success)?;
    Ok(())
}

pub(super) fn moves_after_the_end(gtp: &mut Session) -> Outcome {
    gtp.set_up(OVER_BLACK)?;
    let before = gtp.shown()?;
    gtp.expect("genmove black", Pass)?;
    gtp.expect("genmove white", Pass)?;
    // Passes after the end may or may not change the side to move.
    gtp.same_board(&before)
}

pub(super) fn scores(gtp: &mut Session) -> Outcome {
    gtp.expect("final_score", Error("cannot score"))?;
    for (moves, score) in [(OVER_BLACK, "B+64"), (OVER_WHITE, "W+64")] {
        gtp.set_up(moves)?;
        gtp.expect("final_score", Text(score))?;
    }
    Ok(())
}

pub(super) fn nothing_to_undo(gtp: &mut Session) -> Outcome {
    const TIMES: usize = 1000;
    gtp.expect("clear_board", Success)?;
    gtp.expect("undo", Error("cannot undo"))?;
    gtp.engine.send("clear_board\nundo\n".repeat(TIMES));
    for _ in 0..TIMES {
        for expect in [Success, Error("cannot undo")] {
            let reply = gtp.reply(gtp.engine.limits.reply)?;
            gtp.check(&reply, expect)?;
        }
    }
    gtp.expect("play black f5", Success)?;
    Ok(())
}

pub(super) fn move_only_shown(gtp: &mut Session) -> Outcome {
    gtp.search_shortly()?;
    let before = gtp.shown()?;
    let reply = gtp.ask("reg_genmove black")?;
    if gtp.after(Black, &reply).is_none() {
        return Err(gtp.engine.mismatch(&reply.raw, "a legal move for black"));
    }
    gtp.same_position(&before)?;
    gtp.expect("play black f5", Success)?;
    Ok(())
}

pub(super) fn same_side_twice(gtp: &mut Session) -> Outcome {
    gtp.search_shortly()?;
    gtp.generate(Black, gtp.engine.limits.search)?;
    let before = gtp.shown()?;
    let reply = gtp.ask("genmove black")?;
    if reply.success {
        return Err(gtp.engine.mismatch(&reply.raw, "an error"));
    }
    gtp.same_position(&before)
}

pub(super) fn clear_after_search(gtp: &mut Session) -> Outcome {
    gtp.search_shortly()?;
    let before = gtp.shown()?;
    gtp.engine.send("genmove black\nclear_board\n");
    gtp.generated(Black, gtp.engine.limits.search)?;
    let reply = gtp.reply(gtp.engine.limits.reply)?;
    gtp.check(&reply, Success)?;
    gtp.same_position(&before)?;
    // It is Black's turn only if its move has been taken back.
    gtp.expect("play black f5", Success)?;
    Ok(())
}

pub(super) fn command_during_search(gtp: &mut Session) -> Outcome {
    let name = name(gtp)?;
    gtp.search_long()?;
    if gtp.offers("time_settings")? {
        gtp.quietly_ask("time_settings 0 2 1")?;
    }
    gtp.send("genmove black");
    std::thread::sleep(UNDERWAY / 2);
    gtp.send("name");
    gtp.generated(Black, gtp.engine.limits.search)?;
    let reply = gtp.reply(gtp.engine.limits.reply)?;
    if reply.raw != name.raw {
        return Err(gtp.engine.mismatch(&reply.raw, &String::from_utf8_lossy(&name.raw)));
    }
    Ok(())
}

pub(super) fn unlimited_time(gtp: &mut Session) -> Outcome {
    gtp.lower_level()?;
    gtp.expect("time_settings 0 1 0", Success)?;
    gtp.generate(Black, gtp.engine.limits.search)
}

/// Lets the engine move and checks that it took no longer than `limit`, on a clock sent to it before.
fn generate_in_time(gtp: &mut Session, limit: Duration) -> Outcome {
    gtp.generate(Black, gtp.engine.limits.search)?;
    let taken = gtp.engine.latency();
    gtp.engine.measured = Some(taken);
    if taken > limit {
        let got = format!("a move after {:.2} s", taken.as_secs_f64());
        let expected = format!("a move within {:.2} s", limit.as_secs_f64());
        return Err(gtp.engine.mismatch(got, &expected));
    }
    Ok(())
}

pub(super) fn no_time_left(gtp: &mut Session) -> Outcome {
    gtp.expect("time_settings 60 0 0", Success)?;
    gtp.expect("time_left black 0 0", Success)?;
    generate_in_time(gtp, AT_ONCE)
}

pub(super) fn odd_times(gtp: &mut Session) -> Outcome {
    gtp.expect("time_settings 60 0 0", Success)?;
    gtp.expect("time_left black", Error("syntax error"))?;
    gtp.expect("time_left green 3 0", Error("syntax error"))?;
    gtp.expect("time_left black 1.5 0", Success)?;
    generate_in_time(gtp, Duration::from_millis(1500) + AT_ONCE)?;
    gtp.set_up("")?;
    gtp.expect("time_left black -3 0", Success)?;
    generate_in_time(gtp, AT_ONCE)
}

pub(super) fn five_seconds(gtp: &mut Session) -> Outcome {
    gtp.set_up(positions::MIDGAME)?;
    gtp.expect("time_settings 0 5 0", Success)?;
    gtp.expect("time_left black 5 0", Success)?;
    generate_in_time(gtp, Duration::from_millis(5250))
}

pub(super) fn bare_square(gtp: &mut Session) -> Outcome {
    gtp.search_shortly()?;
    let reply = gtp.ask("genmove black")?;
    let form = matches!(*reply.raw, [b'=', b' ', b'A'..=b'H', b'1'..=b'8', b'\n', b'\n']);
    if form && gtp.after(Black, &reply).is_some() {
        return Ok(());
    }
    Err(gtp.engine.mismatch(&reply.raw, "= C4\n\n, = D3\n\n, = E6\n\n or = F5\n\n"))
}

pub(super) fn board_shown(gtp: &mut Session) -> Outcome {
    let reply = gtp.expect("showboard", Success)?;
    if reply.text.lines().count() < 8 {
        return Err(gtp.engine.mismatch(&reply.raw, "a board of at least eight lines, none empty"));
    }
    gtp.engine.quiet(SETTLE)
}

/// The legal squares of the side to move, in capitals.
fn legal_names(position: Position) -> Vec<String> {
    position.board.moves().map(|square| format!("{square:#}")).collect()
}

pub(super) fn legal_moves(gtp: &mut Session) -> Outcome {
    for moves in ["", PASS, OVER_BLACK] {
        gtp.set_up(moves)?;
        let mut expected = legal_names(gtp.game.position());
        if expected.is_empty() && !gtp.game.is_over() {
            expected.push("pass".to_owned());
        }
        expected.sort();
        let reply = gtp.ask("gogui-rules_legal_moves")?;
        let mut listed: Vec<_> = reply.text.split_ascii_whitespace().collect();
        listed.sort_unstable();
        if !reply.success || listed != expected {
            let expected = format!("= {}\n\n", expected.join(" "));
            return Err(gtp.engine.mismatch(&reply.raw, &expected));
        }
    }
    Ok(())
}

pub(super) fn ruler_board(gtp: &mut Session) -> Outcome {
    gtp.set_up("f5")?;
    let reply = gtp.ask("gogui-rules_board")?;
    let cells = gtp.game.position().cells().replace('-', ".");
    // Row 8 comes first; blanks between the cells are skipped by front ends.
    let expected: Vec<&str> = (0..8).rev().map(|row| &cells[8 * row..8 * row + 8]).collect();
    let rows: Vec<String> = reply.text.lines().map(|line| line.replace(' ', "")).collect();
    if !reply.success || rows != expected {
        return Err(gtp.engine.mismatch(&reply.raw, &expected.join("\n")));
    }
    Ok(())
}

pub(super) fn interrupt(gtp: &mut Session) -> Outcome {
    let name = name(gtp)?;
    gtp.search_long()?;
    gtp.send("genmove black");
    std::thread::sleep(UNDERWAY);
    gtp.send("# interrupt");
    gtp.generated(Black, PROMPT_EXIT)?;
    gtp.engine.measured = Some(gtp.engine.latency());
    gtp.engine.quiet(SETTLE)?;
    gtp.expect_single(b"name\n", &name.raw)
}

pub(super) fn output_closed(gtp: &mut Session) -> Outcome {
    gtp.engine.restart(&[], Output::Closed)?;
    gtp.engine.send("name\nname\nname\n");
    let status = gtp.engine.exit(gtp.engine.limits.reply)?;
    let noise = String::from_utf8_lossy(gtp.engine.noise()).to_lowercase();
    let is_panic = ["panic", "traceback", "exception", "abort"].iter().any(|w| noise.contains(w));
    // Ending by the signal of a broken pipe is fine.
    if is_panic || is_crash(status) {
        let got = format!("{status}, {}", noise.trim());
        return Err(gtp.engine.mismatch(got, "a quiet exit"));
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

pub(super) fn many_commands(gtp: &mut Session) -> Outcome {
    const COMMANDS: [&str; 4] = ["protocol_version", "name", "known_command foo", "version"];
    const ROUNDS: usize = 50;
    let mut replies = Vec::new();
    for command in COMMANDS {
        replies.push(gtp.expect(command, Success)?.raw);
    }
    gtp.engine.send(format!("{}\n", COMMANDS.join("\n")).repeat(ROUNDS));
    for expected in replies.iter().cycle().take(ROUNDS * COMMANDS.len()) {
        let reply = gtp.reply(gtp.engine.limits.reply)?;
        if reply.raw != *expected {
            let expected = String::from_utf8_lossy(expected).into_owned();
            return Err(gtp.engine.mismatch(&reply.raw, &expected));
        }
    }
    gtp.engine.quiet(SETTLE)
}
