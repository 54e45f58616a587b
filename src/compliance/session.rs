//! A session with the engine under test, whatever its protocol: what is sent and what must come.

use std::cell::Cell;
use std::time::{Duration, Instant};

use anyhow::anyhow;

use super::engine::{Engine, Outcome, Output, Stop};
use super::notation::{Names, bytes, expand, fits};
use super::reply::Reply;
use super::{nboard, positions};
use crate::board::{Color, Move, Position, Square};
use crate::protocol::Kind;

/// The board and the side to move as the engine shows them, as far as it can.
pub(super) type Shown = [Option<String>; 2];

/// An engine in a session.
pub(super) struct Session<'a> {
    pub engine: &'a mut Engine,
    pub kind: Kind,
    pub names: Names,
    /// The positions in which a move may be made, mostly one.
    pub positions: Vec<Position>,
    /// The side asked for a move in GTP.
    pub side: Option<Color>,
    /// Whether the engine also plays the move asked for.
    plays: bool,
    /// The last answer.
    pub last: Reply,
    /// The lines passed over before the last answer.
    pub heard: Vec<String>,
    /// Whether any lines may come before the next one expected.
    pub passes_over: bool,
    /// The limit for the next answer, from the last sending on, if the case sets one.
    pub within: Option<Duration>,
    /// The reply to `list_commands`, once requested.
    pub commands: Option<Vec<String>>,
    pub remembered: Shown,
    /// The peak memory in bytes after the engine's start, once measured.
    pub memory: Option<u64>,
    /// From the start of the first process to its first answer.
    startup: Option<Duration>,
    /// More time for a process to end, because it must start first.
    pub grace: Duration,
    /// Lines to be sent together.
    queue: Vec<u8>,
    /// Whether the last sending needs a search.
    searches: bool,
    /// The number of the last ping of [`Session::sync`].
    ping: i64,
}

