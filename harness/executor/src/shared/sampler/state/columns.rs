//! Where sampler states have their fields (G45 volume 4, SAMPLER_STATE; table `eu-sampler-state-by-gen`).

use parallax_isa::Device;

use super::super::super::field::Field;

/// Where the fields of a generation are.
pub(super) struct Columns {
    /// Fraction bits of levels of detail.
    pub(super) fraction: u32,
    /// How many address modes there are.
    pub(super) modes: usize,
    pub(super) disabled: Field,
    pub(super) border_mode: Field,
    pub(super) clamps_early: Field,
    /// What that says if they are clamped early.
    pub(super) clamps_early_code: u32,
    /// In halves.
    pub(super) base: Field,
    pub(super) mip: Field,
    /// For minified and for magnified maps.
    pub(super) filters: [Field; 2],
    pub(super) bias: Field,
    pub(super) compare: Field,
    pub(super) low: Field,
    pub(super) high: Field,
    pub(super) override_cube: Field,
    pub(super) beyond: [Field; 3],
    pub(super) border: Field,
    /// How far left of bit 0 the lowest bit of that is.
    pub(super) border_shift: u32,
    pub(super) key: Field,
    pub(super) in_texels: Field,
    pub(super) levels_magnified: Field,
    pub(super) reduces: Field,
    pub(super) reduction: Field,
    pub(super) keeps_codes: Field,
    /// What ends the run if it is set.
    pub(super) unmodelled: &'static [(Field, &'static str)],
}

const GEN4: Columns = Columns {
    fraction: 6,
    modes: 6,
    disabled: Field::new(0, 31, 31),
    border_mode: Field::new(0, 29, 29),
    clamps_early: Field::new(0, 28, 28),
    clamps_early_code: 1,
    base: Field::new(0, 26, 22),
    mip: Field::new(0, 21, 20),
    filters: [Field::new(0, 16, 14), Field::new(0, 19, 17)],
    bias: Field::new(0, 13, 3),
    compare: Field::new(0, 2, 0),
    low: Field::new(1, 31, 22),
    high: Field::new(1, 21, 12),
    override_cube: Field::new(1, 9, 9),
    beyond: [Field::new(1, 8, 6), Field::new(1, 5, 3), Field::new(1, 2, 0)],
    border: Field::new(2, 31, 5),
    border_shift: 5,
    key: Field::new(3, 25, 25),
    in_texels: Field::NONE,
    levels_magnified: Field::NONE,
    reduces: Field::NONE,
    reduction: Field::NONE,
    keeps_codes: Field::NONE,
    unmodelled: &[],
};

const QUALITY: (Field, &str) = (Field::new(3, 12, 11), "levels that are not filtered in full");
const COARSE: (Field, &str) = (Field::new(0, 26, 22), "levels of detail that are coarse");

const GEN7: Columns = Columns {
    fraction: 8,
    bias: Field::new(0, 13, 1),
    compare: Field::new(1, 3, 1),
    low: Field::new(1, 31, 20),
    high: Field::new(1, 19, 8),
    override_cube: Field::NONE,
    beyond: [Field::new(3, 8, 6), Field::new(3, 5, 3), Field::new(3, 2, 0)],
    in_texels: Field::new(3, 10, 10),
    unmodelled: &[QUALITY],
    ..GEN4
};

const GEN9: Columns = Columns {
    modes: 7,
    clamps_early: Field::new(0, 28, 27),
    clamps_early_code: 2,
    base: Field::NONE,
    override_cube: Field::new(1, 0, 0),
    border: Field::new(2, 23, 6),
    border_shift: 6,
    key: Field::new(1, 7, 7),
    levels_magnified: Field::new(2, 0, 0),
    reduces: Field::new(3, 9, 9),
    reduction: Field::new(3, 23, 22),
    unmodelled: &[QUALITY, COARSE],
    ..GEN7
};

const GEN12: Columns = Columns {
    modes: 8,
    keeps_codes: Field::new(2, 1, 1),
    unmodelled: &[QUALITY, COARSE, (Field::new(2, 5, 5), "texels that are gathered otherwise")],
    ..GEN9
};

impl Columns {
    /// Those of a device.
    pub(super) const fn of(device: Device) -> &'static Self {
        match device {
            Device::Bw | Device::Cl | Device::Ctg | Device::G45 | Device::Rv770 => &GEN4,
            Device::Ivb => &GEN7,
            Device::Skl => &GEN9,
            Device::Dg1 => &GEN12,
        }
    }
}
