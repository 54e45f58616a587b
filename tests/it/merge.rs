//! `othellier merge`: the shards of a job, merged, are what one run makes.

use crate::harness::samples::{self, START, timeless};
use crate::harness::{Folder, run};

#[test]
fn rows_are_merged_into_what_one_run_prints() {
    let folder = Folder::new("merge");
    let games = &folder.write("games.txt", samples::games(9));
    let positions = samples::positions(3);
    let endings =
        format!("{};\n", "XOOOOOOOXXXOOOXOXXOXXOXOXOXXXXXOXXXOOXXOXXXXXXX-XXXXX---XXXXXX-- X");
    let endings = &folder.write("endings.obf", endings.repeat(5) + START);
    for (job, input) in [
        (&["analyze", "--batch", games][..], ""),
        (&["analyze", "--batch", "--lines", "2"], positions.as_str()),
        (&["solve", "--json", "--skip", "1", endings], ""),
    ] {
        let job = [job, &["--depth", "3", "--hash", "1"]].concat();
        let whole = timeless(&run(&job, input).stdout);
        let part = |k: usize, n: usize, more: &[&str]| {
            let output = run(&[&job, more, &["--shard", &format!("{k}/{n}")]].concat(), input);
            folder.write(&format!("{k}-of-{n}-{}", more.len()), output.stdout)
        };
        let zero = folder.file("zero.bin");
        run(&["weights", "zero", "--output", &zero], "").success();
        let [third, first, second] = [3, 1, 2].map(|k| part(k, 3, &[]));
        let merge = |parts: &[&String]| {
            let parts: Vec<&str> = parts.iter().map(|part| part.as_str()).collect();
            run(&[&["merge"][..], &parts].concat(), "")
        };
        let merged = merge(&[&third, &first, &second]).success();
        assert_eq!(timeless(&merged.stdout), whole, "{job:?}");
        // Merge into a file, then again with `--force`.
        let out = folder.file("merged");
        for more in [&[][..], &["--force"]] {
            let arguments = ["merge", &first, &second, &second, &third, "--output", &out];
            run(&[&arguments[..], more].concat(), "").success();
            assert_eq!(timeless(&folder.text("merged")), whole);
        }
        assert_eq!(run(&["merge", &first, "--output", &out], "").status, Some(1));
        let onto = ["merge", &first, &second, &third, "--force", "--output", &first];
        run(&onto, "").refuses(1, "both input and output");
        assert_eq!(timeless(&folder.text("merged")), whole, "a file that exists is kept");
        std::fs::remove_file(&out).unwrap();
        for (parts, words) in [
            (&[&first, &third][..], "shards are missing: 2/3"),
            (&[&first, &part(2, 4, &[]), &third], "do not belong together: shard 2/4 beside 1/3"),
            (&[&first, &second, &part(3, 3, &["--weights", &zero])], "evaluation \""),
            (&[&first, games], "is not a complete part of a job"),
        ] {
            let output = merge(parts);
            output.refuses(1, words);
        }
    }
    for arguments in [
        &["solve", endings, "--shard", "1/2"][..],
        &["analyze", "f5", "--shard", "1/2"],
        &["analyze", "--batch", "--shard", "3/2"],
    ] {
        assert_eq!(run(arguments, "").status, Some(2), "{arguments:?}");
    }
}

#[test]
fn parts_tell_the_book_they_asked() {
    let folder = Folder::new("merge-book");
    let games = &folder.write("games.txt", "f5d6c3\nf5d6c4\n");
    let effort = ["--depth", "2", "--hash", "1"];
    let [small, large] = ["8", "20"].map(|n_positions| {
        let book = folder.file(&format!("{n_positions}.othb"));
        let build = ["book", "build", &book, "--concurrency", "1", "--positions", n_positions];
        run(&[&build, &effort[..]].concat(), "").success();
        book
    });
    let analyze = |book: &str, more: &[&str]| {
        run(&[&["analyze", "--batch", games, "--book", book], &effort[..], more].concat(), "")
            .success()
            .stdout
    };
    let part =
        |name: &str, book, shard| folder.write(name, analyze(book, &["--shard", shard]).as_str());
    let [first, second] =
        [("1.jsonl", "1/2"), ("2.jsonl", "2/2")].map(|(name, shard)| part(name, &small, shard));
    let merged = run(&["merge", &first, &second], "").success();
    assert_eq!(timeless(&merged.stdout), timeless(&analyze(&small, &[])));
    let other = part("other.jsonl", &large, "2/2");
    run(&["merge", &first, &other], "").fails(1, "book");
}

#[test]
#[cfg(feature = "training")]
fn self_play_is_merged_into_what_one_run_makes() {
    let folder = Folder::new("merge-selfplay");
    // Words that end in `.bin` are files of the folder.
    let try_line = |line: &str| {
        let path = |word: &str| match word.ends_with(".bin") {
            true => folder.file(word),
            false => word.to_owned(),
        };
        let words: Vec<String> = line.split_whitespace().map(path).collect();
        run(&words.iter().map(String::as_str).collect::<Vec<_>>(), "")
    };
    let play = "selfplay --depth 1 --exact 6 --games 60 --concurrency 1 --nice 0 --output";
    try_line(&format!("{play} whole.bin")).success();
    for k in 1..=3 {
        try_line(&format!("{play} {k}.bin --shard {k}/3")).success();
    }
    let merge = "merge 3.bin 1.bin 2.bin --output merged.bin";
    try_line(merge).success();
    assert!(folder.read("merged.bin") == folder.read("whole.bin"));
    assert_eq!(try_line(merge).status, Some(1), "an existing file is kept");
    try_line(&format!("{merge} --force")).success();
    assert!(folder.read("merged.bin") == folder.read("whole.bin"));
    // The same with `--rescore`.
    let rescore = "selfplay --depth 2 --exact 8 --nice 0 --rescore whole.bin --output";
    try_line(&format!("{rescore} again.bin")).success();
    for k in 1..=2 {
        try_line(&format!("{rescore} again-{k}.bin --shard {k}/2")).success();
    }
    try_line("merge again-1.bin again-2.bin --output merged-again.bin").success();
    assert!(folder.read("merged-again.bin") == folder.read("again.bin"));
    // Files that do not belong together are refused and kept.
    let before = folder.read("1.bin");
    for (line, words) in [
        (format!("{play} 1.bin --shard 1/3 --seed 2"), "seed 2 beside 1"),
        (format!("{play} 1.bin --shard 2/3"), "1.bin holds shard 1/3"),
        (format!("{play} 1.bin"), "1.bin holds shard 1/3"),
        (format!("{play} whole.bin --shard 2/3"), "whole.bin is no shard"),
        ("merge 1.bin 2.bin --output x.bin".into(), "shards are missing: 3/3"),
        ("merge 1.bin again-2.bin --output x.bin".into(), "do not belong together"),
        ("merge 1.bin whole.bin --output x.bin".into(), "whole.bin.part is missing"),
    ] {
        let output = try_line(&line);
        output.fails(1, words);
    }
    assert!(folder.read("1.bin") == before && !folder.join("x.bin").exists());
    assert_eq!(try_line("merge 1.bin 2.bin 3.bin").status, Some(2));
}
