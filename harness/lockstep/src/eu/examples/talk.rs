//! Examples of the Gen ISA talk.

use parallax_isa::{Device, shared::SharedFunctions};
use parallax_spec::rule_id;

use super::{Example, Registers};
use crate::random::SplitMix64;

/// The text of a program of the corpus, by a link that `cargo package` replaces by the file: a published crate has
/// nothing from outside its folder.
macro_rules! program {
    ($name:literal) => {
        include_str!(concat!("talk/", $name, ".asm"))
    };
}

/// Those with an execution mask of 32 bits (D-eu-later-dispatch).
const SINCE_GEN8: &[Device] = &[Device::Skl, Device::Dg1];

pub(super) const EXAMPLES: &[Example] = &[
    Example {
        name: "overview",
        text: program!("overview"),
        devices: &Device::LATER,
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| floats(random, registers, 12, 1),
        scalar: overview,
        scratch: &[],
        rules: &[
            rule_id!("talk.syntax.full-example"),
            rule_id!("talk.syntax.example-flag-order"),
            rule_id!("talk.srcmod.kinds"),
        ],
    },
    Example {
        name: "indirect destination",
        text: program!("indirect-destination"),
        devices: &Device::LATER,
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| registers.0.address[0] = even(random, 32 * 100),
        scalar: indirect_destination,
        scratch: &[],
        rules: &[rule_id!("talk.cmod.example-indirect")],
    },
    Example {
        name: "32 channels",
        text: "mov (32|M0) r20.0<1>:w -r10.0<16;16,1>:w",
        devices: SINCE_GEN8,
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| registers.dispatch(random.next() as u32),
        scalar: negated_words,
        scratch: &[],
        rules: &[rule_id!("talk.mask.bits32"), rule_id!("talk.srcmod.kinds")],
    },
    Example {
        name: "sends",
        text: program!("sends-resinfo"),
        devices: SINCE_GEN8,
        meets: || SharedFunctions::Loopback,
        prepare: |_, _| (),
        scalar: message_that_comes_back,
        scratch: &[],
        rules: &[rule_id!("talk.sends.example-registers")],
    },
    Example {
        name: "histogram",
        text: program!("histogram"),
        devices: &Device::LATER,
        meets: || SharedFunctions::Loopback,
        prepare: few_values,
        scalar: histogram,
        scratch: &[44],
        rules: &[
            rule_id!("talk.hist.address"),
            rule_id!("talk.hist.addr-range"),
            rule_id!("talk.hist.buckets"),
            rule_id!("talk.hist.increment"),
            rule_id!("talk.hist.mixed-types"),
            rule_id!("talk.hist.next8"),
        ],
    },
    Example {
        name: "comparison of 512 bits",
        text: program!("big-integer"),
        devices: &Device::LATER,
        meets: || SharedFunctions::Loopback,
        prepare: close_integers,
        scalar: big_integer,
        scratch: &[],
        rules: &[
            rule_id!("talk.bigint.cmp-g"),
            rule_id!("talk.bigint.cmp-l"),
            rule_id!("talk.bigint.decide"),
        ],
    },
    Example {
        name: "maximum filter",
        text: program!("maximum-filter"),
        devices: &Device::LATER,
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| floats(random, registers, 11, 18),
        scalar: |registers| window_filter(registers, f32::max),
        scratch: WINDOW_SCRATCH,
        rules: &[
            rule_id!("talk.minmax.sel-flag-ignored"),
            rule_id!("talk.minmax.sel-ge"),
            rule_id!("talk.minmax.slide"),
            rule_id!("talk.minmax.tree"),
        ],
    },
    Example {
        name: "minimum filter",
        text: program!("minimum-filter"),
        devices: &Device::LATER,
        meets: || SharedFunctions::Loopback,
        prepare: |random, registers| floats(random, registers, 11, 18),
        scalar: |registers| window_filter(registers, f32::min),
        scratch: WINDOW_SCRATCH,
        rules: &[
            rule_id!("talk.minmax.sel-flag-ignored"),
            rule_id!("talk.minmax.slide"),
            rule_id!("talk.minmax.tree"),
        ],
    },
];

/// Fills registers with floats of a few binades, none of them zero: with halves, so that sums are
/// exact.
pub(super) fn floats(
    random: &mut SplitMix64,
    registers: &mut Registers,
    first: usize,
    count: usize,
) {
    for n in 0..8 * count {
        let halves = random.below(4000) as f32 - 1999.5;
        registers.set_f(first, n, halves / 512.0);
    }
}

