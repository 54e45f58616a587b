//! Files of games as moves and values, in blocks with checksums.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `OTHGAM01` |
//! | 4 | length of the settings |
//! | 8 | checksum of the settings (FNV-1a, 64 bits), little-endian as all numbers |
//! | *n* | the settings that the games follow from, a JSON object; `exact` says up to how many empty squares values are proven |
//!
//! Then the blocks, of [`GAMES`] games each:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | number of the block; its games have the numbers from [`GAMES`] times that on |
//! | 4 | length of the games |
//! | 4 | number of positions |
//! | 8 | checksum of these numbers and of the games |
//! | *n* | the games, see [`played`](super::played) |
//!
//! A game follows from the settings and its number. So files with the same settings and different blocks are shards of one file:
//! that has all blocks in the order of their numbers. An incomplete block at the end is being written, or was cut by a kill.

use std::io::{self, ErrorKind, Read};

use serde_json::Value;

use super::played::Played;
use crate::support::checksum::{Checksum, checksum};

/// Games of a block.
pub const GAMES: u64 = 32;

const MAGIC: &[u8; 8] = b"OTHGAM01";

/// Blocks and settings are short; longer ones are damage.
const LONGEST: u32 = 1 << 20;

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum GamesError {
    /// It begins otherwise.
    #[error("not a file of games with values")]
    Foreign,
    /// The settings at its head are damaged or incomplete.
    #[error("the head of the file is damaged")]
    Head,
    /// A block is damaged.
    #[error("block {0} of the file, from byte {1} on, is damaged")]
    Block(u64, u64),
    /// The system cannot read it.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// A block of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its number.
    pub number: u64,
    /// The games with the numbers from [`GAMES`] times that on.
    pub games: Vec<Played>,
}

/// Whether a file with these first bytes is one of games with values.
pub fn is_games(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The head of a file.
pub fn head(settings: &Value) -> Vec<u8> {
    let text = settings.to_string();
    let mut bytes = MAGIC.to_vec();
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(checksum(text.as_bytes()).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

impl Block {
    /// The bytes of the block.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut content = Vec::new();
        self.games.iter().for_each(|game| game.encode(&mut content));
        let positions: usize = self.games.iter().map(Played::n_positions).sum();
        let mut bytes = self.number.to_le_bytes().to_vec();
        bytes.extend((content.len() as u32).to_le_bytes());
        bytes.extend((positions as u32).to_le_bytes());
        bytes.extend(sum_of(&bytes, &content).to_le_bytes());
        bytes.extend(content);
        bytes
    }
}

fn sum_of(head: &[u8], content: &[u8]) -> u64 {
    let mut sum = Checksum::new();
    sum.add(head);
    sum.add(content);
    sum.value()
}

/// Reads a file block by block.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    /// The settings at the head of the file.
    pub settings: Value,
    /// Bytes of the head and of the blocks read.
    pub offset: u64,
    n_blocks: u64,
}

/// The bytes of a block, sound but for their contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raw {
    /// Number of the block.
    pub number: u64,
    /// Number of its positions.
    pub positions: u32,
    content: Vec<u8>,
}

impl<R: Read> Reader<R> {
    /// Reads the head.
    ///
    /// # Errors
    /// If it is foreign, damaged or incomplete, or cannot be read.
    pub fn new(mut input: R) -> Result<Reader<R>, GamesError> {
        let mut fixed = [0; 20];
        let n = read(&mut input, &mut fixed)?;
        if !is_games(&fixed) {
            return Err(GamesError::Foreign);
        }
        let length = number(&fixed[8..12]) as u32;
        if n < fixed.len() || length > LONGEST {
            return Err(GamesError::Head);
        }
        let mut text = vec![0; length as usize];
        if read(&mut input, &mut text)? < text.len() || checksum(&text) != number(&fixed[12..20]) {
            return Err(GamesError::Head);
        }
        let settings = serde_json::from_slice(&text).map_err(|_| GamesError::Head)?;
        let offset = (fixed.len() + text.len()) as u64;
        Ok(Reader { input, settings, offset, n_blocks: 0 })
    }

    /// Up to how many empty squares values are proven.
    pub fn exact(&self) -> u32 {
        self.settings["exact"].as_u64().unwrap_or(0) as u32
    }

