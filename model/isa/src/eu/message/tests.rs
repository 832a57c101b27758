use proptest::prelude::*;
use rstest::rstest;

use super::{
    DecodedMessage, Field, SharedFunction, Value,
    bits::bits,
    function::FUNCTIONS,
    layout::Form,
    operation::{EARLY_OPERATIONS, OPERATIONS},
};
use crate::eu::generation::Generation;

const GENERATIONS: [Generation; 3] = [Generation::Gen7, Generation::Gen9, Generation::Gen12];

/// The words of a message of an early device, which names its function itself.
fn early(generation: Generation, descriptor: u32) -> String {
    let function = (descriptor >> 24 & 0xF) as u8;
    DecodedMessage::decode(generation, function, descriptor, None).to_string()
}

#[rstest]
#[case(
    0x0411_C203,
    "data port read: OWord block read, 2 OWords, surface 3, cache reserved (3), 1 sent, 1 back"
)]
#[case(
    0x0510_1200,
    "data port write: OWord dual block write, 2 times 4 OWords, surface 0, 1 sent, 0 back"
)]
#[case(
    0x0560_4A03,
    "data port write: render target write, SIMD8, two sources, subspans 0 and 1, surface 3, last target, 6 sent, 0 back"
)]
#[case(0x0510_7000, "data port write: flush render cache, 1 sent, 0 back")]
#[case(0x0248_9105, "sampling engine: reserved (9), surface 5, sampler 1, 4 sent, 8 back")]
#[case(0x0631_A410, "URB: URB write, offset 1, interleaved, allocate, complete, 3 sent, 1 back")]
#[case(0x0310_4002, "message gateway: forward message, acknowledged, 1 sent, 0 back")]
#[case(0x0111_00B1, "extended math: INV, signed, partial precision, scalar, 1 sent, 1 back")]
#[case(0x0710_0000, "thread spawner: 1 sent, 0 back")]
#[case(0x0E10_0000, "reserved function: 1 sent, 0 back")]
fn early_messages_are_said_in_words(#[case] descriptor: u32, #[case] expected: &str) {
    assert_eq!(early(Generation::Gen45, descriptor), expected);
}

#[test]
fn reads_and_sampler_codes_of_gen4_are_shorter() {
    assert_eq!(
        early(Generation::Gen4, 0x0421_7301),
        "data port read: DWord scattered read, 16 DWords, surface 1, render cache, 2 sent, 1 back"
    );
    assert_eq!(
        early(Generation::Gen4, 0x0242_0001),
        "sampling engine: sample u, v, r (SIMD8), surface 1, sampler 0, FLOAT32, 4 sent, 2 back"
    );
}

