//! The opening book that is part of the program.

use std::sync::Arc;

use super::Book;

/// The book in the packed form, made by `scripts/embed_book.sh`.
const PACKED: Option<&[u8]> = Some(include_bytes!("book.bin"));

impl Book {
    /// The book that is part of the program, if there is one. It is unpacked when something is first looked up in it, which takes
    /// some 75 ms; see [`Book::prepare`].
    pub fn embedded() -> Option<Arc<Book>> {
        PACKED.map(Book::packed).map(Arc::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_book_is_sound() {
        if let Some(bytes) = PACKED {
            let positions = Book::unpack(bytes).expect("it has been made by book export").len();
            assert_eq!(Book::embedded().map(|book| book.len()), Some(positions));
        }
    }
}
