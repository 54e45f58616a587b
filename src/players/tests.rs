//! Tests of the players.

use std::sync::Arc;

use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

use super::greedy::Preference;
use super::minimax::{self, MAX_ROUNDS};
use super::random::draw_square;
use super::spec::{self, NAMES, SpecError};
use super::*;
use crate::board::bitboard::Squares;
use crate::board::{Color, Position};
use crate::game::Note;
use crate::search::Interrupts;
use crate::support::draw::draw;

/// Every player in the forms that may be asked for.
const FORMS: [&str; 10] = [
    "random",
    "greedy",
    "greedy:directions",
    "minimizer",
    "minimax",
    "minimax2",
    "minimax:rounds=3",
    "classic:open=positional/3,middle=positional/2",
    "classic:open=random,middle=random,end=random",
    "classic:open=anti/2,middle=positional[moves=5,unturnable=0]/2,end=win-loss/4,open-moves=10,end-empties=6,ponder=off",
];

/// Black to move has three moves. a1 turns b1 to e1, four discs in one direction; d5 turns e5, e6 and d6, three discs in three
/// directions; f8 turns g8 alone.
const THREE_MOVES: &[u8] =
    b"-OOOOX-- -------- -------- -------- ----OX-- ---OO--- ---X-X-- ------OX X";

/// Black to move has three moves. b5 turns c5, d5 and e5 (+7), but White's a5 turns five back (-11): -4. h5 turns g5 (+3) and
/// is safe at the edge, but White's e1 turns d1 (-3): 0. a1 turns b1 and c1 (+5) and leaves White without a move: +5.
const GREED_PAYS_LATER: &[u8] =
    b"-OOX---- -------- -------- -------- --OOOXO- -------- -------- -------- X";

/// Black to move has two moves. a8 turns two (+5) and leaves White without a move; then a3 turns a2 (+3), and White passes
/// again: +5 and +8 after one and two rounds. a3 at once (+3) lets White's e8 turn d8 (-3), but then g3 turns five along the
/// third row (+11): 0 and +11. Did passes cost nothing, a8, a3 and g3 would follow each other for +19.
const TWO_ROUNDS_SEE_MORE: &[u8] =
    b"X------- O------- -OOOOO-- -------- -------- -------- -------- -OOX---- X";

/// Black must pass; White has two moves.
const FORCED_PASS: &[u8] = b"-------------------X-------XX--O---XXXOO-----X-O-----X---------- X";

/// White has no discs.
const OVER: &[u8] = b"XXX----- -------- -------- -------- -------- -------- -------- -------- X";

fn game(text: &[u8]) -> Game {
    Game::new(Position::parse(text).unwrap())
}

fn player(name: &str, seed: u64) -> Box<dyn Player> {
    spec::parse(name, seed).unwrap()
}

fn choice(name: &str, seed: u64, game: &Game) -> String {
    let mv = player(name, seed).choose(game, &StopToken::never());
    mv.map_or("none".into(), |mv| mv.to_string())
}

/// The position after `n_plies` random plies from the start, or at the end of the game.
fn opening(random: &mut Xoshiro256PlusPlus, n_plies: usize) -> Game {
    let mut game = Game::default();
    for _ in 0..n_plies {
        let board = game.position().board;
        let drawn = place_or_pass(board, |legal| draw_square(random, legal).into());
        let Some(choice) = drawn else { break };
        assert!(game.play(choice.mv, Note::default()));
    }
    game
}

#[test]
fn greedy_players_count_what_turns_now() {
    let three = game(THREE_MOVES);
    let pays_later = game(GREED_PAYS_LATER);
    for seed in 0..20 {
        assert_eq!(choice("greedy", seed, &three), "a1");
        // 3 + 3 against 4 + 1 and 1 + 1.
        assert_eq!(choice("greedy:directions", seed, &three), "d5");
        assert_eq!(choice("minimizer", seed, &three), "f8");
        assert_eq!(choice("greedy", seed, &pays_later), "b5");
        assert_eq!(choice("minimizer", seed, &pays_later), "h5");
    }
    let values = |preference: Preference| -> Vec<i32> {
        let board = three.position().board;
        board.moves().map(|square| preference.value(board, square)).collect()
    };
    assert_eq!(values(Preference::Most), [4, 3, 1]);
    assert_eq!(values(Preference::MostWithDirections), [5, 6, 2]);
    assert_eq!(values(Preference::Fewest), [-4, -3, -1]);
}

