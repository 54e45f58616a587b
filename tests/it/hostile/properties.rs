//! Properties that hold for any bytes: a function for each kind of input, which panics if one does not hold.
//!
//! The property tests beside this file and the fuzz targets in `fuzz` run the same functions.

use encoding_rs::{EUC_JP, SHIFT_JIS, WINDOWS_1252};
use othellier::board::{Board, Color, Move, Position, Square, stability};
use othellier::book::sections::Sections;
use othellier::book::snapshot::Snapshot;
use othellier::book::wal::{self, Wal};
use othellier::book::{edax, egaroucid, lines};
use othellier::clock::Clock;
use othellier::engine::{Config, Effort, Job, Perform, Pick};
use othellier::evaluation::weights::File;
use othellier::evaluation::{EMBEDDED, Evaluation};
use othellier::formats::archive::{Entry, Format, Reader, WthorWriter, decode, write};
use othellier::formats::wthor::{NameKind, Names};
use othellier::formats::{diagram, ggf, sgf};
use othellier::game::{Game, Note};
use othellier::journal::Recorder;
use othellier::protocol::dialogue::{Dialogue, State, Work};
use othellier::protocol::options::Options;
use othellier::protocol::session::Session;
use othellier::protocol::{Kind, Task, TaskWorker};
use othellier::requests::request::{self, Line, Unit};
use othellier::search::Stop;
use std::time::Instant;

/// A property of arbitrary bytes.
pub type Property = fn(&[u8]);

/// All properties, by the names of their seeds and fuzz targets.
pub const PROPERTIES: [(&str, Property); 17] = [
    ("nboard", |bytes| talk(Kind::Nboard, bytes)),
    ("gtp", |bytes| talk(Kind::Gtp, bytes)),
    ("cassio", |bytes| talk(Kind::Cassio, bytes)),
    ("console", |bytes| talk(Kind::Edax, bytes)),
    ("xboard", |bytes| talk(Kind::Xboard, bytes)),
    ("requests", requests),
    ("ggf", |bytes| file(Format::Ggf, bytes)),
    ("sgf", |bytes| file(Format::Sgf, bytes)),
    ("wthor", |bytes| file(Format::Wthor, bytes)),
    ("obf", |bytes| file(Format::Obf, bytes)),
    ("transcript", |bytes| file(Format::Transcript, bytes)),
    ("remarks", remarks),
    ("edax", edax),
    ("weights", weights),
    ("book", book),
    ("game", game),
    ("flips", flips),
];

/// Runs the property of that name.
pub fn check(name: &str, bytes: &[u8]) {
    let found = PROPERTIES.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("no property {name}")).1(bytes);
}

// The rules as one would explain them

/// A position with the discs of both colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slow {
    discs: [u64; 2],
    side: Color,
}

impl Slow {
    fn new(position: Position) -> Slow {
        let discs = [Color::Black, Color::White].map(|color| position.discs(color));
        Slow { discs, side: position.side }
    }

    fn position(self) -> Position {
        Position::new(self.discs[0], self.discs[1], self.side)
    }

    /// Walks from the square in each direction over the other side's discs to an own one.
    fn flips(self, square: Square) -> u64 {
        let (own, other) = (self.discs[self.side.index()], self.discs[1 - self.side.index()]);
        let mut turned = 0;
        if (own | other) & square.bit() != 0 {
            return 0;
        }
        for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)] {
            let (mut x, mut y) = (square.column() as i8 + dx, square.row() as i8 + dy);
            let mut run = 0;
            while let Some(here) = Square::at(x as u8, y as u8) {
                if other & here.bit() == 0 {
                    turned |= if own & here.bit() != 0 { run } else { 0 };
                    break;
                }
                run |= here.bit();
                (x, y) = (x + dx, y + dy);
            }
        }
        turned
    }

    fn can_move(self) -> bool {
        Square::all().any(|square| self.flips(square) != 0)
    }

    fn passed(self) -> Slow {
        Slow { side: self.side.opposite(), ..self }
    }

    fn play(self, mv: Move) -> Option<Slow> {
        let Some(square) = mv.square() else {
            return (!self.can_move()).then(|| self.passed());
        };
        let turned = self.flips(square);
        if turned == 0 {
            return None;
        }
        let mut next = self.passed();
        next.discs[self.side.index()] ^= turned | square.bit();
        next.discs[1 - self.side.index()] ^= turned;
        Some(next)
    }

    fn is_over(self) -> bool {
        !self.can_move() && !self.passed().can_move()
    }

    /// Discs for Black, the empty squares given to the winner.
    fn result(self) -> i32 {
        let [black, white] = self.discs.map(|discs| discs.count_ones() as i32);
        match black.cmp(&white) {
            std::cmp::Ordering::Less => 2 * black - 64,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => 64 - 2 * white,
        }
    }
}

