//! Traces of versions 1 to 3, which knew places by their offset in the state of that time, and cases of
//! version 4.
//!
//! Version 1 had cases of execution units without shared functions, versions 1 and 2 cases of R700
//! without textures; [`Subject::earlier_case`] reads those. Version 4 had cases of R700 without samplers.

use std::marker::PhantomData;

use parallax_isa::{Expectation, Extent, Image, Outcome, image::Bank};
use serde::{Deserialize, Deserializer, de::Error};

use super::{
    accepts::Accepts,
    effects::{Change, Effects, Trace},
    error::{TraceError, damaged},
};
use crate::{codec, subject::Subject};

/// A state as files of versions 1 to 3 hold it: all its bytes.
pub struct Flat<M: Subject>(pub Box<M::State>);

impl<'de, M: Subject> Deserialize<'de> for Flat<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = <Vec<u8>>::deserialize(deserializer)?;
        let length: usize = M::EARLIER_LAYOUT.iter().map(|(_, bytes)| bytes).sum();
        if bytes.len() != length {
            return Err(D::Error::invalid_length(bytes.len(), &"the bytes of a state"));
        }
        let mut state = Box::new(M::State::default());
        let mut rest = &bytes[..];
        for (name, length) in M::EARLIER_LAYOUT {
            let bank = M::State::bank_named(name).map_err(D::Error::custom)?;
            let (part, behind) = rest.split_at(*length);
            state.image_mut()[bank.offset..bank.offset + length].copy_from_slice(part);
            rest = behind;
        }
        Ok(Self(state))
    }
}

/// A body: the same in these versions but for the case.
#[derive(Deserialize)]
struct Body<C> {
    case: C,
    steps: Vec<(Vec<FlatChange>, Vec<FlatTolerance>)>,
    outcome: Outcome,
    digest: u32,
}

#[derive(Deserialize)]
struct FlatChange {
    offset: u32,
    bytes: Vec<u8>,
}

#[derive(Deserialize)]
struct FlatTolerance {
    offset: u32,
    bytes: u8,
    mask: u64,
    accepts: Accepts,
}

/// A case of version `V`.
struct Earlier<M: Subject, const V: u32>(M::Case, PhantomData<M>);

impl<'de, M: Subject, const V: u32> Deserialize<'de> for Earlier<M, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        M::earlier_case(V, deserializer).map(|case| Self(case, PhantomData))
    }
}

/// A case of version 4.
pub(super) struct Fourth<M: Subject>(pub(super) M::Case);

impl<'de, M: Subject> Deserialize<'de> for Fourth<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        M::fourth_case(deserializer).map(Self)
    }
}

/// Reads a body of versions 1 to 3; the trace, and the bytes it takes.
pub(super) fn decode<M: Subject>(
    version: u32,
    content: &[u8],
) -> Result<(Trace<M>, usize), TraceError> {
    match version {
        1 => of_version::<M, 1>(content),
        2 => of_version::<M, 2>(content),
        _ => of_version::<M, 3>(content),
    }
}

fn of_version<M: Subject, const V: u32>(content: &[u8]) -> Result<(Trace<M>, usize), TraceError> {
    let body = codec::decode::<Body<Earlier<M, V>>>(content).map_err(damaged)?;
    let (Body { case: Earlier(case, _), steps, outcome, digest }, length) = body;
    let banks = M::EARLIER_LAYOUT.iter().map(|(name, _)| M::State::bank_named(name));
    let banks: Vec<&Bank> = banks.collect::<Result<_, _>>().map_err(damaged)?;
    let steps = steps.into_iter().map(|(changes, tolerances)| {
        let mut effects = Effects::default();
        for FlatChange { offset, bytes } in changes {
            effects.changes.extend(split::<M>(offset as usize, &bytes)?);
        }
        for FlatTolerance { offset, bytes, mask, accepts } in tolerances {
            let place = place::<M>(offset as usize, bytes.into())?;
            if !(1..=8).contains(&bytes) {
                return Err(outside());
            }
            let extent = Extent { offset: place as u32, bytes, mask };
            effects.tolerances.push(Expectation { extent, acceptance: accepts.into() });
        }
        Ok(effects)
    });
    let steps = steps.collect::<Result<_, TraceError>>()?;
    Ok((Trace { case, banks, steps, outcome, digest }, length))
}

/// Changed bytes, bank by bank.
fn split<M: Subject>(offset: usize, bytes: &[u8]) -> Result<Vec<Change>, TraceError> {
    let mut changes = Vec::new();
    let (mut start, end) = (offset, offset + bytes.len());
    while start < end {
        let (bank, place, room) = at::<M>(start).ok_or_else(outside)?;
        let length = room.min(end - start);
        let bytes = bytes[start - offset..][..length].into();
        changes.push(Change { offset: bank.offset + place, bytes });
        start += length;
    }
    Ok(changes)
}

/// Where a place of so many bytes, in one bank, is today.
fn place<M: Subject>(offset: usize, bytes: usize) -> Result<usize, TraceError> {
    let found = at::<M>(offset).filter(|(.., room)| bytes <= *room);
    found.map(|(bank, place, _)| bank.offset + place).ok_or_else(outside)
}

/// The bank that a byte of those versions' states belongs to, its place in the bank, and the bytes
/// from there to the bank's end.
fn at<M: Subject>(offset: usize) -> Option<(&'static Bank, usize, usize)> {
    let mut start = 0;
    for (name, length) in M::EARLIER_LAYOUT {
        if offset < start + length {
            let bank = M::State::bank_named(name).ok()?;
            return Some((bank, offset - start, start + length - offset));
        }
        start += length;
    }
    None
}

fn outside() -> TraceError {
    damaged("an effect lies outside of the machine's state")
}
