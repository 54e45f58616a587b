//! Games and positions to go on with.

use super::{assert_contains, plain};
use crate::harness::Folder;

#[test]
fn a_game_or_a_position_is_gone_on_with() {
    let folder = Folder::new("play-on");
    let file = folder.write("a.sgf", "(;GM[2];B[fe];W[df];B[cc])");
    let people = ["--black", "human", "--white", "human"];
    for game in [file.as_str(), "f5d6c3"] {
        let output = plain(&[&people[..], &[game]].concat(), "d3\nq\n").success();
        assert_contains(&output.stdout, "Turn 2: White to move|White plays d3");
    }
    let position = format!("{}OX------XO{} O", "-".repeat(27), "-".repeat(27));
    for start in [&["--from", &position][..], &[&position]] {
        let output = plain(&[&people[..], start].concat(), "q\n").success();
        assert_contains(&output.stdout, "White to move");
    }
    // Who plays is that of the file, if nothing else is said; but a file starts no program.
    for (black, words) in
        [("engine:strength=5", "White plays d3|Black plays"), ("cmd=touch x", "it is White's turn")]
    {
        let text = format!("(;GM[2]PB[{black}]PW[human];B[fe];W[df];B[cc])");
        let output = plain(&[&folder.write("b.sgf", &text)], "d3\nq\n").success();
        assert_contains(&output.stdout, words);
    }
    let empty = format!("X{}X", "-".repeat(63));
    for (arguments, status, words) in [
        (&["f5d6x9"][..], 1, "no file 'f5d6x9', and no game"),
        (&["/no/such/game.ggf"], 1, "/no/such/game.ggf"),
        (&["--from", "XO"], 2, "64 cells"),
        (&["--from", &empty], 1, "a center square is empty"),
    ] {
        let output = plain(arguments, "q\n");
        assert_eq!(output.status, Some(status), "{output:?}");
        assert!(output.stderr.contains(words) && output.stdout.is_empty(), "{output:?}");
    }
}
