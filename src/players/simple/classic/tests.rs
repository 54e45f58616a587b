//! Tests of pyReversi's player: values worked out by hand, the search against its definition, phases, thinking ahead.

use super::evaluation::{square_values, unturnable};
use super::search::{best, in_order};
use super::*;
use crate::board::bitboard::Squares;
use crate::game::{Game, Note};
use crate::players::simple::spec::{self, SpecError};
use crate::players::simple::tests::{self, game, random_board, random_game, square};
use crate::players::{Searching, Unit};
use crate::search::Bound;
use crate::support::random::draw;

const POSITIONAL: Evaluation =
    Evaluation::Positional(Coefficients { discs: -1, moves: 2, squares: 1, unturnable: 3 });

const EVALUATIONS: [Evaluation; 6] = [
    Evaluation::Anti,
    Evaluation::Discs,
    Evaluation::LeastLoss,
    POSITIONAL,
    Evaluation::Positional(Coefficients { discs: 3, moves: -1, squares: 2, unturnable: 0 }),
    Evaluation::WinLoss,
];

/// A board whose first row is given and whose other squares are empty, Black to move.
fn first_row(row: &str) -> Board {
    game(&format!("{row:-<64} X")).position().board
}

fn classic(text: &str) -> Classic {
    Classic::new(Settings::parse(text).unwrap(), 1)
}

fn consider(player: &mut Classic, game: &Game) -> Choice {
    tests::consider(player, game, &Stop::new(), &mut |_| {})
}

fn ponder(player: &mut Classic, game: &Game, report: OnProgress<'_>) {
    player.ponder(Turn::without_end(game, &Stop::new()), report);
}

#[test]
fn squares_have_their_values() {
    const QUARTER: [[i32; 4]; 4] =
        [[20, -3, -1, -1], [-3, -6, -2, -2], [-1, -2, 0, 0], [-1, -2, 0, 0]];
    for square in Square::all() {
        let fold = |line: u8| usize::from(line.min(7 - line));
        let expected = QUARTER[fold(square.row())][fold(square.column())];
        assert_eq!(square_values(square.bit()), expected, "{square}");
    }
}

/// Whether a disc can be turned, by walking.
fn is_turnable(board: Board, square: Square) -> bool {
    let walk = |dx: i8, dy: i8| {
        let at = |n: i8| {
            let (x, y) = (square.column() as i8 + n * dx, square.row() as i8 + n * dy);
            Square::at(x as u8, y as u8).map(Square::bit)
        };
        let end = (1..8).map_while(at).find(|bit| board.player & bit == 0);
        end.map_or('#', |bit| if board.opponent & bit == 0 { '-' } else { 'O' })
    };
    [(1, 0), (0, 1), (1, 1), (1, -1)]
        .iter()
        .any(|&(dx, dy)| matches!((walk(dx, dy), walk(-dx, -dy)), ('-', '-' | 'O') | ('O', '-')))
}

#[test]
fn unturnable_discs_follow_the_definition() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let rows = ["X-XOX-XX", "-OXXXO--", "--X--OX-", "XXXXXXXX"].map(first_row);
    for n_plies in (0..=60).chain(0..=60).chain(0..=60) {
        let board = random_game(&mut random, n_plies).position().board;
        for board in [board, rows[n_plies as usize % 4]] {
            let found = unturnable(board.player, board.opponent);
            for square in Squares(board.player) {
                assert_eq!(
                    found & square.bit() == 0,
                    is_turnable(board, square),
                    "{board} {square}"
                );
            }
            assert_eq!(found & !board.player, 0);
        }
    }
}

