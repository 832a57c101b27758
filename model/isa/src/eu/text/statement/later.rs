//! What statements of Gen7 and later have besides: modifiers as the talk writes them, functions of
//! `math`, distances of branches, messages with payloads in registers.

use super::{
    Cursor, Failure, Flag, Instruction, Kind, Opcode, Settings, Target, Token, flag_register,
    forms, is_register, names, operands,
    words::{self, ANY},
};
use crate::{
    eu::{
        fields,
        generation::Generation,
        instruction::{
            AccessMode, Branch, ConditionalModifier, Descriptor, ExtendedDescriptor, MathFunction,
            Message, SyncFunction,
        },
        opcode::Format,
        operand::{Register, Source},
        register::ArfKind,
        types::DataType,
    },
    nearest,
};

/// An instruction of an operation, with what all of them have.
pub(super) fn bare(opcode: Opcode, generation: Generation) -> Instruction {
    let format = opcode.format_on(generation);
    let mut instruction = Instruction::bare(opcode);
    if format == Format::Ternary && generation < Generation::Gen12 {
        instruction.access_mode = AccessMode::Align16;
    }
    if format == Format::Branch {
        instruction.branch = Some(Branch::default());
    }
    instruction
}

/// `.inv` behind `math`.
pub(super) fn math_function(cursor: &mut Cursor) -> Result<MathFunction, Failure> {
    let known: Vec<_> = MathFunction::ALL.iter().map(|function| function.name()).collect();
    let help = format!("functions are {}", known.join(", "));
    if !cursor.accept(".") {
        let wrong = cursor.unexpected("the function of math, as in `math.inv`");
        return Err(Box::new(wrong.with_help(help)));
    }
    let word = cursor.word("the function of math")?;
    let lower = word.text.to_ascii_lowercase();
    let found = MathFunction::ALL.into_iter().find(|function| function.name() == lower);
    found.ok_or_else(|| {
        let near = nearest(&lower, known).map(|near| format!("did you mean `.{near}`?"));
        let message = format!("`.{}` is no function of math", word.text);
        Box::new(word.place.diagnostic(message).with_help(near.unwrap_or(help)))
    })
}

/// `.allrd` behind `sync`.
pub(super) fn sync_function(cursor: &mut Cursor) -> Result<SyncFunction, Failure> {
    let known: Vec<_> = SyncFunction::ALL.iter().map(|function| function.name()).collect();
    let help = format!("functions are {}", known.join(", "));
    if !cursor.accept(".") {
        let wrong = cursor.unexpected("the function of sync, as in `sync.nop`");
        return Err(Box::new(wrong.with_help(help)));
    }
    let word = cursor.word("the function of sync")?;
    let lower = word.text.to_ascii_lowercase();
    let found = SyncFunction::ALL.into_iter().find(|function| function.name() == lower);
    found.ok_or_else(|| {
        let message = format!("`.{}` is no function of sync", word.text);
        Box::new(word.place.diagnostic(message).with_help(help))
    })
}

/// `.dc0` behind `send`: the shared function, as disassemblers of Gen12 write it.
pub(super) fn shared_function(cursor: &mut Cursor, opcode: Opcode) -> Result<Option<u8>, Failure> {
    let generation = cursor.target.generation;
    let is_message = matches!(opcode.format_on(generation), Format::Message | Format::SplitMessage);
    let names_one = |token: &Token| {
        let is_other = |name: &str| token.text.eq_ignore_ascii_case(name);
        let is_modifier =
            is_other("sat") || names::CONDITIONS.iter().any(|(name, _)| is_other(name));
        let is_known = names::SHARED_FUNCTIONS.iter().any(|(name, _)| is_other(name));
        is_known || names::has_named_functions(generation) && !is_modifier
    };
    let is_named = cursor.peek_at(1).is_none_or(names_one);
    if !is_message || generation <= Generation::Gen45 || !is_named || !cursor.accept(".") {
        return Ok(None);
    }
    let word = cursor.word("a shared function such as `dc0`")?;
    let lower = word.text.to_ascii_lowercase();
    let known = names::SHARED_FUNCTIONS.iter().find(|(name, _)| *name == lower);
    let device = cursor.target.device;
    let all = || names::SHARED_FUNCTIONS.iter().map(|(name, _)| *name);
    let (message, help) = match known {
        Some((_, code)) if names::has_named_functions(generation) => return Ok(Some(*code)),
        Some((name, code)) => {
            let message = format!("on {device} the mnemonic does not name the shared function");
            let help =
                format!("write {name} as the low four bits of the extended descriptor: {code:#x}");
            (message, help)
        }
        None => {
            let message = format!("`.{}` is no shared function of {device}", word.text);
            let help = match nearest(&lower, all()) {
                Some(near) => format!("did you mean `.{near}`?"),
                None => format!("they are {}", all().collect::<Vec<_>>().join(", ")),
            };
            (message, help)
        }
    };
    Err(Box::new(word.place.diagnostic(message).with_help(help)))
}

