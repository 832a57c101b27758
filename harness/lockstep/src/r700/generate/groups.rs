//! ALU groups, legal by construction: units, read ports, constants, literals, co-issue.

use parallax_isa::r700::{
    Alu, AluOpcode, Group, Source,
    microcode::{AluOp2, AluOp3, Field},
    opcode::{AluFormat, Kind, Role, Units},
    source::Inline,
};

use super::{
    opcodes::{FAMILIES, scaled_result, signed_source},
    ports::{self, Load, Loads},
};
use crate::choices::Choices;

/// The Trans unit; X, Y, Z, W are 0 to 3.
const TRANS: usize = 4;

/// What a clause's groups can use, and what the groups so far have made of it.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    /// `ALU_INST_PREFER_VECTOR`.
    pub(super) prefer_vector: bool,
    /// Declared registers.
    pub(super) registers: u32,
    /// Clause temporaries.
    pub(super) temporaries: u32,
    /// Whether SIMD-global registers are addressed.
    pub(super) globals: bool,
    /// Whether the constant file is read; otherwise the constant cache is.
    pub(super) constant_file: bool,
    /// Constants locked in the two sets of the cache.
    pub(super) locked: [u32; 2],
    /// Whether a loop has set aL.
    pub(super) in_loop: bool,
    /// Whether pixels may be killed.
    pub(super) kills: bool,
    /// Elements of AR that have been written.
    addresses: [bool; 4],
    /// Units whose previous result is defined.
    previous: [bool; 5],
    /// Elements of clause temporaries that have been written, by register.
    temporaries_written: Vec<[bool; 4]>,
}

/// An instruction while its group is put together.
#[derive(Debug, Clone)]
struct Slot {
    opcode: AluOpcode,
    element: usize,
    unit: usize,
    sources: Vec<Operand>,
    index_mode: u32,
    /// An instruction of its group writes AR.
    beside_address: bool,
    destination: u32,
    destination_relative: bool,
    write: bool,
    scale: u32,
    clamp: bool,
    predicate: u32,
    update_predicate: bool,
    update_execute: bool,
}

#[derive(Debug, Clone, Copy)]
struct Operand {
    source: Source,
    element: u8,
    relative: bool,
    negate: bool,
    absolute: bool,
}

impl Operand {
    const ZERO: Self = Self {
        source: Source::Inline(Inline::Zero),
        element: 0,
        relative: false,
        negate: false,
        absolute: false,
    };

    fn load(self, index_mode: u32) -> Load {
        let index = if self.relative { 1 + index_mode } else { 0 };
        let register = self.source.select() | index << 16;
        match self.source {
            Source::Gpr(_) => Load::Register { register, element: self.element },
            Source::Kcache(..) | Source::Constant(_) => {
                Load::Constant { register, element: self.element }
            }
            Source::Inline(_) | Source::Literal => Load::Immediate,
            Source::PreviousVector | Source::PreviousScalar => Load::Previous,
        }
    }
}

impl Clause {
    /// A clause before its first group.
    pub(super) fn new(registers: u32, temporaries: u32) -> Self {
        Self {
            prefer_vector: true,
            registers,
            temporaries,
            globals: false,
            constant_file: true,
            locked: [0; 2],
            in_loop: false,
            kills: false,
            addresses: [false; 4],
            previous: [false; 5],
            temporaries_written: vec![[false; 4]; temporaries as usize],
        }
    }

