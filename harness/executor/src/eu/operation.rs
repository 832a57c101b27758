//! What there is to say of an operation, in one row: its code, how its instruction is read, and
//! everything in which it differs from others. The rows stand by the manual's groups, beside the
//! functions they name (`movement`, `logic`, `arithmetic`, …).

use std::fmt;

use parallax_isa::Device;

use super::{
    compute::Compute,
    description::{Element, LaneOperation},
    flow_op::Run,
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
    integer: Integer,
    /// The function for float lanes.
    pub(super) float: Option<Compute>,
    compiled: Compiled,
    /// It implicitly writes the accumulator with a defined value. Operations that leave it undefined
    /// do not touch it here.
    pub(super) updates_accumulator: bool,
    /// The destination gets the upper halves of the lanes.
    pub(super) high_halves: bool,
}

/// The function for integer lanes.
enum Integer {
    None,
    Any(Compute),
    BySizes(fn(Sizes) -> Compute),
}

/// What machine code would have to do.
enum Compiled {
    /// Nothing: none is made of it.
    None,
    Any(LaneOperation),
    If(fn(&Candidate) -> Option<LaneOperation>),
}

impl Data {
    /// The function for integer lanes, if there is one.
    pub(super) fn integer(&self, sizes: Sizes) -> Option<Compute> {
        match self.integer {
            Integer::None => None,
            Integer::Any(compute) => Some(compute),
            Integer::BySizes(choose) => Some(choose(sizes)),
        }
    }

    /// What machine code would have to do for an instruction, if it can be made of it.
    pub(super) fn compiled(&self, candidate: &Candidate) -> Option<LaneOperation> {
        match self.compiled {
            Compiled::None => None,
            Compiled::Any(operation) => Some(operation),
            Compiled::If(choose) => choose(candidate),
        }
    }
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
    /// All sources are dwords.
    pub(super) dwords: bool,
    /// All sources are words or bytes: an accumulator channel has 33 bits.
    pub(super) words: bool,
}

/// An instruction that might be compiled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    /// The type of every register operand.
    pub(super) data: Element,
    /// Elements go through as they are.
    pub(super) raw: bool,
    pub(super) saturate: bool,
    /// A source is an immediate word.
    pub(super) has_immediate_word: bool,
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

/// The row of a data operation that every device has and of which nothing else is said yet.
pub(super) const fn data(code: u8, name: &'static str, operands: Operands) -> Operation {
    let data = Data {
        form: Form::Elementwise,
        integer: Integer::None,
        float: None,
        compiled: Compiled::None,
        updates_accumulator: false,
        high_halves: false,
    };
    Operation { code, name, devices: ALL, operands, action: Action::Data(data) }
}

/// Defines methods that set a field of a data operation's row.
macro_rules! setters {
    ($($(#[$meta:meta])* $name:ident($($argument:ident: $type:ty)?) $field:ident = $value:expr;)*) => {
        impl Operation {
            $(
                $(#[$meta])*
                pub(super) const fn $name(mut self $(, $argument: $type)?) -> Self {
                    if let Action::Data(data) = &mut self.action {
                        data.$field = $value;
                    }
                    self
                }
            )*
        }
    };
}
pub(super) use setters;

setters! {
    form(form: Form) form = form;
    integer(compute: Compute) integer = Integer::Any(compute);
    integer_by_sizes(choose: fn(Sizes) -> Compute) integer = Integer::BySizes(choose);
    float(compute: Compute) float = Some(compute);
    compiled(operation: LaneOperation) compiled = Compiled::Any(operation);
    /// Some instructions are compiled only.
    compiled_if(choose: fn(&Candidate) -> Option<LaneOperation>) compiled = Compiled::If(choose);
    updating_accumulator() updates_accumulator = true;
    taking_high_halves() high_halves = true;
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
