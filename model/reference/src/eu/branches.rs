//! Flow control of Gen7 and later: every channel has an instruction pointer of its own (talk, slides on
//! structured and unstructured control flow; Gen7 volume 4, section 1.1).
//!
//! `State::channel_ip` says where channels wait; the others go with the thread. Waiting channels go on
//! when the instruction they wait at is executed ([`Thread::wake`]).

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::Branch,
    operand::{Destination, DestinationRegion, Register, Source},
    register::RegisterFile,
    state::channel_ip,
};
use parallax_isa::{Extent, device::Generation};

use super::{
    region::Place,
    thread::{Executed, Thread, Unpredictable},
};

/// What an instruction does.
type Operation = fn(&mut Thread, &Instruction) -> Executed;

/// What one does where channels part, and in single program flow.
fn operations(opcode: Opcode) -> Option<[Operation; 2]> {
    Some(match opcode {
        Opcode::If => [if_, |thread, branch| thread.jump_alone(branch, Unless::True, jip)],
        Opcode::Else => [else_, |thread, branch| thread.jump_by(jip(branch)?)],
        Opcode::Endif => [endif, |_, _| Ok(())],
        Opcode::While => [while_, |thread, branch| thread.jump_alone(branch, Unless::False, jip)],
        Opcode::Break => [break_, break_alone],
        Opcode::Cont | Opcode::Halt => [
            |thread, branch| thread.park(branch, 0),
            |thread, branch| thread.jump_alone(branch, Unless::False, uip),
        ],
        Opcode::Jmpi => [jmpi, jmpi],
        Opcode::Call => [
            |thread, branch| call(thread, branch, Target::Relative),
            |thread, branch| call_alone(thread, branch, Target::Relative),
        ],
        Opcode::Calla => [
            |thread, branch| call(thread, branch, Target::Absolute),
            |thread, branch| call_alone(thread, branch, Target::Absolute),
        ],
        Opcode::Ret => [ret, ret_alone],
        Opcode::Goto => [goto, goto_alone],
        Opcode::Join => [join, |_, _| Ok(())],
        _ => return None,
    })
}

/// Executes a flow control instruction of Gen7 and later, if it is one.
pub(super) fn execute(thread: &mut Thread, instruction: &Instruction) -> Option<Executed> {
    if matches!(instruction.opcode, Opcode::Brd | Opcode::Brc) {
        let mnemonic = instruction.opcode.mnemonic();
        let message = format!("what {mnemonic} does to channels is not said anywhere");
        return Some(Err(Unpredictable(message)));
    }
    let [execute, alone] = operations(instruction.opcode)?;
    if thread.single_program_flow() {
        // Decision D-eu-later-single-flow.
        return Some(alone(thread, instruction));
    }
    // Decision D-eu-later-branch-channels.
    Some(execute(thread, instruction))
}

fn branch(instruction: &Instruction) -> Executed<Branch> {
    let mnemonic = instruction.opcode.mnemonic();
    instruction.branch.ok_or_else(|| Unpredictable(format!("{mnemonic} without a target")))
}

fn jip(instruction: &Instruction) -> Executed<i32> {
    let sentence = || Unpredictable("the branch has no jump distance of its own".to_owned());
    branch(instruction)?.jip.ok_or_else(sentence)
}

fn uip(instruction: &Instruction) -> Executed<i32> {
    let sentence = || Unpredictable("the branch has no update distance".to_owned());
    branch(instruction)?.uip.ok_or_else(sentence)
}

/// What a branch in single program flow falls through for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unless {
    /// A true predicate.
    True,
    /// A false one.
    False,
}

/// What the distance of a call counts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Relative,
    Absolute,
}

impl Thread {
    /// Lets the channels go on that wait at the instruction about to be executed; those that a `break`
    /// sent to a `while` wait until it does not go back.
    pub(super) fn wake(&mut self, instruction: &Instruction) {
        if self.single_program_flow() {
            return;
        }
        let here = self.instruction_offset & channel_ip::OFFSET;
        let is_while = instruction.opcode == Opcode::While;
        for place in self.state.channel_ip.iter_mut().filter(|place| **place != 0) {
            let by_break = *place & channel_ip::BY_BREAK != 0;
            if *place & channel_ip::OFFSET == here && !(by_break && is_while) {
                // Decision D-eu-later-waking.
                *place = 0;
            }
        }
    }

