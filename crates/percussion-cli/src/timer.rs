//! A time limit for numerics that read no clock: a thread raises a flag.

use percussion::solve::friction::Stop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often an interrupt is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// Raises its flag when the time is over or the user interrupts; ends when dropped.
pub struct Timer {
    flag: Arc<AtomicBool>,
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Timer {
    /// Starts now.
    pub fn start(limit: Option<Duration>, interrupted: &Arc<AtomicBool>) -> Self {
        let flag = Arc::new(AtomicBool::new(false));
        let (raised, interrupted) = (Arc::clone(&flag), Arc::clone(interrupted));
        let (done, over) = channel();
        let start = Instant::now();
        let watch = move || loop {
            let left = limit.map_or(LOOK, |limit| limit.saturating_sub(start.elapsed()).min(LOOK));
            if over.recv_timeout(left) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let late = limit.is_some_and(|limit| start.elapsed() >= limit);
            if late || interrupted.load(Ordering::Relaxed) {
                raised.store(true, Ordering::Relaxed);
                return;
            }
        };
        Self { flag, done: Some(done), thread: Some(std::thread::spawn(watch)) }
    }

    /// What the solvers look at.
    pub fn stop(&self) -> Stop {
        Stop::when(Arc::clone(&self.flag))
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.done = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
