//! Faults that begin late: a program has to run long before they show, and to depend on what it
//! computes for them to show at all.

use parallax_isa::{
    Device,
    eu::{
        Instruction, Opcode, State,
        operand::{Register, Source},
        register::ArfKind,
    },
};
use parallax_lockstep::eu::{flow, suites::LONG};
use rstest::rstest;

use super::{
    Eu, Fault, disturb,
    flow::{grown, keep},
};
use crate::fault_injection::{Family, all_are_found_at};

/// Late faults, with programs of thousands of steps.
const fn family(device: Device, faults: &'static [Fault<Eu>]) -> Family<Eu> {
    let (name, generate, bytes) = ("long programs", flow::long, flow::LONG_BYTES);
    Family { name, device, generate, bytes, faults }
}

/// Most instructions of the smallest case that shows a late fault, which has a loop to come to it, and
/// how many more than one all of them have.
const LONGEST: usize = 7;
const SPARE: usize = 24;

#[rstest]
#[case(Device::G45, FAULTS)]
#[case(Device::G45, STACKS)]
#[case(Device::Ivb, FAULTS)]
#[case(Device::Ivb, PLACES)]
#[case(Device::Skl, FAULTS)]
#[case(Device::Skl, PLACES)]
fn late_faults_are_found_in_long_programs(
    #[case] device: Device,
    #[case] faults: &'static [Fault<Eu>],
) {
    all_are_found_at(&family(device, faults), LONG, LONGEST, SPARE);
}

const IMASK: usize = 1;

/// Faults of the mask stacks.
const STACKS: &[Fault<Eu>] = &[
    disturb("a mask stack one too deep from the 33rd push on", |_, before, after| {
        for stack in grown(before, after) {
            after.mask_stack_depth[stack] = (after.mask_stack_depth[stack] + 1) & 0xF;
        }
    })
    .after(32),
    disturb("endif does not restore IMask from the 60th time on", |i, before, after| {
        keep(i, Opcode::Endif, IMASK, before, after);
    })
    .after(60),
];

/// Faults of the places at which channels wait.
const PLACES: &[Fault<Eu>] = &[
    disturb("a channel that is to wait goes on, from the 60th on", |_, before, after| {
        for (now, then) in after.channel_ip.iter_mut().zip(before.channel_ip) {
            *now = if then == 0 { 0 } else { *now };
        }
    })
    .after(60),
    disturb("a channel waits for ever from the 60th that goes on", |_, before, after| {
        for (now, then) in after.channel_ip.iter_mut().zip(before.channel_ip) {
            *now = if *now == 0 { then } else { *now };
        }
    })
    .after(60),
];

/// Faults of what all generations have.
const FAULTS: &[Fault<Eu>] = &[
    disturb("a loop not left from the 40th while that ends one on", |i, before, after| {
        if i.opcode == Opcode::While && after.ip > before.ip {
            after.ip = before.ip;
        }
    })
    .after(40),
    disturb("a computed jump one entry on from the 25th on", |i, _, after| {
        if i.opcode == Opcode::Jmpi && matches!(i.sources[1], Source::Register { .. }) {
            after.ip += 16;
        }
    })
    .after(24),
    disturb("a computed address lost from the 50th on", |i, before, after| {
        if i.destination.register.arf() == Some(ArfKind::Address) {
            after.address = before.address;
        }
    })
    .after(50),
    disturb("a load from a computed address off by one from the 30th on", |i, before, after| {
        if loads_indirectly(i) {
            changed_bit(before, after);
        }
    })
    .after(30),
    disturb("the upper channels' flags stale from the 80th comparison on", |i, before, after| {
        if i.opcode == Opcode::Cmp {
            for (new, old) in after.flag.iter_mut().zip(before.flag) {
                *new = *new & 0xFF | old & 0xFF00;
            }
        }
    })
    .after(80),
    disturb("a result of a block lost from the 150th on, in free runs", |i, before, after| {
        if matches!(i.opcode, Opcode::Add | Opcode::Xor | Opcode::Mov) {
            after.grf = before.grf;
        }
    })
    .after(150)
    .in_free_runs(),
    disturb("a loop left too soon from the 50th turn on, in free runs", |i, before, after| {
        if i.opcode == Opcode::While && after.ip < before.ip {
            after.ip = before.ip + 16;
        }
    })
    .after(50)
    .in_free_runs(),
];

fn loads_indirectly(instruction: &Instruction) -> bool {
    let indirect = |source: &Source| {
        matches!(source, Source::Register { register: Register::Indirect { .. }, .. })
    };
    instruction.sources.iter().any(indirect)
}

/// Changes the lowest bit of the first byte that was written.
fn changed_bit(before: &State, after: &mut State) {
    let mut bytes = before.grf.as_flattened().iter().zip(after.grf.as_flattened_mut());
    if let Some((_, new)) = bytes.find(|(old, new)| *old != &**new) {
        *new ^= 1;
    }
}
