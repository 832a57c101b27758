//! Control flow of Gen7 and later: the talk's programs, channel by channel (`talk-programs.md`).

use crate::common::{Run, grf, immediate, instruction, packed, scalar, to};
use parallax_isa::{
    Device, Model, Outcome, Step,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        instruction::{Branch, ConditionalModifier, Predicate, PredicateControl},
        operand::{Destination, Region, Register, Source, SourceModifier, VerticalStride},
        program::Program,
        state::{channel_ip, control},
    },
};
use parallax_reference::eu::Reference;
use rstest::rstest;

/// Where a branch leads: the number of an instruction.
type Place = usize;

fn predicated(instruction: Instruction, flag: u8, inverse: bool) -> Instruction {
    let predicate = Predicate { control: PredicateControl::Sequential, inverse };
    Instruction { predicate, flag_register: flag, ..instruction }
}

/// A branch at a place, with the places that it leads to.
fn branch(opcode: Opcode, at: Place, jip: Place, uip: Option<Place>) -> Instruction {
    let distance = |to: Place| 16 * (to as i32 - at as i32);
    let branch = Branch { jip: Some(distance(jip)), uip: uip.map(distance), control: false };
    Instruction { execution_size: 8, branch: Some(branch), ..Instruction::bare(opcode) }
}

/// Counts in a register the channels that come here.
fn visit(register: u8) -> Instruction {
    let register = grf(register, 0);
    let sources = [packed(register, DataType::D), immediate(DataType::D, 1)];
    instruction(Opcode::Add, 8, to(register, DataType::D), &sources)
}

/// Counts in the first channel of a register how often the thread comes here, whatever channels do.
fn pass(register: u8) -> Instruction {
    let register = grf(register, 0);
    let sources = [scalar(register, DataType::D), immediate(DataType::D, 1)];
    let add = instruction(Opcode::Add, 1, to(register, DataType::D), &sources);
    Instruction { no_mask: true, ..add }
}

/// Compares a register with an immediate into a flag register.
fn compare(register: u8, condition: ConditionalModifier, with: u32, flag: u8) -> Instruction {
    let sources = [packed(grf(register, 0), DataType::D), immediate(DataType::D, with)];
    let destination = Destination::null(DataType::D);
    let compare = instruction(Opcode::Cmp, 8, destination, &sources);
    Instruction { condition, flag_register: flag, ..compare }
}

/// Eight channels, with flags.
fn eight(device: Device, flags: [u16; 2]) -> State {
    let mut state = State::of(device);
    state.status[2] = 0xFF;
    state.flag = [flags[0], 0, flags[1], 0];
    state
}

/// Two doublewords side by side.
fn pair(register: Register) -> Source {
    let vertical = VerticalStride::Elements(2);
    let region = Region::Align1 { vertical, width: 2, horizontal: 1 };
    let modifier = SourceModifier::default();
    Source::Register { register, data_type: DataType::Ud, region, modifier }
}

/// Runs to the end of the program.
fn to_end(device: Device, state: State, program: &[Instruction]) -> Run {
    let program = Program::assemble(device, program.iter().copied()).expect("a program");
    let case = Case::new(device, program.bytes().to_vec(), Box::new(state), 1000);
    let mut reference = Reference::new();
    reference.load(&case).expect("a case");
    loop {
        if let Step::Finished(outcome) = reference.step() {
            assert_eq!(outcome, Outcome::Halted);
            return Run { reference, outcome: Some(outcome) };
        }
    }
}

/// The doublewords of a register.
fn channels(run: &Run, register: usize) -> [u32; 8] {
    [0, 1, 2, 3, 4, 5, 6, 7].map(|channel| run.dword(32 * register + 4 * channel))
}

/// A bit for each channel of a register that is not zero.
fn visited(run: &Run, register: usize) -> u32 {
    let channels = channels(run, register).into_iter().enumerate();
    channels.fold(0, |mask, (n, value)| mask | u32::from(value != 0) << n)
}

fn uip_of_else(device: Device, endif: Place) -> Option<Place> {
    (device == Device::Skl).then_some(endif)
}

#[rstest]
#[case::both_blocks(0x0F, [1, 1])]
#[case::nobody_goes_to_the_else_block(0xFF, [1, 0])]
#[case::nobody_enters(0x00, [0, 1])]
fn if_else_endif(
    #[case] flags: u16,
    #[case] passes: [u32; 2],
    #[values(Device::Ivb, Device::Skl)] device: Device,
) {
    let program = [
        predicated(branch(Opcode::If, 0, 4, Some(6)), 0, false),
        visit(10),
        pass(11),
        branch(Opcode::Else, 3, 6, uip_of_else(device, 6)),
        visit(12),
        pass(13),
        branch(Opcode::Endif, 6, 7, None),
        visit(14),
    ];
    let run = to_end(device, eight(device, [flags, 0]), &program);
    assert_eq!(visited(&run, 10), u32::from(flags));
    assert_eq!(visited(&run, 12), u32::from(!flags & 0xFF));
    assert_eq!(visited(&run, 14), 0xFF);
    assert_eq!([run.dword(32 * 11), run.dword(32 * 13)], passes, "what is jumped over");
    assert_eq!(run.state().channel_ip, [0; 32]);
}

