use super::*;

#[derive(serde::Deserialize)]
struct Row {
    format: String,
    dword: usize,
    bits: String,
    field: String,
}

impl Row {
    fn bits(&self) -> (u32, u32) {
        let (high, low) = self.bits.split_once(':').unwrap_or((&self.bits, &self.bits));
        (high.parse().expect("a number"), low.parse().expect("a number"))
    }

    fn is_reserved(&self) -> bool {
        ["Reserved", "Unused", "PAD"].contains(&self.field.as_str())
    }
}

fn rows() -> Vec<Row> {
    parallax_spec::tables::rows("r700-microcode-fields")
}

#[test]
fn fields_are_the_manual_s() {
    for row in rows().iter().filter(|row| !row.is_reserved()) {
        // The part that both forms of the word share is printed a third time on its own.
        let shared = row.format == "CF_ALLOC_EXPORT_WORD1";
        let fields = FORMATS.iter().flat_map(|format| format.fields);
        let mut same = fields.filter(|field| {
            field.name == row.field
                && (field.word == row.format || shared && field.word.starts_with(&row.format))
        });
        let (high, low) = row.bits();
        let found = same.next().unwrap_or_else(|| panic!("{} {}", row.format, row.field));
        for field in same.chain([found]) {
            assert_eq!(
                (field.dword, field.high, field.low),
                (row.dword, high, low),
                "{}",
                row.field
            );
        }
    }
}

#[test]
fn reserved_bits_are_the_manual_s() {
    for format in FORMATS {
        let mut listed = vec![0; format.dwords];
        for row in rows().iter().filter(|row| row.is_reserved()) {
            if format.fields.iter().any(|field| field.word == row.format) {
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
