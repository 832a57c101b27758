//! Constants and registers as arguments: `KC0=3f800000,…`, `R0.x=…`.

use parallax_isa::r700::{Case, case::LoopConstant, state::GPR_COUNT};
use parallax_lockstep::words::{brief, is_words, words};

/// How constants are written, for the help text.
pub(crate) const CONSTANTS: &str = "\
Constants of an R700 program; may be given several times. KC0=VALUES to KC15=VALUES fill a constant \
buffer, C=VALUES the constant file, both x, y, z, w of the first constant first; \
I0=COUNT,INITIAL,INCREMENT to I31 are loop constants in decimal; B=HEX are the boolean constants, a \
bit each. Values are integers (7, -3, 0x1f), floats (1.0, 2.5f) or 32-bit words of eight hex digits, \
which may be run together.";

/// How registers are set, for the help text.
pub(crate) const REGISTERS: &str = "\
On rv770 R0.x=VALUE sets an element of all pixels, R0.x=VALUE,VALUE,… those of the first pixels, and \
R0=X,Y,Z,W the elements of all pixels; R0.x alone may be words run together.";

/// Values of 32 bits: integers, floats, and words of eight hex digits.
fn values(text: &str) -> Result<Vec<u32>, String> {
    let mut values = Vec::new();
    for part in text.split([',', ' ']).filter(|part| !part.is_empty()) {
        if is_words(part.strip_prefix("0x").unwrap_or(part)) {
            values.extend(words(part)?);
            continue;
        }
        let value = value(part).ok_or_else(|| {
            let part = brief(part);
            format!(
                "`{part}` is no value of 32 bits: expected an integer (7, -3, 0x1f), a float \
                 (1.0, 2.5f) or words of eight hex digits (3f800000)"
            )
        })?;
        values.push(value);
    }
    Ok(values)
}

fn value(text: &str) -> Option<u32> {
    if let Some(digits) = text.strip_prefix("0x") {
        return u32::from_str_radix(digits, 16).ok();
    }
    if let Ok(integer) = text.parse::<i64>() {
        let word = u32::try_from(integer).ok();
        return word.or_else(|| Some(i32::try_from(integer).ok()?.cast_unsigned()));
    }
    let float = text.strip_suffix('f').unwrap_or(text);
    let is_number = float.bytes().any(|byte| byte.is_ascii_digit());
    float.parse::<f32>().ok().filter(|_| is_number).map(f32::to_bits)
}

/// At most `most` constants of four elements from values; missing elements are zero.
fn constants(text: &str, most: usize, refusal: &str) -> Result<Vec<[u32; 4]>, String> {
    let words = values(text)?;
    if words.len() > 4 * most {
        return Err(refusal.to_owned());
    }
    let constant = |chunk: &[u32]| [0, 1, 2, 3].map(|n| chunk.get(n).copied().unwrap_or(0));
    Ok(words.chunks(4).map(constant).collect())
}

/// Sets constants as an argument says.
pub(crate) fn set_constants(case: &mut Case, argument: &str) -> Result<(), String> {
    assign_constants(case, argument)
        .map_err(|message| format!("--const {}: {message}", brief(argument)))
}

fn assign_constants(case: &mut Case, argument: &str) -> Result<(), String> {
    let (name, value) =
        argument.split_once('=').ok_or("expected NAME=VALUES, such as KC0=3f800000,00000000")?;
    let number = |prefix: &str, most: usize| {
        name.strip_prefix(prefix).and_then(|n| n.parse::<usize>().ok()).filter(|n| *n <= most)
    };
    if let Some(buffer) = number("KC", 15) {
        let constants = constants(value, 4096, "a constant buffer has at most 4096 constants")?;
        let buffers = &mut case.constants.buffers;
        buffers.resize(buffers.len().max(buffer + 1), Vec::new());
        buffers[buffer] = constants;
    } else if name == "C" {
        case.constants.file = constants(value, 256, "the constant file has 256 registers")?;
    } else if let Some(index) = number("I", 31) {
        let parts: Vec<&str> = value.split(',').map(str::trim).collect();
        let &[count, initial, increment] = parts.as_slice() else {
            return Err("expected COUNT,INITIAL,INCREMENT".to_owned());
        };
        let constant = LoopConstant {
            count: count.parse().map_err(|_| format!("`{count}` is no trip count"))?,
            initial: initial.parse().map_err(|_| format!("`{initial}` is no first value of aL"))?,
            increment: increment
                .parse()
                .map_err(|_| format!("`{increment}` is no increment of aL"))?,
        };
        let constants = &mut case.loop_constants;
        constants.resize(constants.len().max(index + 1), LoopConstant::default());
        constants[index] = constant;
    } else if name == "B" {
        let digits = value.strip_prefix("0x").unwrap_or(value);
        let bits = u32::from_str_radix(digits, 16);
        case.bool_constants = bits.map_err(|_| "expected up to eight hex digits")?;
    } else {
        return Err(format!("`{name}` is none of KC0 to KC15, C, I0 to I31, B"));
    }
    Ok(())
}

