//! Instructions that were put together, and that no text or machine code can say.

use parallax_spec::{RuleId, rule_id};

use crate::{
    Device,
    eu::{
        instruction::{
            AccessMode, ConditionalModifier, ExtendedDescriptor, Instruction, MathFunction,
        },
        operand::{DestinationRegion, Region, Register, Source, VerticalStride},
        register::RegisterFile,
        types::DataType,
    },
};

/// What text or machine code cannot say, but an instruction that was put together can: a start, what is
/// changed, the rule and others that are broken with it.
type Row = (Device, &'static str, Change, RuleId, &'static [RuleId]);

/// What is done to an instruction.
pub(super) type Change = fn(&mut Instruction);

const ADD: &str = "add (8|M0) r10.0<1>:f r2.0<8;8,1>:f r4.0<8;8,1>:f";
const ADD_IVB: &str = "add (8) r10<1>:f r2<8;8,1>:f r4<8;8,1>:f";
const MAD: &str = "mad (8|M0) r10.0<1>:f r2.0<4>:f r4.0<4>:f r6.0<4>:f";
const MAD12: &str = "mad (8|M0) r10.0<1>:f r2.0<8;8,1>:f r4.0<8;8,1>:f r6.0<1;1,0>:f";
const MOV16: &str = "mov (8|M0) r10.0<1>:f r2.0<4>:f {Align16}";

fn register_of(source: &mut Source) -> &mut Register {
    let Source::Register { register, .. } = source else { panic!("a register") };
    register
}

fn type_of(source: &mut Source) -> &mut DataType {
    let Source::Register { data_type, .. } = source else { panic!("a register") };
    data_type
}

fn region_of(source: &mut Source) -> &mut Region {
    let Source::Register { region, .. } = source else { panic!("a register") };
    region
}

fn set_vertical(instruction: &mut Instruction, elements: u8) {
    if let Region::Align16 { vertical, .. } = region_of(&mut instruction.sources[0]) {
        *vertical = VerticalStride::Elements(elements);
    }
}

pub(super) const fn direct(file: RegisterFile, number: u8, subregister: u8) -> Register {
    Register::Direct { file, number, subregister }
}

const fn indirect(address_subregister: u8, offset: i16) -> Register {
    Register::Indirect { file: RegisterFile::Grf, address_subregister, offset }
}

