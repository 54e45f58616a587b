//! The times of both sides, stored for every ply, so that undo restores them.

use std::time::{Duration, Instant};

use crate::board::Color;
use crate::clock::{Clock, Control};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SideClock {
    pub used: Duration,
    /// Time left, if there is a limit.
    pub clock: Clock,
}

#[derive(Clone, Debug)]
pub(super) struct Clocks {
    /// By number of plies played; entries after `n_plies` belong to undone moves.
    states: Vec<[SideClock; 2]>,
    n_plies: usize,
    /// When the clock of the side to move was started.
    running: Option<Instant>,
    /// Time the side to move used before that.
    turn_used: Duration,
}

impl Clocks {
    pub fn new(controls: [Control; 2]) -> Clocks {
        let state =
            controls.map(|control| SideClock { used: Duration::ZERO, clock: Clock::new(control) });
        Clocks { states: vec![state], n_plies: 0, running: None, turn_used: Duration::ZERO }
    }

    /// Starts the clock of the side to move, unless it is running.
    pub fn start(&mut self, now: Instant) {
        self.running.get_or_insert(now);
    }

    /// Stops the clock; the turn continues later.
    pub fn halt(&mut self, now: Instant) {
        self.turn_used = self.turn(now);
        self.running = None;
    }

    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// The clock is stopped.
    pub fn reset_turn(&mut self) {
        (self.running, self.turn_used) = (None, Duration::ZERO);
    }

    /// Time the side to move has used for its move.
    pub fn turn(&self, now: Instant) -> Duration {
        let running = self.running.map(|since| now.saturating_duration_since(since));
        self.turn_used + running.unwrap_or_default()
    }

    /// Records a ply of `color`, which took `elapsed`, and ends its turn.
    pub fn play(&mut self, color: Color, elapsed: Duration) {
        self.note_ply(color, |side| {
            side.used += elapsed;
            side.clock.spend(elapsed);
        });
    }

    /// Records a pass, which costs no time and earns no increment.
    pub fn pass(&mut self, color: Color) {
        self.note_ply(color, |_| {});
    }

    fn note_ply(&mut self, color: Color, change: impl FnOnce(&mut SideClock)) {
        let mut state = self.states[self.n_plies];
        change(&mut state[color.index()]);
        self.states.truncate(self.n_plies + 1);
        self.states.push(state);
        self.n_plies += 1;
        self.reset_turn();
    }

    /// Goes to the times after this many plies, as far as known.
    pub fn go_to(&mut self, n_plies: usize) {
        self.n_plies = n_plies.min(self.states.len() - 1);
        self.reset_turn();
    }

    /// Sets the time controls from here on; a side whose control changes gets a full clock.
    pub fn set_controls(&mut self, controls: [Control; 2]) {
        for (side, control) in self.states[self.n_plies].iter_mut().zip(controls) {
            if side.clock.control() != control {
                side.clock = Clock::new(control);
            }
        }
    }

    pub fn at_turn(&self) -> [Clock; 2] {
        self.states[self.n_plies].map(|side| side.clock)
    }

    /// Time used by `color` and, with a limit, its time left; `to_move` is the side to move.
    pub fn view(&self, color: Color, to_move: Color, now: Instant) -> (Duration, Option<Duration>) {
        let side = self.states[self.n_plies][color.index()];
        let turn = if color == to_move { self.turn(now) } else { Duration::ZERO };
        let left = side.clock.is_limited().then(|| side.clock.left().saturating_sub(turn));
        (side.used + turn, left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn taking_back_gives_time_back_and_redoing_takes_it_again() {
        let control = Control::Game { main: 10 * SECOND, increment: Duration::ZERO };
        let mut clocks = Clocks::new([control; 2]);
        let now = Instant::now();
        clocks.start(now);
        clocks.halt(now + SECOND);
        clocks.start(now + 5 * SECOND);
        assert_eq!(
            clocks.view(Color::Black, Color::Black, now + 6 * SECOND),
            (2 * SECOND, Some(8 * SECOND))
        );
        clocks.play(Color::Black, 2 * SECOND);
        clocks.play(Color::White, 3 * SECOND);
        let after = clocks.view(Color::White, Color::Black, now);
        assert_eq!(after, (3 * SECOND, Some(7 * SECOND)));
        clocks.go_to(0);
        assert_eq!(
            clocks.view(Color::White, Color::Black, now),
            (Duration::ZERO, Some(10 * SECOND))
        );
        clocks.go_to(2);
        assert_eq!(clocks.view(Color::White, Color::Black, now), after);
        clocks.go_to(1);
        clocks.pass(Color::White);
        assert_eq!(clocks.view(Color::White, Color::Black, now).0, Duration::ZERO);
        // A file may hold fewer times than plies.
        clocks.go_to(99);
        assert_eq!(clocks.at_turn()[0].left(), 8 * SECOND);
    }
}
