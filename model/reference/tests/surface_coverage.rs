//! Which rules of the format and pixel parts of the catalogue the reference applies when every
//! format is decoded and every operation done once.

use parallax_isa::{
    Device,
    surface::{
        BorderMode, Fetch, FormatComp, NumFormat, Select, SrfMode, Texel, Value, catalogue, named,
        operation::{Equation, Key, Operands},
        pixel::{
            BlendFactor, BlendFunction, ChannelSelect, CompareFunction, LogicOp, StencilOp,
            TextureCoordinateMode, VertexComponentControl,
        },
    },
};
use parallax_reference::surface::{
    View,
    channels::channel_select,
    compression::castable,
    decode, encode, linearise,
    pixels::{
        blend::{blend, logic_operation},
        chroma_key,
        comparison::{compare_integers, shadow, shadow_operand, shadow_output, stencil_operation},
        coordinates::{self, place},
        vertex::{attribute_components, enabled_components, store_components},
    },
};
use parallax_spec::{Level, coverage, rules::RULES};

/// Decodes and encodes every format of every device.
fn use_formats() {
    let palette = [0x8040_2010; 256];
    for device in [Device::G45, Device::Dg1, Device::Rv770] {
        for format in catalogue(device).iter().filter(|format| format.is_defined()) {
            for &num_format in NumFormat::ALL {
                for &format_comp in FormatComp::ALL {
                    for &srf_mode in SrfMode::ALL {
                        let fetch = Fetch { num_format, format_comp, srf_mode, ..Fetch::default() };
                        for border_mode in [BorderMode::Dx9, BorderMode::Dx10Ogl] {
                            let view = View {
                                border_mode,
                                palettes: [&palette; 2],
                                fetch,
                                select: Some([Select::X, Select::Zero, Select::One, Select::Mask]),
                                ..View::default()
                            };
                            let bytes = vec![0x5A; usize::from(format.block.bytes)];
                            // Some formats have no DX9 mode, some cannot be written.
                            if let Ok(texels) = decode(format, &bytes, &view) {
                                let _ = encode(format, &texels, &fetch);
                            }
                        }
                    }
                }
            }
        }
    }
    let fmt = named(Some(Device::Rv770), "FMT_32").expect("exists").1;
    for endian_swap in [1, 2] {
        let endian_swap = parallax_isa::surface::EndianSwap::from_code(endian_swap).expect("known");
        let view = View { fetch: Fetch { endian_swap, ..Fetch::default() }, ..View::default() };
        decode(fmt, &[0; 4], &view).expect("decodes");
    }
}

/// Does every pixel operation.
fn use_pixel_operations() {
    let texel = Texel([Value::float32(0x3F00_0000); 4]);
    let format = named(None, "R32_FLOAT").expect("exists").1;
    for &function in CompareFunction::ALL {
        let _ = compare_integers(function, 1, 2);
        let _ = shadow(Device::Bw, function, format, 0, 0x7FC0_0000);
    }
    let a16 = named(None, "A16_FLOAT").expect("exists").1;
    let _ = shadow(Device::Bw, CompareFunction::Less, a16, 0x7FC0_0000, 0);
    let _ = shadow_operand(format, texel);
    let _ = shadow_output(format, BorderMode::Dx10Ogl, 0);
    for &operation in StencilOp::ALL {
        let _ = stencil_operation(operation, 1, 2, 255);
    }
    for &operation in LogicOp::ALL {
        let _ = logic_operation(operation, 1, 2);
    }
    let operands =
        Operands { source: [0; 4], second_source: [0; 4], destination: [0; 4], constant: [0; 4] };
    for &function in BlendFunction::ALL {
        for &factor in BlendFactor::ALL {
            let equation = Equation { function, source_factor: factor, destination_factor: factor };
            let _ = blend(equation, equation, &operands);
        }
    }
    for &mode in TextureCoordinateMode::ALL {
        let _ = place(mode, -1, 4);
    }
    for &select in ChannelSelect::ALL {
        let _ = channel_select(select, texel);
    }
    for &control in VertexComponentControl::ALL {
        let controls = [VertexComponentControl::StoreSrc, control, control, control];
        store_components(format, texel, controls, [false; 4]).expect("legal");
    }
    for code in 0..4 {
        let _ = attribute_components(code);
    }
    for enables in 0..16 {
        let _ = enabled_components(enables, texel);
    }
    for row in catalogue(Device::Dg1) {
        let _ = castable(row.name, row.name);
    }
    let _ = linearise(texel);
    let pair = named(None, "YCRCB_NORMAL").expect("exists").1;
    let bytes = [0; 4];
    let view = View::default();
    let key = Key { low: 0, high: 0 };
    chroma_key::matches(Device::G45, pair, &bytes, Some(&bytes), &view, key).expect("for keys");
    for mode in [BorderMode::Dx9, BorderMode::Dx10Ogl] {
        let _ = coordinates::border_colour(mode, [0; 4]);
    }
}

/// 95 % of the binding rules that formats and pixels are about.
#[test]
fn the_rules_of_formats_and_pixels_are_applied() {
    coverage::discard();
    use_formats();
    use_pixel_operations();
    let taken = coverage::take();
    let covered: Vec<&str> = taken.covered().map(|rule| rule.rule().id).collect();
    for (document, kinds) in [
        ("dg1", &["format", "blend", "conversion", "compare"][..]),
        ("g45-sampler", &["format", "conversion", "compare", "blend"][..]),
    ] {
        let of_kind = |rule: &&parallax_spec::Rule| {
            rule.catalogue == document && kinds.contains(&rule.kind) && rule.level == Level::Must
        };
        let wanted: Vec<_> = RULES.iter().filter(of_kind).collect();
        let missing: Vec<_> =
            wanted.iter().map(|rule| rule.id).filter(|id| !covered.contains(id)).collect();
        println!("{document}: {} of {} missing: {missing:#?}", missing.len(), wanted.len());
        assert!(missing.len() * 20 <= wanted.len(), "{document}: {missing:#?}");
    }
}
