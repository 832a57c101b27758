//! How an instruction is written: the shape of its text, from what its machine code has.

use super::{
    names,
    print::{Implied, implied_operands},
};
use crate::{
    Device,
    eu::{
        generation::Generation,
        instruction::AccessMode,
        opcode::{BranchOperands, Format, Opcode},
    },
};

/// The forms in which the text of an instruction of a device is read, without predicate, modifiers and
/// options; none if the device does not have it.
///
/// `dst` and `src0` to `src2` are operands, `LABEL`, `JIP` and `UIP` labels or distances, other capitals
/// numbers and names: `break (8) LABEL pop N`.
#[must_use]
pub fn forms(device: Device, opcode: Opcode) -> Vec<String> {
    let Some(generation) = device.generation().filter(|_| opcode.code(device).is_some()) else {
        return Vec::new();
    };
    let name = opcode.mnemonic();
    let size = match opcode {
        Opcode::Jmpi
        | Opcode::Pop
        | Opcode::Sync
        | Opcode::Msave
        | Opcode::Mrest
        | Opcode::Push => 1,
        _ => 8,
    };
    let written = |suffix: &str, operands: &str| {
        format!("{name}{suffix} ({size}) {operands}").trim_end().to_owned()
    };
    let all = |lists: &[&str]| lists.iter().map(|operands| written("", operands)).collect();
    match implied_operands(generation, opcode, AccessMode::Align1) {
        Some(Implied::ExitCode) => return all(&["", "LABEL", "LABEL pop N"]),
        Some(Implied::Branch(..)) if opcode == Opcode::Jmpi => return all(&["LABEL", "src1"]),
        Some(Implied::Branch(..)) => return all(&["LABEL", "LABEL pop N"]),
        Some(Implied::Wait) if generation > Generation::Gen45 => {
            return vec![format!("{name} n0.N")];
        }
        Some(Implied::Wait) => return vec![format!("{name} nN")],
        None => {}
    }
    match opcode.format_on(generation) {
        Format::Nothing => vec![name.to_owned()],
        Format::Controls if opcode == Opcode::Nop => vec![name.to_owned()],
        Format::Controls | Format::ExitCode => all(&[""]),
        Format::Unary => all(&["dst src0"]),
        Format::Binary if opcode == Opcode::Pop => all(&["STACK N"]),
        Format::Binary if opcode == Opcode::Math => {
            ["dst src0", "dst src0 src1"].map(|operands| written(".FUNCTION", operands)).into()
        }
        Format::Binary => all(&["dst src0 src1"]),
        Format::Ternary => all(&["dst src0 src1 src2"]),
        Format::Sync => ["null", "MASK:ud"].map(|operand| written(".FUNCTION", operand)).into(),
        Format::Message if generation <= Generation::Gen45 => all(&["dst mN src0 DESCRIPTOR"]),
        Format::Message => all(&["dst src0 EXTENDED DESCRIPTOR"]),
        Format::SplitMessage => {
            const OPERANDS: &str = "dst src0 src1 EXTENDED DESCRIPTOR";
            let named = names::has_named_functions(generation).then_some(".SFID");
            [""].into_iter().chain(named).map(|suffix| written(suffix, OPERANDS)).collect()
        }
        Format::Branch => branch(opcode, opcode.branch_operands(generation))
            .iter()
            .map(|operands| written("", operands))
            .collect(),
    }
}

/// The operands of a branch of Gen7 and later.
fn branch(opcode: Opcode, operands: BranchOperands) -> Vec<String> {
    let destination = if operands.destination { "dst " } else { "" };
    let distances: &[&str] = match (operands.jip, operands.uip) {
        (false, _) => &[],
        // The two may be one.
        (true, true) if matches!(opcode, Opcode::If | Opcode::Else) => &["JIP UIP", "JIP"],
        (true, true) => &["JIP UIP"],
        (true, false) => &["JIP"],
    };
    let register = operands.register.map(|number| format!("src{number}"));
    let lists = distances.iter().map(|list| (*list).to_owned()).chain(register);
    lists.map(|list| format!("{destination}{list}")).collect()
}