    /// The address a distance from the branch leads to.
    fn target(&self, distance: i32) -> u32 {
        self.aligned(self.instruction_offset.wrapping_add_signed(distance))
    }

    fn jump_by(&mut self, distance: i32) -> Executed {
        self.jump(self.target(distance));
        Ok(())
    }

    /// Makes channels wait at an address.
    fn send_to(&mut self, channels: u32, address: u32, mark: u32) {
        for (channel, place) in self.state.channel_ip.iter_mut().enumerate() {
            if channels >> channel & 1 == 1 {
                *place = address & channel_ip::OFFSET | channel_ip::WAITS | mark;
            }
        }
    }

    /// The channels that go with the thread, by the branch's predicate: true ones, false ones.
    fn divided(&mut self, instruction: &Instruction) -> [u32; 2] {
        let going = self.going_mask();
        let predicate = self.predicate_of_channels(instruction);
        self.division = [going & predicate, going & !predicate];
        self.division
    }

    /// The channels that go with the thread, of a branch that has no predicate.
    fn undivided(&mut self) -> u32 {
        self.division = [self.going_mask(), 0];
        self.division[0]
    }

    /// `break`, `cont` and `halt`: the true channels wait at UIP; if none is left, jumps by JIP.
    fn park(&mut self, instruction: &Instruction, mark: u32) -> Executed {
        let [taken, left] = self.divided(instruction);
        let (jip, uip) = (jip(instruction)?, uip(instruction)?);
        self.send_to(taken, self.target(uip), mark);
        if left == 0 {
            return self.jump_by(jip);
        }
        Ok(())
    }

    /// Whether the predicate of the first channel of an instruction's group is true.
    fn first_predicate(&mut self, instruction: &Instruction) -> bool {
        let predicate = self.predicate_of_channels(instruction);
        self.division = [predicate, !predicate];
        predicate >> instruction.first_channel.min(31) & 1 == 1
    }

    /// A branch in single program flow.
    fn jump_alone(
        &mut self,
        instruction: &Instruction,
        unless: Unless,
        distance: fn(&Instruction) -> Executed<i32>,
    ) -> Executed {
        if self.first_predicate(instruction) == (unless == Unless::True) {
            return Ok(());
        }
        self.jump_by(distance(instruction)?)
    }

    /// A doubleword operand of a branch: an element of its region.
    fn scalar(&self, source: &Source, number: usize) -> Executed<u32> {
        match *source {
            Source::Immediate { bits, .. } => Ok(bits as u32),
            Source::Register { register, region, data_type, .. } if data_type.size() == 4 => {
                match self.source_places(register, region, [4, 4], 2)?[number] {
                    Place::Byte(offset) => Ok(self.element(offset, 4) as u32),
                    _ => Err(Unpredictable("the operand of the branch has no value".to_owned())),
                }
            }
            Source::Register { .. } => {
                Err(Unpredictable("the operand of the branch is no doubleword".to_owned()))
            }
        }
    }
}

/// `if`: false channels wait at JIP; if no channel is true, jumps there.
fn if_(thread: &mut Thread, instruction: &Instruction) -> Executed {
    let [taken, left] = thread.divided(instruction);
    let jip = jip(instruction)?;
    thread.send_to(left, thread.target(jip), 0);
    if taken == 0 {
        return thread.jump_by(jip);
    }
    Ok(())
}

/// `else`: its channels wait at the `endif`; goes on if a channel waits behind it.
fn else_(thread: &mut Thread, instruction: &Instruction) -> Executed {
    // Decision D-eu-later-branches.
    let going = thread.undivided();
    let distances = branch(instruction)?;
    let jip = jip(instruction)?;
    let end = if distances.control { uip(instruction)? } else { jip };
    let next = thread.next_offset & channel_ip::OFFSET;
    let has_others = thread
        .state
        .channel_ip
        .iter()
        .any(|place| *place != 0 && place & channel_ip::OFFSET == next);
    thread.send_to(going, thread.target(end), 0);
    if has_others { Ok(()) } else { thread.jump_by(jip) }
}

