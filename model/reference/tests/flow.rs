//! Branches, loops, mask stacks, exceptions and notifications.

use crate::common::{arf, flagged, grf, immediate, instruction, packed, scalar, to, with_dwords};
use parallax_isa::{
    Device, Model, Outcome, Step,
    eu::{
        Case, DataType, Instruction, Opcode, State,
        case::{Event, EventKind, Surroundings},
        instruction::{ConditionalModifier, Predicate, PredicateControl},
        operand::{Destination, Source},
        program::Program,
    },
};
use parallax_reference::eu::Reference;

/// Breakpoint, external halt, software, illegal opcode, mask stack: enabled.
const ALL_ENABLED: u32 = 0xF800;

fn case(device: Device, state: State, program: &[Instruction]) -> Case {
    let program = Program::assemble(device, program.iter().copied()).expect("a program");
    Case::new(device, program.bytes().to_vec(), Box::new(state), 1000)
}

fn finish(case: &Case) -> (Reference, Outcome) {
    let mut reference = Reference::new();
    reference.load(case).expect("a case");
    loop {
        if let Step::Finished(outcome) = reference.step() {
            return (reference, outcome);
        }
    }
}

/// Runs a program that ends at its last instruction.
fn run(state: State, program: &[Instruction]) -> State {
    let (reference, outcome) = finish(&case(Device::G45, state, program));
    assert_eq!(outcome, Outcome::Halted);
    *reference.state()
}

fn branch(opcode: Opcode, pops: u32, distance: i16) -> Instruction {
    let code = immediate(DataType::D, pops << 16 | u32::from(distance as u16));
    Instruction {
        execution_size: 8,
        sources: [Source::null(DataType::D), code, Source::ABSENT],
        ..Instruction::bare(opcode)
    }
}

fn predicated(instruction: Instruction) -> Instruction {
    let predicate = Predicate { control: PredicateControl::Sequential, inverse: false };
    Instruction { predicate, ..instruction }
}

/// `mov (8) rN:d value`.
fn set(register: u8, value: i32) -> Instruction {
    let source = immediate(DataType::D, value as u32);
    instruction(Opcode::Mov, 8, to(grf(register, 0), DataType::D), &[source])
}

/// `add (8) rN:d rN:d value`.
fn add(register: u8, value: i32) -> Instruction {
    let sources = [packed(grf(register, 0), DataType::D), immediate(DataType::D, value as u32)];
    instruction(Opcode::Add, 8, to(grf(register, 0), DataType::D), &sources)
}

/// `cmp.C.f0.0 (8) null rA:d rB:d`.
fn compare(condition: ConditionalModifier, a: u8, b: u8) -> Instruction {
    let sources = [packed(grf(a, 0), DataType::D), packed(grf(b, 0), DataType::D)];
    flagged(instruction(Opcode::Cmp, 8, Destination::null(DataType::D), &sources), condition)
}

/// `mov (1) destination:ud value {NoMask}`.
fn write(register: parallax_isa::eu::operand::Register, value: u32) -> Instruction {
    let source = immediate(DataType::Ud, value);
    let mov = instruction(Opcode::Mov, 1, to(register, DataType::Ud), &[source]);
    Instruction { no_mask: true, ..mov }
}

fn channels(state: &State, register: usize) -> [i32; 8] {
    std::array::from_fn(|n| {
        i32::from_le_bytes(state.grf[register][4 * n..][..4].try_into().unwrap())
    })
}

#[test]
fn both_sides_of_a_branch_run_for_their_channels() {
    let start = State { flag: [0b0110_0101, 0, 0, 0], ..State::new() };
    let program = [
        predicated(branch(Opcode::If, 0, 2)),
        set(4, 1),
        branch(Opcode::Else, 1, 3),
        set(4, 2),
        branch(Opcode::Endif, 1, 0),
        add(4, 10),
    ];
    let end = run(start, &program);
    assert_eq!(channels(&end, 4), [11, 12, 11, 12, 12, 11, 11, 12]);
    assert_eq!((end.mask, end.mask_stack_depth), (start.mask, [0, 0]));
    assert_eq!(end.mask_stack, [[0; 16]; 2]);
    for (flags, value) in [(0xFF, 11), (0, 12)] {
        let end = run(State { flag: [flags, 0, 0, 0], ..State::new() }, &program);
        assert_eq!(channels(&end, 4), [value; 8]);
        assert_eq!((end.mask, end.mask_stack_depth), (start.mask, [0, 0]));
    }
}

