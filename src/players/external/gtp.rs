//! An engine that speaks GTP.

use std::time::{Duration, Instant};

use super::child::{Child, Until};
use crate::board::{Color, Move, Position};
use crate::clock::{Clock, Control};
use crate::engine::Pace;
use crate::game::{Game, Note};
use crate::players::spec::External;
use crate::players::{Answer, Cause, Choice, Fault, OnProgress, Player, Terms, Turn, Value};

/// Engines limited to whole seconds receive no clock below this many seconds.
const MIN_WHOLE_CLOCK: Duration = Duration::from_secs(5);

/// Our own engine's command for the value, the depth, the nodes and the line of its last move.
const LAST_SEARCH: &str = "othellier-last_search";

/// Reads a reply such as `+1.25 depth 10 nodes 4217 D3 C5`; what is missing stays unknown. The answer in it is a placeholder.
fn said(text: &str) -> Choice {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut said = Choice::from(Answer::Move(Move::Pass));
    let [value, "depth", depth, "nodes", nodes, pv @ ..] = &words[..] else { return said };
    said.value = value.parse().ok().map(Value::result);
    said.searched.depth = depth.parse().ok().filter(|&depth| depth > 0);
    said.searched.nodes = nodes.parse().ok().filter(|&nodes| nodes > 0);
    said.searched.pv = pv.iter().map_while(|word| Move::parse(word.as_bytes())).collect();
    said
}

struct Gtp {
    child: Child,
    commands: Vec<String>,
    fraction: bool,
    /// Whether explicit passes are accepted; determined at the first one.
    takes_passes: bool,
    depth: Option<u32>,
    pace: Pace,
    has_clock: bool,
    /// As the engine has it.
    known: Option<Game>,
}

pub(super) fn greet(child: Child, external: &External) -> Result<Box<dyn Player>, Fault> {
    let mut gtp = Gtp {
        child,
        commands: Vec::new(),
        fraction: false,
        takes_passes: true,
        depth: external.depth,
        pace: Pace::OWN,
        has_clock: false,
        known: None,
    };
    gtp.ask("name")?;
    let commands = gtp.ask("list_commands")?;
    gtp.commands = commands.split_whitespace().map(str::to_string).collect();
    // Only our own engine has this command, whatever its name.
    gtp.fraction = external.fraction.unwrap_or_else(|| gtp.knows("othellier-evaluation"));
    for line in &external.startup {
        // A refused startup line is the user's concern.
        match gtp.ask(line) {
            Err(fault) if fault.cause == Cause::BadReply => log::warn!("{}", fault.text),
            reply => drop(reply?),
        }
    }
    gtp.child.has_started();
    Ok(Box::new(gtp))
}

impl Gtp {
    fn knows(&self, command: &str) -> bool {
        self.commands.iter().any(|known| known == command)
    }

    /// Sends a command and returns the text of a successful reply; an error reply is a fault.
    fn ask(&mut self, command: &str) -> Result<String, Fault> {
        self.child.drain();
        self.child.send(command);
        self.reply(command, self.child.soon()).map(|(_, text)| text)
    }

    fn ask_if_known(&mut self, command: &str) -> Result<(), Fault> {
        let name = command.split(' ').next().unwrap_or_default();
        if self.knows(name) { self.ask(command).map(|_| ()) } else { Ok(()) }
    }

    fn reply(&mut self, command: &str, until: Until<'_>) -> Result<(Instant, String), Fault> {
        let (time, first) = self.child.receive_where(until, |line| !line.trim().is_empty())?;
        let Some(text) = first.strip_prefix('=') else {
            let what = if first.starts_with('?') { "refused" } else { "answered without = or ?" };
            if first.starts_with('?') {
                self.child.receive_where(until, |line| line.trim().is_empty())?;
            }
            return Err(self.child.fault(Cause::BadReply, &format!("'{command}' was {what}")));
        };
        let mut text = text.trim().to_string();
        loop {
            let (_, line) = self.child.receive(until)?;
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
        let (longest, settings) = match control {
            Control::Unlimited => (Duration::ZERO, String::new()),
            Control::Game { main, increment } => {
                // Only our own dialect supports increments; others see them in the time left.
                let increment = if self.fraction { seconds(increment) } else { "0".into() };
                (main, format!("{} {increment} 0", seconds(main)))
            }
            Control::Move(time) => (time, format!("0 {} 1", seconds(time))),
            Control::Byoyomi { main, period, moves } => {
                (main + period, format!("{} {} {moves}", seconds(main), seconds(period)))
            }
        };
        let had_clock = self.has_clock;
        self.has_clock = control != Control::Unlimited && self.is_worth_telling(longest);
        match (self.has_clock, had_clock) {
            (true, _) => self.ask_if_known(&format!("time_settings {settings}")),
            // By the standard, a period without stones means no limit.
            (false, true) => self.ask_if_known("time_settings 0 1 0"),
            (false, false) => Ok(()),
        }
    }

    fn is_worth_telling(&self, time: Duration) -> bool {
        self.fraction || time >= MIN_WHOLE_CLOCK
    }

    fn seconds(&self, time: Duration) -> String {
        if self.fraction {
            format!("{:.3}", time.as_secs_f64())
        } else {
            format!("{}", time.as_secs())
        }
    }

    /// The engine may refuse it.
    fn tell_time_left(&mut self, color: Color, clock: &Clock) -> Result<(), Fault> {
        let (Control::Game { main, .. } | Control::Byoyomi { main, .. }) = clock.control() else {
            return Ok(());
        };
        if !self.knows("time_left") || !self.is_worth_telling(main.max(clock.left())) {
            return Ok(());
        }
        self.has_clock = true;
        let (time, stones) = clock.report();
        let command = format!("time_left {color} {} {stones}", self.seconds(time));
        match self.ask(&command) {
            Err(fault) if fault.cause != Cause::BadReply => Err(fault),
            _ => Ok(()),
        }
    }

    fn new_game(&mut self, start: Position) -> Result<(), Fault> {
        self.known = None;
        self.ask_if_known("set_game Othello")?;
        self.ask("boardsize 8")?;
        self.ask("clear_board")?;
        self.ask_if_known("clear_cache")?;
        if start != Position::START {
            self.set_up(start)?;
        }
        if let Some(level) = self.depth {
            self.ask_if_known(&format!("set_level {level}"))?;
        }
        if let Some(n) = self.pace.depth_or_level() {
            self.ask_if_known(&format!("set_level {n}"))?;
        }
        self.set_clock(self.pace.control.unwrap_or_default())?;
        self.known = Some(Game::new(start));
        Ok(())
    }

    fn play(&mut self, color: Color, mv: Move) -> Result<(), Fault> {
        let played = match mv {
            Move::Place(square) => self.ask(&format!("play {color} {square:#}")),
            Move::Pass if self.takes_passes => self.ask(&format!("play {color} pass")),
            Move::Pass => return Ok(()),
        };
        match played {
            // The engine passes on its own, as Quarry expects.
            Err(fault) if mv == Move::Pass && fault.cause == Cause::BadReply => {
                self.takes_passes = false;
                Ok(())
            }
            played => played.map(|_| ()),
        }
    }
}

impl Player for Gtp {
    fn begin(&mut self, start: Position, terms: Terms) -> Result<(), Fault> {
        self.pace = terms.pace;
        self.new_game(start)
    }

