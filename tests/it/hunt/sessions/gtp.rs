//! The model of GTP: one reply for each command, in order.

use super::super::rules::{BLACK, Board, Square, WHITE, color, name, other, parse};
use super::super::{Random, few, many};
use super::{End, Talk, is_decimal, options};
use crate::harness::Folder;

/// A command; without words, its line gets no reply.
struct Command {
    id: &'static str,
    words: Vec<String>,
}

/// A reply that is expected.
enum Expected {
    Is(String),
    /// An error with this text.
    Fails(&'static str),
    /// An error with any text.
    Refused,
    /// Success with a text of that form.
    Like(fn(&str) -> bool),
    Any,
    /// A move for the side; the flag says whether it is played.
    Move(u8, bool),
}

use Expected::{Any, Fails, Is, Like, Refused};

/// A position and the moves that led to it.
#[derive(Clone)]
struct State {
    board: Board,
    moves: Vec<(u8, Square)>,
}

/// Commands that move; words in capitals are placeholders.
const MOVES: &str = "play SIDE MOVE|play SIDE MOVE|play SIDE MOVE|play SIDE MOVE|genmove SIDE|genmove SIDE|\
    genmove SIDE|genmove COLOR|reg_genmove COLOR|play COLOR SQUARE|play OTHER MOVE|play COLOR pass|play SIDE PA|\
    play SIDE i9|undo|undo|gg-undo NUMBER|gogui-play_sequence SIDE MOVE COLOR SQUARE";

/// Other commands; `;` separates commands that are sent together.
const OTHERS: &str = "gogui-setup_player COLOR|boardsize 8|boardsize 10|boardsize 8.5|boardsize|clear_board|\
    set_game Othello|set_game Go|set_game|time_left COLOR NUMBER 0|time_settings NUMBER NUMBER NUMBER|\
    set_level 1|set_level 3|set_level 4|set_level 0|set_level 61|set_level x|set_strength 5|set_strength off|\
    set_strength 99|set_threads 2|set_threads 1|set_hash 2|set_hash 1|set_player greedy|set_player off|ponder on|\
    ponder off|set_randomness 2|set_resign 8|set_resign off|set_seed 7|set_contempt -3|final_score|showboard|\
    gogui-rules_final_result;gogui-rules_board|gogui-rules_legal_moves;gogui-rules_side_to_move|printsgf;final_score|\
    othellier-evaluation|othellier-best_moves 3|othellier-best_moves x|othellier-move_values|othellier-variation|\
    othellier-stable_discs|foreseen_replies|book_moves|othellier-settings|lz-analyze 1;name|kata-analyze b 1;name|\
    protocol_version|name|version|list_games|list_commands|known_command play|known_command foo|known_command|\
    komi 6.5|komi x|cputime|clear_cache|loadsgf nowhere.sgf|loadsgf|foo|GENMOVE black|Name|\u{e9}t\u{e9}|genmove|play|=";

struct Model {
    /// The last state is the current one; `undo` goes back to those before.
    states: Vec<State>,
    may_resign: bool,
    /// Whether no files may be read (`--sandbox`).
    is_closed: bool,
    folder: Folder,
}

fn color_of(word: &str) -> Option<u8> {
    match word.to_lowercase().as_str() {
        "b" | "black" => Some(BLACK),
        "w" | "white" => Some(WHITE),
        _ => None,
    }
}

/// Eight rows of eight words, row 8 first.
fn rows(cell: impl Fn(u8) -> char, board: &Board) -> String {
    let rows = board.cells.iter().rev().map(|row| row.iter().map(|&disc| cell(disc)).collect());
    rows.collect::<Vec<String>>().join("\n")
}

fn is_grid(text: &str) -> bool {
    text.lines().count() == 8 && text.lines().all(|row| row.split(' ').count() == 8)
}

/// A move in SGF.
fn item(side: u8, (x, y): Square) -> String {
    let [x, y] = [x, y].map(|n| char::from(b'a' + n as u8));
    format!(";{}[{x}{y}]", if side == BLACK { 'B' } else { 'W' })
}

impl Model {
    fn now(&self) -> &State {
        self.states.last().expect("there is one")
    }

