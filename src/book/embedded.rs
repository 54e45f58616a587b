//! The opening book that is part of the program.

use std::sync::Arc;

use super::Book;

/// The book in the packed form, made by `scripts/embed_book.sh`.
const PACKED: &[u8] = include_bytes!("book.bin");

impl Book {
    /// The book that is part of the program; the first look-up unpacks it, which takes some 75 ms (see [`Book::prepare`]).
    pub fn embedded() -> Arc<Book> {
        Arc::new(Book::packed(PACKED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_book_is_sound() {
        let positions = Book::unpack(PACKED).expect("it has been made by book export").len();
        assert_eq!(Book::embedded().len(), positions);
    }
}
