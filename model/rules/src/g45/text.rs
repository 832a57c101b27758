//! Assembly text (G45 volume 4, chapters 11 and 12): which forms a text has, each of which is read as the rule says.

use std::sync::LazyLock;

use parallax_isa::{
    device::Generation::Gen4,
    eu::{
        Instruction,
        Opcode::{
            self, Break, Cont, Do, Else, Endif, Halt, If, Iff, Jmpi, Mrest, Msave, Pop, Push, Wait,
            While,
        },
        instruction::{AccessMode, ConditionalModifier, Descriptor, PredicateControl},
        opcode::Format::{Binary, Controls, Message, Nothing, Unary},
        operand::{DestinationRegion, Register, Source, SourceModifier},
        register::{
            ArfKind,
            RegisterFile::{self, Grf, Mrf},
        },
        text::Assembly,
    },
};
use parallax_spec::{RuleId, coverage};

/// A text and what was read of it.
#[derive(Clone, Copy)]
struct Text<'a> {
    text: &'a str,
    assembly: &'a Assembly,
}

/// What has its operands in a form of its own.
const FLOW: &[Opcode] = &[If, Iff, Else, Endif, Do, While, Break, Cont, Halt, Jmpi, Wait];
const MASKS: &[Opcode] = &[Msave, Mrest, Push, Pop];

/// Whether an instruction has its operands as most do.
fn is_plain(instruction: &Instruction) -> bool {
    let format = instruction.opcode.format_on(Gen4);
    matches!(format, Unary | Binary | Message) && !FLOW.contains(&instruction.opcode)
}

/// The registers that an instruction names.
fn registers(instruction: &Instruction) -> impl Iterator<Item = Register> {
    let sources = sources(instruction).filter_map(|source| match *source {
        Source::Register { register, .. } => Some(register),
        Source::Immediate { .. } => None,
    });
    is_plain(instruction).then_some(instruction.destination.register).into_iter().chain(sources)
}

/// The sources that an instruction has in a text.
fn sources(instruction: &Instruction) -> impl Iterator<Item = &Source> {
    let sources = match instruction.opcode.format_on(Gen4) {
        _ if instruction.opcode == Jmpi => 1..2,
        _ if !is_plain(instruction) => 0..0,
        Binary => 0..2,
        _ => 0..1,
    };
    instruction.sources[sources].iter()
}

fn is_in(register: Register, wanted: RegisterFile) -> bool {
    matches!(register, Register::Direct { file, .. } | Register::Indirect { file, .. } if file == wanted)
}

fn is_accumulator(source: &Source) -> bool {
    matches!(source, Source::Register { register, .. } if register.arf() == Some(ArfKind::Accumulator))
}

fn is_modified(source: &Source) -> bool {
    matches!(source, Source::Register { modifier, .. } if *modifier != SourceModifier::default())
}

impl Text<'_> {
    /// Whether an instruction meets a condition.
    fn any(self, is_one: impl Fn(&Instruction) -> bool) -> bool {
        let mut placed = self.assembly.program.instructions().iter();
        placed.any(|placed| is_one(&placed.instruction))
    }

    fn has(self, opcodes: &[Opcode]) -> bool {
        self.any(|instruction| opcodes.contains(&instruction.opcode))
    }

    fn names(self, file: RegisterFile) -> bool {
        self.any(|instruction| registers(instruction).any(|register| is_in(register, file)))
    }

    fn any_source(self, is_one: impl Fn(&Source) -> bool) -> bool {
        self.any(|instruction| sources(instruction).any(&is_one))
    }

    fn contains(self, part: &str) -> bool {
        self.text.contains(part)
    }

    /// Whether the line of an instruction that meets a condition does.
    fn any_line(self, is_one: impl Fn(&Instruction, &str) -> bool) -> bool {
        let placed = self.assembly.program.instructions().iter().zip(&self.assembly.lines);
        let lines: Vec<_> = self.text.lines().collect();
        placed
            .filter_map(|(placed, line)| Some((placed, lines.get(line.checked_sub(1)?)?)))
            .any(|(placed, line)| is_one(&placed.instruction, line))
    }

    /// Whether what stands behind some use of a declared symbol meets a condition.
    fn any_use(self, is_one: impl Fn(&str) -> bool) -> bool {
        let declared = self.text.split(".declare ").skip(1);
        let names = declared.filter_map(|rest| rest.split_whitespace().next());
        names.into_iter().any(|name| {
            let mut uses = self.text.match_indices(name);
            uses.any(|(at, _)| {
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                !self.text[..at].ends_with(is_word) && is_one(&self.text[at + name.len()..])
            })
        })
    }
}

