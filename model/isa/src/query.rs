//! Functions that have no program: a case is a list of queries, and each step answers the next.

use std::{fmt::Debug, marker::PhantomData, mem::offset_of};

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    Device, Machine,
    image::{Bank, Image, Part, assert_whole},
};

/// Words of the longest answer: primitives of a hundred vertices.
pub const WORDS: usize = 1024;

/// What functions are asked.
pub trait Query:
    Debug + Clone + PartialEq + Send + Sync + Serialize + DeserializeOwned + 'static
{
    /// The name of the machine that answers.
    const MACHINE: &'static str;
    /// The devices that have the functions.
    const DEVICES: &'static [Device];
    /// The kinds of queries by the names that engines give them, and what each asks.
    const NAMES: &'static [(&'static str, &'static str)];

    /// The name of its kind.
    fn name(&self) -> &'static str;

    /// Holds that it is one that can be asked.
    ///
    /// # Errors
    /// If it is not: why, in a sentence.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// The machine that answers queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queries<Q>(PhantomData<Q>);

impl<Q: Query> Machine for Queries<Q> {
    const NAME: &'static str = Q::MACHINE;
    type Case = Case<Q>;
    type State = State;
}

/// Queries that are answered one after the other, from the state after a reset on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case<Q> {
    /// The device.
    pub device: Device,
    /// The queries.
    pub queries: Vec<Q>,
}

impl<Q> Case<Q> {
    /// The query that comes after a state, if one does.
    #[must_use]
    pub fn next(&self, state: &State) -> Option<&Q> {
        self.queries.get(usize::try_from(state.done).ok()?)
    }
}

/// The last answer; words that it does not have are zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct State {
    /// Its words.
    pub answer: [u32; WORDS],
    /// How many there are.
    pub length: u64,
    /// Queries answered.
    pub done: u64,
}

impl State {
    /// Takes up the answer to the next query.
    ///
    /// # Panics
    /// If it has more than [`WORDS`] words.
    pub fn answer(&mut self, words: &[u32]) {
        let (answer, rest) = self.answer.split_at_mut(words.len());
        answer.copy_from_slice(words);
        rest.fill(0);
        self.length = words.len() as u64;
        self.done += 1;
    }
}

impl Default for State {
    fn default() -> Self {
        Self::zeroed()
    }
}

const BANKS: &[Bank] = {
    const fn bank(
        name: &'static str,
        offset: usize,
        count: usize,
        bytes: usize,
        part: fn(usize, usize) -> String,
    ) -> Bank {
        Bank::registers(name, offset, count, [bytes, bytes], Part::Named(part), &Device::ALL)
    }
    &[
        bank("answer", offset_of!(State, answer), WORDS, 4, |word, byte| {
            format!("word {word} of the answer, byte {byte}")
        }),
        bank("length", offset_of!(State, length), 1, 8, |_, byte| {
            format!("words of the answer, byte {byte}")
        }),
        bank("done", offset_of!(State, done), 1, 8, |_, byte| {
            format!("queries answered, byte {byte}")
        }),
    ]
};

const _: () = assert_whole(BANKS, size_of::<State>());

impl Image for State {
    const BANKS: &'static [Bank] = BANKS;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_answer_leaves_nothing_of_the_one_before() {
        let mut state = State::default();
        state.answer(&[1, 2, 3]);
        state.answer(&[4]);
        assert_eq!((state.answer[0], state.answer[1], state.length, state.done), (4, 0, 1, 2));
        assert_eq!(State::place(5), "word 1 of the answer, byte 1");
    }
}
