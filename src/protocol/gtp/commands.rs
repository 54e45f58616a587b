//! The commands, each with what it does.

use super::gogui::{self, View};
use super::settings::{book_info, book_moves, predictions, set, set_book, set_resign, set_seed};
use super::stream::{self, Dialect};
use super::{Answer, Done, Gtp, Session, syntax_error};
use crate::board::Position;
use crate::formats::{Headers, sgf};

type Run = fn(&mut Gtp, &[&str], &mut Session) -> Done;

/// The names of all commands, in the order of `list_commands`.
pub fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|&(name, _)| name)
}

pub(super) fn find(name: &str) -> Option<Run> {
    COMMANDS.iter().find(|&&(known, _)| known == name).map(|&(_, run)| run)
}

fn done() -> Done {
    text("")
}

fn text(text: impl Into<String>) -> Done {
    Ok(text.into()).into()
}

const COMMANDS: &[(&str, Run)] = &[
    ("protocol_version", |_, _, _| text("2")),
    ("name", |_, _, session| text(&session.name)),
    ("version", |_, _, _| text(env!("CARGO_PKG_VERSION"))),
    ("known_command", |_, arguments, _| match arguments {
        [name] => text(find(name).is_some().to_string()),
        _ => syntax_error().into(),
    }),
    ("list_commands", |_, _, _| text(names().collect::<Vec<_>>().join("\n"))),
    ("quit", |_, _, _| Done::Quit),
    ("boardsize", |gtp, arguments, session| gtp.board_size(arguments, session).into()),
    ("clear_board", |gtp, _, session| {
        gtp.new_game(Position::START, session);
        done()
    }),
    ("komi", |_, arguments, _| match arguments {
        [komi] if komi.parse::<f64>().is_ok_and(f64::is_finite) => done(),
        _ => syntax_error().into(),
    }),
    ("play", |gtp, arguments, session| gtp.play(arguments, session).into()),
    ("genmove", Gtp::genmove),
    ("reg_genmove", Gtp::reg_genmove),
    ("undo", |gtp, _, session| gtp.undo(1, session).into()),
    ("gg-undo", |gtp, arguments, session| match arguments {
        [] => gtp.undo(1, session).into(),
        [n] => n.parse().map_or_else(|_| syntax_error(), |n| gtp.undo(n, session)).into(),
        _ => syntax_error().into(),
    }),
    ("time_settings", |gtp, arguments, session| gtp.time_settings(arguments, session).into()),
    ("time_left", |gtp, arguments, session| gtp.time_left(arguments, session).into()),
    ("set_game", |gtp, arguments, session| match arguments {
        [game] if ["othello", "reversi"].contains(&game.to_ascii_lowercase().as_str()) => {
            gtp.new_game(Position::START, session);
            done()
        }
        [_] => Err("unsupported game".into()).into(),
        _ => syntax_error().into(),
    }),
    ("list_games", |_, _, _| text("Othello")),
    ("showboard", |_, _, session| text(gogui::diagram(session.game.position()))),
    ("final_score", |_, _, session| {
        let score: Answer = match session.game.result() {
            Some(0) => Ok("0".into()),
            Some(discs) if discs > 0 => Ok(format!("B+{discs}")),
            Some(discs) => Ok(format!("W+{}", -discs)),
            None => Err("cannot score".into()),
        };
        score.into()
    }),
    ("loadsgf", |gtp, arguments, session| gtp.load_sgf(arguments, session).into()),
    ("printsgf", |_, _, session| text(sgf::write(&session.game, &Headers::default()).trim_end())),
    ("cputime", |_, _, session| text(format!("{:.3}", session.thinking_time.as_secs_f64()))),
    ("gogui-title", |_, _, session| text(&session.name)),
    ("gogui-interrupt", |_, _, _| done()),
    ("gogui-rules_game_id", |_, _, _| text("Othello")),
    ("gogui-rules_board", |_, _, session| text(gogui::board(session.game.position()))),
    ("gogui-rules_board_size", |_, _, _| text("8")),
    ("gogui-rules_legal_moves", |_, _, session| text(gogui::legal_moves(session.game.position()))),
    ("gogui-rules_side_to_move", |_, _, session| text(session.game.position().side.to_string())),
    ("gogui-rules_final_result", |_, _, session| text(gogui::final_result(&session.game))),
    ("gogui-rules_captured_count", |_, _, session| {
        text(gogui::captured_count(session.game.position()))
    }),
    ("gogui-analyze_commands", |_, _, _| text(gogui::ANALYZE_COMMANDS.join("\n"))),
    ("gogui-play_sequence", |gtp, arguments, session| gtp.play_sequence(arguments, session).into()),
    // GoGui allows set-up with a ruler only if the second name is listed, and sends the first.
    ("gogui-setup", |gtp, arguments, session| gtp.setup(arguments, session).into()),
    ("gogui-rules_setup", |gtp, arguments, session| gtp.setup(arguments, session).into()),
    ("gogui-setup_player", |gtp, arguments, session| gtp.setup_player(arguments, session).into()),
    ("othellier-settings", Gtp::dialog),
    ("othellier-evaluation", |_, _, session| gogui::view(View::Evaluation, 1, session)),
    ("othellier-last_search", |gtp, _, _| text(&gtp.last_search)),
    ("othellier-best_moves", |_, arguments, session| gogui::best_moves(arguments, session)),
    ("othellier-move_values", |_, _, session| gogui::view(View::MoveValues, 64, session)),
    ("othellier-variation", |_, _, session| gogui::view(View::Variation, 1, session)),
    ("othellier-stable_discs", |_, _, session| text(gogui::stable_discs(session.game.position()))),
    ("lz-analyze", |_, arguments, session| stream::start(Dialect::Leela, arguments, session)),
    ("kata-analyze", |_, arguments, session| stream::start(Dialect::Kata, arguments, session)),
    ("ponder", |_, arguments, session| set("ponder", arguments, session)),
    ("foreseen_replies", |_, arguments, session| predictions(arguments, session).into()),
    ("book_moves", |_, arguments, session| book_moves(arguments, session).into()),
    ("book_info", |_, arguments, session| match arguments {
        [] => text(book_info(session)),
        _ => syntax_error().into(),
    }),
    ("live_gfx", |gtp, arguments, _| gtp.set_live_gfx(arguments).into()),
    ("clear_cache", |gtp, _, session| gtp.clear_cache(session)),
    ("set_level", |_, arguments, session| set("level", arguments, session)),
    ("set_strength", |_, arguments, session| set("strength", arguments, session)),
    ("set_elo", |_, arguments, session| set("elo", arguments, session)),
    ("set_player", |gtp, arguments, session| gtp.set_player(arguments, session).into()),
    ("set_threads", |_, arguments, session| set("threads", arguments, session)),
    ("set_hash", |_, arguments, session| set("hash", arguments, session)),
    ("set_randomness", |_, arguments, session| set("randomness", arguments, session)),
    ("set_seed", |_, arguments, session| set_seed(arguments, session).into()),
    ("set_book", |_, arguments, session| set_book(arguments, session)),
    ("set_book_variety", |_, arguments, session| set("book-variety", arguments, session)),
    ("set_contempt", |_, arguments, session| set("contempt", arguments, session)),
    ("set_resign", |_, arguments, session| set_resign(arguments, session).into()),
];
