//! From values to machine code: eight pixels after eight, with the values of each in vector registers and
//! what does not fit there in a room of its own.

use std::{collections::HashMap, mem::offset_of};

use iced_x86::{
    Code, IcedError, Instruction, MemoryOperand, Register,
    code_asm::{CodeAssembler, CodeLabel, al, byte_ptr, dword_ptr, r8, r9, rdi, rdx, rsp},
};
use parallax_isa::r700::{State, state::PIXELS};

use super::{
    Chunk, LANES,
    lower::{Entry, Lowered, Stores},
    values::{Made, Node, Value, Values},
};

type Result<T> = std::result::Result<T, IcedError>;

/// Machine code and what it needs.
pub(in crate::r700) struct Assembled {
    pub(super) bytes: Vec<u8>,
    pub(super) constants: Box<[Chunk]>,
    pub(super) table: Box<[Entry]>,
    /// Chunks of room for values.
    pub(super) room: usize,
}

/// The lanes of the state, which move on with the pixels; the room; the constants; the table; the bytes of the
/// masks, which move on too; and where the lanes end.
const STATE: Register = Register::RDI;
const ROOM: Register = Register::RSI;
const CONSTANTS: Register = Register::RDX;
const TABLE: Register = Register::RCX;
const MASKS: Register = Register::R8;

/// Vector registers for values.
const REGISTERS: usize = 16;

/// MXCSR: to nearest even, denormal operands are zeros and denormal results stay, exceptions masked, and all
/// sticky flags set, as one that is set for the first time costs more than a block.
const CONTROL: u32 = 0x1F80 | 0x0040 | 0x003F;

/// The machine code of groups: as they are right with any NaN, and as they are where all pixels execute for
/// the most part.
pub(super) fn assemble(careful: &Lowered, usual: &Lowered) -> Result<Assembled> {
    let mut asm = CodeAssembler::new(64)?;
    let mut constants = Constants::default();
    let (masked, open) = (careful.stores(false), usual.stores(true));
    let control = constants.place([CONTROL; 2]) as i32;
    let mut nodes = masked.values.iter().chain(open.values.iter());
    let floats = nodes.any(|(_, node)| matches!(node, Node::Made(made) if is_float(made.code)));
    if floats {
        asm.stmxcsr(dword_ptr(rsp - 4))?;
        asm.ldmxcsr(dword_ptr(rdx + control))?;
    }
    asm.mov(r8, rdi)?;
    asm.lea(r9, rdi + 4 * PIXELS)?;
    let [mut next, mut any, mut whole, mut done] = [(); 4].map(|()| asm.create_label());
    asm.set_label(&mut next)?;
    asm.mov(al, byte_ptr(r8 + offset_of!(State, executing)))?;
    asm.cmp(al, -1)?;
    asm.je(whole)?;
    asm.test(al, al)?;
    asm.je(done)?;
    // Nothing may be stored at all, and a label needs an instruction.
    asm.set_label(&mut any)?;
    asm.zero_bytes()?;
    let mut room = Body::emit(&mut asm, &mut constants, &masked, any)?;
    asm.jmp(done)?;
    asm.set_label(&mut whole)?;
    room = room.max(Body::emit(&mut asm, &mut constants, &open, any)?);
    asm.zero_bytes()?;
    asm.set_label(&mut done)?;
    asm.add(rdi, 4 * LANES as i32)?;
    asm.inc(r8)?;
    asm.cmp(rdi, r9)?;
    asm.jne(next)?;
    if floats {
        asm.ldmxcsr(dword_ptr(rsp - 4))?;
    }
    asm.vzeroupper()?;
    asm.ret()?;
    let bytes = asm.assemble(0)?;
    let table = careful.table.clone().into();
    Ok(Assembled { bytes, constants: constants.chunks.into(), table, room })
}

