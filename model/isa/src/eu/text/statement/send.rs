//! Operands of messages of Gen4 and Gen4.5.

use super::{
    AccessMode, Cursor, Descriptor, Failure, Instruction, Message, Register, RegisterFile,
    Settings, Source, cursor_at_word, operands, words,
};

/// Post destination, message register, src0 and descriptor.
pub(super) fn operands_of(
    cursor: &mut Cursor,
    instruction: &mut Instruction,
    settings: &Settings,
) -> Result<(), Failure> {
    let mode = instruction.access_mode;
    instruction.destination = operands::destination(cursor, settings, mode)?;
    let word = cursor.word("the message register of the payload: m0 to m15")?;
    let Some((RegisterFile::Mrf, number @ 0..16)) = words::numbered_register(word)? else {
        let message = format!("`{}` is no message register: m0 to m15", word.text);
        return Err(Box::new(
            word.place
                .diagnostic(message)
                .with_help("operands are destination, first message register, source, descriptor"),
        ));
    };
    instruction.sources[0] = operands::source(cursor, settings, mode)?;
    let end_of_thread = instruction.message.is_some_and(|message| message.end_of_thread);
    let descriptor = if cursor_at_word(cursor, "a0") {
        let start = cursor.place();
        let Source::Register { register, .. } =
            operands::source(cursor, settings, AccessMode::Align1)?
        else {
            return Err(cursor.unexpected("the descriptor"));
        };
        if !matches!(register, Register::Direct { subregister: 0, .. }) {
            let message = "a message descriptor in a register is a0.0<0;1,0>:ud";
            return Err(Box::new(cursor.since(start).diagnostic(message)));
        }
        Descriptor::Address
    } else {
        let place = cursor.place();
        let bits = cursor.integer("the message descriptor", 0..=0xFFFF_FFFF).map_err(|wrong| {
            Box::new(
                wrong.with_help("a descriptor is 32 bits such as 0x01110001, or a0.0<0;1,0>:ud"),
            )
        })? as u32;
        if cursor.accept(":") {
            words::type_word(cursor)?;
        }
        if bits >> 31 == 1 && !end_of_thread {
            let wrong = place.diagnostic("bit 31 of a message descriptor is End Of Thread");
            return Err(Box::new(wrong.with_help("clear it and write {EOT} instead")));
        }
        Descriptor::Immediate(bits & 0x7FFF_FFFF)
    };
    instruction.message = Some(Message::of_registers(number, descriptor, end_of_thread));
    Ok(())
}
