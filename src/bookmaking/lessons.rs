//! Learning from games as they are played.
//!
//! A game is counted and its positions are added at once. Then each position, from the last to the first, is searched for the best of the
//! moves that were not played, unless the book knows it: the lesson is what the loser should have played. (Searching the best alternatives
//! to the moves of finished games is Michael Buro's idea, "Toward Opening Book Learning", 1999.)

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::games::{belongs, outcome_index};
use super::seeker::Seeker;
use crate::board::Board;
use crate::board::symmetry::canonical;
use crate::book::growth::needs_search;
use crate::book::learner::Learner;
use crate::book::values;
use crate::book::wal::Change;
use crate::book::{Book, Entry, Leaf, fingerprint};
use crate::evaluation::Source;
use crate::files::book::{BookFile, Taken, read};
use crate::game::Game;
use crate::search::Stop;

/// Time for the lessons of a game: no search begins once they have taken so long.
const MAX_TIME: Duration = Duration::from_secs(60);

/// Of the table, in MiB.
const HASH: usize = 16;

/// A book that learns from games. Several processes can share its file: each locks it only for a change, and reads it again before.
#[derive(Debug)]
pub struct Student {
    terms: Terms,
    /// Locked for moments only, never while a search runs.
    state: Mutex<State>,
}

/// Which positions are searched, and how.
#[derive(Clone, Debug)]
pub struct Terms {
    pub evaluation: Source,
    /// Plies, see [`super::seeker::depth_for`].
    pub depth: u32,
    pub least_empties: u32,
}

#[derive(Debug)]
struct State {
    path: PathBuf,
    /// The book after the last change.
    book: Arc<Book>,
    lessons: VecDeque<Lesson>,
}

/// The positions of a game, the last one first, and what is left of its time.
#[derive(Debug)]
struct Lesson {
    boards: VecDeque<Board>,
    time: Duration,
}

impl Student {
    /// A student with the book at `path`, which is made if it is missing. An empty book starts with the contents of `first`.
    pub fn open(path: &Path, terms: Terms, first: Option<&Book>) -> anyhow::Result<Student> {
        let book = match BookFile::open(path) {
            Ok(mut file) => {
                if let Some(first) = first.filter(|_| file.book().is_empty()) {
                    file.replace(&first.sections()?)?;
                } else if file.is_long() {
                    // This derives all values anew, also of positions that lead to those of games by other ways.
                    file.compact()?;
                }
                file.into_book()
            }
            Err(error) => match read(path) {
                Ok(book) if error.is::<Taken>() => {
                    log::warn!("{error}");
                    book
                }
                _ => return Err(error),
            },
        };
        let state = State { path: path.into(), book: Arc::new(book), lessons: VecDeque::new() };
        Ok(Student { terms, state: Mutex::new(state) })
    }

