//! Control flow by a place for each channel (decisions D-eu-later-waking, -branch-channels,
//! -branches, -single-flow).

use parallax_isa::eu::{
    State,
    register::{REGISTER_BYTES, RegisterFile},
};

use super::{
    fields::Generation,
    instruction::{Instruction, Source},
    lanes::{CHANNELS, Kind},
    mask::{self, MaskRule},
    operand::{Operand, Use},
    operation::{BEFORE_GEN12, Branch, Operands, Operation, SINCE_GEN9, branch, undefined},
};
use crate::eu::{
    description::{Channels, LaterBranch, LaterKind},
    instruction::{Origin, Region},
};

const OPEN: &str = "the manuals do not say what brd and brc do";

/// The operations.
pub(super) const ROWS: &[Operation] = &[
    branch(0x20, "jmpi", Operands::Jump, Branch::Jump),
    undefined(0x21, "brd", Operands::BranchTo(1), OPEN),
    branch(0x22, "if", Operands::Branch, Branch::If),
    undefined(0x23, "brc", Operands::BranchTo(2), OPEN),
    branch(0x24, "else", Operands::Branch, Branch::Else),
    branch(0x25, "endif", Operands::Branch, Branch::EndIf),
    branch(0x27, "while", Operands::Branch, Branch::While),
    branch(0x28, "break", Operands::Branch, Branch::Break),
    branch(0x29, "cont", Operands::Branch, Branch::Continue),
    branch(0x2A, "halt", Operands::Branch, Branch::Halt),
    branch(0x2B, "calla", Operands::Call, Branch::CallAbsolute).on(SINCE_GEN9),
    branch(0x2C, "call", Operands::Call, Branch::Call),
    branch(0x2D, "ret", Operands::Return, Branch::Return),
    branch(0x2E, "goto", Operands::Branch, Branch::Goto).on(SINCE_GEN9),
    branch(0x2F, "join", Operands::Branch, Branch::Join).on(SINCE_GEN9),
    branch(0x30, "wait", Operands::One, Branch::Wait).on(BEFORE_GEN12),
];

/// Marks of a place where a channel waits.
const WAITS: u32 = 1 << 0;
const BY_BREAK: u32 = 1 << 1;
const PLACE: u32 = !7;

/// A branch, resolved.
pub(super) struct FlowOp {
    branch: Branch,
    generation: Generation,
    /// Which channels its predicate is true for.
    rule: MaskRule,
    /// The channel that decides in single program flow, counted from the first of the predicate.
    decisive: u8,
    at: u32,
    next: u32,
    /// Where JIP and UIP lead.
    jip: u32,
    uip: u32,
    branch_control: bool,
    /// A register holds where `jmpi` leads.
    jumps_by_register: bool,
    /// A register holds where `call` leads.
    calls_by_register: bool,
    /// The distance of `jmpi`, or the return address and mask of `ret`.
    operand: Operand,
    /// First byte of the two doublewords that `call` writes, from Gen9 on of those that `ret` reads too: types and
    /// regions beside the register mean nothing there.
    link: Option<usize>,
    /// Which notification `wait` waits for.
    notification: usize,
    /// Behind the instruction at UIP, if there is one.
    behind_uip: u32,
}

/// Why a branch does not end as a step like others.
pub(super) enum Stop {
    /// A `wait` found nothing to wait for.
    Stalls,
    Undefined(&'static str),
}

/// Whether a channel waits, whatever marks it.
pub(super) fn any_waits(state: &State) -> bool {
    state.channel_ip.iter().fold(0, |all, place| all | place) != 0
}

/// Whether a channel waits at one of the places from `first` on before `end`.
pub(super) fn waits_within(state: &State, first: u32, end: u32) -> bool {
    state.channel_ip.iter().any(|place| *place != 0 && (first..end).contains(&(place & PLACE)))
}

/// Channels that wait at the instruction go on with the thread; a `while` passes over those that a
/// `break` sent there.
pub(super) fn wake(state: &mut State, at: u32, is_while: bool) {
    if !any_waits(state) || mask::is_single_flow(state) {
        return;
    }
    for place in &mut state.channel_ip {
        let passed_over = is_while && *place & BY_BREAK != 0;
        if *place != 0 && *place & PLACE == at && !passed_over {
            *place = 0;
        }
    }
}

impl FlowOp {
    /// Resolves a branch; `behind` finds the place behind the instruction at another.
    pub(super) fn new(
        instruction: &Instruction,
        branch: Branch,
        next: u32,
        behind: impl Fn(u32) -> Option<u32>,
    ) -> Self {
        let at = instruction.at;
        // Branches move all channels, whatever group they name; `jmpi` looks at its first one.
        let first = if branch == Branch::Jump { instruction.first_channel } else { 0 };
        let rule =
            MaskRule::of(&Instruction { first_channel: first, ..*instruction }, u32::MAX, false);
        let target = |distance: i32| at.wrapping_add_signed(distance) & PLACE;
        let uip = target(instruction.distances.uip);
        let how =
            Use { kind: Kind::Raw, exact: true, inverts: false, is_widest: false, doubled: false };
        let operand = Operand::of(instruction, &instruction.sources[0], how);
        let place = |file, origin| match origin {
            Origin::Direct { number, subregister } if file == RegisterFile::Grf => {
                Some(usize::from(number) * REGISTER_BYTES + usize::from(subregister))
            }
            _ => None,
        };
        let destination = &instruction.destination;
        Self {
            branch,
            generation: instruction.generation,
            rule,
            decisive: if branch == Branch::Jump { 0 } else { instruction.first_channel.min(31) },
            at,
            next,
            jip: target(instruction.distances.jip),
            uip,
            jumps_by_register: !matches!(instruction.sources[0], Source::Immediate { .. }),
            calls_by_register: matches!(branch, Branch::Call | Branch::CallAbsolute)
                && instruction.source_count == 1,
            branch_control: instruction.accumulator_control
                && instruction.generation >= Generation::Gen9,
            operand,
            link: match (branch, &instruction.sources[0]) {
                (Branch::Return, Source::Register(from))
                    if instruction.generation > Generation::Gen7 =>
                {
                    place(from.file, from.origin)
                }
                (Branch::Return, _) => None,
                _ => place(destination.file, destination.origin),
            },
            notification: match instruction.sources[0] {
                Source::Register(Region { origin: Origin::Direct { subregister, .. }, .. }) => {
                    usize::from(subregister) / 4
                }
                _ => 0,
            },
            behind_uip: behind(uip).unwrap_or(uip),
        }
    }