    /// The next group of the clause. Pixels are killed only in the last one.
    pub(super) fn group(&mut self, choices: &mut Choices, last: bool) -> Group {
        let mut slots = self.slots(choices, last);
        let mut literals = Vec::new();
        self.assign_units(&mut slots);
        self.index_modes(choices, &mut slots);
        for at in 0..slots.len() {
            let mut slot = slots[at].clone();
            slot.sources = self.sources(choices, &slot, &mut literals);
            if slot.opcode.double_slots() == 4 && slot.opcode != AluOpcode::Frexp64 {
                // The three slots of high words have the same signs.
                let first = slots.iter().find(|other| same_span(other, &slot));
                if let Some(first) = first.filter(|_| (1..3).contains(&slot.element)) {
                    for (operand, first) in slot.sources.iter_mut().zip(&first.sources) {
                        (operand.negate, operand.absolute) = (first.negate, first.absolute);
                    }
                }
            }
            if slots[..at].iter().all(|other| !spans(other.opcode) || !same_span(other, &slot)) {
                self.output(choices, &mut slot);
            } else {
                follow(&mut slot, &slots[..at]);
            }
            self.destination(choices, &mut slot);
            slots[at] = slot;
        }
        direction(&mut slots, choices.below(self.registers as usize) as u8);
        let codes = loadable(choices, &mut slots);
        self.remember(&slots);
        let instructions = slots.iter().zip(codes).enumerate();
        let instructions = instructions
            .map(|(at, (slot, code))| instruction(slot, code, at + 1 == slots.len()))
            .collect::<Vec<_>>();
        // Literals come in pairs: as many as the operands ask for.
        let wanted = instructions.iter().map(|alu| alu.literal_slots()).max().unwrap_or(0);
        literals.resize(2 * wanted, 0);
        Group { instructions, literals }
    }

    /// Opcodes and elements, in the order of the units.
    fn slots(&self, choices: &mut Choices, last: bool) -> Vec<Slot> {
        let mut slots = Vec::new();
        match choices.below(16) {
            0 => whole(&mut slots, 0..4, *choices.pick(&FAMILIES.reductions)),
            1 => whole(&mut slots, 0..4, *choices.pick(&FAMILIES.quads)),
            2 => {
                whole(&mut slots, 0..2, *choices.pick(&FAMILIES.pairs));
                // Not two predicates in a group.
                let second = *choices.pick(&FAMILIES.pairs);
                if second.row().role == Role::Plain {
                    whole(&mut slots, 2..4, second);
                }
            }
            3 => whole(&mut slots, 2..4, *choices.pick(&FAMILIES.pairs)),
            _ => {}
        }
        // A pair leaves the other two vector units, and an empty group all of them.
        let special =
            |slots: &[Slot]| slots.iter().any(|slot: &Slot| slot.opcode.row().role != Role::Plain);
        if slots.len() < 4 {
            let units = choices.byte();
            let taken: Vec<_> = slots.iter().map(|slot| slot.element).collect();
            for element in (0..4).filter(|element| !taken.contains(element)) {
                if units >> element & 1 == 1 {
                    let plain = special(&slots);
                    let opcode = self.vector_opcode(choices, plain, last);
                    slots.push(bare(opcode, element));
                }
            }
            slots.sort_by_key(|slot| slot.element);
        }
        if slots.is_empty() || choices.sometimes(150) {
            let occupied: Vec<_> = slots.iter().map(|slot| slot.element).collect();
            let only_trans = choices.sometimes(150);
            let opcode = if only_trans || (self.prefer_vector && occupied.is_empty()) {
                *choices.pick(&FAMILIES.trans)
            } else if !special(&slots) && choices.sometimes(30) {
                *choices.pick(&FAMILIES.predicates)
            } else {
                *choices.pick(&FAMILIES.any)
            };
            // An instruction that any unit runs goes to Trans where its own unit is taken.
            let any = opcode.row().units == Units::Any && self.prefer_vector;
            let element = if any { *choices.pick(&occupied) } else { choices.below(4) };
            slots.push(bare(opcode, element));
        }
        slots
    }

    fn vector_opcode(&self, choices: &mut Choices, plain: bool, last: bool) -> AluOpcode {
        match choices.below(12) {
            0 if !plain => *choices.pick(&FAMILIES.predicates),
            1 | 2 if !plain => *choices.pick(&FAMILIES.addresses),
            3 if !plain && last && self.kills => *choices.pick(&FAMILIES.kills),
            _ => *choices.pick(&FAMILIES.any),
        }
    }

