//! Complete games over pipes, refereed with the library's own rules.
//!
//! The referee knows the legal moves and keeps the clocks. An illegal move, an error reply, a line that the protocol does not
//! allow, endless silence, an early exit or a loss on time fails a test with the last lines of the traffic.
//!
//! `OTHELLIER_GAMES` sets the number of games of each kind, 2 unless set. Without gtp-rhino its tests end early, except when
//! `OTHELLIER_REQUIRE_RHINO` is set.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::rc::Rc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use othellier::board::{Move, Position};
use othellier::game::{Game, Note, must_pass};

use crate::cli::PATIENCE;

const OTHELLIER: &str = env!("CARGO_BIN_EXE_othellier");
const RHINO: &str = "/usr/games/gtp-rhino";

/// Lines of traffic shown with a failure.
const SHOWN_LINES: usize = 40;

/// Held by every test here: more than two engines at once would take the time from each other that the clocks measure.
static ONE_GAME_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Opening moves, passes left out. The first and the third leave a side without a move at once.
const OPENINGS: [&str; 6] =
    ["f5f6d3g5h5h4f7h6", "f5d6c3d3c4", "e6f6c4e7e8d8g7f8", "f5f6e6f4", "", "f5d6c5f4e3c6"];

/// How a side without a move is dealt with.
#[derive(Clone, Copy, PartialEq)]
enum Passes {
    /// It is asked and answers with a pass, which the other side is told, as match tools do.
    Explicit,
    /// Nobody mentions it, as in Quarry.
    Implied,
}

/// Base time and increment of each side.
#[derive(Clone, Copy)]
struct Time {
    base: Duration,
    increment: Duration,
}

const ONE_SECOND: Time =
    Time { base: Duration::from_secs(1), increment: Duration::from_millis(10) };

/// What both players are told before a game.
#[derive(Clone, Copy)]
struct Conditions {
    passes: Passes,
    time: Option<Time>,
}

/// A chosen move.
struct Answer {
    mv: Move,
    /// The evaluation as the engine wrote it, empty if it gave none.
    value: String,
    /// In whole milliseconds: what an engine is told is exactly what its clock is charged.
    elapsed: Duration,
}

/// One side of a game, whatever its protocol.
trait Player {
    /// Starts a game whose opening has been played already.
    fn set_up(&mut self, game: &Game, conditions: Conditions);
    /// Asks for a move in the current position, which is this player's.
    fn choose(&mut self, game: &Game, left: Option<Duration>) -> Answer;
    /// Takes note that its own move was played, if the protocol says so; `game` is after it.
    fn confirm(&mut self, _game: &Game, _answer: &Answer) {}
    /// Takes note of the opponent's move; `game` is after it.
    fn inform(&mut self, game: &Game, answer: &Answer);
    /// Checks that the player agrees that the game is over.
    fn finish(&mut self, game: &Game);
    /// Fails the test.
    fn fail(&self, cause: &str) -> !;
}

/// Plays one game to its end; the first player has Black.
fn referee(mut players: [&mut dyn Player; 2], opening: &str, conditions: Conditions) {
    let mut game = opened(opening);
    let mut left = conditions.time.map(|time| [time.base; 2]);
    for player in &mut players {
        player.set_up(&game, conditions);
    }
    while !game.is_over() {
        if conditions.passes == Passes::Implied && must_pass(game.position().board) {
            assert!(game.play(Move::Pass, Note::default()));
            continue;
        }
        let mover = game.position().side.index();
        let answer = players[mover].choose(&game, left.map(|left| left[mover]));
        if let (Some(time), Some(left)) = (conditions.time, &mut left) {
            match left[mover].checked_sub(answer.elapsed) {
                Some(rest) => left[mover] = rest + time.increment,
                None => players[mover].fail(&format!(
                    "lost on time: {:?} used of {:?}, ply {}",
                    answer.elapsed,
                    left[mover],
                    game.plies().len() + 1
                )),
            }
        }
        if !game.play(answer.mv, Note::default()) {
            players[mover].fail(&format!("illegal move {} in {:?}", answer.mv, game.position()));
        }
        players[mover].confirm(&game, &answer);
        players[1 - mover].inform(&game, &answer);
    }
    for player in &mut players {
        player.finish(&game);
    }
}

