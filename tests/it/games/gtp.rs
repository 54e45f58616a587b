//! A player over GTP, driven as a match tool or Quarry does it.

use std::process::Command;
use std::time::{Duration, Instant};

use othellier::board::Move;
use othellier::game::Game;

use super::{Answer, Conditions, Passes, Player, Time, end, whole_milliseconds};
use crate::harness::engine::{Line, Traffic};
use crate::harness::{Engine, program};

pub const RHINO: &str = "/usr/games/gtp-rhino";

/// A player over GTP.
pub struct GtpPlayer {
    engine: Engine,
    kind: GtpEngine,
    /// Commands not sent yet: a `play` travels together with the `genmove` that follows, as in Quarry.
    queued: Vec<String>,
}

#[derive(Clone, Copy, PartialEq)]
pub enum GtpEngine {
    Othellier { level: Option<u32> },
    Rhino,
}

impl GtpPlayer {
    pub fn start(label: &'static str, traffic: &Traffic, kind: GtpEngine) -> GtpPlayer {
        let command = match kind {
            GtpEngine::Othellier { .. } => program(&["gtp", "--hash", "16"]),
            GtpEngine::Rhino => {
                let mut command = Command::new(RHINO);
                command.args(["-l", "1", "-b", "0"]);
                command
            }
        };
        let engine = Engine::start_as(label, command, traffic);
        GtpPlayer { engine, kind, queued: Vec::new() }
    }

    fn queue(&mut self, command: &str) {
        self.queued.push(command.to_owned());
    }

    /// Sends what is queued and reads all replies; the last one is returned.
    fn settle(&mut self) -> Option<Line> {
        let queued = std::mem::take(&mut self.queued);
        if !queued.is_empty() {
            self.engine.send(&queued.join("\n"));
        }
        let mut last = None;
        for command in &queued {
            last = Some(self.reply(command));
        }
        last
    }

    fn ask(&mut self, command: &str) -> Line {
        self.queue(command);
        self.settle().expect("a command was queued")
    }

    /// Reads the reply to `command`, which must be a success of one line.
    fn reply(&mut self, command: &str) -> Line {
        let Line { text, at } = self.engine.timed_line();
        // Our own replies must have the exact form; gtp-rhino omits the blank before an empty text.
        let text = match (text.strip_prefix("= "), self.kind) {
            (Some(text), _) => text.to_owned(),
            (None, GtpEngine::Rhino) if text == "=" => String::new(),
            _ => self.engine.fail(&format!("answers '{command}' with '{text}'")),
        };
        if !self.engine.line().is_empty() {
            self.engine.fail(&format!("answers '{command}' with more than a line"));
        }
        Line { text, at }
    }

    /// Ends the process after `quit`.
    pub fn quit(mut self) {
        self.ask("quit");
        end(self.engine);
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
        if let GtpEngine::Othellier { level: Some(level) } = self.kind {
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
            self.engine.fail(&format!("moves '{}'", reply.text))
        };
        if self.kind != GtpEngine::Rhino && reply.text != gtp_move(mv) {
            self.engine.fail(&format!("writes '{}'", reply.text));
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
                self.engine.fail(&format!("moves '{text}' after the end"));
            }
        }
        let score = match game.result().expect("the game is over") {
            0 => "0".to_owned(),
            discs if discs > 0 => format!("B+{discs}"),
            discs => format!("W+{}", -discs),
        };
        let text = self.ask("final_score").text;
        if text != score {
            self.engine.fail(&format!("counts {text}, it is {score}"));
        }
    }

    fn fail(&self, cause: &str) -> ! {
        self.engine.fail(cause)
    }
}