    /// Which unit runs what (section 4.3).
    fn assign_units(&self, slots: &mut [Slot]) {
        let mut taken = [false; 4];
        let count = slots.len();
        for (at, slot) in slots.iter_mut().enumerate() {
            let last = at + 1 == count;
            slot.unit = match slot.opcode.row().units {
                Units::Trans => TRANS,
                Units::Vector => slot.element,
                Units::Any if taken[slot.element] || (last && !self.prefer_vector) => TRANS,
                Units::Any => slot.element,
            };
            if slot.unit != TRANS {
                taken[slot.unit] = true;
            }
        }
    }

    /// Index modes: AR only where an earlier group has written it, one element for the whole group,
    /// and not beside a writer of it.
    fn index_modes(&self, choices: &mut Choices, slots: &mut [Slot]) {
        let writes = slots.iter().any(|slot| slot.opcode.row().role == Role::Address);
        let written: Vec<u32> = (0..4).filter(|n| self.addresses[*n as usize] && !writes).collect();
        let mut address = if written.is_empty() { None } else { Some(*choices.pick(&written)) };
        if address == Some(0) && self.globals && choices.sometimes(100) {
            // Global registers, indexed.
            address = Some(6);
        }
        for slot in slots {
            let mut modes = Vec::new();
            modes.extend(address);
            if self.in_loop {
                modes.push(4);
            }
            if self.globals {
                modes.push(5);
            }
            slot.beside_address = writes;
            slot.index_mode = if modes.is_empty() { 0 } else { *choices.pick(&modes) };
        }
    }

    /// Whether a relative address means something defined for a kind of operand.
    fn indexable(&self, slot: &Slot, source: Source) -> bool {
        let mode = slot.index_mode;
        let address = |element: u32| self.addresses[element as usize] && !slot.beside_address;
        match source {
            // General registers are always indexed by AR.X.
            Source::Gpr(_) => match mode {
                0..=3 => address(0),
                4 => self.in_loop,
                5 => self.globals,
                _ => self.globals && address(0),
            },
            Source::Constant(_) => match mode {
                0..=3 => address(mode),
                4 => self.in_loop,
                _ => false,
            },
            Source::Kcache(..) => mode == 4 && self.in_loop,
            _ => false,
        }
    }

    fn sources(&self, choices: &mut Choices, slot: &Slot, literals: &mut Vec<u32>) -> Vec<Operand> {
        let kinds = slot.opcode.row().sources;
        let double = slot.opcode.double_slots() > 0;
        (0..kinds.len())
            .map(|number| {
                let mut operand = self.source(choices, kinds[number], literals);
                let relative = choices.sometimes(48);
                operand.relative = relative
                    && (self.indexable(slot, operand.source)
                        // It has no meaning for what is no address.
                        || !operand.source.is_address());
                // The sign of a double stands in its first slot.
                let first = !double || leads(slot);
                if first && signed_source(slot.opcode, number) {
                    let bits = choices.byte();
                    operand.negate = bits & 3 == 3;
                    operand.absolute =
                        bits & 12 == 12 && slot.opcode.row().format == AluFormat::Op2;
                }
                operand
            })
            .collect()
    }

    fn source(&self, choices: &mut Choices, kind: Kind, literals: &mut Vec<u32>) -> Operand {
        let element = choices.below(4) as u8;
        let plain = |source| Operand { source, element, ..Operand::ZERO };
        match choices.below(20) {
            13 | 14 => {
                let defined: Vec<u8> = (0..4).filter(|n| self.previous[usize::from(*n)]).collect();
                if !defined.is_empty() {
                    let element = *choices.pick(&defined);
                    return Operand { element, ..plain(Source::PreviousVector) };
                }
            }
            15 if self.previous[TRANS] => return plain(Source::PreviousScalar),
            16 => {
                let inline = Source::of(244 + choices.below(9) as u32);
                return plain(inline.unwrap_or(Source::Inline(Inline::Zero)));
            }
            17 | 18 => {
                let constant = if self.constant_file {
                    Some(Source::Constant(choices.byte()))
                } else {
                    let set = choices.below(2);
                    let set = if self.locked[set] == 0 { 1 - set } else { set };
                    let number = choices.below(self.locked[set] as usize) as u8;
                    (self.locked[set] > 0).then_some(Source::Kcache(set as u8, number))
                };
                if let Some(constant) = constant {
                    return plain(constant);
                }
            }
            19 => {
                let reuse = !literals.is_empty() && choices.sometimes(80);
                let at = if reuse || literals.len() == 4 {
                    choices.below(literals.len())
                } else {
                    literals.push(literal(choices, kind));
                    literals.len() - 1
                };
                return Operand { element: at as u8, ..plain(Source::Literal) };
            }
            _ => {}
        }
        plain(Source::Gpr(self.readable(choices, kind, element)))
    }

