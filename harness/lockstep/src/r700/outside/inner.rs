//! Previous results and addresses that the manual leaves open, for engines that only run to the end: nobody can look
//! at them inside a clause, so that what reads them cannot be compared.

use std::mem::offset_of;

use parallax_isa::{
    Model as _, Step,
    r700::{
        Alu, Case, Group, Program, Source, State,
        legality::{Unit, units},
        microcode::{AluOp2, AluOp3},
    },
};
use parallax_reference::r700::Reference;

use super::needs::fields_of;

/// Most steps that are looked at.
const MOST_STEPS: u64 = 4096;

/// What of PV, PS and AR may be anything that the reference accepts: a bit a unit, and one for AR.
type Open = u8;

/// PS.
const SCALAR: Open = 1 << 4;
/// AR.
const ADDRESS: Open = 1 << 5;

/// The address of the first group of a straight-line program that reads a previous result or an address that is
/// open.
pub(super) fn reads_open(case: &Case, program: &Program) -> Option<u32> {
    let mut reference = Reference::new();
    reference.load(case).ok()?;
    let mut open = 0;
    for _ in 0..case.step_limit.min(MOST_STEPS) {
        let state = reference.state();
        let address = state.group;
        let group = program.group_at(address).filter(|_| state.in_clause != 0);
        match group {
            None => open = 0,
            Some(group) if group.instructions.iter().any(|alu| reads(*alu) & open != 0) => {
                return Some(address);
            }
            Some(group) => open &= !written(group, case.prefer_vector),
        }
        if reference.step() != Step::Continue {
            break;
        }
        open |= left_open(&reference);
    }
    None
}

/// What an instruction reads.
fn reads(alu: Alu) -> Open {
    let dwords = alu.dwords();
    let relative = [AluOp2::SRC0_REL, AluOp2::SRC1_REL, AluOp3::SRC2_REL, AluOp2::DST_REL];
    let is_relative = fields_of(alu, &relative).any(|field| field.get(&dwords) != 0);
    alu.operands().into_iter().fold(if is_relative { ADDRESS } else { 0 }, |read, operand| {
        read | match operand.source {
            Some(Source::PreviousVector) => 1 << operand.element,
            Some(Source::PreviousScalar) => SCALAR,
            _ => 0,
        }
    })
}

/// The previous results that a group replaces for certain: those of the units whose instructions no predicate keeps
/// from it.
fn written(group: &Group, prefer_vector: bool) -> Open {
    let certain = units(group, prefer_vector).filter(|(alu, _)| alu.pred_sel() == 0);
    certain.fold(0, |written, (_, unit)| {
        written
            | match unit {
                Unit::Vector(element) => 1 << element,
                Unit::Trans => SCALAR,
            }
    })
}

/// What the last step has left open.
fn left_open(reference: &Reference) -> Open {
    let previous = offset_of!(State, previous);
    let address = offset_of!(State, ar);
    let open = parallax_isa::Reference::expectations(reference).iter();
    open.fold(0, |open, expectation| {
        let offset = expectation.extent.offset as usize;
        open | match offset {
            _ if (previous..address).contains(&offset) => 1 << ((offset - previous) / 256),
            _ if (address..offset_of!(State, exports)).contains(&offset) => ADDRESS,
            _ => 0,
        }
    })
}
