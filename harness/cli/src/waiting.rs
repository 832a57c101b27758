//! What a command shows on the terminal when it takes more than a moment.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

/// How long it takes until something is shown.
const MOMENT: Duration = Duration::from_secs(1);
/// Time between two looks at how far it is.
const LOOK: Duration = Duration::from_millis(200);

/// A line on standard error, if that is a terminal, for as long as this lives.
pub(crate) struct Waiting {
    done: Arc<AtomicU64>,
    /// Closed at the end.
    running: Option<Sender<()>>,
    line: Option<JoinHandle<()>>,
}

impl Waiting {
    /// The line says how many of so many things are done, or of a single one only how long it takes.
    pub(crate) fn start(what: &'static str, all: u64) -> Self {
        let done = Arc::<AtomicU64>::default();
        let (running, ended) = channel();
        let so_far = Arc::clone(&done);
        let line = thread::Builder::new().spawn(move || show(what, all, &so_far, &ended)).ok();
        Self { done, running: Some(running), line }
    }

    /// One more is done.
    pub(crate) fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.running = None;
        // A line that could not be drawn is no reason to stop.
        let _ = self.line.take().map(JoinHandle::join);
    }
}

fn show(what: &'static str, all: u64, done: &AtomicU64, ended: &Receiver<()>) {
    let goes_on = |time| ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
    if !goes_on(MOMENT) {
        return;
    }
    let style = match all {
        1 => "{spinner} {msg}, {elapsed}",
        _ => "[{bar:24}] {human_pos} of {human_len} {msg}, {elapsed}",
    };
    let style = ProgressStyle::with_template(style).expect("the template is part of the source");
    let line = ProgressBar::new(all).with_style(style.progress_chars("=> "));
    let line = line.with_message(what).with_elapsed(MOMENT);
    loop {
        line.set_position(done.load(Ordering::Relaxed));
        line.tick();
        if !goes_on(LOOK) {
            break;
        }
    }
    line.finish_and_clear();
}
