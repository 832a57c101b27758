//! Which component of a format each channel of a sampled texel comes from.

use std::{collections::HashMap, sync::LazyLock};

use parallax_spec::{RuleId, tables};

use super::{
    layout::{Codec, Name},
    rules,
};

/// How border colours are given, which also decides what missing channels read as.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    serde::Serialize,
    serde::Deserialize,
)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum BorderMode {
    /// DX9: one dword of UNORM8.
    Dx9,
    /// DX10 and OpenGL: four floats.
    #[default]
    Dx10Ogl,
}

impl BorderMode {
    /// The manual's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dx9 => "DX9",
            Self::Dx10Ogl => "DX10/OGL",
        }
    }
}

/// Where a channel comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// Constant 0, in the format's type.
    Zero,
    /// Constant 1, in the format's type.
    One,
    /// A component; the colour a palette holds has components R, G, B and A.
    Component(Name),
    /// Nowhere: the channel has no value.
    Absent,
}

/// One row of the channel mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelMap {
    /// The border colour mode it holds in; both if there is none.
    pub mode: Option<BorderMode>,
    /// Sources of red, green, blue and alpha.
    pub sources: [Source; 4],
    /// The rule it is.
    pub rule: RuleId,
}

#[derive(serde::Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
struct Row {
    format: String,
    border_mode: String,
    r: String,
    g: String,
    b: String,
    a: String,
    adopted_correction: String,
}

/// The rows of the G45 channel map by the format they are for.
pub(super) static G45: LazyLock<HashMap<String, Vec<ChannelMap>>> = LazyLock::new(|| {
    let mut maps: HashMap<_, Vec<_>> = HashMap::new();
    for row in tables::rows::<Row>("g45-sampler-channel-map") {
        let map = row.parse();
        let map = map.unwrap_or_else(|| panic!("channel map row of {} is faulty", row.format));
        maps.entry(row.format.clone()).or_default().push(map);
    }
    maps
});

impl Row {
    fn parse(&self) -> Option<ChannelMap> {
        let (mode, ending) = match self.border_mode.as_str() {
            "" => (None, ""),
            "DX9" => (Some(BorderMode::Dx9), ".dx9"),
            "DX10/OGL" => (Some(BorderMode::Dx10Ogl), ".dx10"),
            _ => return None,
        };
        let source = |cell: &str| match cell {
            "0.0" => Some(Source::Zero),
            "1.0" => Some(Source::One),
            // The filter result of a monochrome map.
            "F" => Some(Source::Component(Name::T)),
            name => Name::parse(name).map(Source::Component),
        };
        let alpha = self.adopted_correction.strip_prefix("a=").unwrap_or(&self.a);
        let sources = [source(&self.r)?, source(&self.g)?, source(&self.b)?, source(alpha)?];
        let rule = rules::of_format("g45.chan.", &self.format, ending);
        Some(ChannelMap { mode, sources, rule })
    }
}

impl Codec {
    /// The components a decoded block has.
    #[must_use]
    pub const fn components(self) -> &'static [Name] {
        use Name::{A, B, G, R};
        match self {
            Self::Bc1 | Self::Bc2 | Self::Bc3 | Self::Bc7 | Self::Fxt1 => &[R, G, B, A],
            Self::Etc2PunchThrough | Self::Etc2Eac => &[R, G, B, A],
            Self::Bc1Rgb | Self::Bc6h { .. } | Self::Etc1 | Self::Etc2 => &[R, G, B],
            Self::Bc5 { .. } | Self::EacRg11 { .. } => &[R, G],
            Self::Bc4 { .. } | Self::EacR11 { .. } => &[R],
        }
    }
}
