//! The part of memory that a message sees.

use std::slice;

use parallax_isa::shared::{
    Reach, Request, Unanswered,
    launch::{Outside, Watch},
    memory::Surface,
};

use super::{Addresses, Traits, optional_header, refuse};

/// Some bytes of memory, seen from a base.
pub(super) struct Window<'m> {
    /// What is seen of memory, in order.
    runs: Runs<'m>,
    /// What is added to offsets; in memory, not in what is seen of it.
    base: u128,
    /// The bits of an offset that count.
    bits: u128,
    /// What is beyond ends the run.
    is_local: bool,
    /// The index of the surface, if it is one.
    surface: Option<usize>,
    watch: Watch<'m>,
}

enum Runs<'m> {
    One(Surface),
    Many(&'m [Surface]),
}

impl<'m> Window<'m> {
    /// What has an address, from one on, which the low ten bits of `base` are no part of.
    pub(super) fn stateless(reach: &Reach<'m>, base: u32) -> Self {
        let runs = Runs::Many(&reach.map.ranges);
        Self {
            base: u128::from(base >> 10 << 10),
            runs,
            ..Self::one(reach, Surface { start: 0, bytes: 0 })
        }
    }

    fn one(reach: &Reach<'m>, run: Surface) -> Self {
        Self {
            base: run.start as u128,
            runs: Runs::One(run),
            bits: u128::MAX,
            is_local: false,
            surface: None,
            watch: reach.watch(),
        }
    }

    /// Shared local memory, of whose addresses 16 bits count.
    fn local(reach: &Reach<'m>, bytes: usize) -> Self {
        let run = Surface { start: reach.map.local, bytes };
        Self { bits: 0xFFFF, is_local: true, ..Self::one(reach, run) }
    }

    /// What is behind the index of a message.
    pub(super) fn behind(
        request: &Request,
        addresses: Addresses,
        traits: &Traits,
        reach: &Reach<'m>,
        local_bytes: usize,
    ) -> Result<Self, Unanswered> {
        let index = request.function_control as u8;
        let is_stateless = traits.stateless.contains(&index);
        match (addresses, index) {
            (Addresses::A64, _) if is_stateless => Ok(Self::stateless(reach, 0)),
            (Addresses::A64, _) => refuse("64-bit addresses that are not stateless"),
            _ if is_stateless => Ok(Self::stateless(reach, optional_header(request)[5])),
            (_, 254) => Ok(Self::local(reach, local_bytes)),
            _ => match reach.map.surfaces.get(usize::from(index)) {
                Some(Some(run)) => {
                    Ok(Self { surface: Some(index.into()), ..Self::one(reach, *run) })
                }
                _ => refuse("an index without a surface"),
            },
        }
    }

    /// Where some bytes are, if all of them are there.
    #[inline]
    pub(super) fn place(&self, offset: u128, bytes: u64) -> Option<usize> {
        let first = self.base + (offset & self.bits);
        let runs = match &self.runs {
            Runs::One(run) => slice::from_ref(run),
            Runs::Many(runs) => runs,
        };
        let last = first + u128::from(bytes);
        // The run that begins last of those that begin before it.
        let before = runs.partition_point(|run| run.start as u128 <= first);
        let run = runs.get(before.checked_sub(1)?)?;
        if last > run.range().end as u128 {
            return None;
        }
        Some(first as usize)
    }

    /// The same of bytes that are about to be moved: what is not there is noted.
    #[inline]
    pub(super) fn reached(&self, offset: u128, bytes: u64) -> Option<usize> {
        let place = self.place(offset, bytes);
        if place.is_none() {
            let within = if self.surface.is_some() { 0 } else { self.base };
            self.watch.note(Outside {
                surface: self.surface,
                address: (within + offset).cast_signed(),
                bytes: bytes as usize,
            });
        }
        place
    }

    /// Refuses elements beyond shared local memory, before anything of the message is done.
    pub(super) fn check(
        &self,
        mut offsets: impl Iterator<Item = u128>,
        bytes: u64,
    ) -> Result<(), Unanswered> {
        if self.is_local && offsets.any(|offset| self.place(offset, bytes).is_none()) {
            return refuse("an access beyond the shared local memory of the case");
        }
        Ok(())
    }
}
