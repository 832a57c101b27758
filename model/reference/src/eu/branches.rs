//! Flow control of Gen7 and later: every channel has an instruction pointer of its own (talk, slides on
//! structured and unstructured control flow; Gen7 volume 4, section 1.1).
//!
//! `State::channel_ip` says where channels wait; the others go with the thread. Waiting channels go on
//! when the instruction they wait at is executed ([`Thread::wake`]).

use parallax_isa::eu::{
    DataType, Instruction, Opcode,
    instruction::{Branch, PredicateControl},
    operand::{Destination, DestinationRegion, Register, Source},
    register::RegisterFile,
    state::channel_ip,
};
use parallax_isa::{Extent, device::Generation};
use parallax_spec::{decision, rule};

use super::{
    modes::Mode,
    region::Place,
    rules::{Rules, count},
    thread::{Executed, Thread, Unpredictable},
};

/// A flow control instruction.
struct Row {
    opcode: Opcode,
    /// What it does.
    execute: fn(&mut Thread, &Instruction) -> Executed,
    /// What it does in single program flow.
    alone: fn(&mut Thread, &Instruction) -> Executed,
    rules: Rules,
}

/// Every flow control instruction of Gen7 and later.
static BRANCHES: &[Row] = &[
    Row {
        opcode: Opcode::If,
        execute: if_,
        alone: |thread, instruction| thread.jump_alone(instruction, Unless::True, jip),
        rules: rules![
            "gen7.isa.cf.if-fields",
            "gen7.isa.cf.if-true",
            "gen7.isa.cf.if-false",
            "gen7.isa.cf.if-none",
            "gen7.isa.cf.if-nopred",
            "talk.if.operands",
            "talk.if.failing",
            "talk.if.entering",
            "talk.if.skip",
            "talk.if.inactive-channels",
            "talk.if.example"
        ],
    },
    Row {
        opcode: Opcode::Else,
        execute: else_,
        alone: |thread, instruction| thread.jump_by(jip(instruction)?),
        rules: rules![
            "gen7.isa.cf.else-fields",
            "gen7.isa.cf.else",
            "talk.else.operands",
            "talk.else.semantics"
        ],
    },
    Row {
        opcode: Opcode::Endif,
        execute: endif,
        alone: |_, _| Ok(()),
        rules: rules![
            "gen7.isa.cf.endif",
            "gen7.isa.cf.endif-jip",
            "talk.endif.semantics",
            "talk.endif.jip-target"
        ],
    },
    Row {
        opcode: Opcode::While,
        execute: while_,
        alone: |thread, instruction| thread.jump_alone(instruction, Unless::False, jip),
        rules: rules![
            "gen7.isa.cf.while-fields",
            "gen7.isa.cf.while-true",
            "gen7.isa.cf.while-false",
            "gen7.isa.cf.while-jump",
            "talk.while.operands",
            "talk.while.semantics",
            "talk.while.loop-32",
            "talk.while.break-waiters"
        ],
    },
    Row {
        opcode: Opcode::Break,
        execute: break_,
        alone: break_alone,
        rules: rules![
            "gen7.isa.cf.break-fields",
            "gen7.isa.cf.break",
            "gen7.isa.cf.break-none",
            "talk.break.operands",
            "talk.break.semantics",
            "talk.break.jump",
            "talk.break.example",
            "talk.nested.example",
            "talk.nested.all-break"
        ],
    },
    Row {
        opcode: Opcode::Cont,
        execute: |thread, instruction| thread.park(instruction, 0),
        alone: |thread, instruction| thread.jump_alone(instruction, Unless::False, uip),
        rules: rules!["gen7.isa.cf": "cont-fields", "cont", "cont-none"],
    },
    Row {
        opcode: Opcode::Halt,
        execute: |thread, instruction| thread.park(instruction, 0),
        alone: |thread, instruction| thread.jump_alone(instruction, Unless::False, uip),
        rules: rules!["gen7.isa.cf": "halt-fields", "halt", "halt-target", "halt-nesting"],
    },
    Row {
        opcode: Opcode::Jmpi,
        execute: jmpi,
        alone: jmpi,
        rules: rules!["gen7.isa.cf": "jmpi", "base-jmpi", "jmpi-parked"],
    },
    Row {
        opcode: Opcode::Call,
        execute: |thread, instruction| call(thread, instruction, Target::Relative),
        alone: |thread, instruction| call_alone(thread, instruction, Target::Relative),
        rules: rules!["gen7.isa.cf": "call"],
    },
    Row {
        opcode: Opcode::Calla,
        execute: |thread, instruction| call(thread, instruction, Target::Absolute),
        alone: |thread, instruction| call_alone(thread, instruction, Target::Absolute),
        rules: rules!["gen7.isa.cf": "call", "calla"],
    },
    Row {
        opcode: Opcode::Ret,
        execute: ret,
        alone: ret_alone,
        rules: rules!["gen7.isa.cf": "ret", "ret-pred"],
    },
    Row {
        opcode: Opcode::Goto,
        execute: goto,
        alone: goto_alone,
        rules: rules![
            "gen9.isa.cf.goto-fields",
            "gen9.isa.cf.goto-polarity",
            "talk.goto.operands",
            "talk.goto.all-channels",
            "talk.goto.cfg-example"
        ],
    },
    Row {
        opcode: Opcode::Join,
        execute: join,
        alone: |_, _| Ok(()),
        rules: rules![
            "gen9.isa.cf.join",
            "talk.join.operands",
            "talk.join.wake",
            "talk.join.advance",
            "talk.join.skip"
        ],
    },
];