/// Replays a game by the slow rule.
fn check_game(game: &Game) {
    let mut slow = Slow::new(game.start());
    for ply in game.plies() {
        assert_eq!(ply.before, slow.position());
        slow = slow.play(ply.mv).unwrap_or_else(|| panic!("{} in {}", ply.mv, ply.before));
    }
    assert_eq!(game.position(), slow.position());
    assert_eq!(game.result(), slow.is_over().then(|| slow.result()));
}

/// Moves without forced passes: formats differ in whether they spell these out.
fn squares(game: &Game) -> Vec<Square> {
    game.plies().iter().filter_map(|ply| ply.mv.square()).collect()
}

// Protocols

/// The only file that `loadsgf` can load.
const SGF: &[u8] = b"(;GM[2]PB[a]PW[b];B[fe];W[df];B[cc];W[dc];B[cd])";

/// Holds a dialogue with searches of a few nodes, and judges what is sent.
fn talk(kind: Kind, bytes: &[u8]) {
    let config = Config { hash_megabytes: 1, ..Config::default() };
    let options = Options { engine: config.clone(), ..Options::default() };
    let mut session = Session::new(options);
    session.read_file = |path| match path.to_str() {
        Some("game.sgf") => Ok(SGF.to_vec()),
        _ => Err(std::io::ErrorKind::NotFound.into()),
    };
    let mut worker = None;
    let begin = || TaskWorker::new(config.clone(), Recorder::default(), Vec::new());
    let work = |task: &Task| work(worker.get_or_insert_with(begin), task);
    let mut dialogue = Dialogue::new(kind, session, work);
    let (mut heard, mut sent) = (Vec::new(), Vec::new());
    for line in bytes.split(|&byte| byte == b'\n') {
        if dialogue.state() == State::Open {
            dialogue.hear(line);
            heard.push(line);
            sent.extend(dialogue.take_sent());
        }
    }
    dialogue.end();
    sent.extend(dialogue.take_sent());
    check_game(&dialogue.session().game);
    judge(kind, &heard, &String::from_utf8(sent).expect("what is sent is UTF-8"));
}

/// Does a task with short searches.
fn work(worker: &mut TaskWorker, task: &Task) -> Work {
    let mut task = task.clone();
    let stop = Stop::new();
    match &mut task {
        Task::Engine(Job::Think(think)) => {
            shorten(&mut think.effort);
            // The ladder of strengths sets its own depth when the job is made, which is shortened too.
            if matches!(think.pick, Pick::AsStrong(..)) {
                think.pick = Pick::Best;
            }
        }
        Task::Engine(Job::Ponder { effort, .. } | Job::Survey { effort, .. }) => shorten(effort),
        Task::Engine(Job::Forget) => {}
        Task::Move(_) | Task::Ahead(_) | Task::Study(_) => stop.set(),
    }
    let mut events = Vec::new();
    let ended = worker.perform(&task, Instant::now(), &stop, &mut |event| events.push(event));
    Work { events, result: ended.done }
}

fn shorten(effort: &mut Effort) {
    effort.clock = Clock::default();
    effort.limits.time = None;
    let limits = &mut effort.limits;
    (limits.depth, limits.exact_from) = (limits.depth.min(2), limits.exact_from.min(6));
}

/// The words of a line as all three protocols split it.
fn words(line: &[u8]) -> Vec<&[u8]> {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || byte.is_ascii_control();
    line.split(is_blank).filter(|word| !word.is_empty()).collect()
}

