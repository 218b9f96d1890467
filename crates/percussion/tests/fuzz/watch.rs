//! A watchdog: an input that does not come back, or takes memory without end, is named and kept before the process ends.
//!
//! A thread cannot be stopped from outside, so that a reader which hangs ends the whole search: exit 1 with the input's file.

use std::path::PathBuf;
use std::sync::{Mutex, Once};
use std::time::{Duration, Instant};

/// What is being read.
struct Present {
    reader: &'static str,
    input: Vec<u8>,
    wall: Instant,
    cpu: Duration,
}

static PRESENT: Mutex<Option<Present>> = Mutex::new(None);

/// CPU time after which an input has hung; slow ones that come back are judged by their own time, which is shorter.
const HUNG: Duration = Duration::from_secs(10);
/// Time on the wall after which an input waits for something that does not come.
const WAITS: Duration = Duration::from_secs(180);

/// Where an input that did wrong is kept.
pub fn kept(reader: &str, mark: &str, input: &[u8]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("fault-{reader}-{mark}"));
    std::fs::write(&path, input).expect("written");
    path
}

/// Reads with the watchdog looking on; `cpu` is the time the process has computed, `memory` what it holds.
pub fn watched<T>(
    reader: &'static str,
    input: &[u8],
    cpu: fn() -> Duration,
    (memory, most): (fn() -> usize, usize),
    read: impl FnOnce() -> T,
) -> T {
    static WATCHDOG: Once = Once::new();
    WATCHDOG.call_once(|| {
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(100));
                let present = PRESENT.lock().expect("no panic while it is held");
                let Some(Present { reader, input, wall, cpu: begun }) = &*present else { continue };
                let (wall, took, held) = (wall.elapsed(), cpu().saturating_sub(*begun), memory());
                if took > HUNG || wall > WAITS || held > most {
                    let path = kept(reader, "hangs", input);
                    let (wall, took) = (wall.as_secs_f64(), took.as_secs_f64());
                    // not through the test's captured output, which is lost with the process
                    let words = format!(
                        "FAULT {reader}: no answer after {took:.1} s of CPU and {wall:.1} s, {held} bytes held\n  in {}\n",
                        path.display()
                    );
                    let _ = std::io::Write::write_all(&mut std::io::stderr(), words.as_bytes());
                    std::process::exit(1);
                }
            }
        });
    });
    let present = Present { reader, input: input.to_vec(), wall: Instant::now(), cpu: cpu() };
    *PRESENT.lock().expect("no panic while it is held") = Some(present);
    let answer = read();
    *PRESENT.lock().expect("no panic while it is held") = None;
    answer
}