static BY_OPCODE: [Option<&Row>; Opcode::ALL.len()] = by_opcode!(BRANCHES: Row);

/// Executes a flow control instruction of Gen7 and later, if it is one.
pub(super) fn execute(thread: &mut Thread, instruction: &Instruction) -> Option<Executed> {
    if matches!(instruction.opcode, Opcode::Brd | Opcode::Brc) {
        let mnemonic = instruction.opcode.mnemonic();
        let message = format!("what {mnemonic} does to channels is not said anywhere");
        return Some(Err(Unpredictable(message)));
    }
    let row = BY_OPCODE[instruction.opcode as usize]?;
    count(row.rules);
    count(if thread.since(Generation::Gen12) {
        rules!["gen12.isa.cf": "base", "operands", "implicit-types"]
    } else if thread.since(Generation::Gen8) {
        rules!["gen7.isa.cf.base-branch", "gen9.isa.cf.units"]
    } else {
        rules![
            "gen7.isa.cf.base-branch",
            "gen7.isa.cf.units-gen7",
            "gen7.intro.branch-offset-signed"
        ]
    });
    if thread.single_program_flow() {
        decision!("D-eu-later-single-flow");
        count(rules!["gen7": "isa.cf.spf", "cr.spf", "isa.cr.spf-bit"]);
        thread.count_mode(Mode::SingleProgramFlow);
        return Some((row.alone)(thread, instruction));
    }
    decision!("D-eu-later-branch-channels");
    rule!("gen7.flag.branch-dispatch");
    Some((row.execute)(thread, instruction))
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
                decision!("D-eu-later-waking");
                count(rules!["gen7.isa.cf": "pcip", "min-thread-ip"]);
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
    fn divided(&self, instruction: &Instruction) -> [u32; 2] {
        let going = self.going_mask();
        let predicate = self.predicate_of_channels(instruction);
        [going & predicate, going & !predicate]
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
    fn first_predicate(&self, instruction: &Instruction) -> bool {
        let predicate = self.predicate_of_channels(instruction);
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
        rule!("gen7.isa.cf.noexec-skip");
        return thread.jump_by(jip);
    }
    Ok(())
}

/// `else`: its channels wait at the `endif`; goes on if a channel waits behind it.
fn else_(thread: &mut Thread, instruction: &Instruction) -> Executed {
    decision!("D-eu-later-branches");
    let going = thread.going_mask();
    let distances = branch(instruction)?;
    let jip = jip(instruction)?;
    let end = if distances.control {
        rule!("gen9.isa.cf.else-branchctrl");
        uip(instruction)?
    } else {
        if distances.uip.is_some() {
            rule!("gen9.isa.cf.else-uip");
            if thread.since(Generation::Gen12) {
                rule!("gen12.isa.cf.else");
            }
        }
        jip
    };
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
    if thread.going_mask() == 0 {
        return thread.jump_by(jip(instruction)?);
    }
    Ok(())
}

/// `while`: goes back if a channel is true; then the false ones wait behind it. Otherwise the loop is
/// over, for those that left it by `break` too.
fn while_(thread: &mut Thread, instruction: &Instruction) -> Executed {
    decision!("D-eu-later-branches");
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
    if instruction.predicate.control != PredicateControl::Sequential {
        rule!("gen7.isa.cf.jmpi-any");
    }
    if !thread.first_predicate(instruction) {
        return Ok(());
    }
    let bytes = if thread.since(Generation::Gen8) {
        rule!("gen9.isa.cf.jmpi-units");
        index as i32
    } else {
        rule!("gen7.isa.cf.units-jmpi-ivb");
        let Ok(units) = i16::try_from(index as i32) else {
            rule!("gen7.isa.cf.jmpi-range-ivb");
            return Err(Unpredictable("a jump farther than 16 bits of 8 bytes".to_owned()));
        };
        8 * i32::from(units)
    };
    thread.jump(thread.next_offset.wrapping_add_signed(bytes));
    Ok(())
}

/// `jmpi` on Gen12: as the other branches it counts from itself.
fn jmpi_from_itself(thread: &mut Thread, instruction: &Instruction) -> Executed {
    count(rules!["gen12.isa.cf": "base", "jmpi-zero", "operands"]);
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
            rule!("gen12.isa.cf.call");
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
    decision!("D-eu-call-pair");
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
    decision!("D-eu-later-branches");
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
    decision!("D-eu-later-branches");
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
    if thread.since(Generation::Gen12) {
        rule!("gen12.isa.cf.ret");
    }
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
    decision!("D-eu-later-branches");
    let [taken, left] = thread.divided(instruction);
    let (target, jip) = (thread.target(uip(instruction)?), jip(instruction)?);
    if branch(instruction)?.control {
        count(rules![
            "gen9.isa.cf.goto-backward",
            "talk.goto.backward-enabled",
            "talk.goto.backward-disabled",
            "talk.goto.backward-jump-target",
            "talk.goto.backward-jump-next"
        ]);
        if taken != 0 {
            thread.send_to(left, thread.next_offset, 0);
            thread.jump(target);
        } else if left == 0 {
            return thread.jump_by(jip);
        }
        return Ok(());
    }
    count(rules![
        "gen9.isa.cf.goto-forward",
        "talk.goto.forward-enabled",
        "talk.goto.forward-disabled",
        "talk.goto.forward-jump",
        "talk.goto.forward-polarity"
    ]);
    let [leaving, staying] = match thread.since(Generation::Gen12) {
        true => {
            rule!("gen12.isa.cf.goto");
            [taken, left]
        }
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
    if thread.going_mask() == 0 {
        return thread.jump_by(jip(instruction)?);
    }
    Ok(())
}