    fn do_lessons(&self, stop: &Stop) -> anyhow::Result<()> {
        let mut seeker = Seeker::new(&self.terms.evaluation, HASH, stop)?;
        loop {
            let Some((board, question)) = self.state().next() else { return Ok(()) };
            let start = Instant::now();
            let mut found = None;
            if let Some(known) = question {
                if !stop.is_stopped() {
                    found = seeker.fact(board, known, self.terms.depth);
                }
                if found.is_none() && stop.is_stopped() {
                    return Ok(());
                }
            }
            self.state().learn(board, found, start.elapsed())?;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic leaves nothing half done: the journal is written before the memory.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self, game: &Game, least_empties: u32) -> anyhow::Result<()> {
        let print = fingerprint(game);
        if game.plies().is_empty() || self.book.has_game(print) {
            return Ok(());
        }
        let mut file = BookFile::open(&self.path)?;
        if file.book().has_game(print) {
            self.book = Arc::new(file.into_book());
            return Ok(());
        }
        let mut changes = vec![Change::Game(print)];
        let mut boards = VecDeque::new();
        for position in game.positions() {
            let board = canonical(position.board);
            if !belongs(board, least_empties) {
                continue;
            }
            let mut entry = file.book().find(board).unwrap_or(Entry::new(board));
            if let Some(result) = game.result() {
                let index = outcome_index(result * position.side.sign());
                entry.games[index] = entry.games[index].saturating_add(1);
            }
            changes.push(Change::Put(entry));
            boards.push_front(board);
        }
        file.change(&changes)?;
        file.sync()?;
        self.book = Arc::new(file.into_book());
        self.lessons.push_back(Lesson { boards, time: MAX_TIME });
        Ok(())
    }

    /// With the moves to leave out of its search if it needs one.
    fn next(&mut self) -> Option<(Board, Option<u64>)> {
        self.lessons.retain(|lesson| !lesson.boards.is_empty());
        let lesson = self.lessons.front()?;
        let board = *lesson.boards.front()?;
        let question = open_question(&self.book, board).filter(|_| !lesson.time.is_zero());
        Some((board, question))
    }

    /// Writes what was found in a position in a time, and goes on to the next one.
    fn learn(&mut self, board: Board, found: Option<Leaf>, time: Duration) -> anyhow::Result<()> {
        if renewed(&self.book, board, found).is_some() {
            let mut file = BookFile::open(&self.path)?;
            if let Some(entry) = renewed(file.book(), board, found) {
                file.change(&[Change::Put(entry)])?;
                file.sync()?;
            }
            self.book = Arc::new(file.into_book());
        }
        if let Some(lesson) = self.lessons.front_mut()
            && lesson.boards.front() == Some(&board)
        {
            lesson.time = lesson.time.saturating_sub(time);
            lesson.boards.pop_front();
        }
        Ok(())
    }
}

/// A position with the fact found and its value derived again, once the positions after it have their values; `None` if nothing changes.
fn renewed(book: &Book, board: Board, found: Option<Leaf>) -> Option<Entry> {
    let old = book.find(board)?;
    let entry = values::renewed(old, &book.links(board), |_| found);
    (entry != old).then_some(entry)
}

/// The moves to leave out of a search of a position, if it needs one.
fn open_question(book: &Book, board: Board) -> Option<u64> {
    // The positions after it may have changed its value.
    let entry = renewed(book, board, None).or_else(|| book.find(board))?;
    let linked = values::linked(&book.links(board));
    needs_search(&entry, linked).then_some(linked)
}

impl Learner for Student {
    fn take(&self, game: &Game) -> Result<(), String> {
        let taken = self.state().take(game, self.terms.least_empties);
        taken.map_err(|error| format!("{error:#}"))
    }

    fn has_lessons(&self) -> bool {
        !self.state().lessons.is_empty()
    }

    fn study(&self, stop: &Stop) -> Result<(), String> {
        self.do_lessons(stop).map_err(|error| {
            self.state().lessons.clear();
            format!("{error:#}")
        })
    }

    fn book(&self) -> Arc<Book> {
        Arc::clone(&self.state().book)
    }
}

#[cfg(test)]
mod tests {
    use super::super::games::game;
    use super::*;
    use crate::board::Board;
    use crate::support::folder::Folder;

    const GAME: &str = "e6f4e3f6g5d6e7f5c5";

    /// A student with a book of its own, and its folder.
    fn student(test: &str) -> (Student, Folder) {
        let folder = Folder::new(test);
        let terms = Terms { evaluation: Source::Embedded, depth: 2, least_empties: 24 };
        (Student::open(&folder.join("a.othb"), terms, None).unwrap(), folder)
    }

    #[test]
    fn a_game_is_there_at_once_and_its_lessons_after_study() {
        let (student, folder) = student("lessons");
        let game = game(GAME);
        assert_eq!(game.result(), Some(64));
        student.take(&game).unwrap();
        let on_disk = || read(&folder.join("a.othb")).unwrap();
        // A book holds no finished positions.
        assert_eq!((on_disk().len(), student.book().len()), (9, 9));
        let start = canonical(Board::START);
        assert_eq!(on_disk().find(start).map(|entry| entry.games), Some([1, 0, 0]));
        assert!(student.has_lessons() && on_disk().lines(start).is_empty());
        // A study that is stopped goes on later.
        let stopped = Stop::new();
        stopped.set();
        student.study(&stopped).unwrap();
        assert!(student.has_lessons());
        student.study(&Stop::new()).unwrap();
        assert!(!student.has_lessons());
        assert_eq!(student.book().sections(), on_disk().sections());
        for position in game.positions().filter(|position| !position.board.is_over()) {
            let book = on_disk();
            assert!(!book.lines(position.board).is_empty(), "{position:?}");
            assert_eq!(open_question(&book, canonical(position.board)), None);
            let entry = book.find(position.board).unwrap();
            let derived = values::derive(entry.board, entry.leaf, &book.links(entry.board));
            assert_eq!((entry.value, entry.lines), (derived.value, derived.lines));
        }
        // White's last move lost at once: the book knows a better move, and Black's winning reply.
        let before_last = game.plies()[7].before.board;
        let book = student.book();
        assert_ne!(book.lines(before_last)[0].mv(), game.plies()[7].mv);
        let last = game.plies()[8];
        assert_eq!(
            (book.lines(last.before.board)[0].mv(), book.lines(last.before.board)[0].score()),
            (last.mv, 64 * 128)
        );
    }

