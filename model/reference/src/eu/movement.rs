//! Moves: `mov`, `sel`, `movi` (G45 volume 4, section 14.2).

use parallax_isa::{
    device::Generation,
    eu::{
        DataType,
        instruction::ConditionalModifier,
        operand::{DestinationRegion, Register, Source, SourceModifier},
    },
};

use super::{
    compare::has_order,
    condition::PreSignals,
    execution::{Execution, pairs_of},
    number::{ExecutionType, FloatMode, Value, float_format},
    operand::Operand,
    record::CHANNELS,
    result::Computed,
    thread::{Executed, Unpredictable},
};

/// `mov`: dst = src0, converted to the destination type.
pub(super) fn mov(x: &mut Execution) -> Executed {
    if x.since(Generation::Gen7) && converts_floats(x, 0) {
        x.settings = x.settings.of_conversion();
    }
    let source = x.source(0)?;
    let raw = is_raw_move(x, 0);
    if packed_bytes_are_mixed(x) {
        return x.each(|_| Computed::UNDEFINED);
    }
    if x.since(Generation::Gen7) && converts_floats(x, 0) && x.mode == FloatMode::Alternative {
        return x.each(|_| Computed::UNDEFINED);
    }
    let from = x.instruction.sources[0].data_type();
    let to = x.instruction.destination.data_type;
    // Between types of the same size bits are moved, and whether that can overflow is not said.
    let is_open = x.since(Generation::Gen7)
        && from.size() == to.size()
        && x.instruction.condition == ConditionalModifier::Overflow
        && !x.instruction.saturate;
    x.each(|n| Computed { flags_defined: !is_open, ..moved(&source[n], raw) })
}

/// `smov` (Gen8 and later): dst = src0 in those of the instruction's channels whose bit of src1 is 1.
pub(super) fn smov(x: &mut Execution) -> Executed {
    let Source::Immediate { bits, .. } = x.instruction.sources[1] else {
        return Err(Unpredictable("the channels of smov are not an immediate".to_owned()));
    };
    let types = [x.instruction.sources[0].data_type(), x.instruction.destination.data_type];
    if types[0].size() != types[1].size() {
        return Err(Unpredictable("smov between types of two sizes".to_owned()));
    }
    x.enabled &= bits as u32;
    if types[0].is_float() == types[1].is_float() {
        return mov(x);
    }
    // Of types of two kinds the bits are copied.
    // Decision D-eu-operand-sets.
    let raw = match types[0].size() {
        2 => DataType::Uw,
        4 => DataType::Ud,
        _ => DataType::Uq,
    };
    let mut instruction = *x.instruction;
    instruction.destination.data_type = raw;
    match &mut instruction.sources[0] {
        Source::Register { data_type, .. } | Source::Immediate { data_type, .. } => {
            *data_type = raw;
        }
    }
    let mut copy = x.with_instruction(&instruction);
    copy.execution_type = ExecutionType::of_operands(&[raw], raw);
    mov(&mut copy)
}

/// `sel`: dst = src0 where the predicate is true, else src1.
pub(super) fn sel(x: &mut Execution) -> Executed {
    if x.since(Generation::Gen7) {
        if (0..2).any(|source| converts_floats(x, source)) {
            x.settings = x.settings.of_conversion();
        }
        if x.instruction.condition != ConditionalModifier::None {
            return sel_by_comparison(x);
        }
    }
    let sources = [x.source(0)?, x.source(1)?];
    // Decision D-eu-sel-mixed.
    let raw = [is_raw_move(x, 0), is_raw_move(x, 1)];
    if x.instruction.predicate.control == Default::default() {
        return x.each(|_| Computed::UNDEFINED);
    }
    if packed_bytes_are_mixed(x) {
        return x.each(|_| Computed::UNDEFINED);
    }
    let predicate = x.thread.selecting_mask(x.instruction);
    if x.has_channel_pairs {
        // Both channels have to choose alike.
        pairs_of(predicate & (x.enabled | x.enabled << 1))?;
    }
    // Where the other source is an accumulator, nobody says whether this one is moved bit by bit.
    let or_flushed = x.since(Generation::Gen7) && x.is_accumulator(0);
    x.each(|n| {
        let chosen = if predicate >> n & 1 == 1 { 0 } else { 1 };
        Computed { or_flushed, ..moved(&sources[chosen][n], raw[chosen]) }
    })
}

/// Whether a source has another float format than the destination.
fn converts_floats(x: &Execution, index: usize) -> bool {
    let from = float_format(x.instruction.sources[index].data_type());
    let to = float_format(x.instruction.destination.data_type);
    matches!((from, to), (Some(from), Some(to)) if from != to)
}