/// What is sent is in the protocol's form: in GTP every command has one reply, with its id and in its order, that ends with the only
/// empty line in it; in NBoard and XBoard every `ping` has its `pong`; Edax's console has a prompt for every line; in Cassio's protocol
/// every request has its `ready.`, unless `stop` drops it. Every line is of one of the protocol's forms.
pub fn judge(kind: Kind, heard: &[&[u8]], sent: &str) {
    let lines =
        || sent.lines().inspect(|line| assert!(!line.contains(char::is_control), "{line:?}"));
    let n_sent = |head: &str| lines().filter(|line| line.starts_with(head)).count();
    match kind {
        Kind::Gtp => {
            let ids: Vec<String> = heard.iter().filter_map(|line| id_of(line)).collect();
            let replies: Vec<&str> = sent.split_terminator("\n\n").collect();
            assert!(sent.is_empty() || sent.ends_with("\n\n"), "{sent:?}");
            assert_eq!(replies.len(), ids.len(), "{sent:?}");
            for (reply, id) in replies.iter().zip(ids) {
                let rest = reply.strip_prefix(['=', '?']).unwrap_or_else(|| panic!("{reply:?}"));
                let rest = rest.strip_prefix(&id).unwrap_or_else(|| panic!("{reply:?} for {id}"));
                assert!(rest.starts_with(' '), "{reply:?}");
                assert!(!reply.contains(|c: char| c.is_control() && c != '\n'), "{reply:?}");
            }
        }
        Kind::Nboard => {
            let known = "set pong status === search book nodestats analysis learned";
            for line in lines() {
                let first = line.split(' ').next().unwrap_or_default();
                assert!(known.split(' ').any(|word| word == first), "{line:?}");
            }
            let is_ping = |line: &&&[u8]| words(line).first() == Some(&&b"ping"[..]);
            assert_eq!(n_sent("pong"), heard.iter().filter(is_ping).count());
        }
        Kind::Edax => {
            // Rows of tables and boards begin with blanks or numbers.
            let known = [">", "------+", "You play ", "Edax plays ", "*** Game Over", "book "];
            for line in lines() {
                let is_row = line.starts_with(|c: char| c == ' ' || c.is_ascii_digit());
                let is_help = line.starts_with("Commands:") || line.starts_with("Options,");
                let is_known = line.is_empty() || known.iter().any(|head| line.starts_with(head));
                assert!(is_row || is_help || is_known, "{line:?}");
            }
            let all = heard.len()..=heard.len() + 1;
            assert!(all.contains(&n_sent(">")), "{all:?} {sent:?}");
        }
        Kind::Xboard => {
            let known = "feature setup pong move Illegal Error Hello 1-0 0-1 1/2-1/2";
            for line in lines() {
                let first = line.split_whitespace().next().unwrap_or_default();
                let is_thinking = first.parse::<u32>().is_ok();
                let is_known = known.split(' ').any(|word| word == first);
                assert!(is_thinking || is_known || first.starts_with("Hint:"), "{line:?}");
            }
            let is_ping = |line: &&&[u8]| {
                String::from_utf8_lossy(line).split_whitespace().next() == Some("ping")
            };
            assert_eq!(n_sent("pong"), heard.iter().filter(is_ping).count(), "{sent:?}");
        }
        Kind::Cassio => {
            for line in lines() {
                let is_whole = ["ready.", "ok.", "bye bye."].contains(&line);
                let mut heads = ["ERROR: ", "version: ", "node "].iter();
                let is_known = is_whole || heads.any(|head| line.starts_with(head));
                let is_result = line.contains(", move ") && line.contains(" <= v <= ");
                assert!(is_known || is_result, "{line:?}");
            }
            let [mut n_questions, mut n_requests, mut n_stops] = [0; 3];
            for line in heard {
                match words(line)[..] {
                    [] | [b"ENGINE-PROTOCOL", b"get-search-infos", ..] => n_questions += 1,
                    [b"ENGINE-PROTOCOL", b"stop", ..] => n_stops += 1,
                    [b"ENGINE-PROTOCOL", b"feed-hash" | b"empty-hash" | b"quit", ..] => {}
                    [b"ENGINE-PROTOCOL", ..] => n_requests += 1,
                    _ => {}
                }
            }
            let n_answers = n_sent("ready.") + n_sent("ok.") + n_sent("node ");
            let least = n_questions + if n_stops == 0 { n_requests } else { 0 };
            let all = least..=n_questions + n_requests + n_stops;
            assert!(all.contains(&n_answers), "{n_answers} of {all:?} {sent:?}");
            assert!(n_sent("bye") == 1 && sent.ends_with("bye bye.\n"), "{sent:?}");
        }
    }
}

