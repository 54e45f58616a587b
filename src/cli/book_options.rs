//! The options that choose an opening book.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::number;

use crate::book::Book;
use crate::book::learner::Learner;
use crate::bookmaking::{Student, Terms};
use crate::evaluation::Source;
use crate::files;

/// The fewest empty squares of positions that are learned, as in `book add`.
const LEARN_UNTIL: u32 = 24;

#[derive(Clone, Debug, Args)]
pub(super) struct BookOptions {
    /// Use the opening book in this file [default: the program's own]
    #[arg(long, value_name = "FILE", overrides_with = "no_book")]
    book: Option<PathBuf>,
    /// Use no opening book
    #[arg(long, overrides_with = "book")]
    no_book: bool,
}

#[derive(Clone, Debug, Args)]
pub(super) struct LearnOptions {
    /// Add finished games to the opening book in this file, and search what they leave open
    #[arg(long, value_name = "FILE")]
    learn: Option<PathBuf>,
    /// Search for --learn D plies deep
    #[arg(long, value_name = "D", default_value_t = 20, requires = "learn", value_parser = number(1u32, 40))]
    learn_depth: u32,
}

impl LearnOptions {
    pub fn path(&self) -> Option<&Path> {
        self.learn.as_deref()
    }

    /// Opens the book for writing, or makes it; an empty book takes over the contents of `first`.
    pub fn open(
        &self,
        evaluation: Source,
        first: Option<&Book>,
    ) -> anyhow::Result<Option<Arc<dyn Learner>>> {
        let Some(path) = &self.learn else { return Ok(None) };
        let terms = Terms { evaluation, depth: self.learn_depth, least_empties: LEARN_UNTIL };
        Ok(Some(Arc::new(Student::open(path, terms, first)?)))
    }
}

impl BookOptions {
    /// Whether no book may be used, even if another option names one.
    pub const fn forbids(&self) -> bool {
        self.no_book
    }

    pub const fn is_named(&self) -> bool {
        self.book.is_some()
    }

    /// Identifies the book: the checksum of its files, or `embedded`; `None` without a book.
    pub fn name(&self) -> anyhow::Result<Option<String>> {
        Ok(match &self.book {
            _ if self.no_book => None,
            Some(path) => Some(files::book::checksum(path)?.to_string()),
            None => Some("embedded".into()),
        })
    }

    /// The book of the file, else the one that is part of the program; `None` if none is wanted.
    pub fn open(&self) -> anyhow::Result<Option<Arc<Book>>> {
        match &self.book {
            _ if self.no_book => Ok(None),
            Some(path) => files::book::open(path).map(Arc::new).map(Some),
            None => Ok(Some(Book::embedded())),
        }
    }
}
