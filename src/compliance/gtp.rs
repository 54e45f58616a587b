//! A GTP session with the engine under test: commands, replies and the requirements on them.

pub(super) mod cases;
mod checks;

use std::time::Duration;

use super::engine::{Engine, Outcome, Stop};
use super::positions;
use crate::board::{Color, Move, Square};
use crate::game::Game;

/// A complete reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    /// From the sign through the empty line, as it came.
    raw: Vec<u8>,
    /// Whether the sign is `=`.
    success: bool,
    /// The digits after the sign.
    id: String,
    /// Whether a blank stands before the text.
    spaced: bool,
    /// What follows, without blanks at either end and without carriage returns.
    text: String,
}

impl Reply {
    /// Recognizes a reply at the head of the output, with the number of bytes up to its end. Empty lines before it are skipped;
    /// text that is no reply is returned as it is, as an error, when its paragraph ends.
    fn find(output: &[u8]) -> Option<(Result<Reply, Vec<u8>>, usize)> {
        let start = output.iter().position(|byte| !b"\r\n".contains(byte))?;
        let end = start + end_of_paragraph(&output[start..])?;
        let raw = &output[start..end];
        Some((Reply::parse(raw).ok_or_else(|| raw.to_vec()), end))
    }

    fn parse(raw: &[u8]) -> Option<Reply> {
        let (&sign, rest) = raw.split_first()?;
        if !b"=?".contains(&sign) {
            return None;
        }
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (id, rest) = rest.split_at(digits);
        let text = String::from_utf8_lossy(rest).replace('\r', "");
        Some(Reply {
            raw: raw.to_vec(),
            success: sign == b'=',
            id: String::from_utf8_lossy(id).into_owned(),
            spaced: rest.first() == Some(&b' '),
            text: text.trim().to_owned(),
        })
    }

    /// The square of a reply to `genmove`, whatever else follows it.
    fn square(&self) -> Option<Square> {
        let word = self.text.split_ascii_whitespace().next()?;
        if self.success { Square::parse(word.as_bytes()) } else { None }
    }

    fn is_pass(&self) -> bool {
        self.success && self.text.eq_ignore_ascii_case("pass")
    }
}

/// The number of bytes through the first empty line.
fn end_of_paragraph(text: &[u8]) -> Option<usize> {
    let line_ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    for (index, _) in line_ends {
        match &text[index + 1..] {
            [b'\n', ..] => return Some(index + 2),
            [b'\r', b'\n', ..] => return Some(index + 3),
            _ => {}
        }
    }
    None
}

/// A requirement on a reply.
#[derive(Clone, Copy, Debug)]
pub(super) enum Expect {
    /// These bytes, from the sign through the empty line.
    Exactly(&'static str),
    /// A success.
    Success,
    /// A success without text.
    Empty,
    /// A success with this text.
    Text(&'static str),
    /// A success with `pass` in any letter case.
    Pass,
    /// A success with one of these squares.
    Square(&'static [&'static str]),
    /// A failure with this text.
    Error(&'static str),
    /// A failure with this text that leaves the position as it is, as far as the engine can show it.
    Refusal(&'static str),
    /// A failure with this text, or a success with the other one.
    ErrorOrText(&'static str, &'static str),
}

impl Expect {
    fn is_met(self, reply: &Reply) -> bool {
        // Text glued to the sign is misread by most front ends.
        let says = |success: bool, text: &str| {
            reply.success == success && reply.text == text && (reply.spaced || text.is_empty())
        };
        match self {
            Expect::Exactly(raw) => reply.raw == raw.as_bytes(),
            Expect::Success => reply.success,
            Expect::Empty => says(true, ""),
            Expect::Text(text) => says(true, text),
            Expect::Pass => reply.is_pass(),
            Expect::Square(squares) => reply
                .square()
                .is_some_and(|square| squares.iter().any(|name| *name == format!("{square:#}"))),
            Expect::Error(text) | Expect::Refusal(text) => says(false, text),
            Expect::ErrorOrText(error, text) => says(false, error) || says(true, text),
        }
    }

    /// The requirement in words, or the reply itself.
    fn description(self) -> String {
        match self {
            Expect::Exactly(raw) => raw.to_owned(),
            Expect::Success => "a success".to_owned(),
            Expect::Empty => "a success without text".to_owned(),
            Expect::Text(text) => format!("= {text}\n\n"),
            Expect::Pass => "= pass\n\n".to_owned(),
            Expect::Square(squares) => format!("one of {}", squares.join(" ")),
            Expect::Error(text) | Expect::Refusal(text) => format!("? {text}\n\n"),
            Expect::ErrorOrText(error, text) => format!("? {error}\n\n or = {text}\n\n"),
        }
    }
}

/// A case that consists of commands and their replies.
pub(super) struct Script {
    /// Commands that the engine must offer.
    needs: &'static [&'static str],
    /// The moves played before.
    position: &'static str,
    /// Commands, each with the requirement on its reply.
    steps: &'static [(&'static str, Expect)],
}

