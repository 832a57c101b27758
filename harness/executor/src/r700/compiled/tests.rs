//! Compiled blocks against the interpreter, on registers full of corner cases; and machine code, decoded
//! again.

mod faults;

use std::mem::offset_of;

use iced_x86::{Code as Opcode, Decoder, DecoderOptions, Instruction as Machine, OpKind, Register};
use parallax_isa::{
    Image as _,
    r700::{
        State,
        case::{Constants, Profile},
        state::Loop,
    },
};

use super::{
    Chunk, Room,
    assemble::{Assembled, assemble},
    code::Code,
    lower::Lowering,
};
use crate::{
    machine_code::changes::Random,
    r700::{
        alu::{self, Operation, Work},
        decode::{AluSlot, ConstantWindow, Group, IndexMode, Operand, Select},
        group::{Groups, Scratch},
        ready::{self, ReadyGroup},
        simd,
        surroundings::Surroundings,
    },
    simd::Avx2,
};

/// Blocks that begin with each operation.
const SEEDS: u64 = 40;

/// Words at the borders of the classes of floats and integers, and factors whose product is next to the
/// smallest number.
const WORDS: [u32; 24] = [
    0,
    0x8000_0000,
    1,
    0x807F_FFFF,
    0x0080_0000,
    0x8080_0001,
    0x3F80_0000,
    0xBF7F_FFFF,
    0x3F7F_FFFF,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0001,
    0x7F80_0123,
    0xFFC0_0000,
    0x4F00_0000,
    0xCF00_0001,
    0x4F80_0000,
    0x5F12_3456,
    0x3FF0_0000,
    0xC000_0000,
    0x7FF0_0000,
    31,
];

/// Registers that groups work on, few so that they meet; there are two more that aL leads to.
const REGISTERS: usize = 6;
const DECLARED: u32 = REGISTERS as u32 + 2;

const NO_WINDOW: ConstantWindow =
    ConstantWindow { buffer: 0, first: 0, length: 0, loop_relative: false };

/// What stands around blocks.
fn around(constants: &Constants, profile: Profile) -> Surroundings<'_> {
    Surroundings {
        constants,
        windows: [NO_WINDOW; 2],
        profile,
        gpr_count: DECLARED,
        first_temporary: 126,
        global_count: 0,
        pixel_program: true,
    }
}

fn word(random: &mut Random) -> u32 {
    match random.below(8) {
        0..=3 => WORDS[random.below(WORDS.len())],
        4 => random.bits() % 64,
        5 => random.bits(),
        // A float of an ordinary size.
        _ => random.bits() & 0x83FF_FFFF | 0x3C00_0000,
    }
}

fn constants(random: &mut Random) -> Constants {
    let file = (0..8).map(|_| std::array::from_fn(|_| word(random))).collect();
    Constants { file, ..Constants::default() }
}

fn mask(random: &mut Random) -> u64 {
    let bits = u64::from(random.bits()) << 32 | u64::from(random.bits());
    match random.below(4) {
        0 => u64::MAX,
        // Some eights have all pixels, and some none.
        1 => bits | 0xFF << (8 * random.below(8)) & !(0xFF << (8 * random.below(8))),
        _ => bits,
    }
}

fn state(random: &mut Random) -> Box<State> {
    let mut state = Box::new(State::new());
    for lanes in state.gpr[..DECLARED as usize].as_flattened_mut() {
        lanes.fill_with(|| word(random));
    }
    for lanes in &mut state.previous {
        lanes.fill_with(|| word(random));
    }
    state.in_clause = 1;
    state.valid = mask(random);
    state.executing = mask(random);
    state.predicate = mask(random);
    state.execute_set = mask(random);
    state.execute_value = mask(random);
    state.current_loop = Loop { count: 2, index: random.bits() % 12, increment: 1, kind: 4 };
    state
}

fn operand(random: &mut Random) -> (Operand, IndexMode) {
    let relative = random.one_in(16);
    let select = match random.below(16) {
        0..=7 => Select::Gpr(random.below(REGISTERS) as u8),
        8..=11 => Select::PreviousVector,
        12 => Select::PreviousScalar,
        13 => Select::ConstantFile(random.below(8) as u8),
        _ => Select::Value(word(random)),
    };
    let operand = Operand {
        select,
        relative: relative && matches!(select, Select::Gpr(_) | Select::ConstantFile(_)),
        element: random.below(4) as u8,
        negate: random.one_in(4),
        absolute: random.one_in(6),
    };
    (operand, IndexMode::Loop)
}

