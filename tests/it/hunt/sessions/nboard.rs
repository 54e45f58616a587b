//! The model of NBoard: what must come comes in order, whatever comes between is well formed.

use std::collections::VecDeque;

use super::super::rules::{BLACK, Board, Square, name, parse};
use super::super::{Random, few, many};
use super::{End, Talk, is_decimal, options};

/// Output that must come; other output may come.
#[derive(Debug)]
enum Due {
    /// A `status` line whose text begins with this.
    Status(&'static str),
    Pong(String),
    Learned,
    /// The answer to a `go` in that position. After a later `ping`, the `pong` may come instead.
    Move {
        board: Board,
        is_certain: bool,
    },
}

struct Model {
    start: Board,
    board: Board,
    /// Moves and passes from the start to the current position.
    plies: Vec<Option<Square>>,
    due: VecDeque<Due>,
    /// The searches since the last `pong`: positions, how many moves are wanted, and the pings before them.
    asked: Vec<(Board, usize, usize)>,
    /// The rows of the iteration so far: moves and depth.
    rows: Vec<(String, String)>,
    /// The longest game since the last `pong`.
    n_plies: usize,
    /// The last move that the engine chose.
    chosen: String,
    n_pings: usize,
    n_pongs: usize,
    /// Greetings that have not come. A `go` may tell the name as well.
    n_unnamed: i32,
}

impl Model {
    /// Plays a move or a pass of the side to move; a move of the other side implies its pass.
    fn play(&mut self, mv: Option<Square>) -> bool {
        let (mut board, mut plies) = (self.board, vec![mv]);
        if board.play(mv).is_none()
            && let Some(passed) = board.play(None)
        {
            (board, plies) = (passed, vec![None, mv]);
        }
        let Some(next) = board.play(mv) else { return false };
        self.board = next;
        self.plies.extend(plies);
        true
    }

    /// Takes note of a line that is sent.
    fn sent(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["nboard", ..] => self.n_unnamed += 1,
            ["ping", number, ..] => {
                self.due.push_back(Due::Pong(number.into()));
                self.n_pings += 1;
            }
            ["learn", ..] => self.due.push_back(Due::Learned),
            ["go", ..] => {
                self.due.push_back(Due::Move { board: self.board, is_certain: true });
                self.asked.push((self.board, 1, self.n_pings));
            }
            ["hint", ref n @ ..] => {
                let n = n.first().and_then(|n| n.parse().ok()).unwrap_or(1);
                self.asked.push((self.board, n.clamp(1, 64), self.n_pings));
            }
            ["move", ref rest @ ..] => self.move_sent(&rest.join(" ")),
            ["set", "game", ..] => self.game_sent(line),
            [word] if parse(word).is_some() => self.move_sent(word),
            _ => {}
        }
        self.n_plies = self.n_plies.max(self.plies.len());
    }

    fn move_sent(&mut self, text: &str) {
        let word = text.split([' ', '/']).next().unwrap_or_default();
        match parse(word) {
            Some(mv) if self.play(mv) => {}
            Some(_) => self.due.push_back(Due::Status("illegal move: ")),
            None => self.due.push_back(Due::Status("move not understood: ")),
        }
    }

    /// A game in the form that [`Model::game`] writes.
    fn game_sent(&mut self, text: &str) {
        let (head, items) = text.split_once("*]").unwrap_or((text, ""));
        let read = || {
            let items = items.strip_suffix(";)")?;
            let cells = head.rsplit_once("BO[8 ")?.1.bytes().filter(|cell| b"*O-".contains(cell));
            let cells: Vec<u8> =
                cells.map(|cell| if cell == b'*' { BLACK } else { cell }).collect();
            let mut board = Board { side: BLACK, ..Board::start() };
            board.cells.as_flattened_mut().copy_from_slice(&cells);
            let moves = items.split_terminator(']').map(|item| parse(item.get(2..4)?));
            Some((board, moves.collect::<Option<Vec<_>>>()?))
        };
        let before = (self.start, self.board, self.plies.clone());
        let is_played = read().is_some_and(|(board, moves)| {
            (self.start, self.board) = (board, board);
            self.plies.clear();
            moves.into_iter().all(|mv| self.play(mv))
        });
        if !is_played {
            (self.start, self.board, self.plies) = before;
            self.due.push_back(Due::Status("game not "));
        }
    }

    /// Whether something is still to come.
    fn waits(&self) -> bool {
        self.due.iter().any(|due| !matches!(due, Due::Move { is_certain: false, .. }))
    }

    /// The next output due. Unless a move has come, leaves out moves that are not certain to come.
    fn next_due(&mut self, is_move: bool) -> Option<Due> {
        while !is_move && matches!(self.due.front(), Some(Due::Move { is_certain: false, .. })) {
            self.due.pop_front();
        }
        self.due.pop_front()
    }