/// `sel` with a conditional modifier (Gen7 and later): dst = src0 where the condition holds between
/// src0 and src1, else src1; of a NaN and a number the number. Flags stay.
fn sel_by_comparison(x: &mut Execution) -> Executed {
    // Decision D-eu-later-min-max.
    let (sources, modifier) = ([x.source(0)?, x.source(1)?], x.instruction.condition);
    if x.instruction.predicate.control != Default::default() {
        let sentence = "sel has both a predicate and a conditional modifier";
        return Err(Unpredictable(sentence.to_owned()));
    }
    if !has_order(modifier) {
        return x.each(|_| Computed::UNDEFINED);
    }
    let raw = [is_raw_move(x, 0), is_raw_move(x, 1)];
    x.each(|n| {
        let signals = PreSignals::of(sources[0][n].value, sources[1][n].value);
        let only_compares =
            matches!(modifier, ConditionalModifier::Equal | ConditionalModifier::NotEqual);
        let takes_first = match signals.source_is_nan {
            [true, _] if !only_compares => false,
            [false, true] if !only_compares => true,
            _ => signals.compare(modifier),
        };
        let chosen = usize::from(!takes_first);
        let operand = &sources[chosen][n];
        let mut result = moved(operand, raw[chosen]).of(&[&sources[0][n], &sources[1][n]]);
        // Arithmetic would flush a denormal: the value of the operand has lost it already.
        result.or_flushed = result.raw.is_some() && matches!(operand.value, Value::Float(_));
        result
    })
}

/// `movi`: field i of dst = the field of one register that address subregister i selects.
pub(super) fn movi(x: &mut Execution) -> Executed {
    let Source::Register {
        register: Register::Indirect { offset: immediate, .. },
        data_type,
        modifier,
        ..
    } = x.instruction.sources[0]
    else {
        return Err(Unpredictable("the source of movi is not register-indirect".to_owned()));
    };
    let size = data_type.size();
    let addresses = x.thread.state.address;
    let used = if x.since(Generation::Gen8) { 0x1FFF } else { 0xFFF };
    let origin = i64::from(addresses[0] & used) + i64::from(immediate);
    let register = usize::try_from(origin / 32).ok().filter(|&r| origin >= 0 && r < 128);
    let Some(register) = register else {
        return Err(Unpredictable("a0.0 points outside the registers".to_owned()));
    };
    let first_byte = match x.instruction.destination.register {
        Register::Direct { subregister, .. } => usize::from(subregister),
        Register::Indirect { address_subregister, offset, .. } => {
            let address = addresses[usize::from(address_subregister & 15)];
            (i32::from(address) + i32::from(offset)).rem_euclid(32) as usize
        }
    };
    let stride = match x.instruction.destination.region {
        DestinationRegion::Stride(stride) => usize::from(stride),
        DestinationRegion::ChannelEnable(_) => 1,
    } * x.instruction.destination.data_type.size();
    let raw = modifier == SourceModifier::default()
        && !x.instruction.saturate
        && data_type == x.instruction.destination.data_type;
    let mut fields: [Option<Operand>; CHANNELS] = [None; CHANNELS];
    for n in x.channels() {
        let field = (first_byte + n * stride) / size;
        let subregisters = if x.since(Generation::Gen8) { 16 } else { 8 };
        let Some(address) = addresses[..subregisters].get(field) else {
            continue;
        };
        let byte = usize::from(address & 0x1F) & !(size - 1);
        let bits = x.thread.element(32 * register + byte, size);
        fields[n] = Some(Operand { defined: true, ..x.operand(bits, data_type, modifier) });
    }
    let operands = fields.map(|field| field.unwrap_or(x.undefined_operand()));
    x.thread.record.read(0, &operands);
    x.each(|n| fields[n].map_or(Computed::UNDEFINED, |field| moved(&field, raw)))
}

/// A moved element: the very bits, or the value.
fn moved(source: &Operand, raw: bool) -> Computed {
    let raw = raw.then_some(source.bits);
    // A raw move looks at no number, so ALT mode does not make it undefined.
    let defined = source.defined || raw.is_some() && is_special(source);
    Computed { raw, defined, ..Computed::exact(source.value) }
}

/// Whether a fetched element is an infinity or a NaN.
fn is_special(source: &Operand) -> bool {
    matches!(source.value, Value::Float(float) if !float.is_finite())
}

/// Whether a source is moved as bits: the types are the same and nothing changes the value.
pub(super) fn is_raw_move(x: &Execution, index: usize) -> bool {
    let source = &x.instruction.sources[index];
    let modified = match source {
        Source::Register { modifier, .. } => *modifier != SourceModifier::default(),
        Source::Immediate { .. } => false,
    };
    let [from, to] = [source.data_type(), x.instruction.destination.data_type];
    from == to && !modified && !x.instruction.saturate && !x.is_accumulator(index)
}

/// Whether two bytes share a channel although not all channels are enabled alike.
fn packed_bytes_are_mixed(x: &Execution) -> bool {
    if !x.is_packed_byte_destination() {
        return false;
    }
    let all = super::channels::channels_below(x.instruction.execution_size);
    x.enabled != 0 && x.enabled != all && x.instruction.execution_size > 1
}
