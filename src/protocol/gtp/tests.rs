//! Tests of GTP: the machine alone, and its replies as GoGui's parser reads them.

use std::time::Instant;

use super::gogui::{ANALYZE_COMMANDS, View};
use super::stream::Dialect;
use super::*;
use crate::board::Square;
use crate::engine::{Config, Pace, Perform};
use crate::journal::Recorder;
use crate::players::desk::TaskWorker;
use crate::protocol::dialogue::{Dialogue, Work};
use crate::protocol::options::Options;
use crate::search::{Bound, Line, Outcome, Report, Stop};

/// The machine's output.
fn text(actions: Vec<Action>) -> String {
    let sent = actions.into_iter().filter_map(|action| match action {
        Action::Reply(message) => Some(String::from_utf8(message).unwrap()),
        _ => None,
    });
    sent.collect()
}

/// The replies to lines one after the other, with searches of one ply.
fn talk(lines: &[&str]) -> Vec<String> {
    let config = Config { hash_megabytes: 1, ..Config::default() };
    let options =
        Options { engine: Config { pace: Pace::level(1), ..config.clone() }, ..Options::default() };
    let mut worker = TaskWorker::new(config, Recorder::default(), Vec::new());
    let work = |task: &Task| {
        let mut events = Vec::new();
        let mut report = |event| events.push(event);
        let result = worker.perform(task, Instant::now(), &Stop::new(), &mut report).done;
        Work { events, result }
    };
    let mut dialogue = Dialogue::new(super::super::Kind::Gtp, Session::new(options), work);
    let replies = lines.iter().map(|line| {
        dialogue.hear(line.as_bytes());
        dialogue.wait();
        String::from_utf8(dialogue.take_sent()).unwrap()
    });
    replies.collect()
}

/// The text of a successful reply.
#[track_caller]
fn answer(reply: &str) -> &str {
    let text = reply.strip_prefix("= ").and_then(|text| text.strip_suffix("\n\n"));
    text.unwrap_or_else(|| panic!("{reply:?}"))
}

#[test]
fn a_player_that_is_set_again_begins_anew() {
    let asked = ["set_player random", "genmove black", "genmove white", "undo", "undo"];
    let replies = talk(&[&asked[..], &["set_player off"], &asked].concat());
    assert_eq!(replies[..5], replies[6..]);
}

/// Games to view: the start, the middle, a forced pass, the end.
const GAMES: [&str; 4] = [
    "",
    "gogui-play_sequence b f5 w d6 b c3",
    "gogui-play_sequence b f5 w f6 b d3 w g5 b h5 w h4 b f7 w h6",
    "gogui-play_sequence b e6 w f4 b e3 w f6 b g5 w d6 b e7 w f5 b c5",
];

#[test]
fn every_line_ends_the_reply_of_a_stream_before_its_own() {
    for stream in ["lz-analyze", "7 kata-analyze interval 10"] {
        let open = || {
            let (mut gtp, mut session) = (Gtp::default(), Session::new(Options::default()));
            gtp.handle(stream.as_bytes(), &mut session);
            let outcome = Outcome { interrupted: true, ..Default::default() };
            let result = engine::Done::Chosen(Box::new(Choice::found(outcome, 0)));
            gtp.on_finished(result, Some(b"x"), &mut session);
            (gtp, session)
        };
        for (line, expected) in [
            ("", "\n"),
            ("# a comment", "\n"),
            ("name", "\n= Othellier\n\n"),
            ("foo", "\n? unknown command\n\n"),
            ("quit", "\n= \n\n"),
        ] {
            let (mut gtp, mut session) = open();
            assert_eq!(text(gtp.handle(line.as_bytes(), &mut session)), expected, "{line}");
        }
        let (mut gtp, _) = open();
        assert_eq!(text(gtp.too_long()), "\n? unknown command\n\n");
        assert_eq!(text(gtp.too_long()), "? unknown command\n\n", "closed only once");
        let (mut gtp, mut session) = open();
        assert_eq!(text(gtp.on_end(&mut session)), "\n");
    }
}

// GoGui, by the rules of its parser (net.sf.gogui.gtp: AnalyzeDefinition, AnalyzeUtil, GtpUtil)

/// The types that the parser knows; it takes any other word for `none`.
const TYPES: [&str; 20] = [
    "bwboard", "cboard", "dboard", "eplist", "gfx", "hpstring", "hstring", "none", "param",
    "plist", "pspairs", "pstring", "sboard", "string", "var", "varb", "varc", "varp", "varpo",
    "varw",
];

/// Whether the parser takes this for a square of the board or a pass.
fn is_point(word: &str) -> bool {
    word.eq_ignore_ascii_case("pass") || Square::parse(word.as_bytes()).is_some()
}

/// The words of a line, cut as the parser does: by blanks, with quotation marks around words that may be empty.
fn arguments(line: &str) -> Vec<String> {
    line.split_whitespace().map(|word| word.trim_matches('"').to_string()).collect()
}