    fn begin(&mut self, board: Board) -> Expected {
        self.states = vec![State { board, moves: Vec::new() }];
        Is(String::new())
    }

    /// The state after a move or a pass by the rules for turns and passes; `None` if it is illegal.
    fn after(&self, side: u8, mv: Option<Square>) -> Option<State> {
        let mut state = self.now().clone();
        let board = state.board;
        if mv.is_none() && !board.can_move(side) && (board.side != side || board.is_over()) {
            return Some(state);
        }
        let board = if board.side == side { board } else { board.play(None)? };
        state.board = board.play(mv)?;
        state.moves.extend(mv.map(|mv| (side, mv)));
        Some(state)
    }

    fn play(&mut self, side: u8, mv: Option<Square>) -> Expected {
        let Some(state) = self.after(side, mv) else { return Fails("illegal move") };
        self.states.push(state);
        Is(String::new())
    }

    fn undo(&mut self, n: usize) -> Expected {
        if n >= self.states.len() {
            return Fails("cannot undo");
        }
        self.states.truncate(self.states.len() - n);
        Is(String::new())
    }

    fn sequence(&mut self, words: &[&str]) -> Expected {
        let moves = words.chunks(2).map(|pair| Some((color_of(pair[0])?, parse(pair.get(1)?)?)));
        let Some(moves) = moves.collect::<Option<Vec<_>>>() else { return Fails("syntax error") };
        let before = self.states.len();
        for (side, mv) in moves {
            if let Fails(error) = self.play(side, mv) {
                self.states.truncate(before);
                return Fails(error);
            }
        }
        Is(String::new())
    }

    fn setup(&mut self, words: &[&str]) -> Expected {
        let mut board = Board { cells: [[b'-'; 8]; 8], side: BLACK };
        for pair in words.chunks(2) {
            let square = pair.get(1).and_then(|word| parse(word).flatten());
            let (Some(side), Some((x, y))) = (color_of(pair[0]), square) else {
                return Fails("syntax error");
            };
            if std::mem::replace(&mut board.cells[y][x], side) != b'-' {
                return Refused;
            }
        }
        self.begin(board)
    }

    fn load(&mut self, file: &str) -> Expected {
        let text = std::fs::read_to_string(file).ok().filter(|_| !self.is_closed);
        let Some(text) = text else { return Refused };
        self.begin(Board::start());
        for item in text.trim_end_matches(')').split(';').skip(2) {
            let &[side, _, x, y, _] = item.as_bytes() else { panic!("{item}") };
            let mv = (usize::from(x - b'a'), usize::from(y - b'a'));
            self.play(if side == b'B' { BLACK } else { WHITE }, Some(mv));
        }
        Is(color(self.now().board.side).into())
    }

    fn genmove(&mut self, side: u8, plays: bool) -> Expected {
        let board = self.now().board;
        if !board.can_move(side) {
            if plays {
                self.play(side, None);
            }
            return Is("pass".into());
        }
        if board.side != side && board.can_move(board.side) {
            return Refused;
        }
        Expected::Move(side, plays)
    }

    /// The reply that a question about the position must get; `None` for another command.
    fn told(&self, words: &[&str]) -> Option<Expected> {
        let board = self.now().board;
        Some(match words {
            ["final_score", ..] if !board.is_over() => Fails("cannot score"),
            ["final_score", ..] => Is(match board.result() {
                0 => "0".into(),
                lead if lead > 0 => format!("B+{lead}"),
                lead => format!("W+{}", -lead),
            }),
            ["gogui-rules_board", ..] => {
                Is(rows(|disc| if disc == b'-' { '.' } else { char::from(disc) }, &board))
            }
            ["gogui-rules_legal_moves", ..] if board.is_over() => Is(String::new()),
            ["gogui-rules_legal_moves", ..] if !board.can_move(board.side) => Is("pass".into()),
            ["gogui-rules_legal_moves", ..] => {
                Is(board.moves().into_iter().map(name).collect::<Vec<_>>().join(" "))
            }
            ["gogui-rules_side_to_move", ..] => Is(color(board.side).into()),
            ["gogui-rules_final_result", ..] if !board.is_over() => {
                Is("The game is not over".into())
            }
            ["gogui-rules_final_result", ..] => {
                let (lead, half) = (board.result(), board.result().abs() / 2);
                let winner = if lead > 0 { "Black wins" } else { "White wins" };
                let winner = if lead == 0 { "Draw" } else { winner };
                Is(format!("{winner} {}-{}", 32 + half, 32 - half))
            }
            _ => return None,
        })
    }