/// A game with the moves of an opening played, and its passes filled in.
fn opened(opening: &str) -> Game {
    let mut game = Game::default();
    for square in opening.as_bytes().chunks(2) {
        if must_pass(game.position().board) {
            assert!(game.play(Move::Pass, Note::default()));
        }
        let mv = Move::parse(square).unwrap();
        assert!(game.play(mv, Note::default()), "{mv} in {opening}");
    }
    game
}

/// Plays the games of a test, each player having Black in turn.
fn play_games(first: &mut dyn Player, second: &mut dyn Player, conditions: Conditions) {
    let games: usize = std::env::var("OTHELLIER_GAMES").map_or(2, |games| games.parse().unwrap());
    for number in 0..games {
        let opening = OPENINGS[number % OPENINGS.len()];
        // Over all games each opening is met from both sides.
        if (number + number / OPENINGS.len()).is_multiple_of(2) {
            referee([first, second], opening, conditions);
        } else {
            referee([second, first], opening, conditions);
        }
    }
}

fn wait_for_turn() -> MutexGuard<'static, ()> {
    // A failure in one test says nothing about the others.
    ONE_GAME_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

// Processes

/// The last lines of both engines of a game.
#[derive(Clone)]
struct Traffic {
    started: Instant,
    lines: Rc<RefCell<VecDeque<String>>>,
}

impl Traffic {
    fn new() -> Traffic {
        Traffic { started: Instant::now(), lines: Rc::default() }
    }

    fn add(&self, at: Instant, label: &str, direction: char, text: &str) {
        let seconds = (at - self.started).as_secs_f64();
        let mut lines = self.lines.borrow_mut();
        lines.push_back(format!("{seconds:9.3} {label} {direction} {text}"));
        if lines.len() > SHOWN_LINES {
            lines.pop_front();
        }
    }
}

/// A line of output and when it arrived.
struct Line {
    text: String,
    at: Instant,
}

/// An engine's process. It is killed when dropped.
struct Process {
    label: &'static str,
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Line>,
    traffic: Traffic,
}