impl Script {
    pub fn run(&self, session: &mut Session) -> Outcome {
        session.require(self.needs)?;
        if self.steps.iter().any(|(command, _)| command.to_ascii_lowercase().contains("genmove")) {
            session.search_shortly()?;
        }
        session.set_up(self.position)?;
        self.steps.iter().try_for_each(|(command, expect)| {
            session.expect(command, *expect)?;
            Ok(())
        })
    }
}

/// A position as the engine shows it, as far as it can.
#[derive(Default)]
struct Shown {
    /// The text of the board.
    board: Option<String>,
    /// The text of the side to move.
    side: Option<String>,
}

/// An engine in a GTP session, with the game as it should stand there.
pub(super) struct Session<'a> {
    engine: &'a mut Engine,
    /// The reply to `list_commands`, once requested.
    commands: Option<Vec<String>>,
    game: Game,
}

impl Session<'_> {
    pub fn new(engine: &mut Engine) -> Session<'_> {
        Session { engine, commands: None, game: Game::default() }
    }

    /// Whether the engine still answers.
    pub fn probe(&mut self) -> Outcome {
        self.expect("name", Expect::Success)?;
        Ok(())
    }

    /// Ends the case as not offered if the engine does not list all these commands.
    pub fn require(&mut self, commands: &[&str]) -> Outcome {
        for command in commands {
            if !self.offers(command)? {
                return Err(Stop::NotOffered);
            }
        }
        Ok(())
    }

    /// Whether the engine lists a command.
    fn offers(&mut self, command: &str) -> Outcome<bool> {
        if self.commands.is_none() {
            let reply = self.quietly_ask("list_commands")?;
            let listed = if reply.success { reply.text.lines() } else { "".lines() };
            self.commands = Some(listed.map(|line| line.trim().to_owned()).collect());
        }
        match &self.commands {
            Some(listed) if !listed.is_empty() => Ok(listed.iter().any(|name| name == command)),
            _ => {
                let reply = self.quietly_ask(&format!("known_command {command}"))?;
                Ok(reply.success && reply.text == "true")
            }
        }
    }

    /// Makes the engine search at a low level if it has levels; returns whether it has.
    fn lower_level(&mut self) -> Outcome<bool> {
        let lower = self.offers("set_level")?;
        if lower {
            self.quietly_ask("set_level 4")?;
        }
        Ok(lower)
    }

    /// Keeps searches short by whatever means the engine has.
    fn search_shortly(&mut self) -> Outcome {
        if !self.lower_level()? && self.offers("time_settings")? {
            self.quietly_ask("time_settings 0 1 1")?;
        }
        Ok(())
    }

    /// Makes a search last long if the engine has levels, in a position outside of any book.
    fn search_long(&mut self) -> Outcome {
        if self.offers("set_level")? {
            self.quietly_ask("set_level 60")?;
        }
        self.set_up(positions::MIDGAME)
    }

    /// Plays these moves from the start.
    fn set_up(&mut self, moves: &str) -> Outcome {
        if !self.game.plies().is_empty() {
            self.expect("clear_board", Expect::Success)?;
        }
        self.game = positions::replay(moves);
        let mut pass_before = None;
        for ply in self.game.plies().to_vec() {
            let Some(square) = ply.mv.square() else {
                pass_before = Some(ply.before.side);
                continue;
            };
            let command = format!("play {} {square}", ply.before.side);
            let mut reply = self.ask(&command)?;
            if let (Some(passer), false) = (pass_before.take(), reply.success) {
                // An engine that knows explicit passes only.
                self.expect(&format!("play {passer} pass"), Expect::Success)?;
                reply = self.ask(&command)?;
            }
            if !reply.success {
                return Err(self.engine.mismatch(&reply.raw, "a success"));
            }
        }
        Ok(())
    }

    fn send(&mut self, command: &str) {
        self.engine.send(format!("{command}\n"));
    }

    /// The next reply.
    fn reply(&mut self, limit: Duration) -> Outcome<Reply> {
        match self.engine.take(limit, "a reply", Reply::find)? {
            Ok(reply) => Ok(reply),
            Err(stray) => Err(self.engine.mismatch(stray, "a reply, beginning with = or ?")),
        }
    }

    /// Sends a command and waits for its reply.
    fn ask(&mut self, command: &str) -> Outcome<Reply> {
        self.send(command);
        let searches = command.contains("genmove");
        let limits = self.engine.limits;
        self.reply(if searches { limits.search } else { limits.reply })
    }

    /// Sends a command and checks its reply.
    fn expect(&mut self, command: &str, expect: Expect) -> Outcome<Reply> {
        let before = match expect {
            Expect::Refusal(_) => Some(self.shown()?),
            _ => None,
        };
        let reply = self.ask(command)?;
        self.check(&reply, expect)?;
        if let Some(before) = before {
            self.same_position(&before)?;
        }
        Ok(reply)
    }

    fn check(&self, reply: &Reply, expect: Expect) -> Outcome {
        if expect.is_met(reply) {
            return Ok(());
        }
        Err(self.engine.mismatch(&reply.raw, &expect.description()))
    }

    /// Sends bytes whose output must be exactly this.
    fn expect_single(&mut self, bytes: &[u8], expected: &[u8]) -> Outcome {
        self.engine.send(bytes);
        let reply = self.reply(self.engine.limits.reply)?;
        if reply.raw != expected {
            let expected = String::from_utf8_lossy(expected).into_owned();
            return Err(self.engine.mismatch(&reply.raw, &expected));
        }
        self.engine.quiet(super::engine::SETTLE)
    }

    /// The position as the engine shows it, by whatever means it has.
    fn shown(&mut self) -> Outcome<Shown> {
        let mut shown = Shown::default();
        for command in ["gogui-rules_board", "showboard"] {
            if shown.board.is_none() && self.offers(command)? {
                shown.board = Some(self.quietly_ask(command)?.text);
            }
        }
        if self.offers("gogui-rules_side_to_move")? {
            shown.side = Some(self.quietly_ask("gogui-rules_side_to_move")?.text);
        }
        Ok(shown)
    }

    /// Checks that the engine shows the same position as it did before.
    fn same_position(&mut self, before: &Shown) -> Outcome {
        self.same_board(before)?;
        let now = self.shown()?;
        self.same_text(before.side.as_deref(), now.side.as_deref())
    }

    /// As [`Session::same_position`], but ignores the side to move.
    fn same_board(&mut self, before: &Shown) -> Outcome {
        let now = self.shown()?;
        self.same_text(before.board.as_deref(), now.board.as_deref())
    }

    fn same_text(&self, before: Option<&str>, now: Option<&str>) -> Outcome {
        match (before, now) {
            (Some(before), Some(now)) if before != now => {
                Err(self.engine.mismatch(now, &format!("the position unchanged: {before}")))
            }
            _ => Ok(()),
        }
    }

    /// Sends a command that is not part of the case and keeps it out of reports.
    fn quietly_ask(&mut self, command: &str) -> Outcome<Reply> {
        let sent = self.engine.sent_mark();
        let reply = self.ask(command)?;
        self.engine.forget_since(sent);
        Ok(reply)
    }

    /// Lets the engine move, within `limit`, and plays the move in our own game.
    fn generate(&mut self, color: Color, limit: Duration) -> Outcome {
        self.send(&format!("genmove {color}"));
        self.generated(color, limit)
    }

    /// Awaits the reply to a `genmove` already sent.
    fn generated(&mut self, color: Color, limit: Duration) -> Outcome {
        let reply = self.reply(limit)?;
        let Some(next) = self.after(color, &reply) else {
            return Err(self.engine.mismatch(&reply.raw, &format!("a legal move for {color}")));
        };
        self.game = next;
        Ok(())
    }

    /// Our game after the square of a reply, if that is legal for `color`.
    fn after(&self, color: Color, reply: &Reply) -> Option<Game> {
        let mut game = self.game.clone();
        let mv = Move::Place(reply.square()?);
        game.play_as(color, mv, Default::default()).then_some(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> (Reply, usize) {
        let (reply, length) = Reply::find(text.as_bytes()).expect("complete");
        (reply.expect("a reply"), length)
    }

    #[test]
    fn replies_are_taken_apart() {
        let (reply, length) = found("=7 Name\n\n= 2\n\n");
        assert_eq!((reply.success, reply.id.as_str(), reply.text.as_str()), (true, "7", "Name"));
        assert_eq!((length, reply.raw.as_slice()), (9, b"=7 Name\n\n".as_slice()));
        let (reply, _) = found("\n? unknown command\r\n\r\n");
        assert_eq!((reply.success, reply.text.as_str()), (false, "unknown command"));
        assert_eq!(found("=\n\n").0.text, "");
        assert_eq!(found("= a\nb\n\n").0.text, "a\nb");
        assert!(!found("=Name\n\n").0.spaced);
    }

    #[test]
    fn incomplete_replies_and_stray_text_are_told_apart() {
        assert_eq!(Reply::find(b"= 2\n"), None);
        assert_eq!(Reply::find(b"\n\n"), None);
        let (stray, length) = Reply::find(b"hello\n\n= 2\n\n").expect("a paragraph");
        assert_eq!((stray, length), (Err(b"hello\n\n".to_vec()), 7));
    }

    #[test]
    fn demands_are_exact_where_front_ends_are() {
        let reply = |text| found(text).0;
        assert!(Expect::Empty.is_met(&reply("=\n\n")) && Expect::Empty.is_met(&reply("= \n\n")));
        assert!(Expect::Error("illegal move").is_met(&reply("? illegal move\n\n")));
        assert!(!Expect::Error("illegal move").is_met(&reply("?illegal move\n\n")));
        assert!(!Expect::Error("illegal move").is_met(&reply("? Illegal move\n\n")));
        assert!(!Expect::Text("2").is_met(&reply("=2\n\n")));
        assert!(Expect::Pass.is_met(&reply("= PASS\n\n")));
        assert!(Expect::Square(&["C5", "E7"]).is_met(&reply("= c5\n\n")));
        assert!(!Expect::Square(&["C5", "E7"]).is_met(&reply("= pass\n\n")));
        let either = Expect::ErrorOrText("syntax error", "false");
        assert!(either.is_met(&reply("= false\n\n")) && !either.is_met(&reply("= true\n\n")));
    }
}