    /// Judges a line of output. After the end of the input, a move may come that is not due.
    fn heard(&mut self, line: &str, is_closed: bool) -> bool {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["status", ref text @ ..] => {
                let text = text.join(" ");
                if ["", "Thinking", "Analyzing", "Analyzing the game"].contains(&text.as_str()) {
                    self.rows.clear();
                    return true;
                }
                let due = self.next_due(false);
                matches!(due, Some(Due::Status(known)) if text.starts_with(known))
            }
            ["set", "myname", name] => {
                self.n_unnamed -= 1;
                name.starts_with("Othellier")
            }
            ["pong", number] => {
                let is_due = matches!(self.next_due(false), Some(Due::Pong(due)) if due == number);
                self.n_pongs += 1;
                // No rows of searches from before the ping may follow.
                self.asked.retain(|&(_, _, n_pings)| n_pings >= self.n_pongs);
                is_due
            }
            ["learned"] => matches!(self.next_due(false), Some(Due::Learned)),
            ["===", answer] => {
                self.rows.clear();
                let Some(Due::Move { board, .. }) = self.next_due(true) else { return is_closed };
                let parts: Vec<&str> = answer.split('/').collect();
                let is_form = match parts[..] {
                    ["PA"] => true,
                    [_, value, time] => {
                        (value.is_empty() || is_decimal(value, 64.0)) && is_decimal(time, 1e6)
                    }
                    _ => false,
                };
                self.chosen = answer.into();
                let mv = parse(parts[0]);
                is_form && mv.is_some_and(|mv| board.play(mv).is_some())
            }
            ["search", pv, value, "0", depth] => {
                let moves: Vec<&str> = pv.split('-').collect();
                let is_new = self.rows.iter().all(|(known, _)| known != moves[0]);
                let is_same_depth = self.rows.iter().all(|(_, known)| known == depth);
                self.rows.push((moves[0].into(), depth.into()));
                let is_legal = self.asked.iter().any(|&(board, _, _)| is_line(board, &moves));
                let is_depth = depth.starts_with(|c: char| c.is_ascii_digit());
                is_new && is_same_depth && is_legal && is_depth && is_decimal(value, 64.0)
            }
            ["nodestats", nodes, time] => {
                let n = std::mem::take(&mut self.rows).len();
                let is_whole = |&(board, wanted, _): &(Board, usize, usize)| {
                    n == wanted.min(board.moves().len().max(1))
                };
                let is_number = nodes.parse::<u64>().is_ok() && is_decimal(time, 1e6);
                // The last line before a move stands alone.
                let is_last = n == 0 && self.due.iter().any(|due| matches!(due, Due::Move { .. }));
                is_number && (is_last || self.asked.iter().any(is_whole))
            }
            ["analysis", ply, value] => {
                is_decimal(value, 64.0) && ply.parse().is_ok_and(|ply: usize| ply <= self.n_plies)
            }
            _ => false,
        }
    }

    /// The game so far, or another one, as the front end sends it; sometimes broken.
    fn game(&self, random: &mut Random) -> String {
        let (mut board, mut plies) = (self.start, self.plies.clone());
        if random.one_in(2) || board.side != BLACK {
            (board, plies) = (Board::start(), Vec::new());
            let mut after = board;
            for _ in 0..random.below(64) {
                let Some((next, mv)) = after.random_ply(random) else { break };
                plies.push(mv);
                after = next;
            }
        }
        let mut items = String::new();
        let cells = board.text().replace('X', "*");
        for mv in plies {
            let side = if board.side == BLACK { 'B' } else { 'W' };
            let note = random.word("||/1.25/0.5|//2.4|/-1,5/0,1|/0.00");
            // Passes may be left out.
            if mv.is_some() || random.one_in(2) {
                items += &format!("{side}[{}{note}]", mv.map_or("PA".into(), name));
            }
            board = board.play(mv).unwrap_or(board);
        }
        if random.one_in(8) {
            items += random.word("B[D4]|W[E5]|B[A9]|W[banana]");
        }
        let end = if random.one_in(12) { "" } else { ";)" };
        let clock = random.word("|TI[5:00]|TI[0:01]|TI[15:00//2:00]|TB[10]TW[20]");
        let names = random.word("PB[a]PW[b]|PB[./mEdax]PW[x y]|RE[?]");
        format!("set game (;GM[Othello]PC[NBoard]{names}{clock}TY[8]BO[8 {cells} *]{items}{end}")
    }

    fn lines(&mut self, random: &mut Random) -> String {
        let legal = self.board.moves();
        let legal = if legal.is_empty() { "PA".into() } else { name(random.pick(&legal)) };
        let any = name((random.below(8), random.below(8)));
        let note = random.word("|/1.20/0.53|//2.4| -1.00 0.0|/|/1,25");
        let n = random.word("|1|2|4|64|0|-1|x");
        let ping = 3 * self.n_pings + random.below(3);
        match random.below(30) {
            0..=6 => format!("move {legal}{note}"),
            7 => legal.to_lowercase(),
            8 => format!("move {any}{note}"),
            9 => format!("move {}", random.word("PA|pass|--|zz|f55|")),
            10..=14 => "go".into(),
            15 => format!("go\nping {ping}"),
            16 => "go\ngo".into(),
            17 => format!("hint {n}\nping {ping}"),
            18 => format!("hint {n}"),
            19 => format!("set depth 60\nhint {n}\nmove {legal}\nset depth 2"),
            20 => format!("set depth 60\ngo\nmove {legal}\nset depth 3"),
            21 => format!("set depth 60\ngo\nping {ping}\nset depth 1"),
            22 => format!("analyze\nping {ping}"),
            23 => format!("analyze\nmove {legal}"),
            24..=25 => self.game(random),
            26 => "learn".into(),
            27 => random.word("nboard 2|nboard|nboard 1|clear|set contempt 100").into(),
            28 => random
                .word(
                    "|frobnicate 3|set|set volume 11|set depth x|set depth|set game|\
    set game (;GM[Othello]|set game banana|\u{e9}",
                )
                .into(),
            _ => format!("ping {ping}"),
        }
    }

    /// Lines that are sent together; takes note of them.
    fn burst(&mut self, random: &mut Random) -> Vec<Vec<u8>> {
        let (before, n) = (self.due.len(), 1 + random.below(6));
        let mut lines: Vec<String> = Vec::new();
        for _ in 0..n {
            let first = lines.len();
            lines.extend(self.lines(random).split('\n').map(Into::into));
            for line in &lines[first..] {
                self.sent(line);
            }
        }
        // A `ping` may cut short whatever is before it.
        let last = self.due.iter().rposition(|due| matches!(due, Due::Pong(_))).unwrap_or(0);
        for due in self.due.iter_mut().take(last).skip(before) {
            if let Due::Move { board, is_certain } = due {
                *is_certain = board.moves().is_empty();
            }
        }
        let end = random.word("||\r");
        lines.into_iter().map(|line| (line + end).into_bytes()).collect()
    }

    fn hear(&mut self, talk: &Talk, line: &str, is_closed: bool) {
        let is_right = self.heard(line, is_closed);
        let Model { board, due, .. } = self;
        talk.check(is_right, "not as the model says", &format!("{line}\n{board:?}\nnext {due:?}"));
    }
}

