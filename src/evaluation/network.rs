//! The part of the trained evaluation that is more than a sum over patterns: a network with one layer and sparse inputs.
//!
//! The index of a pattern selects a row of feature weights rather than one weight; the rows are added up lane by lane
//! in an accumulator, each sum is clipped to 0 and 1 and squared, and output weights for each stage turn the squares
//! into discs. So patterns together can be worth more or less than the sum of each alone, at the price of some forty
//! additions of a vector of bytes. Rows are kept for shapes of seven to nine squares, for the first eight squares of
//! three larger ones, and for the counts; a position's sums need a table that fits a processor's cache.
//!
//! (The engine neural-reversi showed what such networks can do; the clipped square is known as SCReLU.)

use super::patterns::{
    Features, Lanes, N_COUNT_VALUES, N_COUNTS, N_LANES, N_SHAPES, SHAPES, Shape,
};
use super::stages::N_STAGES;
use crate::support::memory::prefer_large_pages;

/// Length of a row: lanes of the accumulator.
pub const WIDTH: usize = 64;

/// First stages of the second phase and those after it.
const BORDERS: [usize; 3] = [20, 32, 44];

/// Number of phases of the game, each with rows of its own.
pub const N_PHASES: usize = BORDERS.len() + 1;

/// The phase of a stage.
pub const fn phase(stage: usize) -> usize {
    let (mut phase, mut index) = (0, 0);
    while index < BORDERS.len() {
        phase += (stage >= BORDERS[index]) as usize;
        index += 1;
    }
    phase
}

/// Shapes with rows: from `FIRST_SHAPE` to before `END_SHAPE`.
const FIRST_SHAPE: usize = 3;
const END_SHAPE: usize = 9;

/// Shapes of which only a core, their first squares, has rows.
const PARENTS: [usize; 3] = [9, 10, 13];

/// Number of squares of a core.
const CORE_SQUARES: usize = 8;

/// The cores as shapes.
const CORES: [Shape; PARENTS.len()] = [
    SHAPES[PARENTS[0]].first_squares(CORE_SQUARES),
    SHAPES[PARENTS[1]].first_squares(CORE_SQUARES),
    SHAPES[PARENTS[2]].first_squares(CORE_SQUARES),
];

/// Number of contents of a core.
const CORE_CONTENTS: u16 = 3u16.pow(CORE_SQUARES as u32);

/// First row of the counts in the second table, after the rows of the cores.
const COUNTS_ROW: u16 = PARENTS.len() as u16 * CORE_CONTENTS;

/// Rows of a phase: in the first table those of whole shapes, in the second, which follows, those of cores and counts.
const N_FIRST_ROWS: usize = SHAPES[END_SHAPE].offset - SHAPES[FIRST_SHAPE].offset;
const N_ROWS: usize = N_FIRST_ROWS + COUNTS_ROW as usize + N_COUNTS * N_COUNT_VALUES;

/// From the start of each table there are at least this many rows, with spare room behind the last phase's tables, so
/// that any 16-bit row number is in range.
const REACH: usize = 1 << 16;

/// Instances that have rows in the first table, and in the second one.
const N_FIRST: usize = SHAPES[END_SHAPE].first_lane - SHAPES[FIRST_SHAPE].first_lane;
const N_CORES: usize =
    SHAPES[PARENTS[0]].n_lanes + SHAPES[PARENTS[1]].n_lanes + SHAPES[PARENTS[2]].n_lanes;

/// Rows that a position selects.
pub const N_ACTIVE: usize = N_FIRST + N_CORES + N_COUNTS;

/// The network's layout for the fingerprint of weights files; its wording must stay that of the first files.
pub(super) fn layout() -> String {
    let list = |numbers: [usize; 3]| numbers.map(|number| number.to_string()).join(" ");
    let (cores, borders, last) = (list(PARENTS), list(BORDERS), END_SHAPE - 1);
    format!(
        "rows of {WIDTH} bytes, shapes {FIRST_SHAPE}-{last}, cores of {cores}, phases from {borders}"
    )
}

/// Quantization of feature weights and biases: 1.0 is stored as this number.
const QA: i16 = 128;

/// Number of rows that are added up in bytes.
const GROUP: usize = 4;