/// `null` or the mask of tokens behind `sync`.
pub(super) fn sync_operand(cursor: &mut Cursor, settings: &Settings) -> Result<Source, Failure> {
    let is_bare = cursor.remaining().len() == 1 && cursor.accept_word("null");
    if is_bare {
        return Ok(Source::null(DataType::Ub));
    }
    operands::source(cursor, settings, AccessMode::Align1)
}

/// `[(lt)f0.0] (sat)` behind the execution size, as the talk about Gen8 and Gen9 writes them; also
/// without brackets.
pub(super) fn talk_modifiers(
    cursor: &mut Cursor,
    instruction: &mut Instruction,
    flag: &mut Option<Flag>,
) -> Result<(), Failure> {
    let is_later = cursor.target.generation > Generation::Gen45;
    let in_brackets = cursor.peek().is_some_and(|token| token.is("["))
        && cursor.peek_at(1).is_some_and(|token| token.is("("));
    let is_condition = |token: &Token| {
        names::TALK_CONDITIONS.iter().any(|(name, _)| token.text.eq_ignore_ascii_case(name))
    };
    let is_bare = cursor.peek().is_some_and(|token| token.is("("))
        && cursor.peek_at(1).is_some_and(is_condition)
        && cursor.peek_at(2).is_some_and(|token| token.is(")"));
    let at_condition = in_brackets || is_bare;
    let at_saturation = |cursor: &Cursor| {
        cursor.peek().is_some_and(|token| token.is("("))
            && cursor.peek_at(1).is_some_and(|token| token.text.eq_ignore_ascii_case("sat"))
    };
    if !is_later && (at_condition || at_saturation(cursor)) {
        let device = cursor.target.device;
        let message = format!("modifiers of {device} stand behind the mnemonic");
        let wrong = cursor.place().diagnostic(message);
        return Err(Box::new(wrong.with_help("write `add.sat.l.f0.0 (8) …`")));
    }
    if at_condition {
        if in_brackets {
            cursor.accept("[");
        }
        cursor.accept("(");
        let word = cursor.word("a condition such as `lt`")?;
        let lower = word.text.to_ascii_lowercase();
        let row = names::TALK_CONDITIONS.iter().find(|(name, _)| *name == lower);
        let Some((_, condition)) = row else {
            let known: Vec<_> = names::TALK_CONDITIONS.iter().map(|(name, _)| *name).collect();
            let message = format!("`{}` is no condition", word.text);
            let help = match nearest(&lower, known.iter().copied()) {
                Some(near) if lower.len() > 2 => format!("did you mean `{near}`?"),
                _ => format!("conditions are {}", known.join(", ")),
            };
            return Err(Box::new(word.place.diagnostic(message).with_help(help)));
        };
        if instruction.condition != ConditionalModifier::None {
            let message = "an instruction has one conditional modifier";
            return Err(Box::new(word.place.diagnostic(message)));
        }
        instruction.condition = *condition;
        cursor.expect(")", "after the condition")?;
        *flag = Some(flag_register(cursor)?);
        if in_brackets {
            cursor.expect("]", "after the flag register")?;
        }
    }
    if at_saturation(cursor) {
        cursor.accept("(");
        cursor.next();
        cursor.expect(")", "after `(sat`")?;
        instruction.saturate = true;
    }
    Ok(())
}

/// A branch's distances, numbers or labels, or the register that holds them.
pub(super) fn branch_operands(
    cursor: &mut Cursor,
    instruction: &mut Instruction,
    settings: &Settings,
    targets: [&mut Option<Target>; 2],
) -> Result<(), Failure> {
    let (mode, opcode) = (instruction.access_mode, instruction.opcode);
    let operands = opcode.branch_operands(cursor.target.generation);
    if operands.destination {
        instruction.destination = operands::destination(cursor, settings, mode)?;
    }
    let control = instruction.branch.is_some_and(|branch| branch.control);
    let has_modifier = [0, 1]
        .iter()
        .any(|ahead| cursor.peek_at(*ahead).is_some_and(|token: &Token| token.is("(")));
    if let Some(index) = operands.register
        && (!operands.jip || has_modifier || is_register(cursor, settings))
    {
        instruction.sources[index] = operands::source(cursor, settings, mode)?;
        instruction.branch = Some(Branch { jip: None, uip: None, control });
        return Ok(());
    }
    let [jump, update] = targets;
    let mut branch = Branch { jip: Some(distance(cursor, jump)?), uip: None, control };
    if operands.uip {
        cursor.accept(",");
        // The two lead to the same place where the block has no other part.
        let is_same = cursor.is_done() && matches!(opcode, Opcode::If | Opcode::Else);
        branch.uip = Some(if is_same {
            update.clone_from(jump);
            branch.jip.unwrap_or_default()
        } else {
            distance(cursor, update).map_err(|wrong| {
                let form = forms::sentence(cursor.target.device, opcode);
                let help = format!(
                    "it has two: where the thread jumps if no channel is left (JIP), and where the \
                     channels that leave wait (UIP); {form}"
                );
                Box::new(wrong.with_help(help))
            })?
        });
    }
    instruction.branch = Some(branch);
    Ok(())
}