/// Whether these moves are legal one after the other.
fn is_line(board: Board, moves: &[&str]) -> bool {
    let mut board = Some(board);
    for word in moves {
        board = board.zip(parse(word)).and_then(|(board, mv)| board.play(mv));
    }
    board.is_some()
}

fn trial(random: &mut Random) {
    let options = options(random);
    let mut talk = Talk::start(random, "nboard", &options);
    let mut model = Model {
        start: Board::start(),
        board: Board::start(),
        plies: Vec::new(),
        due: VecDeque::new(),
        asked: Vec::new(),
        rows: Vec::new(),
        n_plies: 0,
        chosen: "F5".into(),
        n_pings: 0,
        n_pongs: 0,
        n_unnamed: 0,
    };
    for _ in 0..random.below(30) {
        let mut lines = model.burst(random);
        if random.one_in(4) {
            // Send the engine's own move back to it, as the engine wrote it.
            let line = format!("move {}", model.chosen);
            model.sent(&line);
            lines.push(line.into_bytes());
        }
        talk.send(random, &lines);
        while model.waits() {
            let line = talk.line();
            model.hear(&talk, &line, false);
        }
    }
    let end = random.pick(&[End::Quit, End::Close, End::Break]);
    let lines = model.burst(random);
    talk.send_last(end, "quit", &lines);
    while let Some(line) = talk.next() {
        model.hear(&talk, &line, end != End::Quit);
    }
    if end == End::Quit && (model.waits() || model.n_unnamed > 0) {
        talk.fail(&format!("ended before {:?}", model.due));
    }
    talk.finish();
}

#[test]
fn a_few_sessions_are_answered_as_the_model_says() {
    few("sessions in NBoard", 5, trial);
}

#[test]
#[ignore = "long: hunts for OTHELLIER_HUNT_SECONDS"]
fn sessions_are_answered_as_the_model_says() {
    many("sessions in NBoard", trial);
}