    /// The next block, its games still packed; `None` at the end of the file or at an incomplete block.
    ///
    /// # Errors
    /// If the block is damaged or cannot be read.
    pub fn next_raw(&mut self) -> Result<Option<Raw>, GamesError> {
        let damaged = GamesError::Block(self.n_blocks + 1, self.offset);
        let mut fixed = [0; 24];
        if read(&mut self.input, &mut fixed)? < fixed.len() {
            return Ok(None);
        }
        let length = number(&fixed[8..12]) as u32;
        if length > LONGEST {
            return Err(damaged);
        }
        let mut content = vec![0; length as usize];
        if read(&mut self.input, &mut content)? < content.len() {
            return Ok(None);
        }
        if sum_of(&fixed[..16], &content) != number(&fixed[16..24]) {
            return Err(damaged);
        }
        self.offset += (fixed.len() + content.len()) as u64;
        self.n_blocks += 1;
        let positions = number(&fixed[12..16]) as u32;
        Ok(Some(Raw { number: number(&fixed[..8]), positions, content }))
    }

    /// The next block; `None` at the end of the file or at an incomplete block.
    ///
    /// # Errors
    /// If the block is damaged or cannot be read.
    pub fn next_block(&mut self) -> Result<Option<Block>, GamesError> {
        let offset = self.offset;
        let Some(raw) = self.next_raw()? else { return Ok(None) };
        let damaged = GamesError::Block(self.n_blocks, offset);
        let mut rest = &raw.content[..];
        let mut games = Vec::new();
        while !rest.is_empty() {
            match Played::decode(&mut rest) {
                Some(game) => games.push(game),
                None => return Err(damaged),
            }
        }
        Ok(Some(Block { number: raw.number, games }))
    }
}

/// Number of positions in a file of games.
///
/// # Errors
/// If it is none, or damaged.
pub fn n_positions(input: impl Read) -> Result<u64, GamesError> {
    let mut reader = Reader::new(input)?;
    let mut sum = 0;
    while let Some(raw) = reader.next_raw()? {
        sum += u64::from(raw.positions);
    }
    Ok(sum)
}

/// Fills `bytes` as far as the input goes; returns how far that is.
fn read(input: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut n = 0;
    while n < bytes.len() {
        match input.read(&mut bytes[n..]) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(n)
}

/// A number of up to eight bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::super::played::tests::random_game;
    use super::*;
    use serde_json::json;

    fn block(number: u64) -> Block {
        Block { number, games: (0..3).map(|index| random_game(10 * number + index)).collect() }
    }

    fn file() -> Vec<u8> {
        let blocks = [block(4), block(6), block(8)].map(|block| block.to_bytes()).concat();
        [head(&json!({ "exact": 12, "seed": 7 })), blocks].concat()
    }

    fn blocks(bytes: &[u8]) -> Result<Vec<Block>, GamesError> {
        let mut reader = Reader::new(bytes)?;
        let mut blocks = Vec::new();
        while let Some(block) = reader.next_block()? {
            blocks.push(block);
        }
        Ok(blocks)
    }

    #[test]
    fn blocks_come_back() {
        let bytes = file();
        assert_eq!(blocks(&bytes).unwrap(), [block(4), block(6), block(8)]);
        let mut reader = Reader::new(&bytes[..]).unwrap();
        assert_eq!((reader.settings["seed"].as_u64(), reader.exact()), (Some(7), 12));
        let raw = reader.next_raw().unwrap().unwrap();
        let n: usize = block(4).games.iter().map(Played::n_positions).sum();
        assert_eq!((raw.number, raw.positions as usize), (4, n));
        while reader.next_raw().unwrap().is_some() {}
        assert_eq!(reader.offset, bytes.len() as u64);
    }

    #[test]
    fn a_cut_block_is_not_read_and_a_damaged_byte_is_found() {
        let bytes = file();
        let head = head(&json!({ "exact": 12, "seed": 7 })).len();
        let first = head + block(4).to_bytes().len();
        for end in [head, first - 1, first, first + 10, bytes.len() - 1] {
            let n = blocks(&bytes[..end]).unwrap().len();
            assert_eq!(n, usize::from(end >= first) + usize::from(end == bytes.len() - 1));
        }
        for end in [8, 15, head - 1] {
            assert!(matches!(blocks(&bytes[..end]), Err(GamesError::Head)), "{end}");
        }
        assert!(matches!(blocks(&bytes[..7]), Err(GamesError::Foreign)));
        assert!(matches!(blocks(b"RIFF....WAVE...................."), Err(GamesError::Foreign)));
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 4;
            match blocks(&bytes) {
                // A length that grew looks like a block cut by a kill.
                Ok(blocks) => assert!(at >= head && blocks.len() < 3, "byte {at}"),
                Err(GamesError::Foreign) => assert!(at < 8),
                Err(GamesError::Head) => assert!((8..head).contains(&at)),
                Err(GamesError::Block(number, _)) => {
                    assert_eq!(number == 1, (head..first).contains(&at), "byte {at}");
                }
                Err(GamesError::System(error)) => panic!("{error}"),
            }
        }
    }
}
