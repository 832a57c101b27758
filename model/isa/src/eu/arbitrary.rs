//! Instructions from a fuzzer's bytes: numbers that some device has a code for, and parts that go together
//! with the operation. Whatever else the types can hold has no code, and would hide what has.

use arbitrary::{Arbitrary, Result, Unstructured};

use super::{
    generation::Generation,
    instruction::Instruction,
    opcode::{Format, Opcode},
    operand::{DestinationRegion, Region, Register, VerticalStride},
    register::RegisterFile,
};

/// True in one of so many cases; false where the bytes have run out.
fn rarely(input: &mut Unstructured, one_of: u8) -> Result<bool> {
    Ok(!input.ratio(one_of - 1, one_of)?)
}

impl<'a> Arbitrary<'a> for Register {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        let file = RegisterFile::arbitrary(input)?;
        Ok(match rarely(input, 8)? {
            false => Self::Direct {
                file,
                number: input.arbitrary()?,
                subregister: input.int_in_range(0..=31)?,
            },
            true => Self::Indirect {
                file,
                address_subregister: input.int_in_range(0..=15)?,
                offset: input.int_in_range(-512..=511)?,
            },
        })
    }
}

impl<'a> Arbitrary<'a> for VerticalStride {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        let elements = *input.choose(&[0, 1, 2, 4, 8, 16, 32, u8::MAX])?;
        Ok(if elements == u8::MAX { Self::PerRowAddress } else { Self::Elements(elements) })
    }
}

impl<'a> Arbitrary<'a> for Region {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        let vertical = input.arbitrary()?;
        Ok(match rarely(input, 4)? {
            false => Self::Align1 {
                vertical,
                width: *input.choose(&[1, 2, 4, 8, 16])?,
                horizontal: *input.choose(&[0, 1, 2, 4])?,
            },
            true => {
                let swizzle = input.arbitrary::<u8>()?;
                Self::Align16 { vertical, swizzle: [0, 2, 4, 6].map(|shift| swizzle >> shift & 3) }
            }
        })
    }
}

impl<'a> Arbitrary<'a> for DestinationRegion {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        Ok(match rarely(input, 4)? {
            false => Self::Stride(*input.choose(&[0, 1, 2, 4])?),
            true => Self::ChannelEnable(input.int_in_range(0..=15)?),
        })
    }
}

impl<'a> Arbitrary<'a> for Instruction {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        // The operation decides what parts there are, the generation too: of branches and messages.
        let opcode = Opcode::arbitrary(input)?;
        let later = *input.choose(&[Generation::Gen4, Generation::Gen7, Generation::Gen12])?;
        let format = opcode.format_on(later);
        let is_message = matches!(format, Format::Message | Format::SplitMessage);
        Ok(Self {
            opcode,
            execution_size: *input.choose(&[1, 2, 4, 8, 16, 32])?,
            access_mode: input.arbitrary()?,
            no_mask: input.arbitrary()?,
            mask_control_ex: rarely(input, 16)?,
            accumulator_write: rarely(input, 16)?,
            compression: input.arbitrary()?,
            first_channel: if rarely(input, 8)? { 4 * input.int_in_range(0..=7)? } else { 0 },
            thread_control: input.arbitrary()?,
            no_dd_clear: rarely(input, 16)?,
            no_dd_check: rarely(input, 16)?,
            predicate: input.arbitrary()?,
            condition: input.arbitrary()?,
            flag_register: rarely(input, 16)?.into(),
            flag_subregister: rarely(input, 4)?.into(),
            saturate: input.arbitrary()?,
            breakpoint: rarely(input, 16)?,
            destination: input.arbitrary()?,
            sources: input.arbitrary()?,
            message: is_message.then(|| input.arbitrary()).transpose()?,
            branch: (format == Format::Branch).then(|| input.arbitrary()).transpose()?,
            math: (opcode == Opcode::Math).then(|| input.arbitrary()).transpose()?,
            sync: (format == Format::Sync).then(|| input.arbitrary()).transpose()?,
            scoreboard: if rarely(input, 16)? { input.arbitrary()? } else { Default::default() },
            compact: rarely(input, 16)?,
            residue: if rarely(input, 64)? { input.arbitrary()? } else { 0 },
            compact_residue: if rarely(input, 64)? { input.arbitrary()? } else { 0 },
        })
    }
}