/// A slot of an operation that writes an element.
fn slot(random: &mut Random, operation: &'static Operation, element: u8) -> AluSlot {
    let sources = [(); 3].map(|()| operand(random).0);
    AluSlot {
        operation,
        sources,
        index_mode: IndexMode::Loop,
        predicate_select: [0, 0, 0, 2, 3][random.below(5)],
        update_execute_mask: random.one_in(3),
        update_predicate: random.one_in(3),
        write: !random.one_in(4),
        output_modifier: if random.one_in(3) { random.below(4) as u8 } else { 0 },
        clamp: random.one_in(5),
        gpr: if random.one_in(20) { 100 } else { random.below(REGISTERS) as u8 },
        destination_relative: false,
        element,
        unit: element,
    }
}

/// Operations of one slot that machine code knows.
fn operations() -> Vec<&'static Operation> {
    let all = (0..512).filter_map(alu::operation);
    all.filter(|operation| matches!(operation.work, Work::Lane { .. })).collect()
}

/// A group of an operation, with others beside it.
fn group(random: &mut Random, first: &'static Operation) -> Group {
    let all = operations();
    let mut slots = Vec::new();
    if first.work.width() == 4 {
        slots.extend((0..4).map(|element| slot(random, first, element)));
    } else if first.work.width() == 2 {
        let pair = 2 * random.below(2) as u8;
        slots.extend((pair..pair + 2).map(|element| slot(random, first, element)));
    } else {
        let element = random.below(4) as u8;
        slots.push(slot(random, first, element));
    }
    let free: Vec<u8> =
        (0..4).filter(|element| slots.iter().all(|slot| slot.element != *element)).collect();
    for element in free {
        if random.one_in(2) {
            let vector = |operation: &&&Operation| operation.units != alu::Units::Trans;
            let vector: Vec<_> = all.iter().filter(vector).collect();
            let operation = vector[random.below(vector.len())];
            let slot = slot(random, operation, element);
            slots.insert(0, slot);
        }
    }
    if slots.iter().all(|slot| slot.operation.units != alu::Units::Trans) && random.one_in(3) {
        let element = random.below(4) as u8;
        let operation = all[random.below(all.len())];
        slots.push(slot(random, operation, element));
    }
    Group { slots, address: 0 }
}

/// Groups that can be compiled, the first of them of an operation if that can.
fn groups(
    random: &mut Random,
    first: &'static Operation,
    around: &Surroundings,
) -> Vec<ReadyGroup> {
    let mut lowering = Lowering::new(around, true);
    let mut groups = Vec::new();
    let all = operations();
    let count = 1 + random.below(12);
    let mut next = first;
    for _ in 0..40 {
        let group = ready::prepare(group(random, next), random.one_in(2), around);
        if lowering.group(&group).is_some() {
            groups.push(group);
            next = all[random.below(all.len())];
        }
        if groups.len() == count {
            break;
        }
    }
    groups
}

/// The code of all of these groups, in the middle of a clause.
fn assembled(groups: &[ReadyGroup], around: &Surroundings) -> Assembled {
    let [careful, usual] = [true, false].map(|is_careful| {
        let mut lowering = Lowering::new(around, is_careful);
        for group in groups {
            lowering.group(group).expect("what can be compiled");
        }
        lowering.finish(false)
    });
    assemble(&careful, &usual).expect("instructions")
}

fn interpreted(groups: &[ReadyGroup], around: &Surroundings, start: &State) -> Box<State> {
    let mut state = Box::new(*start);
    let run = simd::group_runner::<Groups>().best();
    let mut scratch = Scratch::new();
    for group in groups {
        run(group, around, &mut scratch, &mut state);
    }
    state
}

/// The first place that differs.
fn difference(one: &State, other: &State) -> Option<String> {
    let mut bytes = one.image().iter().zip(other.image());
    let at = bytes.position(|(one, other)| one != other)?;
    let word = |state: &State| {
        let bytes = state.image()[at / 4 * 4..][..4].try_into();
        u32::from_le_bytes(bytes.expect("four bytes"))
    };
    Some(format!("{}: {:08x}, compiled {:08x}", State::place(at), word(one), word(other)))
}