    /// Applies a command to the model and returns the reply that it must get.
    fn expected(&mut self, words: &[&str]) -> Expected {
        if let Some(told) = self.told(words) {
            return told;
        }
        let board = self.now().board;
        match words {
            ["protocol_version", ..] => Is("2".into()),
            ["list_games", ..] => Is("Othello".into()),
            ["version", ..] => Is(env!("CARGO_PKG_VERSION").into()),
            ["name", ..] => Like(|text| text.starts_with("Othellier")),
            ["known_command", word] => {
                Is(["play", "undo", "quit", "lz-analyze"].contains(word).to_string())
            }
            ["list_commands"] => Like(|text| text.lines().count() > 50 && !text.contains(' ')),
            ["boardsize", "8"] | ["set_game", "Othello" | "reversi"] | ["clear_board", ..] => {
                self.begin(Board::start())
            }
            ["boardsize", "10"] => Fails("unacceptable size"),
            ["set_game", "Go"] => Fails("unsupported game"),
            ["komi", komi] if is_decimal(komi, 1e9) => Is(String::new()),
            ["play", side, mv] => match (color_of(side), parse(mv)) {
                (Some(side), Some(mv)) => self.play(side, mv),
                _ => Fails("syntax error"),
            },
            ["genmove" | "reg_genmove", side] => match color_of(side) {
                Some(side) => self.genmove(side, words[0] == "genmove"),
                None => Fails("syntax error"),
            },
            ["undo", ..] | ["gg-undo"] => self.undo(1),
            ["gg-undo", n] => match n.parse() {
                Ok(n) => self.undo(n),
                Err(_) => Fails("syntax error"),
            },
            ["showboard", ..] => Like(|text| text.lines().count() == 11),
            ["gogui-play_sequence", rest @ ..] => self.sequence(rest),
            ["gogui-setup", rest @ ..] => self.setup(rest),
            ["gogui-setup_player", side] => match color_of(side) {
                Some(side) => self.begin(board.with_side(side)),
                None => Fails("syntax error"),
            },
            ["loadsgf", file] => self.load(file),
            ["cputime", ..] => Like(|text| is_decimal(text, 1e9)),
            ["time_left", side, time, stones] => {
                let is_right = color_of(side).is_some() && is_decimal(time, 1e9);
                if is_right && stones.parse::<u32>().is_ok() {
                    Is(String::new())
                } else {
                    Fails("syntax error")
                }
            }
            ["time_settings", main, period, stones] => {
                let is_time = |text: &str| is_decimal(text, 1e9) && !text.starts_with('-');
                if is_time(main) && is_time(period) && stones.parse::<u32>().is_ok() {
                    Is(String::new())
                } else {
                    Fails("syntax error")
                }
            }
            ["othellier-best_moves", "x"] => Fails("syntax error"),
            ["othellier-move_values" | "othellier-stable_discs"] => Like(is_grid),
            ["othellier-best_moves", ..]
            | ["othellier-evaluation" | "othellier-variation"]
            | ["foreseen_replies" | "book_moves" | "book_info" | "gogui-analyze_commands"]
            | ["othellier-settings"] => Like(|_| true),
            ["lz-analyze" | "kata-analyze", ..] => {
                Like(|text| text.lines().skip(1).all(|line| line.starts_with("info move ")))
            }
            ["clear_cache"] | ["gogui-interrupt"] => Is(String::new()),
            ["set_resign", "off"] => {
                self.may_resign = false;
                Is(String::new())
            }
            ["set_resign", _] => {
                self.may_resign = true;
                Is(String::new())
            }
            ["set_level", "0" | "61" | "x"] | ["set_strength", "99"] => Refused,
            ["set_level" | "set_strength" | "set_threads" | "set_randomness" | "set_seed", _]
            | ["set_player" | "ponder" | "set_contempt" | "set_hash", _] => Is(String::new()),
            ["set_book", ..] => Any,
            ["printsgf", ..] => unreachable!("it is looked at by itself"),
            [] => unreachable!("it gets no reply"),
            _ => match words[0] {
                "boardsize" | "known_command" | "set_game" | "komi" | "play" | "genmove"
                | "reg_genmove" | "gg-undo" | "time_left" | "loadsgf" => Fails("syntax error"),
                _ => Fails("unknown command"),
            },
        }
    }