    #[test]
    fn games_are_taken_while_a_lesson_is_searched() {
        let (mut student, _folder) = student("lessons-meanwhile");
        // No search of this depth ends.
        student.terms.depth = 40;
        student.take(&game(GAME)).unwrap();
        student.terms.evaluation.load();
        let (stop, student) = (Stop::new(), &student);
        std::thread::scope(|scope| {
            let study = scope.spawn(|| student.study(&stop));
            std::thread::sleep(Duration::from_millis(200));
            stop.set_after(Duration::from_secs(60));
            student.take(&game("f5d6c3d3c4")).unwrap();
            assert!(!stop.is_stopped() && student.has_lessons(), "it waited for the search");
            stop.set();
            study.join().unwrap().unwrap();
        });
        assert_eq!(student.state().lessons.len(), 2);
    }

    #[test]
    fn a_game_counts_once() {
        let (student, _folder) = student("lessons-once");
        // The second one is the first one turned.
        for moves in [GAME, "f5d6c5f6e7f4g5e6e3", GAME, "", "f5d6c3"] {
            student.take(&game(moves)).unwrap();
        }
        let start = student.book().find(Board::START).unwrap();
        // An unfinished game counts for no side.
        assert_eq!(start.games, [1, 0, 0]);
        // White is to move there, and has lost.
        let replied = student.book().find(game("e6").position().board).unwrap();
        assert_eq!(replied.games, [0, 0, 1]);
        assert_eq!(student.state().lessons.len(), 2);
    }

    #[test]
    fn a_long_journal_is_merged_at_the_start() {
        let (student, folder) = student("lessons-long");
        let path = folder.join("a.othb");
        // A change takes some 50 bytes.
        for (n, is_merged) in [(1000, false), (150_000, true)] {
            let changes = vec![Change::Put(Entry::new(Board::START)); n];
            BookFile::open(&path).unwrap().change(&changes).unwrap();
            let late = Student::open(&path, student.terms.clone(), None).unwrap();
            assert_eq!(late.book().n_changes() == 0, is_merged, "{n}");
        }
    }

    #[test]
    fn several_learn_in_one_book_and_wait_for_each_other() {
        let (student, folder) = student("lessons-together");
        let path = folder.join("a.othb");
        let other = Student::open(&path, student.terms.clone(), None).unwrap();
        student.take(&game(GAME)).unwrap();
        other.take(&game("f5d6c3d3c4")).unwrap();
        // The same game is no new one for the other.
        other.take(&game(GAME)).unwrap();
        for learner in [&other, &student] {
            learner.study(&Stop::new()).unwrap();
        }
        let book = read(&path).unwrap();
        assert_eq!(book.find(Board::START).unwrap().games, [1, 0, 0]);
        for position in game(GAME).positions().filter(|position| !position.board.is_over()) {
            assert!(!book.lines(position.board).is_empty());
        }
        // While another process writes, a student still opens, and a game that cannot be taken is reported.
        let writer = BookFile::open(&path).unwrap();
        let late = Student::open(&path, student.terms.clone(), None).unwrap();
        assert_eq!(late.book().len(), book.len());
        assert!(late.take(&game("f5f4")).unwrap_err().contains("is being written"));
        drop(writer);
        late.take(&game("f5f4")).unwrap();
    }
}
