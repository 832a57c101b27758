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
