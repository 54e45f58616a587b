//! A GTP engine for tests that answers everything properly until it is asked for a move, and then does what its first argument
//! names. It knows no rules, so its proper moves are those of a game against nobody: it is only good for faults. `tell` repeats what
//! it is told, on the error output or at the end of the file that its second argument names, and speaks NBoard as well.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "plays an engine"
)]

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio, exit};
use std::thread::sleep;
use std::time::Duration;

/// Longer than any test.
const FOREVER: Duration = Duration::from_secs(1000);

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let fault = arguments.next().unwrap_or_default();
    let file = arguments.next();
    match fault.as_str() {
        "hang-at-start" => sleep(FOREVER),
        "exit-at-start" => return Ok(()),
        "broken-at-start" => {
            eprintln!("libfoo.so is missing");
            exit(3);
        }
        "zeros-at-start" => return flood(&[0; 4096]),
        // What another fault starts: holds a lock for as long as it lives, and says when it has it.
        "hold" => {
            let lock = file.as_ref().map(File::create).transpose()?;
            lock.as_ref().map_or(Ok(()), File::lock)?;
            say("held\n")?;
            sleep(FOREVER);
        }
        _ => {}
    }
    for line in io::stdin().lines() {
        let line = line?;
        if fault == "tell" {
            match &file {
                Some(file) => {
                    writeln!(File::options().append(true).create(true).open(file)?, "{line}")?
                }
                None => eprintln!("{line}"),
            }
        }
        let (command, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match command {
            "name" => say("= fake\n\n")?,
            "list_commands" if fault == "tell" => say("= set_level\ntime_settings\ntime_left\n\n")?,
            "list_commands" => {
                say("= name\nlist_commands\nboardsize\nclear_board\nplay\ngenmove\nquit\n\n")?;
            }
            "boardsize" | "clear_board" | "play" | "set_level" | "time_settings" | "time_left" => {
                say("= \n\n")?;
            }
            "ping" => say(&format!("pong {rest}\n"))?,
            "go" => say("=== A1\n")?,
            "genmove" => genmove(&fault, file.as_deref())?,
            "quit" => {
                if fault == "illegal" {
                    sleep(FOREVER);
                }
                return say("= \n\n");
            }
            _ => say("? unknown command\n\n")?,
        }
    }
    Ok(())
}

/// Does what is asked for instead of a move.
fn genmove(fault: &str, file: Option<&str>) -> io::Result<()> {
    match fault {
        "illegal" | "tell" => say("= A1\n\n"),
        "once" => {
            eprintln!("moved");
            say("= D3\n\n")
        }
        "leave" => {
            sleep(Duration::from_millis(300));
            exit(0);
        }
        "resign" => {
            sleep(Duration::from_millis(300));
            say("= resign\n\n")
        }
        "crash" => std::process::abort(),
        "status" => exit(3),
        "exit" => exit(0),
        "stall" => {
            eprintln!("thinking");
            sleep(FOREVER);
            Ok(())
        }
        "late" => {
            sleep(Duration::from_secs(1));
            say("= D3\n\n")
        }
        "refuse" => say("? cannot move\n\n"),
        "nonsense" => say("= banana\n\n"),
        "no-sign" => say("D3\n\n"),
        "half" => {
            say("= D")?;
            sleep(FOREVER);
            Ok(())
        }
        "binary" => write(b"\xff\xfe\x00\x01\n\n"),
        "zeros" => flood(&[0; 4096]),
        "flood" => flood(b"flood flood flood flood flood flood flood\n"),
        "errors" => {
            eprintln!("something is wrong");
            say("= A1\n\n")
        }
        "child" => {
            start_child(file)?;
            say("= A1\n\n")
        }
        "family" => {
            let mut child = start_child(file)?;
            eprintln!("{} {}", std::process::id(), child.id());
            child.wait().map(|_| ())
        }
        "deaf" => {
            ctrlc::set_handler(|| {}).expect("the first handler");
            sleep(FOREVER);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Starts a child that lives long and holds a lock on a file, and waits until it has it.
fn start_child(file: Option<&str>) -> io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    let mut child = command.arg("hold").args(file).stdout(Stdio::piped()).spawn()?;
    let mut line = String::new();
    child.stdout.as_mut().map_or(Ok(0), |output| BufReader::new(output).read_line(&mut line))?;
    Ok(child)
}

fn say(text: &str) -> io::Result<()> {
    write(text.as_bytes())
}

fn write(bytes: &[u8]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(bytes)?;
    output.flush()
}

/// Writes the same again and again.
fn flood(bytes: &[u8]) -> io::Result<()> {
    loop {
        write(bytes)?;
    }
}