    /// A register whose element is defined, mostly one of the wanted kind: those of even numbers
    /// hold floats at first, those of odd numbers integers, the last ones doubles.
    fn readable(&self, choices: &mut Choices, kind: Kind, element: u8) -> u8 {
        if choices.sometimes(16) {
            let written: Vec<_> = (0..self.temporaries)
                .filter(|n| self.temporaries_written[*n as usize][usize::from(element)])
                .collect();
            if !written.is_empty() {
                return (128 - self.temporaries + *choices.pick(&written)) as u8;
            }
        }
        let any = choices.below(self.registers as usize) as u8;
        match kind {
            // The index register.
            Kind::F32 | Kind::I32 if choices.sometimes(16) => 0,
            Kind::F64 if choices.sometimes(160) => {
                (self.registers as u8).saturating_sub(1 + any % 2)
            }
            Kind::F32 if choices.sometimes(140) => any & !1,
            Kind::I32 | Kind::U32 if choices.sometimes(140) => {
                (any | 1).min(self.registers as u8 - 1)
            }
            _ => any,
        }
    }

    /// Predicate, scale, clamp: what every instruction has of its own.
    fn output(&self, choices: &mut Choices, slot: &mut Slot) {
        let bits = choices.byte();
        slot.predicate = [0, 0, 0, 0, 0, 0, 2, 3][usize::from(bits & 7)];
        if scaled_result(slot.opcode) && slot.opcode.row().result != Kind::Address {
            if slot.opcode.row().format == AluFormat::Op2 && bits >> 3 & 3 == 0 {
                slot.scale = u32::from(bits >> 5 & 3);
            }
            slot.clamp = choices.sometimes(32);
        }
        if slot.opcode.row().role == Role::Predicate {
            let updates = choices.byte();
            slot.update_predicate = updates & 1 == 1;
            slot.update_execute = updates & 6 == 6;
        }
    }

    fn destination(&self, choices: &mut Choices, slot: &mut Slot) {
        let writes = slot.opcode.row().role == Role::Address;
        // What a writer of AR leaves in a register is undefined.
        slot.write = !choices.sometimes(if writes { 250 } else { 24 });
        slot.destination = match choices.below(32) {
            0 if self.temporaries > 0 => {
                128 - self.temporaries + choices.below(self.temporaries as usize) as u32
            }
            // Nothing is written there.
            1 if self.registers + self.temporaries < 128 => self.registers,
            2 => 0,
            _ => 1 + choices.below(self.registers as usize - 1) as u32,
        };
        if slot.destination < self.registers {
            let indexable = self.indexable(slot, Source::Gpr(0));
            slot.destination_relative = indexable && choices.sometimes(32);
        }
    }

    /// What the groups after this one can read.
    fn remember(&mut self, slots: &[Slot]) {
        let mut defined = [false; 5];
        for slot in slots {
            let always = slot.predicate == 0;
            let reduced = slot.opcode.is_reduction() && slot.opcode != AluOpcode::Cube;
            let gives = slot.opcode.row().role != Role::Address
                && (slot.opcode.row().role != Role::Kill || self.kills)
                && slot.opcode != AluOpcode::Nop
                && !(reduced && slot.unit != 0);
            defined[slot.unit] = gives && (always || self.previous[slot.unit]);
            if slot.opcode.row().role == Role::Address && always {
                self.addresses[slot.unit] = true;
            }
            let temporary = slot.destination.checked_sub(128 - self.temporaries);
            if let Some(temporary) = temporary
                && gives
                && always
                && slot.write
                && !slot.destination_relative
            {
                self.temporaries_written[temporary as usize][slot.element] = true;
            }
        }
        self.previous = defined;
    }
}

