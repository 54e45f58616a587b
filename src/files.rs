//! Files on disk: opening books, repertoires, games in any format, files that are whole or absent, and files that grow.

pub mod book;
pub mod contents;
pub mod games;
pub mod growing;
mod lock;
pub mod repertoire;
pub mod replace;
