//! What can be left out of a surface case.

use parallax_isa::surface::{Case, Fetch, Operation, operation::Output};

use super::Surface;
use crate::minimize::Shrink;

impl Shrink for Surface {
    fn simpler(case: &Case, step: u64) -> Box<dyn Iterator<Item = Case> + '_> {
        let at = usize::try_from(step).unwrap_or(usize::MAX);
        let only = case.operations.get(at).filter(|_| case.operations.len() > 1);
        let only =
            only.map(|operation| Case { operations: vec![operation.clone()], ..case.clone() });
        let without_palettes = case.palettes.iter().any(|palette| !palette.is_empty());
        let without_palettes =
            without_palettes.then(|| Case { palettes: Default::default(), ..case.clone() });
        let plainer = case.operations.iter().enumerate().flat_map(move |(n, operation)| {
            plainer(operation).map(move |operation| {
                let mut simpler = case.clone();
                simpler.operations[n] = operation;
                simpler
            })
        });
        Box::new(only.into_iter().chain(without_palettes).chain(plainer))
    }

    fn length(case: &Case) -> usize {
        case.operations.len()
    }
}

/// Simplifications of one operation; each has fewer bits set, or less that is not the default.
fn plainer(operation: &Operation) -> impl Iterator<Item = Operation> + '_ {
    let mut simpler = Vec::new();
    let mut change = |change: &mut dyn FnMut(&mut Operation)| {
        let mut changed = operation.clone();
        change(&mut changed);
        if changed != *operation {
            simpler.push(changed);
        }
    };
    change(&mut |operation| match operation {
        Operation::Decode { fetch, .. } | Operation::Encode { fetch, .. } => {
            *fetch = Fetch::default();
        }
        Operation::WritePixel { output, .. } => *output = Output::default(),
        _ => {}
    });
    change(&mut |operation| {
        if let Operation::Decode { select, .. } = operation {
            *select = None;
        }
    });
    change(&mut |operation| {
        if let Operation::WritePixel { output, .. } = operation {
            output.blend = None;
        }
    });
    change(&mut |operation| {
        if let Operation::WritePixel { output, .. } = operation {
            output.logic = None;
        }
    });
    let bytes = bytes_of(operation);
    for at in 0..bytes {
        change(&mut |operation| set_byte(operation, at, 0));
    }
    for at in 0..bytes {
        for bit in 0..8 {
            change(&mut |operation| clear_bit(operation, at, bit));
        }
    }
    simpler.into_iter()
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

fn bytes_of(operation: &Operation) -> usize {
    data(&mut operation.clone()).iter().map(|bytes| bytes.len()).sum()
}

fn byte_at(operation: &mut Operation, at: usize, change: impl FnOnce(&mut u8)) {
    if let Some(byte) = data(operation).into_iter().flatten().nth(at) {
        change(byte);
    }
}

fn set_byte(operation: &mut Operation, at: usize, value: u8) {
    byte_at(operation, at, |byte| *byte = value);
}

fn clear_bit(operation: &mut Operation, at: usize, bit: u32) {
    byte_at(operation, at, |byte| *byte &= !(1 << bit));
}
