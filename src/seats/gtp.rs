//! An engine that speaks GTP.

use std::path::Path;
use std::time::{Duration, Instant};

use super::{Answer, Choice, Patience, Seat, Terms, at_start};
use crate::board::{Color, Move, Position};
use crate::clock::{Clock, Control};
use crate::engine::pace::Pace;
use crate::game::Game;
use crate::seats::child::Child;
use crate::seats::fault::{Cause, Fault};
use crate::seats::spec::External;

/// Engines limited to whole seconds receive no clock below this many seconds.
const LEAST_WHOLE_CLOCK: Duration = Duration::from_secs(5);

pub(super) struct Gtp {
    child: Child,
    patience: Duration,
    commands: Vec<String>,
    /// Whether clocks are sent with decimals.
    fraction: bool,
    /// Whether explicit passes are accepted; determined at the first one.
    takes_passes: bool,
    depth: Option<u32>,
    terms: Option<Terms>,
}

impl Gtp {
    /// Starts an engine and performs the handshake.
    pub fn start(
        external: &External,
        errors: Option<&Path>,
        patience: &Patience,
    ) -> Result<Gtp, Fault> {
        let mut gtp = Gtp {
            child: Child::start(external, errors, patience.halt.clone())?,
            patience: patience.start,
            commands: Vec::new(),
            fraction: false,
            takes_passes: true,
            depth: external.depth,
            terms: None,
        };
        at_start(gtp.ask("name"))?;
        let commands = at_start(gtp.ask("list_commands"))?;
        gtp.commands = commands.split_whitespace().map(str::to_string).collect();
        // Our own engine, whatever its name.
        gtp.fraction = external.fraction.unwrap_or_else(|| gtp.knows("othellier-evaluation"));
        for line in &external.startup {
            // A refused startup line is the user's concern.
            match gtp.ask(line) {
                Ok(_) => {}
                Err(fault) if fault.cause == Cause::BadReply => log::warn!("{}", fault.text),
                Err(fault) => return at_start(Err(fault)),
            }
        }
        gtp.patience = patience.reply;
        Ok(gtp)
    }

    fn knows(&self, command: &str) -> bool {
        self.commands.iter().any(|known| known == command)
    }

    /// Sends a command and returns the text of a successful reply; an error reply is a fault.
    fn ask(&mut self, command: &str) -> Result<String, Fault> {
        self.child.drain();
        self.child.send(command);
        let deadline = Instant::now() + self.patience;
        self.reply(command, deadline).map(|(_, text)| text)
    }

    fn ask_if_known(&mut self, command: &str) -> Result<(), Fault> {
        let name = command.split(' ').next().unwrap_or_default();
        if self.knows(name) { self.ask(command).map(|_| ()) } else { Ok(()) }
    }

    fn reply(&mut self, command: &str, deadline: Instant) -> Result<(Instant, String), Fault> {
        let (time, first) = self.child.receive_where(deadline, |line| !line.trim().is_empty())?;
        let Some(text) = first.strip_prefix('=') else {
            let what = if first.starts_with('?') { "refused" } else { "answered without = or ?" };
            if first.starts_with('?') {
                self.child.receive_where(deadline, |line| line.trim().is_empty())?;
            }
            return Err(self.child.fault(Cause::BadReply, &format!("'{command}' was {what}")));
        };
        let mut text = text.trim().to_string();
        loop {
            let (_, line) = self.child.receive(deadline)?;
            if line.trim().is_empty() {
                return Ok((time, text));
            }
            text.push('\n');
            text += line.trim_end();
            // Treat an endless reply as a bad one.
            if text.len() > 1 << 20 {
                return Err(self
                    .child
                    .fault(Cause::BadReply, &format!("the reply to '{command}' does not end")));
            }
        }
    }

    /// Sets up a position other than the standard one, as GoGui does.
    fn set_up(&mut self, start: Position) -> Result<(), Fault> {
        if !self.knows("gogui-setup") || !self.knows("gogui-setup_player") {
            return Err(self.child.fault(Cause::BadReply, "the engine cannot set up a position"));
        }
        let mut command = String::from("gogui-setup");
        for (color, letter) in [(Color::Black, 'b'), (Color::White, 'w')] {
            for square in crate::board::bitboard::Squares(start.discs(color)) {
                command += &format!(" {letter} {square:#}");
            }
        }
        self.ask(&command)?;
        self.ask(&format!("gogui-setup_player {}", start.side)).map(|_| ())
    }

