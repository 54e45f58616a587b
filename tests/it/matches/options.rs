//! The options of `match`: what each changes in the games.

use std::fs;

use serde_json::Value;

use super::games;
use crate::harness::{Folder, output};

const EVENT: &str =
    "match --player random --player greedy --games 4 --openings list.txt --out event";

#[test]
fn options_change_the_openings_the_moves_and_the_end_as_they_say() {
    let folder = Folder::new("options");
    folder.write("list.txt", "f5d6\nf5f4\nf5f6\n");
    let play = |options: &str| -> Vec<Value> {
        output(folder.command(&format!("{EVENT} {options}")), b"").success();
        let mut games = games(&folder.join("event"));
        games.sort_by_key(|game| game["id"].as_u64());
        fs::remove_dir_all(folder.join("event")).unwrap();
        games
    };
    let usual = play("");
    let moves = |game: &Value| game["moves"].as_str().unwrap().to_owned();
    for (options, openings, has_other_moves) in [
        ("", "f5d6 f5d6 f5f4 f5f4", false),
        ("--concurrency 2", "f5d6 f5d6 f5f4 f5f4", false),
        ("--seed 2", "f5d6 f5d6 f5f4 f5f4", true),
        ("--shuffle --seed 2", "f5f6 f5f6 f5d6 f5d6", true),
        ("--shuffle --seed 3", "f5f4 f5f4 f5f6 f5f6", true),
        ("--opening-plies 1", "f5 f5 f5 f5", true),
        // A pair stays together.
        ("--shard 1/2", "f5d6 f5d6", false),
        ("--shard 2/2", "f5f4 f5f4", false),
        ("--stop-at-empties 50 --judge-depth 1", "f5d6=10 f5d6=10 f5f4=10 f5f4=10", false),
    ] {
        let games = play(options);
        let opening = |game: &Value| match game["opening"].as_str().unwrap() {
            opening if game["end"] == "played" => opening.to_owned(),
            opening => format!("{opening}={}", game["times"].as_array().unwrap().len()),
        };
        assert_eq!(games.iter().map(opening).collect::<Vec<_>>().join(" "), openings, "{options}");
        let is_other = |game: &Value| {
            let usual = usual.iter().find(|usual| usual["id"] == game["id"]).unwrap();
            !moves(usual).starts_with(&moves(game))
        };
        assert_eq!(games.iter().any(is_other), has_other_moves, "{options}");
    }
}