/// Case 2 of the nested if with a break: f0 and f1 are the conditions, r20 the trips left.
#[rstest]
#[case(Device::Ivb)]
#[case(Device::Skl)]
fn a_break_inside_two_ifs(#[case] device: Device) {
    let program = [
        visit(10),                                               // 0: head
        predicated(branch(Opcode::If, 1, 8, Some(9)), 0, false), // if f0
        visit(11),                                               // A
        predicated(branch(Opcode::If, 3, 5, Some(5)), 1, false), // if f1
        branch(Opcode::Break, 4, 5, Some(12)),
        branch(Opcode::Endif, 5, 7, None), // endif2
        visit(12),                         // B
        branch(Opcode::Else, 7, 9, uip_of_else(device, 9)),
        visit(13),                          // 8: C
        branch(Opcode::Endif, 9, 12, None), // endif1
        compare(20, ConditionalModifier::Greater, 0, 0),
        visit(21),
        predicated(branch(Opcode::While, 12, 0, None), 0, false),
        visit(14), // after
    ];
    // The condition of `while` replaces that of the outer `if`: its channels come first in the second
    // pass too, so that f0 has to be the same for both. Channels 0 and 1 take the block.
    let mut state = eight(device, [0b0011, 0b0001]);
    state.status[2] = 0xF;
    // Trips left, by channel: true in the first pass only for none, so that one pass runs.
    let run = to_end(device, state, &program);
    assert_eq!(visited(&run, 10), 0b1111);
    assert_eq!(visited(&run, 11), 0b0011);
    assert_eq!(visited(&run, 12), 0b0010, "the channel that broke out is gone");
    assert_eq!(visited(&run, 13), 0b1100);
    assert_eq!(visited(&run, 21), 0b1110, "it is not tested either");
    assert_eq!(channels(&run, 14)[..4], [1; 4], "and comes back behind the loop");
    assert_eq!(run.state().channel_ip, [0; 32]);
}

