//! Constants and registers as arguments: `KC0=3f800000,…`, `R0.x=…`.

use parallax_isa::{
    eu::DataType,
    r700::{Case, case::LoopConstant, state::GPR_COUNT},
};
use parallax_lockstep::words::brief;

use crate::assignment::{Untyped, items, typed};

/// Values of 32 bits without a type.
const UNTYPED: Untyped =
    Untyped { element: 4, float: Some(DataType::F), words: true, run_together: true };

/// Values of 32 bits, of a type if one is given. `target` is what stands before the equals sign.
fn values(text: &str, data_type: Option<DataType>, target: &str) -> Result<Vec<u32>, String> {
    let items = items(text);
    let bytes = match data_type {
        Some(data_type) => {
            let values: Result<Vec<_>, _> =
                items.iter().map(|item| typed(item, data_type)).collect();
            values?.concat()
        }
        None => UNTYPED.bytes(&items, target)?,
    };
    Ok(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

/// A name and the type behind its colon, if there is one.
pub(crate) fn split_type(text: &str) -> Result<(&str, Option<DataType>), String> {
    let Some((name, suffix)) = text.split_once(':') else { return Ok((text.trim(), None)) };
    let types = [DataType::F, DataType::D, DataType::Ud].into_iter();
    let found = types.clone().find(|of| of.suffix().eq_ignore_ascii_case(suffix));
    let found = found
        .ok_or_else(|| format!("`{suffix}` is no type of rv770; the types are f, d and ud"))?;
    Ok((name.trim(), Some(found)))
}

/// At most `most` constants of four elements from values; missing elements are zero.
fn constants(
    (name, data_type): (&str, Option<DataType>),
    text: &str,
    most: usize,
    refusal: &str,
) -> Result<Vec<[u32; 4]>, String> {
    let words = if text.trim().is_empty() { Vec::new() } else { values(text, data_type, name)? };
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
    let (name, data_type) = split_type(name)?;
    let number = |prefix: &str, most: usize| {
        name.strip_prefix(prefix).and_then(|n| n.parse::<usize>().ok()).filter(|n| *n <= most)
    };
    if let Some(buffer) = number("KC", 15) {
        let constants = constants(
            (name, data_type),
            value,
            4096,
            "a constant buffer has at most 4096 constants",
        )?;
        let buffers = &mut case.constants.buffers;
        buffers.resize(buffers.len().max(buffer + 1), Vec::new());
        buffers[buffer] = constants;
    } else if name == "C" {
        case.constants.file =
            constants((name, data_type), value, 256, "the constant file has 256 registers")?;
    } else if let Some(data_type) = data_type {
        return Err(format!(
            "only KC0 to KC15 and C have values of a type, such as :{}",
            data_type.suffix()
        ));
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
    data_type: Option<DataType>,
}

impl Target {
    /// Reads what stands before the equals sign of `--set`.
    pub(crate) fn parse(name: &str) -> Result<Self, String> {
        let (name, data_type) = split_type(name)?;
        let (register, element) = match name.split_once('.') {
            Some((register, element)) => (register, Some(element)),
            None => (name, None),
        };
        let number = register.strip_prefix(['R', 'r']).and_then(|n| n.parse::<usize>().ok());
        let number = number
            .filter(|number| *number < GPR_COUNT)
            .ok_or("expected a register: R0 to R127, or one of its elements: R0.x")?;
        let element = element.map(|element| {
            let found = ELEMENTS.iter().position(|name| name.eq_ignore_ascii_case(element));
            found.ok_or("expected an element: x, y, z or w")
        });
        Ok(Self { number, element: element.transpose()?, data_type })
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
        let name = match self.element {
            Some(element) => format!("R{}.{}", self.number, ELEMENTS[element]),
            None => format!("R{}", self.number),
        };
        let words = values(value, self.data_type, &name)?;
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
        set_register(&mut case, "R6.x=10,-1,0x10,1.5,2f").expect("reads");
        let expected = [10, u32::MAX, 16, 0x3FC0_0000, 0x4000_0000];
        assert_eq!(case.state.gpr[6][0][..5], expected);
        set_register(&mut case, "R7.x=0000000a0000000b,00000010").expect("reads");
        assert_eq!(case.state.gpr[7][0][..3], [10, 11, 16]);
        set_register(&mut case, "R8=3f800000400000000000000100000002").expect("reads");
        assert_eq!(case.state.gpr[8].map(|lanes| lanes[9]), [0x3F80_0000, 0x4000_0000, 1, 2]);
        let wrong = [
            "R128=0",
            "R0.q=0",
            "R0",
            "R0=1,2,3,4,5",
            "R0=3f80",
            "R0=0x123456789",
            "R0=inf",
            "R0=",
        ];
        for wrong in wrong {
            assert!(set_register(&mut case, wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn types_are_the_same_as_on_execution_units() {
        let mut case = Case::new(Vec::new());
        set_register(&mut case, "R0.y:f=1,-inf").expect("reads");
        assert_eq!(case.state.gpr[0][1][..3], [0x3F80_0000, 0xFF80_0000, 0]);
        set_register(&mut case, "R0.y:ud=76987961").expect("decimal");
        assert_eq!(case.state.gpr[0][1], [76_987_961; 64]);
        set_register(&mut case, "r1:D=-1,2").expect("reads");
        assert_eq!(case.state.gpr[1].map(|lanes| lanes[63]), [u32::MAX, 2, 0, 0]);
        set_constants(&mut case, "C:f=40000000").expect("reads");
        assert_eq!(case.constants.file, [[40_000_000_f32.to_bits(), 0, 0, 0]]);
        for (wrong, part) in [
            ("R0.y=76987961", "R0.y:ud=76987961 for the one, 0x76987961 for the other"),
            ("R0.y:uw=1", "`uw` is no type of rv770"),
            ("R0.y:ud=-1", "-1 is negative"),
        ] {
            let message = set_register(&mut case, wrong).expect_err(wrong);
            assert!(message.contains(part), "{message}");
        }
        let message = set_constants(&mut case, "KC0=40000000").expect_err("two readings");
        assert!(message.contains("write KC0:ud=40000000 for the one"), "{message}");
    }
}
