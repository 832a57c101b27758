//! The worker threads of a campaign. Work is handed out in pieces of many cases; a worker whose heartbeat stops is
//! abandoned and replaced.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    time::{Duration, Instant},
};

use crate::{
    heartbeat,
    heartbeat::Heartbeat,
    threads::{Leavable, silent_for},
};

/// How often heartbeats are checked.
const POLL: Duration = Duration::from_millis(100);
/// Time without a heartbeat after which a worker is abandoned. It is counted in checks, so that a computer that slept
/// abandons none, and without the time that the worker waited for a processor.
const SILENT: Duration = Duration::from_secs(5);
/// Time that a worker may take to finish once all have to stop.
const STOPPING: Duration = Duration::from_secs(2);
/// The most workers that are replaced. If more are abandoned, fewer go on.
const MOST_REPLACED: usize = 12;

/// The worker threads of a campaign.
pub(crate) struct WorkerPool {
    workers: Vec<Worker>,
    replaced: usize,
    stop: Arc<AtomicBool>,
}

/// A worker thread.
struct Worker {
    tasks: Sender<Task>,
    heartbeat: Arc<Heartbeat>,
    thread: Leavable,
}

type Task = Box<dyn FnOnce() + Send>;

/// The result of a piece of work.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer<R> {
    Done(R),
    /// The worker had no heartbeat for some time, in the case of this seed.
    Silent {
        seed: u64,
        waited: Duration,
    },
    /// All had to stop, or no worker was left.
    LeftOut,
}

/// A worker at a piece of work.
struct Busy {
    piece: usize,
    /// Heartbeats at the last check, and for how long there have been as many.
    beats: u64,
    silent: Duration,
    /// How long it had waited for a processor at the last check.
    kept: Duration,
    /// Time since all had to stop.
    stopping: Duration,
}

impl WorkerPool {
    /// Starts `size` workers.
    ///
    /// # Errors
    /// If they cannot be started.
    pub(crate) fn new(size: usize) -> io::Result<Self> {
        let workers = (0..size).map(|_| Worker::start()).collect::<io::Result<_>>()?;
        Ok(Self { workers, replaced: 0, stop: Arc::new(AtomicBool::new(false)) })
    }

    /// Whether every worker was abandoned.
    pub(crate) fn is_empty(&self) -> bool {
        self.workers.is_empty()
    }

