//! Faults of control flow of Gen7 and later: where branches lead, which channels they send where, when
//! those go on, calls and returns, single program flow.

use parallax_isa::{
    Device,
    eu::{
        Instruction, Opcode, State,
        instruction::{Branch, PredicateControl},
        operand::{Register, Source},
        state::{channel_ip, control::SINGLE_PROGRAM_FLOW},
    },
};
use parallax_lockstep::{eu::flow, lockstep::Pace};

use super::{Eu, Fault, disturb, rewrite};
use crate::fault_injection::{Family, Mutate, all_are_found, all_are_found_at};

pub(super) const fn family(
    name: &'static str,
    device: Device,
    faults: &'static [Fault<Eu>],
) -> Family<Eu> {
    Family { name, device, generate: flow::any, bytes: flow::BYTES, faults }
}

static IVB: Family<Eu> = family("control flow of ivb", Device::Ivb, FAULTS);
static SKL: Family<Eu> = family("control flow of skl", Device::Skl, FAULTS);
static SEVERAL: [Family<Eu>; 3] = [
    family("waiting on ivb", Device::Ivb, OF_SEVERAL),
    family("waiting on skl", Device::Skl, OF_SEVERAL),
    family("join", Device::Skl, OF_JOIN),
];
static GOTO: Family<Eu> = family("goto and join", Device::Skl, OF_GOTO);

#[test]
fn faults_of_control_flow_of_ivb_are_found() {
    all_are_found_at(&IVB, Pace::Steps, Eu::LONGEST, SPARE);
}

#[test]
fn faults_of_control_flow_of_skl_are_found() {
    all_are_found_at(&SKL, Pace::Steps, Eu::LONGEST, SPARE);
    all_are_found_at(&GOTO, Pace::Steps, Eu::LONGEST, SPARE);
}

#[test]
fn faults_of_waiting_channels_are_found() {
    for family in &SEVERAL {
        all_are_found_at(family, Pace::Steps, Eu::LONGEST, SPARE);
    }
}

#[test]
fn faults_of_free_runs_of_later_devices_are_found() {
    all_are_found(&IVB.in_free_runs(6));
    all_are_found(&SKL.in_free_runs(6));
}

/// Instructions of the smallest programs beyond one each: a branch leads to an instruction of the
/// program, behind it as a rule, so that many need a second one.
pub(super) const SPARE: usize = 20;

/// Bytes of a branch: those that lead somewhere are never compact.
pub(super) const SLOT: i32 = 16;