/// Whether an instruction depends on MXCSR.
fn is_float(code: Code) -> bool {
    matches!(
        code,
        Code::VEX_Vaddps_ymm_ymm_ymmm256
            | Code::VEX_Vsubps_ymm_ymm_ymmm256
            | Code::VEX_Vmulps_ymm_ymm_ymmm256
            | Code::VEX_Vdivps_ymm_ymm_ymmm256
            | Code::VEX_Vsqrtps_ymm_ymmm256
            | Code::VEX_Vroundps_ymm_ymmm256_imm8
            | Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8
            | Code::VEX_Vmaxps_ymm_ymm_ymmm256
            | Code::VEX_Vminps_ymm_ymm_ymmm256
            | Code::VEX_Vcvtdq2ps_ymm_ymmm256
            | Code::VEX_Vcvttps2dq_ymm_ymmm256
            | Code::VEX_Vfmadd213ps_ymm_ymm_ymmm256
            | Code::VEX_Vfmsub213ps_ymm_ymm_ymmm256
            | Code::VEX_Vfnmadd213ps_ymm_ymm_ymmm256
            | Code::VEX_Vaddpd_ymm_ymm_ymmm256
            | Code::VEX_Vmulpd_ymm_ymm_ymmm256
            | Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8
    )
}

/// Whether the two sources of an instruction may be exchanged. The bits of a NaN that results do not matter,
/// where they do operations do not ask for the processor's.
fn commutes(code: Code) -> bool {
    matches!(
        code,
        Code::VEX_Vaddps_ymm_ymm_ymmm256
            | Code::VEX_Vmulps_ymm_ymm_ymmm256
            | Code::VEX_Vandps_ymm_ymm_ymmm256
            | Code::VEX_Vorps_ymm_ymm_ymmm256
            | Code::VEX_Vxorps_ymm_ymm_ymmm256
            | Code::VEX_Vpaddd_ymm_ymm_ymmm256
            | Code::VEX_Vpmulld_ymm_ymm_ymmm256
            | Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256
            | Code::VEX_Vpmaxsd_ymm_ymm_ymmm256
            | Code::VEX_Vpminsd_ymm_ymm_ymmm256
            | Code::VEX_Vpmaxud_ymm_ymm_ymmm256
            | Code::VEX_Vpminud_ymm_ymm_ymmm256
            | Code::VEX_Vaddpd_ymm_ymm_ymmm256
            | Code::VEX_Vmulpd_ymm_ymm_ymmm256
    )
}

/// Whether an instruction writes its result over its first source.
fn accumulates(code: Code) -> bool {
    matches!(
        code,
        Code::VEX_Vfmadd213ps_ymm_ymm_ymmm256
            | Code::VEX_Vfmsub213ps_ymm_ymm_ymmm256
            | Code::VEX_Vfnmadd213ps_ymm_ymm_ymmm256
    )
}

/// Chunks that code reads.
#[derive(Default)]
struct Constants {
    chunks: Vec<Chunk>,
    places: HashMap<Chunk, usize>,
}

impl Constants {
    /// The byte of a chunk of two dwords in turns.
    fn place(&mut self, dwords: [u32; 2]) -> usize {
        self.chunk(std::array::from_fn(|lane| dwords[lane % 2]))
    }

    fn chunk(&mut self, chunk: Chunk) -> usize {
        *self.places.entry(chunk).or_insert_with(|| {
            self.chunks.push(chunk);
            size_of::<Chunk>() * (self.chunks.len() - 1)
        })
    }
}

/// What code does, one after the other.
#[derive(Debug, Clone, Copy)]
enum Step {
    Make(Value),
    /// The careful code is for these pixels if a mask is not empty.
    Trust(Value),
    StoreLanes(usize, Value),
    StoreMask(usize, Value),
}

/// The code for eight pixels in the making.
struct Body<'a> {
    asm: &'a mut CodeAssembler,
    constants: &'a mut Constants,
    values: &'a Values,
    /// What the vector registers hold.
    registers: [Option<Value>; REGISTERS],
    /// The register of each value, and its place in the room.
    register_of: Vec<Option<usize>>,
    room_of: Vec<Option<usize>>,
    /// The steps that use each value still, the next one last.
    uses: Vec<Vec<usize>>,
    room: usize,
}