/// Sets a register before the first instruction: `R0.x=WORD` or 64 words, a pixel each, or
/// `R0=WORDS` for the four elements of every pixel.
pub(crate) fn set_register(case: &mut Case, argument: &str) -> Result<(), String> {
    assign_register(case, argument)
        .map_err(|message| format!("--set {}: {message}", brief(argument)))
}

fn assign_register(case: &mut Case, argument: &str) -> Result<(), String> {
    let (name, value) =
        argument.split_once('=').ok_or("expected REGISTER=WORDS, such as R0.x=3f800000")?;
    Target::parse(name)?.assign(case, value)
}

/// The names of elements.
pub(crate) const ELEMENTS: [&str; 4] = ["x", "y", "z", "w"];

/// A register, or one of its elements.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    number: usize,
    element: Option<usize>,
}

impl Target {
    /// Reads what stands before the equals sign of `--set`.
    pub(crate) fn parse(name: &str) -> Result<Self, String> {
        if let Some((register, suffix)) = name.split_once(':') {
            return Err(format!("values show their type: write {register}=…, without `:{suffix}`"));
        }
        let (register, element) = match name.trim().split_once('.') {
            Some((register, element)) => (register, Some(element)),
            None => (name.trim(), None),
        };
        let number = register.strip_prefix(['R', 'r']).and_then(|n| n.parse::<usize>().ok());
        let number = number
            .filter(|number| *number < GPR_COUNT)
            .ok_or("expected a register: R0 to R127, or one of its elements: R0.x")?;
        let element = element.map(|element| {
            let found = ELEMENTS.iter().position(|name| name.eq_ignore_ascii_case(element));
            found.ok_or("expected an element: x, y, z or w")
        });
        Ok(Self { number, element: element.transpose()? })
    }

    /// Whether it is an element of a register.
    pub(crate) fn is_element(&self) -> bool {
        self.element.is_some()
    }

    /// The words of an element, a pixel each.
    pub(crate) fn lanes<'c>(&self, case: &'c mut Case) -> Option<&'c mut [u32; 64]> {
        Some(&mut case.state.gpr[self.number][self.element?])
    }

    /// Gives it what stands behind the equals sign.
    pub(crate) fn assign(&self, case: &mut Case, value: &str) -> Result<(), String> {
        let words = values(value)?;
        let Some(lanes) = self.lanes(case) else {
            if !(1..=4).contains(&words.len()) {
                return Err("expected one to four words: x, y, z, w".to_owned());
            }
            for (lanes, word) in case.state.gpr[self.number].iter_mut().zip(words) {
                *lanes = [word; 64];
            }
            return Ok(());
        };
        match words.len() {
            1 => *lanes = [words[0]; 64],
            2..=64 => lanes[..words.len()].copy_from_slice(&words),
            _ => return Err("expected one word, or up to 64, a pixel each".to_owned()),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_set() {
        let mut case = Case::new(Vec::new());
        set_constants(&mut case, "KC1=3f80000040000000,00000003").expect("reads");
        assert_eq!(case.constants.buffers[1], [[0x3F80_0000, 0x4000_0000, 3, 0]]);
        set_constants(&mut case, "I2=4,1,-2").expect("reads");
        assert_eq!(case.loop_constants[2], LoopConstant { count: 4, initial: 1, increment: -2 });
        set_constants(&mut case, "B=5").expect("reads");
        assert_eq!(case.bool_constants, 5);
        for wrong in ["KC16=0", "KC0", "KC0=xyz", "I0=1", "Q=1", "B=g"] {
            assert!(set_constants(&mut case, wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn registers_are_set() {
        let mut case = Case::new(Vec::new());
        set_register(&mut case, "R3.y=3f800000").expect("reads");
        assert_eq!(case.state.gpr[3][1], [0x3F80_0000; 64]);
        set_register(&mut case, "R4=00000001,00000002").expect("reads");
        assert_eq!((case.state.gpr[4][0][63], case.state.gpr[4][1][0]), (1, 2));
        set_register(&mut case, "R5.x=00000001,00000002").expect("reads");
        assert_eq!(case.state.gpr[5][0][..3], [1, 2, 0]);
        set_register(&mut case, "R6.x=10,-1,0x10,1.5,2f,0000000a0000000b").expect("reads");
        let expected = [10, u32::MAX, 16, 0x3FC0_0000, 0x4000_0000, 10, 11];
        assert_eq!(case.state.gpr[6][0][..7], expected);
        let wrong =
            ["R128=0", "R0.q=0", "R0", "R0=1,2,3,4,5", "R0=3f80", "R0=0x123456789", "R0=inf"];
        for wrong in wrong {
            assert!(set_register(&mut case, wrong).is_err(), "{wrong}");
        }
    }
}