impl Process {
    fn start(label: &'static str, traffic: &Traffic, program: &str, arguments: &[&str]) -> Process {
        // NBoard reads both streams as one, and no front end shows stderr to anybody: it is held to the same rules.
        let (reader, writer) = std::io::pipe().unwrap();
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(writer.try_clone().unwrap())
            .stderr(writer)
            .spawn()
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        let (sender, output) = mpsc::channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(reader);
            let mut bytes = Vec::new();
            while reader.read_until(b'\n', &mut bytes).is_ok_and(|length| length > 0) {
                let at = Instant::now();
                // A carriage return stays in the line and makes it one that is not allowed.
                let text = String::from_utf8_lossy(bytes.strip_suffix(b"\n").unwrap_or(&bytes));
                if sender.send(Line { text: text.into_owned(), at }).is_err() {
                    break;
                }
                bytes.clear();
            }
        });
        Process { label, input: child.stdin.take(), child, output, traffic: traffic.clone() }
    }

    /// Writes lines, each with its end, in one go.
    fn send(&mut self, lines: &str) {
        for line in lines.lines() {
            self.traffic.add(Instant::now(), self.label, '>', line);
        }
        let input = self.input.as_mut().expect("the input is open until the end");
        if input.write_all(lines.as_bytes()).is_err() {
            self.fail("does not read any more");
        }
    }

    /// The next line, which must come.
    fn line(&mut self) -> Line {
        match self.output.recv_timeout(PATIENCE) {
            Ok(line) => self.seen(line),
            Err(RecvTimeoutError::Timeout) => self.fail("stalls"),
            Err(RecvTimeoutError::Disconnected) => {
                let status = self.child.wait();
                self.fail(&format!("ended early: {status:?}"))
            }
        }
    }

    fn seen(&self, line: Line) -> Line {
        self.traffic.add(line.at, self.label, '<', &line.text);
        line
    }

    /// Closes the input; the process must end and write nothing more.
    fn end(mut self) {
        self.input = None;
        let closed = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if closed.elapsed() > PATIENCE {
                self.fail("does not end at the end of its input");
            }
            thread::sleep(Duration::from_millis(2));
        };
        if !status.success() {
            self.fail(&format!("ended with {status}"));
        }
        if let Ok(line) = self.output.recv_timeout(PATIENCE) {
            self.seen(line);
            self.fail("writes after the end");
        }
    }

    fn fail(&self, cause: &str) -> ! {
        let lines = Vec::from(self.traffic.lines.borrow().clone()).join("\n");
        panic!("{} {cause}\nlast lines:\n{lines}", self.label)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

// GTP

/// A player over GTP.
struct GtpPlayer {
    process: Process,
    engine: GtpEngine,
    /// Commands not sent yet: a `play` travels together with the `genmove` that follows, as in Quarry.
    queued: String,
    /// Commands whose replies have not been read yet.
    unanswered: VecDeque<String>,
}

#[derive(Clone, Copy, PartialEq)]
enum GtpEngine {
    Othellier { level: Option<u32> },
    Rhino,
}

impl GtpPlayer {
    fn start(label: &'static str, traffic: &Traffic, engine: GtpEngine) -> GtpPlayer {
        let process = match engine {
            GtpEngine::Othellier { .. } => {
                Process::start(label, traffic, OTHELLIER, &["gtp", "--hash", "16"])
            }
            GtpEngine::Rhino => Process::start(label, traffic, RHINO, &["-l", "1", "-b", "0"]),
        };
        GtpPlayer { process, engine, queued: String::new(), unanswered: VecDeque::new() }
    }

    fn queue(&mut self, command: &str) {
        self.queued += command;
        self.queued.push('\n');
        self.unanswered.push_back(command.to_owned());
    }

    /// Sends what is queued and reads all replies; the last one is returned.
    fn settle(&mut self) -> Option<Line> {
        let queued = std::mem::take(&mut self.queued);
        if !queued.is_empty() {
            self.process.send(&queued);
        }
        let mut last = None;
        while let Some(command) = self.unanswered.pop_front() {
            last = Some(self.reply(&command));
        }
        last
    }

    fn ask(&mut self, command: &str) -> Line {
        self.queue(command);
        self.settle().expect("a command was queued")
    }

    /// Reads the reply to `command`, which must be a success of one line.
    fn reply(&mut self, command: &str) -> Line {
        let Line { text, at } = self.process.line();
        // Of our own replies the exact form is expected; gtp-rhino omits the blank before an empty text.
        let text = match (text.strip_prefix("= "), self.engine) {
            (Some(text), _) => text.to_owned(),
            (None, GtpEngine::Rhino) if text == "=" => String::new(),
            _ => self.process.fail(&format!("answers '{command}' with '{text}'")),
        };
        if !self.process.line().text.is_empty() {
            self.process.fail(&format!("answers '{command}' with more than a line"));
        }
        Line { text, at }
    }

    /// Ends the process after `quit`.
    fn quit(mut self) {
        self.ask("quit");
        self.process.end();
    }
}

/// A move as GTP writes it; upper case, as in the published examples.
fn gtp_move(mv: Move) -> String {
    mv.square().map_or_else(|| "pass".to_owned(), |square| format!("{square:#}"))
}

impl Player for GtpPlayer {
    fn set_up(&mut self, game: &Game, conditions: Conditions) {
        self.queue("set_game Othello");
        self.queue("boardsize 8");
        self.queue("clear_board");
        if let GtpEngine::Othellier { level: Some(level) } = self.engine {
            self.queue(&format!("set_level {level}"));
        }
        if let Some(Time { base, increment }) = conditions.time {
            // The decimals are ours: the standard has whole seconds.
            let (base, increment) = (base.as_secs_f64(), increment.as_secs_f64());
            self.queue(&format!("time_settings {base} {increment} 0"));
        }
        for ply in game.plies() {
            if ply.mv != Move::Pass || conditions.passes == Passes::Explicit {
                self.queue(&format!("play {} {}", ply.before.side, gtp_move(ply.mv)));
            }
        }
        self.settle();
    }

    fn choose(&mut self, game: &Game, left: Option<Duration>) -> Answer {
        let side = game.position().side;
        if let Some(left) = left {
            self.queue(&format!("time_left {side} {:.3} 0", left.as_secs_f64()));
            // The clock starts when the engine has nothing else to do.
            self.settle();
        }
        let asked = Instant::now();
        let reply = self.ask(&format!("genmove {side}"));
        let Some(mv) = Move::parse(reply.text.as_bytes()) else {
            self.process.fail(&format!("moves '{}'", reply.text))
        };
        if self.engine != GtpEngine::Rhino && reply.text != gtp_move(mv) {
            self.process.fail(&format!("writes '{}'", reply.text));
        }
        Answer { mv, value: String::new(), elapsed: whole_milliseconds(reply.at - asked) }
    }

    fn inform(&mut self, game: &Game, answer: &Answer) {
        let mover = game.position().side.opposite();
        self.queue(&format!("play {mover} {}", gtp_move(answer.mv)));
    }

    fn finish(&mut self, game: &Game) {
        for color in ["black", "white"] {
            let text = self.ask(&format!("genmove {color}")).text;
            if !text.eq_ignore_ascii_case("pass") {
                self.process.fail(&format!("moves '{text}' after the end"));
            }
        }
        let score = match game.result().expect("the game is over") {
            0 => "0".to_owned(),
            discs if discs > 0 => format!("B+{discs}"),
            discs => format!("W+{}", -discs),
        };
        let text = self.ask("final_score").text;
        if text != score {
            self.process.fail(&format!("counts {text}, it is {score}"));
        }
    }

    fn fail(&self, cause: &str) -> ! {
        self.process.fail(cause)
    }
}

fn whole_milliseconds(duration: Duration) -> Duration {
    Duration::from_millis(duration.as_nanos().div_ceil(1_000_000) as u64)
}

// NBoard

/// A player over NBoard, driven in the order of the NBoard program: state, `ping`, request.
struct NBoardPlayer {
    process: Process,
    /// Depth for choosing moves.
    depth: u32,
    /// Depth of the hints that the same engine gives while the opponent thinks; `None` for no hints.
    hint_depth: Option<u32>,
    sent_depth: Option<u32>,
    ping: u32,
    request: Request,
}

/// The last request, which decides what an engine may still say.
#[derive(Clone, Copy)]
enum Request {
    None,
    /// Answered already.
    Go,
    /// Running, perhaps, in this position.
    Hint(Position),
}

impl NBoardPlayer {
    fn start(
        label: &'static str,
        traffic: &Traffic,
        depth: u32,
        hint_depth: Option<u32>,
    ) -> NBoardPlayer {
        let mut process = Process::start(label, traffic, OTHELLIER, &["nboard", "--hash", "16"]);
        process.send("nboard 2\n");
        let request = Request::None;
        NBoardPlayer { process, depth, hint_depth, sent_depth: None, ping: 0, request }
    }

    /// The state commands before a request: the depth if it has changed, and a `ping`.
    fn preparation(&mut self, depth: u32) -> String {
        self.ping += 1;
        let ping = format!("ping {}\n", self.ping);
        if self.sent_depth.replace(depth) == Some(depth) {
            return ping;
        }
        format!("set depth {depth}\n{ping}")
    }

    /// Reads up to the `pong` of the last `ping`; what comes before it belongs to the last request.
    fn await_pong(&mut self) {
        let pong = format!("pong {}", self.ping);
        loop {
            let line = self.process.line();
            if line.text == pong {
                break;
            }
            match self.request {
                Request::Hint(position) => self.check_thinking(&line.text, position),
                Request::Go => self.check_words(&line.text, &["status", "nodestats"]),
                Request::None => self.check_words(&line.text, &["status", "set"]),
            }
        }
        self.request = Request::None;
    }

    fn check_words(&self, text: &str, allowed: &[&str]) {
        let word = text.split(' ').next().unwrap_or_default();
        let is_name =
            word != "set" || (text.starts_with("set myname ") && text.split(' ').count() == 3);
        if !allowed.contains(&word) || !is_name {
            self.process.fail(&format!("may not say '{text}' here"));
        }
    }

    /// Checks a line of a running search in `position`.
    fn check_thinking(&self, text: &str, position: Position) {
        self.check_words(text, &["status", "set", "nodestats", "search", "book"]);
        let fields: Vec<&str> = text.split(' ').collect();
        let is_good = match fields[..] {
            ["nodestats", nodes, seconds] => nodes.parse::<u64>().is_ok() && is_decimal(seconds),
            ["search" | "book", variation, value, games, depth, ..] => {
                // The first move also tells a line of an older position, mostly.
                let first = variation.get(..2).and_then(|mv| Move::parse(mv.as_bytes()));
                first.is_some_and(|mv| position.play(mv).is_some())
                    && is_decimal(value)
                    && games.parse::<u32>().is_ok()
                    && depth.starts_with(|c: char| c.is_ascii_digit())
            }
            ["status" | "set", ..] => true,
            _ => false,
        };
        if !is_good {
            self.process.fail(&format!("writes '{text}' in {position:?}"));
        }
    }
}

/// A number without an exponent, as the NBoard program reads it.
fn is_decimal(text: &str) -> bool {
    text.parse::<f64>().is_ok() && text.chars().all(|c| c.is_ascii_digit() || "+-.".contains(c))
}

/// `=== MOVE[/VALUE[/TIME]]` as move and value.
fn parse_choice(text: &str) -> Option<(Move, &str)> {
    let mut parts = text.strip_prefix("=== ")?.split('/');
    let mv = Move::parse(parts.next()?.as_bytes())?;
    let value = parts.next().unwrap_or_default();
    let time = parts.next().unwrap_or_default();
    let are_numbers = [value, time].iter().all(|number| number.is_empty() || is_decimal(number));
    (are_numbers && parts.next().is_none()).then_some((mv, value))
}

/// The game in the form that the NBoard program sends.
fn game_record(game: &Game, time: Option<Time>) -> String {
    let time = match time {
        None => "5:00".to_owned(),
        Some(Time { base, increment }) => {
            let seconds = base.as_secs();
            format!("{}:{:02}/{}", seconds / 60, seconds % 60, increment.as_secs_f64())
        }
    };
    let mut record = format!(
        "(;GM[Othello]PC[NBoard]DT[2026-11-21 22:18:22 GMT]PB[one]PW[two]RE[?]TI[{time}]TY[8]\
         BO[8 ---------------------------O*------*O--------------------------- *]"
    );
    for ply in game.plies() {
        let color = if ply.before.side.index() == 0 { 'B' } else { 'W' };
        record += &format!("{color}[{:#}]", ply.mv);
    }
    record + ";)"
}

impl Player for NBoardPlayer {
    fn set_up(&mut self, game: &Game, conditions: Conditions) {
        self.process.send(&format!("set game {}\n", game_record(game, conditions.time)));
    }

    fn choose(&mut self, game: &Game, _left: Option<Duration>) -> Answer {
        let preparation = self.preparation(self.depth);
        self.process.send(&preparation);
        self.await_pong();
        // Late output of the last request would come about now. In a timed game this is nobody's time.
        thread::sleep(Duration::from_millis(2));
        if let Ok(line) = self.process.output.try_recv() {
            self.process.seen(line);
            self.process.fail("writes without a request");
        }
        let asked = Instant::now();
        self.process.send("go\n");
        let line = loop {
            let line = self.process.line();
            if line.text.starts_with("===") {
                break line;
            }
            self.check_thinking(&line.text, game.position());
        };
        self.request = Request::Go;
        let Some((mv, value)) = parse_choice(&line.text) else {
            self.process.fail(&format!("moves '{}'", line.text))
        };
        Answer { mv, value: value.to_owned(), elapsed: whole_milliseconds(line.at - asked) }
    }

    fn confirm(&mut self, game: &Game, answer: &Answer) {
        self.inform(game, answer);
        if let Some(depth) = self.hint_depth.filter(|_| !game.is_over()) {
            let preparation = self.preparation(depth);
            self.process.send(&format!("{preparation}hint 2\n"));
            self.await_pong();
            self.request = Request::Hint(game.position());
        }
    }

    fn inform(&mut self, _game: &Game, answer: &Answer) {
        let Answer { mv, value, elapsed } = answer;
        self.process.send(&format!("move {mv:#}/{value}/{:.3}\n", elapsed.as_secs_f64()));
    }

    fn finish(&mut self, _game: &Game) {
        let preparation = self.preparation(self.depth);
        self.process.send(&preparation);
        self.await_pong();
    }

    fn fail(&self, cause: &str) -> ! {
        self.process.fail(cause)
    }
}

// The tests

fn gtp_games(engines: [GtpEngine; 2], conditions: Conditions) {
    let _turn = wait_for_turn();
    let traffic = Traffic::new();
    let mut first = GtpPlayer::start("first", &traffic, engines[0]);
    let mut second = GtpPlayer::start("second", &traffic, engines[1]);
    play_games(&mut first, &mut second, conditions);
    first.quit();
    second.quit();
}

fn nboard_games(depth: u32, hint_depth: Option<u32>, time: Option<Time>) {
    let _turn = wait_for_turn();
    let traffic = Traffic::new();
    let mut first = NBoardPlayer::start("first", &traffic, depth, hint_depth);
    let mut second = NBoardPlayer::start("second", &traffic, depth, hint_depth);
    play_games(&mut first, &mut second, Conditions { passes: Passes::Explicit, time });
    // The NBoard program sends no `quit`.
    first.process.end();
    second.process.end();
}

const AS_IN_QUARRY: Conditions = Conditions { passes: Passes::Implied, time: None };
const LEVEL_4: GtpEngine = GtpEngine::Othellier { level: Some(4) };

fn has_rhino() -> bool {
    let is_there = Path::new(RHINO).exists();
    let is_required = std::env::var_os("OTHELLIER_REQUIRE_RHINO").is_some();
    assert!(is_there || !is_required, "no {RHINO}: install the Debian package grhino");
    is_there
}

#[test]
fn referee_agrees_with_rhino() {
    if has_rhino() {
        gtp_games([GtpEngine::Rhino; 2], AS_IN_QUARRY);
    }
}

#[test]
fn gtp_games_against_rhino() {
    if has_rhino() {
        gtp_games([LEVEL_4, GtpEngine::Rhino], AS_IN_QUARRY);
        gtp_games([GtpEngine::Rhino, LEVEL_4], AS_IN_QUARRY);
    }
}

#[test]
fn gtp_games_with_explicit_passes() {
    gtp_games([LEVEL_4; 2], Conditions { passes: Passes::Explicit, time: None });
}

#[test]
fn gtp_games_with_implied_passes() {
    gtp_games([LEVEL_4; 2], AS_IN_QUARRY);
}

#[test]
#[ignore = "long: measures times"]
fn gtp_games_on_the_clock() {
    let conditions = Conditions { passes: Passes::Explicit, time: Some(ONE_SECOND) };
    gtp_games([GtpEngine::Othellier { level: None }; 2], conditions);
}

#[test]
fn nboard_games_with_hints_in_between() {
    nboard_games(4, Some(30), None);
}

#[test]
#[ignore = "long: measures times"]
fn nboard_games_on_the_clock() {
    nboard_games(60, None, Some(ONE_SECOND));
}