impl<'a> Body<'a> {
    /// Emits it, and says how many chunks of room it takes.
    fn emit(
        asm: &'a mut CodeAssembler,
        constants: &'a mut Constants,
        stores: &'a Stores,
        careful: CodeLabel,
    ) -> Result<usize> {
        let steps = steps(stores);
        let values = &stores.values;
        let mut uses = vec![Vec::new(); values.len()];
        for (number, step) in steps.iter().enumerate().rev() {
            for value in used(values, *step) {
                uses[value.number()].push(number);
            }
        }
        let mut body = Self {
            asm,
            constants,
            values,
            registers: [None; REGISTERS],
            register_of: vec![None; values.len()],
            room_of: vec![None; values.len()],
            uses,
            room: 0,
        };
        for step in steps {
            match step {
                Step::Make(value) => body.make(value)?,
                Step::Trust(mask) => {
                    body.gather(mask)?;
                    body.asm.test(al, al)?;
                    body.asm.jne(careful)?;
                }
                Step::StoreLanes(at, value) => {
                    let register = body.load(value, &[])?;
                    body.used(&[value]);
                    let place = MemoryOperand::with_base_displ(STATE, at as i64);
                    body.store(place, register)?;
                }
                Step::StoreMask(at, value) => {
                    body.gather(value)?;
                    body.asm.mov(byte_ptr(r8 + at), al)?;
                }
            }
        }
        Ok(body.room)
    }

    /// Brings a mask to `al`, a bit for each lane.
    fn gather(&mut self, mask: Value) -> Result<()> {
        let register = self.load(mask, &[])?;
        self.used(&[mask]);
        let code = Code::VEX_Vmovmskps_r32_ymm;
        self.add(Instruction::with2(code, Register::EAX, ymm(register))?)
    }

    fn add(&mut self, instruction: Instruction) -> Result<()> {
        self.asm.add_instruction(instruction)
    }

    fn store(&mut self, place: MemoryOperand, register: usize) -> Result<()> {
        let code = Code::VEX_Vmovups_ymmm256_ymm;
        self.add(Instruction::with2(code, place, ymm(register))?)
    }

    /// Notes that a step has used values: those that no later one uses leave their registers.
    fn used(&mut self, values: &[Value]) {
        for value in values {
            let uses = &mut self.uses[value.number()];
            uses.pop();
            if uses.is_empty()
                && let Some(register) = self.register_of[value.number()].take()
            {
                self.registers[register] = None;
            }
        }
    }

    fn make(&mut self, value: Value) -> Result<()> {
        match self.values.node(value) {
            Node::Made(made) => self.instruction(value, made),
            Node::Mask(at) => {
                let to = ymm(self.free(&[])?);
                let mask = MemoryOperand::with_base_displ(MASKS, at.into());
                let bits = self.constants.chunk(std::array::from_fn(|lane| 1 << lane));
                let bits = MemoryOperand::with_base_displ(CONSTANTS, bits as i64);
                let (broadcast, and, equal) = (
                    Code::VEX_Vpbroadcastb_ymm_xmmm8,
                    Code::VEX_Vpand_ymm_ymm_ymmm256,
                    Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256,
                );
                self.add(Instruction::with2(broadcast, to, mask)?)?;
                self.add(Instruction::with3(and, to, to, bits)?)?;
                self.add(Instruction::with3(equal, to, to, bits)?)?;
                self.hold(value, number(to));
                Ok(())
            }
            // They are read where they are.
            Node::Lanes(_) | Node::Led(..) | Node::All(_) | Node::Entry(_) => Ok(()),
        }
    }

