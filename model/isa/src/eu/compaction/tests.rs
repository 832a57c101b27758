use proptest::prelude::*;
use rstest::rstest;

use super::*;

/// Entries and where they go, one of each table's kind in each generation.
#[rstest]
#[case(Generation::Gen45, Kind::SubRegister, 32, 15)]
#[case(Generation::Gen45, Kind::Source1, 32, 12)]
#[case(Generation::Gen7, Kind::Control, 32, 19)]
#[case(Generation::Gen75, Kind::DataType, 32, 18)]
#[case(Generation::Gen9, Kind::DataType, 32, 21)]
#[case(Generation::Gen9, Kind::TernarySource, 4, 49)]
#[case(Generation::Gen12, Kind::Source0, 16, 12)]
#[case(Generation::Gen12, Kind::TernaryControl, 32, 36)]
#[case(Generation::Gen12, Kind::TernarySubRegister, 32, 20)]
fn tables_have_their_entries(
    #[case] generation: Generation,
    #[case] kind: Kind,
    #[case] entries: usize,
    #[case] width: u32,
) {
    let table = table(generation, kind).expect("the generation has the table");
    let widths = |runs: &[Bits]| runs.iter().map(|run| run.width()).sum::<u32>();
    assert_eq!((table.entries.len(), widths(table.native)), (entries, width));
    assert_eq!(entries, 1 << widths(table.index));
    assert!(table.entries.iter().all(|entry| entry >> width == 0));
}

#[test]
fn tables_of_other_generations_are_not_there() {
    assert!(table(Generation::Gen4, Kind::Control).is_none());
    assert!(table(Generation::Gen75, Kind::TernaryControl).is_none());
    assert!(table(Generation::Gen9, Kind::TernarySubRegister).is_none());
}

/// `align16 NoMask exec8` of the control table of Gen9: bits 33:31, 23:12, 10:9, 34, 8.
#[test]
fn an_entry_goes_where_the_table_says() {
    let control = table(Generation::Gen9, Kind::Control).expect("Gen9 has it");
    let word = scatter(control.entries[14], control.native);
    assert_eq!(word, 3 << 21 | 1 << 34 | 1 << 8);
}

/// No bit of the native word comes from two fields, and no bit of the compact form is two fields'.
#[test]
fn fields_do_not_overlap() {
    let layouts = Generation::ALL.into_iter().flat_map(layouts).flatten();
    for layout in layouts {
        let copied = layout.copied.iter().map(|field| (field.compact, field.native));
        let tables = layout.tables.iter().map(|table| (table.index, table.native));
        let (mut compact, mut native) = (1 << 29, 1 << 29);
        for (from, to) in copied.chain(tables) {
            let (from, to) = (scatter(u64::MAX, from), scatter(u64::MAX, to));
            assert_eq!((compact & from, native & to), (0, 0));
            (compact, native) = (compact | from, native | to);
        }
    }
}

#[test]
fn g45_compacts_and_what_came_after_it() {
    let supporting: Vec<_> = Device::ALL.into_iter().filter(|d| is_supported(*d)).collect();
    assert_eq!(supporting, [Device::G45, Device::Ivb, Device::Skl, Device::Dg1]);
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
