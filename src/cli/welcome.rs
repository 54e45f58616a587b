//! What someone sees who starts the engine by hand, without a command.

use std::io::{self, BufRead, Read};

use crate::protocol::Kind;
use crate::protocol::gtp;

/// Shown at the start, and whenever it is asked for.
pub(super) const TEXT: &str = "\
  othellier play            play on a board in the terminal
  othellier analyze GAME    what each move of a game lost
  othellier match           let engines play each other
  othellier --help          all commands

This is the engine alone. It waits for the lines of a front end: NBoard, GTP, Cassio, Edax's console.
Here, help shows this again and quit ends the program.
";

/// A terminal's input: answers `help` and `?`, hints after the first line that no protocol knows, and passes on all other lines.
pub(super) struct Guide<R, S> {
    input: R,
    say: S,
    /// The line that is being passed on, and how much of it has been.
    line: Vec<u8>,
    at: usize,
    has_hinted: bool,
}

impl<R: BufRead, S: FnMut(&str)> Guide<R, S> {
    /// Reads `input`; `say` shows a text to the person.
    pub fn new(input: R, say: S) -> Guide<R, S> {
        Guide { input, say, line: Vec::new(), at: 0, has_hinted: false }
    }
}

impl<R: BufRead, S: FnMut(&str)> Read for Guide<R, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.line.len() {
            self.line.clear();
            self.at = 0;
            if self.input.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(0);
            }
            match self.line.trim_ascii() {
                b"help" | b"?" => {
                    (self.say)(TEXT);
                    self.line.clear();
                }
                line if !self.has_hinted && !is_known(line) => {
                    (self.say)("no command of a protocol; help shows what there is\n");
                    self.has_hinted = true;
                }
                _ => {}
            }
        }
        let rest = &self.line[self.at..];
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        self.at += n;
        Ok(n)
    }
}

/// Whether a protocol knows the command of a line; blank lines and comments are none.
fn is_known(line: &[u8]) -> bool {
    let is_number = |word: &&[u8]| word.iter().all(u8::is_ascii_digit);
    let mut words = line.split(u8::is_ascii_whitespace).skip_while(is_number);
    match Kind::sniff(line) {
        Some(Kind::Gtp) => {
            words.next().is_none_or(|word| gtp::names().any(|name| name.as_bytes() == word))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_is_answered_and_the_first_unknown_line_gets_a_hint() {
        let input = "help\nname\n\n# a comment\n1 genmove b\nf5\nd6\n ? \nnboard 2\nquit";
        let mut said = Vec::new();
        let mut passed = String::new();
        let mut guide = Guide::new(input.as_bytes(), |text: &str| said.push(text.to_owned()));
        guide.read_to_string(&mut passed).unwrap();
        assert_eq!(passed, "name\n\n# a comment\n1 genmove b\nf5\nd6\nnboard 2\nquit");
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said[0] == TEXT && said[1].contains("help") && said[2] == TEXT, "{said:?}");
        assert!(TEXT.contains("othellier play") && TEXT.contains("--help"));
    }
}
