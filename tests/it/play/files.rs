//! Saving and loading games.

use std::fs;

use super::{assert_contains, plain};
use crate::harness::Folder;

#[test]
fn games_are_saved_and_loaded_and_files_kept() {
    let folder = Folder::new("play-files");
    for name in ["game.ggf", "game.sgf", "game.txt"] {
        let path = folder.file(name);
        let script = format!("f5\nd6\nsave {path}\nc3\nsave {path}\nmaybe\nn\nq\n");
        let output = plain(&["--black", "human"], &script).success().stdout;
        assert_contains(&output, "saved to|exists. Overwrite it?|exists. Overwrite it?");
        let script = format!("load {path}\nc3\nsave {path}\ny\nload {path}\nmoves\nq\n");
        let output = plain(&["--black", "human"], &script).success().stdout;
        assert_contains(&output, "loaded, 2 moves|saved to|loaded, 3 moves|3. Black  c3");
    }
    let bad = folder.file("bad.ggf");
    fs::write(&bad, "f5f5").unwrap();
    let script = format!("f5\nload {bad}\nload {bad}.none\nsave\nsave /nonexistent/x\nd6\nq\n");
    let output = plain(&["--black", "human"], &script).success().stdout;
    assert_contains(
        &output,
        "cannot load|illegal|cannot load|needs a file|cannot save|White plays d6",
    );
}

#[test]
fn a_command_is_no_answer_to_the_question_for_overwriting() {
    let folder = Folder::new("play-kept");
    let path = folder.file("kept.txt");
    let script =
        format!("f5\nsave {path}\nd6\nsave {path}\nc3\nsave {path}\nyes\nload {path}\nq\n");
    let output = plain(&["--black", "human", "--white", "human"], &script).success().stdout;
    assert_contains(&output, "saved to|White plays d6|Black plays c3|loaded, 3 moves");
}
