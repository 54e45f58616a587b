//! The lists of names that go with WTHOR games.

use std::collections::HashMap;

use encoding_rs::Encoding;

use super::{HEADER, WthorError};

/// The kind of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// Players (`.jou`).
    Players,
    /// Tournaments (`.trn`).
    Tournaments,
}

impl NameKind {
    /// Bytes of a name, the zero at its end included.
    pub(super) const fn width(self) -> usize {
        match self {
            NameKind::Players => 20,
            NameKind::Tournaments => 26,
        }
    }

    /// Whether a name can be written whole.
    pub fn holds(self, name: &str) -> bool {
        let name = name.trim();
        name.chars().all(is_latin1) && name.chars().count() < self.width()
    }

    /// Extension of its files.
    pub const fn extension(self) -> &'static str {
        match self {
            NameKind::Players => "jou",
            NameKind::Tournaments => "trn",
        }
    }
}

fn is_latin1(symbol: char) -> bool {
    matches!(u32::from(symbol), 0x20..=0x7e | 0xa0..=0xff)
}

/// The name for unknown entries, which comes first in every list.
const UNKNOWN: &str = "???";

/// A list of players or tournaments, numbered from 0.
#[derive(Clone, Debug)]
pub struct Names {
    kind: NameKind,
    /// When the file was made: century, year, month, day.
    created: [u8; 4],
    names: Vec<String>,
    numbers: HashMap<String, u16>,
}

impl PartialEq for Names {
    fn eq(&self, other: &Names) -> bool {
        (self.kind, &self.names) == (other.kind, &other.names)
    }
}

impl Names {
    /// An empty list.
    pub fn new(kind: NameKind, created: [u8; 4]) -> Names {
        let mut names = Names { kind, created, names: Vec::new(), numbers: HashMap::new() };
        names.push(UNKNOWN.into());
        names
    }

    /// Reads a file; names are Latin-1 unless another encoding is given. Fails if the file is shorter than its header says.
    pub fn read(
        kind: NameKind,
        file: &[u8],
        encoding: Option<&'static Encoding>,
    ) -> Result<Names, WthorError> {
        let (header, rest) = file.split_first_chunk::<HEADER>().ok_or(WthorError::Header)?;
        let expected = usize::from(u16::from_le_bytes([header[8], header[9]]));
        let found = rest.len() / kind.width();
        if found < expected {
            return Err(WthorError::Names { expected, found });
        }
        let created = [header[0], header[1], header[2], header[3]];
        let mut names = Names { kind, created, names: Vec::new(), numbers: HashMap::new() };
        for field in rest.chunks_exact(kind.width()).take(expected) {
            let text = field.split(|&byte| byte == 0).next().unwrap_or_default();
            names.push(match encoding {
                Some(encoding) => encoding.decode_without_bom_handling(text).0.into_owned(),
                None => text.iter().map(|&byte| char::from(byte)).collect(),
            });
        }
        Ok(names)
    }

    fn push(&mut self, name: String) {
        let number = self.names.len() as u16;
        self.numbers.entry(name.clone()).or_insert(number);
        self.names.push(name);
    }

    /// A name by its number; `None` if it is unknown.
    pub fn get(&self, number: u16) -> Option<&str> {
        let name = self.names.get(usize::from(number))?;
        (name != UNKNOWN).then_some(name)
    }

    /// The number of names, the unknown one included.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// The number of a name, added if new, unless there are too many. Letters beyond Latin-1 become question marks, long names are cut.
    pub fn number(&mut self, name: &str) -> Option<u16> {
        let writable = |symbol| if is_latin1(symbol) { symbol } else { '?' };
        let name: String = name.trim().chars().map(writable).take(self.kind.width() - 1).collect();
        let name = if name.is_empty() { UNKNOWN.into() } else { name };
        if let Some(&number) = self.numbers.get(&name) {
            return Some(number);
        }
        let number = u16::try_from(self.names.len()).ok().filter(|&number| number < u16::MAX)?;
        self.push(name);
        Some(number)
    }

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = vec![0; HEADER];
        file[..4].copy_from_slice(&self.created);
        file[8..10].copy_from_slice(&(self.names.len() as u16).to_le_bytes());
        for name in &self.names {
            let end = file.len() + self.kind.width();
            // All characters are Latin-1, so their code points are their bytes.
            file.extend(name.chars().map(|symbol| symbol as u8));
            file.resize(end, 0);
        }
        file
    }
}
