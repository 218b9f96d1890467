//! The program `percussion`.

fn main() -> std::process::ExitCode {
    percussion_cli::main_with(std::env::args_os())
}
