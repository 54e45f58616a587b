//! The weights of the trained evaluation, and the bytes they are kept in.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `OTHWTS` and the version of this layout, two digits |
//! | 8 | checksum of all that follows (FNV-1a, 64 bits), little-endian as all numbers |
//! | 4 | fingerprint of shapes and stages: weights fit only the patterns they were made for |
//! | 32 | error model: base, empties, shallow, growth (`f64`) |
//! | 4 + n | length and text of the training record, JSON for people and tools |
//! | 4 | bytes of the weights when unpacked |
//! | rest | packed (zstd): feature weights of the [`network`], a byte a number; then the low bytes of the other numbers, then their high bytes |
//!
//! The other numbers have 16 bits: the weights in 1/128 disc, knot after knot, then biases and output weights of the network.
//!
//! Only the free weights of some knots are kept, first for even plies, then for odd ones, because what squares are
//! worth depends on who is to have the last move; the stages between two knots are interpolated.

use super::ErrorModel;
use super::network::{self, Network};
use super::patterns::{
    N_COUNT_VALUES, N_COUNTS, N_INSTANCES, N_WEIGHTS, SHAPES, free_weights, n_free_weights,
};
use super::stages::{self, N_KNOTS, N_STAGES};
use crate::support::checksum::checksum;
use crate::support::memory::prefer_large_pages;

const MAGIC: &[u8; 8] = b"OTHWTS02";

/// The first bytes of files of all versions.
pub const KIND: &[u8] = b"OTHWTS";

/// The evaluation: weights ready for use.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// [`N_WEIGHTS`] for each stage.
    stages: Vec<i16>,
    /// The network, whose output is added to the sum of weights.
    pub(super) network: Network,
    /// How far shallow searches with these weights are from deep ones.
    pub error_model: ErrorModel,
}

/// Why bytes are no weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// The bytes do not begin as a weights file does.
    #[error("not a weights file of othellier")]
    Foreign,
    /// The layout has another version.
    #[error("the weights file has an unsupported version")]
    Version,
    /// The checksum is wrong or bytes are missing.
    #[error("the weights file is damaged")]
    Damaged,
    /// They were made for other patterns.
    #[error("the weights were trained for other patterns")]
    Patterns,
    /// Some numbers are beyond what a search can reckon with.
    #[error("the weights file holds invalid numbers")]
    Numbers,
}

/// The parts of a weights file.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// How far shallow searches are from deep ones.
    pub error_model: ErrorModel,
    /// How the weights were made, as JSON.
    pub record: String,
    /// The free weights of each knot in 1/128 disc, [`N_KNOTS`] times as many as [`free_weights`] counts, then the numbers of
    /// the [`network`]; [`n_numbers`] in all.
    pub numbers: Vec<i16>,
}

/// Number of weights in a weights file, whose numbers begin with them.
pub fn n_weights() -> usize {
    N_KNOTS * n_free_weights()
}

/// Number of all numbers in a weights file.
pub fn n_numbers() -> usize {
    n_weights() + network::n_row_numbers() + network::N_STAGE_NUMBERS
}

/// The error model of weights on which nothing was measured.
pub const UNMEASURED: ErrorModel =
    ErrorModel { base: 1.952, empties: -0.0268, shallow: -0.0814, growth: 0.3626 };

impl File {
    /// Weights of zero, to which every position is even, as the first generation of a training plays.
    pub fn zero() -> File {
        File { error_model: UNMEASURED, record: "{}".into(), numbers: vec![0; n_numbers()] }
    }

    /// The bytes of a file, and the checksum in them. Packs quickly.
    pub fn pack(&self) -> (Vec<u8>, u64) {
        self.pack_by(|plain| {
            let level = structured_zstd::encoding::CompressionLevel::Fastest;
            structured_zstd::encoding::compress_to_vec(plain, level)
        })
    }