    /// Whether `printsgf` has written the moves of the game.
    fn is_written(&self, text: &str) -> bool {
        let items: String = self.now().moves.iter().map(|&(side, mv)| item(side, mv)).collect();
        text.starts_with("(;GM[2]") && text.ends_with(&format!("{items})"))
    }

    /// Reads the reply to a command, and judges it.
    fn judge(&mut self, command: &Command, talk: &mut Talk) {
        if command.words.is_empty() {
            return;
        }
        let first = talk.line();
        let shown = format!("{} -> {first}", command.words.join(" "));
        let (sign, rest) = first.split_at_checked(1).unwrap_or_default();
        let id = command.id.trim_start_matches('0');
        let text = rest.strip_prefix(id).and_then(|rest| rest.strip_prefix(' '));
        talk.check("=?".contains(sign) && !sign.is_empty(), "no sign", &shown);
        let Some(text) = text else { talk.fail(&format!("no blank or another id: {shown}")) };
        let mut text = text.to_owned();
        loop {
            match talk.line() {
                line if line.is_empty() => break,
                line => text = text + "\n" + &line,
            }
        }
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        let shown = format!("{} -> {sign}{text}", words.join(" "));
        if words[0] == "printsgf" {
            return talk.check(sign == "=" && self.is_written(&text), "another game", &shown);
        }
        let is_right = match self.expected(&words) {
            Is(expected) => sign == "=" && text == expected,
            Fails(expected) => sign == "?" && text == expected,
            Refused => sign == "?",
            Like(form) => sign == "=" && form(&text),
            Any => true,
            Expected::Move(_, true) if text == "resign" => sign == "=" && self.may_resign,
            Expected::Move(side, plays) => {
                let mv = parse(&text).flatten();
                let state = mv.and_then(|_| self.after(side, mv));
                let is_legal = state.is_some();
                self.states.extend(state.filter(|_| plays));
                sign == "=" && is_legal && mv.is_some_and(|mv| name(mv) == text)
            }
        };
        let State { board, .. } = self.now();
        talk.check(is_right, "not as the model says", &format!("{shown}\n{board:?}"));
    }

    /// A random command, mostly one that makes sense in the current position.
    fn command(&self, random: &mut Random) -> String {
        let State { board, moves } = self.now();
        match random.below(22) {
            0 => {
                // A whole game, because searches are quicker near the end.
                let (mut board, mut words) = (Board::start(), String::new());
                for _ in 0..random.below(70) {
                    let Some((next, mv)) = board.random_ply(random) else { break };
                    words += &format!(" {} {}", color(board.side), mv.map_or("pass".into(), name));
                    board = next;
                }
                return format!("clear_board\ngogui-play_sequence{words}");
            }
            1 => {
                let board = Board::random(random);
                let squares = (0..64).map(|n| (n % 8, n / 8)).filter(|_| !random.one_in(9));
                let discs = squares.filter(|&(x, y)| board.cells[y][x] != b'-');
                let words =
                    discs.map(|(x, y)| format!(" {} {}", color(board.cells[y][x]), name((x, y))));
                return format!("gogui-setup{}", words.collect::<String>());
            }
            2 if random.one_in(3) => return self.saved(random, moves.len()),
            _ => {}
        }
        let line = if random.one_in(2) { random.word(MOVES) } else { random.word(OTHERS) };
        let legal = board.moves();
        let legal = if legal.is_empty() { "pass".into() } else { name(random.pick(&legal)) };
        line.replace("SIDE", color(board.side))
            .replace("OTHER", color(other(board.side)))
            .replace("COLOR", random.word("black|white|B|w|White|green"))
            .replace("MOVE", &legal)
            .replace("SQUARE", &name((random.below(8), random.below(8))))
            .replace("NUMBER", random.word("0|1|2|3|x|-1|60|1.5"))
            .replace(';', "\n")
    }