/// Whether the parser can show this answer in the way of its type.
fn can_be_shown(kind: &str, answer: &str) -> bool {
    let rows = || answer.lines().map(arguments).collect::<Vec<_>>();
    let is_board = |is_cell: &dyn Fn(&str) -> bool| {
        let rows = rows();
        rows.len() == 8 && rows.iter().all(|row| row.len() == 8 && row.iter().all(|c| is_cell(c)))
    };
    match kind {
        "string" | "none" => true,
        "sboard" => is_board(&|cell| cell.len() <= 6),
        "cboard" => is_board(&|cell| ["", "black", "white"].contains(&cell)),
        "pspairs" => {
            let words = arguments(answer);
            words.len().is_multiple_of(2) && words.iter().step_by(2).all(|word| is_point(word))
        }
        "gfx" => rows().iter().all(|row| match &row[..] {
            [command, moves @ ..] if command == "VAR" => {
                let is_move = |pair: &[String]| matches!(pair, [color, point] if ["b", "w"].contains(&color.as_str()) && is_point(point));
                moves.len().is_multiple_of(2) && moves.chunks(2).all(is_move)
            }
            _ => false,
        }),
        "param" => answer.lines().all(|line| parameter(line).is_some()),
        _ => false,
    }
}

/// A line of a dialog as type, key and value.
fn parameter(line: &str) -> Option<(&str, &str, &str)> {
    let (kind, rest) = line.strip_prefix('[')?.split_once("] ")?;
    let (key, value) = rest.split_once(' ')?;
    let fits = match kind {
        "string" => !value.is_empty(),
        "bool" => ["0", "1"].contains(&value),
        // An unknown value would be shown as the first item.
        list => list.strip_prefix("list/")?.split('/').any(|item| item == value),
    };
    let is_plain = |text: &str| !text.contains(char::is_whitespace);
    (fits && is_plain(kind) && is_plain(key) && is_plain(value)).then_some((kind, key, value))
}

#[test]
fn gogui_understands_every_entry_of_the_menu() {
    let menu = &talk(&["gogui-analyze_commands"])[0];
    let entries: Vec<&str> = answer(menu).lines().collect();
    assert_eq!(entries, ANALYZE_COMMANDS);
    let mut labels = Vec::new();
    for entry in entries {
        assert_eq!(entry.trim(), entry);
        let fields: Vec<&str> = entry.split('/').collect();
        let [kind, label, command] = fields[..] else { panic!("{entry}: not three fields") };
        assert!(TYPES.contains(&kind), "{entry}");
        // A second entry with the same label is dropped.
        assert!(!label.is_empty() && !labels.contains(&label), "{entry}");
        labels.push(label);
        // c color, m side to move, o p P s input of the user, f r w files.
        assert!(!command.contains('%'), "{entry}: asks the user for something");
        // These need a point or a color in the command.
        assert!(!["eplist", "varc", "varp", "varpo"].contains(&kind), "{entry}");
        assert!(names().any(|name| command.split(' ').next() == Some(name)), "{entry}");
        for game in GAMES {
            let replies = talk(&[game, command]);
            assert!(can_be_shown(kind, answer(&replies[1])), "{entry}: {replies:?}");
        }
    }
}

#[test]
fn numbers_stand_beside_their_stones_and_tables_are_never_bare() {
    for (lines, expected) in [
        (&["play b f5", "gogui-rules_captured_count"][..], "1 4"),
        (&["foreseen_replies table"], "nothing foreseen: pondering is off"),
        (&["ponder on", "foreseen_replies table"], "nothing foreseen yet"),
        (&["book_moves table"], "no book is open"),
    ] {
        assert_eq!(answer(talk(lines).last().unwrap()), expected);
    }
}

#[test]
fn the_final_score_of_the_menu_says_when_there_is_none() {
    let entry = ANALYZE_COMMANDS.iter().find(|entry| entry.contains("/Final score/")).unwrap();
    let command = entry.rsplit('/').next().unwrap();
    let open = "The game is not over";
    for (game, expected) in GAMES.into_iter().zip([open, open, open, "Black wins 64-0"]) {
        assert_eq!(answer(&talk(&[game, command])[1]), expected);
    }
}