/// The largest magnitude in a row: the sum of a group fits a byte.
const MAX_WEIGHT: i16 = i8::MAX as i16 / GROUP as i16;

/// The same before quantization: training keeps rows within it.
pub const MAX_FEATURE_WEIGHT: f32 = MAX_WEIGHT as f32 / QA as f32;

/// The largest bias. No sum overflows.
const MAX_BIAS: i16 = i16::MAX - MAX_WEIGHT * N_ACTIVE as i16;

/// Quantization of output weights: one disc is stored as this number.
const QB: f32 = 64.0;

/// Sums are shifted by this before they are squared; the upper half of the product is kept.
const SHIFT: u32 = 14 - QA.ilog2();

/// The largest square, that of [`QA`], as it is kept.
const MAX_SQUARE: i64 = (((QA as i64) << SHIFT) * ((QA as i64) << SHIFT)) >> 16;

/// An output weight times a square is shifted by this to become 1/128 disc.
const DOWN: u32 = 11;

type Row = [i8; WIDTH];

/// Sums, biases or output weights of the lanes.
type Accumulator = [i16; WIDTH];

/// Ready for use.
#[derive(Clone, Debug)]
pub struct Network {
    /// From [`Network::start`] on, by phase, the rows of the first table and of the second; then room up to [`REACH`].
    rows: Vec<i8>,
    /// Index of the first row, so that no row lies on two cache lines.
    start: usize,
    /// By stage: the initial sums of the accumulator.
    biases: Vec<Accumulator>,
    /// By stage: the output weights.
    output_weights: Vec<Accumulator>,
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// By instance, where its rows begin within its table.
static OFFSETS: Lanes = {
    let mut offsets = [0; N_LANES];
    let mut shape = FIRST_SHAPE;
    while shape < END_SHAPE {
        let Shape { first_lane, n_lanes, offset, .. } = SHAPES[shape];
        let mut lane = first_lane;
        while lane < first_lane + n_lanes {
            offsets[lane] = (offset - SHAPES[FIRST_SHAPE].offset) as u16;
            lane += 1;
        }
        shape += 1;
    }
    let mut core = 0;
    while core < PARENTS.len() {
        let Shape { first_lane, n_lanes, .. } = SHAPES[PARENTS[core]];
        let mut lane = first_lane;
        while lane < first_lane + n_lanes {
            offsets[lane] = core as u16 * CORE_CONTENTS;
            lane += 1;
        }
        core += 1;
    }
    assert!(N_SHAPES > END_SHAPE && N_FIRST_ROWS < REACH);
    Lanes(offsets)
};

/// The rows of a position in the first table, and in the second one.
#[inline(always)]
fn active(
    counts: &[usize; N_COUNTS],
    features: &Features,
) -> ([u16; N_FIRST], [u16; N_CORES + N_COUNTS]) {
    let contents = &features.player.0;
    let mut first = [0; N_FIRST];
    let start = SHAPES[FIRST_SHAPE].first_lane;
    for index in 0..N_FIRST {
        first[index] = contents[start + index].wrapping_add(OFFSETS.0[start + index]);
    }
    let mut second = [0; N_CORES + N_COUNTS];
    let mut index = 0;
    for parent in PARENTS {
        let Shape { first_lane, n_lanes, .. } = SHAPES[parent];
        let lanes = first_lane..first_lane + n_lanes;
        for (contents, offset) in contents[lanes.clone()].iter().zip(&OFFSETS.0[lanes]) {
            second[index] = (contents % CORE_CONTENTS).wrapping_add(*offset);
            index += 1;
        }
    }
    for count in counts {
        let kind = (index - N_CORES) as u16;
        second[index] = COUNTS_ROW + kind * N_COUNT_VALUES as u16 + *count as u16;
        index += 1;
    }
    (first, second)
}

/// The rows of a position as numbers among those of a phase, the second table's after the first one's.
pub fn active_rows(counts: &[usize; N_COUNTS], features: &Features) -> [usize; N_ACTIVE] {
    let (first, second) = active(counts, features);
    let first = first.into_iter().map(usize::from);
    let mut all = first.chain(second.into_iter().map(|row| N_FIRST_ROWS + usize::from(row)));
    std::array::from_fn(|_| all.next().unwrap_or(0))
}

/// For each row of a phase the number of its free row, which symmetric contents share; and the number of free rows.
pub fn free_rows() -> (Vec<u32>, usize) {
    let mut numbers = vec![0; N_ROWS];
    let mut n_free = 0;
    for shape in &SHAPES[FIRST_SHAPE..END_SHAPE] {
        let start = shape.offset - SHAPES[FIRST_SHAPE].offset;
        n_free = shape.number_free(&mut numbers[start..], n_free);
    }
    for (index, core) in CORES.iter().enumerate() {
        let start = N_FIRST_ROWS + index * usize::from(CORE_CONTENTS);
        n_free = core.number_free(&mut numbers[start..], n_free);
    }
    for number in &mut numbers[N_FIRST_ROWS + usize::from(COUNTS_ROW)..] {
        *number = n_free as u32;
        n_free += 1;
    }
    (numbers, n_free)
}

/// How many numbers the free rows of all phases have, each in a byte. A network's numbers begin with them.
pub fn n_row_numbers() -> usize {
    let whole = SHAPES[FIRST_SHAPE..END_SHAPE].iter().map(Shape::n_free).sum::<usize>();
    let cores = CORES.iter().map(Shape::n_free).sum::<usize>();
    WIDTH * N_PHASES * (whole + cores + N_COUNTS * N_COUNT_VALUES)
}

/// How many numbers the biases and then the output weights of all stages have, which follow the rows.
pub const N_STAGE_NUMBERS: usize = 2 * WIDTH * N_STAGES;

/// Trained rows and biases (in units of 1.0) and output weights (in discs) in the units of a file, not rounded yet.
pub fn scale(
    rows: impl Iterator<Item = f32>,
    biases: impl Iterator<Item = f32>,
    output_weights: impl Iterator<Item = f32>,
) -> Vec<f32> {
    let within = |largest: i16| {
        let largest = f32::from(largest);
        move |number: f32| (number * f32::from(QA)).clamp(-largest, largest)
    };
    let ones = rows.map(within(MAX_WEIGHT)).chain(biases.map(within(MAX_BIAS)));
    ones.chain(output_weights.map(|number| number * QB)).collect()
}

/// The reverse of [`scale`].
pub fn unscale(numbers: &[f32]) -> impl Iterator<Item = f32> {
    let n_ones = numbers.len().saturating_sub(WIDTH * N_STAGES);
    numbers
        .iter()
        .enumerate()
        .map(move |(index, &number)| number / if index < n_ones { f32::from(QA) } else { QB })
}

/// Whether a network's rows fit their bytes and no value of a position can overflow.
pub(super) fn is_bounded(numbers: &[i16]) -> bool {
    let Some(n_rows) = numbers.len().checked_sub(N_STAGE_NUMBERS) else { return false };
    let (rows, stages) = numbers.split_at(n_rows);
    rows.iter().all(|&number| is_within(number, MAX_WEIGHT)) && are_bounded(stages)
}

/// The same of biases and output weights.
fn are_bounded(stages: &[i16]) -> bool {
    let (biases, output_weights) = stages.split_at(WIDTH * N_STAGES);
    let most =
        |weights: &Accumulator| weights.iter().map(|&weight| i64::from(weight).abs()).sum::<i64>();
    biases.iter().all(|&bias| is_within(bias, MAX_BIAS))
        && (output_weights.as_chunks::<WIDTH>().0.iter())
            .all(|output_weights| most(output_weights) * MAX_SQUARE <= i64::from(i32::MAX))
}

fn is_within(number: i16, largest: i16) -> bool {
    (-largest..=largest).contains(&number)
}

impl Network {
    /// Lays out the numbers of a file for use, those of rows as signed bytes; `None` if their count is wrong or they could overflow.
    pub fn new(rows: &[u8], stages: &[i16]) -> Option<Network> {
        let (places, n_free) = free_rows();
        let lengths = (WIDTH * N_PHASES * n_free, N_STAGE_NUMBERS);
        if (rows.len(), stages.len()) != lengths
            || !rows.iter().all(|byte| is_within(byte.cast_signed().into(), MAX_WEIGHT))
            || !are_bounded(stages)
        {
            return None;
        }
        let free = rows.as_chunks::<WIDTH>().0;
        let n_laid_out = (N_PHASES - 1) * N_ROWS + N_FIRST_ROWS + REACH;
        let mut rows = vec![0; WIDTH * n_laid_out + LINE];
        prefer_large_pages(&rows);
        let start = rows.as_ptr().align_offset(LINE).min(LINE);
        let phases = rows[start..].as_chunks_mut::<WIDTH>().0.chunks_exact_mut(N_ROWS);
        for (rows, free) in phases.zip(free.chunks_exact(n_free)) {
            for (row, &place) in rows.iter_mut().zip(&places) {
                // Number by number, which becomes a few vectors; `map` of an array this long would not.
                for (number, byte) in row.iter_mut().zip(&free[place as usize]) {
                    *number = byte.cast_signed();
                }
            }
        }
        let (biases, output_weights) = stages.as_chunks::<WIDTH>().0.split_at(N_STAGES);
        Some(Network {
            rows,
            start,
            biases: biases.to_vec(),
            output_weights: output_weights.to_vec(),
        })
    }

