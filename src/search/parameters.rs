//! The numbers of the search that can be tuned: value, meaning, and where it was last tested, a section of `benches/experiments.md`.
//!
//! They are constants. With the feature `tune`, the [limits](super::Limits) of a search carry them: two settings can
//! play each other in one process. A number that only fits the code around it, such as a table's size, stays there.

use super::Selectivity;
use crate::score::{DISC, Score};

macro_rules! parameters {
    ($($(#[$attribute:meta])* $name:ident: $type:ty = $value:expr,)*) => {
        /// The numbers of the search that can be tuned.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Parameters {
            $($(#[$attribute])* pub $name: $type,)*
        }

        impl Parameters {
            /// The values that play best.
            pub const DEFAULT: Parameters = Parameters { $($name: $value,)* };

            /// Sets the parameter `name`, in upper or lower case; fails if there is none, or the value is no number of its type.
            #[cfg(feature = "tune")]
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
                match &*name.to_ascii_lowercase() {
                    $(stringify!($name) => {
                        self.$name = value.parse().map_err(|error| format!("{name}: {error}"))?;
                    })*
                    _ => {
                        let names = [$(stringify!($name)),*].join(", ");
                        return Err(format!("no parameter {name}; there are {names}"));
                    }
                }
                Ok(())
            }
        }
    };
}

parameters! {
    /// Internal iterative reduction: nodes of this depth or more without a table move are searched less deep. Tested: internal
    /// iterative reduction.
    iir_min_depth: u32 = 6,
    /// Plies of internal iterative reduction; with one the engine plays no better. Tested: internal iterative reduction.
    iir_reduction: u32 = 2,
    /// Late move reductions: moves at nodes of this depth or more are searched less deep first. Tested: late move reductions.
    lmr_min_depth: u32 = 5,
    /// Late move reductions: moves of a node that are searched at full depth first. Tested: late move reductions.
    lmr_min_moves: usize = 5,
    /// Plies of a late move reduction; with one the engine plays no better. Tested: late move reductions.
    lmr_reduction: u32 = 2,
    /// Enhanced transposition cutoffs: nodes of this depth or more look up the positions after all moves. Tested: transposition table.
    etc_min_depth: u32 = 5,
    /// The same in the endgame, by empty squares. Tested: endgame.
    etc_min_empties: u32 = 7,

    /// ProbCut: the least depth with many empty squares (`probcut_early_min_empties`). Tested: ProbCut.
    probcut_early_min_depth: u32 = 2,
    /// ProbCut: the least depth with fewer empty squares. Tested: ProbCut.
    probcut_min_depth: u32 = 4,
    /// From so many empty squares on pruning is bolder: it begins at less depth, with smaller margins. Positions with fewer are soon
    /// solved, and there the same boldness misses moves. Tested: ProbCut.
    probcut_early_min_empties: u32 = 26,
    /// Factor of the margins with many empty squares, at bold selectivity, from `probcut_early_share_min_depth` on:
    /// nodes at 20 plies are halved, and the moves are as good. Tested: ProbCut.
    probcut_early_share: f64 = 0.65,
    /// The least depth for `probcut_early_share`: errors of shallower searches add up. Tested: ProbCut.
    probcut_early_share_min_depth: usize = 8,
    /// How many standard deviations outside the window count as certain, by level of selectivity: 73 %. Tested: ProbCut.
    probcut_deviations_73: f64 = 1.1,
    /// 87 %.
    probcut_deviations_87: f64 = 1.5,
    /// 95 %.
    probcut_deviations_95: f64 = 2.0,
    /// 98 %.
    probcut_deviations_98: f64 = 2.6,
    /// 99 %.
    probcut_deviations_99: f64 = 3.3,
    /// A ProbCut search is tried only if the evaluation is outside the window by its own margin divided by this.
    /// Nearer, pruning costs more than it saves. Tested: ProbCut.
    probcut_likely_divisor: Score = 2,

    /// From this depth on, the evaluation or a search orders moves; below it, mobility does. Tested: move ordering.
    ordering_min_depth: u32 = 4,
    /// Ordering searches have (depth - offset) / step plies, at most the maximum. Tested: move ordering.
    ordering_offset: u32 = 9,
    /// See above.
    ordering_step: u32 = 4,
    /// See above.
    ordering_max_depth: u32 = 2,
    /// The same for searches to the end.
    solving_ordering_offset: u32 = 18,
    /// See above.
    solving_ordering_step: u32 = 2,
    /// How much worse than the best so far a move must be for its rank to be rough, in score units. With half of it the search chose
    /// 91 instead of 84 wrong moves of 311 (hard-25, 15 plies): the order of poor moves matters where the best ones fail. Tested: move
    /// ordering.
    ordering_tolerance: Score = 4 * DISC,
    /// What each legal reply costs a move in its rank, in score units. Tested: move ordering.
    ordering_reply: Score = DISC,
    /// The same for each square of the opponent's potential mobility. Tested: move ordering.
    ordering_potential: Score = DISC / 4,
    /// `ordering_reply` for searches to the end, which first try moves that soon prove what they are worth: with few
    /// replies the tree is small. Tested: move ordering.
    solving_reply: Score = 2 * DISC,
    /// `ordering_potential` for searches to the end. Tested: move ordering.
    solving_potential: Score = DISC,
    /// `ordering_reply` in the endgame, beside the ranking model. Tested: endgame.
    endgame_reply: Score = 6 * DISC,
    /// `ordering_potential` in the endgame. Tested: endgame.
    endgame_potential: Score = DISC / 2,

    /// Half the width of the first aspiration window, in score units. Tested: iterative deepening and aspiration.
    aspiration_window: Score = 3 * DISC,
    /// Growth factor of the aspiration window on the failing side. Tested: iterative deepening and aspiration.
    aspiration_growth: Score = 3,
    /// Plies from one iteration to the next. A ply more takes about three tenths more nodes, so that iterations of
    /// every ply would spend three quarters of all nodes before the last depth. Tested: iterative deepening and
    /// aspiration.
    iteration_step: u32 = 2,
    /// Iterations end this many plies short of the end of the game, which is then solved at once. Tested: endgame.
    solve_jump: u32 = 12,
    /// The same before a search to the end with forward pruning: half of these are not finished, and then the last depth decides.
    /// Tested: endgame.
    end_jump: u32 = 6,
    /// With so many empty squares or more, searches to the end at less confidence come before the exact one: they fill the table with good
    /// moves. Tested: endgame.
    ladder_min_empties: u32 = 20,

    /// An iteration begins up to this share of the soft limit, stretched as below. An iteration takes about as long as all before it
    /// together. Tested: time management.
    time_share_to_begin: f64 = 0.6,
    /// The soft limit is stretched so much if the best move has just changed. Tested: time management.
    time_new_best: f64 = 1.8,
    /// The same if the best move has stood for one iteration.
    time_young_best: f64 = 1.3,
    /// The same if the best move has stood for four iterations or more.
    time_old_best: f64 = 0.75,
    /// A score that falls by more than a disc stretches the soft limit further, by the fall in discs divided by this,
    /// at most by `time_max_fall`. Tested: time management.
    time_fall_divisor: f64 = 4.0,
    /// The most by which a falling score stretches the soft limit. Tested: time management.
    time_max_fall: f64 = 0.8,

    /// The plan of a game's clock: a solution is planned once it takes at most this part of the time left. Tested: time management.
    time_solve_at: f64 = 0.4,
    /// A planned solution may take this part of the time left. Tested: time management.
    time_solve_max: f64 = 0.6,
    /// A solution in a game takes about this part of the time with an empty table: earlier moves have filled it. Of 83
    /// games at 30 s a side, four of five with 24 empty squares took 0.28 s, with 25 0.73 s. Not used with a time for
    /// every move: what a move saves is lost, and solving earlier there gained nothing. Tested: time management.
    time_solve_warm: f64 = 0.25,
    /// A move gets this part of its increment besides its share of the time left. Tested: time management.
    time_bonus_share: f64 = 0.8,
    /// The hard limit of a move in multiples of its share. Tested: time management.
    time_max_shares: u32 = 4,
    /// The hard limit of a move is at most this part of the time left. Tested: time management.
    time_max_part: f64 = 0.4,
    /// With a time for several moves, the hard limit in multiples of a move's share. Tested: time management.
    time_moves_max_shares: u32 = 2,
    /// With a time for a move a solution is planned once it takes at most this part of the hard limit. Tested: time management.
    time_moves_solve_at: f64 = 0.8,

    /// From this depth on threads open nodes to others. Tested: parallel search.
    split_min_depth: u32 = 8,
    /// From this depth on if a thread is idle: such a node is soon done, but costs as much to open as a deeper one.
    split_min_depth_for_idle: u32 = 5,
    /// Moves of a node of the principal variation that one thread searches before others may help. The second often is better than the
    /// first; what others search meanwhile, against the value of the first, is lost then.
    split_min_pv_moves: usize = 2,
    /// With this many unclaimed idle threads, one move is enough: splitting early loses less than waiting.
    split_many_idle: usize = 3,
}

impl Parameters {
    /// How many standard deviations outside the window count as certain; `None` without forward pruning.
    pub(super) fn probcut_deviations(&self, selectivity: Selectivity) -> Option<f64> {
        let by_level = [
            self.probcut_deviations_73,
            self.probcut_deviations_87,
            self.probcut_deviations_95,
            self.probcut_deviations_98,
            self.probcut_deviations_99,
        ];
        by_level.get(usize::from(selectivity.level())).copied()
    }
}
