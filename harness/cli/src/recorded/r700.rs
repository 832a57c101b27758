//! The case of a program of R700: what it declares, and the registers that say so.

use parallax_isa::r700::{Case, case::ProgramType, state::STACK_FRAMES};

use super::Recorded;

/// What a program declares, as far as a file says it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Declared {
    /// `SQ_PGM_RESOURCES`: registers in bits 7:0, stack entries in bits 15:8.
    pub(crate) resources: Option<u32>,
    /// Semantic ids, by the register less one that gets them.
    pub(crate) semantic_table: Vec<u8>,
}

/// The case of a program, and what of its state has no place there.
pub(crate) fn case(
    program: Vec<u32>,
    program_type: Option<ProgramType>,
    recorded: &Recorded,
    step_limit: u64,
) -> (Case, Vec<String>) {
    let mut case = Case::new(program);
    let mut left_out = Vec::new();
    case.program_type = program_type.unwrap_or(case.program_type);
    case.step_limit = step_limit;
    case.semantic_table.clone_from(&recorded.declared.semantic_table);
    if let Some(resources) = recorded.declared.resources {
        let [registers, stack] = [resources & 0xFF, resources >> 8 & 0xFF];
        let most = 128 - case.clause_temporaries;
        case.gpr_count = registers.clamp(1, most);
        if registers > most {
            left_out.push(format!("registers: {registers} are declared, a case has {most}"));
        }
        case.stack_size = stack.min(STACK_FRAMES as u32);
        if stack > case.stack_size {
            left_out
                .push(format!("stack entries: {stack} are declared, a case has {STACK_FRAMES}"));
        }
    }
    (case, left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_within_what_a_case_has() {
        let declared = |resources| {
            let declared = Declared { resources, semantic_table: vec![4, 5] };
            let recorded = Recorded { declared, ..Recorded::default() };
            case(vec![0; 2], Some(ProgramType::Vertex), &recorded, 5)
        };
        let (case, left_out) = declared(Some(0x0020_0203));
        assert_eq!((case.gpr_count, case.stack_size, left_out.len()), (3, 2, 0));
        assert_eq!((case.semantic_table, case.step_limit), (vec![4, 5], 5));
        let (case, left_out) = declared(Some(0xFFFF));
        assert_eq!((case.gpr_count, case.stack_size, left_out.len()), (124, 64, 2));
        assert_eq!(declared(Some(0)).0.gpr_count, 1);
    }
}