/// Faults of every later device.
pub(super) const FAULTS: &[Fault<Eu>] = &[
    rewrite("if skips the first instruction of the other part", |i| jip(i, Opcode::If, SLOT)),
    rewrite("else leads behind the endif", |i| jip(i, Opcode::Else, SLOT)),
    rewrite("endif leads too far", |i| jip(i, Opcode::Endif, SLOT)),
    rewrite("while goes back too far", |i| jip(i, Opcode::While, -8)),
    rewrite("break without channels leads too far", |i| jip(i, Opcode::Break, SLOT)),
    rewrite("break sends channels behind the while", |i| uip(i, Opcode::Break, SLOT)),
    rewrite("cont without channels leads too far", |i| jip(i, Opcode::Cont, SLOT)),
    rewrite("cont sends channels behind the while", |i| uip(i, Opcode::Cont, SLOT)),
    rewrite("halt without channels leads too far", |i| jip(i, Opcode::Halt, SLOT)),
    rewrite("halt sends channels too far", |i| uip(i, Opcode::Halt, SLOT)),
    rewrite("call leads behind the start", |i| jip(i, Opcode::Call, SLOT)),
    rewrite("distances count in units twice as large", |i| {
        let branch = i.branch.as_mut()?;
        (branch.jip, branch.uip) = (branch.jip.map(|d| 2 * d), branch.uip.map(|d| 2 * d));
        Some(())
    }),
    rewrite("distances count from the next instruction", |i| moved(i, SLOT, SLOT)),
    rewrite("the two distances taken for each other", |i| {
        let branch = i.branch.as_mut().filter(|branch| branch.uip.is_some())?;
        std::mem::swap(&mut branch.jip, &mut branch.uip);
        Some(())
    }),
    rewrite("jmpi counts from itself", |i| match &mut i.sources[1] {
        Source::Immediate { bits, .. } if i.opcode == Opcode::Jmpi && *bits >= 2 => {
            // An instruction of 16 bytes: Gen7 counts in units of eight bytes, Gen9 in bytes.
            let in_bytes = *bits >= 16 && bits.is_multiple_of(8);
            *bits -= if in_bytes { 16 } else { 2 };
            Some(())
        }
        _ => None,
    }),
    rewrite("predicate of a branch ignored", |i| {
        is_predicated(i).then(|| i.predicate.control = PredicateControl::None)
    }),
    rewrite("predicate of a branch inverted", |i| {
        is_predicated(i).then(|| i.predicate.inverse = !i.predicate.inverse)
    }),
    rewrite("branch looks at the other half of the flag register", |i| {
        is_predicated(i).then(|| i.flag_subregister ^= 1)
    }),
    rewrite("branch looks at the other flag register", |i| {
        is_predicated(i).then(|| i.flag_register ^= 1)
    }),
    rewrite("branch asks all channels of a group instead of any", |i| {
        let control = match i.predicate.control {
            PredicateControl::Any2H => PredicateControl::All2H,
            PredicateControl::Any4H => PredicateControl::All4H,
            PredicateControl::Any8H => PredicateControl::All8H,
            PredicateControl::Any16H => PredicateControl::All16H,
            PredicateControl::Any32H => PredicateControl::All32H,
            PredicateControl::AnyV => PredicateControl::AllV,
            _ => return None,
        };
        is_predicated(i).then(|| i.predicate.control = control)
    }),
    rewrite("cont taken for break", |i| becomes(i, Opcode::Cont, Opcode::Break)),
    rewrite("break taken for cont", |i| becomes(i, Opcode::Break, Opcode::Cont)),
    rewrite("halt taken for break", |i| becomes(i, Opcode::Halt, Opcode::Break)),
    disturb("a break leaves no mark", |i, _, after| {
        if i.opcode == Opcode::Break {
            after.channel_ip.iter_mut().for_each(|place| *place &= !channel_ip::BY_BREAK);
        }
    }),
    disturb("one false channel of an if goes on", |i, before, after| {
        stays(i, Opcode::If, before, after, 1);
    }),
    disturb("no channel of an else waits", |i, before, after| {
        stays(i, Opcode::Else, before, after, 32);
    }),
    disturb("one channel of a break stays", |i, before, after| {
        stays(i, Opcode::Break, before, after, 1);
    }),
    disturb("one channel of a cont stays", |i, before, after| {
        stays(i, Opcode::Cont, before, after, 1);
    }),
    disturb("halted channels stay", |i, before, after| stays(i, Opcode::Halt, before, after, 32)),
    disturb("channels that leave a while stay", |i, before, after| {
        stays(i, Opcode::While, before, after, 32);
    }),
    disturb("channels that do not call go along", |i, before, after| {
        stays(i, Opcode::Call, before, after, 32);
    }),
    disturb("upper channels never wait", |_, before, after| {
        for channel in sent(before, after).filter(|channel| channel & 8 != 0) {
            after.channel_ip[channel] = 0;
        }
    }),
    disturb("channels wait one instruction early", |_, before, after| {
        for channel in sent(before, after) {
            after.channel_ip[channel] = after.channel_ip[channel].wrapping_sub(8);
        }
    }),
    disturb("endif does not jump where no channel goes on", |i, before, after| {
        falls_through(i, Opcode::Endif, before, after);
    }),
    disturb("if does not jump where no channel goes on", |i, before, after| {
        falls_through(i, Opcode::If, before, after);
    }),
    disturb("a call stores its own address", |i, before, after| {
        if let Some(link) = stored(i, before, after) {
            after.grf[link.0][link.1..link.1 + 4].copy_from_slice(&before.ip.to_le_bytes());
        }
    }),
    disturb("a call stores the mask of one channel more", |i, before, after| {
        if let Some(link) = stored(i, before, after) {
            let mask = &mut after.grf[link.0][link.1 + 4..link.1 + 8];
            mask[0] |= mask[0].wrapping_add(1);
        }
    }),
    disturb("ret leaves one channel in the routine", |i, before, after| {
        stays(i, Opcode::Ret, before, after, 1);
    }),
    disturb("ret goes on behind itself", |i, before, after| {
        falls_through(i, Opcode::Ret, before, after);
    }),
    disturb("branches send channels in single program flow", |i, before, after| {
        if is_alone(before) && i.opcode == Opcode::If {
            after.channel_ip[0] = before.ip & channel_ip::OFFSET | channel_ip::WAITS;
        }
    }),
    disturb("else in single program flow falls through", |i, before, after| {
        if is_alone(before) {
            falls_through(i, Opcode::Else, before, after);
        }
    }),
    rewrite("JIP without its upper bits", |i| {
        let jip = i.branch.as_mut()?.jip.as_mut()?;
        let cut = *jip << 15 >> 15;
        (cut != *jip).then(|| *jip = cut)
    }),
    rewrite("UIP without its upper bits", |i| {
        let uip = i.branch.as_mut()?.uip.as_mut()?;
        let cut = *uip << 15 >> 15;
        (cut != *uip).then(|| *uip = cut)
    }),
    disturb("a count of notifications with one bit more", |_, before, after| {
        if before.notification_count[0] == 0xFFFF && after.notification_count[0] == 0 {
            after.notification_count[0] = 0x1_0000;
        }
    })
    .rare(),
];

