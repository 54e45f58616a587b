//! The requests of `othellier json` and the rules as calls of functions, for who has neither pipes nor threads: `scripts/wasm.sh` makes a
//! module for browsers and Node.js of it, whose exports are in `src/web/module.rs`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::board::{Color, Move};
use crate::book::Book;
use crate::clock::{Clock, Control};
use crate::engine::{Pace, Searcher};
use crate::evaluation::Evaluation;
use crate::formats::archive::{Entry, EntryError, Format, Reader, recognize};
use crate::formats::transcript;
use crate::game::{Game, must_pass};
use crate::requests::request::{self, Line};
use crate::requests::row::to_text;
use crate::requests::{Answer, Canceled, DEFAULT_TIME, Refusal, Told, Unit};
use crate::search::Stop;

/// What is told of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// An answer, one for each position.
    Answer,
    /// What a search has found so far, when a report is due.
    Report,
    /// The same in between: for who may have to end the search from outside.
    Interim,
}

/// Answers requests, one after the other.
#[derive(Debug)]
pub struct Server {
    /// Size of its table in MiB.
    hash: usize,
    book: Option<Arc<Book>>,
    is_canceled: fn() -> bool,
    /// Made at the first search: before that, it takes little memory.
    searcher: Option<Searcher<'static>>,
    /// The game whose positions the table knows.
    game: Option<String>,
}

impl Server {
    /// A server with a table of this size in MiB, and the book to look into. A search asks `is_canceled` now and then.
    pub const fn new(hash: usize, book: Option<Arc<Book>>, is_canceled: fn() -> bool) -> Server {
        Server { hash, book, is_canceled, searcher: None, game: None }
    }

    /// Answers a request, as text like a line of `othellier json`.
    pub fn ask(&mut self, line: &[u8], say: &mut dyn FnMut(Said, &str)) {
        let clock = Clock::new(Control::Move(DEFAULT_TIME));
        let usual = Pace::OWN.effort(clock, Duration::ZERO);
        let answered = request::read(line, &usual).and_then(|(id, line)| match line {
            Line::Search(units) => units.iter().try_for_each(|unit| self.search(unit, say)),
            Line::Version => {
                say(Said::Answer, &to_text(&Told::version(&id, "othellier")));
                Ok(())
            }
            _ => Err(Refusal { id, message: "action: only over a pipe".into() }),
        });
        if let Err(refusal) = answered {
            say(Said::Answer, &to_text(&refusal));
        }
    }

    fn search(&mut self, unit: &Unit, say: &mut dyn FnMut(Said, &str)) -> Result<(), Refusal> {
        let common = &unit.common;
        let refusal = |message: String| Refusal { id: common.id.clone(), message };
        if common.book && self.book.is_none() {
            return Err(refusal("book: this module has none".into()));
        }
        if (self.is_canceled)() {
            say(Said::Answer, &to_text(&Canceled::of(unit)));
            return Ok(());
        }
        let hash = self.hash;
        let made = self.searcher.take();
        let made = made.or_else(|| Searcher::new(Evaluation::embedded(), 1, hash));
        let none = || refusal(format!("there is no memory for a table of {hash} MB"));
        let searcher = self.searcher.insert(made.ok_or_else(none)?);
        if common.game.is_none() || common.game != self.game {
            searcher.clear();
        }
        self.game.clone_from(&common.game);
        let stop = Stop::polling(self.is_canceled);
        let outcome = unit.search(searcher, &stop, &mut |report, is_due| {
            let said = if is_due { Said::Report } else { Said::Interim };
            say(said, &to_text(&Answer::partial(unit, report)));
        });
        let mut answer = Answer::new(unit, &outcome);
        answer.canceled = (self.is_canceled)();
        if let Some(book) = self.book.as_ref().filter(|_| common.book) {
            answer.consult(book, unit.position.board);
        }
        say(Said::Answer, &to_text(&answer));
        Ok(())
    }
}

/// The position after a list of moves, behind a start position or not, and what may be played there, as JSON.
pub fn game(text: &str) -> String {
    to_text(&match transcript::game(text) {
        Ok(game) => state(&game),
        Err(error) => json!({"message": error.to_string()}),
    })
}

/// The games of a file in any format, and what was passed over in it, as JSON.
pub fn read(file: Vec<u8>) -> String {
    let (format, file) = recognize(file, None, None);
    let mut reader =
        match Reader::new(format.unwrap_or(Format::Transcript), &file, Default::default()) {
            Ok(reader) => reader,
            Err(error) => return to_text(&json!({"message": error.to_string()})),
        };
    let told = |entry: Result<Entry, EntryError>| match entry {
        Ok(entry) => entry_row(&entry),
        Err(error) => {
            let mut row = error.accepted.as_deref().map_or_else(|| json!({}), state);
            row["message"] = json!(error.to_string());
            row
        }
    };
    let games: Vec<Value> = reader.by_ref().map(told).collect();
    to_text(&json!({"games": games, "left_out": reader.left_out().map(|left| left.to_string())}))
}

