//! Tests of the players.

use std::time::{Duration, Instant};

use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

use super::greedy::Preference;
use super::minimax::{self, MAX_ROUNDS};
use super::random::draw_square;
use super::spec::{self, NAMES, SpecError};
use crate::board::bitboard::Squares;
use crate::board::{Board, Color, Move, Position, Square};
use crate::game::{self, Game, Note};
use crate::players::{Choice, OnProgress, Player, Turn};
use crate::search::Stop;
use crate::support::random::draw;

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
const THREE_MOVES: &str =
    "-OOOOX-- -------- -------- -------- ----OX-- ---OO--- ---X-X-- ------OX X";

pub(super) fn game(text: &str) -> Game {
    Game::new(Position::parse(text.as_bytes()).unwrap())
}

fn player(name: &str, seed: u64) -> Box<dyn Player> {
    spec::parse(name).unwrap().player(seed)
}

/// What a player chooses in a game.
pub(super) fn consider(
    player: &mut dyn Player,
    game: &Game,
    stop: &Stop,
    report: OnProgress<'_>,
) -> Choice {
    player.choose(Turn::without_end(game, stop), report).unwrap()
}

/// The square that was chosen.
pub(super) fn square(choice: &Choice) -> Square {
    choice.mv().and_then(Move::square).unwrap()
}

/// The move that a player chooses.
fn choose(player: &mut dyn Player, game: &Game) -> Square {
    square(&consider(player, game, &Stop::new(), &mut |_| {}))
}

/// Plays a move, drawn by `choose` from the legal ones, or a pass; `None` if the game is over.
fn play_on(game: &mut Game, choose: impl FnOnce(u64) -> Square) -> Option<()> {
    let board = game.position().board;
    let mv = match board.legal_moves() {
        0 => game::must_pass(board).then_some(Move::Pass)?,
        legal => Move::Place(choose(legal)),
    };
    assert!(game.play(mv, Note::default()), "{mv} is illegal");
    Some(())
}

/// The game after `n_plies` random plies from the start, or at its end.
pub(super) fn random_game(random: &mut Xoshiro256PlusPlus, n_plies: u64) -> Game {
    let mut game = Game::default();
    for _ in 0..n_plies {
        play_on(&mut game, |legal| draw_square(random, legal));
    }
    game
}

/// A board with a move, from any time of a game: passes are frequent late.
pub(super) fn random_board(random: &mut Xoshiro256PlusPlus, round: u32) -> Board {
    loop {
        let n_plies =
            if round.is_multiple_of(2) { draw(random, 45) } else { 46 + draw(random, 14) };
        let board = random_game(random, n_plies).position().board;
        if board.legal_moves() != 0 {
            return board;
        }
    }
}

#[test]
fn greedy_players_count_what_turns_now() {
    let three = game(THREE_MOVES);
    let board = three.position().board;
    for (name, preference, best, values) in [
        ("greedy", Preference::Most, "a1", [4, 3, 1]),
        ("greedy:directions", Preference::MostWithDirections, "d5", [5, 6, 2]),
        ("minimizer", Preference::Fewest, "f8", [-4, -3, -1]),
    ] {
        let found = board.moves().map(|square| preference.value(board, square));
        assert_eq!(found.collect::<Vec<_>>(), values, "{name}");
        assert_eq!(choose(&mut *player(name, 0), &three).to_string(), best, "{name}");
    }
}

#[test]
fn equal_moves_are_drawn_evenly_or_the_first() {
    // All four first moves turn one disc, and by symmetry are equal at every depth.
    let start = Game::default();
    for name in FORMS.into_iter().filter(|name| !name.starts_with("classic")) {
        let mut counts = [0; 64];
        let mut player = player(name, 5);
        for _ in 0..400 {
            counts[choose(&mut *player, &start).index()] += 1;
        }
        let counts: Vec<u32> =
            start.position().board.moves().map(|mv| counts[mv.index()]).collect();
        if name.starts_with("minimax") {
            assert_eq!(counts, [400, 0, 0, 0], "{name}");
        } else {
            assert!(counts.iter().all(|n| (60..140).contains(n)), "{name} {counts:?}");
        }
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
        let board = random_board(&mut random, round);
        let legal = board.legal_moves();
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
            let found = minimax::best(board, n_plies, &Stop::new());
            assert_eq!((Some(found.square), found.value), (first, Some(best)), "{board} {n_plies}");
            // A round is two plies.
            if n_plies % 2 == 0 && round % 10 == 1 {
                let mut player = player(&format!("minimax:rounds={}", n_plies / 2), 0);
                let game = Game::new(Position { board, side: Color::Black });
                assert_eq!(Some(choose(&mut *player, &game)), first);
            }
        }
    }
    assert!(n_with_pass > 20, "{n_with_pass}");
}

#[test]
fn the_seed_decides_the_draws() {
    for name in FORMS {
        let moves = |seed| {
            let mut player = player(name, seed);
            let mut game = Game::default();
            let mut before = game.clone();
            while play_on(&mut game, |_| choose(&mut *player, &before)).is_some() {
                before.clone_from(&game);
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
fn a_search_without_end_is_ended_by_the_stop_or_the_deadline() {
    let (stopped, running) = (Stop::new(), Stop::new());
    stopped.set();
    for name in ["classic:open=positional/60", "minimax:rounds=30"] {
        for stop in [&stopped, &running] {
            let game = Game::default();
            let deadline = Instant::now() + Duration::from_millis(50);
            let turn = Turn { deadline, ..Turn::without_end(&game, stop) };
            let choice = player(name, 0).choose(turn, &mut |_| {}).unwrap();
            // No move is searched to the end, so the first one is played.
            let first = if name.starts_with("minimax") { "d3" } else { "e6" };
            assert_eq!(square(&choice).to_string(), first);
        }
    }
}

#[test]
fn texts_become_players() {
    for name in FORMS.into_iter().chain(NAMES) {
        assert_eq!(spec::parse(name).unwrap().to_string(), name);
    }
    assert_eq!(spec::parse("minimax:rounds=2").unwrap().to_string(), "minimax2");
    assert!(spec::parse(&format!("minimax:rounds={MAX_ROUNDS}")).is_ok());
    for option in ["", "rounds", "rounds=", "rounds=0", "rounds=+1", "rounds=31", "rounds=2,x"] {
        let error = spec::parse(&format!("minimax:{option}")).unwrap_err();
        assert_eq!(error, SpecError::Option { name: "minimax", option: option.into() });
    }
    for (text, message) in [
        (
            "minimax:rounds=99",
            "'rounds=99' is not an option of minimax, which takes rounds=N (N from 1 to 30)",
        ),
        ("greedy:x", "'x' is not an option of greedy, which takes directions"),
        ("random:1\n", "'1\\n' is not an option of random, which takes none"),
        (
            "cmd",
            "'cmd' is not a player; players are random, greedy, minimizer, minimax, minimax2, classic, engine, and commands: \
             proto=gtp,cmd=...",
        ),
        ("Greedy", "'Greedy' is not a player; did you mean greedy?"),
    ] {
        assert_eq!(spec::parse(text).unwrap_err().to_string(), message);
    }
}