    fn set_clock(&mut self, control: Control) -> Result<(), Fault> {
        let seconds = |time: Duration| self.seconds(time);
        let command = match control {
            Control::Unlimited => return Ok(()),
            Control::Game { main, increment } => {
                if !self.is_worth_telling(main) {
                    return Ok(());
                }
                // Only our own dialect supports increments; others see them in the time left.
                let increment = if self.fraction { seconds(increment) } else { "0".into() };
                format!("time_settings {} {increment} 0", seconds(main))
            }
            Control::Move(time) => {
                if !self.is_worth_telling(time) {
                    return Ok(());
                }
                format!("time_settings 0 {} 1", seconds(time))
            }
            Control::Byoyomi { main, period, moves } => {
                if !self.is_worth_telling(main + period) {
                    return Ok(());
                }
                format!("time_settings {} {} {moves}", seconds(main), seconds(period))
            }
        };
        self.ask_if_known(&command)
    }

    fn is_worth_telling(&self, time: Duration) -> bool {
        self.fraction || time >= LEAST_WHOLE_CLOCK
    }

    fn seconds(&self, time: Duration) -> String {
        if self.fraction {
            format!("{:.3}", time.as_secs_f64())
        } else {
            format!("{}", time.as_secs())
        }
    }

    /// Sends the time left without waiting for the reply, which is read before that to the move request.
    fn tell_time_left(&mut self, color: Color, clock: &Clock) -> Result<(), Fault> {
        let (Control::Game { main, .. } | Control::Byoyomi { main, .. }) = clock.control() else {
            return Ok(());
        };
        let is_told = self.knows("time_left") && self.is_worth_telling(main.max(clock.left()));
        if !is_told {
            return Ok(());
        }
        let (time, stones) = clock.report();
        let command = format!("time_left {color} {} {stones}", self.seconds(time));
        match self.ask(&command) {
            Err(fault) if fault.cause != Cause::BadReply => Err(fault),
            _ => Ok(()),
        }
    }
}

impl Seat for Gtp {
    fn begin(&mut self, game: &Game, terms: Terms) -> Result<(), Fault> {
        self.terms = Some(terms);
        self.ask_if_known("set_game Othello")?;
        self.ask("boardsize 8")?;
        self.ask("clear_board")?;
        self.ask_if_known("clear_cache")?;
        if game.start() != Position::START {
            self.set_up(game.start())?;
        }
        if let Some(level) = self.depth {
            self.ask_if_known(&format!("set_level {level}"))?;
        }
        match terms.pace {
            Pace::Time(control) => self.set_clock(control),
            Pace::Level(n) | Pace::Depth(n) => self.ask_if_known(&format!("set_level {n}")),
            Pace::Nodes(_) | Pace::Own => Ok(()),
        }
    }

    fn observe(&mut self, game: &Game) -> Result<(), Fault> {
        let Some(ply) = game.plies().last() else { return Ok(()) };
        let color = ply.before.side;
        match ply.mv {
            Move::Pass if self.takes_passes => match self.ask(&format!("play {color} pass")) {
                // The engine passes on its own, as Quarry expects.
                Err(fault) if fault.cause == Cause::BadReply => {
                    self.takes_passes = false;
                    Ok(())
                }
                other => other.map(|_| ()),
            },
            Move::Pass => Ok(()),
            Move::Place(square) => {
                // The engine has already played its own choice, but not the plies of the opening.
                let is_own = self.terms.is_some_and(|terms| terms.color == color);
                if is_own && ply.note.time.is_some() {
                    return Ok(());
                }
                self.ask(&format!("play {color} {square:#}")).map(|_| ())
            }
        }
    }

    fn choose(
        &mut self,
        game: &Game,
        clocks: [Clock; 2],
        deadline: Instant,
    ) -> Result<Choice, Fault> {
        let color = game.position().side;
        self.tell_time_left(color, &clocks[color.index()])?;
        self.child.drain();
        let start = Instant::now();
        self.child.send(&format!("genmove {color}"));
        let (time, text) = self.reply("genmove", deadline)?;
        let elapsed = time.saturating_duration_since(start);
        let answer = if text.eq_ignore_ascii_case("resign") {
            Answer::Resign
        } else {
            let mv = Move::parse(text.as_bytes());
            Answer::Move(mv.ok_or_else(|| {
                self.child.fault(Cause::BadReply, "the reply to genmove is not a move")
            })?)
        };
        Ok(Choice { answer, value: None, elapsed })
    }
}

impl Drop for Gtp {
    fn drop(&mut self) {
        self.child.quit("quit");
    }
}