fn entry_row(entry: &Entry) -> Value {
    let headers = &entry.headers;
    let mut row = state(&entry.game);
    let [black, white] = &headers.names;
    let texts = [black, white, &headers.place, &headers.event, &headers.date];
    for (key, text) in ["black", "white", "place", "event", "date"].into_iter().zip(texts) {
        row[key] = json!(text);
    }
    row["score"] = json!(headers.result.discs(&entry.game));
    row
}

fn state(game: &Game) -> Value {
    let position = game.position();
    let board = position.board;
    let mut legal: Vec<String> = board.moves().map(|square| square.to_string()).collect();
    if must_pass(board) {
        legal.push(Move::Pass.to_string());
    }
    let moves: Vec<String> = game.plies().iter().map(|ply| ply.mv.to_string()).collect();
    let discs = |color| position.discs(color).count_ones();
    json!({
        "start": game.start().to_string(),
        "moves": moves,
        "position": position.to_string(),
        "side": position.side.name(),
        "legal": legal,
        "discs": {"black": discs(Color::Black), "white": discs(Color::White)},
        "over": game.is_over(),
        "result": game.result(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: &str = "XXO-O---OOOOOO--XOOXXXXXXOOXXXXXXOOXXXOXXXOOOXOXXOOOOOXX-OOOOO-X X";

    /// What is told, as its kind and its JSON.
    fn ask(server: &mut Server, request: &Value) -> Vec<(Said, Value)> {
        let mut told = Vec::new();
        server.ask(request.to_string().as_bytes(), &mut |said, text| {
            told.push((said, serde_json::from_str(text).unwrap()));
        });
        told
    }

    #[test]
    fn requests_are_answered_like_lines() {
        let mut server = Server::new(1, None, || false);
        let told = ask(&mut server, &json!({"position": END, "exact": true, "report_every": 0}));
        let (answers, reports): (Vec<_>, Vec<_>) =
            told.into_iter().partition(|(said, _)| *said == Said::Answer);
        assert!(reports.iter().all(|(said, row)| *said == Said::Report && row["partial"] == true));
        assert_eq!(json!([answers.len(), answers[0].1["score"]]), json!([1, 12]));
        let all = json!({"moves": "f5d6", "plies": "all", "depth": 3, "game": "a"});
        let nodes = |server: &mut Server| -> Vec<u64> {
            let answers = ask(server, &all).into_iter().filter(|(said, _)| *said == Said::Answer);
            answers.map(|(_, row)| row["nodes"].as_u64().unwrap()).collect()
        };
        let first = nodes(&mut server);
        assert_eq!(first.len(), 3);
        assert!(nodes(&mut server).iter().sum::<u64>() < first.iter().sum(), "the table knows it");
        assert_eq!(ask(&mut server, &json!({"action": "version"}))[0].1["action"], "version");
        for (request, part) in [
            (json!({"action": "quit", "id": 5}), "only over a pipe"),
            (json!({"moves": "f5", "book": true, "id": 5}), "book: "),
            (json!({"moves": "f5f5", "id": 5}), "move 2"),
        ] {
            let told = &ask(&mut server, &request)[0].1;
            assert!(told["message"].as_str().unwrap().contains(part) && told["id"] == 5, "{told}");
        }
        let mut canceled = Server::new(1, None, || true);
        let told = ask(&mut canceled, &all);
        assert!(told.len() == 3 && told.iter().all(|(_, row)| row["canceled"] == true));
        assert!(canceled.searcher.is_none());
    }

    #[test]
    fn rules_and_files_are_told() {
        let value = |text: String| -> Value { serde_json::from_str(&text).unwrap() };
        let told = value(game("f5f6d3g5h5h4f7h6"));
        assert_eq!(json!([told["side"], told["legal"]]), json!(["black", ["pa"]]));
        let told = value(game("e6f4e3f6g5d6e7f5c5"));
        assert_eq!(json!([told["over"], told["result"], told["legal"]]), json!([true, 64, []]));
        assert_eq!(value(game(END))["discs"], json!({"black": 27, "white": 29}));
        assert!(value(game("f5f5"))["message"].as_str().unwrap().starts_with("move 2"));
        let told = value(read(b"(;GM[2]FF[4]PB[A]B[f5]W[d6]) (;GM[2]FF[4]B[f5]W[a1])".into()));
        let games = &told["games"];
        assert_eq!(json!([games[0]["black"], games[1]["moves"]]), json!(["A", ["f5"]]));
        assert!(games[1]["message"].as_str().unwrap().contains("illegal"));
        assert_eq!(value(read(b"1. f5 d6".into()))["games"][0]["moves"], json!(["f5", "d6"]));
    }
}
