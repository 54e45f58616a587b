//! A ladder of strengths for people, 1 to 60, and the same by Elo.
//!
//! **Weak like a person.** Below the top the engine looks fewer moves ahead, and its opinion of a move is off by chance: by
//! more, the lower the strength, and by more in positions with many moves to choose from. Low on the ladder it also likes to
//! turn many discs, as beginners do. Of the moves that are near the best by its short search it takes one with a probability
//! that falls with the distance: drawing the errors from Gumbel's distribution makes this a softmax (E. J. Gumbel, "Statistical
//! theory of extreme values", 1954), whose temperature falls to 0 towards the top. What a beginner sees at a glance it sees too: it
//! takes a corner that its search likes best, and gives a corner away only where that search finds nothing better.
//!
//! **Even steps.** The numbers of a setting do not say how strong it is. So the ladder is built on [`N_RUNGS`] rungs with measured
//! ratings ([`RATINGS`]), and the strengths from 1 to 60 are spread evenly over the ratings. `scripts/calibrate_strength.sh`
//! measures them again; strength 60, the highest rung, is the engine without any handicap.
//!
//! Position, seed and strength decide the move: a search for it has a table of its own, so that it does not profit from what the
//! engine found out before.

use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

use super::level::{self, DEFAULT_LEVEL};
use crate::board::bitboard::CORNERS;
use crate::board::{Board, Move, Square, hash};
use crate::score::{DISC, Score};
use crate::search::{Limits, Line, Lines};

/// The highest strength.
pub const MAX_STRENGTH: u32 = 60;

/// Number of measured rungs.
pub const N_RUNGS: usize = 13;

/// The Elo ratings of the rungs, from the lowest to the highest, above the player `random`: what `scripts/calibrate_strength.sh` prints.
pub const RATINGS: [u32; N_RUNGS] =
    [680, 820, 880, 1010, 1200, 1310, 1410, 1630, 1890, 2050, 2240, 2410, 2490];

const TOP: f64 = (N_RUNGS - 1) as f64;

/// The lowest and the highest Elo rating that can be asked for.
pub const fn range_of_elo() -> (u32, u32) {
    (RATINGS[0], RATINGS[N_RUNGS - 1])
}

/// How strong the engine plays.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Strength {
    /// Between the rungs, 0 to [`TOP`].
    height: f64,
}

impl Default for Strength {
    /// Without any handicap.
    fn default() -> Strength {
        Strength { height: TOP }
    }
}

impl Strength {
    /// Strength 1 to 60, else `None`.
    pub fn new(strength: u32) -> Option<Strength> {
        let share = f64::from(strength.checked_sub(1)?) / f64::from(MAX_STRENGTH - 1);
        let (lowest, highest) = range_of_elo();
        let rating = f64::from(lowest) + share * f64::from(highest - lowest);
        (strength <= MAX_STRENGTH).then(|| Strength::of_rating(rating))
    }

    /// The strength of an Elo rating within [`range_of_elo`], else `None`.
    pub fn from_elo(elo: u32) -> Option<Strength> {
        let (lowest, highest) = range_of_elo();
        (lowest..=highest).contains(&elo).then(|| Strength::of_rating(f64::from(elo)))
    }

    /// A rung of the ladder, from 0, else `None`: for measuring the ratings.
    pub fn from_rung(rung: u32) -> Option<Strength> {
        (rung < N_RUNGS as u32).then(|| Strength { height: f64::from(rung) })
    }

    /// Interpolated linearly between the rungs.
    fn of_rating(rating: f64) -> Strength {
        let above = RATINGS.iter().position(|&known| f64::from(known) >= rating);
        let above = above.unwrap_or(N_RUNGS - 1).max(1);
        let (lower, upper) = (f64::from(RATINGS[above - 1]), f64::from(RATINGS[above]));
        let height = (above - 1) as f64 + (rating - lower) / (upper - lower);
        Strength { height: height.clamp(0.0, TOP) }
    }

    /// The nearest strength from 1 to 60.
    pub fn number(self) -> u32 {
        let distance = |number: u32| {
            Strength::new(number).map_or(f64::INFINITY, |other| (other.height - self.height).abs())
        };
        (1..=MAX_STRENGTH)
            .min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
            .unwrap_or(MAX_STRENGTH)
    }