    fn follow(&mut self, game: &Game) -> Result<(), Fault> {
        if !self.known.as_ref().is_some_and(|known| game.goes_on_from(known)) {
            self.new_game(game.start())?;
        }
        let n_known = self.known.take().map_or(0, |known| known.plies().len());
        for ply in &game.plies()[n_known..] {
            self.play(ply.before.side, ply.mv)?;
        }
        self.known = Some(game.clone());
        Ok(())
    }

    fn choose(&mut self, turn: Turn<'_>, _: OnProgress<'_>) -> Result<Choice, Fault> {
        self.follow(turn.game)?;
        let color = turn.color();
        self.tell_time_left(color, &turn.clocks[color.index()])?;
        self.child.drain();
        let start = Instant::now();
        self.child.send(&format!("genmove {color}"));
        let (time, text) = self.reply("genmove", Until::of(&turn))?;
        let known = self.known.take();
        let answer = if text.eq_ignore_ascii_case("resign") {
            Answer::Resign
        } else {
            let mv = Move::parse(text.as_bytes());
            let mv = mv.ok_or_else(|| {
                self.child.fault(Cause::BadReply, "the reply to genmove is not a move")
            })?;
            // After an illegal move, the engine's board is unknown.
            self.known = known.filter(|known| known.position().play(mv).is_some());
            if let Some(known) = &mut self.known {
                known.play(mv, Note::default());
            }
            Answer::Move(mv)
        };
        let elapsed = time.saturating_duration_since(start);
        let said = match answer {
            Answer::Move(_) if self.knows(LAST_SEARCH) => said(&self.ask(LAST_SEARCH)?),
            _ => answer.into(),
        };
        Ok(Choice { answer: Some(answer), elapsed, ..said })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::players::external::{Kind, start};
    use crate::players::start::{Logs, Patience};
    use crate::search::Stop;
    use std::fs;

    /// Longer than anything here takes on a busy machine.
    const PATIENCE: Duration = Duration::from_secs(60);

    #[test]
    fn an_engine_is_sent_what_is_new_and_everything_after_an_undo() {
        let log = std::env::temp_dir().join(format!("othellier-gtp-{}", std::process::id()));
        let path = log.display();
        // Every reply is a move, which only matters for `genmove`, and one more that nobody has asked for.
        let replies = r"printf '= f5\n\n= e6\n\n'";
        let script = format!("while read -r x; do echo \"$x\" >>'{path}'; {replies}; done");
        let external = External {
            protocol: Some(Kind::Gtp),
            command: ["sh", "-c", &script].map(String::from).to_vec(),
            directory: None,
            depth: None,
            fraction: None,
            startup: Vec::new(),
        };
        let (stop, patience) = (Stop::new(), Patience { start: PATIENCE, reply: PATIENCE });
        let mut player = start(&external, &Logs::default(), patience, &stop).unwrap();
        let sent = || {
            let text = fs::read_to_string(&log).unwrap_or_default();
            fs::write(&log, "").unwrap();
            text.lines().map(String::from).collect::<Vec<_>>()
        };
        assert_eq!(sent(), ["name", "list_commands"]);
        let terms = Terms { color: Color::Black, pace: Pace::OWN, seed: 0 };
        player.begin(Position::START, terms).unwrap();
        assert_eq!(sent(), ["boardsize 8", "clear_board"]);
        let mut game = Game::default();
        let turn = Turn::without_end(&game, &stop);
        let mv = player.choose(turn, &mut |_| {}).unwrap().mv().unwrap();
        assert_eq!(sent(), ["genmove black"]);
        game.play(mv, Note::default());
        player.follow(&game).unwrap();
        assert!(sent().is_empty(), "it knows its own move");
        game.play(Move::parse(b"d6").unwrap(), Note::default());
        player.follow(&game).unwrap();
        assert_eq!(sent(), ["play white D6"]);
        game.undo();
        game.play(Move::parse(b"f6").unwrap(), Note::default());
        player.follow(&game).unwrap();
        assert_eq!(sent(), ["boardsize 8", "clear_board", "play black F5", "play white F6"]);
        drop(player);
        fs::remove_file(log).unwrap();
    }
}