#[test]
fn minimax_sees_the_replies() {
    let value = |text, n_plies| {
        let board = game(text).position().board;
        minimax::best(board, board.legal_moves(), n_plies, &StopToken::never()).change
    };
    assert_eq!(choice("minimax", 0, &game(GREED_PAYS_LATER)), "a1");
    assert_eq!(value(GREED_PAYS_LATER, 2), 5);
    assert_eq!(choice("minimax", 0, &game(TWO_ROUNDS_SEE_MORE)), "a8");
    assert_eq!(value(TWO_ROUNDS_SEE_MORE, 2), 5);
    assert_eq!(choice("minimax2", 0, &game(TWO_ROUNDS_SEE_MORE)), "a3");
    assert_eq!(value(TWO_ROUNDS_SEE_MORE, 4), 11);
    // c1 ends the game: two discs change and one is new, empty squares count for nobody.
    let wipe_out = b"XO------ -------- -------- -------- -------- -------- -------- -------- X";
    assert_eq!(value(wipe_out, 4), 3);
}

#[test]
fn equal_moves_are_drawn_or_the_first() {
    // All four first moves turn one disc, and by symmetry are equal at every depth.
    let start = Game::default();
    for name in ["greedy", "greedy:directions", "minimizer"] {
        let mut player = player(name, 5);
        let mut counts = [0; 64];
        for _ in 0..400 {
            let mv = player.choose(&start, &StopToken::never()).unwrap();
            counts[mv.square().unwrap().index()] += 1;
        }
        let legal = start.position().board.moves();
        let counts: Vec<i32> = legal.map(|square| counts[square.index()]).collect();
        assert!(counts.iter().all(|n| (60..140).contains(n)), "{name} {counts:?}");
        assert_eq!(counts.iter().sum::<i32>(), 400);
    }
    for seed in 0..5 {
        assert_eq!(choice("minimax", seed, &start), "d3");
        assert_eq!(choice("minimax:rounds=3", seed, &start), "d3");
    }
}

/// The value of a position for the side that is `sign`, by the definition.
fn plain(board: Board, n_plies: u32, sign: i32) -> i32 {
    if n_plies == 0 || board.is_over() {
        return sign * board.disc_difference();
    }
    let moves: Vec<Move> = match board.legal_moves() {
        0 => vec![Move::Pass],
        legal => Squares(legal).map(Move::Place).collect(),
    };
    let values = moves.iter().map(|&mv| plain(board.play(mv).unwrap(), n_plies - 1, -sign));
    if sign > 0 { values.max().unwrap() } else { values.min().unwrap() }
}

#[test]
fn alpha_beta_equals_plain_minimax() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(17);
    let mut n_with_pass = 0;
    for round in 0..500 {
        // Passes are frequent late in the game.
        let n_plies =
            if round % 2 == 0 { draw(&mut random, 40) } else { 45 + draw(&mut random, 14) };
        let board = opening(&mut random, n_plies as usize).position().board;
        let legal = board.legal_moves();
        if legal == 0 {
            continue;
        }
        for n_plies in [1, 2, 3, if round % 10 == 0 { 6 } else { 4 }] {
            let (mut first, mut best) = (None, i32::MIN);
            for square in Squares(legal) {
                let next = board.play(Move::Place(square)).unwrap();
                n_with_pass += u32::from(game::must_pass(next));
                let value = plain(next, n_plies - 1, -1);
                if value > best {
                    (first, best) = (Some(square), value);
                }
            }
            let found = minimax::best(board, legal, n_plies, &StopToken::never());
            let change = best - board.disc_difference();
            assert_eq!((Some(found.square), found.change), (first, change), "{board} {n_plies}");
        }
    }
    assert!(n_with_pass > 20, "{n_with_pass}");
}

#[test]
fn passes_and_ends() {
    for name in FORMS {
        assert_eq!(choice(name, 1, &game(FORCED_PASS)), "pa", "{name}");
        assert_eq!(choice(name, 1, &game(OVER)), "none", "{name}");
        let full = Position::new(u64::MAX, 0, Color::White);
        assert_eq!(choice(name, 1, &Game::new(full)), "none", "{name}");
    }
}

/// Plays a game to its end and returns the disc difference for the first player, who plays `color`.
fn play(players: [&mut dyn Player; 2], color: Color, mut game: Game) -> i32 {
    let stop = StopToken::never();
    let [first, second] = players;
    loop {
        let side = game.position().side;
        let mover = if side == color { &mut *first } else { &mut *second };
        let Some(mv) = mover.choose(&game, &stop) else { break };
        assert!(game.play(mv, Note::default()), "{} plays {mv}", mover.name());
    }
    game.result().unwrap() * color.sign()
}

