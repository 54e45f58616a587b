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
use crate::players::{Answer, Choice, Player, Progress, Turn};
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
const THREE_MOVES: &[u8] =
    b"-OOOOX-- -------- -------- -------- ----OX-- ---OO--- ---X-X-- ------OX X";

/// Black to move has three moves. b5 turns c5, d5 and e5 (+7), but White's a5 turns five back (-11): -4. h5 turns g5 (+3) and
/// is safe at the edge, but White's e1 turns d1 (-3): 0. a1 turns b1 and c1 (+5) and leaves White without a move: +5.
const GREED_PAYS_LATER: &[u8] =
    b"-OOX---- -------- -------- -------- --OOOXO- -------- -------- -------- X";

/// Black to move has two moves. a8 turns two (+5) and leaves White without a move; then a3 turns a2 (+3), and White passes
/// again: +5 and +8 after one and two rounds. a3 at once (+3) lets White's e8 turn d8 (-3), but then g3 turns five along
/// the third row (+11): 0 and +11. If passes cost nothing, a8, a3 and g3 would follow each other for +19.
const TWO_ROUNDS_SEE_MORE: &[u8] =
    b"X------- O------- -OOOOO-- -------- -------- -------- -------- -OOX---- X";

fn game(text: &[u8]) -> Game {
    Game::new(Position::parse(text).unwrap())
}

fn player(name: &str, seed: u64) -> Box<dyn Player> {
    spec::parse(name).unwrap().player(seed)
}

/// What a player chooses in a game.
pub(super) fn consider(
    player: &mut dyn Player,
    game: &Game,
    stop: &Stop,
    report: &mut dyn FnMut(Progress),
) -> Choice {
    player.choose(Turn::without_end(game, stop), report).unwrap()
}

/// The move that a player chooses.
fn choose(player: &mut dyn Player, game: &Game) -> Square {
    let Choice { answer, .. } = consider(player, game, &Stop::new(), &mut |_| {});
    let Answer::Move(Move::Place(square)) = answer else { panic!("{answer:?}") };
    square
}

fn choice(name: &str, seed: u64, game: &Game) -> String {
    choose(&mut *player(name, seed), game).to_string()
}

/// Plays a move, drawn by `choose` from the legal ones, or a pass; `None` if the game is over.
pub(super) fn play_on(game: &mut Game, choose: impl FnOnce(u64) -> Square) -> Option<()> {
    let board = game.position().board;
    let mv = match board.legal_moves() {
        0 => game::must_pass(board).then_some(Move::Pass)?,
        legal => Move::Place(choose(legal)),
    };
    assert!(game.play(mv, Note::default()), "{mv} is illegal");
    Some(())
}

/// The position after `n_plies` random plies from the start, or at the end of the game.
fn opening(random: &mut Xoshiro256PlusPlus, n_plies: usize) -> Game {
    let mut game = Game::default();
    for _ in 0..n_plies {
        play_on(&mut game, |legal| draw_square(random, legal));
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
        minimax::best(board, board.legal_moves(), n_plies, &Stop::new()).change
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
            counts[choose(&mut *player, &start).index()] += 1;
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
            let found = minimax::best(board, legal, n_plies, &Stop::new());
            let change = best - board.disc_difference();
            assert_eq!((Some(found.square), found.change), (first, change), "{board} {n_plies}");
        }
    }
    assert!(n_with_pass > 20, "{n_with_pass}");
}

/// Plays a game to its end and returns the disc difference for the first player, who plays `color`.
fn play(players: [&mut dyn Player; 2], color: Color, mut game: Game) -> i32 {
    let [first, second] = players;
    let mut next = |game: &mut Game| {
        let mover = if game.position().side == color { &mut *first } else { &mut *second };
        let before = game.clone();
        play_on(game, |_| choose(mover, &before))
    };
    while next(&mut game).is_some() {}
    game.result().unwrap() * color.sign()
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
fn moves_are_drawn_evenly() {
    let mut player = player("random", 2);
    let mut counts = [0i32; 3];
    let three = game(THREE_MOVES);
    for _ in 0..3000 {
        let mv = choose(&mut *player, &three).to_string();
        counts[["a1", "d5", "f8"].iter().position(|square| *square == mv).unwrap()] += 1;
    }
    // Five standard deviations are under 160.
    assert!(counts.iter().all(|count| (count - 1000).abs() < 160), "{counts:?}");
}

#[test]
fn a_stopped_search_gives_a_legal_move() {
    let stop = Stop::new();
    stop.set();
    let mut player = player("minimax:rounds=30", 0);
    for mv in ["d3", "c3"] {
        let mut game = Game::default();
        if mv == "c3" {
            assert!(game.play(Move::parse(b"d3").unwrap(), Note::default()));
        }
        // No move is searched to the end, so the first one is played.
        let Choice { answer, .. } = consider(&mut *player, &game, &stop, &mut |_| {});
        assert_eq!(answer, Answer::Move(Move::parse(mv.as_bytes()).unwrap()));
    }
}

#[test]
fn a_depth_without_end_ends_at_the_deadline() {
    let stop = Stop::new();
    for name in ["classic:open=positional/60", "minimax:rounds=30"] {
        let game = Game::default();
        let deadline = Instant::now() + Duration::from_millis(50);
        let turn = Turn { deadline, ..Turn::without_end(&game, &stop) };
        let choice = player(name, 0).choose(turn, &mut |_| {}).unwrap();
        assert!(matches!(choice.answer, Answer::Move(Move::Place(_))));
    }
}

#[test]
fn texts_become_players() {
    for name in FORMS.into_iter().chain(NAMES) {
        assert_eq!(spec::parse(name).unwrap().to_string(), name);
    }
    assert_eq!(spec::parse("minimax:rounds=2").unwrap().to_string(), "minimax2");
    for option in ["", "rounds", "rounds=", "rounds=0", "rounds=+1", "rounds=31", "rounds=2,x"] {
        let error = spec::parse(&format!("minimax:{option}")).unwrap_err();
        assert_eq!(error, SpecError::Option { name: "minimax", option: option.into() });
    }
    assert!(spec::parse(&format!("minimax:rounds={MAX_ROUNDS}")).is_ok());
    let message = |text| spec::parse(text).unwrap_err().to_string();
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
    assert_eq!(spec::parse("").unwrap_err(), SpecError::Name(String::new()));
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
                first.forget();
                second.forget();
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