    /// What it is to code, if code can be made of it. The state is only that which distances are read in.
    pub(super) fn compiled(&self, state: &State) -> Option<LaterBranch> {
        let kind = match self.branch {
            Branch::Jump if self.jumps_by_register => return None,
            Branch::Jump => LaterKind::Jump,
            Branch::If => LaterKind::If { to: self.jip },
            Branch::Else => {
                LaterKind::Else { to: if self.branch_control { self.uip } else { self.jip } }
            }
            Branch::EndIf | Branch::Join => LaterKind::EndIf,
            Branch::While => LaterKind::While,
            Branch::Break => LaterKind::Break,
            Branch::Continue | Branch::Halt => LaterKind::Continue,
            Branch::Goto if self.branch_control => LaterKind::GotoBack,
            Branch::Goto if self.generation == Generation::Gen12 => LaterKind::Continue,
            Branch::Goto => LaterKind::If { to: self.uip },
            Branch::Call | Branch::CallAbsolute | Branch::Return | Branch::Wait => return None,
        };
        let Channels { predicate, flag, .. } = self.rule.described()?;
        // The upper half of a flag register is that of the channels from 16 on.
        let is_whole = kind == LaterKind::Jump || flag.is_multiple_of(32);
        let jip = if kind == LaterKind::Jump { self.jump_target(state) } else { self.jip };
        (is_whole || predicate.is_none()).then_some(LaterBranch {
            kind,
            predicate,
            at: self.at,
            next: self.next,
            jip,
            uip: self.uip,
        })
    }

    /// Whether channels that a `break` sent to it go on later.
    pub(super) fn is_while(&self) -> bool {
        self.branch == Branch::While
    }

    /// Executes it; the instruction pointer already names the next instruction.
    pub(super) fn run(&self, state: &mut State) -> Result<(), Stop> {
        match self.branch {
            Branch::Jump => self.jump(state),
            Branch::Wait => return self.wait(state),
            _ if mask::is_single_flow(state) => self.run_as_one(state),
            _ => self.run_channels(state),
        }
        Ok(())
    }

    /// The thread as a whole, by the predicate of the first channel.
    fn jump(&self, state: &mut State) {
        if self.rule.predicate(state) & 1 == 1 {
            state.ip = self.jump_target(state);
        }
    }

    fn jump_target(&self, state: &State) -> u32 {
        // Gen12 counts from the instruction itself.
        let from = if self.generation == Generation::Gen12 { self.at } else { self.next };
        from.wrapping_add_signed(self.distance(state)) & PLACE
    }

    /// Bytes to the target of `jmpi`.
    fn distance(&self, state: &State) -> i32 {
        let mut bits = [0; CHANNELS];
        self.operand.bits(state, 1, &mut bits);
        let distance = bits[0] as i32;
        match self.generation {
            Generation::Gen7 => distance.wrapping_mul(8),
            _ => distance,
        }
    }

    fn call_target(&self, state: &State) -> u32 {
        if self.calls_by_register {
            let mut bits = [0; CHANNELS];
            self.operand.bits(state, 1, &mut bits);
            let from = if self.branch == Branch::CallAbsolute { 0 } else { self.at };
            return from.wrapping_add(bits[0] as u32) & PLACE;
        }
        if self.branch == Branch::CallAbsolute { self.jip.wrapping_sub(self.at) } else { self.jip }
    }