    /// The network's part of a position's value, in 1/128 disc; `stage` must be below [`N_STAGES`].
    #[inline(always)]
    pub fn forward(&self, stage: usize, counts: &[usize; N_COUNTS], features: &Features) -> i32 {
        let rows = self.rows[self.start..].as_chunks::<WIDTH>().0;
        let start = const { phases() }[stage] * N_ROWS;
        let table = |start: usize| &rows[start..].as_chunks::<REACH>().0[0];
        let (first, second) = active(counts, features);
        let mut sums = self.biases[stage];
        add_rows(&mut sums, table(start), &first);
        add_rows(&mut sums, table(start + N_FIRST_ROWS), &second);
        output(&sums, &self.output_weights[stage])
    }
}

/// The output layer: clipped squares times output weights. By itself, because compilers take this loop apart among other code.
#[inline(never)]
fn output(sums: &Accumulator, output_weights: &Accumulator) -> i32 {
    let mut value = 0;
    for lane in 0..WIDTH {
        let limited = sums[lane].clamp(0, QA) << SHIFT;
        let square = ((i32::from(limited) * i32::from(limited)) >> 16) as i16;
        value += i32::from(square) * i32::from(output_weights[lane]);
    }
    value >> DOWN
}

#[inline(always)]
fn add_rows<const N: usize>(sums: &mut Accumulator, table: &[Row; REACH], rows: &[u16; N]) {
    let (groups, rest) = rows.as_chunks::<GROUP>();
    for group in groups {
        add_group(sums, table, group);
    }
    add_group(sums, table, rest);
}

/// Adds up to [`GROUP`] rows in bytes, which takes half the work, before their sum is added to `sums`.
#[inline(always)]
fn add_group(sums: &mut Accumulator, table: &[Row; REACH], rows: &[u16]) {
    let mut bytes = [0_i8; WIDTH];
    for &row in rows {
        let row = &table[usize::from(row)];
        for lane in 0..WIDTH {
            bytes[lane] = bytes[lane].wrapping_add(row[lane]);
        }
    }
    for lane in 0..WIDTH {
        sums[lane] = sums[lane].wrapping_add(i16::from(bytes[lane]));
    }
}

/// The phases of all stages.
const fn phases() -> [usize; N_STAGES] {
    let mut phases = [0; N_STAGES];
    let mut stage = 0;
    while stage < N_STAGES {
        phases[stage] = phase(stage);
        stage += 1;
    }
    phases
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::board::symmetry::transform_board;
    use crate::board::tests::random_game;
    use crate::evaluation::patterns::counts;
    use crate::evaluation::stages::stage;
    use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

    fn n_numbers() -> usize {
        n_row_numbers() + N_STAGE_NUMBERS
    }

    /// A network of numbers as files keep them.
    fn network(numbers: &[i16]) -> Option<Network> {
        let (rows, stages) = numbers.split_at(numbers.len() - N_STAGE_NUMBERS);
        let rows: Vec<u8> = rows.iter().map(|number| number.to_le_bytes()[0]).collect();
        is_bounded(numbers).then(|| Network::new(&rows, stages)).flatten()
    }

    fn random_numbers() -> Vec<i16> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let n = n_numbers();
        let ones = n - WIDTH * N_STAGES;
        let mut number = |index| {
            let size: f32 = if index < ones { 0.15 * f32::from(QA) } else { 3.0 * QB };
            let unit = (random.next_u64() >> 40) as f32 / (1 << 23) as f32 - 1.0;
            (size * unit) as i16
        };
        (0..n).map(&mut number).collect()
    }