/// A request is refused, or has a position, and each of them a move to search, unless there is none at all.
fn requests(bytes: &[u8]) {
    for line in bytes.split(|&byte| byte == b'\n') {
        let read = request::read(line, &Effort::default());
        let Ok((_, Line::Search(units))) = read else { continue };
        assert!(!units.is_empty());
        for Unit { position, common, .. } in units {
            let (legal, avoid) = (position.board.legal_moves(), common.avoid);
            assert!(legal == 0 || legal & !avoid != 0, "{position}");
            assert_eq!(Position::parse(position.to_string().as_bytes()).unwrap(), position);
        }
    }
}

/// The id of a line with a command, without leading zeros; empty if it has none.
fn id_of(line: &[u8]) -> Option<String> {
    let is_read = |byte: &u8| *byte == b'\t' || !byte.is_ascii_control();
    let text = line.iter().copied().take_while(|&byte| byte != b'#');
    let text = String::from_utf8_lossy(&text.filter(is_read).collect::<Vec<_>>()).into_owned();
    let mut words = text.split_ascii_whitespace();
    let first = words.next()?;
    if !first.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(String::new());
    }
    words.next()?;
    let trimmed = first.trim_start_matches('0');
    Some(if trimmed.is_empty() { "0".into() } else { trimmed.into() })
}

// Files

/// Games that can be read are legal, and survive a round trip through any format.
fn file(format: Format, bytes: &[u8]) {
    let encodings = [None, Some(WINDOWS_1252), Some(SHIFT_JIS), Some(EUC_JP)];
    let text = decode(bytes, encodings[bytes.len() % encodings.len()]);
    let _ = (Format::guess(bytes), diagram::read(bytes));
    match format {
        Format::Ggf => {
            let _ = ggf::parse_move_item(bytes);
            if let Some(clock) = ggf::GgfClock::parse(bytes) {
                assert_eq!(ggf::GgfClock::parse(clock.to_string().as_bytes()), Some(clock));
            }
        }
        Format::Sgf => {
            // Read up to a given move, as `loadsgf` does.
            let until = bytes.first().map_or(0, |&byte| usize::from(byte));
            if let Ok(record) = sgf::read(bytes, Some(until)) {
                check_game(&record.replay_legal().0);
            }
        }
        Format::Wthor => {
            if let Ok(names) = Names::read(NameKind::Players, bytes, None) {
                let again = Names::read(NameKind::Players, &names.to_bytes(), None).unwrap();
                assert_eq!(again.to_bytes(), names.to_bytes());
            }
        }
        Format::Obf | Format::Transcript => {}
    }
    let Ok(reader) = Reader::new(format, &text, [None, None]) else { return };
    // Inputs of the fuzzer are small, so twenty games are enough.
    for entry in reader.take(20) {
        match entry {
            Ok(entry) => check_entry(format, &entry),
            Err(error) => {
                error.accepted.iter().for_each(|game| check_game(game));
                assert!(!error.to_string().is_empty());
            }
        }
    }
}

fn check_entry(from: Format, entry: &Entry) {
    check_game(&entry.game);
    for format in [Format::Ggf, Format::Sgf, Format::Transcript] {
        let text = write(format, entry).unwrap();
        let again: Vec<Entry> = Reader::new(format, text.as_bytes(), [None, None])
            .unwrap()
            .map(|entry| entry.unwrap_or_else(|error| panic!("{format}: {error} in {text:?}")))
            .collect();
        assert_eq!(again.len(), 1, "{format}: {text:?}");
        assert_eq!(again[0].game.start(), entry.game.start(), "{format}: {text:?}");
        assert_eq!(squares(&again[0].game), squares(&entry.game), "{format}: {text:?}");
        assert_eq!(write(format, &again[0]).unwrap(), text, "{format}");
    }
    let text = write(Format::Obf, entry).unwrap();
    for problem in Reader::new(Format::Obf, text.as_bytes(), [None, None]).unwrap() {
        let problem = problem.unwrap();
        assert!(from != Format::Obf || problem.scores == entry.scores);
    }
    let mut writer = WthorWriter::new([20, 26, 1, 1]);
    if writer.add(entry).is_ok() {
        let file = writer.games();
        let [players, tournaments] = writer.lists();
        let lists = [Some(players), Some(tournaments)];
        let games = Reader::new(Format::Wthor, &file, lists).unwrap();
        for again in games {
            assert_eq!(squares(&again.unwrap().game).len(), squares(&entry.game).len());
        }
    }
}