    /// The Elo rating, above the player `random`.
    pub fn elo(self) -> u32 {
        let rung = (self.height as usize).min(N_RUNGS - 2);
        let [lower, upper] = [RATINGS[rung], RATINGS[rung + 1]].map(f64::from);
        (lower + (self.height - rung as f64) * (upper - lower)).round() as u32
    }

    /// Whether there is no handicap.
    pub fn is_full(self) -> bool {
        self.height >= TOP
    }

    /// The limits of a search for a move, as deep as the strength says.
    pub fn limits(self, limits: Limits, board: Board, seed: u64) -> Limits {
        // Between two depths, some moves get the deeper search.
        let depth = 1.0 + self.share() * f64::from(DEFAULT_LEVEL - 1);
        let goes_deeper = random(board, seed ^ DEPTH_DRAWS).unit() < depth.fract();
        let depth = depth as u32 + u32::from(goes_deeper);
        limits.as_far_as(&level::limits(depth))
    }

    /// The lines to search for and pick from: those within the margin.
    pub fn lines(self) -> Lines {
        Lines::Within((self.margin() * f64::from(DISC)) as Score)
    }

    /// The index of the line to play, among [`Strength::lines`] of a search, the best first.
    pub fn choose(self, board: Board, lines: &[Line], seed: u64) -> usize {
        let Some(best) = lines.first() else { return 0 };
        if self.is_full() || takes_corner(best.mv) {
            return 0;
        }
        let mut random = random(board, seed);
        let n_moves = f64::from(board.legal_moves().count_ones());
        // With few moves to look at there are fewer errors.
        let complexity = (n_moves / TYPICAL_MOVES).clamp(0.3, 1.5);
        // A search of one ply does not see the reply, but even a beginner sees a corner given away.
        let sees_replies = best.depth > 1;
        let judge = |(index, line): (usize, &Line), error: f64| {
            let Move::Place(square) = line.mv else { return f64::NEG_INFINITY };
            if (index > 0 || !sees_replies) && gives_corner(board, square) {
                return f64::NEG_INFINITY;
            }
            let n_turned = f64::from(board.flips(square).count_ones());
            let loss = f64::from(line.score - best.score) / f64::from(DISC);
            loss + self.greed() * n_turned + self.temperature() * complexity * error
        };
        let mut chosen = (0, f64::NEG_INFINITY);
        for line in lines.iter().enumerate() {
            let error = random.gumbel();
            let judged = judge(line, error);
            if judged > chosen.1 {
                chosen = (line.0, judged);
            }
        }
        chosen.0
    }

    fn share(self) -> f64 {
        self.height / TOP
    }

    /// In discs.
    fn temperature(self) -> f64 {
        8.0 * (1.0 - self.share()).powf(1.2)
    }

    /// The apparent value of each turned disc, in discs.
    fn greed(self) -> f64 {
        3.0 * (1.0 - self.share()).powi(3)
    }

    /// The most discs by which a move may be worse than the best.
    fn margin(self) -> f64 {
        2.5 * self.temperature()
    }
}

/// Legal moves of a position in the middle of a game.
const TYPICAL_MOVES: f64 = 10.0;

/// Keeps the draws for the depth apart from those for the move.
const DEPTH_DRAWS: u64 = 0x9E37_79B9_7F4A_7C15;

fn takes_corner(mv: Move) -> bool {
    mv.square().is_some_and(|square| square.bit() & CORNERS != 0)
}

/// Whether the opponent can move into a corner after the move but not before it.
fn gives_corner(board: Board, square: Square) -> bool {
    let before = board.passed().legal_moves();
    let after = board.after(square, board.flips(square)).legal_moves();
    after & !before & CORNERS != 0
}

/// Draws that are the same for the same position and seed.
struct Draws(Xoshiro256PlusPlus);

fn random(board: Board, seed: u64) -> Draws {
    Draws(Xoshiro256PlusPlus::seed_from_u64(seed ^ hash::hash(board)))
}

