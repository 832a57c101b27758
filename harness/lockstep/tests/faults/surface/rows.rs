//! What decodes and encodes many elements at once made wrong, while one element after the other is
//! right: nothing but the suite `rows` can notice.

use parallax_executor::surface::{Decoder, blocks::Family};
use parallax_isa::Device;
use parallax_lockstep::{
    random::case_seed,
    suite::Suite,
    surface::suites::rows::{Rows, rows},
};
use rstest::rstest;

const RIGHT: Rows = Rows::EXECUTOR;

/// Most cases until a fault is found.
const CASES: u64 = 2000;

#[rstest]
#[case::the_last_texel_of_a_vector_left_alone(Device::G45, "row", Rows {
    decode: |device, name, view, bytes, texels| {
        let last = texels.get(15).copied();
        (RIGHT.decode)(device, name, view, bytes, texels)?;
        last.into_iter().for_each(|last| texels[15] = last);
        Ok(())
    },
    ..RIGHT
})]
#[case::what_is_over_decoded_from_the_start(Device::Rv770, "row", Rows {
    decode: |device, name, view, bytes, texels| {
        (RIGHT.decode)(device, name, view, bytes, texels)?;
        let whole = texels.len() / 16 * 16;
        if whole > 0 && whole < texels.len() {
            texels.copy_within(..texels.len() - whole, whole);
        }
        Ok(())
    },
    ..RIGHT
})]
#[case::a_format_refused(Device::Dg1, "wide row B5G6R5_UNORM", Rows {
    decode_wide: |device, name, view, bytes, texels| {
        let name = if name == "B5G6R5_UNORM" { "R5G6B5_SNORM" } else { name };
        Decoder::new(device, name, view)?.rows64(bytes, texels)
    },
    ..RIGHT
})]
#[case::a_wide_channel_cut_to_32_bits(Device::G45, "wide row", Rows {
    decode_wide: |device, name, view, bytes, texels| {
        (RIGHT.decode_wide)(device, name, view, bytes, texels)?;
        texels.as_flattened_mut().iter_mut().for_each(|bits| *bits &= 0xFFFF_FFFF);
        Ok(())
    },
    ..RIGHT
})]
#[case::an_encoded_vector_one_element_on(Device::Dg1, "encoded row", Rows {
    encode: |device, name, fetch, texels, bytes| {
        (RIGHT.encode)(device, name, fetch, texels, bytes)?;
        let size = bytes.len() / texels.len().max(1);
        if texels.len() > 16 && size > 0 {
            bytes[..16 * size].rotate_right(size);
        }
        Ok(())
    },
    ..RIGHT
})]
#[case::a_strip_without_its_last_column(Device::Dg1, "surface", Rows {
    surface: |family, linearise, bytes, width, texels| {
        let decoded = (RIGHT.surface)(family, linearise, bytes, width, texels);
        if width > 64 {
            texels.chunks_exact_mut(width).for_each(|row| row[63] = row[62]);
        }
        decoded
    },
    ..RIGHT
})]
#[case::bc7_not_decoded(Device::Dg1, "surface BC7_UNORM", Rows {
    surface: |family, linearise, bytes, width, texels| {
        family != Family::Bc7 && (RIGHT.surface)(family, linearise, bytes, width, texels)
    },
    ..RIGHT
})]
#[case::a_byte_rounded_down(Device::G45, "picture", Rows {
    picture: |family, bytes, width, texels| {
        let mut floats = vec![[0.0; 4]; texels.len()];
        let decoded = (RIGHT.picture)(family, bytes, width, texels);
        if family == Family::Bc1 && (RIGHT.surface)(family, false, bytes, width, &mut floats) {
            let down = |n: f32| (n * 255.0 + 1e-3) as u8;
            texels.iter_mut().zip(floats).for_each(|(texel, exact)| *texel = exact.map(down));
        }
        decoded
    },
    ..RIGHT
})]
#[case::red_and_blue_of_pictures_exchanged(Device::Dg1, "picture", Rows {
    picture: |family, bytes, width, texels| {
        let decoded = (RIGHT.picture)(family, bytes, width, texels);
        texels.iter_mut().for_each(|texel| texel.swap(0, 2));
        decoded
    },
    ..RIGHT
})]
fn a_fault_is_found(#[case] device: Device, #[case] kind: &str, #[case] wrong: Rows) {
    let [suite, control] = [wrong, RIGHT].map(|made| rows(device, made));
    let (mut worker, mut right) = (suite.worker(), control.worker());
    let found = (0..CASES).find_map(|seed| worker.run(seed).diverged.map(|kind| (seed, kind)));
    let (seed, found) = found.expect("it is found");
    assert!(found.kind.starts_with(kind), "{found}");
    assert_eq!(right.run(seed).diverged, None);
    let finding = worker.investigate(seed).expect("it is still there");
    assert!(finding.text.contains("expected"), "{}", finding.text);
}

#[rstest]
fn nothing_is_found_where_nothing_is_wrong(
    #[values(Device::G45, Device::Dg1, Device::Rv770)] device: Device,
) {
    let suite = rows(device, RIGHT);
    let mut worker = suite.worker();
    let mut comparisons = 0;
    for seed in 0..CASES {
        let ran = worker.run(seed);
        let finding = ran.diverged.and_then(|_| worker.investigate(seed).ok());
        assert!(finding.is_none(), "{}", finding.unwrap().text);
        comparisons += ran.comparisons;
    }
    assert!(comparisons > 100 * CASES, "{comparisons}");
}

/// A case whose first four rows both engines refuse goes on to one that is compared: by itself it would
/// have failed the whole suite.
#[test]
fn a_case_compares_something_even_if_its_first_rows_are_refused() {
    let suite = rows(Device::Bw, RIGHT);
    let ran = suite.worker().run(case_seed(3_106_579_214, "rows", "bw", 1437));
    assert!(ran.diverged.is_none() && ran.comparisons > 0, "{ran:?}");
}
