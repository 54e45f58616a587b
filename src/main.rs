//! The `othellier` program: see the library for everything it does.

fn main() -> std::process::ExitCode {
    othellier::main()
}
