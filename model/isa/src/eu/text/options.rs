//! Options in braces.

use super::{
    cursor::{Cursor, Failure, Target},
    diagnostic::Diagnostic,
    flag, hints,
    lexer::{Kind, Place, Token},
    names::{self, Choice},
};
use crate::eu::{
    codes,
    fields::{Field, basic, branch, send},
    generation::Generation,
    instruction::{AccessMode, Compression, Descriptor, Instruction, Message, ThreadControl},
    opcode::Format,
    operand::Register,
    register::RegisterFile,
    scoreboard::{Scoreboard, Token as ScoreboardToken},
};

/// The options of an instruction.
#[derive(Debug, Default)]
pub(super) struct Options {
    chosen: Vec<(Choice, Place)>,
    /// `Residue(0x…)`, where it is written.
    pub(super) residue: Option<u128>,
    compact_residue: u64,
    /// `Flag(f1.0)`: register and subregister.
    flag: Option<[u8; 2]>,
    /// `Sfid(2)`: the shared function of a message whose extended descriptor is in a register.
    pub(super) shared_function: Option<u8>,
    /// `@2, $5.dst`: what the software scoreboard says.
    scoreboard: Scoreboard,
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
        let start = cursor.place();
        cursor.accept("{");
        while !cursor.accept("}") {
            if cursor.is_done() {
                let wrong = start.diagnostic("the options do not end");
                return Err(Box::new(wrong.with_help("close them with `}`")));
            }
            if let Some(part) = scoreboard(cursor)? {
                self.add_to_scoreboard(part, cursor)?;
                cursor.accept(",");
                continue;
            }
            let word = cursor.word("an option")?;
            let is_later = cursor.target.generation > Generation::Gen45;
            let lower = word.text.to_ascii_lowercase();
            if lower == "residue" {
                self.residue = Some(residue(cursor)?);
            } else if is_later && lower == "compactresidue" {
                let bits = residue(cursor)?;
                self.compact_residue = u64::try_from(bits).map_err(|_| {
                    Box::new(word.place.diagnostic("a compact instruction has 64 bits"))
                })?;
            } else if is_later && lower == "flag" && cursor.accept("(") {
                let flag = flag::flag_register(cursor)?;
                self.flag = Some([flag.register, flag.subregister]);
                cursor.expect(")", "after the flag register")?;
            } else if is_later && lower == "sfid" && cursor.accept("(") {
                self.shared_function = Some(cursor.integer("the shared function", 0..=15)? as u8);
                cursor.expect(")", "after the shared function")?;
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

    /// Takes up a part of what the software scoreboard says: a distance or a token, one of each.
    fn add_to_scoreboard(&mut self, part: Scoreboard, cursor: &Cursor) -> Result<(), Failure> {
        let target = cursor.target;
        let place = cursor.place();
        if basic::SWSB.position(target.generation).is_empty() {
            let wrong = place.diagnostic(format!("{} has no software scoreboard", target.device));
            return Err(Box::new(wrong.with_help("leave `@` and `$` out")));
        }
        if part.distance != 0 && self.scoreboard.distance != 0
            || part.token.is_some() && self.scoreboard.token.is_some()
        {
            let wrong = place.diagnostic("an instruction has one distance and one token");
            return Err(Box::new(wrong.with_help("put the other on a sync.nop before it")));
        }
        self.scoreboard.distance |= part.distance;
        self.scoreboard.token = self.scoreboard.token.or(part.token);
        Ok(())
    }

    fn choose(&mut self, word: &Token, target: Target) -> Result<(), Failure> {
        let is_later = target.generation > Generation::Gen45;
        let text = match is_later && word.text.eq_ignore_ascii_case("compacted") {
            true => "Compact",
            false => &word.text,
        };
        let row = names::OPTIONS.iter().find(|(name, _)| text.eq_ignore_ascii_case(name));
        let refuse = |message: String| word.place.diagnostic(message);
        let Some(&(name, choice)) = row else {
            let wrong = refuse(format!("`{}` is no option", word.text));
            let known = names::OPTIONS.iter().filter(|(_, choice)| exists(*choice, target));
            let known = known.map(|(name, _)| *name);
            return Err(Box::new(wrong.with_help(hints::option(&word.text, known))));
        };
        if !exists(choice, target) {
            let wrong = refuse(format!("{name} has no code on these devices"));
            return Err(Box::new(wrong.with_help(match choice {
                Choice::SecHalf => "write the first channel behind the execution size: (8|M8)",
                _ => "leave it out",
            })));
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
        instruction.residue = self.residue.unwrap_or(0);
        instruction.compact_residue = self.compact_residue;
        instruction.scoreboard = self.scoreboard;
        if let Some([register, subregister]) = self.flag {
            (instruction.flag_register, instruction.flag_subregister) = (register, subregister);
        }
        self.chosen.iter().try_for_each(|(choice, place)| apply(instruction, *choice, *place))
    }

    /// Compr4 also sets the top bit of the message register's number.
    pub(super) fn apply_compr4(&self, instruction: &mut Instruction) -> Result<(), Failure> {
        let option = self.chosen.iter().find(|(choice, _)| *choice == Choice::Compressed4);
        let Some((_, place)) = option else { return Ok(()) };
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

/// `@2`, `$5`, `$5.dst` or `$5.src`.
fn scoreboard(cursor: &mut Cursor) -> Result<Option<Scoreboard>, Failure> {
    if cursor.accept("@") {
        let distance =
            cursor.integer("the distance to the result that is waited for", 1..=7)? as u8;
        return Ok(Some(Scoreboard { distance, token: None }));
    }
    if !cursor.accept("$") {
        return Ok(None);
    }
    let number = cursor.integer("the token", 0..=15)? as u8;
    let token = if !cursor.accept(".") {
        ScoreboardToken::Set(number)
    } else if cursor.accept_word("dst") {
        ScoreboardToken::Destination(number)
    } else if cursor.accept_word("src") {
        ScoreboardToken::Source(number)
    } else {
        return Err(cursor.unexpected("`dst` or `src` after the token"));
    };
    Ok(Some(Scoreboard { distance: 0, token: Some(token) }))
}

/// Whether an option has a code on a device.
fn exists(choice: Choice, target: Target) -> bool {
    let has = |field: &Field| !field.position(target.generation).is_empty();
    match choice {
        Choice::Atomic => {
            has(&basic::ATOMIC_CTRL)
                || codes::THREAD_CONTROLS.code(target.generation, ThreadControl::Atomic).is_some()
        }
        Choice::NoCMask => false,
        Choice::AccumulatorWrite => has(&basic::ACC_WR_CTRL),
        Choice::BranchControl => has(&branch::BRANCH_CTRL),
        Choice::FusionControl => has(&send::FUSION_CTRL),
        Choice::Align16 => has(&basic::ACCESS_MODE) || target.generation <= Generation::Gen45,
        Choice::Switch => has(&basic::THREAD_CTRL),
        Choice::NoDdCheck => has(&basic::DEP_CTRL_NO_DD_CHK),
        Choice::NoDdClear => has(&basic::DEP_CTRL_NO_DD_CLR),
        Choice::SecHalf | Choice::Compressed | Choice::Compressed4 => {
            target.generation <= Generation::Gen45
        }
        _ => true,
    }
}

/// What an instruction says as a message, if it is one; its operands follow later.
fn message(instruction: &mut Instruction) -> Option<&mut Message> {
    // Of Gen12 `send` has the format of two payloads.
    if !matches!(instruction.opcode.format(), Format::Message | Format::SplitMessage) {
        return None;
    }
    let empty = Message::of_registers(0, Descriptor::Immediate(0), false);
    Some(instruction.message.get_or_insert(empty))
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
            let Some(message) = message(instruction) else {
                let wrong = place.diagnostic("only send can end the thread");
                return Err(Box::new(wrong.with_help("end with a send of the last results")));
            };
            message.end_of_thread = true;
        }
        Choice::AccumulatorWrite => instruction.accumulator_write = true,
        Choice::FusionControl => {
            let Some(message) = message(instruction) else {
                return Err(Box::new(place.diagnostic("only send has FusionCtrl")));
            };
            message.fusion_control = true;
        }
        Choice::BranchControl => {
            let Some(branch) = &mut instruction.branch else {
                let wrong = place.diagnostic("only branches have BranchCtrl");
                return Err(Box::new(wrong.with_help("leave it out")));
            };
            branch.control = true;
        }
        Choice::NoCMask => {}
    }
    Ok(())
}