#[rstest]
#[case::sample(
    Generation::Gen9,
    2,
    0x0484_0001,
    "sampler: sample, SIMD16, surface 1, sampler 0, 2 sent, 8 back"
)]
#[case::gather(
    Generation::Gen12,
    2,
    0x0A4B_2302,
    "sampler: gather4_po_c, SIMD8, surface 2, sampler 3, header, 5 sent, 4 back"
)]
#[case::two_vertices(
    Generation::Gen7,
    2,
    0x0210_7001,
    "sampler: ld, SIMD4x2, surface 1, sampler 0, 1 sent, 1 back"
)]
#[case::double_of_simd8(
    Generation::Gen9,
    2,
    0x0210_7001,
    "sampler: ld, SIMD8D, surface 1, sampler 0, 1 sent, 1 back"
)]
#[case::half(
    Generation::Gen12,
    2,
    0x6224_00FC,
    "sampler: sample, SIMD16H, 16 bits, bindless surface, sampler 0, 1 sent, 2 back"
)]
#[case::flush(
    Generation::Gen9,
    2,
    0x021F_F000,
    "sampler: cache flush, SIMD32/64, surface 0, sampler 0, header, 1 sent, 1 back"
)]
#[case::no_sampler_message(
    Generation::Gen7,
    2,
    0x0243_8001,
    "sampler: reserved (24), SIMD8, surface 1, sampler 0, 1 sent, 4 back"
)]
#[case::target(
    Generation::Gen9,
    5,
    0x1003_1003,
    "render cache: render target write, SIMD16, last target, surface 3, 8 sent, 0 back"
)]
#[case::dual_source(
    Generation::Gen7,
    5,
    0x140B_1B00,
    "render cache: render target write, SIMD8, two sources, subspans 2 and 3, slots 31:16, last target, \
     surface 0, header, 10 sent, 0 back"
)]
#[case::target_read(
    Generation::Gen9,
    5,
    0x048B_4000,
    "render cache: render target read, SIMD16, surface 0, header, 2 sent, 8 back"
)]
#[case::typed_of_gen7(
    Generation::Gen7,
    5,
    0x0E0B_6001,
    "render cache: typed surface write, slots 15:8, RGBA, surface 1, header, 7 sent, 0 back"
)]
#[case::typed_atomic_of_gen7(
    Generation::Gen7,
    5,
    0x0619_A701,
    "render cache: typed atomic, add, slots 7:0, old value returned, surface 1, header, 3 sent, 1 back"
)]
#[case::media(
    Generation::Gen12,
    5,
    0x0219_0001,
    "render cache: media block read, surface 1, header, 1 sent, 1 back"
)]
#[case::typed(
    Generation::Gen9,
    12,
    0x0211_5E01,
    "data cache port 1: typed surface read, slots 7:0, R, surface 1, 1 sent, 1 back"
)]
#[case::typed_atomic(
    Generation::Gen12,
    12,
    0x0211_BE01,
    "data cache port 1: typed atomic, cmpwr, slots 15:8, old value returned, surface 1, 1 sent, 1 back"
)]
#[case::untyped(
    Generation::Gen9,
    12,
    0x0440_5AFE,
    "data cache port 1: untyped surface read, SIMD16, RB, shared local memory, 2 sent, 4 back"
)]
#[case::untyped_of_gen7(
    Generation::Gen7,
    10,
    0x0221_6C05,
    "data cache port 0: untyped surface read, SIMD8, RG, surface 5, 1 sent, 2 back"
)]
#[case::untyped_atomic(
    Generation::Gen9,
    12,
    0x0400_87FE,
    "data cache port 1: untyped atomic, add, SIMD16, shared local memory, 2 sent, 0 back"
)]
#[case::a64_atomic(
    Generation::Gen9,
    12,
    0x0424_BEFF,
    "data cache port 1: A64 untyped atomic, cmpwr, 64 bits, old value returned, stateless, 2 sent, 2 back"
)]
#[case::float_atomic(
    Generation::Gen12,
    12,
    0x0216_F1FD,
    "data cache port 1: untyped atomic float, fmax, SIMD8, old value returned, stateless, not coherent, \
     1 sent, 1 back"
)]
#[case::a64_scattered(
    Generation::Gen12,
    12,
    0x0884_16FF,
    "data cache port 1: A64 scattered read, SIMD16, qword, 2 elements, stateless, 4 sent, 8 back"
)]
#[case::a64_block(
    Generation::Gen9,
    12,
    0x022D_0BFF,
    "data cache port 1: A64 unaligned OWord block read, 4 OWords, stateless, header, 1 sent, 2 back"
)]
#[case::bytes(
    Generation::Gen12,
    10,
    0x0403_0505,
    "data cache port 0: byte scattered write, SIMD16, word, surface 5, 2 sent, 0 back"
)]
#[case::doublewords(
    Generation::Gen9,
    10,
    0x0210_C205,
    "data cache port 0: dword scattered read, SIMD8, 1 element, surface 5, 1 sent, 1 back"
)]
#[case::block(
    Generation::Gen9,
    10,
    0x0218_4205,
    "data cache port 0: unaligned OWord block read, 2 OWords, surface 5, header, 1 sent, 1 back"
)]
#[case::fence(
    Generation::Gen9,
    10,
    0x0219_E000,
    "data cache port 0: memory fence, commit, surface 0, header, 1 sent, 1 back"
)]
#[case::scratch(
    Generation::Gen9,
    10,
    0x020E_1003,
    "data cache port 0: scratch block write, 2 registers, offset 3, header, 1 sent, 0 back"
)]
#[case::scratch_of_gen7(
    Generation::Gen7,
    10,
    0x024D_3004,
    "data cache port 0: scratch block read, 4 registers, offset 4, masked by dword, header, 1 sent, 4 back"
)]
#[case::constants(
    Generation::Gen7,
    9,
    0x0218_0202,
    "constant cache: OWord block read, 2 OWords, surface 2, header, 1 sent, 1 back"
)]
#[case::constants_of_gen9(
    Generation::Gen9,
    9,
    0x0218_0302,
    "read-only data port: OWord block read, 4 OWords, surface 2, header, 1 sent, 1 back"
)]
#[case::sampler_cache(
    Generation::Gen7,
    4,
    0x0219_0001,
    "sampler cache: media block read, surface 1, header, 1 sent, 1 back"
)]
#[case::scaled(
    Generation::Gen9,
    4,
    0x0212_0000,
    "data cache port 2: scaled byte scattered read, surface 0, 1 sent, 1 back"
)]
#[case::urb_of_gen7(
    Generation::Gen7,
    6,
    0x8A09_4031,
    "URB: write OWord, offset 6, offsets per slot, interleaved, header, 5 sent, 0 back"
)]
#[case::urb_complete(
    Generation::Gen7,
    6,
    0x8608_C000,
    "URB: write HWord, offset 0, interleaved, complete, header, 3 sent, 0 back"
)]
#[case::urb(
    Generation::Gen9,
    6,
    0x060A_8047,
    "URB: SIMD8 write, offset 4, offsets per slot, channel masks, header, 3 sent, 0 back"
)]
#[case::urb_reserved(
    Generation::Gen9,
    6,
    0x0608_000F,
    "URB: reserved (15), offset 0, header, 3 sent, 0 back"
)]
#[case::barrier(Generation::Gen12, 3, 0x0200_0004, "message gateway: barrier, 1 sent, 0 back")]
#[case::forward(
    Generation::Gen7,
    3,
    0x0210_4002,
    "message gateway: forward message, acknowledged, 1 sent, 1 back"
)]
#[case::end(
    Generation::Gen9,
    7,
    0x0200_0010,
    "thread spawner: end of thread, URB handle kept, 1 sent, 0 back"
)]
#[case::interpolator(
    Generation::Gen7,
    11,
    0x0841_7000,
    "pixel interpolator: per-slot offset, SIMD16, linear, data 0, 4 sent, 4 back"
)]
#[case::motion(Generation::Gen9, 8, 0x0200_0000, "video motion estimation: 1 sent, 0 back")]
#[case::no_function(Generation::Gen7, 12, 0x0200_0000, "reserved function: 1 sent, 0 back")]
fn messages_are_said_in_words(
    #[case] generation: Generation,
    #[case] function: u8,
    #[case] descriptor: u32,
    #[case] expected: &str,
) {
    let decoded = DecodedMessage::decode(generation, function, descriptor, None);
    assert_eq!(decoded.to_string(), expected);
}

