//! The options that choose an opening book.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::book::Book;
use crate::files;

/// Options of the commands that use a book.
#[derive(Clone, Debug, Args)]
pub(super) struct BookOptions {
    /// Use the opening book in this file [default: the one that is part of the program, if there is one]
    #[arg(long, value_name = "FILE", overrides_with = "no_book")]
    book: Option<PathBuf>,
    /// Use no opening book
    #[arg(long, overrides_with = "book")]
    no_book: bool,
}

impl BookOptions {
    /// Whether no book may be used, whatever else names one.
    pub const fn forbids(&self) -> bool {
        self.no_book
    }

    /// Whether a file is named.
    pub const fn is_named(&self) -> bool {
        self.book.is_some()
    }

    /// The book of the file, else the one that is part of the program, if there is one.
    ///
    /// # Errors
    /// If it cannot be used.
    pub fn open(&self) -> anyhow::Result<Option<Arc<Book>>> {
        match &self.book {
            _ if self.no_book => Ok(None),
            Some(path) => files::book::open(path).map(Arc::new).map(Some),
            None => Ok(Book::embedded()),
        }
    }
}