/// A literal of a kind.
fn literal(choices: &mut Choices, kind: Kind) -> u32 {
    let mut random = crate::random::SplitMix64::new(u64::from(choices.word()));
    match kind {
        Kind::F32 => crate::corners::float(&mut random),
        Kind::F64 => super::values::high_word(&mut random),
        _ => crate::corners::integer(&mut random),
    }
}

const fn bare(opcode: AluOpcode, element: usize) -> Slot {
    Slot {
        opcode,
        element,
        unit: 0,
        sources: Vec::new(),
        index_mode: 0,
        beside_address: false,
        destination: 0,
        destination_relative: false,
        write: true,
        scale: 0,
        clamp: false,
        predicate: 0,
        update_predicate: false,
        update_execute: false,
    }
}

/// An operation over several slots.
fn whole(slots: &mut Vec<Slot>, elements: std::ops::Range<usize>, opcode: AluOpcode) {
    slots.extend(elements.map(|element| bare(opcode, element)));
}

fn spans(opcode: AluOpcode) -> bool {
    opcode.is_reduction() || opcode.double_slots() > 0
}

/// Whether two slots belong to one operation.
fn same_span(a: &Slot, b: &Slot) -> bool {
    let pair = a.opcode.double_slots() == 2;
    spans(a.opcode) && a.opcode == b.opcode && (!pair || a.element / 2 == b.element / 2)
}

/// Whether a slot is the first one of its double-precision operation.
fn leads(slot: &Slot) -> bool {
    slot.element == 0 || slot.element == 2 && slot.opcode.double_slots() == 2
}

/// A slot of an operation is predicated and scaled as its first slot is.
fn follow(slot: &mut Slot, before: &[Slot]) {
    let Some(first) = before.iter().find(|other| same_span(other, slot)) else { return };
    slot.predicate = first.predicate;
    slot.update_predicate = first.update_predicate;
    slot.update_execute = first.update_execute;
    // Reductions want the same modifiers everywhere, doubles have them in the first slot.
    if slot.opcode.is_reduction() {
        slot.scale = first.scale;
        slot.clamp = first.clamp;
    }
}

/// The operands of `CUBE`: elements zzxy and yxzz of one direction. An instruction in Trans reads the
/// same register, so that the ports are free for it.
fn direction(slots: &mut [Slot], register: u8) {
    let [first, second] = [[2, 2, 0, 1], [1, 0, 2, 2]];
    if slots.iter().any(|slot| slot.opcode == AluOpcode::Cube) {
        let trans = slots.iter_mut().filter(|slot| slot.unit == TRANS);
        for operand in trans.flat_map(|slot| &mut slot.sources) {
            if let Source::Gpr(_) = operand.source {
                *operand = Operand { source: Source::Gpr(register), element: 2, ..Operand::ZERO };
            }
        }
    }
    for slot in slots.iter_mut().filter(|slot| slot.opcode == AluOpcode::Cube) {
        let operand = |element| Operand { source: Source::Gpr(register), element, ..Operand::ZERO };
        slot.sources = vec![operand(first[slot.element]), operand(second[slot.element])];
    }
}

/// Bank swizzles for the slots. Operands that do not fit the read ports become zeros, until the
/// rest does.
fn loadable(choices: &mut Choices, slots: &mut [Slot]) -> Vec<u8> {
    let wanted: Vec<u8> = slots.iter().map(|_| choices.byte() % 6).collect();
    loop {
        let loads: Vec<_> = slots
            .iter()
            .map(|slot| {
                let operands = slot.sources.iter().map(|operand| operand.load(slot.index_mode));
                Loads { operands: operands.collect(), trans: slot.unit == TRANS }
            })
            .collect();
        if let Some(codes) = ports::swizzles(&loads, &wanted) {
            return codes;
        }
        simplify(slots, &loads);
    }
}

