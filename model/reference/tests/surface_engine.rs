//! The engine on operations of every kind, sensible or not: it never panics, and says why when it
//! cannot go on.

use parallax_isa::{
    Device, Model, Outcome, Step,
    surface::{
        BorderMode, Case, EndianSwap, Fetch, FormatComp, NumFormat, Operation, Select, SrfMode,
        catalogue,
        operation::{DepthFormat, Equation, Key, Output, Stencil},
        pixel::{
            BlendFactor, BlendFunction, ClampRange, CompareFunction, LogicOp, StencilOp,
            TextureCoordinateMode, WriteMask,
        },
    },
};
use parallax_reference::surface::Reference;
use proptest::{collection::vec, option, prelude::*, sample::select};

fn fetch() -> impl Strategy<Value = Fetch> {
    (
        select(NumFormat::ALL),
        select(FormatComp::ALL),
        select(SrfMode::ALL),
        select(EndianSwap::ALL),
        [(); 4].map(|()| select(Select::ALL)),
    )
        .prop_map(|(num_format, format_comp, srf_mode, endian_swap, select)| Fetch {
            num_format,
            format_comp,
            srf_mode,
            endian_swap,
            select,
        })
}

/// Binary32 bits, often of numbers about 1.
fn single() -> impl Strategy<Value = u32> {
    prop_oneof![any::<u32>(), (-2.0_f32..2.0).prop_map(f32::to_bits), Just(0x7FC0_0001)]
}

fn colour() -> impl Strategy<Value = [u32; 4]> {
    [(); 4].map(|()| single())
}

fn output() -> impl Strategy<Value = Output> {
    let clamp = || {
        let ranges = [ClampRange::Unorm, ClampRange::Snorm, ClampRange::RenderTargetFormat];
        option::of(select(ranges.to_vec()))
    };
    let equation = || {
        (select(BlendFunction::ALL), select(BlendFactor::ALL), select(BlendFactor::ALL)).prop_map(
            |(function, source_factor, destination_factor)| Equation {
                function,
                source_factor,
                destination_factor,
            },
        )
    };
    (
        clamp(),
        option::of((equation(), equation())),
        colour(),
        clamp(),
        option::of(select(LogicOp::ALL)),
        any::<u8>(),
    )
        .prop_map(|(pre_blend_clamp, blend, constant, post_blend_clamp, logic, mask)| Output {
            pre_blend_clamp,
            blend,
            constant,
            post_blend_clamp,
            logic,
            write_mask: WriteMask::new(mask),
        })
}

fn stencil() -> impl Strategy<Value = Stencil> {
    let op = || select(StencilOp::ALL);
    (select(CompareFunction::ALL), any::<[u8; 3]>(), op(), op(), op()).prop_map(
        |(function, [reference, read_mask, write_mask], fail, depth_fail, pass)| Stencil {
            function,
            reference,
            read_mask,
            write_mask,
            fail,
            depth_fail,
            pass,
        },
    )
}

/// An operation on a format; mostly with as many bytes as a block has.
fn operation(format: u16, bytes: usize, texels: usize) -> impl Strategy<Value = Operation> {
    let block = move || prop_oneof![9 => vec(any::<u8>(), bytes), 1 => vec(any::<u8>(), 0..40)];
    let modes = vec![BorderMode::Dx9, BorderMode::Dx10Ogl];
    let selects = option::of([(); 4].map(|()| select(Select::ALL)));
    prop_oneof![
        (block(), select(modes), any::<bool>(), fetch(), selects).prop_map(
            move |(bytes, border_mode, linearise, fetch, select)| Operation::Decode {
                format,
                bytes,
                border_mode,
                linearise,
                fetch,
                select,
            }
        ),
        (vec([(); 4].map(|()| any::<u64>()), texels), fetch())
            .prop_map(move |(texels, fetch)| Operation::Encode { format, texels, fetch }),
        (output(), colour(), colour(), block()).prop_map(
            move |(output, source, second_source, stored)| Operation::WritePixel {
                format,
                output,
                source,
                second_source,
                stored,
            }
        ),
        (
            stencil(),
            any::<u8>(),
            select(CompareFunction::ALL),
            select(&DepthFormat::ALL[..]),
            single(),
            single(),
        )
            .prop_map(
                |(stencil, stored_stencil, depth_function, depth_format, depth, stored_depth)| {
                    Operation::Test {
                        stencil,
                        stored_stencil,
                        depth_function,
                        depth_format,
                        depth,
                        stored_depth,
                    }
                }
            ),
        (select(CompareFunction::ALL), single(), single()).prop_map(
            move |(function, texel, reference)| Operation::Shadow {
                format,
                function,
                texel,
                reference,
            }
        ),
        (block(), option::of(block()), any::<[u32; 2]>()).prop_map(
            move |(bytes, next, [low, high])| Operation::ChromaKey {
                format,
                bytes,
                next,
                key: Key { low, high },
            }
        ),
        (select(TextureCoordinateMode::ALL), any::<i32>(), any::<u32>())
            .prop_map(|(mode, index, size)| Operation::Coordinate { mode, index, size }),
    ]
}

fn case() -> impl Strategy<Value = Case> {
    let formats: Vec<_> = Device::ALL
        .into_iter()
        .flat_map(|device| catalogue(device).iter().map(move |format| (device, format)))
        .collect();
    let palette = || prop_oneof![vec(any::<u32>(), 256), vec(any::<u32>(), 0..20)];
    (select(formats), [(); 2].map(|()| palette())).prop_flat_map(|((device, format), palettes)| {
        let texels = format.block.texels().max(1);
        let one = operation(format.code, usize::from(format.block.bytes), texels);
        vec(one, 1..6).prop_map(move |operations| Case {
            device,
            palettes: palettes.clone(),
            operations,
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: 4000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_operation_panics(case in case()) {
        let mut reference = Reference::new();
        reference.load(&case).expect("formats are assigned");
        for done in 0..case.operations.len() {
            let before = *reference.state();
            prop_assert!(!case.describe_next(&before).is_empty());
            match reference.step() {
                Step::Continue => prop_assert_eq!(reference.state().done, done as u64 + 1),
                Step::Finished(Outcome::Undefined(why)) => {
                    prop_assert!(!why.is_empty());
                    prop_assert_eq!(reference.state(), &before);
                    return Ok(());
                }
                Step::Finished(other) => prop_assert!(false, "{other}"),
            }
        }
        prop_assert_eq!(reference.step(), Step::Finished(Outcome::Halted));
    }
}