fn names(groups: &[ReadyGroup]) -> Vec<Vec<AluSlot>> {
    let slots = |group: &ReadyGroup| group.slots.iter().map(|ready| ready.slot).collect();
    groups.iter().map(slots).collect()
}

/// Operations that are left to the interpreter.
const INTERPRETED: &[&str] = &[
    "COS",
    "EXP_IEEE",
    "FLT32_TO_FLT64",
    "FLT64_TO_FLT32",
    "FRACT_64",
    "FREXP_64",
    "LDEXP_64",
    "LOG_CLAMPED",
    "LOG_IEEE",
    "MOVA",
    "MOVA_FLOOR",
    "MOVA_GPR_INT",
    "MOVA_INT",
    "RECIP_INT",
    "RECIP_UINT",
    "SIN",
];

#[test]
fn blocks_end_as_interpreted() {
    let Some(proof) = Avx2::detect() else { return };
    let mut room = Room::default();
    for operation in (0..512).filter_map(alu::operation) {
        let mut compiled = 0;
        for seed in 0..SEEDS {
            let random = &mut Random(seed * 512 + u64::from(operation.code));
            let constants = constants(random);
            let profile = [Profile::Manual, Profile::Silicon][random.below(2)];
            let around = around(&constants, profile);
            let groups = groups(random, operation, &around);
            if !groups[..groups.len().min(1)].iter().any(|group| has(group, operation)) {
                continue;
            }
            compiled += 1;
            let code = Code::new(proof, assembled(&groups, &around)).expect("little code");
            stays_in_its_places(&code);
            let start = state(random);
            let interpreted = interpreted(&groups, &around, &start);
            let mut ran = start.clone();
            code.run(&around, &mut room, &mut ran);
            if let Some(difference) = difference(&interpreted, &ran) {
                panic!("{difference}, {profile:?}, {:?}", names(&groups));
            }
        }
        let is_interpreted = INTERPRETED.contains(&operation.name);
        assert_eq!(compiled == 0, is_interpreted, "{operation:?}");
    }
}

fn has(group: &ReadyGroup, operation: &Operation) -> bool {
    group.slots.iter().any(|ready| ready.slot.operation == operation)
}

/// Machine code, decoded again, reads and writes what its convention says and nothing else.
fn stays_in_its_places(code: &Code) {
    let (constants, table, room) = code.counts();
    let mut decoder = Decoder::new(64, code.machine_code(), DecoderOptions::NONE);
    let instructions: Vec<Machine> = decoder.iter().collect();
    assert_eq!(instructions.last().map(Machine::code), Some(Opcode::Retnq));
    let chunk = size_of::<Chunk>();
    // What moves on with the pixels goes to the last of them.
    let [lanes, masks] = [7 * chunk as i64, 7];
    for instruction in &instructions {
        assert!(!instruction.is_invalid());
        if instruction.op0_kind() == OpKind::NearBranch64 {
            let target = instruction.near_branch_target();
            assert!(instructions.iter().any(|other| other.ip() == target));
            continue;
        }
        if instruction.code() == Opcode::Lea_r64_m {
            continue;
        }
        let (end, further) = match instruction.memory_base() {
            Register::RDI => (offset_of!(State, ar), lanes),
            Register::RSI => (chunk * room, 0),
            Register::RDX => (chunk * constants, 0),
            Register::RCX => (size_of::<u64>() * table, 0),
            Register::R8 => (size_of::<State>(), masks),
            Register::RSP => (0, 0),
            Register::None => continue,
            other => panic!("{other:?}"),
        };
        let from = instruction.memory_displacement64().cast_signed();
        let to = from + instruction.memory_size().size() as i64 + further;
        let least = if end == 0 { -128 } else { 0 };
        assert!(from >= least && to <= end as i64, "{instruction}");
        let writes = instruction.op0_kind() == OpKind::Memory
            && !matches!(instruction.code(), Opcode::Ldmxcsr_m32 | Opcode::VEX_Vldmxcsr_m32);
        let is_written = !matches!(instruction.memory_base(), Register::RDX | Register::RCX);
        assert!(!writes || is_written, "{instruction}");
        let led = instruction.memory_index() == Register::RAX && !writes && from < 1024;
        assert!(instruction.memory_index() == Register::None || led, "{instruction}");
    }
}