/// `endif`: jumps by JIP if no channel goes on.
fn endif(thread: &mut Thread, instruction: &Instruction) -> Executed {
    if thread.undivided() == 0 {
        return thread.jump_by(jip(instruction)?);
    }
    Ok(())
}

/// `while`: goes back if a channel is true; then the false ones wait behind it. Otherwise the loop is
/// over, for those that left it by `break` too.
fn while_(thread: &mut Thread, instruction: &Instruction) -> Executed {
    // Decision D-eu-later-branches.
    let [taken, left] = thread.divided(instruction);
    if taken != 0 {
        thread.send_to(left, thread.next_offset, 0);
        return thread.jump_by(jip(instruction)?);
    }
    let here = thread.instruction_offset & channel_ip::OFFSET;
    for place in &mut thread.state.channel_ip {
        if *place == here | channel_ip::WAITS | channel_ip::BY_BREAK {
            *place = 0;
        }
    }
    Ok(())
}

/// `break`: true channels leave the loop.
fn break_(thread: &mut Thread, instruction: &Instruction) -> Executed {
    thread.park(instruction, channel_ip::BY_BREAK)
}

/// `break` in single program flow: goes on behind the `while`.
fn break_alone(thread: &mut Thread, instruction: &Instruction) -> Executed {
    if !thread.first_predicate(instruction) {
        return Ok(());
    }
    let end = thread.target(uip(instruction)?);
    thread.jump(end);
    thread.passes_next = true;
    Ok(())
}

/// `jmpi`: jumps some bytes from the next instruction if the predicate of its channel is true.
fn jmpi(thread: &mut Thread, instruction: &Instruction) -> Executed {
    if thread.since(Generation::Gen12) {
        return jmpi_from_itself(thread, instruction);
    }
    let index = thread.scalar(&instruction.sources[1], 0)?;
    if !thread.first_predicate(instruction) {
        return Ok(());
    }
    let bytes = if thread.since(Generation::Gen8) {
        index as i32
    } else {
        let Ok(units) = i16::try_from(index as i32) else {
            return Err(Unpredictable("a jump farther than 16 bits of 8 bytes".to_owned()));
        };
        8 * i32::from(units)
    };
    thread.jump(thread.next_offset.wrapping_add_signed(bytes));
    Ok(())
}

/// `jmpi` on Gen12: as the other branches it counts from itself.
fn jmpi_from_itself(thread: &mut Thread, instruction: &Instruction) -> Executed {
    let target = callee(thread, instruction, Target::Relative)?;
    if thread.first_predicate(instruction) {
        thread.jump(target);
    }
    Ok(())
}

/// Where a call leads.
fn callee(thread: &Thread, instruction: &Instruction, target: Target) -> Executed<u32> {
    let distance = match branch(instruction)?.jip {
        Some(distance) => distance,
        None if thread.since(Generation::Gen12) => {
            thread.scalar(&instruction.sources[0], 0)? as i32
        }
        // Distances of the others in the instruction count eight bytes; nothing says what this one does.
        None if !thread.since(Generation::Gen8) => {
            return Err(Unpredictable("a call of Gen7 with its distance in a register".to_owned()));
        }
        None => thread.scalar(&instruction.sources[1], 0)? as i32,
    };
    Ok(match target {
        Target::Relative => thread.target(distance),
        Target::Absolute => thread.aligned(distance as u32),
    })
}

/// Writes the return address and the mask of a call.
fn save(thread: &mut Thread, instruction: &Instruction, mask: u32) -> Executed {
    let destination = instruction.destination;
    if destination.register.is_null() {
        return Ok(());
    }
    let Some(first) = pair(thread, destination.register) else {
        let sentence = "a call that does not store two doublewords of a general register";
        return Err(Unpredictable(sentence.to_owned()));
    };
    let is_pair =
        destination.data_type.size() == 4 && destination.region == DestinationRegion::Stride(1);
    if !is_pair && !thread.since(Generation::Gen8) {
        return Err(Unpredictable("a call stores two doublewords side by side".to_owned()));
    }
    for (offset, value) in [(first, thread.next_offset), (first + 4, mask)] {
        thread.write_register(Extent::whole(offset, 4), value.into());
    }
    Ok(())
}