/// Moves with a comment and a variation that hold anything are the moves alone.
fn remarks(bytes: &[u8]) {
    // What ends the comment, or is the tag of a next game.
    let comment = String::from_utf8_lossy(bytes).replace(['{', '}', '｛', '｝', '"', '＂'], " ");
    let [aside, list] = [format!("{{x{comment}}}"), format!("f5 (d6 {comment})\n{comment}")];
    let text = format!("[Site \"x\"]\n{aside} 1. f5 {aside} d6\n(1... f4 {aside} c3)\n2. c3 *");
    let games = Reader::new(Format::Transcript, text.as_bytes(), [None, None]).unwrap();
    let games: Vec<Vec<Square>> = games.map(|entry| squares(&entry.unwrap().game)).collect();
    let moves = [b"f5", b"d6", b"c3"].map(|mv| Square::parse(mv).unwrap());
    assert_eq!(games, [moves], "{text:?}");
    file(Format::Transcript, list.as_bytes());
}

/// A game that the bytes choose is read from the spellings of Edax: `board side`, moves in any case, `PS` and `@@`.
fn edax(bytes: &[u8]) {
    let (&n_before, choices) = bytes.split_first().unwrap_or((&0, &[]));
    let (mut game, mut text) = (Game::default(), String::new());
    for (index, &choice) in choices.iter().take(128).enumerate() {
        if index == usize::from(n_before) % 60 {
            game = Game::new(game.position());
            text = format!("{} ", game.position());
        }
        let legal: Vec<Square> = game.position().board.moves().collect();
        let choice = usize::from(choice);
        let mv = legal.get(choice % legal.len().max(1)).map_or(Move::Pass, |mv| Move::Place(*mv));
        if !game.is_over() && game.play(mv, Note::default()) {
            text += &match (mv, choice % 5) {
                (Move::Pass, kind) => ["@@", "PS", "ps", "@@@@", "Pass"][kind].into(),
                (_, 0) => format!("{mv} "),
                _ => format!("{mv:#}"),
            };
        }
    }
    for entry in Reader::new(Format::Transcript, text.as_bytes(), [None, None]).unwrap() {
        let read = entry.unwrap().game;
        assert_eq!((read.start(), squares(&read)), (game.start(), squares(&game)), "{text}");
    }
}