#[test]
fn split_messages_have_two_lengths_and_targets_of_gen12_a_number() {
    let decoded =
        DecodedMessage::decode(Generation::Gen12, 5, 0x0403_1400, Some(0x0010_A000 | 4 << 6));
    assert_eq!(
        decoded.to_string(),
        "render cache: render target write, SIMD8, last target, surface 0, target 2, source 0 alpha, \
         null target, 2+4 sent, 0 back"
    );
    assert_eq!(decoded.field(Field::TargetIndex), Some(2));
    let earlier = DecodedMessage::decode(Generation::Gen9, 5, 0x0403_1400, Some(4 << 6));
    assert_eq!(earlier.field(Field::TargetIndex), None);
}

/// The rows of a table of the specification.
fn table(name: &str) -> Vec<std::collections::HashMap<String, String>> {
    parallax_spec::tables::rows(name)
}

/// A descriptor with an operation's code and subtype.
fn descriptor_of(row: &super::operation::Operation, generation: Generation) -> u32 {
    let place = row.function.operation_bits(generation).expect("has operations").low;
    let subtype = row.subtype.map_or(0, |(_, low, value)| value << low);
    u32::from(row.code) << place | subtype
}

/// Every row is met, with its own name, on the generations that have it and no other.
#[test]
fn every_operation_is_decoded() {
    for row in OPERATIONS.iter().chain(EARLY_OPERATIONS) {
        for generation in Generation::ALL {
            let is_here = SharedFunction::of(generation, row.function.code()) == row.function;
            if !is_here || row.function.operation_bits(generation).is_none() {
                continue;
            }
            let descriptor = descriptor_of(row, generation);
            let code = row.function.code();
            let decoded = DecodedMessage::decode(generation, code, descriptor, None);
            let has = (row.first..=row.last).contains(&generation);
            if has {
                assert_eq!(decoded.name(), Some(row.name), "{generation} {descriptor:#x}");
                assert_eq!(decoded.code, Some(row.code));
            } else {
                assert_ne!(decoded.operation, Some(row));
            }
        }
    }
}

