//! Which types the operations combine: the allowed rows of the table `g45-type-combinations`.

use std::sync::LazyLock;

use parallax_isa::{
    Device,
    eu::{DataType, Opcode, forms, types::execution_type},
};

/// Types of an instruction's operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::eu) struct Combination {
    pub(super) sources: [DataType; 2],
    /// Whether the last source is an immediate.
    pub(super) immediate: bool,
    pub(super) destination: DataType,
    /// The table says that saturation has no predictable result here.
    pub(super) unpredictable_saturation: bool,
}

/// Combinations by operation, each as often as it is to be chosen.
static ALLOWED: LazyLock<Vec<Vec<Combination>>> = LazyLock::new(|| {
    let mut allowed = vec![Vec::new(); Opcode::ALL.len()];
    for form in forms::forms(Device::G45) {
        for row in form.combinations.iter().filter(|row| row.is_legal) {
            // Sources of one type are what programs have most.
            let weight = if row.second == Some(row.first) && !row.is_immediate { 3 } else { 1 };
            for destination in &row.destinations {
                let combination = Combination {
                    sources: [row.first, row.second.unwrap_or(row.first)],
                    immediate: row.is_immediate,
                    destination: *destination,
                    unpredictable_saturation: row.qualifier.contains(".sat unpredictable"),
                };
                allowed[form.opcode as usize].extend([combination; 3][..weight].iter());
            }
        }
    }
    allowed
});

/// The combinations of an operation.
pub(super) fn of(opcode: Opcode) -> &'static [Combination] {
    &ALLOWED[opcode as usize]
}

impl Combination {
    /// What it computes in (section 11.3.9).
    pub(super) fn execution_type(&self) -> DataType {
        execution_type(&self.sources, self.destination)
    }

    /// Bytes of the widest element.
    pub(super) fn widest(&self) -> usize {
        let sources = self.sources.iter().map(|source| source.size());
        sources.chain([self.destination.size()]).max().unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_allows_what_the_pages_say() {
        let add = of(Opcode::Add);
        assert!(add.iter().any(|c| c.sources == [DataType::F, DataType::W]));
        assert!(!add.iter().any(|c| c.sources == [DataType::F, DataType::D]));
        assert!(of(Opcode::Mov).iter().any(|c| c.sources[0] == DataType::Vf && c.immediate));
        for opcode in Opcode::ALL.iter().filter(|opcode| !of(**opcode).is_empty()) {
            let all = of(*opcode);
            assert!(all.iter().all(|c| c.widest() >= 1), "{opcode:?}");
        }
    }
}