    /// Loads a game that another program could have saved.
    fn saved(&self, random: &mut Random, n: usize) -> String {
        let (mut board, mut items) = (Board::start(), String::new());
        for _ in 0..random.below(60) {
            let Some((next, mv)) = board.random_ply(random) else { break };
            items += &mv.map_or_else(String::new, |mv| item(board.side, mv));
            board = next;
        }
        let text = format!("(;GM[2]FF[4]SZ[8]{items})");
        format!("loadsgf {}", self.folder.write(&format!("{n}.sgf"), text))
    }

    /// Lines that are sent together, and their commands.
    fn burst(&self, random: &mut Random) -> (Vec<Vec<u8>>, Vec<Command>) {
        let (mut lines, mut commands) = (Vec::new(), Vec::new());
        for _ in 0..1 + random.below(7) {
            if random.one_in(9) {
                let silent =
                    ["", "# comment", " \t ", " 5 # c", "# interrupt", "\r", "# interrupt"];
                lines.push(Vec::from(random.pick(&silent)));
            }
            if random.one_in(400) {
                lines.push(vec![b'a'; (2 << 20) + 10]);
                commands.push(Command { id: "", words: vec!["too_long".into()] });
            }
            for text in self.command(random).lines() {
                let id = random.word("|||7|007|99999999999999999999");
                let blanks = random.word(" | | |  |\t");
                let end = random.word("|||\r| # genmove| \x07|\t");
                let words: Vec<String> = text.split_whitespace().map(Into::into).collect();
                let line = [&[id.to_owned()][..], &words].concat().join(blanks);
                lines.push((line.trim_start().to_owned() + end).into_bytes());
                commands.push(Command { id, words });
            }
        }
        (lines, commands)
    }
}

fn trial(random: &mut Random) {
    let options = options(random);
    let mut talk = Talk::start(random, "gtp", &options);
    let is_closed = options.contains(&"--sandbox");
    let folder = Folder::new("hunt-gtp");
    let mut model = Model { states: Vec::new(), may_resign: false, is_closed, folder };
    model.begin(Board::start());
    for _ in 0..random.below(30) {
        let (lines, commands) = model.burst(random);
        talk.send(random, &lines);
        for command in &commands {
            model.judge(command, &mut talk);
        }
    }
    let end = random.pick(&[End::Quit, End::Close, End::Break]);
    let (mut lines, mut commands) = model.burst(random);
    if random.one_in(4) {
        // The analysis ends with the input.
        lines.push("lz-analyze 1".into());
        commands.push(Command { id: "", words: vec!["lz-analyze".into()] });
    }
    talk.send_last(end, "quit", &lines);
    if end == End::Quit {
        commands.push(Command { id: "", words: vec!["gogui-interrupt".into()] });
    }
    for command in &commands {
        model.judge(command, &mut talk);
    }
    talk.finish();
}

#[test]
fn a_few_sessions_are_answered_as_the_model_says() {
    few("sessions in GTP", 5, trial);
}

#[test]
#[ignore = "long: hunts for OTHELLIER_HUNT_SECONDS"]
fn sessions_are_answered_as_the_model_says() {
    many("sessions in GTP", trial);
}
