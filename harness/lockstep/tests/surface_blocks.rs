//! Blocks of the compressed formats, decoded by both implementations: every mode, every partition,
//! every index byte in every class of endpoints, and random ones. To the bit.
//!
//! `PARALLAX_BLOCKS=10000000` sets the number of random blocks of each family.

use parallax_executor::surface::blocks::{self, Family, MOST_TEXELS};
use parallax_isa::surface::{Format, named};
use parallax_lockstep::random::SplitMix64;
use parallax_reference::surface::{View, decode};
use rstest::rstest;

/// A format in both implementations.
struct Both {
    format: &'static Format,
    family: Family,
    linearise: bool,
}

impl Both {
    fn named(name: &str) -> Self {
        let (_, format) = named(None, name).unwrap_or_else(|error| panic!("{error}"));
        let family = Family::named(name).unwrap_or_else(|| panic!("{name} is of no family"));
        Self { format, family, linearise: name.contains("SRGB") }
    }

    /// Panics if the implementations differ.
    fn check(&self, block: &[u8]) {
        let Self { format, family, linearise } = *self;
        let view = View { linearise, ..View::default() };
        let reference = decode(format, block, &view).unwrap_or_else(|error| panic!("{error}"));
        let mut executor = [[f32::NAN; 4]; MOST_TEXELS];
        blocks::decode(family, linearise, block, &mut executor);
        assert_eq!(reference.len(), 4 * family.width());
        for (n, (reference, executor)) in reference.iter().zip(executor).enumerate() {
            let (expected, actual) = (reference.bits(), executor.map(|c| u64::from(c.to_bits())));
            let numbers = expected.map(|bits| f32::from_bits(bits as u32));
            assert!(
                expected == actual,
                "{} {block:02x?} texel {n}: reference {numbers:?}, executor {executor:?}",
                format.name
            );
        }
    }
}

fn random_blocks() -> u64 {
    std::env::var("PARALLAX_BLOCKS").map_or(1000, |count| count.parse().expect("a number"))
}

#[rstest]
fn random_blocks_decode_alike(
    #[values(
        "BC1_UNORM",
        "BC1_UNORM_SRGB",
        "DXT1_RGB",
        "DXT1_RGB_SRGB",
        "BC2_UNORM",
        "BC2_UNORM_SRGB",
        "BC3_UNORM",
        "BC3_UNORM_SRGB",
        "BC4_UNORM",
        "BC4_SNORM",
        "BC5_UNORM",
        "BC5_SNORM",
        "BC6H_UF16",
        "BC6H_SF16",
        "BC7_UNORM",
        "BC7_UNORM_SRGB",
        "FXT1",
        "ETC1_RGB8",
        "ETC2_RGB8",
        "ETC2_SRGB8",
        "ETC2_RGB8_PTA",
        "ETC2_SRGB8_PTA",
        "ETC2_EAC_RGBA8",
        "ETC2_EAC_SRGB8_A8",
        "EAC_R11",
        "EAC_SIGNED_R11",
        "EAC_RG11",
        "EAC_SIGNED_RG11"
    )]
    name: &str,
) {
    let both = Both::named(name);
    let mut random = SplitMix64::new(0x5EED);
    let mut block = vec![0; both.family.bytes()];
    for _ in 0..random_blocks() {
        random.fill(&mut block);
        both.check(&block);
    }
}
