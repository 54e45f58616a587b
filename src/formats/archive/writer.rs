//! Writes games in any format.

use super::{Entry, Format, year};
use crate::formats::obf::{self, Problem};
use crate::formats::wthor::{self, Header, Labels, NameKind, Names};
use crate::formats::{ggf, sgf, transcript};

/// Why a game cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// WTHOR supports only games from the standard start.
    #[error("WTHOR supports only games from the standard start")]
    Start,
    /// More names than a WTHOR list can hold.
    #[error("a WTHOR list holds at most 65,535 names")]
    Names,
    /// WTHOR is not a text format.
    #[error("WTHOR is a binary format")]
    NoText,
}

/// Writes a game with line ends in any format but WTHOR ([`WthorWriter`]). OBF gets a position per move, with the move in a comment.
pub fn write(format: Format, entry: &Entry) -> Result<String, WriteError> {
    let game = &entry.game;
    let text = match format {
        Format::Ggf => ggf::write(game, &entry.headers),
        Format::Sgf => sgf::write(game, &entry.headers),
        Format::Transcript => match transcript::write(game) {
            // An empty line would not be a game.
            moves if moves.is_empty() => game.start().to_string(),
            moves => moves,
        },
        Format::Obf if game.plies().is_empty() => {
            obf::write(&Problem { position: game.start(), scores: entry.scores.clone() })
        }
        Format::Obf => {
            let moves = game.plies().iter().filter(|ply| ply.mv.square().is_some());
            let lines = moves.map(|ply| {
                let problem = Problem { position: ply.before, scores: Vec::new() };
                format!("{} % game {}, {}", obf::write(&problem), entry.number, ply.mv)
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        Format::Wthor => return Err(WriteError::NoText),
    };
    Ok(text + "\n")
}

/// Collects games for a WTHOR file and the names for the two files that go with it.
#[derive(Debug)]
pub struct WthorWriter {
    header: Header,
    lists: [Names; 2],
    records: Vec<u8>,
}

impl WthorWriter {
    /// A file without games, made on a day: century, year, month, day.
    pub fn new(created: [u8; 4]) -> WthorWriter {
        let list = |kind| Names::new(kind, created);
        WthorWriter {
            header: Header { created, ..Header::default() },
            lists: [list(NameKind::Players), list(NameKind::Tournaments)],
            records: Vec::new(),
        }
    }

    /// A file with the header and lists of another one.
    pub fn continuing(header: Header, [players, tournaments]: [Option<&Names>; 2]) -> WthorWriter {
        let mut writer = WthorWriter::new(header.created);
        writer.header = header;
        if let Some(players) = players {
            writer.lists[0] = players.clone();
        }
        if let Some(tournaments) = tournaments {
            writer.lists[1] = tournaments.clone();
        }
        writer
    }

    /// Adds a game, and its names to the lists if new. An unfinished game without a known result is scored by its final position.
    pub fn add(&mut self, entry: &Entry) -> Result<(), WriteError> {
        let labels = self.labels(entry)?;
        self.push(entry, labels)
    }

    /// Adds a game by its own numbers, if it has any; they must refer to these lists.
    pub fn add_numbered(&mut self, entry: &Entry) -> Result<(), WriteError> {
        match entry.labels {
            Some(labels) => self.push(entry, labels),
            None => self.add(entry),
        }
    }

    fn push(&mut self, entry: &Entry, labels: Labels) -> Result<(), WriteError> {
        let record = wthor::write(&entry.game, labels).ok_or(WriteError::Start)?;
        // A file has one year: that of its first game.
        if self.is_empty() && self.header.year == 0 {
            self.header.year = year(&entry.headers.date).unwrap_or_default();
        }
        self.records.extend(record);
        Ok(())
    }

    fn labels(&mut self, entry: &Entry) -> Result<Labels, WriteError> {
        let headers = &entry.headers;
        let [players, tournaments] = &mut self.lists;
        let mut player = |name: &str| players.number(name).ok_or(WriteError::Names);
        let result = headers.result.discs(&entry.game).map(|score| score as i32);
        // A game that was given up is lost by all discs.
        let result = result.or(headers.result.winner().map(|winner| 64 * winner.sign()));
        let black_discs = result.map_or_else(|| wthor::standing(&entry.game), wthor::black_discs);
        Ok(Labels {
            tournament: tournaments.number(headers.tournament()).ok_or(WriteError::Names)?,
            players: [player(&headers.names[0])?, player(&headers.names[1])?],
            black_discs: entry.labels.map_or(black_discs, |labels| labels.black_discs),
            theoretical: entry.labels.map_or(black_discs, |labels| labels.theoretical),
        })
    }

    /// The year of all games; 0 if it is unknown.
    pub const fn year(&self) -> u16 {
        self.header.year
    }

    /// Number of games.
    pub fn len(&self) -> usize {
        self.records.len() / wthor::GAME
    }

    /// Whether there is no game.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The file of games.
    pub fn games(&self) -> Vec<u8> {
        let mut file = self.header.to_bytes(self.len() as u32).to_vec();
        file.extend(&self.records);
        file
    }

    /// The lists of players and of tournaments.
    pub const fn lists(&self) -> &[Names; 2] {
        &self.lists
    }
}
