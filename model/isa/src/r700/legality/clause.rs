//! What the groups of an ALU clause must be to each other, and how clauses lie in memory.

use super::{Findings, Settings, breaks, group};
use crate::r700::{
    case::ProgramType,
    decode::FetchClause,
    instruction::{Fetch, Group},
    opcode::{Kind, Role},
    program::{Clause, Program},
    source::Source,
};

pub(super) fn check(start: u32, groups: &[Group], settings: &Settings, findings: &mut Findings) {
    let mut address = start;
    // Elements of AR that an earlier group wrote.
    let mut written = 0;
    for (number, group) in groups.iter().enumerate() {
        initialised(address, group, written, findings);
        for alu in &group.instructions {
            if alu.opcode().is_some_and(|opcode| opcode.row().result == Kind::Address) {
                written |= 1 << alu.dst_elem();
            }
        }
        if number + 1 < groups.len() {
            no_kill(address, group, findings);
        }
        if settings.is_other_than(&[ProgramType::Pixel, ProgramType::Vertex, ProgramType::Export])
            && reads(group, |source| matches!(source, Source::Constant(_)))
        {
            breaks!(
                findings,
                address,
                ["r700.alu.const.dx9.programs"],
                "only vertex and pixel shaders have a constant file"
            );
        }
        address += group.words() as u32;
    }
}

fn initialised(address: u32, group: &Group, written: u32, findings: &mut Findings) {
    for (address, alu) in (address..).zip(&group.instructions) {
        let Some(usage) = group::address_use(*alu) else { continue };
        if usage.elements & !written != 0 {
            let element =
                ["X", "Y", "Z", "W"][(usage.elements & !written).trailing_zeros() as usize];
            breaks!(
                findings,
                address,
                ["r700.alu.rel.ar.init"],
                "AR.{element} is used, but no MOVA* of an earlier group of this clause writes it"
            );
        }
    }
}

fn no_kill(address: u32, group: &Group, findings: &mut Findings) {
    for (address, alu) in (address..).zip(&group.instructions) {
        let Some(opcode) = alu.opcode() else { continue };
        if opcode.row().role == Role::Kill {
            breaks!(
                findings,
                address,
                ["r700.alu.kill.last", "r700.aluinst.group.kill-last"],
                "{} must be in the last group of its clause: the groups after it do not see the kill",
                opcode.mnemonic()
            );
        }
    }
}

/// Whether an instruction of the group reads such a source.
fn reads(group: &Group, is: impl Fn(Source) -> bool) -> bool {
    let operands = group.instructions.iter().flat_map(|alu| alu.operands());
    operands.into_iter().any(|operand| operand.source.is_some_and(&is))
}

/// Kinds of clauses in the order in which they lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Alu,
    Fetch,
    LocalDataShare,
    MemoryRead,
}

impl Part {
    fn of(clause: &Clause) -> Self {
        match clause {
            Clause::Alu(_) => Self::Alu,
            Clause::Fetch(_, fetches) => {
                fetches.first().map_or(Self::Fetch, |f| Self::of_fetch(*f))
            }
        }
    }

    pub(super) const fn of_fetch(fetch: Fetch) -> Self {
        match fetch {
            Fetch::Vertex(_) | Fetch::Semantic(_) | Fetch::Texture(_) => Self::Fetch,
            Fetch::MemoryRead(_) => Self::MemoryRead,
            Fetch::LocalWrite(_) | Fetch::LocalRead(_) => Self::LocalDataShare,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Alu => "an ALU clause",
            Self::Fetch => "a texture or vertex clause",
            Self::LocalDataShare => "a local data share clause",
            Self::MemoryRead => "a memory read clause",
        }
    }
}

/// The order of the clauses, what they mix, and the two ways to read constants.
pub(super) fn layout(program: &Program, findings: &mut Findings) {
    let mut before: Option<Part> = None;
    for (&start, clause) in &program.clauses {
        let part = Part::of(clause);
        if let Some(before) = before.filter(|before| *before > part) {
            breaks!(
                findings,
                start,
                ["r700.org.layout-order"],
                "{} lies after {}: first come ALU clauses, then texture and vertex, local data share and memory read clauses",
                part.name(),
                before.name()
            );
        }
        before = Some(before.map_or(part, |before| before.max(part)));
        if let Clause::Fetch(kind, fetches) = clause {
            mixture(start, *kind, fetches, findings);
        }
    }
    constants(program, findings);
}

fn mixture(start: u32, kind: FetchClause, fetches: &[Fetch], findings: &mut Findings) {
    let Some(first) = fetches.first() else { return };
    for (address, fetch) in (start..).step_by(2).zip(fetches) {
        let (one, other) = (Part::of_fetch(*first), Part::of_fetch(*fetch));
        if one == other {
            continue;
        }
        if one == Part::LocalDataShare || other == Part::LocalDataShare {
            breaks!(
                findings,
                address,
                ["r700.lds.no-mix", "r700.org.homogeneous"],
                "local data share instructions cannot share a clause with others"
            );
        } else {
            breaks!(
                findings,
                address,
                ["r700.org.homogeneous"],
                "memory reads and fetches cannot share a {} clause",
                if kind == FetchClause::Texture { "TEX" } else { "VTX" }
            );
        }
    }
}

/// A program reads the constant file or constant buffers, not both.
fn constants(program: &Program, findings: &mut Findings) {
    let groups = program.clauses.iter().filter_map(|(&start, clause)| match clause {
        Clause::Alu(groups) => Some((start, groups)),
        Clause::Fetch(..) => None,
    });
    let (mut file, mut buffers) = (None, None);
    for (start, groups) in groups {
        if groups.iter().any(|group| reads(group, |source| matches!(source, Source::Constant(_)))) {
            file = file.or(Some(start));
        }
        if groups.iter().any(|group| reads(group, |source| matches!(source, Source::Kcache(..)))) {
            buffers = buffers.or(Some(start));
        }
    }
    if let (Some(file), Some(buffers)) = (file, buffers) {
        breaks!(
            findings,
            file.max(buffers),
            ["r700.state.constants.exclusive"],
            "the program reads the constant file (clause at {file}) and constant buffers (clause at {buffers}): only one is there"
        );
    }
}