/// The bytes of a weights file with its checksum corrected, which is the FNV-1a of all that follows it.
pub fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = bytes[16..].iter().fold(0xCBF2_9CE4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    bytes[8..16].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Bytes are weights or are refused, also with a valid head and checksum; weights survive a round trip.
fn weights(bytes: &[u8]) {
    let plain = File::unpack(bytes);
    // The version, the checksum's place and the fingerprint of the patterns.
    let sealed = sealed([&EMBEDDED[..20], bytes].concat());
    for file in [plain, File::unpack(&sealed)].into_iter().flatten() {
        let again = File::unpack(&file.pack().0).unwrap();
        assert_eq!(again, file);
        assert!(Evaluation::new(&file).is_ok());
    }
}

// Games and boards

/// Files of books, their journals, and books of other programs: anything readable is sound and can be written.
fn book(bytes: &[u8]) {
    let sound = |sections: &Sections| {
        assert!(sections.iter().all(|entry| entry.is_sound()));
        let written = Snapshot::of(sections.to_bytes(0)).unwrap();
        assert_eq!(&written.sections().unwrap(), sections);
    };
    if let Ok(snapshot) = Snapshot::of(bytes.to_vec()) {
        sound(&snapshot.salvage().0);
    }
    if let Ok(journal) = Wal::read(bytes, 0) {
        assert!(journal.whole <= bytes.len());
    }
    wal::salvage(bytes);
    for imported in [edax::read(bytes), egaroucid::read(bytes)].into_iter().flatten() {
        sound(&imported.sections);
        edax::read(&edax::write(&imported.sections).bytes).unwrap();
        egaroucid::read(&egaroucid::write(&imported.sections)).unwrap();
    }
    for line in bytes.split(|&byte| byte == b'\n') {
        if let Ok(Some(said)) = lines::read(line) {
            let again = lines::read(lines::position(&said.entry).as_bytes()).unwrap().unwrap();
            assert_eq!(again.entry, said.entry);
        }
    }
}

/// Two sets of discs that do not overlap.
fn discs(bytes: &[u8; 16]) -> [u64; 2] {
    let (head, tail) = bytes.split_at(8);
    let [first, second] = [head, tail].map(|half| u64::from_le_bytes(half.try_into().unwrap()));
    [first & !second, second & !first]
}

/// A game behaves as a list of positions of the slow rule, whatever is played, undone and played again; discs reported as stable
/// stay.
fn game(bytes: &[u8]) {
    let (start, steps) = match bytes.split_first_chunk::<17>() {
        Some(([choice, board @ ..], steps)) if choice % 2 == 1 => {
            let [black, white] = discs(board);
            let side = if choice & 2 == 0 { Color::Black } else { Color::White };
            (Position::new(black, white, side), steps)
        }
        _ => (Position::START, bytes),
    };
    let mut game = Game::new(start);
    let mut done = vec![(Slow::new(start), None)];
    let mut undone = Vec::new();
    for &step in steps.iter().take(400) {
        let now = done[done.len() - 1].0;
        let mv = Square::new(step & 63).map_or(Move::Pass, Move::Place);
        match step {
            // Play the square for the side to move.
            0..64 => {
                let next = now.play(mv);
                assert_eq!(game.play(mv, Note::default()), next.is_some());
                if let Some(next) = next {
                    done.push((next, Some(mv)));
                    undone.clear();
                }
            }
            // Play the next legal square from there on, so that most steps are moves.
            64..128 => {
                let mut order = (step..step + 64).filter_map(|index| Square::new(index & 63));
                let square = order.find(|&square| now.flips(square) != 0);
                let mv = square.map_or(Move::Pass, Move::Place);
                let next = now.play(mv).unwrap();
                assert!(game.play(mv, Note::default()));
                done.push((next, Some(mv)));
                undone.clear();
            }
            // Play the square for the other side, whose turn it may be after a pass.
            128..192 => {
                let passed = now.play(Move::Pass);
                let next = passed.and_then(|passed| passed.play(mv));
                assert_eq!(game.play_as(now.side.opposite(), mv, Note::default()), next.is_some());
                if let (Some(passed), Some(next)) = (passed, next) {
                    done.extend([(passed, Some(Move::Pass)), (next, Some(mv))]);
                    undone.clear();
                }
            }
            192..224 => {
                let expected = if done.len() > 1 { done.pop() } else { None };
                assert_eq!(game.undo().map(|ply| ply.mv), expected.and_then(|entry| entry.1));
                undone.extend(expected);
            }
            224.. => {
                let expected = undone.pop();
                assert_eq!(game.redo().map(|ply| ply.mv), expected.and_then(|entry| entry.1));
                done.extend(expected);
            }
        }
        let (now, _) = done[done.len() - 1];
        assert_eq!(game.position(), now.position());
        assert_eq!(game.plies().len() + 1, done.len());
    }
    check_game(&game);
    assert!(game.positions().eq(done.iter().map(|entry| entry.0.position())));
    let end = game.position();
    for position in game.positions() {
        for color in [Color::Black, Color::White] {
            let (own, other) = (position.discs(color), position.discs(color.opposite()));
            let stable = stability::stable_discs(own, other);
            assert_eq!(stable & !end.discs(color), 0, "{position} to {end}");
        }
    }
}

/// Moves, flips and the end of the game are those of the slow rule on any board.
fn flips(bytes: &[u8]) {
    for bytes in bytes.as_chunks::<16>().0.iter().take(64) {
        let [player, opponent] = discs(bytes);
        let board = Board { player, opponent };
        let slow = Slow { discs: [player, opponent], side: Color::Black };
        let mut legal = 0;
        for square in Square::all().filter(|square| board.empties() & square.bit() != 0) {
            let expected = slow.flips(square);
            assert_eq!(board.flips(square), expected, "{square} on {board}");
            let portable = othellier::board::flip::portable::flips(square, player, opponent);
            assert_eq!(portable, expected, "{square} on {board}");
            legal |= if expected != 0 { square.bit() } else { 0 };
        }
        assert_eq!(board.legal_moves(), legal, "{board}");
        assert_eq!(othellier::board::mobility::portable::legal_moves(player, opponent), legal);
        assert_eq!(board.is_over(), slow.is_over(), "{board}");
        for square in Square::all() {
            let next = board.play(Move::Place(square));
            let expected = slow.play(Move::Place(square)).map(|next| next.position().board);
            assert_eq!(next, expected, "{square} on {board}");
            // The last empty square of a full board.
            let own = player & !square.bit();
            let full = Slow { discs: [own, !own & !square.bit()], side: Color::Black };
            let count = othellier::board::last_flip::count(square, own);
            assert_eq!(count, full.flips(square).count_ones(), "{square} on {board}");
        }
    }
}