    /// Makes a value by an instruction, of whose sources one may be in memory.
    fn instruction(&mut self, value: Value, made: Made) -> Result<()> {
        let mut sources = made.sources().to_vec();
        let in_register = |body: &Self, value: Value| body.register_of[value.number()].is_some();
        if commutes(made.code) && !in_register(self, sources[0]) && in_register(self, sources[1]) {
            sources.swap(0, 1);
        }
        // The last is that may be, but for the mask behind it.
        let place = match sources.len() {
            3 if !accumulates(made.code) => 1,
            count => count - 1,
        };
        let mut registers = [0; 3];
        for (index, source) in sources.iter().enumerate().filter(|(index, _)| *index != place) {
            registers[index] = self.load(*source, &sources)?;
        }
        let last = sources[place];
        let is_used_again = self.uses[last.number()].len() > 1;
        let is_there = in_register(self, last);
        let has_room = self.registers.contains(&None);
        let is_broadcast = matches!(self.values.node(last), Node::Entry(_));
        let memory = if is_there || is_broadcast || is_used_again && has_room {
            registers[place] = self.load(last, &sources)?;
            None
        } else {
            Some(self.memory(last)?)
        };
        let to = if accumulates(made.code) {
            let to = self.first_of(&sources, registers[0])?;
            self.used(&sources);
            to
        } else {
            self.used(&sources);
            self.free(&[])?
        };
        self.hold(value, to);
        let instruction = encoded(&made, to, registers, memory)?;
        self.add(instruction)
    }

    /// A register for a result that holds the first source, in that of the source itself if nothing else
    /// needs it.
    fn first_of(&mut self, sources: &[Value], register: usize) -> Result<usize> {
        let here = sources.iter().filter(|source| **source == sources[0]).count();
        if self.uses[sources[0].number()].len() == here {
            return Ok(register);
        }
        let to = self.free(sources)?;
        let code = Code::VEX_Vmovaps_ymm_ymmm256;
        self.add(Instruction::with2(code, ymm(to), ymm(register))?)?;
        Ok(to)
    }

    /// The register of a value, to which it is loaded if it is in none. Others are kept.
    fn load(&mut self, value: Value, kept: &[Value]) -> Result<usize> {
        if let Some(register) = self.register_of[value.number()] {
            return Ok(register);
        }
        let register = self.free(kept)?;
        let memory = self.memory(value)?;
        let code = match self.values.node(value) {
            Node::Entry(_) => Code::VEX_Vbroadcastss_ymm_m32,
            _ => Code::VEX_Vmovups_ymm_ymmm256,
        };
        self.add(Instruction::with2(code, ymm(register), memory)?)?;
        self.hold(value, register);
        Ok(register)
    }

    fn hold(&mut self, value: Value, register: usize) {
        self.registers[register] = Some(value);
        self.register_of[value.number()] = Some(register);
    }

    /// Where a value is in memory.
    fn memory(&mut self, value: Value) -> Result<MemoryOperand> {
        let chunk = size_of::<Chunk>() as i64;
        Ok(match self.values.node(value) {
            Node::Lanes(at) => MemoryOperand::with_base_displ(STATE, at.into()),
            Node::All(dwords) => {
                let at = self.constants.place(dwords) as i64;
                MemoryOperand::with_base_displ(CONSTANTS, at)
            }
            Node::Entry(entry) => entry_at(entry),
            Node::Led(entry, at) => {
                let code = Code::Mov_r64_rm64;
                self.add(Instruction::with2(code, Register::RAX, entry_at(entry))?)?;
                MemoryOperand::new(STATE, Register::RAX, 1, at.into(), 1, false, Register::None)
            }
            Node::Made(_) | Node::Mask(_) => {
                let place = self.room_of[value.number()].unwrap_or_default() as i64;
                MemoryOperand::with_base_displ(ROOM, chunk * place)
            }
        })
    }

    /// A register that holds nothing, from which goes what is used last, if it is none of those to be kept.
    fn free(&mut self, kept: &[Value]) -> Result<usize> {
        if let Some(register) = self.registers.iter().position(Option::is_none) {
            return Ok(register);
        }
        let next_use = |(_, value): &(usize, Value)| self.uses[value.number()].last().copied();
        let held = self.registers.iter().enumerate();
        let held = held.filter_map(|(register, value)| Some((register, (*value)?)));
        let held = held.filter(|(_, value)| !kept.contains(value));
        let (register, value) = held.max_by_key(next_use).expect("more registers than sources");
        let is_made = matches!(self.values.node(value), Node::Made(_) | Node::Mask(_));
        if is_made && self.room_of[value.number()].is_none() {
            self.room_of[value.number()] = Some(self.room);
            let at = size_of::<Chunk>() * self.room;
            self.room += 1;
            self.store(MemoryOperand::with_base_displ(ROOM, at as i64), register)?;
        }
        self.registers[register] = None;
        self.register_of[value.number()] = None;
        Ok(register)
    }
}