/// A distance in bytes; 0 where it is a label, which becomes the target.
fn distance(cursor: &mut Cursor, target: &mut Option<Target>) -> Result<i32, Failure> {
    if let Some(token) = cursor.peek().filter(|token| token.kind == Kind::Word) {
        cursor.next();
        *target = Some(Target { label: token.text.clone(), place: token.place, pops: 0 });
        return Ok(0);
    }
    let unit = fields::jump_unit(cursor.target.generation);
    let place = cursor.place();
    let steps = cursor.integer("the branch distance", ANY)?;
    steps.checked_mul(unit.into()).and_then(|bytes| i32::try_from(bytes).ok()).ok_or_else(|| {
        Box::new(cursor.since(place).diagnostic(format!("the distance {steps} is too far")))
    })
}

/// Destination, payloads, extended descriptor with the shared function, descriptor. The shared function
/// may have been named before.
pub(super) fn message_operands(
    cursor: &mut Cursor,
    instruction: &mut Instruction,
    settings: &Settings,
    shared_function: Option<u8>,
) -> Result<(), Failure> {
    let mode = instruction.access_mode;
    // No word of Gen12 has a type of the reply.
    instruction.destination = match cursor.target.generation >= Generation::Gen12 {
        true => operands::response(cursor, settings, mode)?,
        false => operands::destination(cursor, settings, mode)?,
    };
    instruction.sources[0] = operands::payload(cursor, settings, mode)?;
    if instruction.opcode.format_on(cursor.target.generation) == Format::SplitMessage {
        instruction.sources[1] = operands::payload(cursor, settings, mode)?;
    }
    let ends = instruction.message.is_some_and(|message| message.end_of_thread);
    let mut message = Message::of_registers(0, Descriptor::Address, ends);
    message.fusion_control = instruction.message.is_some_and(|message| message.fusion_control);
    message.shared_function = shared_function.unwrap_or_default();
    if let Some(number) = address_register(cursor, settings)? {
        message.extended = ExtendedDescriptor::Address(number);
    } else {
        let place = cursor.place();
        let bits = cursor.integer(
            "the extended descriptor, whose low four bits are the shared function",
            0..=0xFFFF_FFFF,
        )? as u32;
        let code = (bits & 0xF) as u8;
        if let Some(named) = shared_function.filter(|named| code != 0 && code != *named) {
            let message = format!(
                "the extended descriptor names shared function {code:#x}, the instruction {named:#x}"
            );
            let wrong = place.diagnostic(message);
            return Err(Box::new(wrong.with_help("leave its low four bits 0")));
        }
        message.shared_function |= code;
        message.end_of_thread |= bits >> 5 & 1 == 1;
        message.extended = ExtendedDescriptor::Immediate(bits & !0x2F);
    }
    message.descriptor = match address_register(cursor, settings)? {
        Some(0) => Descriptor::Address,
        Some(_) => {
            let wrong = cursor.unexpected("the descriptor");
            return Err(Box::new(wrong.with_help("in a register it is a0.0<0;1,0>:ud")));
        }
        None => {
            let place = cursor.place();
            let bits = cursor.integer("the message descriptor", 0..=0xFFFF_FFFF)? as u32;
            let widest = fields::send::MSG_DESC.largest(cursor.target.generation);
            if bits > widest {
                let bits = widest.count_ones();
                let wrong = place.diagnostic(format!("a message descriptor has {bits} bits"));
                return Err(Box::new(wrong.with_help("the end of the thread is {EOT}")));
            }
            Descriptor::Immediate(bits)
        }
    };
    if cursor.accept(":") {
        words::type_word(cursor)?;
    }
    instruction.message = Some(message);
    Ok(())
}

/// `a0.2<0;1,0>:ud`: the number of a doubleword of the address register.
fn address_register(cursor: &mut Cursor, settings: &Settings) -> Result<Option<u8>, Failure> {
    if !super::cursor_at_word(cursor, "a0") {
        return Ok(None);
    }
    let start = cursor.place();
    let source = operands::payload(cursor, settings, AccessMode::Align1)?;
    match source {
        Source::Register { register: register @ Register::Direct { subregister, .. }, .. }
            if register.arf() == Some(ArfKind::Address) && subregister % 4 == 0 =>
        {
            Ok(Some(subregister / 4))
        }
        _ => {
            let message = "a descriptor in a register is a doubleword of a0: a0.0<0;1,0>:ud";
            Err(Box::new(cursor.since(start).diagnostic(message)))
        }
    }
}