    /// The bytes of a file, and the checksum in them; `compress` makes a zstd frame.
    pub fn pack_by(&self, compress: impl FnOnce(&[u8]) -> Vec<u8>) -> (Vec<u8>, u64) {
        let (weights, rest) = self.numbers.split_at(n_weights());
        let (rows, stages) = rest.split_at(rest.len() - network::N_STAGE_NUMBERS);
        let bytes = |byte: usize| {
            weights.iter().chain(stages).map(move |number| number.to_le_bytes()[byte])
        };
        let rows = rows.iter().map(|number| number.to_le_bytes()[0]);
        let plain: Vec<u8> = rows.chain(bytes(0)).chain(bytes(1)).collect();
        let packed = compress(&plain);
        let mut body = fingerprint().to_le_bytes().to_vec();
        let ErrorModel { base, empties, shallow, growth } = self.error_model;
        for number in [base, empties, shallow, growth] {
            body.extend(number.to_le_bytes());
        }
        body.extend((self.record.len() as u32).to_le_bytes());
        body.extend(self.record.as_bytes());
        body.extend((plain.len() as u32).to_le_bytes());
        body.extend(packed);
        let checksum = checksum(&body);
        let bytes = [MAGIC.as_slice(), &checksum.to_le_bytes(), &body].concat();
        (bytes, checksum)
    }

    /// Reads a file's bytes; [`Evaluation::new`] makes the result ready for use.
    pub fn unpack(bytes: &[u8]) -> Result<File, WeightsError> {
        let Unpacked { error_model, record, rows, weights, stages } = Unpacked::read(bytes)?;
        let rows: Vec<i16> = rows.iter().map(|&byte| i16::from(byte.cast_signed())).collect();
        let numbers = [&weights[..], &rows, &stages].concat();
        if !network::is_bounded(&numbers[weights.len()..]) {
            return Err(WeightsError::Numbers);
        }
        Ok(File { error_model, record, numbers })
    }
}

/// A weights file whose rows are bytes still, as they were packed.
struct Unpacked {
    error_model: ErrorModel,
    record: String,
    rows: Vec<u8>,
    weights: Vec<i16>,
    /// The numbers of the stages, which follow the rows in a file.
    stages: Vec<i16>,
}

impl Unpacked {
    fn read(bytes: &[u8]) -> Result<Unpacked, WeightsError> {
        let mut rest = bytes;
        let magic: [u8; 8] = take(&mut rest).ok_or(WeightsError::Foreign)?;
        if !magic.starts_with(KIND) {
            return Err(WeightsError::Foreign);
        }
        if magic != *MAGIC {
            return Err(WeightsError::Version);
        }
        Unpacked::read_body(rest)
    }

    fn read_body(bytes: &[u8]) -> Result<Unpacked, WeightsError> {
        const DAMAGED: WeightsError = WeightsError::Damaged;
        let mut rest = bytes;
        let expected = u64::from_le_bytes(take(&mut rest).ok_or(DAMAGED)?);
        if checksum(rest) != expected {
            return Err(DAMAGED);
        }
        if u32::from_le_bytes(take(&mut rest).ok_or(DAMAGED)?) != fingerprint() {
            return Err(WeightsError::Patterns);
        }
        let mut number = || take(&mut rest).map(f64::from_le_bytes).ok_or(DAMAGED);
        let error_model = ErrorModel {
            base: number()?,
            empties: number()?,
            shallow: number()?,
            growth: number()?,
        };
        let length = u32::from_le_bytes(take(&mut rest).ok_or(DAMAGED)?) as usize;
        let (record, after) = rest.split_at_checked(length).ok_or(DAMAGED)?;
        rest = after;
        let record = String::from_utf8(record.to_vec()).map_err(|_| DAMAGED)?;
        let length = u32::from_le_bytes(take(&mut rest).ok_or(DAMAGED)?) as usize;
        let (n_weights, n_rows) = (n_weights(), network::n_row_numbers());
        if length != n_rows + 2 * (n_weights + network::N_STAGE_NUMBERS) {
            return Err(WeightsError::Patterns);
        }
        let mut rows = unpack_block(rest, length).ok_or(DAMAGED)?;
        if !error_model.is_usable() {
            return Err(WeightsError::Numbers);
        }
        let (low, high) = rows[n_rows..].split_at(n_weights + network::N_STAGE_NUMBERS);
        let numbers = low.iter().zip(high).map(|(&low, &high)| i16::from_le_bytes([low, high]));
        let mut weights: Vec<i16> = numbers.collect();
        let stages = weights.split_off(n_weights);
        rows.truncate(n_rows);
        Ok(Unpacked { error_model, record, rows, weights, stages })
    }
}