/// The sampler's codes and generations are those of `eu-sampler-messages-by-gen`.
#[test]
fn sampler_messages_are_those_of_the_table() {
    for row in table("eu-sampler-messages-by-gen") {
        let code: u32 = row["code"].parse().expect("is a code");
        for (generation, column) in GENERATIONS.iter().zip(["gen7", "gen9", "gen12"]) {
            let decoded = DecodedMessage::decode(*generation, 2, code << 12 | 1 << 17, None);
            let expected = (row[column] == "1").then_some(row["message"].as_str());
            assert_eq!(decoded.name(), expected, "{generation} {code}");
        }
    }
}

/// The generation of a name such as `Gen7.5`.
fn generation(name: &str) -> Generation {
    let found = Generation::ALL.iter().find(|generation| generation.name() == name);
    *found.unwrap_or_else(|| panic!("{name} is a generation"))
}

/// Bits that a column sets: `9:8=2`, `18=1 17=0`; a number alone stands at `type_low`.
fn set_bits(text: &str, type_low: u32) -> u32 {
    let set = |part: &str| {
        let (place, value) = part.split_once('=').unwrap_or(("", part));
        let low = place.rsplit(':').next().and_then(|bit| bit.parse().ok()).unwrap_or(type_low);
        value.parse::<u32>().expect("is a value") << low
    };
    text.split_whitespace().filter(|part| *part != "-").map(set).sum()
}

/// The messages of the data ports, the gateway and the spawner are those of `eu-message-types`.
#[test]
fn messages_are_those_of_the_table() {
    for row in table("eu-message-types") {
        let (first, last) = row["gens"].split_once('-').unwrap_or((&row["gens"], &row["gens"]));
        let generations = generation(first)..=generation(last);
        let descriptor = set_bits(&row["type"], 14) | set_bits(&row["subtype_bits"], 14);
        let function: u8 = row["sfid"].parse().expect("is a code");
        for of in GENERATIONS.iter().filter(|of| generations.contains(of)) {
            let decoded = DecodedMessage::decode(*of, function, descriptor, None);
            let name = decoded.name().unwrap_or_else(|| panic!("{of} has {}", row["name"]));
            let word = name.split_whitespace().next_back().expect("is a word").to_lowercase();
            assert!(row["name"].to_lowercase().contains(&word), "{of}: {name} is {}", row["name"]);
        }
    }
}

/// The atomic operations are those of `eu-atomic-ops`.
#[test]
fn atomic_operations_are_those_of_the_table() {
    for row in table("eu-atomic-ops").iter().filter(|row| row["gens"].starts_with("Gen")) {
        let code: u32 = row["code"].parse().expect("is a code");
        let (operation, field) = match row["class"].as_str() {
            "float" => (27, Field::FloatOperation),
            _ => (2, Field::AtomicOperation),
        };
        let decoded =
            DecodedMessage::decode(Generation::Gen9, 12, operation << 14 | code << 8, None);
        let mut values = decoded.values().filter(|(known, _)| *known == field);
        let Some((_, Value::Name(name))) = values.next() else {
            panic!("{} is named", row["name"])
        };
        assert_eq!(name, row["name"]);
    }
}

