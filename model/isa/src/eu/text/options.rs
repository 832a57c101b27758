//! Options in braces.

use parallax_spec::rule;

use super::{
    cursor::{Cursor, Failure, Target},
    diagnostic::Diagnostic,
    hints,
    lexer::{Kind, Place, Token},
    names::{self, Choice},
};
use crate::eu::{
    codes,
    instruction::{AccessMode, Compression, Descriptor, Instruction, Message, ThreadControl},
    opcode::Opcode,
    operand::Register,
    register::RegisterFile,
};

/// The options of an instruction.
#[derive(Debug, Default)]
pub(super) struct Options {
    chosen: Vec<(Choice, Place)>,
    residue: u128,
    /// Whether something else than the end of the line comes after them.
    pub(super) are_displaced: bool,
    /// Whether all of them could be read.
    pub(super) is_complete: bool,
}

/// Options of which an instruction has one at most.
const EXCLUSIVE: [&[Choice]; 3] = [
    &[Choice::Align1, Choice::Align16],
    &[Choice::SecHalf, Choice::Compressed, Choice::Compressed4],
    &[Choice::Switch, Choice::Atomic],
];

/// Reads `{NoMask, Compr, …}`; mistakes are added to `diagnostics`.
pub(super) fn read(
    tokens: &[Token],
    line: usize,
    target: Target,
    diagnostics: &mut Vec<Diagnostic>,
) -> Options {
    let before = diagnostics.len();
    let mut options = Options::default();
    if let Err(wrong) = options.read(&mut Cursor::new(tokens, line, target), diagnostics) {
        diagnostics.push(*wrong);
    }
    options.is_complete = diagnostics.len() == before;
    options
}

impl Options {
    fn read(
        &mut self,
        cursor: &mut Cursor,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<(), Failure> {
        if cursor.is_done() {
            return Ok(());
        }
        rule!("g45.asm.options");
        let start = cursor.place();
        cursor.accept("{");
        while !cursor.accept("}") {
            if cursor.is_done() {
                let wrong = start.diagnostic("the options do not end");
                return Err(Box::new(wrong.with_help("close them with `}`")));
            }
            let word = cursor.word("an option")?;
            if word.text.eq_ignore_ascii_case("residue") {
                self.residue = residue(cursor)?;
            } else if let Err(wrong) = self.choose(word, cursor.target) {
                diagnostics.push(*wrong);
            }
            cursor.accept(",");
        }
        if cursor.is_done() {
            return Ok(());
        }
        self.are_displaced = true;
        let wrong = cursor.unexpected("the end of the line");
        Err(Box::new(wrong.with_help("options are the last part of an instruction")))
    }

    fn choose(&mut self, word: &Token, target: Target) -> Result<(), Failure> {
        let row = names::OPTIONS.iter().find(|(name, _)| word.text.eq_ignore_ascii_case(name));
        let refuse = |message: String| word.place.diagnostic(message);
        let Some(&(name, choice)) = row else {
            let wrong = refuse(format!("`{}` is no option", word.text));
            return Err(Box::new(wrong.with_help(hints::option(&word.text))));
        };
        let exists = match choice {
            Choice::Atomic => {
                codes::THREAD_CONTROLS.code(target.generation, ThreadControl::Atomic).is_some()
            }
            Choice::NoCMask => false,
            _ => true,
        };
        if !exists {
            let wrong = refuse(format!("{name} has no code on these devices"));
            return Err(Box::new(wrong.with_help("leave it out")));
        }
        if self.has(choice) {
            let wrong = refuse(format!("the option {name} stands twice"));
            return Err(Box::new(wrong.with_help("leave one of them out")));
        }
        let group = EXCLUSIVE.into_iter().find(|group| group.contains(&choice)).unwrap_or(&[]);
        if let Some(other) = group.iter().find(|other| self.has(**other)) {
            let other =
                names::OPTIONS.iter().find(|(_, c)| c == other).map_or("", |(name, _)| name);
            let wrong = refuse(format!("{name} and {other} exclude each other"));
            return Err(Box::new(wrong.with_help("leave one of them out")));
        }
        self.chosen.push((choice, word.place));
        Ok(())
    }

    fn has(&self, choice: Choice) -> bool {
        self.chosen.iter().any(|(chosen, _)| *chosen == choice)
    }

    /// Sets what the options stand for.
    pub(super) fn apply(&self, instruction: &mut Instruction) -> Result<(), Failure> {
        instruction.residue = self.residue;
        self.chosen.iter().try_for_each(|(choice, place)| apply(instruction, *choice, *place))
    }

    /// Compr4 also sets the top bit of the message register's number.
    pub(super) fn apply_compr4(&self, instruction: &mut Instruction) -> Result<(), Failure> {
        let option = self.chosen.iter().find(|(choice, _)| *choice == Choice::Compressed4);
        let Some((_, place)) = option else { return Ok(()) };
        rule!("g45.asm.compr-optional");
        match &mut instruction.destination.register {
            Register::Direct { file: RegisterFile::Mrf, number, .. } => {
                *number |= 0x80;
                Ok(())
            }
            _ => {
                let wrong = place.diagnostic("Compr4 needs a message register as destination");
                Err(Box::new(wrong.with_help("write Compr")))
            }
        }
    }
}

fn residue(cursor: &mut Cursor) -> Result<u128, Failure> {
    cursor.expect("(", "after `Residue`")?;
    let number = cursor.next().filter(|token| token.kind == Kind::Number);
    let digits = number
        .and_then(|token| token.text.strip_prefix("0x").or_else(|| token.text.strip_prefix("0X")));
    let Some(bits) = digits.and_then(|digits| u128::from_str_radix(digits, 16).ok()) else {
        return Err(cursor.unexpected("a hexadecimal number of at most 128 bits"));
    };
    cursor.expect(")", "after the bits")?;
    Ok(bits)
}

fn apply(instruction: &mut Instruction, choice: Choice, place: Place) -> Result<(), Failure> {
    match choice {
        Choice::Align1 => instruction.access_mode = AccessMode::Align1,
        Choice::Align16 => instruction.access_mode = AccessMode::Align16,
        Choice::SecHalf => instruction.compression = Compression::SecHalf,
        Choice::Compressed | Choice::Compressed4 => {
            instruction.compression = Compression::Compressed;
        }
        Choice::Switch => instruction.thread_control = ThreadControl::Switch,
        Choice::Atomic => instruction.thread_control = ThreadControl::Atomic,
        Choice::NoDdCheck => instruction.no_dd_check = true,
        Choice::NoDdClear => instruction.no_dd_clear = true,
        Choice::NoMask => instruction.no_mask = true,
        Choice::Breakpoint => instruction.breakpoint = true,
        Choice::Compact => instruction.compact = true,
        Choice::MaskControlEx => instruction.mask_control_ex = true,
        Choice::Flag1 => instruction.flag_subregister = 1,
        Choice::EndOfThread => {
            if instruction.opcode != Opcode::Send {
                let wrong = place.diagnostic("only send can end the thread");
                return Err(Box::new(wrong.with_help("end with a send of the last results")));
            }
            let descriptor = Descriptor::Immediate(0);
            let end_of_thread = true;
            instruction.message =
                Some(Message { current_destination: 0, descriptor, end_of_thread });
        }
        Choice::NoCMask => {}
    }
    Ok(())
}