#[test]
fn values_by_hand() {
    let other = Coefficients { discs: 5, moves: 0, squares: 2, unturnable: 1 };
    for (row, evaluation, value) in [
        // Black: -1 disc, one move (c1), 20 for the corner, a1 unturnable. White: -1 disc, no move, -3 beside the corner,
        // b1 could be turned from c1.
        ("XO------", POSITIONAL, (-1 + 2 + 20 + 3) - (-1 - 3)),
        ("XO------", Evaluation::Positional(other), (5 + 40 + 1) - (5 - 6)),
        // -4 + 2 (h1) + 20 - 3 - 1 - 1 + 4 x 3 against -3 + 0 - 1 - 1 - 3 + 0.
        ("XXXXOOO-", POSITIONAL, 25 - -8),
        ("XXXXOOO-", Evaluation::Discs, 1),
        ("XXXXOOO-", Evaluation::LeastLoss, 1),
        ("XXXXOOO-", Evaluation::Anti, -1),
        ("XXXXOOO-", Evaluation::WinLoss, 1),
        // Wipe-outs.
        ("XXX-----", POSITIONAL, 1000),
        ("XXX-----", Evaluation::Discs, 999),
        ("XXX-----", Evaluation::LeastLoss, 999),
        ("XXX-----", Evaluation::Anti, 999),
        ("XXX-----", Evaluation::WinLoss, 3),
    ] {
        let Board { player, opponent } = first_row(row);
        assert_eq!(evaluation.value(player, opponent), value, "{row} {evaluation:?}");
        let turned = if evaluation == Evaluation::WinLoss { (-value).max(-1) } else { -value };
        assert_eq!(evaluation.value(opponent, player), turned, "{row} {evaluation:?}");
    }
}

/// The value for the player, who is to move if `is_own`, by the definition.
fn plain(evaluation: Evaluation, board: Board, depth: u32, is_own: bool) -> i32 {
    let (own, other) =
        if is_own { (board.player, board.opponent) } else { (board.opponent, board.player) };
    if depth == 0 || board.is_over() {
        return evaluation.value(own, other);
    }
    if board.legal_moves() == 0 {
        return plain(evaluation, board.passed(), depth, !is_own);
    }
    let values = board.moves().map(|square| {
        let next = board.play(Move::Place(square)).unwrap();
        plain(evaluation, next, depth - 1, !is_own)
    });
    if is_own { values.max().unwrap() } else { values.min().unwrap() }
}

#[test]
fn alpha_beta_equals_plain_minimax() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    let (mut n_bounds, mut n_over) = (0, 0);
    for round in 0..300 {
        let board = random_board(&mut random, round);
        let depth = 1 + draw(&mut random, if round % 2 == 0 { 4 } else { 6 }) as u32;
        for evaluation in EVALUATIONS {
            let (low, high) = evaluation.window();
            let moves: Vec<Square> = in_order(board.legal_moves()).collect();
            let values: Vec<i32> = moves
                .iter()
                .map(|&square| {
                    let next = board.play(Move::Place(square)).unwrap();
                    plain(evaluation, next, depth - 1, false).clamp(low, high)
                })
                .collect();
            let value = *values.iter().max().unwrap();
            let index = values.iter().position(|&other| other == value).unwrap();
            for last_move in [LastMove::NullWindow, LastMove::FullWindow] {
                let task = Task { board, evaluation, depth, last_move };
                let found = best(task, &Stop::new(), &mut |_| {});
                assert_eq!(found.square, moves[index], "{board} {task:?}");
                let is_last = index + 1 == moves.len() && moves.len() > 1;
                let (number, bound) = if is_last && last_move == LastMove::NullWindow {
                    n_bounds += 1;
                    (values[..index].iter().max().unwrap() + 1, Bound::AtLeast)
                } else {
                    n_over += u32::from(value == high);
                    (value, if value == high { Bound::AtLeast } else { Bound::Exact })
                };
                let found = (found.value.number, found.value.bound);
                assert_eq!(found, (f64::from(number), bound), "{board} {task:?}");
            }
        }
    }
    assert!(n_bounds > 50 && n_over > 50, "{n_bounds} {n_over}");
}