#[test]
fn a_fast_if_skips_its_block_without_a_push() {
    let program =
        [predicated(branch(Opcode::Iff, 0, 3)), set(4, 1), branch(Opcode::Endif, 1, 0), set(5, 1)];
    let end = run(State::new(), &program);
    assert_eq!((channels(&end, 4), channels(&end, 5)), ([0; 8], [1; 8]));
    assert_eq!(end.mask_stack_depth, [0, 0]);
    let end = run(State { flag: [0x0F, 0, 0, 0], ..State::new() }, &program);
    assert_eq!(channels(&end, 4), [1, 1, 1, 1, 0, 0, 0, 0]);
}

#[test]
fn channels_leave_a_loop_one_by_one() {
    // r4 counts up to r5 in each channel.
    let limits = [3, 1, 4, 1, 5, 9, 2, 6];
    let start = with_dwords(State::new(), 5, &limits);
    let program = [
        Instruction { execution_size: 8, ..Instruction::bare(Opcode::Do) },
        add(4, 1),
        compare(ConditionalModifier::Less, 4, 5),
        predicated(branch(Opcode::While, 0, -2)),
        add(4, 100),
    ];
    let end = run(start, &program);
    assert_eq!(channels(&end, 4), limits.map(|limit| limit as i32 + 100));
    assert_eq!((end.mask, end.mask_stack_depth), (start.mask, [0, 0]));
}

#[test]
fn a_break_out_of_a_conditional_block_restores_all_masks() {
    let limits = [3, 1, 4, 1, 5, 9, 2, 6];
    let start = with_dwords(State::new(), 5, &limits);
    let program = [
        Instruction { execution_size: 8, ..Instruction::bare(Opcode::Do) },
        add(4, 1),
        compare(ConditionalModifier::GreaterEqual, 4, 5),
        predicated(branch(Opcode::If, 0, 2)),
        branch(Opcode::Break, 1, 3),
        branch(Opcode::Endif, 1, 0),
        branch(Opcode::While, 0, -5),
        add(4, 100),
    ];
    let end = run(start, &program);
    assert_eq!(channels(&end, 4), limits.map(|limit| limit as i32 + 100));
    assert_eq!((end.mask, end.mask_stack_depth), (start.mask, [0, 0]));
    assert_eq!(end.mask_stack, [[0; 16]; 2]);
}

#[test]
fn parked_channels_come_back_in_the_next_iteration() {
    // r6 counts the iterations in which r4 is greater than r5; the loop runs until r4 is 4.
    let start = with_dwords(with_dwords(State::new(), 5, &[0, 1, 2, 3, 4, 0, 0, 0]), 7, &[4; 8]);
    let to_flag1 = |compare: Instruction| Instruction { flag_subregister: 1, ..compare };
    let program = [
        Instruction { execution_size: 8, ..Instruction::bare(Opcode::Do) },
        add(4, 1),
        to_flag1(compare(ConditionalModifier::Less, 4, 7)),
        compare(ConditionalModifier::LessEqual, 4, 5),
        predicated(branch(Opcode::Cont, 0, 2)),
        add(6, 1),
        predicated(to_flag1(branch(Opcode::While, 0, -5))),
    ];
    let end = run(start, &program);
    assert_eq!(channels(&end, 4), [4; 8]);
    assert_eq!(channels(&end, 6), [4, 3, 2, 1, 0, 4, 4, 4]);
}

