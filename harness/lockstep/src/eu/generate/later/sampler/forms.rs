//! The messages of the Sampling Engine by generation (table `eu-sampler-messages-by-gen`).

use std::sync::LazyLock;

use parallax_isa::device::Generation;
use parallax_spec::tables;
use serde::Deserialize;

use super::super::surfaces::{BUFFER, CUBE, Kind, LINE, PLANE, VOLUME};
use crate::random::SplitMix64;

/// What a message does, as far as that matters to what it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Sample,
    Compare,
    Gather,
    GatherCompare,
    Load,
    /// Sizes, counts, multisample words: nothing is read.
    Info,
    Detail,
}

/// A parameter of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parameter {
    U,
    V,
    R,
    /// The index into an array of cubes.
    Cube,
    Lod,
    Bias,
    Reference,
    /// A step of a direction to the right, or downwards.
    Step(usize, bool),
    /// An offset of a direction.
    Offset(usize),
}

impl Parameter {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "u" => Self::U,
            "v" => Self::V,
            "r" => Self::R,
            "ai" => Self::Cube,
            "lod" => Self::Lod,
            "bias" => Self::Bias,
            "ref" => Self::Reference,
            "offu" => Self::Offset(0),
            "offv" => Self::Offset(1),
            "dudx" => Self::Step(0, false),
            "dudy" => Self::Step(0, true),
            "dvdx" => Self::Step(1, false),
            "dvdy" => Self::Step(1, true),
            "drdx" => Self::Step(2, false),
            "drdy" => Self::Step(2, true),
            _ => return None,
        })
    }
}

/// A message of a generation.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub(super) name: String,
    pub(super) code: u32,
    pub(super) purpose: Purpose,
    /// In the order of the payload.
    pub(super) parameters: Vec<Parameter>,
}

#[derive(Deserialize)]
struct Row {
    message: String,
    code: u32,
    gen7: u8,
    gen9: u8,
    gen12: u8,
    params_gen7_gen8: String,
    params_gen9: String,
    params_gen12: String,
}

/// Those that are not modelled.
const WITHOUT: [&str; 6] =
    ["sample_killpix", "sample_min", "sample_max", "ld2dms_w", "ld2dms", "ld2dss"];

impl Row {
    fn form(&self, has: u8, parameters: &str) -> Option<Form> {
        if has == 0 || WITHOUT.contains(&self.message.as_str()) {
            return None;
        }
        let purpose = match self.message.as_str() {
            "ld" | "ld_lz" => Purpose::Load,
            "resinfo" | "sampleinfo" | "ld_mcs" => Purpose::Info,
            "lod" => Purpose::Detail,
            "gather4" | "gather4_po" => Purpose::Gather,
            "gather4_c" | "gather4_po_c" => Purpose::GatherCompare,
            _ if parameters.starts_with("ref") => Purpose::Compare,
            _ => Purpose::Sample,
        };
        let parameters = parameters
            .split(' ')
            .filter(|word| !word.is_empty())
            .map(Parameter::parse)
            .collect::<Option<_>>()?;
        Some(Form { name: self.message.clone(), code: self.code, purpose, parameters })
    }
}

static FORMS: LazyLock<[Vec<Form>; 3]> = LazyLock::new(|| {
    let rows: Vec<Row> = tables::rows("eu-sampler-messages-by-gen");
    let of = |form: fn(&Row) -> Option<Form>| rows.iter().filter_map(form).collect();
    [
        of(|row| row.form(row.gen7, &row.params_gen7_gen8)),
        of(|row| row.form(row.gen9, &row.params_gen9)),
        of(|row| row.form(row.gen12, &row.params_gen12)),
    ]
});

impl Form {
    /// One that a generation has.
    pub(super) fn new(generation: Generation, random: &mut SplitMix64) -> &'static Self {
        let column = match generation {
            Generation::Gen8 | Generation::Gen9 => 1,
            Generation::Gen12 => 2,
            _ => 0,
        };
        let forms = &FORMS[column];
        &forms[random.below(forms.len() as u64) as usize]
    }

    pub(super) fn compares(&self) -> bool {
        matches!(self.purpose, Purpose::Compare | Purpose::GatherCompare)
    }

    pub(super) fn gathers(&self) -> bool {
        matches!(self.purpose, Purpose::Gather | Purpose::GatherCompare)
    }

    /// Whether colours come back that are made of texels.
    pub(super) fn reads_texels(&self) -> bool {
        !matches!(self.purpose, Purpose::Info | Purpose::Detail)
    }

    /// Whether parameters are numbers of texels.
    pub(super) fn has_integers(&self) -> bool {
        matches!(self.purpose, Purpose::Load | Purpose::Info)
    }

    /// Whether it gives the steps from pixel to pixel.
    fn has_steps(&self) -> bool {
        self.parameters.contains(&Parameter::Step(0, false))
    }

    /// Types of surfaces that it takes.
    pub(super) fn kinds(&self) -> &'static [Kind] {
        match self.purpose {
            _ if self.name == "ld_mcs" => &[PLANE],
            Purpose::Load => &[LINE, PLANE, PLANE, VOLUME, BUFFER],
            Purpose::Info => &[LINE, PLANE, VOLUME, CUBE, BUFFER],
            _ if self.name.starts_with("gather4_po") => &[PLANE],
            Purpose::Gather => &[LINE, PLANE, PLANE, CUBE],
            Purpose::Compare if self.has_steps() => &[LINE, PLANE, PLANE],
            Purpose::Compare | Purpose::GatherCompare => &[LINE, PLANE, PLANE, CUBE],
            _ if self.has_steps() => &[LINE, PLANE, PLANE, VOLUME],
            Purpose::Sample | Purpose::Detail => &[LINE, PLANE, PLANE, VOLUME, CUBE],
        }
    }

    /// Whether it takes an array of a type.
    pub(super) fn takes_array(&self, kind: Kind) -> bool {
        let last = if kind == CUBE { Parameter::Cube } else { Parameter::R };
        let takes = self.purpose == Purpose::Info || self.parameters.contains(&last);
        takes && !(self.gathers() && kind == LINE)
    }

    /// How many parameters a surface needs, without those at the end that may be left out.
    pub(super) fn needed(&self, kind: Kind, is_array: bool) -> usize {
        let last = match (kind, is_array) {
            _ if self.purpose == Purpose::Info => return self.parameters.len(),
            (BUFFER, _) | (LINE, false) => Parameter::U,
            (LINE, true) | (PLANE, false) => Parameter::V,
            (CUBE, true) => Parameter::Cube,
            _ => Parameter::R,
        };
        let is_needed = |parameter: &Parameter| match *parameter {
            Parameter::Step(direction, _) => {
                direction <= [LINE, PLANE].iter().position(|it| *it == kind).unwrap_or(2)
            }
            Parameter::Offset(_) | Parameter::Lod => true,
            parameter => parameter == last,
        };
        self.parameters.iter().rposition(is_needed).map_or(0, |last| last + 1)
    }
}