/// An even number below a bound.
pub(super) fn even(random: &mut SplitMix64, bound: u64) -> u16 {
    (random.below(bound / 2) * 2) as u16
}

fn overview(registers: &mut Registers) {
    let subtracted = registers.f(12, 0);
    for n in 0..16 {
        if !registers.flag(0, n) {
            continue;
        }
        // The constant as the document prints it, not that of mathematics.
        #[expect(clippy::approx_constant, reason = "the number that the program has")]
        let sum = 3.14159_f32 - subtracted;
        registers.set_f(10, n, sum.clamp(0.0, 1.0));
        // No number in [0, 1] is below zero.
        registers.set_flag(0, n, false);
    }
}

fn indirect_destination(registers: &mut Registers) {
    let at = usize::from(registers.0.address[0]);
    let sources: [i16; 8] = std::array::from_fn(|n| registers.w(3, 4 + n));
    let subtracted = registers.w(5, 3);
    for (n, source) in sources.into_iter().enumerate() {
        let difference = source.saturating_sub(subtracted);
        registers.set_w(0, at / 2 + 2 * n, difference);
        registers.set_flag(0, 8 + n, difference == 0);
    }
}

fn negated_words(registers: &mut Registers) {
    for n in (0..32).filter(|n| registers.is_dispatched(*n)).collect::<Vec<_>>() {
        registers.set_w(20, n, registers.w(10, n).wrapping_neg());
    }
}

/// The header in r8 and the parameter in r9, twice, as loopback gives them back: turned by the number of
/// the register, with function control (19 bits), target, the header and the eight channels.
fn message_that_comes_back(registers: &mut Registers) {
    let mark = 0xA019 | 2 << 16 | 2 << 20 | 1 << 23 | 8 << 24;
    for n in 0..4 {
        for element in 0..8 {
            let sent = registers.ud(8 + n % 2, element).rotate_left(n as u32);
            registers.set_ud(4 + n, element, sent ^ mark);
        }
    }
}

/// Registers of the image: 256 bytes, mostly of a few values, so that buckets count beyond one.
fn few_values(random: &mut SplitMix64, registers: &mut Registers) {
    let kept = [u8::MAX, 0x0F, 0x83, 0xC1][random.below(4) as usize];
    for n in 0..256 {
        registers.set_ub(36, n, random.next() as u8 & kept);
    }
}

fn histogram(registers: &mut Registers) {
    let mut buckets = [0; 256];
    for n in 0..256 {
        buckets[usize::from(registers.ub(36, n))] += 1;
    }
    for (n, count) in buckets.into_iter().enumerate() {
        registers.set_ud(2, n, count);
    }
    // What the address register was loaded with last: where the counters of the last eight bytes are.
    for n in 0..8 {
        registers.0.address[n] = 64 + 4 * u16::from(registers.ub(36, 248 + n));
    }
}

/// Two integers of which the upper doublewords are equal, more or less of them.
fn close_integers(random: &mut SplitMix64, registers: &mut Registers) {
    for n in random.below(17) as usize..16 {
        registers.set_ud(5, n, registers.ud(3, n));
    }
}

fn big_integer(registers: &mut Registers) {
    let elements: Vec<_> = (0..16).map(|n| (registers.ud(3, n), registers.ud(5, n))).collect();
    for (n, (x, y)) in elements.iter().enumerate() {
        registers.set_flag(1, n, x > y);
        registers.set_flag(0, n, x < y);
    }
    let is_at_least =
        elements.iter().rev().map(|(x, _)| x).ge(elements.iter().rev().map(|(_, y)| y));
    registers.set_flag(2, 0, is_at_least);
    registers.set_uw(1, 1, registers.0.flag[1]);
    registers.set_w(1, 0, is_at_least.into());
    registers.set_ud(2, 0, is_at_least.into());
}

/// The columns of the first row, which the window moves over, and steps of its tree.
const WINDOW_SCRATCH: &[usize] = &[11, 69, 70, 71, 80, 81, 82];

fn window_filter(registers: &mut Registers, of_two: fn(f32, f32) -> f32) {
    let columns: [f32; 16] = std::array::from_fn(|column| {
        let rows = (0..9).map(|row| registers.f(11 + 2 * row, column));
        rows.reduce(of_two).expect("nine rows")
    });
    for (n, column) in columns.iter().enumerate() {
        registers.set_f(11, n, *column);
    }
    for (n, window) in columns.windows(9).enumerate() {
        let of_all = window.iter().copied().reduce(of_two).expect("nine columns");
        registers.set_f(72, n, of_all);
    }
}
