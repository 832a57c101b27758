//! Batches: the starts that come next, which an engine that only runs to the end runs together.

use std::collections::VecDeque;

use parallax_engine::{Kind, message::Reader};
use parallax_isa::{EngineError, Image};

use super::{
    super::{
        Portable,
        answers::{nonsense, unexpected, write_state},
    },
    OutsideEngine,
};

/// Starts of a program that the engine has run together.
pub(super) struct Batch<M: Portable> {
    starts: VecDeque<Box<M::State>>,
    /// What they came to, one end behind the other.
    ends: Vec<u8>,
    place: usize,
}

impl<M: Portable> OutsideEngine<M> {
    /// Lets the engine run the next starts together, if it can.
    pub(super) fn run_announced(&mut self, starts: &mut dyn Iterator<Item = M::Case>) {
        /// Starts of a batch: a frame holds many times as many.
        const MOST: usize = 16;
        let has_program = self.run.as_ref().is_some_and(|run| run.has_whole);
        if !self.outside.hello.batch || self.failed.is_some() || !has_program || self.peer.is_none()
        {
            return;
        }
        let starts =
            starts.take(MOST).map(|case| M::start_state(&case).map(|state| Box::new(*state)));
        let Some(starts) = starts.collect::<Option<VecDeque<_>>>() else { return };
        if !starts.is_empty() {
            // An error is that of the next start.
            self.batch = self.run_batch(starts).transpose();
        }
    }

    /// Lets the engine run the program that it has from some starts; `None` if it does not run one of them, which
    /// it says of that start by itself.
    fn run_batch(
        &mut self,
        starts: VecDeque<Box<M::State>>,
    ) -> Result<Option<Batch<M>>, EngineError> {
        let (banks, number) = (self.banks.clone(), starts.len() as u16);
        self.started_again()?;
        self.peer()?.ask(Kind::Batch, |out| {
            out.extend(number.to_le_bytes());
            starts.iter().for_each(|start| write_state(&banks, start.image(), out));
        });
        let mut left = self.outside.allowance.time * u32::from(number);
        let mut ends = Vec::new();
        match self.peer()?.answer(&mut ends, &mut left)? {
            Kind::Batched => {}
            Kind::Refused | Kind::Declined => return Ok(None),
            other => return Err(unexpected(other, "batched")),
        }
        match Reader::new(&ends).u16().map_err(nonsense)? {
            reported if reported == number => Ok(Some(Batch { starts, ends, place: 2 })),
            reported => Err(EngineError::Nonsense(format!(
                "it says how {reported} starts end, of a batch of {number}"
            ))),
        }
    }

    /// How the next start of the batch ends, if a case is that.
    pub(super) fn batched(&mut self, case: &M::Case) -> Result<Option<Vec<u8>>, EngineError> {
        let Some(batch) = self.batch.take().transpose()? else { return Ok(None) };
        let Batch { mut starts, ends, place } = batch;
        let is_next = starts.pop_front().is_some_and(|start| {
            M::start_state(case).is_some_and(|state| state.image() == start.image())
        });
        if !is_next {
            return Ok(None);
        }
        let mut reader = Reader::new(&ends[place..]);
        reader.flow().and_then(|_| reader.writes(|_| Ok(()))).map_err(nonsense)?;
        let next = ends.len() - reader.rest().len();
        let end = ends[place..next].to_vec();
        if starts.is_empty() {
            reader.end().map_err(nonsense)?;
        } else {
            self.batch = Some(Ok(Batch { starts, ends, place: next }));
        }
        Ok(Some(end))
    }
}
