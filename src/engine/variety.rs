//! With a variety, the engine avoids the moves that earlier games of the session played outside the book, until the variety of the
//! game is used up.

use super::choice::Choice;
use super::job::{Pick, Think};
use super::played::{Novelty, PlayedPositions, reached};
use crate::board::{Board, Color, Move, Square};
use crate::game::Game;
use crate::score::Score;

/// A game counts as finished if the player's last move was made with this many empty squares or fewer.
const ENDED_FROM: u32 = 10;

#[derive(Clone, Copy, Debug)]
struct Taken {
    color: Color,
    board: Board,
    square: Square,
    lost: Score,
    /// The best novelty among the other moves within the variety.
    others: Novelty,
}

#[derive(Clone, Copy, Debug)]
struct Asked {
    color: Color,
    board: Board,
}

/// What a player remembers of its earlier games and of the running one.
#[derive(Debug, Default)]
pub struct VarietyTracker {
    positions: PlayedPositions,
    /// In the running game.
    choices: Vec<Taken>,
    /// Whether the next game passed to [`VarietyTracker::prepare`] may be another one.
    is_new: bool,
    asked: Option<Asked>,
}

impl VarietyTracker {
    /// A tracker that shares its positions with other trackers, and so knows their games too.
    pub fn sharing(positions: PlayedPositions) -> VarietyTracker {
        VarietyTracker { positions, ..VarietyTracker::default() }
    }

    /// Says that another game may begin now; the running one may also go on.
    pub const fn begin(&mut self) {
        self.is_new = true;
    }

    /// Prepares a search for a move of `color`: sets what is left of the variety, and which moves to play less often if the best
    /// would be picked.
    pub(super) fn prepare(&mut self, think: &mut Think, game: &Game, color: Color) {
        self.asked = None;
        let Some(variety) = think.variety.as_mut().filter(|variety| variety.total > 0) else {
            return;
        };
        self.follow(game);
        let own = self.choices.iter().filter(|choice| choice.color == color);
        variety.left = (variety.left - own.map(|choice| choice.lost).sum::<Score>()).max(0);
        if think.pick == Pick::Best {
            self.asked = Some(Asked { color, board: think.board });
            let played = self.positions.played(think.board);
            variety.old = played.old();
            think.pick = Pick::Vary(*variety, played);
        }
    }

    /// Remembers the move that the prepared search has chosen.
    pub fn note(&mut self, choice: &Choice) {
        let Some(Asked { color, board }) = self.asked.take() else { return };
        let Some(square) = choice.mv().and_then(Move::square) else { return };
        let is_forced = board.legal_moves().count_ones() == 1;
        let others = if is_forced { Novelty::Old } else { choice.others };
        let lost = choice.lost;
        self.choices.push(Taken { color, board, square, lost, others });
        self.positions.add(reached(board, square));
    }

    fn follow(&mut self, game: &Game) {
        let stands = |choice: &Taken| {
            let mv = Move::Place(choice.square);
            game.plies().iter().any(|ply| ply.before.board == choice.board && ply.mv == mv)
        };
        if std::mem::take(&mut self.is_new) && !self.choices.iter().all(stands) {
            self.close();
        }
        let positions = &self.positions;
        self.choices.retain(|choice| {
            let stands = stands(choice);
            if !stands {
                positions.take_back(reached(choice.board, choice.square));
            }
            stands
        });
    }