    /// Set once all have to stop.
    pub(crate) fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Runs pieces of work, each on one of the workers, until `cancel` is set. The answers are in the order of the pieces.
    pub(crate) fn all<P: Send + 'static, R: Send + 'static>(
        &mut self,
        pieces: Vec<P>,
        cancel: &AtomicBool,
        work: impl Fn(P) -> R + Send + Clone + 'static,
    ) -> Vec<Answer<R>> {
        let mut answers: Vec<_> = pieces.iter().map(|_| Answer::LeftOut).collect();
        let mut waiting = pieces.into_iter().enumerate();
        let mut busy: Vec<Option<Busy>> = self.workers.iter().map(|_| None).collect();
        let (done, results) = channel();
        let mut checked = Instant::now();
        loop {
            if cancel.load(Ordering::Relaxed) {
                self.stop.store(true, Ordering::Relaxed);
            }
            let stopping = self.stop.load(Ordering::Relaxed);
            for (worker, busy) in self.workers.iter().zip(&mut busy) {
                if busy.is_some() || stopping {
                    continue;
                }
                let Some((number, piece)) = waiting.next() else { break };
                let (done, work) = (done.clone(), work.clone());
                let task = move || {
                    let _ = done.send((number, work(piece)));
                };
                // A worker that is gone is silent.
                let _ = worker.tasks.send(Box::new(task));
                *busy = Some(worker.busy_with(number));
            }
            if busy.iter().all(Option::is_none) {
                return answers;
            }
            match results.recv_timeout(POLL) {
                Ok((number, result)) => {
                    let is_at = |busy: &&mut Option<Busy>| {
                        busy.as_ref().is_some_and(|busy| busy.piece == number)
                    };
                    // The result of an abandoned worker is dropped.
                    if let Some(busy) = busy.iter_mut().find(is_at) {
                        *busy = None;
                        answers[number] = Answer::Done(result);
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            if checked.elapsed() >= POLL {
                checked = Instant::now();
                self.check(&mut busy, &mut answers, stopping);
            }
        }
    }

    /// Checks heartbeats, and abandons workers that have none.
    fn check<R>(
        &mut self,
        busy: &mut Vec<Option<Busy>>,
        answers: &mut [Answer<R>],
        stopping: bool,
    ) {
        for number in (0..busy.len()).rev() {
            let Some(at) = &mut busy[number] else { continue };
            let worker = &self.workers[number];
            let now = worker.busy_with(at.piece);
            let kept = now.kept.saturating_sub(at.kept);
            at.silent = if now.beats == at.beats {
                silent_for(at.silent, POLL, kept)
            } else {
                Duration::ZERO
            };
            (at.beats, at.kept) = (now.beats, now.kept);
            at.stopping += if stopping { POLL } else { Duration::ZERO };
            if at.silent < SILENT && at.stopping < STOPPING {
                continue;
            }
            // A worker that is only slow to stop is no finding.
            if at.silent >= SILENT.min(STOPPING) {
                let (seed, waited) = (worker.heartbeat.seed(), at.silent);
                answers[at.piece] = Answer::Silent { seed, waited };
            }
            busy[number] = None;
            let next = (self.replaced < MOST_REPLACED).then(Worker::start).and_then(Result::ok);
            if let Some(next) = next {
                self.replaced += 1;
                std::mem::replace(&mut self.workers[number], next).thread.leave();
            } else {
                busy.remove(number);
                self.workers.remove(number).thread.leave();
            }
        }
    }
}

impl Worker {
    fn start() -> io::Result<Self> {
        let (tasks, received) = channel::<Task>();
        let heartbeat = Arc::new(Heartbeat::default());
        let own = Arc::clone(&heartbeat);
        let thread = Leavable::start(move || {
            heartbeat::show(own);
            received.into_iter().for_each(|task| task());
        })?;
        Ok(Self { tasks, heartbeat, thread })
    }

    /// The worker as it is now, at a piece of work.
    fn busy_with(&self, piece: usize) -> Busy {
        let (beats, kept) = (self.heartbeat.beats(), self.thread.kept_waiting());
        Busy { piece, beats, silent: Duration::ZERO, kept, stopping: Duration::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn work_is_done_in_any_order_and_answered_in_its_own() {
        let mut pool = WorkerPool::new(3).expect("threads");
        let answers = pool.all((0..40).collect(), &AtomicBool::new(false), |n: u64| n * n);
        assert!(answers.into_iter().eq((0..40).map(|n| Answer::Done(n * n))));
    }

    #[test]
    fn workers_without_a_heartbeat_are_abandoned_and_replaced() {
        let mut pool = WorkerPool::new(2).expect("threads");
        let work = |n: u64| {
            heartbeat::begin(100 + n);
            if n == 1 {
                loop {
                    thread::park();
                }
            }
            n
        };
        let answers = pool.all(vec![0, 1, 2, 3], &AtomicBool::new(false), work);
        assert!(matches!(answers[1], Answer::Silent { seed: 101, .. }), "{answers:?}");
        assert_eq!((&answers[0], &answers[3]), (&Answer::Done(0), &Answer::Done(3)));
        assert_eq!((pool.workers.len(), pool.replaced), (2, 1));
    }

    #[test]
    fn a_pool_that_has_to_stop_does_not_wait_long() {
        let mut pool = WorkerPool::new(1).expect("threads");
        let start = Instant::now();
        let work = |()| loop {
            thread::park();
        };
        let answers: Vec<Answer<()>> = pool.all(vec![(); 9], &AtomicBool::new(true), work);
        assert!(answers.iter().all(|answer| *answer == Answer::LeftOut));
        let answers: Vec<Answer<()>> = {
            let cancel = Arc::new(AtomicBool::new(false));
            let later = Arc::clone(&cancel);
            let mut pool = WorkerPool::new(1).expect("threads");
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(200));
                later.store(true, Ordering::Relaxed);
            });
            pool.all(vec![()], &cancel, work)
        };
        assert!(matches!(answers[..], [Answer::Silent { .. }]), "{answers:?}");
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
