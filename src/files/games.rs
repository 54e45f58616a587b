//! Files of games, whatever their format.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};
use encoding_rs::Encoding;

use super::contents::check_unpacked;
use super::folder_of;
use crate::board::Square;
use crate::formats::archive::{Entry, EntryError, Format, Reader, recognize};
use crate::formats::wthor::{NameKind, Names};
use crate::formats::{diagram, transcript};
use crate::game::Game;
use crate::support::text::{counted, nearest};

/// Standard input or output.
pub const STANDARD: &str = "-";

/// File stems of the name lists that serve all WTHOR files of a folder.
const WTHOR_LISTS: [&str; 2] = ["wth", "wthor"];

/// Reads a file, or standard input for `-`.
pub fn read_bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path.as_os_str() != STANDARD {
        return fs::read(path)
            .map_err(|error| anyhow!("cannot read {}: {error}{}", path.display(), beside(path)));
    }
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
    Ok(bytes)
}

/// A hint if a file is not there, but one of a like name is.
fn beside(path: &Path) -> String {
    let (false, Ok(entries)) = (path.exists(), fs::read_dir(folder_of(path))) else {
        return String::new();
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names: Vec<String> = names.collect();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    nearest(&name, names.iter().map(String::as_str))
}

pub fn encoding(text: &str) -> Result<&'static Encoding, String> {
    Encoding::for_label(text.as_bytes())
        .ok_or_else(|| "expected an encoding such as utf-8, latin1, shift_jis or euc-jp".into())
}

pub fn format_of(path: &Path) -> Option<Format> {
    Format::from_extension(path.extension()?.to_str()?)
}

/// A file of games in memory.
#[derive(Debug)]
pub struct GameFile {
    /// For messages.
    pub name: String,
    pub format: Format,
    bytes: Vec<u8>,
    /// Of a WTHOR file: players and tournaments.
    lists: [Option<Names>; 2],
    bad_lists: Vec<String>,
}

/// How files begin that hold no games as text, and what they are.
const OTHERS: [(&[u8], &str); 4] = [
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive or a document of an office program"),
    (b"\x89PNG", "a picture"),
    (b"\x7fELF", "a program"),
];

impl GameFile {
    /// `-` is standard input. Without a format the content decides, then the extension; without an encoding, what the file declares.
    pub fn read(
        path: &Path,
        format: Option<Format>,
        encoding: Option<&'static Encoding>,
    ) -> anyhow::Result<GameFile> {
        let is_standard = path.as_os_str() == STANDARD;
        let name = if is_standard { "standard input".into() } else { path.display().to_string() };
        let bytes = read_bytes(path)?;
        check_unpacked(path, &bytes)?;
        let kind = OTHERS.iter().find(|(mark, _)| bytes.starts_with(mark));
        if let (None, Some((_, kind))) = (format, kind) {
            bail!("{name} is {kind}; copy the moves in it into a text file");
        }
        let (format, bytes) = recognize(bytes, format, encoding);
        if format.is_none()
            && let Some(drawn) = diagram::read(&bytes)
        {
            let expected = "expected 8 rows of 8 cells and a line such as 'X to move'";
            let position = drawn.map_err(|error| anyhow!("{name}: {error}; {expected}"))?;
            return Ok(GameFile::of(name, position.to_string().into(), Format::Obf));
        }
        let format = format.or_else(|| format_of(path)).unwrap_or(Format::Transcript);
        let mut file = GameFile::of(name, bytes, format);
        if file.format == Format::Wthor && !is_standard {
            (file.lists, file.bad_lists) = wthor_lists(path, encoding);
        }
        Ok(file)
    }

    /// As [`GameFile::read`], but a path that does not exist may be a game itself: a list of moves, or a position.
    pub fn read_argument(
        path: &Path,
        format: Option<Format>,
        encoding: Option<&'static Encoding>,
    ) -> anyhow::Result<GameFile> {
        if path.as_os_str() != STANDARD
            && !path.exists()
            && let Some(text) = path.to_str().filter(|text| !text.is_empty())
        {
            match transcript::read(text.as_bytes()) {
                Ok(_) => {
                    let name = "the game".into();
                    return Ok(GameFile::of(name, text.into(), Format::Transcript));
                }
                Err(error) if looks_like_moves(text) => {
                    bail!("no file '{text}', and no game: {error}")
                }
                Err(_) => {}
            }
        }
        GameFile::read(path, format, encoding)
    }

    /// A file's contents.
    pub fn of(name: String, bytes: Vec<u8>, format: Format) -> GameFile {
        GameFile { name, format, bytes, lists: [None, None], bad_lists: Vec::new() }
    }

