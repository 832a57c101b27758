//! The operations of Gen7 and later that work on data, and the types that they have when they are generated.

use std::{iter::repeat_n, sync::LazyLock};

use parallax_isa::{
    Device,
    eu::{
        DataType, Opcode,
        forms::{Form, OperandTypes, form},
        legality,
    },
};

use crate::eu::generate::weights::weighted;

/// The types of an instruction; those of sources that it has not stand for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types {
    pub(super) destination: DataType,
    pub(super) sources: [DataType; 3],
}

/// An operation with the types that are generated.
#[derive(Debug, Clone)]
pub(in crate::eu::generate) struct Operation {
    pub(super) form: &'static Form,
    /// Combinations, in groups of the same row of the table: a group is as likely as any other.
    pub(super) types: Vec<Vec<Types>>,
}

impl Operation {
    fn of(device: Device, form: &'static Form) -> Self {
        let is_float = |row: &&OperandTypes| {
            let mut sets = row.sources.iter().chain([&row.destination]);
            sets.all(|set| *set == [DataType::F])
        };
        // Single precision is what programs have most.
        let rows = form.types.iter().chain(form.types.iter().filter(is_float));
        let types = rows.map(|row| combinations(device, form, row));
        Self { form, types: types.filter(|group| !group.is_empty()).collect() }
    }

    pub(in crate::eu::generate) fn opcode(&self) -> Opcode {
        self.form.opcode
    }
}

/// The operations of Gen7, Gen9 and Gen12, each as often as its weight says.
static OPERATIONS: LazyLock<[Vec<Operation>; 3]> = LazyLock::new(|| {
    Device::LATER.map(|device| {
        let mut all = operations(device);
        all.retain(|operation| operation.opcode() != Opcode::Dp4a);
        all
    })
});

/// Those of Gen12 with `dp4a`, which the document of DG1 does not list.
static WITH_DP4A: LazyLock<Vec<Operation>> = LazyLock::new(|| operations(Device::Dg1));

fn operations(device: Device) -> Vec<Operation> {
    let operations = weighted(device).filter_map(|(opcode, weight)| {
        Some(repeat_n(Operation::of(device, form(device, opcode)?), weight))
    });
    operations.flatten().collect()
}

/// The operations of a device.
pub(in crate::eu::generate) fn operations_of(device: Device) -> &'static [Operation] {
    let column = Device::LATER.iter().position(|later| *later == device);
    &OPERATIONS[column.unwrap_or_default()]
}

/// Those of some operations that an engine has, with the types that it has, by mnemonic, destination and sources.
pub(in crate::eu::generate) fn operations_within(
    operations: &[Operation],
    has: &dyn Fn(Opcode, DataType, &[DataType]) -> bool,
) -> Vec<Operation> {
    let mut operations = operations.to_vec();
    for Operation { form, types } in &mut operations {
        for group in &mut *types {
            group.retain(|Types { destination, sources }| {
                has(form.opcode, *destination, &sources[..form.source_count()])
            });
        }
        types.retain(|group| !group.is_empty());
    }
    operations.retain(|operation| !operation.types.is_empty());
    operations
}

/// Operations with their types, first that of the destination.
pub(in crate::eu::generate) fn typed(operations: &[Operation]) -> Vec<(Opcode, Vec<DataType>)> {
    let of = |Operation { form, types }: &Operation| {
        let count = form.source_count();
        let typed = |types: &Types| [&[types.destination], &types.sources[..count]].concat();
        let types = types.iter().flatten();
        types.map(|types| (form.opcode, typed(types))).collect::<Vec<_>>()
    };
    operations.iter().flat_map(of).collect()
}

/// The operations of Gen12, `dp4a` among them.
pub(in crate::eu::generate) fn operations_with_dp4a() -> &'static [Operation] {
    &WITH_DP4A
}

/// The legal combinations of a row of the table, those of doublewords more often where bytes are among them.
fn combinations(device: Device, form: &Form, row: &OperandTypes) -> Vec<Types> {
    let count = form.source_count();
    let mut all = vec![(Vec::new(), 1)];
    for set in (0..count).map(|index| row.of_source(index)).chain([&*row.destination]) {
        let has_bytes = set.iter().any(|of| of.size() == 1);
        let weight = |of: DataType| 1 + usize::from(has_bytes && of.size() == 4);
        let longer = |(types, often): &(Vec<DataType>, usize)| {
            let longer = |of: &DataType| ([types.as_slice(), &[*of]].concat(), often * weight(*of));
            set.iter().map(longer).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    let legal = all.iter().filter_map(|(types, often)| {
        let (destination, sources) = types.split_last()?;
        let is_legal = legality::combines(device, form.opcode, *destination, sources);
        let of_source = |index| *sources.get(index).unwrap_or(&DataType::Ud);
        let types = Types { destination: *destination, sources: [0, 1, 2].map(of_source) };
        is_legal.then(|| std::iter::repeat_n(types, *often))
    });
    legal.flatten().collect()
}