impl Draws {
    /// Evenly between 0 and 1, both excluded.
    fn unit(&mut self) -> f64 {
        ((self.0.next_u64() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }

    /// From Gumbel's standard distribution.
    fn gumbel(&mut self) -> f64 {
        -(-self.unit().ln()).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::tests::play_on;
    use crate::engine::{Choice, Config, Done, Engine, Job, Pick, Searcher, Think};
    use crate::evaluation::Evaluation;
    use crate::search::{Bound, Limits, Stop};

    fn engine() -> Engine {
        Engine::start(Config { hash_megabytes: 1, ..Config::default() }).unwrap()
    }

    fn think(engine: &mut Engine, board: Board, strength: Strength, seed: u64) -> Choice {
        let think = Think::new(board, Limits::default()).as_strong(strength, seed);
        engine.run(Job::Think(think), &Stop::new());
        match engine.finished().recv().unwrap().1.done {
            Done::Chosen(choice) => *choice,
            other => panic!("{other:?}"),
        }
    }

    /// Positions of random games in which there is a choice.
    fn positions(n: usize) -> Vec<Board> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(12);
        let mut positions = Vec::new();
        while positions.len() < n {
            let mut board = Board::START;
            for _ in 0..6 + random.next_u64() % 46 {
                board = play_on(board, &mut random);
            }
            if board.legal_moves().count_ones() > 1 {
                positions.push(board);
            }
        }
        positions
    }

    #[test]
    fn the_ladder_rises_from_end_to_end() {
        assert!(RATINGS.is_sorted_by(|a, b| a < b));
        let heights: Vec<f64> =
            (1..=MAX_STRENGTH).map(|n| Strength::new(n).unwrap().height).collect();
        assert!(heights.is_sorted_by(|a, b| a < b));
        assert_eq!((heights[0], heights[59]), (0.0, TOP));
        assert!(Strength::new(60).unwrap().is_full() && !Strength::new(59).unwrap().is_full());
        for bad in [0, 61, u32::MAX] {
            assert!(Strength::new(bad).is_none());
        }
        assert!((1..=MAX_STRENGTH).all(|n| Strength::new(n).unwrap().number() == n));
        assert_eq!(Strength::from_elo(RATINGS[0] + 1).unwrap().number(), 1);
        let (lowest, highest) = range_of_elo();
        for (rung, elo) in (0..).zip(RATINGS) {
            let (by_elo, by_rung) = (Strength::from_elo(elo), Strength::from_rung(rung));
            assert!((by_elo.unwrap().height - by_rung.unwrap().height).abs() < 1e-9);
        }
        assert!(
            Strength::from_elo(lowest - 1).is_none() && Strength::from_elo(highest + 1).is_none()
        );
        assert!(Strength::from_rung(N_RUNGS as u32).is_none());
    }

    #[test]
    fn depth_grows_to_the_usual_level() {
        let board = Board::START;
        let mean = |rung| {
            let strength = Strength::from_rung(rung).unwrap();
            let depths = (0..200).map(|seed| strength.limits(Limits::default(), board, seed).depth);
            f64::from(depths.sum::<u32>()) / 200.0
        };
        for rung in 0..=12 {
            assert!((mean(rung) - (1.0 + 0.75 * f64::from(rung))).abs() < 0.1, "{}", mean(rung));
        }
        let full = Strength::default();
        let limits = full.limits(Limits::default(), board, 1);
        assert_eq!((limits.depth, limits.exact_from, full.lines()), (10, 20, Lines::Within(0)));
    }

    #[test]
    fn errors_are_plausible() {
        let mut engine = engine();
        let (mut n_errors, mut n_corners) = (0, 0);
        for (seed, &board) in (0..).zip(&positions(150)) {
            for strength in [1, 10, 30] {
                let strength = Strength::new(strength).unwrap();
                let choice = think(&mut engine, board, strength, seed);
                let lines = &choice.outcome.lines;
                let (best, chosen) = (&lines[0], &lines[choice.picked]);
                let loss = f64::from(best.score - chosen.score) / f64::from(DISC);
                assert!(loss <= strength.margin(), "{board} {} {}", best.mv, chosen.mv);
                n_errors += u32::from(chosen != best);
                let gives = |line: &Line| gives_corner(board, line.mv.square().unwrap());
                if gives(chosen) {
                    let nothing_better = best.depth > 1 && choice.picked == 0;
                    assert!(nothing_better || lines.iter().all(gives), "{board} {}", chosen.mv);
                }
                if takes_corner(best.mv) {
                    assert_eq!(chosen.mv, best.mv);
                    n_corners += 1;
                }
            }
        }
        assert!(n_errors > 75 && n_corners > 7, "{n_errors} {n_corners}");
    }

    #[test]
    fn a_corner_is_not_given_away() {
        // b2 turns b3 and lets White into a1 by c3; h5 turns g5 and is safe.
        let text = "-------- -------- -OO----- -X-O---- -----XO- -------- -------- -------- X";
        let board = crate::board::Position::parse(text.as_bytes()).unwrap().board;
        let line = |mv: &[u8], score, depth| {
            Line::new(Move::parse(mv).unwrap(), score, Bound::Exact, depth)
        };
        let n_given = |lines: &[Line]| {
            let lowest = Strength::new(1).unwrap();
            let is_given = |seed: &u64| lines[lowest.choose(board, lines, *seed)].mv == b2();
            (0..200).filter(is_given).count()
        };
        // One ply prefers b2 without seeing the reply; two plies prefer it for a reason; at last, two plies prefer h5.
        assert_eq!(n_given(&[line(b"b2", 300, 1), line(b"h5", 0, 1)]), 0);
        assert!((50..200).contains(&n_given(&[line(b"b2", 300, 2), line(b"h5", 0, 2)])));
        assert_eq!(n_given(&[line(b"h5", 10, 2), line(b"b2", 0, 2)]), 0);
        // There is no other move.
        assert_eq!(n_given(&[line(b"b2", 300, 1)]), 200);
    }

    #[test]
    fn few_moves_to_look_at_mean_few_errors() {
        // Eight discs are the temperature of the lowest strength. With 4 moves instead of 10 it is 0.4 of that, and the worse of two
        // moves is the choice of 8 %, no longer of 27 %.
        let line = |mv: &[u8], score| Line::new(Move::parse(mv).unwrap(), score, Bound::Exact, 2);
        let lines = [line(b"d3", 0), line(b"c4", -8 * DISC)];
        let lowest = Strength::new(1).unwrap();
        let errs = |seed: &u64| lowest.choose(Board::START, &lines, *seed) == 1;
        let n_errors = (0..1000).filter(errs).count();
        assert!((50..110).contains(&n_errors), "{n_errors}");
    }

    fn b2() -> Move {
        Move::parse(b"b2").unwrap()
    }

    #[test]
    fn position_and_seed_decide_whatever_was_searched_before() {
        let mut fresh = engine();
        let mut used = engine();
        let searcher = Searcher::new(Evaluation::embedded(), 1, 1).unwrap();
        let strength = Strength::new(12).unwrap();
        let mut n_different = 0;
        for board in positions(30) {
            used.run(Job::Think(Think::new(board, level::limits(8))), &Stop::new());
            used.finished().recv().unwrap();
            let moves: Vec<_> = (0..6)
                .map(|seed| {
                    let mv = think(&mut fresh, board, strength, seed).line().unwrap().mv;
                    assert_eq!(think(&mut used, board, strength, seed).line().unwrap().mv, mv);
                    let found = searcher.choose(board, strength, seed, 0, &Stop::new());
                    assert_eq!(found.best().unwrap().mv, mv);
                    mv
                })
                .collect();
            n_different += u32::from(moves.iter().any(|mv| *mv != moves[0]));
        }
        assert!(n_different > 10, "{n_different}");
    }

    #[test]
    fn full_strength_plays_the_best() {
        let mut engine = engine();
        for board in positions(10) {
            let pick = Pick::AsStrong(Strength::default(), 1);
            let think = Think { pick, ..Think::new(board, level::limits(4)) };
            engine.run(Job::Think(think), &Stop::new());
            let Done::Chosen(choice) = engine.finished().recv().unwrap().1.done else { panic!() };
            assert_eq!(choice.picked, 0);
        }
    }
}
