//! This program's engine, in the same process and the caller's thread.

use std::time::{Duration, Instant};

use super::{Cause, Choice, Fault, Goal, OnProgress, Player, Progress, Terms, Turn};
use crate::board::{Board, Color, Position};
use crate::engine::{
    Config, Done, Effort, Event, Job, Pace, PlayedPositions, VarietyTracker, Worker,
};
use crate::journal::Recorder;
use crate::search::Stop;

/// Communication within the process takes little time.
const OVERHEAD: Duration = Duration::from_millis(2);

pub struct EnginePlayer {
    worker: Worker,
    config: Config,
    terms: Terms,
    tracker: VarietyTracker,
}

impl EnginePlayer {
    pub fn new(config: Config, played: PlayedPositions) -> EnginePlayer {
        let worker = Worker::new(config.clone(), Recorder::default(), Vec::new());
        let terms = Terms { color: Color::Black, pace: Pace::OWN, seed: 0 };
        let tracker = VarietyTracker::sharing(played);
        EnginePlayer { worker, config, terms, tracker }
    }

    fn effort(&self, turn: &Turn<'_>, own: Color) -> Effort {
        self.terms.pace.effort(turn.clocks[own.index()], OVERHEAD)
    }

    fn work(&mut self, job: &Job, stop: &Stop, report: OnProgress<'_>) -> Done {
        let ended = self.worker.answer(job, stop, &mut |event| match event {
            Event::Report(found) => report(Progress::Report(found)),
            Event::Predicted(table) => report(Progress::Predicted(table)),
            Event::Valued { .. } => {}
        });
        ended.done
    }
}

impl Player for EnginePlayer {
    fn begin(&mut self, _: Position, terms: Terms) -> Result<(), Fault> {
        self.terms = terms;
        self.tracker.begin();
        // Games must repeat, so nothing but the variety's memory may carry over from one game to the next.
        self.work(&Job::Forget, &Stop::new(), &mut |_| {});
        Ok(())
    }

    fn choose(&mut self, turn: Turn<'_>, report: OnProgress<'_>) -> Result<Choice, Fault> {
        let start = Instant::now();
        let board = turn.board();
        let effort = self.effort(&turn, turn.color());
        let seed = self.terms.seed;
        let tracker = &mut self.tracker;
        let think = self.config.prepare(turn.game, board, turn.color(), effort, seed, tracker);
        report(Progress::Began(goal(&think.effort, board)));
        let stop = turn.stop_in_time();
        let Done::Chosen(choice) = self.work(&Job::Think(think), &stop, report) else {
            return Err(Fault::new(Cause::BadReply, "the engine gave an unexpected answer"));
        };
        if stop.is_stopped() && !turn.stop.is_stopped() {
            return Err(Fault::new(Cause::Stall, "no answer"));
        }
        self.tracker.note(&choice);
        if choice.answer.is_none() {
            return Err(Fault::new(Cause::BadReply, "the engine has no move"));
        }
        Ok(Choice { elapsed: start.elapsed(), ..*choice })
    }

    fn ponder(&mut self, turn: Turn<'_>, report: OnProgress<'_>) {
        let board = turn.board();
        if self.config.ponders && board.legal_moves() != 0 {
            let effort = self.effort(&turn, turn.color().opposite());
            report(Progress::Began(Goal::default()));
            self.work(&Job::Ponder { board, effort }, turn.stop, report);
        }
    }
}

fn goal(effort: &Effort, board: Board) -> Goal {
    let n_empties = board.n_empties();
    let limits = effort.limits;
    let time = effort.expected_time(n_empties);
    let depth =
        if n_empties <= limits.exact_from { n_empties } else { limits.depth.min(n_empties) };
    Goal {
        // A clock or a node limit ends the search long before this depth.
        depth: (time.is_none() && limits.nodes.is_none()).then_some(depth),
        nodes: limits.nodes,
        time,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::strength::Strength;
    use crate::game::Game;

    /// Longer than anything here takes on a busy machine.
    const PATIENCE: Duration = Duration::from_secs(60);

    fn player(pace: Pace, strength: Strength) -> EnginePlayer {
        let config = Config { hash_megabytes: 1, strength, ..Config::default() };
        let mut player = EnginePlayer::new(config, PlayedPositions::default());
        player.begin(Position::START, Terms { color: Color::Black, pace, seed: 1 }).unwrap();
        player
    }

    /// Lets the engine choose a move by a search that does not end by itself.
    fn choose(stop: &Stop, limit: Duration) -> Result<Choice, Fault> {
        let mut player = player(Pace::depth(60), Strength::default());
        let deadline = Instant::now() + limit;
        let game = Game::default();
        let turn = Turn { deadline, ..Turn::without_end(&game, stop) };
        let choice = player.choose(turn, &mut |_| {});
        assert!(Instant::now() < deadline + PATIENCE);
        choice
    }

    #[test]
    fn nodes_limit_every_strength() {
        for strength in [1, 30, 59, 60] {
            let mut player = player(Pace::nodes(70), Strength::new(strength).unwrap());
            let (game, stop) = (Game::default(), Stop::new());
            let turn = Turn::without_end(&game, &stop);
            let mut goals = Vec::new();
            let choice = player.choose(turn, &mut |progress| {
                if let Progress::Began(goal) = progress {
                    goals.push(goal.nodes);
                }
            });
            assert_eq!(goals, [Some(70)], "{strength}");
            // A search looks at its limit now and then.
            assert!(choice.unwrap().n_nodes() < 10_000, "{strength}");
        }
    }

    #[test]
    fn a_move_without_end_is_a_stall_at_the_deadline() {
        let choice = choose(&Stop::new(), Duration::from_millis(300));
        assert_eq!(choice.unwrap_err().cause, Cause::Stall);
    }
}
