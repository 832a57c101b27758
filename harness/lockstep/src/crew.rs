//! The threads of a campaign, and the watch over them. Work is handed over in pieces of many cases;
//! a thread that gives no sign of life any more is left behind and another takes its place.

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
    pulse,
    pulse::Pulse,
    threads::{Leavable, silent_for},
};

/// Time between two looks at who still lives.
const LOOK: Duration = Duration::from_millis(100);
/// Time without a sign of life after which a thread is given up. It is that of looks, so that a
/// computer that slept gives nobody up, less what the thread waited for a processor.
const SILENT: Duration = Duration::from_secs(5);
/// Time that a thread may still take to finish once everybody is to stop.
const STOPPING: Duration = Duration::from_secs(2);
/// Threads that are replaced. Where more are given up, fewer go on.
const MOST_REPLACED: usize = 12;

/// Some threads.
pub(crate) struct Crew {
    members: Vec<Member>,
    replaced: usize,
    stop: Arc<AtomicBool>,
}

/// A thread.
struct Member {
    tasks: Sender<Task>,
    pulse: Arc<Pulse>,
    thread: Leavable,
}

type Task = Box<dyn FnOnce() + Send>;

/// What came of a piece of work.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer<R> {
    Done(R),
    /// The thread gave no sign of life for some time in the case of a seed.
    Silent {
        seed: u64,
        waited: Duration,
    },
    /// Everybody was to stop, or there was nobody left.
    LeftOut,
}

/// The piece of work that a member is at.
struct Busy {
    piece: usize,
    /// Signs of life at the last look, and for how long they have been as many.
    beats: u64,
    silent: Duration,
    /// How long it had waited for a processor at the last look.
    kept: Duration,
    /// Time since everybody was to stop.
    stopping: Duration,
}

impl Crew {
    /// So many threads.
    ///
    /// # Errors
    /// If they cannot be started.
    pub(crate) fn new(size: usize) -> io::Result<Self> {
        let members = (0..size).map(|_| Member::start()).collect::<io::Result<_>>()?;
        Ok(Self { members, replaced: 0, stop: Arc::new(AtomicBool::new(false)) })
    }

