use super::*;

/// An ALU clause of one MOV and an export that ends the program.
const SMALL: [u32; 6] = [2, 0xA000_0000, 0xC000_0000, 0x9420_0688, 0x8000_00F8, 0x0000_0C90];

#[test]
fn programs_are_read_and_written_back() {
    let program = Program::decode(&SMALL).expect("decodes");
    assert_eq!((program.control_flow.len(), program.clauses.len()), (2, 1));
    assert_eq!(program.encode(), SMALL);
    let with_data = [&SMALL[..], &[1, 2, 0, 0]].concat();
    let program = Program::decode(&with_data).expect("decodes");
    assert_eq!((program.encode(), program.data.len()), (with_data, 1));
}

#[test]
fn cut_programs_are_refused() {
    for length in 0..SMALL.len() {
        assert!(Program::decode(&SMALL[..length]).is_err(), "{length} dwords");
    }
}

#[test]
fn clauses_past_the_end_are_refused() {
    let mut dwords = SMALL;
    dwords[1] |= 1 << 18;
    let error = Program::decode(&dwords).expect_err("too long");
    assert_eq!(error.address, 0);
    assert!(matches!(error.problem, Problem::Outside { start: 2, length: 2, words: 3, .. }));
    dwords[0] = 0x3F_FFFF;
    assert!(Program::decode(&dwords).is_err());
}

#[test]
fn clauses_do_not_overlap_instructions() {
    let mut dwords = SMALL;
    dwords[0] = 0;
    assert!(matches!(Program::decode(&dwords).expect_err("overlaps").problem, Problem::Overlap(0)));
}

/// A CALL to address 8, an export that ends the program, a clause of one MOV between them, and padding.
fn with_subroutine() -> Vec<u32> {
    let mut dwords = vec![0; 20];
    dwords[..4].copy_from_slice(&[8, 0x8900_0000, 0xC000_0000, 0x9420_0688]);
    dwords[8..10].copy_from_slice(&[0x8000_00F8, 0x0000_0C90]);
    // ALU at 4, RETURN.
    dwords[16..].copy_from_slice(&[4, 0xA000_0000, 0, 0x8A00_0000]);
    dwords
}

#[test]
fn control_flow_is_decoded_wherever_a_call_leads() {
    let dwords = with_subroutine();
    let program = Program::decode(&dwords).expect("decodes");
    let flow: Vec<u32> = program.control_flow.keys().copied().collect();
    assert_eq!(flow, [0, 1, 8, 9]);
    assert_eq!(program.clauses.keys().collect::<Vec<_>>(), [&4]);
    assert_eq!((program.encode(), program.data.len()), (dwords, 0));
}

#[test]
fn a_fetch_program_is_control_flow_of_its_case() {
    let mut dwords = with_subroutine();
    // CALL_FS instead of CALL: where it leads only the case says.
    dwords[..2].copy_from_slice(&[0, 0x8980_0000]);
    let case = Case { fetch_program: 8, ..Case::new(dwords.clone()) };
    assert_eq!(Program::of_case(&case).expect("decodes").control_flow.len(), 4);
    let program = Program::decode(&dwords).expect("decodes");
    assert_eq!(program.control_flow.len(), 2);
    assert_eq!(program.encode(), dwords);
}

#[test]
fn words_that_do_not_decode_are_data() {
    let mut dwords = with_subroutine();
    // No opcode has the highest code of a control-flow instruction; nor of one with three sources.
    dwords[9] = 0x7FFF_FFFF;
    dwords[19] = 0x1FFF_FFFF;
    let (program, errors) = Program::read(&dwords);
    let addresses: Vec<u32> = errors.iter().map(|error| error.address).collect();
    assert_eq!(addresses, [4, 9], "{errors:?}");
    assert_eq!(program.control_flow.keys().collect::<Vec<_>>(), [&0, &1, &8]);
    assert_eq!(program.data.keys().collect::<Vec<_>>(), [&4, &9]);
    assert_eq!(program.encode(), dwords);
}