/// Steps that make what is stored, and store it.
fn steps(stores: &Stores) -> Vec<Step> {
    let Stores { values, mistrusted, first, lanes, masks } = stores;
    let mut is_used = vec![false; values.len()];
    let stored = lanes.iter().chain(masks).map(|(_, value)| *value);
    for value in stored.chain(*mistrusted) {
        is_used[value.number()] = true;
    }
    for (value, node) in values.iter().rev() {
        if let (true, Node::Made(made)) = (is_used[value.number()], node) {
            for source in made.sources() {
                is_used[source.number()] = true;
            }
        }
    }
    let mut steps = Vec::new();
    let store = |steps: &mut Vec<Step>, is_due: &dyn Fn(Value) -> bool| {
        let is_due = |(_, value): &&(usize, Value)| is_due(*value);
        steps.extend(lanes.iter().filter(is_due).map(|&(at, v)| Step::StoreLanes(at, v)));
        steps.extend(masks.iter().filter(is_due).map(|&(at, v)| Step::StoreMask(at, v)));
    };
    for (value, node) in values.iter() {
        if value.number() == *first {
            steps.extend(mistrusted.map(Step::Trust));
            store(&mut steps, &|value| value.number() < *first);
        }
        if is_used[value.number()] && matches!(node, Node::Made(_) | Node::Mask(_)) {
            steps.push(Step::Make(value));
        }
        if value.number() >= *first {
            store(&mut steps, &|stored| stored == value);
        }
    }
    if values.len() == *first {
        steps.extend(mistrusted.map(Step::Trust));
        store(&mut steps, &|_| true);
    }
    steps
}

/// What a step uses.
fn used(values: &Values, step: Step) -> Vec<Value> {
    match step {
        Step::Make(value) => match values.node(value) {
            Node::Made(made) => made.sources().to_vec(),
            _ => Vec::new(),
        },
        Step::Trust(value) | Step::StoreLanes(_, value) | Step::StoreMask(_, value) => vec![value],
    }
}

/// An instruction whose sources are in registers, but for one that may be in memory.
fn encoded(
    made: &Made,
    to: usize,
    registers: [usize; 3],
    memory: Option<MemoryOperand>,
) -> Result<Instruction> {
    let &Made { code, immediate, .. } = made;
    let immediate = immediate.map(u32::from);
    let [a, b, c] = registers.map(ymm);
    let to = ymm(to);
    if accumulates(code) {
        return match memory {
            None => Instruction::with3(code, to, b, c),
            Some(memory) => Instruction::with3(code, to, b, memory),
        };
    }
    match (code, made.sources().len(), immediate, memory) {
        (_, 1, None, None) => Instruction::with2(code, to, a),
        (_, 1, None, Some(memory)) => Instruction::with2(code, to, memory),
        (_, 1, Some(immediate), None) => Instruction::with3(code, to, a, immediate),
        (_, 1, Some(immediate), Some(memory)) => Instruction::with3(code, to, memory, immediate),
        (_, 2, None, None) => Instruction::with3(code, to, a, b),
        (_, 2, None, Some(memory)) => Instruction::with3(code, to, a, memory),
        (_, 2, Some(immediate), None) => Instruction::with4(code, to, a, b, immediate),
        (_, 2, Some(immediate), Some(memory)) => Instruction::with4(code, to, a, memory, immediate),
        (_, _, _, None) => Instruction::with4(code, to, a, b, c),
        (_, _, _, Some(memory)) => Instruction::with4(code, to, a, memory, c),
    }
}

fn entry_at(entry: u16) -> MemoryOperand {
    MemoryOperand::with_base_displ(TABLE, size_of::<u64>() as i64 * i64::from(entry))
}

fn ymm(number: usize) -> Register {
    Register::YMM0 + number as u32
}

fn number(register: Register) -> usize {
    register as usize - Register::YMM0 as usize
}