    /// Whether all are given up.
    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Is set once everybody is to stop.
    pub(crate) fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Does pieces of work, each on one of the threads, until `cancel` is set; what came of them in
    /// their order.
    pub(crate) fn all<P: Send + 'static, R: Send + 'static>(
        &mut self,
        pieces: Vec<P>,
        cancel: &AtomicBool,
        work: impl Fn(P) -> R + Send + Clone + 'static,
    ) -> Vec<Answer<R>> {
        let mut answers: Vec<_> = pieces.iter().map(|_| Answer::LeftOut).collect();
        let mut waiting = pieces.into_iter().enumerate();
        let mut busy: Vec<Option<Busy>> = self.members.iter().map(|_| None).collect();
        let (done, results) = channel();
        let mut looked = Instant::now();
        loop {
            if cancel.load(Ordering::Relaxed) {
                self.stop.store(true, Ordering::Relaxed);
            }
            let stopping = self.stop.load(Ordering::Relaxed);
            for (member, busy) in self.members.iter().zip(&mut busy) {
                if busy.is_some() || stopping {
                    continue;
                }
                let Some((number, piece)) = waiting.next() else { break };
                let (done, work) = (done.clone(), work.clone());
                let task = move || {
                    let _ = done.send((number, work(piece)));
                };
                // A member that is gone is silent.
                let _ = member.tasks.send(Box::new(task));
                *busy = Some(member.busy_with(number));
            }
            if busy.iter().all(Option::is_none) {
                return answers;
            }
            match results.recv_timeout(LOOK) {
                Ok((number, result)) => {
                    let is_at = |busy: &&mut Option<Busy>| {
                        busy.as_ref().is_some_and(|busy| busy.piece == number)
                    };
                    // Of one that was given up nothing is wanted any more.
                    if let Some(busy) = busy.iter_mut().find(is_at) {
                        *busy = None;
                        answers[number] = Answer::Done(result);
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                self.look(&mut busy, &mut answers, stopping);
            }
        }
    }

    /// Looks who still lives, and gives up who does not.
    fn look<R>(&mut self, busy: &mut Vec<Option<Busy>>, answers: &mut [Answer<R>], stopping: bool) {
        for number in (0..busy.len()).rev() {
            let Some(at) = &mut busy[number] else { continue };
            let member = &self.members[number];
            let now = member.busy_with(at.piece);
            let kept = now.kept.saturating_sub(at.kept);
            at.silent = if now.beats == at.beats {
                silent_for(at.silent, LOOK, kept)
            } else {
                Duration::ZERO
            };
            (at.beats, at.kept) = (now.beats, now.kept);
            at.stopping += if stopping { LOOK } else { Duration::ZERO };
            if at.silent < SILENT && at.stopping < STOPPING {
                continue;
            }
            // Who is only slow to stop has done nothing wrong.
            if at.silent >= SILENT.min(STOPPING) {
                let (seed, waited) = (member.pulse.seed(), at.silent);
                answers[at.piece] = Answer::Silent { seed, waited };
            }
            busy[number] = None;
            let next = (self.replaced < MOST_REPLACED).then(Member::start).and_then(Result::ok);
            if let Some(next) = next {
                self.replaced += 1;
                std::mem::replace(&mut self.members[number], next).thread.leave();
            } else {
                busy.remove(number);
                self.members.remove(number).thread.leave();
            }
        }
    }
}

impl Member {
    fn start() -> io::Result<Self> {
        let (tasks, received) = channel::<Task>();
        let pulse = Arc::new(Pulse::default());
        let own = Arc::clone(&pulse);
        let thread = Leavable::start(move || {
            pulse::show(own);
            received.into_iter().for_each(|task| task());
        })?;
        Ok(Self { tasks, pulse, thread })
    }

    /// What is seen now of it, which is at a piece of work.
    fn busy_with(&self, piece: usize) -> Busy {
        let (beats, kept) = (self.pulse.beats(), self.thread.kept_waiting());
        Busy { piece, beats, silent: Duration::ZERO, kept, stopping: Duration::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn work_is_done_in_any_order_and_answered_in_its_own() {
        let mut crew = Crew::new(3).expect("threads");
        let answers = crew.all((0..40).collect(), &AtomicBool::new(false), |n: u64| n * n);
        assert!(answers.into_iter().eq((0..40).map(|n| Answer::Done(n * n))));
    }

    #[test]
    fn who_gives_no_sign_of_life_is_given_up_and_replaced() {
        let mut crew = Crew::new(2).expect("threads");
        let work = |n: u64| {
            pulse::take_up(100 + n);
            if n == 1 {
                loop {
                    thread::park();
                }
            }
            n
        };
        let answers = crew.all(vec![0, 1, 2, 3], &AtomicBool::new(false), work);
        assert!(matches!(answers[1], Answer::Silent { seed: 101, .. }), "{answers:?}");
        assert_eq!((&answers[0], &answers[3]), (&Answer::Done(0), &Answer::Done(3)));
        assert_eq!((crew.members.len(), crew.replaced), (2, 1));
    }

    #[test]
    fn a_crew_that_is_to_stop_waits_for_nobody_long() {
        let mut crew = Crew::new(1).expect("threads");
        let start = Instant::now();
        let work = |()| loop {
            thread::park();
        };
        let answers: Vec<Answer<()>> = crew.all(vec![(); 9], &AtomicBool::new(true), work);
        assert!(answers.iter().all(|answer| *answer == Answer::LeftOut));
        let answers: Vec<Answer<()>> = {
            let cancel = Arc::new(AtomicBool::new(false));
            let later = Arc::clone(&cancel);
            let mut crew = Crew::new(1).expect("threads");
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(200));
                later.store(true, Ordering::Relaxed);
            });
            crew.all(vec![()], &cancel, work)
        };
        assert!(matches!(answers[..], [Answer::Silent { .. }]), "{answers:?}");
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}