#[test]
fn the_seed_decides_the_draws() {
    for name in FORMS {
        let moves = |seed| {
            let mut player = player(name, seed);
            let mut game = Game::default();
            while let Some(mv) = player.choose(&game, &StopToken::never()) {
                assert!(game.play(mv, Note::default()));
            }
            game.plies().iter().map(|ply| ply.mv.to_string()).collect::<String>()
        };
        assert_eq!(moves(3), moves(3), "{name}");
        let draws = !name.starts_with("minimax")
            && (!name.starts_with("classic") || name.contains("random"));
        assert_eq!(moves(3) != moves(4), draws, "{name}");
    }
}

#[test]
fn moves_are_drawn_evenly() {
    let mut player = player("random", 2);
    let mut counts = [0i32; 3];
    let three = game(THREE_MOVES);
    for _ in 0..3000 {
        let mv = player.choose(&three, &StopToken::never()).unwrap().to_string();
        counts[["a1", "d5", "f8"].iter().position(|square| *square == mv).unwrap()] += 1;
    }
    // Five standard deviations are under 160.
    assert!(counts.iter().all(|count| (count - 1000).abs() < 160), "{counts:?}");
}

#[test]
fn a_stopped_search_gives_a_legal_move() {
    let interrupts = Arc::new(Interrupts::default());
    interrupts.note_line(1);
    let stop = StopToken::on_any_line(&interrupts, 0);
    let mut player = player("minimax:rounds=30", 0);
    for mv in ["d3", "c3"] {
        let mut game = Game::default();
        if mv == "c3" {
            assert!(game.play(Move::parse(b"d3").unwrap(), Note::default()));
        }
        // No move is searched to the end: the first one.
        assert_eq!(player.choose(&game, &stop).map(|mv| mv.to_string()).as_deref(), Some(mv));
    }
}

#[test]
fn texts_become_players() {
    for name in FORMS {
        assert_eq!(player(name, 0).name(), name);
    }
    for name in NAMES {
        assert_eq!(player(name, 0).name(), name);
    }
    assert_eq!(player("minimax:rounds=2", 0).name(), "minimax2");
    for option in ["", "rounds", "rounds=", "rounds=0", "rounds=+1", "rounds=31", "rounds=2,x"] {
        let error = spec::parse(&format!("minimax:{option}"), 0).unwrap_err();
        assert_eq!(error, SpecError::Option { name: "minimax", option: option.into() });
    }
    assert!(spec::parse(&format!("minimax:rounds={MAX_ROUNDS}"), 0).is_ok());
    let message = |text| spec::parse(text, 0).unwrap_err().to_string();
    assert_eq!(
        message("minimax:rounds=99"),
        "'rounds=99' is not an option of minimax, which takes rounds=N (N from 1 to 30)"
    );
    assert_eq!(message("greedy:x"), "'x' is not an option of greedy, which takes directions");
    assert_eq!(message("random:1\n"), "'1\\n' is not an option of random, which takes none");
    assert_eq!(
        message("Greedy"),
        "'Greedy' is not a player; players are random, greedy, greedy:directions, minimizer, \
         minimax, minimax:rounds=N (N from 1 to 30), minimax2, classic, classic:open=positional/6,\
         middle=positional/4,end=least-loss/8,open-moves=6,end-empties=8,ponder=on (evaluation/depth; \
         positional may be positional[discs=-1,moves=2,squares=1,unturnable=3])"
    );
    assert_eq!(spec::parse("", 0).unwrap_err(), SpecError::Name(String::new()));
}

#[test]
fn the_simulation_ranks_the_players() {
    const N_OPENINGS: u32 = 200;
    let names = ["random", "greedy", "minimax", "minimax2"];
    let mut points = [0.0; 4];
    for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
        let (mut first, mut second) = (player(names[a], 1), player(names[b], 2));
        let mut won = 0.0;
        for _ in 0..N_OPENINGS {
            let opening = opening(&mut random, 4);
            for color in [Color::Black, Color::White] {
                first.new_game();
                second.new_game();
                let discs = play([&mut *first, &mut *second], color, opening.clone());
                won += f64::from(discs.signum() + 1) / 2.0;
            }
        }
        let n_games = f64::from(2 * N_OPENINGS);
        points[a] += won;
        points[b] += n_games - won;
        assert!(won < n_games / 2.0, "{} against {}: {won}", names[a], names[b]);
    }
    assert!(points.is_sorted(), "{points:?}");
}
