//! What there is to say of an operation, in one row: its code, how its instruction is read, and
//! everything in which it differs from others. The rows stand by the manual's groups, beside the
//! functions they name (`movement`, `logic`, `arithmetic`, …).

use std::fmt;

use parallax_isa::Device;

use super::{
    compute::Compute,
    flow_op::Run,
    kernel::element::{Element, KernelOperation},
};

/// An operation.
pub(super) struct Operation {
    /// Bits 6:0 of the instruction.
    pub(super) code: u8,
    /// The manual's mnemonic.
    pub(super) name: &'static str,
    pub(super) devices: &'static [Device],
    pub(super) operands: Operands,
    pub(super) action: Action,
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Every device with this execution unit.
pub(super) const ALL: &[Device] = &[Device::Bw, Device::Cl, Device::Ctg, Device::G45];
/// Devices from GM45 on.
pub(super) const FROM_CTG: &[Device] = &[Device::Ctg, Device::G45];

/// Which operand fields mean something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// None, and no other field either.
    Bare,
    /// None.
    None,
    /// A destination and one source.
    One,
    /// A destination and two sources.
    Two,
    /// A destination, a source to move first, and a message descriptor.
    Message,
}

impl Operands {
    /// Sources that are elements of registers.
    pub(super) const fn sources(self) -> usize {
        match self {
            Self::Bare | Self::None => 0,
            Self::One | Self::Message => 1,
            Self::Two => 2,
        }
    }
}

/// What an operation does.
pub(super) enum Action {
    /// Nothing.
    Nop,
    /// It is the illegal instruction.
    Illegal,
    /// It sends a message.
    Message,
    Flow(Flow),
    Data(Data),
}

/// An operation on masks, mask stacks, notifications or the instruction pointer.
pub(super) struct Flow {
    pub(super) run: Run,
    /// It acts on all 16 channels whatever the execution size.
    pub(super) all_channels: bool,
    pub(super) names: Names,
}

/// What the operands of control flow name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    Nothing,
    /// A source mask and the stack it goes to.
    MaskToStack,
    /// A source stack and the mask it goes to.
    StackToMask,
    /// A source stack.
    Stack,
    /// A notification register.
    Notification,
}

/// An operation on the elements of registers.
pub(super) struct Data {
    pub(super) form: Form,
    /// The function for integer (or raw) lanes.
    pub(super) integer: fn(Sizes) -> Option<Compute>,
    /// The function for float lanes.
    pub(super) float: Option<Compute>,
    /// What a vector kernel would have to do.
    pub(super) kernel: fn(&Candidate) -> Option<KernelOperation>,
    /// It implicitly writes the accumulator with a defined value. Operations that leave it undefined
    /// do not touch it here.
    pub(super) updates_accumulator: bool,
    /// The destination gets the upper halves of the lanes.
    pub(super) high_halves: bool,
}

/// How an operation uses its sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Channel by channel.
    Elementwise,
    /// The source is the result: its own bits, where nothing converts them.
    Move,
    /// As a move, each element a field that an address register picks.
    MoveFields,
    /// As a move, from the source that the predicate chooses.
    Select,
    /// The result is whether the condition holds between the sources.
    Compare {
        /// A second source that is not a number decides by itself.
        second_nan_wins: bool,
    },
    /// The accumulator is a third source.
    Accumulate,
    /// The first source holds the coefficients of a line.
    Line,
    /// The first source holds those of a plane, and the second is two registers.
    Plane,
}

impl Form {
    /// Whether elements go through it as they are.
    pub(super) fn moves(self) -> bool {
        matches!(self, Self::Move | Self::MoveFields | Self::Select)
    }
}

/// What an integer operation needs to know of the sizes of its sources.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// The first source is a dword.
    pub(super) dword_first: bool,
    /// All sources are words or bytes: an accumulator channel has 33 bits.
    pub(super) words: bool,
}

/// An instruction that a kernel might serve.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    /// The type of every register operand.
    pub(super) data: Element,
    /// Elements go through as they are.
    pub(super) raw: bool,
    pub(super) saturate: bool,
    /// An operand is an accumulator.
    pub(super) names_accumulator: bool,
}

impl Candidate {
    pub(super) fn is_float(&self) -> bool {
        self.data == Element::F
    }

    pub(super) fn has_dwords(&self) -> bool {
        self.data.bytes() == 4
    }

    pub(super) fn is_signed(&self) -> bool {
        matches!(self.data, Element::D | Element::W)
    }
}

/// A data operation of which there is nothing particular to say.
pub(super) const DATA: Data = Data {
    form: Form::Elementwise,
    integer: |_| None,
    float: None,
    kernel: |_| None,
    updates_accumulator: false,
    high_halves: false,
};

/// The row of a data operation that every device has.
pub(super) const fn data(
    code: u8,
    name: &'static str,
    operands: Operands,
    data: Data,
) -> Operation {
    Operation { code, name, devices: ALL, operands, action: Action::Data(data) }
}

/// The row of control flow that every device has.
pub(super) const fn flow(code: u8, name: &'static str, operands: Operands, run: Run) -> Operation {
    let action = Action::Flow(Flow { run, all_channels: false, names: Names::Nothing });
    Operation { code, name, devices: ALL, operands, action }
}

impl Operation {
    /// The same on some devices only.
    pub(super) const fn on(mut self, devices: &'static [Device]) -> Self {
        self.devices = devices;
        self
    }

    /// Control flow whose operands name something.
    pub(super) const fn naming(mut self, names: Names) -> Self {
        if let Action::Flow(flow) = &mut self.action {
            flow.names = names;
        }
        self
    }

    /// Control flow that acts on all channels.
    pub(super) const fn on_all_channels(mut self) -> Self {
        if let Action::Flow(flow) = &mut self.action {
            flow.all_channels = true;
        }
        self
    }

    /// The row of an operation on data.
    pub(super) const fn data(&self) -> Option<&Data> {
        match &self.action {
            Action::Data(data) => Some(data),
            _ => None,
        }
    }
}