    /// Sets the novelty of each of the game's moves.
    fn close(&mut self) {
        for color in [Color::Black, Color::White] {
            let own = self.choices.iter().rev().filter(|choice| choice.color == color);
            let last = own.clone().next().map_or(0, |choice| choice.board.n_empties());
            let mut novelty = if last > ENDED_FROM { Novelty::Unknown } else { Novelty::Old };
            for choice in own {
                self.positions.set_novelty(reached(choice.board, choice.square), novelty);
                novelty = novelty.max(choice.others);
            }
        }
        self.choices.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::book::choice::Variety;
    use crate::engine::job::{Done, Job};
    use crate::engine::played::Played;
    use crate::engine::{Config, Worker, level};
    use crate::game::Note;
    use crate::journal::Recorder;
    use crate::score::DISC;
    use crate::search::{Bound, Line, Outcome, Stop};

    fn mv(text: &str) -> Move {
        Move::parse(text.as_bytes()).unwrap()
    }

    fn variety() -> Variety {
        Variety::new(DISC, 1, 0)
    }

    /// The choice of a move.
    fn choice(at: &str) -> Choice {
        let lines = vec![Line::new(mv(at), 0, Bound::Exact, 9)];
        Choice::found(Outcome { lines, ..Outcome::default() }, 0)
    }

    fn played(think: &Think) -> Option<Played> {
        match think.pick {
            Pick::Vary(_, played) => Some(played),
            _ => None,
        }
    }

    /// A player with its game, who is told which move its search chooses.
    #[derive(Default)]
    struct Table {
        tracker: VarietyTracker,
        game: Game,
    }

    impl Table {
        /// The moves that earlier games played in this position, and what is left of the variety.
        fn ask(&mut self) -> (Option<Played>, Score) {
            let Position { board, side } = self.game.position();
            let variety = Some(variety());
            let mut think = Think { variety, ..Think::new(board, level::limits(1)) };
            self.tracker.prepare(&mut think, &self.game, side);
            (played(&think), think.variety.unwrap().left)
        }

        /// Lets the player choose a move that loses something, and plays it.
        fn choose(&mut self, at: &str, lost: Score, others: Novelty) {
            self.ask();
            self.tracker.note(&Choice { lost, others, ..choice(at) });
            self.play(at);
        }

        fn play(&mut self, at: &str) {
            assert!(self.game.play(mv(at), Note::default()), "{at}");
        }

        fn begin(&mut self) {
            self.tracker.begin();
            self.game = Game::default();
        }

        /// In how many games a move of the player in this position was played.
        fn n_games(&mut self, at: &str) -> u16 {
            self.ask().0.map_or(0, |played| played.n_games(mv(at).square().unwrap()))
        }
    }

    #[test]
    fn a_move_counts_once_a_game_and_only_if_it_stands() {
        let mut table = Table::default();
        for n in 0..3 {
            table.play("f5");
            assert_eq!(table.n_games("d6"), n);
            table.choose("d6", 0, Novelty::Unknown);
            // Taken back twice, and chosen again.
            for other in ["f4", "d6"] {
                assert!(table.game.undo().is_some());
                assert_eq!(table.n_games("d6"), n, "in this game it does not count");
                table.choose(other, 0, Novelty::Unknown);
            }
            table.play("c3");
            assert!(table.ask().0.is_some_and(|played| played.is_empty()));
            table.begin();
        }
        table.play("f5");
        assert_eq!((table.n_games("d6"), table.n_games("f4")), (3, 0));
        // The same position, turned.
        for (first, reply) in [("c4", "e3"), ("e6", "f4"), ("d3", "c5")] {
            table.begin();
            table.play(first);
            assert_eq!(table.n_games(reply), 3, "{first}");
        }
    }

    #[test]
    fn what_a_side_has_lost_is_gone_until_the_next_game() {
        let mut table = Table::default();
        table.choose("f5", 30, Novelty::New);
        assert_eq!(table.ask().1, DISC, "the other side has lost nothing");
        table.choose("d6", 100, Novelty::New);
        assert_eq!(table.ask().1, DISC - 30);
        table.choose("c3", 200, Novelty::New);
        table.play("d3");
        assert_eq!(table.ask().1, 0);
        for _ in 0..2 {
            assert!(table.game.undo().is_some());
        }
        assert_eq!(table.ask().1, DISC - 30);
        table.begin();
        assert_eq!(table.ask().1, DISC);
    }

    #[test]
    fn the_same_game_goes_on_after_a_word_of_another() {
        let mut table = Table::default();
        table.choose("f5", 30, Novelty::New);
        table.tracker.begin();
        table.play("d6");
        assert_eq!(table.ask().1, DISC - 30);
    }

    #[test]
    fn a_finished_game_says_what_its_moves_lead_to() {
        use Novelty::{New, Old, Unknown};
        let novelties = |ended_at: u32, others: [Novelty; 3]| {
            let mut tracker = VarietyTracker::default();
            // The last square is empty on all of them.
            let square = Square::lowest(1 << 63);
            let boards = [50, 30, ended_at]
                .map(|n_empties| Board { player: u64::MAX >> n_empties, opponent: 0 });
            for (board, others) in boards.into_iter().zip(others) {
                tracker.positions.add(reached(board, square));
                let color = Color::Black;
                tracker.choices.push(Taken { color, board, square, lost: 0, others });
            }
            tracker.close();
            boards.map(|board| tracker.positions.novelty(reached(board, square)).unwrap())
        };
        assert_eq!(novelties(4, [Old; 3]), [Old; 3]);
        assert_eq!(novelties(4, [New, Unknown, Old]), [Unknown, Old, Old]);
        assert_eq!(novelties(4, [Old, Unknown, New]), [New, New, Old]);
        assert_eq!(novelties(20, [Old; 3]), [Unknown; 3], "a game broken off");
    }

    #[test]
    fn the_next_game_plays_another_move() {
        let config = Config { hash_megabytes: 1, ..Config::default() };
        let mut worker = Worker::new(config, Recorder::default(), Vec::new());
        let mut tracker = VarietyTracker::default();
        // Games of one move.
        let game = Game::new(Position::START.play(mv("f5")).unwrap());
        let mut play = |discs: Score| {
            let Position { board, side } = game.position();
            let variety = Some(Variety::new(discs * DISC, 1, 0));
            let mut think = Think { variety, ..Think::new(board, level::limits(4)) };
            tracker.begin();
            tracker.prepare(&mut think, &game, side);
            let result = worker.answer(&Job::Think(think), &Stop::new(), &mut |_| {}).done;
            let Done::Chosen(choice) = result else { panic!("{result:?}") };
            tracker.note(&choice);
            (choice.mv().unwrap(), choice.outcome.lines.len())
        };
        let plain = play(0);
        let first = play(64);
        assert_eq!((first, first.1), (plain, 1), "a search for the best move");
        let (second, third) = (play(64), play(64));
        assert!(second.0 != first.0 && second.1 == 3, "{second:?}");
        assert!(third.0 != first.0 && third.0 != second.0, "{third:?}");
        assert_eq!(play(0), plain, "without a variety");
    }
}
