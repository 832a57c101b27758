//! Which types the operations combine: the allowed rows of the table `g45-type-combinations`.

use std::sync::LazyLock;

use parallax_isa::eu::{DataType, Opcode, types::execution_type};
use parallax_spec::tables::eu::TypeCombination;

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
    for row in TypeCombination::all().iter().filter(|row| row.status == "allowed") {
        let (Some(opcode), Some(first)) =
            (Opcode::of_mnemonic(&row.mnemonic), of_name(&row.src0_type))
        else {
            continue;
        };
        let second = of_name(&row.src1_type);
        let immediate = row.is_immediate();
        for destination in row.destinations().filter_map(of_name) {
            let combination = Combination {
                sources: [first, second.unwrap_or(first)],
                immediate,
                destination,
                unpredictable_saturation: row.qualifier.contains(".sat unpredictable"),
            };
            // Sources of one type are what programs have most.
            let weight = if second == Some(first) && !immediate { 3 } else { 1 };
            allowed[opcode as usize].extend([combination; 3][..weight].iter());
        }
    }
    allowed
});

fn of_name(name: &str) -> Option<DataType> {
    DataType::of_suffix(&name.to_ascii_lowercase())
}

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
