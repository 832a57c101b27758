use parallax_spec::tables;
use proptest::prelude::*;
use serde::Deserialize;

use super::*;

#[test]
fn entries_are_the_tables() {
    #[derive(Deserialize)]
    struct Row {
        table: String,
        index: usize,
        mapped_bits: String,
    }
    let rows = tables::rows::<Row>("g45-compaction");
    assert_eq!(rows.len(), 4 * 32);
    for row in rows {
        let entries = match row.table.as_str() {
            "control" => &CONTROL,
            "datatype" => &DATA_TYPE,
            "subregister" => &SUBREGISTER,
            "source0/source1" => &SOURCE,
            other => panic!("no table {other}"),
        };
        let expected = u32::from_str_radix(&row.mapped_bits, 2).unwrap();
        assert_eq!(entries[row.index], expected, "{} {}", row.table, row.index);
    }
}

#[test]
fn only_g45_compacts() {
    let supporting: Vec<_> = Device::ALL.into_iter().filter(|d| is_supported(*d)).collect();
    assert_eq!(supporting, [Device::G45]);
}

#[test]
fn every_bit_has_its_place() {
    // All table indices 0: what is left is the copied fields, at the bits the manual names.
    let constant = expand(COMPACT_CONTROL);
    let at = |bit: u32| expand(COMPACT_CONTROL | 1 << bit) ^ constant;
    let places = [(0, 0), (6, 6), (7, 30), (23, 28), (24, 24), (27, 27), (28, 89)];
    for (compact, word) in places {
        assert_eq!(at(compact), 1 << word, "bit {compact}");
    }
    for (compact, word) in [(40, 53), (47, 60), (48, 69), (55, 76), (56, 101), (63, 108)] {
        assert_eq!(at(compact), 1 << word, "bit {compact}");
    }
}

proptest! {
    #[test]
    fn expanding_and_compacting_are_inverse(compact: u64) {
        let compact = compact | COMPACT_CONTROL;
        prop_assert_eq!(compacted(expand(compact)), Ok(compact));
    }

    #[test]
    fn a_bit_without_a_place_is_not_lost(compact: u64, bit in 0_u32..128) {
        let word = expand(compact) ^ 1 << bit;
        if let Ok(again) = compacted(word) {
            prop_assert_eq!(expand(again), word);
        }
    }
}
