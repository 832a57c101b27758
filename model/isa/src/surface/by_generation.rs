//! The formats of surfaces that messages of Gen7 and later reach (table `eu-surface-formats-by-gen`).

use std::sync::LazyLock;

use parallax_spec::tables;
use serde::Deserialize;

use super::{
    Block, Layout,
    format::{ColorSpace, DG1_FORMATS, Document, Format, Use},
};
use crate::Device;

/// A format with the first generation of each use, as a number; empty if there is none.
#[derive(Deserialize)]
struct Row {
    encoding_hex: String,
    name: String,
    bpb: u16,
    sampling_from: Option<f32>,
    filtering_from: Option<f32>,
    shadow_from: Option<f32>,
    render_target_from: Option<f32>,
    alpha_blend_from: Option<f32>,
    typed_write_from: Option<f32>,
    typed_read_converting_from: Option<f32>,
    typed_atomic_from: Option<f32>,
}

impl Row {
    fn uses(&self) -> Vec<(Use, &'static [Device])> {
        let columns = [
            (Use::Sampling, self.sampling_from),
            (Use::Filtering, self.filtering_from),
            (Use::Shadow, self.shadow_from),
            (Use::RenderTarget, self.render_target_from),
            (Use::Blend, self.alpha_blend_from),
            (Use::TypedWrite, self.typed_write_from),
            (Use::TypedRead, self.typed_read_converting_from),
            (Use::TypedAtomic, self.typed_atomic_from),
        ];
        let used = |(purpose, since): (Use, Option<f32>)| Some((purpose, devices_since(since?)));
        columns.into_iter().filter_map(used).collect()
    }

    /// The layout is that of DG1's list, which has all that are documented.
    fn format(self) -> Format {
        let code = u16::from_str_radix(&self.encoding_hex, 16).expect("a code in hex");
        let uses = self.uses();
        let listed = DG1_FORMATS.iter().find(|format| format.code == code);
        match listed.filter(|format| format.is_defined()) {
            Some(format) => Format { uses, ..format.clone() },
            None => Format {
                document: Document::Dg1,
                name: self.name.leak(),
                also: None,
                code,
                bits: self.bpb,
                block: Block::default(),
                layout: Layout::Undefined,
                color_space: ColorSpace::None,
                maps: Vec::new(),
                rule: None,
                notes: "no document has its layout",
                uses,
            },
        }
    }
}

/// The devices of Gen7 and later of at least a generation.
fn devices_since(generation: f32) -> &'static [Device] {
    let all = &[Device::Ivb, Device::Skl, Device::Dg1];
    match generation {
        ..=7.0 => all,
        ..=9.0 => &all[1..],
        ..=12.0 => &all[2..],
        _ => &[],
    }
}

/// The formats, by code.
pub(super) static FORMATS: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let rows: Vec<Row> = tables::rows("eu-surface-formats-by-gen");
    rows.into_iter().map(Row::format).collect()
});