/// Faults that several instructions have to come together for: those that send channels somewhere, and
/// that which they wait at.
pub(super) const OF_SEVERAL: &[Fault<Eu>] = &[
    disturb("one channel sleeps on", |_, before, after| {
        if let Some(channel) = woken(before, after).next() {
            after.channel_ip[channel] = before.channel_ip[channel];
        }
    }),
    disturb("those that a break sent to a while sleep on", |i, before, after| {
        let by_break = |channel: &usize| before.channel_ip[*channel] & channel_ip::BY_BREAK != 0;
        for channel in woken(before, after).filter(by_break) {
            if i.opcode == Opcode::While {
                after.channel_ip[channel] = before.channel_ip[channel];
            }
        }
    }),
    disturb("where one channel goes on all do", |_, before, after| {
        if woken(before, after).next().is_some() {
            after.channel_ip = [0; 32];
        }
    }),
    disturb("else always jumps", |i, before, after| {
        if let (Opcode::Else, Some(Branch { jip: Some(jip), .. })) = (i.opcode, i.branch) {
            after.ip = before.ip.wrapping_add_signed(jip);
        }
    }),
    disturb("break in single program flow goes to the while", |i, before, after| {
        if let (true, Opcode::Break, Some(Branch { uip: Some(uip), .. })) =
            (is_alone(before), i.opcode, i.branch)
            && after.ip != before.ip + 16
        {
            after.ip = before.ip.wrapping_add_signed(uip) & channel_ip::OFFSET;
        }
    }),
];

/// The same, of what came with Gen8.
pub(super) const OF_JOIN: &[Fault<Eu>] = &[disturb("a join wakes none", |i, before, after| {
    for channel in woken(before, after) {
        if i.opcode == Opcode::Join {
            after.channel_ip[channel] = before.channel_ip[channel];
        }
    }
})];

/// Faults of what came with Gen8.
pub(super) const OF_GOTO: &[Fault<Eu>] = &[
    rewrite("goto without channels leads too far", |i| jip(i, Opcode::Goto, SLOT)),
    rewrite("goto sends channels too far", |i| uip(i, Opcode::Goto, SLOT)),
    rewrite("join leads too far", |i| jip(i, Opcode::Join, SLOT)),
    rewrite("goto of the other polarity", |i| {
        let branch = i.branch.as_mut().filter(|_| i.opcode == Opcode::Goto)?;
        branch.control = !branch.control;
        Some(())
    }),
    rewrite("else does not look at BranchCtrl", |i| {
        let branch = i.branch.as_mut().filter(|branch| branch.control)?;
        (i.opcode == Opcode::Else).then(|| branch.control = false)
    }),
    disturb("one channel of a goto stays", |i, before, after| {
        stays(i, Opcode::Goto, before, after, 1);
    }),
    disturb("join does not jump where no channel goes on", |i, before, after| {
        falls_through(i, Opcode::Join, before, after);
    }),
    disturb("channels from 16 on never wait", |_, before, after| {
        for channel in sent(before, after).filter(|channel| *channel >= 16) {
            after.channel_ip[channel] = 0;
        }
    }),
];

fn is_predicated(i: &Instruction) -> bool {
    i.branch.is_some() && i.predicate.control != PredicateControl::None
}

fn is_alone(state: &State) -> bool {
    state.control[0] & SINGLE_PROGRAM_FLOW != 0
}

fn becomes(i: &mut Instruction, from: Opcode, to: Opcode) -> Option<()> {
    (i.opcode == from).then(|| i.opcode = to)
}

/// Moves the targets of a branch.
fn moved(i: &mut Instruction, jip: i32, uip: i32) -> Option<()> {
    let branch = i.branch.as_mut()?;
    branch.jip = Some(branch.jip? + jip);
    branch.uip = branch.uip.map(|distance| distance + uip);
    Some(())
}

pub(super) fn jip(i: &mut Instruction, opcode: Opcode, by: i32) -> Option<()> {
    if i.opcode == opcode { moved(i, by, 0) } else { None }
}

fn uip(i: &mut Instruction, opcode: Opcode, by: i32) -> Option<()> {
    if i.opcode == opcode { moved(i, 0, by) } else { None }
}

/// The channels that a step sent somewhere.
fn sent(before: &State, after: &State) -> impl Iterator<Item = usize> + use<> {
    let (before, after) = (before.channel_ip, after.channel_ip);
    (0..32).filter(move |&channel| after[channel] != 0 && after[channel] != before[channel])
}

/// The channels that went on in a step.
fn woken(before: &State, after: &State) -> impl Iterator<Item = usize> + use<> {
    let (before, after) = (before.channel_ip, after.channel_ip);
    (0..32).filter(move |&channel| after[channel] == 0 && before[channel] != 0)
}

/// Undoes that an operation sent the first of its channels somewhere.
fn stays(i: &Instruction, opcode: Opcode, before: &State, after: &mut State, channels: usize) {
    for channel in sent(before, after).take(channels) {
        if i.opcode == opcode {
            after.channel_ip[channel] = 0;
        }
    }
}

/// Undoes that an operation jumped.
fn falls_through(i: &Instruction, opcode: Opcode, before: &State, after: &mut State) {
    if i.opcode == opcode {
        after.ip = before.ip + 16;
    }
}

/// Register and byte at which a call stored where it came from.
fn stored(i: &Instruction, before: &State, after: &State) -> Option<(usize, usize)> {
    match i.destination.register {
        Register::Direct { number, subregister, .. }
            if i.opcode == Opcode::Call && before.grf != after.grf =>
        {
            Some((number.into(), subregister.into()))
        }
        _ => None,
    }
}