/// Whether an execution size stands in a line.
fn has_size(line: &str) -> bool {
    line.split(" (").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The offsets behind the address of an operand that begins with it.
fn offsets(operand: &str) -> Option<usize> {
    let (address, _) = operand.strip_prefix('[')?.split_once(']')?;
    Some(address.matches([',', '+']).count())
}

type When = fn(Text) -> bool;

const fn rule(id: &str, when: When) -> (RuleId, When) {
    (RuleId::named(id), when)
}

/// When each rule decides what is read.
const RULES: &[(RuleId, When)] = &[
    rule("g45.asm.unary", |t| {
        t.any(|i| i.opcode.format_on(Gen4) == Unary && is_plain(i) && !MASKS.contains(&i.opcode))
    }),
    rule("g45.asm.binary", |t| {
        t.any(|i| i.opcode.format_on(Gen4) == Binary && is_plain(i) && i.opcode != Pop)
    }),
    rule("g45.asm.binary-acc", |t| {
        t.any(|i| i.opcode.format_on(Gen4) == Binary && is_accumulator(&i.sources[0]))
    }),
    rule("g45.asm.send", |t| t.any(|i| i.message.is_some())),
    rule("g45.asm.jump", |t| t.any_line(|i, line| i.opcode == Jmpi && line.contains('<'))),
    rule("g45.asm.mask-control", |t| t.has(MASKS)),
    rule("g45.asm.branch", |t| t.has(&[If, Iff, While])),
    rule("g45.asm.else", |t| t.has(&[Else])),
    rule("g45.asm.break", |t| t.has(&[Break, Cont, Halt])),
    rule("g45.asm.sync", |t| t.has(&[Wait])),
    rule("g45.asm.special", |t| t.any(|i| matches!(i.opcode.format_on(Gen4), Nothing | Controls))),
    rule("g45.asm.predicate", |t| t.any(|i| i.predicate.control != PredicateControl::None)),
    rule("g45.asm.saturate", |t| t.any(|i| i.saturate)),
    rule("g45.asm.condmod", |t| t.any(|i| i.condition != ConditionalModifier::None)),
    rule("g45.asm.execsize", |t| t.any_line(|_, line| has_size(line))),
    rule("g45.asm.options", |t| t.contains("{")),
    rule("g45.asm.dst.kinds", |t| t.any(is_plain)),
    rule("g45.asm.src.kinds", |t| t.any_source(|s| matches!(s, Source::Register { .. }))),
    rule("g45.asm.addr-param", |t| {
        let is_indirect = |register| matches!(register, Register::Indirect { .. });
        t.any(|i| registers(i).any(is_indirect))
    }),
    rule("g45.asm.region.dst", |t| {
        t.any(|i| is_plain(i) && matches!(i.destination.region, DestinationRegion::Stride(_)))
    }),
    rule("g45.asm.region.src", |t| t.any_line(|i, line| is_plain(i) && line.contains([';', '>']))),
    rule("g45.asm.types", |t| t.any_line(|i, line| is_plain(i) && line.contains(':'))),
    rule("g45.asm.srcmod", |t| t.any_source(is_modified)),
    rule("g45.asm.writemask", |t| {
        let is_masked =
            |i: &Instruction| matches!(i.destination.region, DestinationRegion::ChannelEnable(_));
        t.any(|i| is_plain(i) && is_masked(i))
    }),
    rule("g45.asm.swizzle", |t| {
        t.any(|i| {
            i.access_mode == AccessMode::Align16
                && sources(i).any(|s| matches!(s, Source::Register { .. }))
        })
    }),
    rule("g45.asm.imm-ranges", |t| {
        t.any_source(|s| matches!(s, Source::Immediate { .. }))
            || t.any(|i| matches!(i.message.map(|m| m.descriptor), Some(Descriptor::Immediate(_))))
    }),
    rule("g45.asm.reg.grf", |t| t.names(Grf)),
    rule("g45.asm.reg.mrf", |t| t.names(Mrf)),
    rule("g45.asm.reg.flag", |t| {
        t.any_line(|i, line| {
            let has_flag = i.predicate.control != PredicateControl::None
                || i.condition != ConditionalModifier::None;
            has_flag && line.to_ascii_lowercase().contains("f0")
        })
    }),
    rule("g45.pg.comments", |t| t.contains("//") || t.contains("/*")),
    rule("g45.pg.kernel-structure", |t| t.contains(".kernel")),
    rule("g45.pg.define", |t| t.contains(".define ")),
    rule("g45.pg.declare", |t| t.contains(".declare ")),
    rule("g45.pg.declare.direct", |t| t.any_use(|rest| rest.starts_with(['(', '<']))),
    rule("g45.pg.declare.indirect", |t| t.any_use(|rest| offsets(rest) == Some(2))),
    rule("g45.pg.declare.indirect-bare", |t| t.any_use(|rest| offsets(rest) == Some(0))),
    rule("g45.pg.default-exec", |t| t.any_line(|i, line| is_plain(i) && !has_size(line))),
    rule("g45.pg.default-directives", |t| t.contains(".default_")),
    rule("g45.pg.flow.exitcode-macro", |t| {
        let goes_to_label = !t.assembly.labels.is_empty();
        goes_to_label
            && t.any(|i| FLOW.contains(&i.opcode) && ![Jmpi, Wait, Do].contains(&i.opcode))
    }),
    rule("g45.pg.ip.jmp-pseudo", |t| t.text.split_whitespace().any(|word| word == "jmp")),
];

/// The rules of the operands of each instruction.
static FORMS: LazyLock<Vec<Option<RuleId>>> = LazyLock::new(|| {
    let rule = |opcode: &Opcode| RuleId::find(&format!("g45.inst.{}.forms", opcode.mnemonic()));
    Opcode::ALL.iter().map(rule).collect()
});

/// The rules that decide what is read of a text.
fn deciding(text: Text) -> impl Iterator<Item = RuleId> {
    let placed = text.assembly.program.instructions().iter();
    let forms = placed.filter_map(|placed| FORMS[placed.instruction.opcode as usize]);
    let rules = RULES.iter().filter(move |(_, when)| when(text));
    rules.map(|(id, _)| *id).chain(forms)
}

/// Counts the rules that decide what was read of a text of Gen4 or Gen4.5.
pub fn observe(text: &str, assembly: &Assembly) {
    deciding(Text { text, assembly }).for_each(coverage::hit);
}

/// Whether a rule decides what was read of a text.
#[must_use]
pub fn decides(rule: RuleId, text: &str, assembly: &Assembly) -> bool {
    deciding(Text { text, assembly }).any(|deciding| deciding == rule)
}