#[test]
fn content_with_any_win() {
    // Black is ahead after g8 (5 to 4), which is tried first, and more so after a1 (8 to 1).
    let ahead = "-OOOOX-- -------- -------- -------- -------- -------- -------- X---XO-- X";
    // After b6 White's b7 turns b4, b5 and b6, after b2 White's b1 turns b2, b3 and b4.
    let lost = "-------- -------- -O------ -X------ -O------ -------- -------- -------- X";
    for (position, phase, best, number, bound, unit) in [
        // The last move is only known to be better.
        (ahead, "discs/1", "a1", 2.0, Bound::AtLeast, Unit::Discs),
        (ahead, "least-loss/1", "g8", 1.0, Bound::AtLeast, Unit::Discs),
        (ahead, "win-loss/1", "g8", 1.0, Bound::AtLeast, Unit::Points),
        (ahead, "anti/1", "g8", -1.0, Bound::Exact, Unit::Points),
        (lost, "positional/2", "b6", -1000.0, Bound::Exact, Unit::Points),
    ] {
        let choice = consider(&mut classic(&format!("open={phase}")), &game(position));
        let found = (square(&choice).to_string(), choice.value.unwrap());
        assert_eq!(found, (best.into(), Value { number, bound, unit }), "{phase}");
    }
}

#[test]
fn phases_by_discs() {
    let both = Settings::parse("open-moves=60,end-empties=60").unwrap();
    assert_eq!(both.phase(40), both.open);
    // Own moves at up to 11 discs are opening, at 7 or fewer empty squares the end.
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut player = classic("open=discs/1,middle=discs/2,end=discs/3");
    let mut seen = [0; 4];
    for n_plies in (0..20).flat_map(|_| 0..60) {
        let game = random_game(&mut random, n_plies);
        let n_discs = n_discs(game.position().board);
        let after_pass = game.plies().last().is_some_and(|ply| ply.mv == Move::Pass);
        if game.position().board.legal_moves() == 0 || after_pass {
            continue;
        }
        let depth = if n_discs <= 11 { 1 } else { 2 + u32::from(64 - n_discs <= 7) };
        assert_eq!(consider(&mut player, &game).searched.depth.unwrap_or(0), depth, "{n_discs}");
        seen[depth as usize] += 1;
    }
    assert!(seen[1..].iter().all(|&n| n > 20), "{seen:?}");
}

#[test]
fn ponder_hits_are_played_at_once() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
    let mut n_tables = 0;
    while n_tables < 20 {
        let mut game = random_game(&mut random, 52);
        let board = game.position().board;
        if board.legal_moves() == 0 {
            continue;
        }
        let mut player = classic("");
        let mut n_reports = 0;
        ponder(&mut player, &game, &mut |progress| {
            let Progress::Predicted(table) = progress else { return };
            assert!(table.len() <= board.moves().count());
            n_reports += 1;
        });
        let table = player.table.clone();
        let replies = board
            .moves()
            .filter(|&square| board.play(Move::Place(square)).unwrap().legal_moves() != 0);
        assert_eq!(table.len(), replies.count());
        if table.is_empty() {
            continue;
        }
        n_tables += 1;
        assert!(n_reports >= table.len());
        assert!(table.is_sorted_by_key(|row| row.value.number), "{table:?}");
        for row in &table {
            // The last round is to the end of the game and with the end's evaluation.
            assert!(row.depth >= row.board.n_empties());
            let value = plain(Evaluation::LeastLoss, row.board, 60, true);
            assert_eq!(row.value.number, f64::from(value.min(1)), "{}", row.board);
        }
        // Pondering the same position again loses nothing and finds nothing left to do.
        ponder(&mut player, &game, &mut |_| {});
        assert_eq!(player.table, table);
        let row = table[0];
        assert!(game.play(Move::Place(row.to), Note::default()));
        let choice = consider(&mut player, &game);
        assert!(choice.ponder_hit);
        assert_eq!(square(&choice), row.reply);
        assert_eq!(choice.value, Some(row.value.found(row.depth, row.board)));
        // Not predicted: a search as ever.
        player.forget();
        assert!(!consider(&mut player, &game).ponder_hit);
    }
}