#[test]
fn halt_switches_channels_off_for_good() {
    let start = State { mask: [0xFF, 0xFF, 0xFF, 0xFF], flag: [0x0F, 0, 0, 0], ..State::new() };
    let program = [predicated(branch(Opcode::Halt, 0, 2)), set(4, 1), set(5, 1)];
    let end = run(start, &program);
    assert_eq!(channels(&end, 4), [0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(end.mask[0], 0xF0);
    let end = run(State { flag: [0xFF, 0, 0, 0], ..start }, &program);
    assert_eq!((channels(&end, 4), end.mask[0]), ([0; 8], 0));
}

#[test]
fn jumps_count_slots_and_drop_low_address_bits() {
    let jmpi = |index: i32| Instruction {
        no_mask: true,
        sources: [Source::null(DataType::D), immediate(DataType::D, index as u32), Source::ABSENT],
        ..Instruction::bare(Opcode::Jmpi)
    };
    let end = run(State::new(), &[jmpi(1), set(4, 1), set(5, 1)]);
    assert_eq!((channels(&end, 4), channels(&end, 5)), ([0; 8], [1; 8]));
    let absolute = write(arf(0xA0, 0), 2 * 16 + 0xF);
    let end = run(State::new(), &[absolute, set(4, 1), set(5, 1)]);
    assert_eq!((channels(&end, 4), channels(&end, 5)), ([0; 8], [1; 8]));
    let sources = [scalar(arf(0xA0, 0), DataType::Ud), immediate(DataType::Ud, 0x25)];
    let relative = instruction(Opcode::Add, 1, to(arf(0xA0, 0), DataType::Ud), &sources);
    let end = run(State::new(), &[set(6, 1), relative, set(4, 1), set(5, 1)]);
    assert_eq!((channels(&end, 4), channels(&end, 5)), ([0; 8], [1; 8]));
    let (_, outcome) = finish(&case(Device::G45, State::new(), &[jmpi(-1)]));
    assert_eq!(outcome, Outcome::StepLimit);
    let (_, outcome) = finish(&case(Device::G45, State::new(), &[jmpi(7)]));
    assert!(matches!(outcome, Outcome::Undefined(_)));
}

/// A case with a handler at the end of the program that counts in r20 and, after clearing status
/// bits, returns.
fn with_handler(start: State, program: &[Instruction], cleared: u32) -> Case {
    let status = scalar(arf(0x80, 4), DataType::Ud);
    let and = |register, source, mask| {
        let sources = [source, immediate(DataType::Ud, mask)];
        let and = instruction(Opcode::And, 1, to(register, DataType::Ud), &sources);
        Instruction { no_mask: true, ..and }
    };
    let keep = |register, source| {
        let mov = instruction(Opcode::Mov, 1, to(register, DataType::Ud), &[source]);
        Instruction { no_mask: true, ..mov }
    };
    let handler = [
        Instruction { no_mask: true, ..add(20, 1) },
        keep(grf(21, 0), status),
        keep(grf(22, 0), scalar(arf(0x80, 8), DataType::Ud)),
        and(arf(0x80, 4), status, !cleared),
        and(arf(0x80, 0), scalar(arf(0x80, 0), DataType::Ud), 0x7FFF_FFFF),
        Instruction::bare(Opcode::Nop),
    ];
    let mut whole = program.to_vec();
    // The program jumps over the handler to its end.
    whole.push(write(arf(0xA0, 0), 16 * (program.len() + 1 + handler.len()) as u32));
    let system_routine = 16 * whole.len() as u32;
    whole.extend(handler);
    let mut case = case(Device::G45, start, &whole);
    case.surroundings =
        Surroundings { system_routine: Some(system_routine), ..Surroundings::default() };
    case
}

fn enabled() -> State {
    State { control: [0, ALL_ENABLED, 0], ..State::new() }
}

#[test]
fn a_software_exception_resumes_after_the_instruction() {
    let raise = write(arf(0x80, 4), 1 << 29 | ALL_ENABLED);
    let (end, outcome) = finish(&with_handler(enabled(), &[raise, set(4, 1)], 1 << 29));
    assert_eq!(outcome, Outcome::Halted);
    let end = end.state();
    assert_eq!((channels(end, 4), channels(end, 20)[0]), ([1; 8], 1));
    assert_eq!((channels(end, 22)[0], end.control[2]), (16, 16));
    assert_eq!(end.control[0] >> 31, 0);
}

#[test]
fn an_illegal_opcode_is_skipped_once_its_status_stands() {
    let program = [set(4, 1), Instruction::bare(Opcode::Illegal), set(5, 1)];
    let (end, outcome) = finish(&with_handler(enabled(), &program, 0));
    assert_eq!(outcome, Outcome::Halted);
    assert_eq!((channels(end.state(), 5), channels(end.state(), 20)[0]), ([1; 8], 1));
    assert_eq!(channels(end.state(), 22)[0], 16);
    let (end, outcome) = finish(&case(Device::G45, enabled(), &program));
    assert_eq!(outcome, Outcome::Exception("Illegal Opcode".to_owned()));
    assert_eq!((channels(end.state(), 5), end.state().control[1] >> 28), ([0; 8], 1));
    let (end, outcome) = finish(&case(Device::G45, State::new(), &program));
    assert_eq!((outcome, channels(end.state(), 5)), (Outcome::Halted, [1; 8]));
}

#[test]
fn a_breakpoint_is_suppressed_for_one_instruction() {
    let broken = Instruction { breakpoint: true, ..set(4, 1) };
    let mut case = with_handler(enabled(), &[broken, set(5, 1)], 1 << 31);
    case.step_limit = 50;
    let (end, outcome) = finish(&case);
    assert_eq!((outcome, channels(end.state(), 4)), (Outcome::StepLimit, [0; 8]));
    case.state.control[0] = 1 << 15;
    let (end, outcome) = finish(&case);
    assert_eq!((outcome, channels(end.state(), 20)[0]), (Outcome::Halted, 0));
    assert_eq!((channels(end.state(), 4), end.state().control[0]), ([1; 8], 0));
}

#[test]
fn deep_nesting_overflows_the_stack_at_the_trigger() {
    let ifs = vec![branch(Opcode::If, 0, 1); 13];
    let (end, outcome) = finish(&case(Device::G45, enabled(), &ifs));
    assert_eq!(outcome, Outcome::Exception("IStack Overflow".to_owned()));
    assert_eq!((end.state().mask_stack_depth[0], end.state().control[1] >> 24), (13, 2));
    let (end, outcome) = finish(&case(Device::Bw, State::new(), &vec![ifs[0]; 17]));
    assert_eq!((outcome, end.state().mask_stack_depth[0]), (Outcome::Halted, 1));
    let (end, outcome) =
        finish(&case(Device::G45, enabled(), &[branch(Opcode::Endif, 1, 0), set(4, 1)]));
    assert_eq!(outcome, Outcome::Exception("IStack Underflow".to_owned()));
    assert_eq!(end.state().mask_stack_depth[0], 15);
    let spf = State { control: [4, ALL_ENABLED, 0], ..State::new() };
    let end = run(spf, &ifs);
    assert_eq!(end.mask_stack_depth, [0, 0]);
}

#[test]
fn masks_go_to_stacks_and_back() {
    let mask = |opcode, destination: u8, byte: u8, source: u8, from: u8| Instruction {
        destination: to(arf(destination, byte), DataType::Uw),
        sources: [
            scalar(arf(source, from), DataType::Uw),
            Source::null(DataType::Uw),
            Source::ABSENT,
        ],
        ..Instruction::bare(opcode)
    };
    let start = State { mask: [0xFFFF, 0x00F7, 0xFFFF, 0xFFFF], ..State::new() };
    let push = mask(Opcode::Push, 0x50, 0, 0x40, 2);
    let end = run(start, &[push, push]);
    let pushed: [u8; 16] = std::array::from_fn(|n| if 0xF7 >> n & 1 == 1 { 0 } else { 2 });
    assert_eq!((end.mask_stack, end.mask_stack_depth), ([pushed, [0; 16]], [2, 0]));
    let restore = mask(Opcode::Mrest, 0x40, 4, 0x50, 0);
    let end = run(start, &[push, restore]);
    assert_eq!((end.mask[2], end.mask_stack), (0x00F7, [[0; 16]; 2]));
    let save = mask(Opcode::Msave, 0x50, 16, 0x40, 4);
    let end = run(start, &[save]);
    assert_eq!((end.mask[2], end.mask_stack_depth), (0x00F7, [0, 1]));
    let stack = scalar(arf(0x50, 0), DataType::Uw);
    let pop = Instruction {
        destination: to(arf(0x50, 0), DataType::Uw),
        sources: [stack, immediate(DataType::Ud, 9), Source::ABSENT],
        ..Instruction::bare(Opcode::Pop)
    };
    let end = run(State { mask_stack_depth: [5, 0], ..start }, &[pop]);
    assert_eq!(end.mask_stack_depth[0], 12);
}

#[test]
fn wait_takes_one_notification_each() {
    let n0 = arf(0x90, 0);
    let wait = Instruction {
        destination: to(n0, DataType::Ud),
        sources: [scalar(n0, DataType::Ud), Source::null(DataType::Ud), Source::ABSENT],
        ..Instruction::bare(Opcode::Wait)
    };
    let program = [wait, set(4, 1), wait, set(5, 1)];
    let start = State { notification: [1, 0], ..State::new() };
    let mut case = case(Device::G45, start, &program);
    let (end, outcome) = finish(&case);
    assert!(matches!(outcome, Outcome::Undefined(_)));
    assert_eq!((channels(end.state(), 4), channels(end.state(), 5)), ([1; 8], [0; 8]));
    let arrival = Event { step: 9, kind: EventKind::ThreadNotification };
    case.surroundings.events = vec![arrival];
    let (end, outcome) = finish(&case);
    assert_eq!((outcome, channels(end.state(), 5)), (Outcome::Halted, [1; 8]));
    assert_eq!(end.state().notification, [0, 0]);
}

#[test]
fn an_external_halt_enters_the_system_routine() {
    let mut case = with_handler(enabled(), &[set(4, 1), set(5, 1)], 1 << 30);
    case.surroundings.events = vec![Event { step: 1, kind: EventKind::ExternalHalt }];
    let (end, outcome) = finish(&case);
    assert_eq!((outcome, channels(end.state(), 20)[0]), (Outcome::Halted, 1));
    assert_eq!((channels(end.state(), 5), channels(end.state(), 22)[0]), ([1; 8], 16));
}