/// Replaces an operand by one that is easier to load: constants while there are too many of them,
/// then registers of vector units.
fn simplify(slots: &mut [Slot], loads: &[Loads]) {
    let registers = |loads: &Loads, number: usize| match loads.operands[number] {
        Load::Register { .. } => true,
        Load::Constant { .. } | Load::Immediate | Load::Previous => false,
    };
    let fit = ports::constants_fit(loads);
    for (slot, loads) in slots.iter_mut().zip(loads).rev() {
        for number in (0..slot.sources.len()).rev() {
            let load = loads.operands[number];
            let constant = matches!(load, Load::Constant { .. })
                || loads.trans && matches!(load, Load::Immediate);
            let replace = if fit { registers(loads, number) && !loads.trans } else { constant };
            if replace {
                // In Trans inline constants count as well: a register takes their place.
                let source =
                    if loads.trans { Source::Gpr(0) } else { Source::Inline(Inline::Zero) };
                // The signs stay: the slots of a double have the same.
                let operand = &mut slot.sources[number];
                *operand = Operand { source, element: 0, relative: false, ..*operand };
                return;
            }
        }
    }
    // Only Trans is left, with registers that block each other: one is enough.
    for slot in slots.iter_mut().filter(|slot| slot.unit == TRANS) {
        if let Some(first) = slot.sources.first().copied() {
            slot.sources.fill(first);
        }
    }
}

/// The machine code of a slot.
fn instruction(slot: &Slot, code: u8, last: bool) -> Alu {
    let operand = |number: usize| slot.sources.get(number).copied();
    let select = |number| operand(number).map_or(0, |operand| operand.source.select());
    let element = |number| operand(number).map_or(0, |operand| u32::from(operand.element));
    let flag = |number, get: fn(Operand) -> bool| operand(number).is_some_and(get).into();
    let common: [(Field, u32); 13] = [
        (AluOp2::SRC0_SEL, select(0)),
        (AluOp2::SRC0_REL, flag(0, |operand| operand.relative)),
        (AluOp2::SRC0_CHAN, element(0)),
        (AluOp2::SRC0_NEG, flag(0, |operand| operand.negate)),
        (AluOp2::SRC1_SEL, select(1)),
        (AluOp2::SRC1_REL, flag(1, |operand| operand.relative)),
        (AluOp2::SRC1_CHAN, element(1)),
        (AluOp2::SRC1_NEG, flag(1, |operand| operand.negate)),
        (AluOp2::INDEX_MODE, slot.index_mode),
        (AluOp2::PRED_SEL, slot.predicate),
        (AluOp2::LAST, last.into()),
        (AluOp2::BANK_SWIZZLE, code.into()),
        (AluOp2::DST_GPR, slot.destination),
    ];
    let mut dwords = [0; 2];
    for (field, value) in common {
        field.set(&mut dwords, value);
    }
    AluOp2::DST_REL.set(&mut dwords, slot.destination_relative.into());
    AluOp2::DST_ELEM.set(&mut dwords, slot.element as u32);
    AluOp2::CLAMP.set(&mut dwords, slot.clamp.into());
    match slot.opcode.row().format {
        AluFormat::Op2 => Alu::Op2(
            AluOp2(dwords)
                .with(AluOp2::ALU_INST, slot.opcode.row().code)
                .with(AluOp2::SRC0_ABS, flag(0, |operand| operand.absolute))
                .with(AluOp2::SRC1_ABS, flag(1, |operand| operand.absolute))
                .with(AluOp2::UPDATE_PRED, slot.update_predicate.into())
                .with(AluOp2::UPDATE_EXECUTE_MASK, slot.update_execute.into())
                .with(AluOp2::WRITE_MASK, slot.write.into())
                .with(AluOp2::OMOD, slot.scale),
        ),
        AluFormat::Op3 => Alu::Op3(
            AluOp3(dwords)
                .with(AluOp3::ALU_INST, slot.opcode.row().code)
                .with(AluOp3::SRC2_SEL, select(2))
                .with(AluOp3::SRC2_REL, flag(2, |operand| operand.relative))
                .with(AluOp3::SRC2_CHAN, element(2))
                .with(AluOp3::SRC2_NEG, flag(2, |operand| operand.negate)),
        ),
    }
}