/// The forms as a sentence for who wrote it otherwise.
pub(super) fn sentence(device: Device, opcode: Opcode) -> String {
    let forms: Vec<_> = forms(device, opcode).iter().map(|form| format!("`{form}`")).collect();
    format!("it is written {}", forms.join(" or "))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::eu::text::parse;

    /// A form with something in each place.
    fn filled(device: Device, opcode: Opcode, form: &str) -> String {
        let three = opcode.format() == Format::Ternary;
        let is_message = form.contains("DESCRIPTOR");
        let is_gen12 = device == Device::Dg1;
        let word = |word: &str| match word {
            "dst" if form.contains("src1 EXTENDED") => "r1:ud".to_owned(),
            "dst" if matches!(opcode, Opcode::Call | Opcode::Calla) => "r1<1>:d".to_owned(),
            "dst" => "r1<1>:f".to_owned(),
            "src0" | "src1" if is_message && device.generation() > Some(Generation::Gen45) => {
                "r2".to_owned()
            }
            "src0" | "src1" | "src2" if three && !is_gen12 => "r2<4>:f".to_owned(),
            "src0" | "src1" if three => "r2<4;1>:f".to_owned(),
            "src2" => "r2<1>:f".to_owned(),
            "src0" | "src1" => "r2<8;8,1>:f".to_owned(),
            "LABEL" | "JIP" | "UIP" => "HERE".to_owned(),
            "STACK" => "ims".to_owned(),
            "N" => "3".to_owned(),
            "MASK:ud" => "3:ud".to_owned(),
            "mN" | "nN" => word_of(word),
            "n0.N" => "n0.1".to_owned(),
            "EXTENDED" => "0x0".to_owned(),
            "DESCRIPTOR" => "0x02000000".to_owned(),
            other => other.replace(".SFID", ".dc0").replace(".FUNCTION", function(opcode, form)),
        };
        format!("HERE: {}", form.split(' ').map(word).collect::<Vec<_>>().join(" "))
    }

    fn word_of(word: &str) -> String {
        word.replace('N', "1")
    }

    fn function(opcode: Opcode, form: &str) -> &'static str {
        match opcode {
            Opcode::Sync => ".allrd",
            _ if form.ends_with("src1") => ".idiv",
            _ => ".inv",
        }
    }

    /// Whatever a device has is read in each of its forms, and not with an operand less.
    #[rstest]
    fn each_form_is_read(
        #[values(
            Device::Bw,
            Device::Cl,
            Device::Ctg,
            Device::G45,
            Device::Ivb,
            Device::Skl,
            Device::Dg1
        )]
        device: Device,
    ) {
        for opcode in Opcode::ALL.iter().copied().filter(|opcode| opcode.code(device).is_some()) {
            let forms = forms(device, opcode);
            assert!(!forms.is_empty(), "{opcode:?}");
            for form in &forms {
                let text = filled(device, opcode, form);
                assert!(parse(device, &text).is_ok(), "{form}: {text}: {:?}", parse(device, &text));
                let shorter = form.rsplit_once(' ').map_or("", |(shorter, _)| shorter);
                let is_form = forms.iter().any(|form| form == shorter);
                if !shorter.is_empty() && !form.ends_with(')') && !is_form {
                    let text = filled(device, opcode, shorter);
                    assert!(parse(device, &text).is_err(), "{form}: {text}");
                }
            }
        }
    }

    #[rstest]
    #[case(Device::G45, Opcode::Break, &["break (8) LABEL", "break (8) LABEL pop N"])]
    #[case(Device::Ivb, Opcode::Break, &["break (8) JIP UIP"])]
    #[case(Device::Dg1, Opcode::Brc, &["brc (8) JIP UIP", "brc (8) src0"])]
    #[case(Device::Dg1, Opcode::Line, &[])]
    fn forms_are_those_of_the_device(
        #[case] device: Device,
        #[case] opcode: Opcode,
        #[case] expected: &[&str],
    ) {
        assert_eq!(forms(device, opcode), expected);
    }
}