    #[test]
    fn values_follow_the_definition() {
        let numbers = random_numbers();
        let network = network(&numbers).unwrap();
        let (places, n_free) = free_rows();
        let floats: Vec<f32> = numbers.iter().copied().map(f32::from).collect();
        let floats: Vec<f32> = unscale(&floats).collect();
        let rows = floats.as_chunks::<WIDTH>().0;
        let mut largest = 0_f32;
        for board in random_game(1) {
            let (features, counts) = (Features::new(board), counts(board));
            let stage = stage(board.n_empties());
            let mut sums = rows[N_PHASES * n_free + stage];
            for row in active_rows(&counts, &features) {
                let row = rows[phase(stage) * n_free + places[row] as usize];
                sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
            }
            let output_weights = rows[N_PHASES * n_free + N_STAGES + stage];
            let square = |sum: f32| sum.clamp(0.0, 1.0).powi(2);
            let expected: f32 = sums
                .into_iter()
                .zip(output_weights)
                .map(|(sum, weight)| square(sum) * weight)
                .sum();
            let value = network.forward(stage, &counts, &features) as f32 / 128.0;
            assert!((value - expected).abs() < 0.05, "{value} {expected} {board:?}");
            largest = largest.max(value.abs());
        }
        assert!(largest > 1.0);
    }

