//! Data instructions whose operands have several types, and gaps between their elements.

use super::{FIRST, REGISTERS, Writer};

/// Types and their bytes.
const KINDS: [(&str, usize); 9] =
    [("f", 4), ("f", 4), ("d", 4), ("d", 4), ("ud", 4), ("w", 2), ("uw", 2), ("b", 1), ("ub", 1)];
/// The first of those that are integers.
const INTEGERS: usize = 2;

impl Writer<'_> {
    /// Some operation on operands of any types, or a conversion.
    pub(super) fn mixed(&mut self) {
        let operation = *self.choices.pick(&[
            "mov", "mov", "mov", "mov", "add", "add", "mul", "and", "or", "xor", "not", "shl",
            "shr", "asr", "avg", "sel", "cmp", "rndd", "frc",
        ]);
        let has_integers = matches!(
            operation,
            "and" | "or" | "xor" | "not" | "shl" | "shr" | "asr" | "avg" | "sel"
        );
        let floats = matches!(operation, "rndd" | "frc");
        let first_kind = if has_integers { INTEGERS } else { 0 };
        let size = *self.choices.pick(&[8, 8, 8, 16, 16, 4, 1]);
        let (compares, selects) = (operation == "cmp", operation == "sel");
        let flag = self.choices.below(2);
        let predicate = if selects || self.choices.sometimes(48) {
            let sign = if self.choices.sometimes(96) { "-" } else { "" };
            format!("({sign}f0.{flag}) ")
        } else {
            String::new()
        };
        let (kind, _) = KINDS[first_kind + self.choices.below(KINDS.len() - first_kind)];
        let condition = match compares {
            true => {
                let condition = self.choices.pick(&["z", "nz", "g", "ge", "l", "le"]);
                format!(".{condition}.f0.{flag}")
            }
            false => String::new(),
        };
        let saturates = matches!(operation, "mov" | "add") && self.choices.sometimes(48);
        let saturate = if saturates { ".sat" } else { "" };
        let (to, has_room) = match compares {
            true if self.choices.sometimes(160) => (format!("null<1>:{kind}"), true),
            _ => self.elements(size, first_kind),
        };
        let modified = !matches!(operation, "and" | "or" | "xor" | "not" | "shl" | "shr" | "asr");
        let source = |writer: &mut Self| {
            let kinds = match (operation, floats) {
                // Of one with a sign the manual says nothing.
                ("shr", _) => &KINDS[4..5],
                (_, true) => &KINDS[..1],
                _ => &KINDS[first_kind..],
            };
            writer.spread(size, kinds, modified)
        };
        let first = source(self);
        let second = match operation {
            "mov" | "not" | "rndd" | "frc" => String::new(),
            _ if self.choices.sometimes(48) => {
                let kind = *self.choices.pick(&["d", "ud", "w", "uw"]);
                format!(" {}", self.immediate(kind))
            }
            _ => format!(" {}", source(self)),
        };
        let mut options = Vec::new();
        // Sixteen channels that fill more than a register are two instructions.
        if size == 16 && (!has_room || self.choices.sometimes(128)) {
            options.push("Compr");
        }
        let text =
            format!("{predicate}{operation}{saturate}{condition} ({size}) {to} {first}{second}");
        self.instruction(&text, options);
    }

    /// A destination whose elements lie within doublewords, and whether it fits in a register.
    fn elements(&mut self, size: usize, first_kind: usize) -> (String, bool) {
        let (kind, bytes) = KINDS[first_kind + self.choices.below(KINDS.len() - first_kind)];
        let gap = *self.choices.pick(&[1, 1, 4 / bytes, (2 / bytes).max(1)]);
        let span = gap * size;
        let is_part = span * bytes <= 16 && self.choices.sometimes(96);
        let first = if is_part { span * self.choices.below(32 / bytes / span) } else { 0 };
        let within = if gap > 1 { self.choices.below(gap) } else { 0 };
        let number = FIRST + self.choices.below(REGISTERS);
        let number = if size == 16 { number & !1 } else { number };
        (format!("r{number}.{}<{gap}>:{kind}", first + within), span * bytes <= 32)
    }

    /// A source with or without gaps, or one element for all channels.
    fn spread(&mut self, size: usize, kinds: &[(&str, usize)], modified: bool) -> String {
        let (kind, bytes) = *self.choices.pick(kinds);
        let negate = if modified && self.choices.sometimes(40) { "-" } else { "" };
        let absolute = modified && self.choices.sometimes(24);
        let number = FIRST + self.choices.below(REGISTERS);
        let elements = 32 / bytes;
        let register = if size == 1 || self.choices.sometimes(56) {
            format!("r{number}.{}<0;1,0>:{kind}", self.choices.below(elements))
        } else {
            let gaps = [1, 1, 4 / bytes, (2 / bytes).max(1), (8 / bytes).min(4)];
            let gap = *self.choices.pick(&gaps);
            let first = match self.choices.sometimes(96) {
                true => self.choices.below(gap),
                false if self.choices.sometimes(48) => self.choices.below(elements / 2),
                false => 0,
            };
            let width = size.min(8);
            format!("r{number}.{first}<{};{width},{gap}>:{kind}", width * gap)
        };
        if absolute { format!("{negate}(abs){register}") } else { format!("{negate}{register}") }
    }
}
