//! What can be left out of a surface case.

use parallax_isa::surface::{Case, Fetch, Operation, operation::Output};

use super::Surface;
use crate::minimize::{
    Shrink,
    steps::{changed, each_changed, each_simpler, shorter},
};

impl Shrink for Surface {
    fn simpler(case: &Case, step: u64) -> Box<dyn Iterator<Item = Case> + '_> {
        let at = usize::try_from(step).unwrap_or(usize::MAX);
        let only = case.operations.get(at).filter(|_| case.operations.len() > 1);
        let only = only.map(|operation| vec![operation.clone()]);
        let fewer = only.into_iter().chain(shorter(&case.operations));
        let with = |operations| Case { operations, ..case.clone() };
        let without_palettes = changed(case, |case| case.palettes = Default::default());
        let plainer = each_simpler(&case.operations, plainer);
        Box::new(fewer.map(with).chain(without_palettes).chain(plainer.map(with)))
    }

    fn length(case: &Case) -> usize {
        case.operations.len()
    }
}

/// What an operation can do without.
const PLAINER: &[fn(&mut Operation)] = &[
    |operation| match operation {
        Operation::Decode { fetch, .. } | Operation::Encode { fetch, .. } => {
            *fetch = Fetch::default();
        }
        Operation::WritePixel { output, .. } => *output = Output::default(),
        _ => {}
    },
    |operation| {
        if let Operation::Decode { select, .. } = operation {
            *select = None;
        }
    },
    |operation| {
        if let Operation::WritePixel { output, .. } = operation {
            output.blend = None;
        }
    },
    |operation| {
        if let Operation::WritePixel { output, .. } = operation {
            output.logic = None;
        }
    },
];

/// Simplifications of one operation; each has fewer bits set, or less that is not the default.
fn plainer(operation: &Operation) -> Vec<Operation> {
    let length: usize = data(&mut operation.clone()).iter().map(|bytes| bytes.len()).sum();
    let keep = |at, kept| changed(operation, |operation| keep_bits(operation, at, kept));
    let bytes = (0..length).filter_map(|at| keep(at, 0));
    let places = (0..length).flat_map(|at| (0..8).map(move |bit| (at, bit)));
    let bits = places.filter_map(|(at, bit)| keep(at, !(1 << bit)));
    each_changed(operation, PLAINER).chain(bytes).chain(bits).collect()
}

/// The bytes an operation works on.
fn data(operation: &mut Operation) -> Vec<&mut [u8]> {
    match operation {
        Operation::Decode { bytes, .. } | Operation::ChromaKey { bytes, .. } => vec![bytes],
        Operation::Encode { texels, .. } => texels.iter_mut().map(bytemuck::bytes_of_mut).collect(),
        Operation::WritePixel { source, second_source, stored, .. } => {
            vec![
                bytemuck::bytes_of_mut(source),
                bytemuck::bytes_of_mut(second_source),
                stored.as_mut_slice(),
            ]
        }
        _ => Vec::new(),
    }
}

/// Clears the bits of a byte that are not among those to keep.
fn keep_bits(operation: &mut Operation, at: usize, kept: u8) {
    if let Some(byte) = data(operation).into_iter().flatten().nth(at) {
        *byte &= kept;
    }
}