/// Where the sampler's and render target's fields stand is said by the tables.
#[rstest]
#[case("eu-sampler-descriptor-by-gen", "binding table index", 2, 0, Field::Surface)]
#[case("eu-sampler-descriptor-by-gen", "sampler index", 2, 0, Field::Sampler)]
#[case("eu-sampler-descriptor-by-gen", "SIMD mode 1:0", 2, 0, Field::SimdMode)]
#[case("eu-sampler-descriptor-by-gen", "return format", 2, 0, Field::HalfPrecision)]
#[case("eu-rt-descriptor-by-gen", "binding table index", 5, 12 << 14, Field::Surface)]
#[case("eu-rt-descriptor-by-gen", "message subtype", 5, 12 << 14, Field::Subtype)]
#[case("eu-rt-descriptor-by-gen", "message subtype (read)", 5, 13 << 14, Field::ReadSubtype)]
#[case("eu-rt-descriptor-by-gen", "slot group select", 5, 12 << 14, Field::UpperSlots)]
#[case("eu-rt-descriptor-by-gen", "last render target", 5, 12 << 14, Field::LastTarget)]
#[case("eu-rt-descriptor-by-gen", "per-sample PS outputs", 5, 12 << 14, Field::PerSample)]
#[case("eu-rt-descriptor-by-gen", "coarse pixel write", 5, 12 << 14, Field::CoarsePixel)]
#[case("eu-rt-descriptor-by-gen", "data format", 5, 12 << 14, Field::HalfPrecision)]
fn fields_stand_where_the_tables_say(
    #[case] name: &str,
    #[case] row: &str,
    #[case] function: u8,
    #[case] operation: u32,
    #[case] field: Field,
) {
    let rows = table(name);
    let row = rows.iter().find(|known| known["field"] == row).expect("is a row");
    for (generation, column) in GENERATIONS.iter().zip(["gen7_bits", "gen9_bits", "gen12_bits"]) {
        let decoded = |descriptor: u32| {
            DecodedMessage::decode(*generation, function, operation | descriptor, None).field(field)
        };
        let Some((high, low)) = range(&row[column]) else {
            assert_eq!(decoded(0), None, "{generation} has no such field");
            continue;
        };
        for bit in low..=high {
            assert_eq!(decoded(1 << bit), Some(1 << (bit - low)), "{generation} bit {bit}");
        }
    }
}

/// `7:0`, `29`, or `-` for none.
fn range(text: &str) -> Option<(u32, u32)> {
    let mut bits = text.split(':').map(|bit| bit.parse().ok());
    let high = bits.next()??;
    Some((high, bits.next().flatten().unwrap_or(high)))
}

#[test]
fn codes_of_functions_are_read_back() {
    for (code, function, _, first, last) in FUNCTIONS {
        assert_eq!(SharedFunction::of(first, code), function);
        assert_eq!(SharedFunction::of(last, code), function);
        assert_eq!(function.code(), code);
    }
    assert_eq!(SharedFunction::of(Generation::Gen9, 14), SharedFunction::Reserved(14));
}

#[test]
fn bits_may_be_apart() {
    let decoded = DecodedMessage::decode(Generation::Gen12, 2, 1 << 29 | 1 << 17, None);
    let values: Vec<_> = decoded.values().collect();
    assert_eq!(values[0], (Field::SimdMode, Value::Name("SIMD8H")));
    assert_eq!(bits(31, 0).of(u32::MAX), u32::MAX);
    assert_ne!(Form::Plain, Form::Sampler);
}

#[test]
fn second_parts_of_gen12_have_up_to_31_registers() {
    let decoded = DecodedMessage::decode(Generation::Gen12, 10, 0x020A_0401, Some(31 << 6));
    assert_eq!(decoded.extended_length, Some(31));
    assert!(decoded.to_string().ends_with("1+31 sent, 0 back"), "{decoded}");
}

proptest! {
    /// Any descriptor is decoded, and no key is said twice.
    #[test]
    fn any_descriptor_is_decoded(
        function in 0_u8..16,
        descriptor: u32,
        extended: Option<u32>,
        generation in prop::sample::select(&Generation::ALL[..]),
    ) {
        let decoded = DecodedMessage::decode(generation, function, descriptor, extended);
        prop_assert!(decoded.to_string().ends_with(" back"));
        let mut keys: Vec<_> = decoded.values().map(|(field, _)| field.key()).collect();
        keys.sort_unstable();
        let count = keys.len();
        keys.dedup();
        prop_assert_eq!(keys.len(), count);
    }
}
