//! A session with the engine under test, whatever its protocol: what is sent and what must come.

use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};

use super::Protocol::{self, Json, Play};
use super::engine::{self, Engine, Missing};
use super::notation::{self, Names};
use super::{Outcome, Stop, nboard};
use crate::board::{Color, Move, Position};
use crate::formats::ggf::{self, GgfClock};
use crate::formats::{Headers, transcript};
use crate::game::Game;
use crate::protocol::Kind;

/// The limit for an answer where a case sets none. Includes a slow start and a search, hence the generosity.
pub(super) const ANSWER: Duration = Duration::from_secs(20);

/// A pattern that fits every line.
pub(super) const ANYTHING: &str = "...";

/// An engine in a session.
pub(super) struct Session {
    pub engine: Engine,
    pub kind: Protocol,
    /// Whether every byte counts, also in GTP line by line.
    is_exact: bool,
    /// The limit for everything, instead of the usual ones.
    patience: Option<Duration>,
    pub names: Names,
    /// The positions in which a move may be made, mostly one.
    pub positions: Vec<Position>,
    /// The side asked for a move in GTP.
    side: Option<Color>,
    /// Whether the engine also plays the move asked for.
    plays: bool,
    /// The last answer: in GTP from the sign through the empty line, else a line without its end.
    pub last: Vec<u8>,
    /// The answers since the case sent its last lines.
    pub heard: Vec<String>,
    /// What the lines must fit that may come before the next one expected.
    pub over: String,
    /// The limit for the next answer, from the last sending on, if the case sets one.
    pub within: Option<Duration>,
    /// The position as the engine showed it.
    pub shown: Vec<String>,
    /// The peak memory in bytes after the engine's start, once measured.
    pub memory: Option<u64>,
    /// Lines to be sent together.
    queue: Vec<u8>,
    /// The number of the last ping of [`Session::sync`].
    ping: i64,
}

impl Session {
    pub fn new(
        engine: Engine,
        kind: Protocol,
        is_exact: bool,
        patience: Option<Duration>,
    ) -> Session {
        let (side, plays, within, memory) = Default::default();
        let (names, last, heard, over, shown, queue) = Default::default();
        let positions = vec![Position::START];
        // Numbers that the cases do not send themselves.
        let ping = 1000;
        Session {
            engine,
            kind,
            is_exact,
            patience,
            names,
            positions,
            side,
            plays,
            last,
            heard,
            over,
            within,
            shown,
            memory,
            queue,
            ping,
        }
    }

