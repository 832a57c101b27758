//! What starts are drawn for, and what of an end counts.

use std::{ops::Range, str::FromStr};

use parallax_isa::{Image, eu::DataType};
use parallax_lockstep::equivalence::{Comparable, Output, Tolerance};

use super::{super::exec::Dispatched, Arguments};
use crate::failure::Failure;

/// The share by which floats may be off that are to be about the same.
const ABOUT: f64 = 1e-3;

/// How far floats may be off, as an argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Float(Tolerance);

impl FromStr for Float {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let units = text.strip_prefix("ulp:").map(str::parse);
        match (text, units) {
            ("exact", _) => Ok(Self(Tolerance::Exact)),
            ("approx", _) => Ok(Self(Tolerance::Part(ABOUT))),
            (_, Some(Ok(most))) => Ok(Self(Tolerance::Units(most))),
            _ => Err("expected exact, ulp:N or approx, as in ulp:2".to_owned()),
        }
    }
}

/// An output, and its type if that is known.
pub(super) struct Named {
    pub(super) places: Output,
    pub(super) data_type: Option<DataType>,
}

/// Places, and the type of what is there if that is known.
type Typed = (Range<usize>, Option<DataType>);

/// The places that starts are drawn for.
pub(super) fn inputs<M: Comparable + Dispatched>(
    arguments: &Arguments,
    case: &M::Case,
) -> Result<Vec<Range<usize>>, Failure> {
    if arguments.inputs.is_empty() {
        return Ok(banks::<M>(M::INPUTS));
    }
    let named = named::<M>("--in", &arguments.inputs, case)?;
    Ok(named.into_iter().map(|(places, _)| places).collect())
}

/// What counts.
pub(super) fn outputs<M: Comparable + Dispatched>(
    arguments: &Arguments,
    case: &M::Case,
) -> Result<Vec<Named>, Failure> {
    let places = match arguments.outputs.is_empty() {
        true => banks::<M>(M::OUTPUTS).into_iter().map(|places| (places, None)).collect(),
        false => named::<M>("--out", &arguments.outputs, case)?,
    };
    let dead = named::<M>("--dead", &arguments.dead, case)?;
    let Float(float) = arguments.float;
    let mut outputs = Vec::new();
    for (places, data_type) in places {
        // What has no type is compared as floats where those may be off.
        let data_type = data_type.or_else(|| (float != Tolerance::Exact).then_some(DataType::F));
        let is_float = data_type.is_some_and(DataType::is_float);
        let tolerance = if is_float { float } else { Tolerance::Exact };
        let size = data_type.map_or(4, DataType::size);
        let living = dead.iter().fold(vec![places], |living, (dead, _)| {
            living.into_iter().flat_map(|places| without(places, dead)).collect()
        });
        outputs.extend(living.into_iter().map(|places| {
            let places = Output { places, size, tolerance };
            Named { places, data_type }
        }));
    }
    match outputs.is_empty() {
        true => Err(Failure::input("--dead leaves no output to compare")),
        false => Ok(outputs),
    }
}

/// The two parts of some places that lie around others.
fn without(places: Range<usize>, dead: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let before = places.start..places.end.min(dead.start);
    let behind = places.start.max(dead.end)..places.end;
    [before, behind].into_iter().filter(|part| !part.is_empty())
}

fn banks<M: Comparable>(names: &[&str]) -> Vec<Range<usize>> {
    let banks = M::State::BANKS.iter().filter(|bank| names.contains(&bank.name));
    banks.map(|bank| bank.range()).collect()
}

/// The registers of a list, with the types that they have there.
fn named<M: Dispatched>(
    argument: &str,
    lists: &[String],
    case: &M::Case,
) -> Result<Vec<Typed>, Failure> {
    let mut all = Vec::new();
    for list in lists {
        let elements = M::elements(case, list);
        let elements =
            elements.map_err(|error| Failure::input(format!("{argument} {list}: {error}")))?;
        all.extend(elements.iter().map(|elements| (elements.places(), elements.data_type())));
    }
    Ok(all)
}