fn unpack_block(packed: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut decoder = structured_zstd::decoding::FrameDecoder::new();
    let mut plain = vec![0; length];
    prefer_large_pages(&plain);
    let written = decoder.decode_all(packed, &mut plain).ok()?;
    (written == length).then_some(plain)
}

impl Evaluation {
    /// Lays out the weights of a file for use; fails if a file that was made, not read, has another number of weights than the patterns
    /// need or too large ones.
    pub fn new(file: &File) -> Result<Evaluation, WeightsError> {
        if file.numbers.len() != n_numbers() {
            return Err(WeightsError::Patterns);
        }
        let (knots, network) = file.numbers.split_at(n_weights());
        if !network::is_bounded(network) {
            return Err(WeightsError::Numbers);
        }
        let (rows, stages) = network.split_at(network.len() - network::N_STAGE_NUMBERS);
        let rows: Vec<u8> = rows.iter().map(|number| number.to_le_bytes()[0]).collect();
        Evaluation::lay_out(file.error_model, knots, &rows, stages)
    }

    /// Weights of a file's bytes; fails as [`File::unpack`] does.
    pub fn decode(bytes: &[u8]) -> Result<Evaluation, WeightsError> {
        // Not by way of a file, whose numbers would be many times the memory that stays.
        let Unpacked { error_model, rows, weights, stages, .. } = Unpacked::read(bytes)?;
        Evaluation::lay_out(error_model, &weights, &rows, &stages)
    }

    fn lay_out(
        error_model: ErrorModel,
        knots: &[i16],
        rows: &[u8],
        of_stages: &[i16],
    ) -> Result<Evaluation, WeightsError> {
        let network = Network::new(rows, of_stages).ok_or(WeightsError::Numbers)?;
        let mut stages = vec![0; N_STAGES * N_WEIGHTS];
        prefer_large_pages(&stages);
        let mut knots = Knots::new(knots);
        // Parity by parity, because successive stages of one parity lie between the same two knots or the next two.
        for parity in 0..2 {
            let all = stages.as_chunks_mut::<N_WEIGHTS>().0.iter_mut().enumerate();
            for (stage, weights) in all.skip(parity).step_by(2) {
                let (knot, share) = stages::knots(stage);
                knots.lay_out(knot);
                if share == 0.0 {
                    weights.copy_from_slice(knots.weights(knot));
                    continue;
                }
                knots.lay_out(knot + 1);
                let between = knots.weights(knot).iter().zip(knots.weights(knot + 1));
                for (weight, (&first, &second)) in weights.iter_mut().zip(between) {
                    let (first, second) = (f32::from(first), f32::from(second));
                    *weight = (first + share * (second - first)).round() as i16;
                }
            }
        }
        Ok(Evaluation { stages, network, error_model })
    }

    /// The weights of a stage, which must be below [`N_STAGES`].
    #[inline(always)]
    pub(super) fn stage(&self, stage: usize) -> &[i16; N_WEIGHTS] {
        &self.stages.as_chunks().0[stage]
    }
}

/// The knots of a file. At most one even and one odd knot at a time are laid out as stages are.
struct Knots<'a> {
    /// The free weights, knot after knot.
    free: &'a [i16],
    /// As [`free_weights`] gives them.
    numbers: Vec<u32>,
    n_free: usize,
    /// By parity of the knot: the one that is laid out, and its weights.
    laid_out: [(Option<usize>, Vec<i16>); 2],
}