    pub fn games(&self) -> anyhow::Result<Reader<'_>> {
        Reader::new(self.format, &self.bytes, self.lists()).with_context(|| self.name.clone())
    }

    /// Its legal games. WTHOR files hold games that were broken off with an illegal move: `tell` hears how many are left out.
    pub fn legal_games(&self, tell: impl Fn(&str)) -> anyhow::Result<Vec<Game>> {
        let (mut games, mut n_illegal) = (Vec::new(), 0);
        for entry in self.games()? {
            match entry {
                Ok(entry) => games.push(entry.game),
                Err(EntryError { accepted: Some(_), .. }) if self.format == Format::Wthor => {
                    n_illegal += 1
                }
                Err(error) => bail!("{}: {error}", self.name),
            }
        }
        let illegal = counted(n_illegal, "illegal game", "illegal games");
        ensure!(!games.is_empty() || n_illegal == 0, "{}: only {illegal}", self.name);
        ensure!(!games.is_empty(), "{}: no games found", self.name);
        if n_illegal > 0 {
            tell(&format!("{}: {illegal} left out", self.name));
        }
        Ok(games)
    }

    /// The positions of a file that holds no games, in whatever format, one a line as in OBF; of OBF and lists the lines themselves.
    pub fn positions(&self) -> anyhow::Result<Cow<'_, [u8]>> {
        // Whoever reads their lines finds the bad ones too.
        let has_lines = matches!(self.format, Format::Obf | Format::Transcript);
        let mut text = String::new();
        for entry in self.games()?.filter(|entry| !has_lines || entry.is_ok()) {
            let Entry { number, game, .. } = entry.with_context(|| self.name.clone())?;
            ensure!(game.plies().is_empty(), "{}: game {number} has moves", self.name);
            text += &format!("{}\n", game.position());
        }
        let is_some = self.format == Format::Obf || !text.is_empty();
        ensure!(is_some, "{}: no positions in it (read as {})", self.name, self.format);
        Ok(if has_lines { self.bytes().into() } else { text.into_bytes().into() })
    }

    /// Decoded for text formats, unchanged for WTHOR.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A message if a WTHOR file's names are lost, because it has no list of players or tournaments beside it.
    pub fn missing_names(&self) -> Option<String> {
        if !self.bad_lists.is_empty() {
            return Some(format!("{}: without names: {}", self.name, self.bad_lists.join("; ")));
        }
        let kinds = [NameKind::Players, NameKind::Tournaments].into_iter().zip(&self.lists);
        let missing: Vec<String> = kinds
            .filter(|(_, list)| self.format == Format::Wthor && list.is_none())
            .map(|(kind, _)| format!(".{}", kind.extension()))
            .collect();
        (!missing.is_empty()).then(|| {
            format!(
                "{}: without the names of a {} file: there is none of its name, WTH or WTHOR beside it",
                self.name,
                missing.join(" and ")
            )
        })
    }

    pub fn lists(&self) -> [Option<&Names>; 2] {
        self.lists.each_ref().map(Option::as_ref)
    }
}

/// Whether a text begins like a game and not like the name of a file. A blank stands before a position.
pub fn looks_like_moves(text: &str) -> bool {
    let begins = text.as_bytes().get(..2).and_then(Square::parse).is_some();
    text.starts_with(' ') || begins && !text.contains(['/', '\\', '.'])
}

/// The name lists beside a WTHOR file: of the same stem, or those for a whole folder, in letters of either case.
fn wthor_lists(
    path: &Path,
    encoding: Option<&'static Encoding>,
) -> ([Option<Names>; 2], Vec<String>) {
    let own = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let mut files: Vec<PathBuf> = match fs::read_dir(folder_of(path)) {
        Ok(entries) => entries.filter_map(Result::ok).map(|entry| entry.path()).collect(),
        Err(_) => Vec::new(),
    };
    files.sort();
    let mut bad = Vec::new();
    let mut find = |kind: NameKind| {
        let named = |stem: &str| {
            files.iter().find(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
                name == format!("{stem}.{}", kind.extension())
            })
        };
        let stems = [own.as_str()].into_iter().chain(WTHOR_LISTS);
        let path = stems.filter_map(named).next()?;
        let file = fs::read(path).map_err(|error| error.to_string());
        let names = file
            .and_then(|file| Names::read(kind, &file, encoding).map_err(|error| error.to_string()));
        names.map_err(|error| bad.push(format!("{}: {error}", path.display()))).ok()
    };
    ([find(NameKind::Players), find(NameKind::Tournaments)], bad)
}