/// The two neighbouring doublewords of a general register that a call and a return name, whatever the types and
/// regions that stand beside it.
fn pair(thread: &Thread, register: Register) -> Option<usize> {
    // Decision D-eu-call-pair.
    let Register::Direct { file: RegisterFile::Grf, .. } = register else { return None };
    let doublewords =
        Destination { register, data_type: DataType::Ud, region: DestinationRegion::Stride(1) };
    match thread.destination_places(&doublewords, 4, 2).ok()?.as_slice() {
        [Place::Byte(first), Place::Byte(second)] if *second == first + 4 => Some(*first),
        _ => None,
    }
}

/// `call`: dst = the address behind it and the channels that call, which go on at the target; the others
/// wait behind it.
fn call(thread: &mut Thread, instruction: &Instruction, target: Target) -> Executed {
    // Decision D-eu-later-branches.
    let [taken, left] = thread.divided(instruction);
    let callee = callee(thread, instruction, target)?;
    if taken == 0 {
        return Ok(());
    }
    save(thread, instruction, taken)?;
    thread.send_to(left, thread.next_offset, 0);
    thread.jump(callee);
    Ok(())
}

fn call_alone(thread: &mut Thread, instruction: &Instruction, target: Target) -> Executed {
    let callee = callee(thread, instruction, target)?;
    if thread.first_predicate(instruction) {
        save(thread, instruction, thread.dispatch_mask())?;
        thread.jump(callee);
    }
    Ok(())
}

/// `ret`: channels that called go on at the stored address, the thread too if none stays.
fn ret(thread: &mut Thread, instruction: &Instruction) -> Executed {
    // Decision D-eu-later-branches.
    let [address, mask] = return_values(thread, instruction)?;
    let [taken, left] = thread.divided(instruction);
    thread.send_to(taken & mask, address, 0);
    if left | taken & !mask == 0 {
        thread.jump(address);
    }
    Ok(())
}

fn ret_alone(thread: &mut Thread, instruction: &Instruction) -> Executed {
    let [address, _] = return_values(thread, instruction)?;
    if thread.first_predicate(instruction) {
        thread.jump(address);
    }
    Ok(())
}

fn return_values(thread: &Thread, instruction: &Instruction) -> Executed<[u32; 2]> {
    let source = &instruction.sources[0];
    if let Source::Register { register, .. } = *source
        && thread.since(Generation::Gen8)
        && let Some(first) = pair(thread, register)
    {
        let [address, mask] = [first, first + 4].map(|offset| thread.element(offset, 4) as u32);
        return Ok([thread.aligned(address), mask]);
    }
    Ok([thread.aligned(thread.scalar(source, 0)?), thread.scalar(source, 1)?])
}

/// `goto`: forward, true channels fall through and the others wait at UIP, on Gen12 the other way round;
/// backward (BranchCtrl), true channels go to UIP and the others wait behind it.
fn goto(thread: &mut Thread, instruction: &Instruction) -> Executed {
    // Decision D-eu-later-branches.
    let [taken, left] = thread.divided(instruction);
    let (target, jip) = (thread.target(uip(instruction)?), jip(instruction)?);
    if branch(instruction)?.control {
        if taken != 0 {
            thread.send_to(left, thread.next_offset, 0);
            thread.jump(target);
        } else if left == 0 {
            return thread.jump_by(jip);
        }
        return Ok(());
    }
    let [leaving, staying] = match thread.since(Generation::Gen12) {
        true => [taken, left],
        false => [left, taken],
    };
    thread.send_to(leaving, target, 0);
    if staying == 0 { thread.jump_by(jip) } else { Ok(()) }
}

fn goto_alone(thread: &mut Thread, instruction: &Instruction) -> Executed {
    let goes_if_true = branch(instruction)?.control || thread.since(Generation::Gen12);
    let unless = if goes_if_true { Unless::False } else { Unless::True };
    thread.jump_alone(instruction, unless, uip)
}

/// `join`: jumps to the next one if no channel goes on.
fn join(thread: &mut Thread, instruction: &Instruction) -> Executed {
    if thread.undivided() == 0 {
        return thread.jump_by(jip(instruction)?);
    }
    Ok(())
}