impl Knots<'_> {
    fn new(free: &[i16]) -> Knots<'_> {
        let (numbers, n_free) = free_weights();
        Knots { free, numbers, n_free, laid_out: [const { (None, Vec::new()) }; 2] }
    }

    fn lay_out(&mut self, knot: usize) {
        let (held, weights) = &mut self.laid_out[knot % 2];
        if *held != Some(knot) {
            let free = &self.free[knot * self.n_free..][..self.n_free];
            weights.clear();
            weights.extend(self.numbers.iter().map(|&number| free[number as usize]));
            *held = Some(knot);
        }
    }

    /// Of the knot of this parity that was laid out last.
    fn weights(&self, knot: usize) -> &[i16] {
        &self.laid_out[knot % 2].1
    }
}

/// A number that changes with the shapes, their squares, the stages, the knots and the rows.
fn fingerprint() -> u32 {
    let mut text = format!("{N_STAGES} {N_KNOTS} {N_INSTANCES} {}", network::layout());
    // Only the squares matter; the wording is that of the first files, so that they stay readable.
    let (mut first_lane, mut offset) = (0, N_COUNTS * N_COUNT_VALUES);
    for shape in &SHAPES {
        let (n_squares, n_lanes) = (shape.n_squares, shape.n_lanes);
        let squares: Vec<String> = shape.padded_squares().iter().map(u8::to_string).collect();
        let squares = squares.join(", ");
        text += &format!(
            " Shape {{ squares: [{squares}], n_squares: {n_squares}, first_lane: {first_lane}, n_lanes: {n_lanes}, \
            offset: {offset} }}"
        );
        first_lane += n_lanes;
        offset += 3usize.pow(n_squares as u32);
    }
    let hash = checksum(text.as_bytes());
    (hash ^ hash >> 32) as u32
}

/// The checksum that a file's bytes carry, without a look at the rest; 0 if they are too short.
pub fn stored_checksum(bytes: &[u8]) -> u64 {
    let stored = bytes.get(MAGIC.len()..MAGIC.len() + 8).and_then(|bytes| bytes.try_into().ok());
    stored.map_or(0, u64::from_le_bytes)
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = bytes.split_first_chunk::<N>()?;
    *bytes = tail;
    Some(*head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::EMBEDDED;

    #[test]
    fn the_fingerprint_stays_as_long_as_the_layout() {
        // Every existing file carries this fingerprint. If the layout was changed on purpose, change it here.
        assert_eq!(fingerprint(), 0x19b9_9e5d);
        assert_eq!(EMBEDDED[16..20], fingerprint().to_le_bytes());
    }

    #[test]
    fn stages_lie_between_their_knots() {
        let mut numbers: Vec<i16> = (0..n_weights()).map(|n| (n * 7919 % 2001) as i16).collect();
        numbers.resize(n_numbers(), 0);
        let file = File { numbers, ..File::zero() };
        let weights = Evaluation::new(&file).unwrap();
        let (places, n_free) = free_weights();
        for stage in 0..N_STAGES {
            let (knot, share) = stages::knots(stage);
            for (index, &place) in places.iter().enumerate().step_by(97) {
                let number = |knot: usize| f32::from(file.numbers[knot * n_free + place as usize]);
                let expected = number(knot) + share * (number(knot + 1) - number(knot));
                let weight = f32::from(weights.stage(stage)[index]);
                assert_eq!(weight, expected.round(), "{stage} {index}");
            }
        }
    }

    #[test]
    fn what_is_read_can_be_used() {
        let usable = File::zero();
        let unpacked = |file: &File| File::unpack(&file.pack().0);
        assert_eq!(unpacked(&usable).as_ref(), Ok(&usable));
        assert!(Evaluation::new(&usable).is_ok());
        // The output weights, which come last.
        let mut file = usable.clone();
        let end = n_numbers() - network::WIDTH;
        file.numbers[end..].fill(i16::MAX);
        assert_eq!(unpacked(&file), Err(WeightsError::Numbers));
        assert_eq!(Evaluation::new(&file).unwrap_err(), WeightsError::Numbers);
        for base in [f64::NAN, f64::INFINITY, 800.0, -800.0] {
            let error_model = ErrorModel { base, ..usable.error_model };
            let file = File { error_model, ..usable.clone() };
            assert_eq!(unpacked(&file).unwrap_err(), WeightsError::Numbers, "{base}");
        }
        assert!(File::unpack(EMBEDDED).is_ok());
    }
}
