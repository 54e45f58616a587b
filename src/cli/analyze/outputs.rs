//! The files that an analysis writes: games with values, and pages.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::Arguments;
use crate::analyze::{
    INDEX, Judged, Settings, ggf, html, index, index_row, obf, page_files, page_name, sgf,
};
use crate::book::openings::Openings;
use crate::cli::{existing, left_out_of, warn};
use crate::files::games::STANDARD;
use crate::files::replace::{Existing, NewFile, check_writable, resolve};
use crate::formats::archive::{Entry, Format, Lost, lost};
use crate::formats::obf::Problem;

/// Files for one game, or for all games of a collection.
pub(super) struct Outputs {
    ggf: Option<NewFile>,
    sgf: Option<NewFile>,
    obf: Option<NewFile>,
    pages: Option<Pages>,
    existing: Existing,
    effort: String,
    /// What the games lose in these formats, and how many of them.
    losses: BTreeMap<(&'static str, Lost), usize>,
}

enum Pages {
    One(PathBuf),
    /// A folder, the title of its index, a row a game, and the numbers of the games.
    Folder {
        path: PathBuf,
        title: String,
        rows: Vec<String>,
        games: Vec<usize>,
    },
}

impl Outputs {
    /// `title` is that of the collection.
    pub(super) fn open(
        arguments: &Arguments,
        settings: Settings,
        title: &str,
    ) -> anyhow::Result<Outputs> {
        let existing = existing(arguments.force);
        let Arguments { ggf, sgf, obf, html, .. } = arguments;
        let named = [ggf, sgf, obf, html].into_iter().flatten();
        let mut paths: Vec<PathBuf> = arguments.files.iter().map(|path| resolve(path)).collect();
        for path in named {
            ensure!(path.as_os_str() != STANDARD, "--ggf, --sgf, --obf and --html need names");
            let path = resolve(path);
            ensure!(!paths.contains(&path), "{} is named twice", path.display());
            paths.push(path);
        }
        let create = |path: &Option<PathBuf>| {
            path.as_ref().map(|path| NewFile::create(path, existing)).transpose()
        };
        let pages = match html.clone() {
            // One page for all files, which is written at the end.
            Some(_) if arguments.summary => None,
            Some(path) if arguments.batch => {
                ensure!(!path.is_file(), "{} is no folder for pages", path.display());
                fs::create_dir_all(&path)
                    .with_context(|| format!("cannot make the folder {}", path.display()))?;
                check_writable(&path.join(INDEX), existing)?;
                for (name, text) in page_files(&[]) {
                    NewFile::save(&path.join(name), existing, text.as_bytes())?;
                }
                let title = Path::new(title).file_name().unwrap_or_default();
                let title = title.to_string_lossy().into_owned();
                Some(Pages::Folder { path, title, rows: Vec::new(), games: Vec::new() })
            }
            Some(path) => {
                check_writable(&path, existing)?;
                Some(Pages::One(path))
            }
            None => None,
        };
        Ok(Outputs {
            ggf: create(ggf)?,
            sgf: create(sgf)?,
            obf: create(obf)?,
            pages,
            existing,
            effort: settings.in_words(),
            losses: BTreeMap::new(),
        })
    }

    pub(super) fn add(
        &mut self,
        entry: &Entry,
        judged: &[Judged],
        problems: &[Problem],
        openings: &Openings,
    ) -> anyhow::Result<()> {
        let (game, headers) = (&entry.game, &entry.headers);
        for (format, is_written) in
            [(Format::Ggf, self.ggf.is_some()), (Format::Sgf, self.sgf.is_some())]
        {
            // Values are those of the analysis.
            for kind in lost(format, entry).filter(|&kind| is_written && kind != Lost::Values) {
                *self.losses.entry((format.name(), kind)).or_default() += 1;
            }
        }
        if let Some(file) = &mut self.ggf {
            writeln!(file, "{}", ggf(game, headers, judged))?;
        }
        if let Some(file) = &mut self.sgf {
            writeln!(file, "{}", sgf(game, headers, judged))?;
        }
        if let Some(file) = &mut self.obf {
            problems.iter().try_for_each(|problem| writeln!(file, "{}", obf(entry, problem)))?;
        }
        let Some(pages) = &mut self.pages else { return Ok(()) };
        let opening = openings.of(game).map(|opening| opening.0);
        let (path, number) = match pages {
            Pages::One(path) => (path.clone(), None),
            Pages::Folder { path, rows, games, .. } => {
                rows.push(index_row(entry, opening, judged));
                games.push(entry.number);
                (path.join(page_name(entry.number)), Some(entry.number))
            }
        };
        let page = html(game, headers, opening, judged, &self.effort, number);
        NewFile::save(&path, self.existing, page.as_bytes())
    }

    pub(super) fn finish(self) -> anyhow::Result<()> {
        for ((format, kind), games) in self.losses {
            warn(&left_out_of(format, kind, games));
        }
        for file in [self.ggf, self.sgf, self.obf].into_iter().flatten() {
            file.finish()?;
        }
        if let Some(Pages::Folder { path, title, rows, games }) = self.pages {
            for (name, text) in page_files(&games) {
                NewFile::save(&path.join(name), Existing::Replace, text.as_bytes())?;
            }
            let page = index(&title, &rows, &self.effort);
            NewFile::save(&path.join(INDEX), self.existing, page.as_bytes())?;
        }
        Ok(())
    }
}
