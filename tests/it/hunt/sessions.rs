//! Random sessions in all three protocols, against a model of the rules and of the replies.
//!
//! A model writes bursts of lines, sensible and odd ones, and judges all that comes back.

mod cassio;
mod gtp;
mod nboard;

use super::Random;
use crate::harness::engine::{Errors, Silence, Traffic};
use crate::harness::{Engine, Folder, program, run};

/// A session with the program.
struct Talk {
    engine: Engine,
    /// The folder of its log, if the session can be replayed.
    log: Option<Folder>,
}

/// How a session ends.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// By `quit`, with more lines behind it, which nobody reads.
    Quit,
    /// By the end of the input.
    Close,
    /// By the end of the input in the middle of a line.
    Break,
}

impl Talk {
    fn start(random: &mut Random, protocol: &str, options: &[&str]) -> Talk {
        // Sessions with several threads or another player do not repeat.
        let repeats =
            !options.iter().any(|option| option.contains("threads") || option.contains("player"));
        let log = (repeats && random.is_long && random.one_in(4)).then(|| Folder::new("hunt-log"));
        let mut command = program(&[&[protocol, "--hash", "1"], options].concat());
        command.args(log.iter().flat_map(|folder| ["--log-file".into(), folder.file("log")]));
        let engine = Engine::start_as("engine", command, Errors::Apart, &Traffic::new());
        Talk { engine, log }
    }

    /// Sends lines in one go, or in pieces.
    fn send(&mut self, random: &mut Random, lines: &[Vec<u8>]) {
        let mut bytes = lines.join(&b'\n');
        bytes.push(b'\n');
        if random.one_in(4) {
            let rest = bytes.split_off(random.below(bytes.len()));
            self.engine.send_bytes(&bytes);
            bytes = rest;
        }
        self.engine.send_bytes(&bytes);
    }

    /// Sends the last lines, and ends the session.
    fn send_last(&mut self, end: End, quit: &str, lines: &[Vec<u8>]) {
        let mut lines = lines.to_vec();
        if end == End::Quit {
            lines.extend([quit, "genmove b", "ping 5", "ENGINE-PROTOCOL init"].map(Vec::from));
        }
        let mut bytes = lines.join(&b'\n');
        if end != End::Break {
            bytes.push(b'\n');
        }
        if end == End::Quit {
            // The engine may have ended before it gets all lines.
            drop(self.engine.try_send(&bytes));
        } else {
            self.engine.send_bytes(&bytes);
            self.engine.close_input();
        }
    }

    /// The next line; `None` at the end of the output.
    fn next(&mut self) -> Option<String> {
        match self.engine.try_line() {
            Ok(line) if line.text.contains('\r') => self.fail("writes a carriage return"),
            Ok(line) => Some(line.text),
            Err(Silence::Ended) => None,
            Err(Silence::Stalled) => self.fail("stalls"),
        }
    }

    /// The next line, which must come.
    fn line(&mut self) -> String {
        self.next().unwrap_or_else(|| self.fail("ended early"))
    }

    /// Checks that nothing more comes and that the program has ended well.
    fn finish(mut self) {
        if let Some(line) = self.next() {
            self.fail(&format!("writes too much: {line}"));
        }
        let (status, errors) = (self.engine.wait().code(), self.engine.errors());
        if status != Some(0) || !errors.is_empty() {
            self.fail(&format!("ended with {status:?} and the errors '{errors}'"));
        }
        let Some(log) = &self.log else { return };
        let text = String::from_utf8_lossy(&log.read("log")).into_owned();
        if !text.contains("set_threads") && !text.contains("set_player") {
            let replayed = run(&["replay", &log.file("log")], "");
            let (last, shown) = (replayed.last_line(), &replayed.stdout);
            self.check(last.ends_with("the same"), "is not repeated", &format!("{shown}\n{text}"));
        }
    }

    fn check(&self, is_right: bool, complaint: &str, found: &str) {
        if !is_right {
            self.fail(&format!("{complaint}: {found}"));
        }
    }

    fn fail(&self, cause: &str) -> ! {
        self.engine.fail(cause)
    }
}

/// Options of a session, which keep searches short.
fn options(random: &mut Random) -> Vec<&'static str> {
    let mut options = vec!["--no-book", "--level", random.word("1|2|3|4")];
    let chooser = random.word("--strength=20|--player=greedy|--player=minimax:rounds=2");
    for choice in [
        &[chooser][..],
        &["--threads", "2"],
        &["--threads", "3"],
        &["--ponder"],
        &["--clock", "move:0.02"],
        &["--clock", "1+0.01"],
        &["--nodes", "300"],
        &["--depth", "3"],
        &["--randomness", "3"],
        &["--sandbox"],
        &["--finish"],
    ] {
        if random.one_in(10) {
            options.extend(choice);
        }
    }
    options
}

/// Whether a text is a number in plain decimals, no further from 0 than `most`.
fn is_decimal(text: &str, most: f64) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    is_plain && text.parse::<f64>().is_ok_and(|number| number.abs() <= most)
}