    #[test]
    fn symmetric_boards_have_the_same_value() {
        let network = network(&random_numbers()).unwrap();
        let value = |board: Board| {
            network.forward(stage(board.n_empties()), &counts(board), &Features::new(board))
        };
        for board in random_game(2).into_iter().step_by(7) {
            assert!((1..8).all(|k| value(transform_board(board, k)) == value(board)), "{board:?}");
        }
    }

    #[test]
    fn numbers_that_could_overflow_are_refused() {
        let n_rows = n_row_numbers();
        for (index, number) in [(0, 128), (n_rows - 1, -128), (n_rows, MAX_BIAS + 1)] {
            let mut numbers = vec![0; n_numbers()];
            numbers[index] = number;
            assert!(network(&numbers).is_none(), "{index} {number}");
        }
        // The largest sums there are.
        let mut numbers = vec![MAX_WEIGHT; n_numbers()];
        let (biases, output_weights) = numbers[n_rows..].split_at_mut(WIDTH * N_STAGES);
        biases.fill(MAX_BIAS);
        output_weights.fill(1);
        let network = network(&numbers).unwrap();
        let value = |board| network.forward(stage(60), &counts(board), &Features::new(board));
        assert_eq!(value(Board::START), (WIDTH as i32 * MAX_SQUARE as i32) >> DOWN);
    }

    #[test]
    fn other_lengths_are_refused() {
        assert!(network(&vec![0; n_numbers()]).is_some());
        assert!(network(&vec![0; n_numbers() - WIDTH]).is_none());
        let rows = vec![0; n_row_numbers()];
        assert!(Network::new(&rows, &[0; N_STAGE_NUMBERS - WIDTH]).is_none());
    }

    #[test]
    fn numbers_come_back() {
        let rows = (0..n_row_numbers()).map(|index| (index % 7) as f32 / 14.0 - 0.21);
        let biases = (0..WIDTH * N_STAGES).map(|index| (index % 7) as f32 / 10.0 - 0.3);
        let output_weights = (0..WIDTH * N_STAGES).map(|index| index as f32 / 100.0 - 4.0);
        let numbers = scale(rows.clone(), biases.clone(), output_weights.clone());
        for (number, expected) in unscale(&numbers).zip(rows.chain(biases).chain(output_weights)) {
            assert!((number - expected).abs() < 1e-5, "{number} {expected}");
        }
        // What is too large becomes the largest number there is.
        let numbers = scale([9.0; 9].into_iter(), [-999.0].into_iter(), [1.0].into_iter());
        assert_eq!(numbers[8..], [f32::from(MAX_WEIGHT), f32::from(-MAX_BIAS), 64.0]);
    }
}
