use parallax_spec::tables::r700::MicrocodeField;

use super::*;

#[test]
fn every_word_is_part_of_a_format() {
    for row in MicrocodeField::all().iter().filter(|row| !row.is_reserved()) {
        // The part that both forms of the word share is printed a third time on its own.
        let shared = row.word == "CF_ALLOC_EXPORT_WORD1";
        let mut fields = FORMATS.iter().flat_map(|format| format.fields);
        let found = fields.any(|field| {
            field.name == row.name
                && field.dword == row.dword
                && (field.high, field.low) == row.bits()
                && (field.word == row.word || shared && field.word.starts_with(&row.word))
        });
        assert!(found, "{} {}", row.word, row.name);
    }
}

#[test]
fn bits_outside_of_fields_are_reserved() {
    for format in FORMATS {
        let mut listed = vec![0; format.dwords];
        for row in MicrocodeField::all().iter().filter(|row| row.is_reserved()) {
            if format.fields.iter().any(|field| field.word == row.word) {
                let (high, low) = row.bits();
                listed[row.dword] |= u32::MAX >> (31 - (high - low)) << low;
            }
        }
        if format.dwords == 4 {
            listed[3] = u32::MAX;
        }
        assert_eq!(format.reserved(), listed, "{}", format.name);
    }
}

#[test]
fn fields_are_set_and_read() {
    let word = CfWord::default().with(CfWord::ADDR, 7).with(CfWord::POP_COUNT, 9);
    assert_eq!((word.addr(), word.pop_count()), (7, 1));
    assert_eq!(word.with(CfWord::ADDR, u32::MAX).addr(), u32::MAX);
    assert_eq!(CfWord([0, 1 << 20 | 7]).reserved(), [0, 1 << 20]);
}