#[rstest]
#[case(Device::Ivb)]
#[case(Device::Skl)]
fn loops_run_as_often_as_each_channel_wants(#[case] device: Device) {
    let one_less = |register| {
        let register = grf(register, 0);
        let sources = [packed(register, DataType::D), immediate(DataType::D, u32::MAX)];
        instruction(Opcode::Add, 8, to(register, DataType::D), &sources)
    };
    let program = [
        visit(10),
        pass(11),
        one_less(20),
        compare(20, ConditionalModifier::Greater, 0, 0),
        predicated(branch(Opcode::While, 4, 0, None), 0, false),
        visit(14),
    ];
    let mut state = eight(device, [0, 0]);
    for (channel, bytes) in state.grf[20].chunks_exact_mut(4).enumerate() {
        bytes.copy_from_slice(&(channel as u32 + 1).to_le_bytes());
    }
    let run = to_end(device, state, &program);
    assert_eq!(channels(&run, 10), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(run.dword(32 * 11), 8, "passes");
    assert_eq!(channels(&run, 14), [1; 8]);
}

/// A channel that leaves by `break` is not tested by the `while` again, whatever its flag says; one that
/// skips by `cont` is.
#[rstest]
#[case::leaves(Opcode::Break, 1)]
#[case::skips(Opcode::Cont, 3)]
fn break_and_cont(
    #[case] opcode: Opcode,
    #[case] trips: u32,
    #[values(Device::Ivb, Device::Skl)] device: Device,
) {
    let one_less = Instruction { no_mask: true, ..visit(20) };
    let program = [
        visit(10),
        one_less,
        compare(20, ConditionalModifier::Less, 3, 0),
        // f1 has channels 0 to 3.
        predicated(branch(opcode, 3, 5, Some(5)), 1, false),
        visit(12),
        predicated(branch(Opcode::While, 5, 0, None), 0, false),
        visit(14),
    ];
    let run = to_end(device, eight(device, [0, 0x0F]), &program);
    assert_eq!(channels(&run, 10), [trips, trips, trips, trips, 3, 3, 3, 3]);
    assert_eq!(channels(&run, 12), [0, 0, 0, 0, 3, 3, 3, 3]);
    assert_eq!(channels(&run, 14), [1; 8]);
}

#[rstest]
#[case(Device::Ivb)]
#[case(Device::Skl)]
fn halted_channels_come_back_at_the_end(#[case] device: Device) {
    let program = [
        predicated(branch(Opcode::If, 0, 4, Some(4)), 0, false),
        predicated(branch(Opcode::Halt, 1, 4, Some(6)), 1, false),
        visit(10),
        visit(11),
        branch(Opcode::Endif, 4, 5, None),
        visit(12),
        branch(Opcode::Halt, 6, 7, Some(7)),
        visit(13),
    ];
    let run = to_end(device, eight(device, [0x3F, 0x0F]), &program);
    assert_eq!(visited(&run, 10), 0x30);
    assert_eq!(visited(&run, 12), 0xF0, "endif brings nobody back who was halted");
    assert_eq!(visited(&run, 13), 0xFF);
}

/// The unstructured program of the talk: a forward goto sends the false channels.
#[test]
fn gotos_and_joins() {
    let at = |opcode, at, jip, uip, flag, inverse| {
        predicated(branch(opcode, at, jip, uip), flag, inverse)
    };
    let program = [
        // a > b goto A: true falls through, so the predicate is inverted. f0 has a > b.
        at(Opcode::Goto, 0, 6, Some(6), 0, true),
        visit(10),                                     // code_1
        compare(20, ConditionalModifier::Equal, 1, 0), // c > d
        at(Opcode::Goto, 3, 6, Some(9), 0, true),
        visit(11), // code_2
        // Unconditional: nobody is true.
        at(Opcode::Goto, 5, 6, Some(12), 1, false),
        branch(Opcode::Join, 6, 9, None), // A
        visit(12),                        // code_3
        at(Opcode::Goto, 8, 9, Some(12), 1, false),
        branch(Opcode::Join, 9, 12, None),             // B
        compare(21, ConditionalModifier::Equal, 1, 0), // e == 0
        at(Opcode::Goto, 11, 13, Some(13), 0, true),
        // A place of its own for C's first target: channels that came early wait here.
        branch(Opcode::Join, 12, 13, None),
        branch(Opcode::Join, 13, 14, None),
        visit(14),
    ];
    let mut state = eight(Device::Skl, [0b0001, 0]);
    state.status[2] = 0xF;
    for (register, channels) in [(20, [0, 0, 1, 1]), (21, [0, 0, 1, 0_u32])] {
        for (bytes, value) in state.grf[register].chunks_exact_mut(4).zip(channels) {
            bytes.copy_from_slice(&value.to_le_bytes());
        }
    }
    let run = to_end(Device::Skl, state, &program);
    assert_eq!(visited(&run, 10), 0b1110, "code_1");
    assert_eq!(visited(&run, 11), 0b0010, "code_2");
    assert_eq!(visited(&run, 12), 0b0001, "code_3");
    assert_eq!(channels(&run, 14)[..4], [1; 4], "all meet at C");
}

#[rstest]
#[case(Device::Ivb)]
#[case(Device::Skl)]
fn calls_return(#[case] device: Device) {
    let call = branch(Opcode::Call, 0, 3, None);
    let call = Instruction { destination: to(grf(30, 0), DataType::Ud), ..call };
    let ret = Instruction {
        execution_size: 8,
        branch: Some(Branch::default()),
        sources: [pair(grf(30, 0)), Source::ABSENT, Source::ABSENT],
        ..Instruction::bare(Opcode::Ret)
    };
    let jump = |bytes: i32| {
        let units = if device == Device::Ivb { bytes / 8 } else { bytes };
        let index = immediate(DataType::D, units as u32);
        let ip = crate::common::arf(0xA0, 0);
        let sources = [scalar(ip, DataType::D), index];
        instruction(Opcode::Jmpi, 1, to(ip, DataType::D), &sources)
    };
    let program = [predicated(call, 0, false), visit(10), jump(2 * 16), visit(11), ret, visit(12)];
    let run = to_end(device, eight(device, [0x0F, 0]), &program);
    assert_eq!([run.dword(32 * 30), run.dword(32 * 30 + 4)], [16, 0x0F]);
    assert_eq!(visited(&run, 11), 0x0F, "the channels that called");
    assert_eq!(channels(&run, 10), [1; 8]);
    assert_eq!(channels(&run, 12), [1; 8]);
}

#[rstest]
#[case::taken(1, [0, 1])]
#[case::not_taken(0, [1, 1])]
fn single_program_flow(
    #[case] flags: u16,
    #[case] passes: [u32; 2],
    #[values(Device::Ivb, Device::Skl)] device: Device,
) {
    let program = [
        predicated(branch(Opcode::If, 0, 2, Some(2)), 0, true),
        visit(10),
        branch(Opcode::Endif, 2, 3, None),
        visit(11),
    ];
    let mut state = eight(device, [flags, 0]);
    state.control[0] = control::SINGLE_PROGRAM_FLOW;
    state.channel_ip[3] = channel_ip::WAITS | 16;
    let run = to_end(device, state, &program);
    assert_eq!(channels(&run, 10), [passes[0]; 8], "every channel");
    assert_eq!(channels(&run, 11), [passes[1]; 8]);
    assert_eq!(run.state().channel_ip[3], channel_ip::WAITS | 16, "nobody looks");
}