    /// The address and the mask that a `call` left.
    fn link(&self, state: &State) -> (u32, u32) {
        let stored = self.link.and_then(|at| state.grf.as_flattened().get(at..)?.first_chunk());
        if let Some(bytes) = stored {
            let link = u64::from_le_bytes(*bytes);
            return (link as u32 & PLACE, (link >> 32) as u32);
        }
        let mut bits = [0; CHANNELS];
        self.operand.bits(state, 2, &mut bits);
        (bits[0] as u32 & PLACE, bits[1] as u32)
    }

    fn store_link(&self, state: &mut State, mask: u32) {
        let link = u64::from(mask) << 32 | u64::from(self.next);
        let place = self.link.and_then(|at| state.grf.as_flattened_mut().get_mut(at..at + 8));
        if let Some(place) = place {
            place.copy_from_slice(&link.to_le_bytes());
        }
    }

    fn wait(&self, state: &mut State) -> Result<(), Stop> {
        let Some(count) = state.notification_count.get_mut(self.notification) else {
            return Err(Stop::Undefined("there is no such notification register"));
        };
        match count.checked_sub(1) {
            Some(left) => {
                *count = left;
                Ok(())
            }
            None => {
                state.ip = self.at;
                Err(Stop::Stalls)
            }
        }
    }

    fn run_channels(&self, state: &mut State) {
        let active = mask::active(self.generation, state);
        let yes = active & self.rule.predicate(state);
        let no = active & !yes;
        // Where the thread goes, if some channel goes on behind the branch and if none does.
        let go = |state: &mut State, stays: u32, target: u32| {
            if stays == 0 {
                state.ip = target;
            }
        };
        match self.branch {
            Branch::If => {
                park(state, no, self.jip, 0);
                go(state, yes, self.jip);
            }
            Branch::Else => {
                let behind = waiting_at(state, self.next);
                let place = if self.branch_control { self.uip } else { self.jip };
                park(state, active, place, 0);
                go(state, behind, self.jip);
            }
            Branch::EndIf | Branch::Join => go(state, active, self.jip),
            Branch::While if yes != 0 => {
                park(state, no, self.next, 0);
                state.ip = self.jip;
            }
            Branch::While => wake(state, self.at, false),
            Branch::Break => {
                park(state, yes, self.uip, BY_BREAK);
                go(state, no, self.jip);
            }
            Branch::Continue | Branch::Halt => {
                park(state, yes, self.uip, 0);
                go(state, no, self.jip);
            }
            Branch::Goto if !self.branch_control => {
                // Gen12 sends those whose predicate is true.
                let [leave, stay] =
                    if self.generation == Generation::Gen12 { [yes, no] } else { [no, yes] };
                park(state, leave, self.uip, 0);
                go(state, stay, self.jip);
            }
            Branch::Goto if yes != 0 => {
                park(state, no, self.next, 0);
                state.ip = self.uip;
            }
            Branch::Goto => go(state, no, self.jip),
            Branch::Call | Branch::CallAbsolute => {
                if yes != 0 {
                    let target = self.call_target(state);
                    self.store_link(state, yes);
                    park(state, no, self.next, 0);
                    state.ip = target;
                }
            }
            Branch::Return => {
                let (address, stored) = self.link(state);
                park(state, yes & stored, address, 0);
                go(state, active & !(yes & stored), address);
            }
            Branch::Jump | Branch::Wait => {}
        }
    }

    /// In single program flow: by the predicate of the first channel of its group, for the whole thread.
    fn run_as_one(&self, state: &mut State) {
        let yes = self.rule.predicate(state) >> self.decisive & 1 == 1;
        let target = match self.branch {
            Branch::If if !yes => Some(self.jip),
            Branch::Else => Some(self.jip),
            Branch::While if yes => Some(self.jip),
            Branch::Continue | Branch::Halt if yes => Some(self.uip),
            Branch::Break if yes => Some(self.behind_uip),
            Branch::Goto
                if yes == (self.branch_control || self.generation == Generation::Gen12) =>
            {
                Some(self.uip)
            }
            Branch::Call | Branch::CallAbsolute if yes => {
                let target = self.call_target(state);
                self.store_link(state, mask::dispatched(self.generation, state));
                Some(target)
            }
            Branch::Return if yes => Some(self.link(state).0),
            _ => None,
        };
        if let Some(target) = target {
            state.ip = target;
        }
    }
}

/// Makes channels wait at a place.
fn park(state: &mut State, channels: u32, place: u32, mark: u32) {
    for (channel, entry) in state.channel_ip.iter_mut().enumerate() {
        if channels >> channel & 1 == 1 {
            *entry = place & PLACE | WAITS | mark;
        }
    }
}

/// The channels that wait at a place, whatever sent them there.
fn waiting_at(state: &State, at: u32) -> u32 {
    let places = state.channel_ip.iter().enumerate();
    let waits = |place: u32| place != 0 && place & PLACE == at;
    places.fold(0, |mask, (channel, place)| mask | u32::from(waits(*place)) << channel)
}