#[test]
fn rounds_get_deeper_until_stopped() {
    let stop = Stop::new();
    let mut player = classic("open=discs/1");
    let mut game = Game::default();
    assert!(game.play(Move::parse(b"f5").unwrap(), Note::default()));
    let mut depths = Vec::new();
    player.ponder(Turn::without_end(&game, &stop), &mut |progress| {
        let Progress::Predicted(table) = progress else { return };
        assert!(table.len() <= 3);
        let depth = table.iter().map(|row| row.outcome.lines[0].depth).max().unwrap();
        depths.push(depth);
        if depth == 4 {
            stop.set();
        }
    });
    // A report for each reply and one for the round; the reply that was begun last is dropped.
    assert_eq!(depths, [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4]);
    assert_eq!(player.table.iter().filter(|row| row.depth == 4).count(), 1);
    assert_eq!(player.table.len(), 3);
}

#[test]
fn nothing_is_predicted_by_those_who_do_not_ponder() {
    for text in ["ponder=off", "open=random"] {
        let mut player = classic(text);
        let is_on = text != "ponder=off";
        assert_eq!(spec::parse(&format!("classic:{text}")).unwrap().ponders(), is_on);
        ponder(&mut player, &Game::default(), &mut |_| assert!(is_on));
        assert!(player.table.is_empty());
    }
}

#[test]
fn progress_is_told() {
    let mut shares = Vec::new();
    let mut report = |progress| {
        if let Progress::Searching(Searching { share, nodes, best }) = progress {
            assert!(nodes > 0 && (share < 0.25 || best.is_some()));
            shares.push(share);
        }
    };
    let (mut player, game) = (classic("open=positional/5"), Game::default());
    let choice = tests::consider(&mut player, &game, &Stop::new(), &mut report);
    assert!(shares.is_sorted() && shares.last() == Some(&1.0), "{shares:?}");
    assert!(choice.n_nodes() > 100 && choice.searched.depth == Some(5));
}

#[test]
fn settings_as_text() {
    for text in [
        "classic",
        "classic:open=anti/3,end=random,open-moves=0,ponder=off",
        "classic:middle=positional[moves=5,unturnable=0]/2,end=win-loss/60,end-empties=20",
    ] {
        assert_eq!(spec::parse(text).unwrap().to_string(), text);
    }
    let full = "classic:open=positional/6,middle=positional[discs=-1,moves=2,squares=1,\
        unturnable=3]/4,end=least-loss/8,open-moves=6,end-empties=8,ponder=on";
    assert_eq!(spec::parse(full).unwrap().to_string(), "classic");
    for (setting, reason) in [
        ("open", "expected key=value"),
        ("opening=discs/3", "keys are"),
        ("open=disc/3", "evaluations are"),
        ("open=discs", "depth is missing"),
        ("open=discs/0", "from 1 to 60"),
        ("open=discs/+3", "from 1 to 60"),
        ("end=discs[moves=1]/3", "only positional"),
        ("end=positional[moves=1/3", "not closed"),
        ("end=positional[corners=1,moves=1]/3", "'corners=1': coefficients are"),
        ("end=positional[moves=x]/3", "'moves=x': expected a number from -1000 to 1000"),
        ("open-moves=61", "from 0 to 60"),
        ("ponder=maybe", "on or off"),
        ("", "expected key=value"),
    ] {
        let error = spec::parse(&format!("classic:ponder=on,{setting}")).unwrap_err();
        let SpecError::Setting { setting: found, reason: why, .. } = &error else { panic!() };
        assert!(found == setting && why.contains(reason), "{error}");
        assert!(error.to_string().starts_with(&format!("classic: '{setting}': ")), "{error}");
    }
}