pub(super) fn changes() -> Vec<Row> {
    use Device::{Dg1, Ivb, Skl};
    vec![
        (Dg1, "illegal", |i| i.residue = 0x02, rule_id!("gen12.isa.enc.old-mov"), &[]),
        (Dg1, "illegal", |i| i.residue = 0x30, rule_id!("gen12.isa.cf.wait-gone"), &[]),
        (Dg1, "illegal", |i| i.residue = 0x5A, rule_id!("gen12.isa.op.removed"), &[]),
        (Dg1, "nop", |i| i.residue = 1 << 100, rule_id!("leg.inst.nop"), &[]),
        (
            Dg1,
            MAD12,
            |i| *type_of(&mut i.sources[2]) = DataType::D,
            rule_id!("leg.enc.3src-a1-exec-type"),
            &[rule_id!("gen12.isa.types.mad")],
        ),
        (
            Dg1,
            "mad (8|M0) r10.0<1>:hf r2.0<8;8,1>:hf r4.0<8;8,1>:hf r6.0<1;1,0>:hf",
            |i| i.sources[1] = Source::Immediate { data_type: DataType::Hf, bits: 0 },
            rule_id!("leg.enc.3src-imm"),
            &[],
        ),
        (
            Dg1,
            MAD12,
            |i| *register_of(&mut i.sources[1]) = indirect(0, 0),
            rule_id!("leg.enc.3src-a1-indirect"),
            &[],
        ),
        (
            Dg1,
            MAD12,
            |i| i.destination.register = indirect(0, 0),
            rule_id!("leg.enc.3src-a1-indirect"),
            &[],
        ),
        (
            Dg1,
            "mad (4|M0) r10.0<1>:f r2.0<4;4,1>:f r4.0<4;4,1>:f r6.0<1;1,0>:f",
            |i| i.destination.register = direct(RegisterFile::Grf, 10, 4),
            rule_id!("leg.enc.3src-dst-subreg"),
            &[],
        ),
        (
            Dg1,
            "mad (4|M0) r10.0<1>:f r2.0<4;4,1>:f r4.0<4;4,1>:f r6.0<1;1,0>:f",
            |i| i.destination.region = DestinationRegion::Stride(4),
            rule_id!("leg.enc.3src-dst-stride"),
            &[],
        ),
        (
            Dg1,
            "math.iqot (8|M0) r10.0<1>:d r2.0<8;8,1>:d r4.0<8;8,1>:d",
            |i| {
                i.math = Some(MathFunction::Pow);
                i.destination.data_type = DataType::F;
                i.sources[..2].iter_mut().for_each(|source| *type_of(source) = DataType::F);
            },
            rule_id!("leg.inst.math-fc-gen12"),
            &[],
        ),
        (Skl, "illegal", |i| i.residue = 0x7F, rule_id!("leg.enc.opcode-unknown"), &[]),
        (Ivb, "illegal", |i| i.residue = 0x26, rule_id!("gen7.isa.cf.fork-case"), &[]),
        (Ivb, "illegal", |i| i.residue = 0x3D, rule_id!("gen7.isa.cf.iff-removed"), &[]),
        (Ivb, "illegal", |i| i.residue = 0x12, rule_id!("gen7.isa.cmod.csel-none"), &[]),
        (Skl, "illegal", |i| i.residue = 0x13, rule_id!("gen9.isa.op.f32to16-gone"), &[]),
        (Skl, "illegal", |i| i.residue = 0x3E, rule_id!("gen9.isa.op.dim-gone"), &[]),
        (
            Ivb,
            ADD_IVB,
            |i| i.sources[0] = Source::Immediate { data_type: DataType::F, bits: 0 },
            rule_id!("leg.enc.imm-last-source"),
            &[],
        ),
        (Skl, MOV16, |i| set_vertical(i, 8), rule_id!("leg.enc.align16-vstride-hsw"), &[]),
        (
            Ivb,
            "mov (8) r10<1>:f r2<4>:f {Align16}",
            |i| set_vertical(i, 2),
            rule_id!("leg.enc.align16-vstride"),
            &[],
        ),
        (
            Skl,
            "add (8|M0) r10.0<1>:f r2.0<4;2,2>:f r4.0<4;4,1>:f",
            |i| i.compact = true,
            rule_id!("gen7.isa.stream.unmapped"),
            &[],
        ),
        (Skl, ADD, |i| i.residue = 0x80, rule_id!("leg.enc.native-bit7"), &[]),
        (Skl, "nop", |i| i.residue = 1 << 100, rule_id!("leg.inst.nop"), &[]),
        (
            Skl,
            "not (8|M0) r10.0<1>:d r2.0<8;8,1>:d",
            |i| i.residue = 1 << 100,
            rule_id!("gen7.null.single-source"),
            &[],
        ),
        (
            Ivb,
            "mad (8) r10<1>:f r2<4>:f r4<4>:f r6<4>:f",
            |i| i.compact = true,
            rule_id!("gen7.isa.stream.expand-no3src"),
            &[],
        ),
        (
            Skl,
            ADD,
            |i| *register_of(&mut i.sources[0]) = direct(RegisterFile::Mrf, 1, 0),
            rule_id!("leg.enc.mrf"),
            &[],
        ),
        (
            Ivb,
            ADD_IVB,
            |i| i.destination.register = direct(RegisterFile::Mrf, 1, 0),
            rule_id!("gen7.isa.op.mrf-gone"),
            &[],
        ),
        (
            Skl,
            "add (4|M0) r10.0<1>:df r2.0<4;4,1>:df r4.0<4;4,1>:df",
            |i| i.sources[1] = Source::Immediate { data_type: DataType::Df, bits: 0 },
            rule_id!("leg.enc.imm-64bit-one-source"),
            &[],
        ),
        (
            Ivb,
            "mov (8) r10<1>:df r2<4;4,1>:df",
            |i| i.sources[0] = Source::Immediate { data_type: DataType::Df, bits: 0 },
            rule_id!("gen7.imm.df"),
            &[],
        ),
        (
            Skl,
            "mov (8|M0) r10.0<1>:w 1:w",
            |i| i.sources[0] = Source::Immediate { data_type: DataType::W, bits: 1 },
            rule_id!("leg.enc.imm16-replicated"),
            &[],
        ),
        (
            Skl,
            "mov (8|M0) r10.0<1>:w r2.0<8;8,1>:w",
            |i| *type_of(&mut i.sources[0]) = DataType::V,
            rule_id!("gen7.vec.v-imm-only"),
            &[],
        ),
        (
            Skl,
            "mov (8|M0) r10.0<1>:w r2.0<8;8,1>:w",
            |i| *type_of(&mut i.sources[0]) = DataType::Uv,
            rule_id!("gen7.vec.uv-imm-only"),
            &[],
        ),
        (
            Skl,
            "mov (8|M0) r10.0<1>:f r2.0<8;8,1>:f",
            |i| i.destination.data_type = DataType::Vf,
            rule_id!("gen7.vec.vf-imm-only"),
            &[rule_id!("gen9.isa.types.mov")],
        ),
        (
            Ivb,
            ADD_IVB,
            |i| *register_of(&mut i.sources[0]) = indirect(8, 0),
            rule_id!("leg.enc.a0-count"),
            &[],
        ),
        (
            Skl,
            ADD,
            |i| i.destination.register = indirect(16, 0),
            rule_id!("leg.enc.a0-count-gen8"),
            &[],
        ),
        (
            Skl,
            MOV16,
            |i| *register_of(&mut i.sources[0]) = direct(RegisterFile::Grf, 2, 4),
            rule_id!("leg.enc.align16-subreg"),
            &[],
        ),
        (
            Skl,
            MOV16,
            |i| i.destination.register = indirect(0, 4),
            rule_id!("leg.enc.align16-subreg"),
            &[],
        ),
        (
            Skl,
            ADD,
            |i| {
                *region_of(&mut i.sources[0]) = Region::Align16 {
                    vertical: VerticalStride::Elements(4),
                    swizzle: [0, 1, 2, 3],
                };
            },
            rule_id!("gen7.intro.swizzle-align16-only"),
            &[],
        ),
        (
            Skl,
            MAD,
            |i| {
                i.access_mode = AccessMode::Align1;
                i.destination.region = DestinationRegion::Stride(1);
            },
            rule_id!("leg.enc.3src-align1"),
            &[rule_id!("gen7.intro.swizzle-align16-only")],
        ),
        (
            Skl,
            MAD,
            |i| *register_of(&mut i.sources[1]) = indirect(0, 0),
            rule_id!("leg.enc.3src-operands"),
            &[],
        ),
        (
            Skl,
            MAD,
            |i| i.destination.register = Register::NULL,
            rule_id!("leg.enc.3src-operands"),
            &[],
        ),
        (
            Skl,
            "mad (4|M0) r10.0<1>:df r2.0<4>:df r4.0<4>:df r6.0<4>:df",
            |i| {
                *region_of(&mut i.sources[1]) =
                    Region::Align16 { vertical: VerticalStride::Elements(0), swizzle: [0; 4] };
            },
            rule_id!("leg.enc.3src-rep-64bit"),
            &[],
        ),
        (
            Ivb,
            "add (16) r10<1>:f r2<8;8,1>:f r4<8;8,1>:f",
            |i| i.first_channel = 8,
            rule_id!("leg.enc.qtr-exec-size"),
            &[],
        ),
        (
            Skl,
            ADD,
            |i| i.condition = ConditionalModifier::RoundIncrement,
            rule_id!("gen7.isa.cmod.r-removed"),
            &[],
        ),
        (
            Skl,
            "mov (8|M0) r10.0<1>:f r2.0<8;8,1>:f",
            |i| *register_of(&mut i.sources[0]) = direct(RegisterFile::Grf, 2, 2),
            rule_id!("gen7.data.align-natural"),
            &[rule_id!("leg.region.row-crossing")],
        ),
        (
            Skl,
            ADD,
            |i| i.destination.register = direct(RegisterFile::Grf, 10, 2),
            rule_id!("gen7.data.align-natural"),
            &[],
        ),
        (
            Skl,
            "add (8|M0) r10.0<1>:hf acc0<8;8,1>:f r4.0<8;8,1>:hf",
            |i| *register_of(&mut i.sources[0]) = direct(RegisterFile::Arf, 0x20, 4),
            rule_id!("leg.mixed.acc-src"),
            &[rule_id!("leg.mixed.acc-dst-stride"), rule_id!("leg.acc.explicit-region")],
        ),
        (Skl, "wait n0.0", |i| i.execution_size = 8, rule_id!("leg.inst.wait"), &[]),
        (
            Skl,
            "send (8|M0) r10:ud r2 0x2 0x02111000",
            |i| *register_of(&mut i.sources[0]) = direct(RegisterFile::Arf, 0x20, 0),
            rule_id!("leg.send.src0-grf"),
            &[],
        ),
        (
            Skl,
            "sends (8|M0) r10:ud r2 r4 0x42 0x02111000",
            |i| {
                i.message.as_mut().expect("a message").extended =
                    ExtendedDescriptor::Immediate(0x444);
            },
            rule_id!("leg.send.extdesc-low-bits"),
            &[],
        ),
        (
            Skl,
            "while (8|M0) 0",
            |i| i.access_mode = AccessMode::Align16,
            rule_id!("leg.cf.branch-align"),
            &[],
        ),
        (
            Skl,
            "goto (8|M0) 16 16",
            |i| i.saturate = true,
            rule_id!("leg.cf.branch-cmod"),
            &[rule_id!("gen9.isa.mods.goto")],
        ),
    ]
}