impl Session<'_> {
    pub fn new(engine: &mut Engine, kind: Kind, names: Names) -> Session<'_> {
        Session {
            engine,
            kind,
            names,
            positions: vec![Position::START],
            side: None,
            plays: false,
            last: Reply::default(),
            heard: Vec::new(),
            passes_over: false,
            within: None,
            commands: None,
            remembered: Shown::default(),
            memory: None,
            startup: None,
            grace: Duration::ZERO,
            queue: Vec::new(),
            searches: false,
            // Numbers that the cases do not send themselves.
            ping: 1000,
        }
    }

    /// Whether the engine still answers.
    pub fn probe(&mut self) -> Outcome {
        match self.kind {
            Kind::Gtp => self.ask("name", "=..."),
            Kind::Nboard => self.sync(),
            Kind::Cassio => {
                self.passes_over = true;
                self.ask("", "ready.")
            }
        }
    }

    /// A mismatch described in words.
    pub fn unlike(&self, got: impl Into<String>, expected: &str) -> Stop {
        Stop::Mismatch(self.engine.report(got.into(), expected))
    }

    /// A mismatch of the last answer.
    pub fn wrong(&self, expected: &str) -> Stop {
        self.engine.mismatch(&self.last.raw, expected)
    }

    /// Sends a line together with those before it.
    pub fn send(&mut self, line: &str) -> Outcome {
        self.enqueue(line)?;
        self.flush();
        Ok(())
    }

    /// Takes a line to be sent, in the notation of the case files.
    pub fn enqueue(&mut self, line: &str) -> Outcome {
        let line = expand(line, &self.names);
        let bytes = bytes(&line);
        self.queue.extend(bytes.ok_or_else(|| Stop::Broken(anyhow!("a bad escape: {line}")))?);
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if let Some(request) = words.iter().find(|word| word.ends_with("genmove")) {
            self.plays = *request == "genmove";
            self.side = match words.last() {
                Some(&"black") => Some(Color::Black),
                Some(&"white") => Some(Color::White),
                _ => None,
            };
        }
        if self.kind == Kind::Cassio
            && let Some(position) =
                words.iter().find_map(|word| Position::parse(word.as_bytes()).ok())
        {
            self.positions = vec![position];
        }
        Ok(())
    }

    /// Sends all lines taken.
    pub fn flush(&mut self) {
        if !self.queue.is_empty() {
            // Lines of megabytes also take their time.
            self.searches = self.queue.len() > 1 << 20
                || self.queue.windows(7).any(|window| window == b"genmove");
            self.engine.send(std::mem::take(&mut self.queue));
        }
    }

    /// Sends a line and checks the answer.
    pub fn ask(&mut self, line: &str, pattern: &str) -> Outcome {
        self.send(line)?;
        self.expect(pattern)
    }

    /// Sends a line that is not part of the case and keeps it out of reports.
    pub fn ask_quietly(&mut self, line: &str, pattern: &str) -> Outcome {
        let mark = self.engine.sent_mark();
        self.ask(line, pattern)?;
        self.engine.forget_since(mark);
        Ok(())
    }

    /// Sends a ping that is not part of the case and waits for its pong; the lines before are heard.
    pub fn sync(&mut self) -> Outcome {
        self.ping += 1;
        self.passes_over = true;
        let ping = self.ping;
        self.ask_quietly(&format!("ping {ping}"), &format!("pong {ping}"))
    }

    /// Asks for a move in NBoard, after a ping as the front end does it.
    pub fn go(&mut self) -> Outcome {
        let within = self.within.take();
        self.sync()?;
        self.within = within;
        self.passes_over = true;
        self.ask("go", "=== MOVE")
    }

    /// Awaits an answer that fits one of these patterns; `! ` before them demands the exact bytes.
    pub fn expect(&mut self, patterns: &str) -> Outcome {
        let exact = patterns.strip_prefix("! ");
        let expanded = expand(exact.unwrap_or(patterns), &self.names);
        let expected = self.description(&expanded);
        let searches = self.searches || expanded.contains("MOVE");
        let within = self.within.take();
        // Wait a little longer than allowed, to report how late a late answer is.
        let limit = match within {
            Some(within) => within + Duration::from_secs(2),
            None if searches => self.engine.limits.search,
            None => self.engine.limits.reply,
        };
        let passes_over = std::mem::take(&mut self.passes_over);
        self.heard.clear();
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.take_answer(if passes_over { left } else { limit }, &expected) {
                Err(Stop::Lost(mismatch)) if within.is_some() => {
                    return Err(Stop::Mismatch(mismatch));
                }
                outcome => outcome?,
            }
            if expanded.split(" | ").any(|pattern| self.is_met(pattern, exact.is_some())) {
                break;
            }
            if !passes_over || self.must_stop(&expanded) {
                return Err(self.wrong(&expected));
            }
            let text = std::mem::take(&mut self.last.text);
            self.heard.push(text);
        }
        let taken = self.engine.latency();
        match within.filter(|within| taken > *within) {
            None => Ok(()),
            Some(within) => {
                let answer = String::from_utf8_lossy(&self.last.raw);
                let got = format!("{} after {} ms", answer.trim(), taken.as_millis());
                let expected = format!("{} within {} ms", expected.trim(), within.as_millis());
                Err(self.unlike(got, &expected))
            }
        }
    }

    /// Takes the next answer.
    pub fn take_answer(&mut self, limit: Duration, expected: &str) -> Outcome {
        self.last = if self.kind == Kind::Gtp {
            self.engine
                .take(limit, expected, Reply::find)?
                .map_err(|stray| self.engine.mismatch(stray, "a reply, beginning with = or ?"))?
        } else {
            Reply::line(self.engine.line(limit, expected)?)
        };
        if self.kind == Kind::Nboard {
            self.read_line()?;
        }
        let latency = self.engine.latency();
        self.startup.get_or_insert(latency);
        Ok(())
    }

    /// Reads the last answer as NBoard does.
    fn read_line(&mut self) -> Outcome<nboard::Line> {
        let line = nboard::Line::parse(&self.last.raw).map_err(|expected| self.wrong(expected))?;
        self.last.text = self.last.text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        Ok(line)
    }

    /// The next NBoard line before `deadline`, or `None` if there is none.
    pub fn line_before(
        &mut self,
        deadline: Instant,
        expected: &str,
    ) -> Outcome<Option<nboard::Line>> {
        let Some(raw) = self.engine.line_before(deadline, expected)? else { return Ok(None) };
        self.last = Reply::line(raw);
        self.read_line().map(Some)
    }

    /// Whether the last answer fits, and plays the move in it.
    fn is_met(&mut self, pattern: &str, exact: bool) -> bool {
        let mut text = self.last.text.clone();
        if exact {
            text = String::from_utf8_lossy(&self.last.raw).into_owned();
            if self.kind == Kind::Gtp {
                let Some(reply) = text.strip_suffix("\n\n") else { return false };
                // The blank of an empty reply may be missing.
                text = if reply == "= " { "=".to_owned() } else { reply.to_owned() };
            }
        }
        let mut names = std::mem::take(&mut self.names);
        let after = Cell::new(None);
        let is_met = fits(pattern, &text, &mut names, &mut |part| {
            let Some(mv) = self.read_move(part).filter(|mv| !exact || part == format!("{mv:#}"))
            else {
                return false;
            };
            after.set(self.after(mv));
            after.get().is_some()
        });
        self.names = names;
        if let (true, true, Some(after)) = (is_met, self.plays, after.get()) {
            self.positions = vec![after];
        }
        is_met
    }

    /// The move of an answer, whatever may follow it.
    fn read_move(&self, text: &str) -> Option<Move> {
        match self.kind {
            Kind::Gtp if text.eq_ignore_ascii_case("pass") => Some(Move::Pass),
            Kind::Gtp => {
                let word = text.split_ascii_whitespace().next()?;
                Square::parse(word.as_bytes()).map(Move::Place)
            }
            _ => Move::parse(text.split([' ', '/']).next()?.as_bytes()),
        }
    }

    /// The position after a move, if it is legal for the side that was asked.
    fn after(&self, mv: Move) -> Option<Position> {
        self.on_turn().find_map(|position| position.play(mv))
    }

    /// The positions with the side to move that was asked, if necessary after a forced pass of the other one.
    fn on_turn(&self) -> impl Iterator<Item = Position> {
        self.positions.iter().filter_map(|&position| match self.side {
            Some(side) if side != position.side => position.play(Move::Pass),
            _ => Some(position),
        })
    }

    /// The squares where a move may be made, in capitals.
    pub fn legal_squares(&self) -> Vec<String> {
        self.on_turn()
            .flat_map(|position| position.board.moves())
            .map(|square| format!("{square:#}"))
            .collect()
    }

    /// A description of the patterns for reports.
    fn description(&self, patterns: &str) -> String {
        let end = if self.kind == Kind::Gtp { "\n\n" } else { "" };
        let texts: Vec<String> =
            patterns.split(" | ").map(|pattern| format!("{pattern}{end}")).collect();
        let squares = self.legal_squares();
        let moves = match squares.is_empty() {
            true if self.kind == Kind::Gtp => "pass".to_owned(),
            true => "PA".to_owned(),
            false => format!("(one of {})", squares.join(" ")),
        };
        texts.join(" or ").replace("MOVE", &moves)
    }

    /// Whether the last answer must not be passed over while these patterns are awaited.
    fn must_stop(&self, patterns: &str) -> bool {
        match self.kind {
            Kind::Gtp => true,
            Kind::Nboard => patterns.starts_with("===") && self.last.text.starts_with("==="),
            Kind::Cassio => {
                let is_result = |text: &str| text.contains(", move ");
                patterns != "ready." && !is_result(&self.last.text)
            }
        }
    }

    /// Starts the engine anew.
    pub fn restart(&mut self, environment: &[(&str, &str)]) -> Outcome {
        self.grace = self.startup.unwrap_or_default();
        self.engine.restart(environment, Output::Read)
    }

    /// Plays these moves from the start.
    pub fn set_up(&mut self, moves: &str) -> Outcome {
        let game = positions::replay(moves);
        if self.kind == Kind::Nboard {
            self.positions = vec![game.position()];
            return self.send(&format!("set game {}", positions::ggf(&game)));
        }
        if self.positions != [Position::START] {
            self.ask("clear_board", "=...")?;
        }
        let mut pass_before = None;
        for ply in game.plies() {
            let Some(square) = ply.mv.square() else {
                pass_before = Some(ply.before.side);
                continue;
            };
            let command = format!("play {} {square}", ply.before.side);
            self.ask(&command, "=... | ?...")?;
            if let (Some(passer), true) = (pass_before.take(), self.last.text.starts_with('?')) {
                // The engine may know explicit passes only.
                self.ask(&format!("play {passer} pass"), "=...")?;
                self.ask(&command, "=... | ?...")?;
            }
            if self.last.text.starts_with('?') {
                return Err(self.wrong("a success"));
            }
        }
        self.positions = vec![game.position()];
        Ok(())
    }

    /// Whether the engine lists a GTP command.
    pub fn offers(&mut self, command: &str) -> Outcome<bool> {
        if self.commands.is_none() {
            self.ask_quietly("list_commands", "=... | ?...")?;
            let listed = self.last.text.strip_prefix('=').unwrap_or_default().lines();
            self.commands =
                Some(listed.map(|line| line.trim().to_owned()).filter(|l| !l.is_empty()).collect());
        }
        match &self.commands {
            Some(listed) if !listed.is_empty() => Ok(listed.iter().any(|name| name == command)),
            _ => {
                self.ask_quietly(&format!("known_command {command}"), "=... | ?...")?;
                Ok(self.last.text == "= true")
            }
        }
    }

    /// The position as the engine shows it, by whatever means it has.
    pub fn shown(&mut self) -> Outcome<Shown> {
        let board = match self.text_of("gogui-rules_board")? {
            None => self.text_of("showboard")?,
            board => board,
        };
        Ok([board, self.text_of("gogui-rules_side_to_move")?])
    }

    /// The reply to a command, if the engine lists it.
    fn text_of(&mut self, command: &str) -> Outcome<Option<String>> {
        if !self.offers(command)? {
            return Ok(None);
        }
        self.ask_quietly(command, "=... | ?...")?;
        Ok(Some(self.last.text.clone()))
    }
}
