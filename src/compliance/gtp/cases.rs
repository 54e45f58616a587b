//! The GTP cases G1 to G56: numbers and titles, and commands with their replies where no more is needed.

use super::Expect::{Error, ErrorOrText, Exactly, Pass, Refusal, Square as OneOf, Success, Text};
use super::{Script, Session, checks};
use crate::compliance::engine::Outcome;
use crate::compliance::positions::{DRAWN, OVER_BLACK, PASS};
use crate::compliance::{Case, Check};

const fn script(
    number: &'static str,
    title: &'static str,
    needs: &'static [&'static str],
    position: &'static str,
    steps: &'static [(&'static str, super::Expect)],
) -> Case {
    Case { number, title, check: Check::Script(Script { needs, position, steps }) }
}

const fn function(
    number: &'static str,
    title: &'static str,
    needs: &'static [&'static str],
    check: fn(&mut Session) -> Outcome,
) -> Case {
    Case { number, title, check: Check::Gtp(needs, check) }
}

/// Every case, in order.
pub(in crate::compliance) const CASES: &[Case] = &[
    script("G1", "protocol version", &[], "", &[("protocol_version", Exactly("= 2\n\n"))]),
    function("G2", "the id is glued to the sign", &[], checks::id_glued),
    function("G3", "an id is not kept for the next reply", &[], checks::id_not_kept),
    function("G4", "ids with leading zeros and of twenty digits", &[], checks::odd_ids),
    function("G5", "list of commands", &[], checks::list_of_commands),
    script(
        "G6",
        "known and unknown commands",
        &[],
        "",
        &[
            ("known_command genmove", Text("true")),
            ("known_command foo", Text("false")),
            ("known_command", ErrorOrText("syntax error", "false")),
        ],
    ),
    script(
        "G7",
        "an unknown command",
        &[],
        "",
        &[
            ("foo", Exactly("? unknown command\n\n")),
            ("12 foo", Exactly("?12 unknown command\n\n")),
        ],
    ),
    function("G8", "lines without a command get no reply", &[], checks::empty_lines),
    function("G9", "a comment after a command", &[], |gtp| {
        checks::same_as_name(gtp, &[b"name # hello\n"])
    }),
    function("G10", "a carriage return before the line end", &[], checks::carriage_return),
    function("G11", "control characters and tabs", &[], |gtp| {
        checks::same_as_name(gtp, &[b"na\x07me\n", b"name\t\n"])
    }),
    function("G12", "bytes that are not text", &[], checks::no_text),
    function("G13", "a line of ten megabytes", &[], checks::huge_line),
    function("G14", "a last line without its end", &[], checks::unfinished_line),
    function("G15", "no input at all", &[], checks::no_input),
    function("G16", "the input ends during a search", &[], checks::end_during_search),
    function("G17", "quit", &[], checks::quit),
    script(
        "G18",
        "board sizes",
        &["boardsize"],
        "f5",
        &[
            ("boardsize 10", Refusal("unacceptable size")),
            ("boardsize 8.5", Refusal("syntax error")),
            ("boardsize", Refusal("syntax error")),
            // White can play this only if the board is unchanged.
            ("play white f6", Success),
            ("boardsize 8", Success),
        ],
    ),
    function("G19", "choice of the game", &["list_games", "set_game"], checks::choice_of_game),
    script(
        "G20",
        "komi is ignored",
        &["komi"],
        "",
        &[("komi 6.5", Success), ("komi x", Error("syntax error"))],
    ),
    script(
        "G21",
        "spellings of a move",
        &[],
        "",
        &[
            ("play black F5", Success),
            ("clear_board", Success),
            ("play BLACK f5", Success),
            ("clear_board", Success),
            ("play b f5", Success),
            ("clear_board", Success),
            ("play B F5", Success),
        ],
    ),
    script(
        "G22",
        "invalid moves",
        &[],
        "",
        &[
            ("play black a1", Refusal("illegal move")),
            ("play black d4", Refusal("illegal move")),
            ("play black i9", Refusal("syntax error")),
            ("play black f55", Refusal("syntax error")),
            ("play purple f5", Refusal("syntax error")),
            ("play black", Refusal("syntax error")),
            ("play black f5", Success),
        ],
    ),
    script(
        "G23",
        "a move of the wrong side",
        &[],
        "",
        &[("play white f4", Refusal("illegal move"))],
    ),
    script("G24", "an illegal pass", &[], "", &[("play black pass", Refusal("illegal move"))]),
    script(
        "G25",
        "a pass that is played",
        &[],
        PASS,
        &[("play black pass", Success), ("play white c5", Success)],
    ),
    script("G26", "a pass that is implied", &[], PASS, &[("play white c5", Success)]),
    script(
        "G27",
        "a pass that the engine makes",
        &[],
        PASS,
        &[("genmove black", Pass), ("genmove white", OneOf(&["C5", "E7"]))],
    ),
    script(
        "G28",
        "a move of the engine that implies a pass",
        &[],
        PASS,
        &[("genmove white", OneOf(&["C5", "E7"]))],
    ),
    function("G29", "a played pass is taken back", &["undo"], checks::undo_played_pass),
    function(
        "G30",
        "an implied pass is taken back with its move",
        &["undo"],
        checks::undo_implied_pass,
    ),
    function("G31", "engine moves after the end of the game", &[], checks::moves_after_the_end),
    script(
        "G32",
        "passes after the end of the game",
        &[],
        OVER_BLACK,
        &[("play white pass", Success), ("play black pass", Success)],
    ),
    script(
        "G33",
        "a move after the end of the game",
        &[],
        OVER_BLACK,
        &[("play white a1", Error("illegal move"))],
    ),
    function("G34", "scores", &["final_score"], checks::scores),
    script("G35", "the score of a draw", &["final_score"], DRAWN, &[("final_score", Text("0"))]),
    function("G36", "nothing to take back", &["undo"], checks::nothing_to_undo),
    function("G37", "a move is only shown", &["reg_genmove"], checks::move_only_shown),
    function("G38", "the same side is asked twice", &[], checks::same_side_twice),
    function("G39", "clearing the board right after a search", &[], checks::clear_after_search),
    function("G40", "a command during a search", &[], checks::command_during_search),
    function("G41", "unlimited time", &["time_settings"], checks::unlimited_time),
    function("G42", "no time left", &["time_settings", "time_left"], checks::no_time_left),
    function("G43", "odd times", &["time_settings", "time_left"], checks::odd_times),
    function("G44", "five seconds a move", &["time_settings", "time_left"], checks::five_seconds),
    script(
        "G45",
        "the other side's time",
        &["time_left"],
        "",
        &[("time_left white 3 0", Success), ("genmove black", OneOf(&["C4", "D3", "E6", "F5"]))],
    ),
    script(
        "G46",
        "too few times",
        &["time_settings"],
        "",
        &[("time_settings 1000 0", Error("syntax error"))],
    ),
    function("G47", "the answer is a square and nothing else", &[], checks::bare_square),
    function("G48", "the board is shown without empty lines", &["showboard"], checks::board_shown),
    function("G49", "legal moves", &["gogui-rules_legal_moves"], checks::legal_moves),
    function("G50", "the board for a ruler", &["gogui-rules_board"], checks::ruler_board),
    script(
        "G51",
        "size, game and side to move for a ruler",
        &["gogui-rules_board_size", "gogui-rules_game_id", "gogui-rules_side_to_move"],
        "",
        &[
            ("gogui-rules_board_size", Text("8")),
            ("gogui-rules_game_id", Text("Othello")),
            ("gogui-rules_side_to_move", Text("black")),
            ("play black f5", Success),
            ("gogui-rules_side_to_move", Text("white")),
        ],
    ),
    function("G52", "a search is interrupted", &["gogui-interrupt"], checks::interrupt),
    function("G53", "nobody reads the output", &[], checks::output_closed),
    function("G54", "two hundred commands at once", &[], checks::many_commands),
    script(
        "G55",
        "commands in capitals are unknown",
        &[],
        "",
        &[("GENMOVE black", Error("unknown command")), ("Name", Error("unknown command"))],
    ),
    script("G56", "a surplus argument", &[], "", &[("play black c4 extra", Error("syntax error"))]),
];