#[test]
fn the_dialog_shows_what_it_sets() {
    const DIALOG: &str = "othellier-settings";
    let shown = |lines: &[&str], key: &str| {
        let lines = [lines, &[DIALOG]].concat();
        let replies = talk(&lines);
        let rows: Vec<_> = answer(&replies[lines.len() - 1]).lines().map(parameter).collect();
        let row = rows.iter().flatten().find(|row| row.1 == key);
        row.unwrap_or_else(|| panic!("{replies:?}")).2.to_string()
    };
    for (key, first, values) in [
        ("level", "1", &["7", "60", "auto"][..]),
        ("strength", "off", &["1", "59", "off"]),
        ("player", "off", &["greedy", "minimax:rounds=3", "off"]),
        ("threads", "1", &["2", "1024"]),
        ("hash_megabytes", "1", &["2", "65536"]),
        ("book", "0", &["0"]),
        ("book_variety", "0", &["1.5", "0"]),
        ("randomness", "0", &["1.5", "0"]),
        ("resign", "off", &["20", "off"]),
        ("ponder", "0", &["1", "0"]),
        ("live_graphics", "0", &["1", "0"]),
    ] {
        assert_eq!(shown(&[], key), first, "{key}");
        for &value in values {
            let set = format!("{DIALOG} {key} {value}");
            assert_eq!(talk(&[&set]), ["= \n\n"], "{set}");
            assert_eq!(shown(&[&set], key), value, "{set}");
        }
    }
    for (bad, error) in [
        ("level 61", "not from 1 to 60"),
        ("level", "syntax error"),
        ("threads 0", "not from 1 to 1024"),
        ("ponder maybe", "not on or off"),
        ("book 1", "no book is open"),
        ("player nobody", ""),
        ("color blue", "no setting 'color'"),
        ("level 1 2", "syntax error"),
    ] {
        let reply = &talk(&[&format!("{DIALOG} {bad}")])[0];
        assert!(reply.starts_with(&format!("? {error}")), "{bad}: {reply}");
    }
    // A controller may use the name as a key.
    let replies = talk(&["name", "set_level auto", "name", "set_strength 12", "name"]);
    for at in [0, 2, 4] {
        assert_eq!(replies[at], "= Othellier 1\n\n");
    }
}

#[test]
fn what_fails_changes_nothing() {
    let show = "othellier-last_search";
    let wrong = ["play b a1", "gogui-play_sequence w c5 b a1", "boardsize -1"];
    let replies = talk(&[&["genmove b", show], &wrong[..], &[show]].concat());
    assert_eq!(replies[1], replies[5]);
    assert!(!answer(&replies[1]).is_empty() && replies[4].contains("unacceptable"), "{replies:?}");
    // A clock of the command line runs on.
    let control = Control::Game { main: Duration::from_secs(2), increment: Duration::ZERO };
    let pace = Pace { control: Some(control), ..Pace::OWN };
    let engine = Config { pace, ..Config::default() };
    let mut session = Session::new(Options { engine, ..Options::default() });
    session.clocks[0].spend(Duration::from_secs(1));
    Gtp::default().time_settings(&["9", "0", "0"], &mut session).unwrap();
    assert_eq!(session.clocks[0].left(), Duration::from_secs(1));
}

#[test]
fn live_graphics_are_of_the_color_that_moves() {
    let purpose = Purpose::Genmove(Color::White);
    let request = Some(Request { id: String::new(), purpose });
    let mut machine = Gtp { live_gfx: true, request, ..Gtp::default() };
    let line = Line::new(Move::Pass, 0, Bound::Exact, 1);
    let report = Report::from(Outcome { lines: vec![line], ..Outcome::default() });
    let mut session = Session::new(Options::default());
    let shown = machine.on_event(Event::Report(report), &mut session);
    assert!(matches!(&shown[..], [Action::Live(text)] if text.contains("VAR w")));
}

#[test]
fn a_weak_choice_is_no_reason_to_resign() {
    let mv = |text: &[u8]| Move::Place(Square::parse(text).unwrap());
    let line = |text, score| Line::new(mv(text), score, Bound::Exact, 1);
    let lines = vec![line(b"d3", 640), line(b"c4", -4000)];
    let mut session = Session::new(Options { resign: Some(10.0), ..Options::default() });
    let weak = Choice::found(Outcome { lines, ..Outcome::default() }, 1);
    let played = Gtp::default().finish_genmove(Color::Black, &weak, &mut session);
    assert_eq!(played.as_deref(), Ok("C4"));
}

#[test]
fn a_position_that_was_not_searched_has_no_value() {
    let unsearched = Outcome { interrupted: true, ..Outcome::default() };
    for view in [View::Evaluation, View::BestMoves, View::Variation] {
        assert_eq!(view.show(Position::START, &unsearched), "");
    }
    let session = &Session::new(Options::default());
    let Done::Started(Purpose::Stream(mut stream), _) = stream::start(Dialect::Kata, &[], session)
    else {
        panic!("no stream");
    };
    assert!(stream.last(unsearched).is_none());
}

#[test]
fn a_period_without_stones_means_what_match_tools_mean() {
    let seconds = Duration::from_secs;
    let increment = Control::Game { main: seconds(50), increment: seconds(5) };
    for (settings, left, control) in [
        ("0 1 0", "", Control::Unlimited),
        ("0 5 0", "", Control::Move(seconds(5))),
        ("60 5 0", "", Control::Unlimited),
        ("0 1 0", "b 1 0", Control::Move(seconds(1))),
        ("0 5 0", "b 4 0", Control::Move(seconds(4))),
        ("60 5 0", "b 50 0", increment),
    ] {
        let (mut gtp, mut session) = (Gtp::default(), Session::new(Options::default()));
        for line in [format!("time_settings {settings}"), format!("time_left {left}")] {
            drop(gtp.handle(line.as_bytes(), &mut session));
        }
        assert_eq!(session.clocks[0], Clock::new(control), "{settings}, {left}");
    }
}