    /// Whether the engine still answers.
    pub fn probe(&mut self) -> Outcome {
        match self.kind {
            Play(Kind::Gtp) => self.ask("name", "=..."),
            Play(Kind::Nboard) => self.sync(),
            Play(Kind::Cassio) => self.ask_past("", "ready."),
            Play(Kind::Edax) => self.ask_past("", ">"),
            Play(Kind::Xboard) => self.ask_past("ping 1", "pong 1"),
            Json => self.ask_past(r#"{"action":"version"}"#, r#"{..."action":"version"..."#),
        }
    }

    /// A mismatch described in words.
    pub fn unlike(&self, got: impl Into<String>, expected: &str) -> Stop {
        self.engine.report(got.into(), expected)
    }

    /// A mismatch of the last answer.
    pub fn wrong(&self, expected: &str) -> Stop {
        self.engine.mismatch(&self.last, expected)
    }

    /// The limit of the next step, if it usually has this one.
    pub fn limit(&mut self, usual: Duration) -> Duration {
        self.within.take().or(self.patience).unwrap_or(usual)
    }

    /// Takes a line to be sent together with those before it.
    pub fn enqueue(&mut self, line: &str) -> Outcome {
        self.queue.extend(notation::bytes(line).with_context(|| format!("a bad escape: {line}"))?);
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if let Some(request) = words.iter().find(|word| word.ends_with("genmove")) {
            self.plays = *request == "genmove";
            let is_last = |color: &Color| words.last() == Some(&color.name());
            self.side = [Color::Black, Color::White].into_iter().find(is_last);
        }
        let mut positions = words.iter().filter_map(|word| Position::parse(word.as_bytes()).ok());
        if let (Play(Kind::Cassio), Some(position)) = (self.kind, positions.next()) {
            self.positions = vec![position];
        }
        Ok(())
    }

    /// Sends all lines taken.
    pub fn flush(&mut self) {
        if !self.queue.is_empty() {
            self.engine.send(std::mem::take(&mut self.queue));
        }
    }

    /// Sends a line and checks the answer.
    pub fn ask(&mut self, line: &str, pattern: &str) -> Outcome {
        self.enqueue(line)?;
        self.flush();
        self.expect(pattern)
    }

    /// As [`Session::ask`], passing over all lines before the answer.
    pub fn ask_past(&mut self, line: &str, pattern: &str) -> Outcome {
        ANYTHING.clone_into(&mut self.over);
        self.ask(line, pattern)
    }

    /// Does something that is not part of the case and keeps it out of reports.
    pub fn aside(&mut self, action: impl FnOnce(&mut Session) -> Outcome) -> Outcome {
        let (mark, within) = (self.engine.sent.len(), self.within.take());
        action(self)?;
        self.engine.sent.truncate(mark);
        self.within = within;
        Ok(())
    }

    /// Sends a ping that is not part of the case and waits for its pong.
    pub fn sync(&mut self) -> Outcome {
        self.ping += 1;
        let ping = self.ping;
        self.aside(|session| session.ask_past(&format!("ping {ping}"), &format!("pong {ping}")))
    }

    /// Sends the first of these GTP commands that the engine knows, outside of the case; false if there is none.
    pub fn attempt(&mut self, commands: &str) -> Outcome<bool> {
        for command in commands.split(" | ") {
            if self.knows(command.split(' ').next().unwrap_or_default())? {
                self.aside(|session| session.ask(command, "=... | ?..."))?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the engine knows a GTP command.
    pub fn knows(&mut self, command: &str) -> Outcome<bool> {
        let question = format!("known_command {command}");
        self.aside(|session| session.ask(&question, "=... | ?..."))?;
        Ok(self.text(false).trim_start_matches(['=', ' ']) == "true")
    }

    /// Awaits an answer that fits one of these patterns; `! ` before them demands the exact bytes.
    pub fn expect(&mut self, patterns: &str) -> Outcome {
        let exact = patterns.strip_prefix("! ");
        let (patterns, is_exact) = (exact.unwrap_or(patterns), exact.is_some() || self.is_exact);
        let expected = self.description(patterns);
        let within = self.within;
        // Wait a little longer than allowed, to report how late a late answer is.
        let more = within.map_or(Duration::ZERO, |_| Duration::from_secs(2));
        let limit = self.limit(ANSWER) + more;
        let deadline = Instant::now() + limit;
        let over = std::mem::take(&mut self.over);
        loop {
            if let Some(missing) = self.take(deadline)? {
                return Err(self.engine.lost(missing, limit, &expected));
            }
            let text = self.text(is_exact);
            self.heard.push(text.clone());
            if self.fits(patterns, is_exact) {
                break;
            }
            // A move that is asked for is the next one.
            let is_move = patterns.starts_with("===") && text.starts_with("===");
            if over.is_empty() || is_move || !self.fits(&over, is_exact) {
                return Err(self.wrong(&expected));
            }
        }
        let taken = self.engine.latency();
        match within.filter(|within| taken > *within) {
            None => Ok(()),
            Some(within) => {
                let answer = String::from_utf8_lossy(&self.last);
                let got = format!("{} after {} ms", answer.trim(), taken.as_millis());
                let expected = format!("{} within {} ms", expected.trim(), within.as_millis());
                Err(self.unlike(got, &expected))
            }
        }
    }

    /// Takes the next answer. In NBoard it must be a line that the front end can read.
    fn take(&mut self, deadline: Instant) -> Outcome<Option<Missing>> {
        let by_reply = self.kind == Play(Kind::Gtp) && !self.is_exact;
        match self.engine.take(deadline, if by_reply { engine::reply } else { engine::line }) {
            Ok(last) => self.last = last,
            Err(missing) => return Ok(Some(missing)),
        }
        if self.kind == Play(Kind::Nboard) {
            nboard::check(&self.text(false)).map_err(|expected| self.wrong(expected))?;
        }
        Ok(None)
    }

    /// The text of the last answer; unless it is exact, carriage returns and blanks around the parts do not count. In GTP one blank
    /// before the text stays: text glued to the sign is misread by most front ends.
    pub fn text(&self, is_exact: bool) -> String {
        let text = String::from_utf8_lossy(&self.last);
        match self.kind {
            Play(Kind::Gtp) if is_exact && !self.is_exact => {
                // The blank of an empty reply may be missing.
                let reply = text.strip_suffix("\n\n").unwrap_or(&text);
                if reply == "= " { "=".to_owned() } else { reply.to_owned() }
            }
            _ if is_exact => text.into_owned(),
            Play(Kind::Gtp) => {
                let text = text.replace('\r', "");
                let text = text.trim_end();
                text.split_once(' ')
                    .map_or(text.to_owned(), |(sign, rest)| format!("{sign} {}", rest.trim_start()))
            }
            // The order of keys says nothing.
            Json => serde_json::from_str(&text)
                .map_or_else(|_| text.to_string(), |value: serde_json::Value| value.to_string()),
            Play(Kind::Nboard) => text.split_ascii_whitespace().collect::<Vec<_>>().join(" "),
            _ => text.trim_end_matches('\r').to_owned(),
        }
    }

    /// Whether the last answer fits; plays the move in it.
    fn fits(&mut self, patterns: &str, is_exact: bool) -> bool {
        let (text, mut names) = (self.text(is_exact), self.names.clone());
        let is_move = |part: &str| self.after(part, is_exact).is_some();
        let mut patterns = patterns.split(" | ");
        if !patterns.any(|pattern| notation::fits(pattern, &text, &mut names, &is_move)) {
            return false;
        }
        if let Some(place) = names.iter().position(|name| name.0 == "MOVE") {
            let mv = names.remove(place).1;
            if let (true, Some(after)) = (self.plays, self.after(&mv, is_exact)) {
                self.positions = vec![after];
            }
        }
        self.names = names;
        true
    }

    /// One of the answers since the case sent its last lines that fits.
    pub fn heard(&self, patterns: &str) -> Option<&String> {
        let fits =
            |line: &str, pattern| notation::fits(pattern, line, &mut Names::new(), &|_| false);
        self.heard.iter().find(|line| patterns.split(" | ").any(|pattern| fits(line, pattern)))
    }

    /// The position after the move of an answer, whatever follows it; `None` unless it is legal for the side that was asked.
    fn after(&self, text: &str, is_exact: bool) -> Option<Position> {
        let word = text.split([' ', '/']).next()?;
        let mv = Move::parse(word.as_bytes())?;
        let is_right =
            self.kind != Play(Kind::Gtp) || mv != Move::Pass || word.eq_ignore_ascii_case("pass");
        let is_right = is_right && (!is_exact || text == format!("{mv:#}"));
        self.on_turn().find_map(|position| position.play(mv)).filter(|_| is_right)
    }

    /// The positions with the side to move that was asked, if necessary after a forced pass of the other one.
    fn on_turn(&self) -> impl Iterator<Item = Position> {
        self.positions.iter().filter_map(|&position| match self.side {
            Some(side) if side != position.side => position.play(Move::Pass),
            _ => Some(position),
        })
    }

    /// A description of the patterns for reports.
    fn description(&self, patterns: &str) -> String {
        let is_gtp = self.kind == Play(Kind::Gtp) && !self.is_exact;
        let squares = self.on_turn().flat_map(|position| position.board.moves());
        let squares: Vec<String> = squares.map(|square| format!("{square:#}")).collect();
        let moves = match squares.is_empty() {
            true if is_gtp => "pass".to_owned(),
            true => "PA".to_owned(),
            false => format!("(one of {})", squares.join(" ")),
        };
        let texts = patterns.split(" | ");
        let texts: Vec<_> = texts
            .map(|text| if is_gtp { format!("{text}\n\n") } else { text.to_owned() })
            .collect();
        texts.join(" or ").replace("$MOVE", "the move").replace("MOVE", &moves)
    }

    /// The next line before `deadline`, or `None` if there is none.
    pub fn line_before(&mut self, deadline: Instant, expected: &str) -> Outcome<Option<String>> {
        match self.take(deadline)? {
            None => Ok(Some(self.text(false))),
            Some(Missing::Late) => Ok(None),
            Some(missing) => Err(self.engine.lost(missing, Duration::ZERO, expected)),
        }
    }

    /// Plays these moves from the start.
    pub fn set_up(&mut self, moves: &str) -> Outcome {
        let game = game(moves)?;
        let before = std::mem::replace(&mut self.positions, vec![game.position()]);
        if self.kind == Play(Kind::Nboard) {
            self.enqueue(&format!("set game {}", ggf(&game)))?;
            self.flush();
            return Ok(());
        }
        if before != [Position::START] {
            self.ask("clear_board", "=...")?;
        }
        for ply in game.plies() {
            self.ask(&format!("play {} {}", ply.before.side, ply.mv), "=...")?;
        }
        Ok(())
    }
}

/// The game of these moves from the standard start, with the forced passes filled in; `start` stands for none.
pub(super) fn game(moves: &str) -> Outcome<Game> {
    let moves = moves.strip_prefix("start").unwrap_or(moves);
    let record = transcript::read(moves.as_bytes()).map_err(anyhow::Error::from)?;
    Ok(record.replay().map_err(|error| anyhow!("{error} in {moves}"))?)
}

/// The game with the tags that NBoard writes.
fn ggf(game: &Game) -> String {
    let headers = Headers {
        names: ["one", "two"].map(str::to_owned),
        place: "NBoard".to_owned(),
        date: "2014-02-21 20:52:27 GMT".to_owned(),
        clocks: [GgfClock::parse(b"5:00"); 2],
        ..Headers::default()
    };
    ggf::write(game, &headers)
}
