//! Sources: regions become byte offsets, and functions that read and convert are chosen.

use parallax_isa::eu::{
    DataType, State,
    register::{REGISTER_BYTES, RegisterFile},
    state::{ACCUMULATOR_COUNT, GRF_COUNT},
};

use super::{
    arf::{self, Register},
    fields::Generation,
    float,
    instruction::{Instruction, Source},
    lanes::{Bits, CHANNELS, Format, Kind, Lanes, float_lane},
    modes::Modes,
};
use crate::eu::{
    description::MOST_CHANNELS,
    instruction::{Destination, Layout, Origin, Region},
};

/// Reads the elements of a source as they are.
type Read = fn(&Operand, &State, usize, &mut Bits);
/// Makes values of elements.
type Convert = fn(&Operand, &Modes, &mut [i128], &[u64]);

/// A source, resolved.
#[derive(Clone)]
pub(super) struct Operand {
    /// Byte of each channel's element in its register file, or what is added to an address.
    pub(super) offsets: [u16; CHANNELS],
    /// Address subregister of each channel.
    index: [u8; CHANNELS],
    /// The elements of an immediate.
    constant: Bits,
    read: Read,
    convert: Convert,
    generation: Generation,
    absolute: bool,
    negate: bool,
    /// A negation inverts all bits.
    inverts: bool,
    /// The integer that is its own negation: lanes have no bits for another one (D-eu-later-modifiers).
    least: Option<i128>,
    /// The value is converted or moved, so that denormals are kept.
    exact: bool,
    /// It names general registers directly.
    general: bool,
    /// The register number of an architecture register.
    number: u8,
    /// `movi` to an addressed destination: its address subregister and offset decide the fields.
    fields_from: Option<(u8, i16)>,
    /// The instruction's first channel, and its place: what reading `ip` gives.
    first: u8,
    ip: u32,
}

/// What decides how a source is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    pub(super) kind: Kind,
    pub(super) exact: bool,
    pub(super) inverts: bool,
    /// The execution type has no more bits than the source.
    pub(super) is_widest: bool,
    /// Gen7: elements of DF take two channels.
    pub(super) doubled: bool,
}

impl Operand {
    /// A source that an operation does not have.
    pub(super) fn absent(generation: Generation) -> Self {
        Self {
            offsets: [0; CHANNELS],
            index: [0; CHANNELS],
            constant: [0; CHANNELS],
            read: constant,
            convert: raw,
            generation,
            absolute: false,
            negate: false,
            inverts: false,
            least: None,
            exact: false,
            general: false,
            number: 0,
            fields_from: None,
            first: 0,
            ip: 0,
        }
    }

    /// Resolves a source.
    pub(super) fn of(instruction: &Instruction, source: &Source, how: Use) -> Self {
        let mut operand = Self::absent(instruction.generation);
        operand.first = instruction.first_channel;
        operand.ip = instruction.at;
        operand.exact = how.exact;
        operand.inverts = how.inverts;
        let data_type = source.data_type();
        operand.convert = convert(data_type, how.kind);
        if how.kind == Kind::Integer && how.is_widest && !how.inverts {
            operand.least = least(data_type);
        }
        match source {
            Source::Immediate { data_type, bits } => {
                operand.constant = immediate(*data_type, *bits, nibbles_apart(instruction));
            }
            Source::Register(region) => operand.register(region, how),
        }
        if how.doubled {
            // Element k is in channels 2k and 2k + 1, as the first of them has it.
            for channel in (1..CHANNELS).step_by(2) {
                operand.offsets[channel] = operand.offsets[channel - 1];
                operand.index[channel] = operand.index[channel - 1];
                operand.constant[channel] = operand.constant[channel - 1];
            }
        }
        operand
    }

    /// The accumulator as an implied source.
    pub(super) fn accumulator(
        instruction: &Instruction,
        data_type: DataType,
        kind: Kind,
        doubled: bool,
    ) -> Self {
        let mut operand = Self::absent(instruction.generation);
        let upper = data_type == DataType::F && instruction.first_channel & 8 != 0;
        operand.number = u8::from(upper);
        operand.convert = convert(data_type, kind);
        operand.take_accumulator(data_type, kind, doubled);
        operand
    }

    fn take_accumulator(&mut self, data_type: DataType, kind: Kind, doubled: bool) {
        let number = self.number & 7;
        self.read = accumulator;
        for (channel, place) in self.offsets.iter_mut().enumerate() {
            *place = accumulator_place(data_type, number, channel, doubled) as u16;
        }
        if !data_type.is_float() && kind != Kind::Raw {
            // More bits than a register has.
            self.convert = match kind {
                Kind::Float(_) => from_integers::<i64>,
                _ => integers::<i64>,
            };
        }
    }

    fn register(&mut self, region: &Region, how: Use) {
        self.absolute = region.absolute;
        self.negate = region.negate;
        let size = region.data_type.size();
        let unit = if how.doubled && size == 8 { 4 } else { size };
        let elements = elements(region.layout, unit == 8);
        match region.origin {
            Origin::Indirect { subregister, offset } => {
                let (rows, width) = match region.layout {
                    Layout::Rows { vertical: None, width, .. } => (true, usize::from(width)),
                    _ => (false, 1),
                };
                self.offsets =
                    elements.map(|element| ((element * unit) as u16).wrapping_add_signed(offset));
                self.index = std::array::from_fn(|channel| {
                    subregister + if rows { (channel / width) as u8 } else { 0 }
                });
                self.read =
                    by_size(size, [indirect::<1>, indirect::<2>, indirect::<4>, indirect::<8>]);
            }
            Origin::Direct { number, subregister } => {
                let in_general = region.file == RegisterFile::Grf;
                let base = if in_general { usize::from(number) * REGISTER_BYTES } else { 0 };
                let start = base + usize::from(subregister);
                self.offsets = elements.map(|element| (start + element * unit) as u16);
                self.number = number;
                self.general = in_general;
                self.read = if in_general {
                    by_size(size, [general::<1>, general::<2>, general::<4>, general::<8>])
                } else {
                    match arf::register(self.generation, number) {
                        Register::Null => constant,
                        Register::Accumulator => {
                            self.take_accumulator(region.data_type, how.kind, how.doubled);
                            return;
                        }
                        _ => by_size(size, [named::<1>, named::<2>, named::<4>, named::<8>]),
                    }
                };
            }
        }
    }

    /// Whether negations and magnitudes have as many bits as the source.
    pub(super) fn keeps_width(&self) -> bool {
        self.least.is_some()
    }

    /// Absolute value and negation.
    pub(super) fn modifiers(&self) -> (bool, bool) {
        (self.absolute, self.negate)
    }

    /// The bytes of its channels' elements if all are in the general registers.
    pub(super) fn direct(&self, count: usize, size: usize) -> Option<[u16; MOST_CHANNELS]> {
        let bytes = *self.offsets.first_chunk()?;
        let is_within = |byte: &u16| usize::from(*byte) + size <= GRF_COUNT * REGISTER_BYTES;
        (self.general && self.offsets[..count].iter().all(is_within)).then_some(bytes)
    }

    /// The values of an immediate, denormals as they are: what flushes them does so to registers too.
    pub(super) fn constant_lanes(&self) -> Lanes {
        let mut lanes = [0; CHANNELS];
        (self.convert)(self, &Modes::START.keeping(), &mut lanes, &self.constant);
        lanes
    }

    /// An element of an immediate.
    pub(super) fn constant_bits(&self, channel: usize) -> u64 {
        self.constant[channel]
    }

    /// Makes the first lanes the dwords of a plane equation, at bytes from the group's start. An address
    /// names that itself.
    pub(super) fn plane(&mut self, bytes: &[u16]) {
        let start = self.offsets[0];
        let group = if self.general { start / 16 * 16 } else { start };
        for (offset, byte) in self.offsets.iter_mut().zip(bytes) {
            *offset = group.wrapping_add(*byte);
        }
    }

    /// Makes it the packed elements of every other register, beginning with the first or second.
    pub(super) fn every_other_register(&mut self, second: bool) {
        // Offsets from an address wrap: they may be negative.
        let start = self.offsets[0].wrapping_add(if second { REGISTER_BYTES as u16 } else { 0 });
        self.offsets = std::array::from_fn(|channel| {
            let pair = (channel / 8 * 2 * REGISTER_BYTES) as u16;
            start.wrapping_add(pair + (channel % 8 * 4) as u16)
        });
    }

    /// Makes halves of its words.
    pub(super) fn take_halves(&mut self) {
        self.exact = true;
        self.convert = halves;
    }

    /// Makes it the fields of one register that the address register picks: for each element the
    /// entry that stands where it stands in the destination.
    pub(super) fn fields(&mut self, destination: &Destination) {
        let size = destination.data_type.size();
        let start = match destination.origin {
            Origin::Direct { subregister, .. } => usize::from(subregister),
            Origin::Indirect { subregister, offset } => {
                self.fields_from = Some((subregister, offset));
                0
            }
        };
        for (channel, index) in self.index.iter_mut().enumerate() {
            *index = (start / size + channel * usize::from(destination.stride)) as u8;
        }
        self.read = by_size(size, [fields::<1>, fields::<2>, fields::<4>, fields::<8>]);
    }

    /// Reads the elements as they are.
    pub(super) fn bits(&self, state: &State, count: usize, bits: &mut Bits) {
        (self.read)(self, state, count, bits);
    }

    /// Reads the elements as values.
    pub(super) fn fetch(&self, state: &State, modes: &Modes, count: usize, lanes: &mut Lanes) {
        let mut bits = [0; CHANNELS];
        (self.read)(self, state, count, &mut bits);
        (self.convert)(self, modes, &mut lanes[..count], &bits[..count]);
    }
}

/// Channels of all accumulators.
const ALL_CHANNELS: usize = 16 * ACCUMULATOR_COUNT;

/// Where a channel of an accumulator is, counted over all; beyond them if it has no such channel.
pub(super) fn accumulator_place(
    data_type: DataType,
    number: u8,
    channel: usize,
    doubled: bool,
) -> usize {
    let start = 16 * usize::from(number);
    let within = |channels: usize, channel: usize| match channel < channels {
        true => start + channel,
        false => ALL_CHANNELS,
    };
    match data_type {
        DataType::D | DataType::Ud => within(8, channel),
        DataType::F | DataType::Vf => {
            // Eight channels in each register of a pair.
            let in_pair = 8 * usize::from(number % 2) + channel;
            16 * usize::from(number & !1) + in_pair / 8 % 2 * 16 + in_pair % 8
        }
        DataType::Df => within(4, channel >> u8::from(doubled)),
        _ => within(16, channel),
    }
}

/// The element each channel reads, counted from the origin (or from its row's address).
fn elements(layout: Layout, pairs: bool) -> [usize; CHANNELS] {
    std::array::from_fn(|channel| match layout {
        Layout::Rows { vertical, width, horizontal } => {
            // Widths are powers of two.
            let (row, column) =
                (channel >> width.trailing_zeros(), channel & (usize::from(width) - 1));
            row * usize::from(vertical.unwrap_or(0)) + column * usize::from(horizontal)
        }
        // Selects are of dwords: x and z stand for the two elements of 64 bits.
        Layout::Swizzle { vertical, select } if pairs => {
            let group = channel / 2 * usize::from(vertical.min(2));
            group + usize::from(select[channel % 2 * 2] / 2)
        }
        Layout::Swizzle { vertical, select } => {
            channel / 4 * usize::from(vertical) + usize::from(select[channel % 4])
        }
    })
}

fn by_size(size: usize, [byte, word, dword, qword]: [Read; 4]) -> Read {
    match size {
        1 => byte,
        2 => word,
        4 => dword,
        _ => qword,
    }
}

/// The bytes of an element; zero where there are none.
fn element<const SIZE: usize>(file: &[u8], at: usize) -> u64 {
    let bytes: [u8; SIZE] =
        file.get(at..).and_then(|bytes| bytes.first_chunk()).copied().unwrap_or([0; SIZE]);
    let mut bits = [0; 8];
    bits[..SIZE].copy_from_slice(&bytes);
    u64::from_le_bytes(bits)
}

fn general<const SIZE: usize>(operand: &Operand, state: &State, count: usize, bits: &mut Bits) {
    let file = state.grf.as_flattened();
    for (bits, at) in bits[..count].iter_mut().zip(&operand.offsets) {
        *bits = element::<SIZE>(file, usize::from(*at));
    }
}

fn indirect<const SIZE: usize>(operand: &Operand, state: &State, count: usize, bits: &mut Bits) {
    let file = state.grf.as_flattened();
    for (channel, bits) in bits[..count].iter_mut().enumerate() {
        let address = state.address[usize::from(operand.index[channel] & 15)];
        let at = arf::indirect(operand.generation, address, operand.offsets[channel]);
        *bits = element::<SIZE>(file, at);
    }
}

/// The first address says in which register, and that of each channel where in it.
fn fields<const SIZE: usize>(operand: &Operand, state: &State, count: usize, bits: &mut Bits) {
    let file = state.grf.as_flattened();
    let entries = if operand.generation == Generation::Gen7 { 8 } else { 16 };
    let address = |n: usize| state.address[n % entries];
    let register = arf::indirect(operand.generation, address(0), operand.offsets[0]) & !31;
    let first = operand.fields_from.map_or(0, |(index, offset)| {
        let start = state.address[usize::from(index & 15)].wrapping_add_signed(offset);
        usize::from(start) % REGISTER_BYTES / SIZE
    });
    for (channel, bits) in bits[..count].iter_mut().enumerate() {
        let entry = address(first + usize::from(operand.index[channel]));
        let field = usize::from(entry) % REGISTER_BYTES / SIZE * SIZE;
        *bits = element::<SIZE>(file, register + field);
    }
}

fn named<const SIZE: usize>(operand: &Operand, state: &State, count: usize, bits: &mut Bits) {
    let image = arf::image(operand.generation, state, operand.number, operand.first, operand.ip);
    for (bits, at) in bits[..count].iter_mut().zip(&operand.offsets) {
        *bits = element::<SIZE>(&image, usize::from(*at));
    }
}

fn accumulator(operand: &Operand, state: &State, count: usize, bits: &mut Bits) {
    let channels = state.accumulator.as_flattened();
    for (bits, place) in bits[..count].iter_mut().zip(&operand.offsets) {
        *bits = channels.get(usize::from(*place)).copied().unwrap_or(0);
    }
}

fn constant(operand: &Operand, _: &State, _: usize, bits: &mut Bits) {
    *bits = operand.constant;
}

/// From the nibble of a channel to the next one's, in a vector of them: each is for a word of what is written.
fn nibbles_apart(instruction: &Instruction) -> usize {
    let Destination { data_type, stride, .. } = &instruction.destination;
    let takes_two = instruction.generation >= Generation::Gen9
        && !instruction.align16
        && data_type.size() * usize::from(*stride) == 4;
    if takes_two { 2 } else { 1 }
}

/// The elements of an immediate.
fn immediate(data_type: DataType, bits: u64, nibbles_apart: usize) -> Bits {
    std::array::from_fn(|channel| match data_type {
        DataType::V | DataType::Uv => {
            let nibble = bits >> (channel * nibbles_apart % 8 * 4) & 0xF;
            let negative = data_type == DataType::V && nibble & 8 != 0;
            if negative { nibble | 0xFFF0 } else { nibble }
        }
        DataType::Vf => restricted_float((bits >> (channel % 4 * 8)) as u8).into(),
        _ => match data_type.size() {
            2 => bits & 0xFFFF,
            4 => bits & 0xFFFF_FFFF,
            _ => bits,
        },
    })
}

/// Bits of the float that an 8-bit restricted float stands for (table gen7-vf).
fn restricted_float(code: u8) -> u32 {
    let code = u32::from(code);
    let sign = (code & 0x80) << 24;
    match code & 0x7F {
        0 => sign,
        rest => sign | ((rest >> 4) + 124) << 23 | (rest & 0xF) << 19,
    }
}

/// An element of an integer type.
trait Integer {
    fn value(bits: u64) -> i128;
}

macro_rules! integer_types {
    ($($name:ident)*) => {$(
        impl Integer for $name {
            fn value(bits: u64) -> i128 {
                i128::from(bits as $name)
            }
        }
    )*};
}
integer_types!(u8 i8 u16 i16 u32 i32 u64 i64);

fn raw(_: &Operand, _: &Modes, lanes: &mut [i128], bits: &[u64]) {
    for (lane, bits) in lanes.iter_mut().zip(bits) {
        *lane = i128::from(*bits);
    }
}

/// The most negative number of a type with a sign that is computed on as it is: bytes become words.
fn least(data_type: DataType) -> Option<i128> {
    match data_type {
        DataType::W => Some(i16::MIN.into()),
        DataType::D => Some(i32::MIN.into()),
        DataType::Q => Some(i64::MIN.into()),
        _ => None,
    }
}

/// Absolute value first, then negation; of types without a sign the result may need a bit more than they
/// have.
fn integers<T: Integer>(operand: &Operand, _: &Modes, lanes: &mut [i128], bits: &[u64]) {
    for (lane, bits) in lanes.iter_mut().zip(bits) {
        *lane = modified(operand, T::value(*bits));
    }
}

fn modified(operand: &Operand, value: i128) -> i128 {
    if operand.least == Some(value) {
        return value;
    }
    let value = if operand.absolute { value.abs() } else { value };
    match operand.negate {
        true if operand.inverts => !value,
        true => -value,
        false => value,
    }
}

fn from_integers<T: Integer>(operand: &Operand, _: &Modes, lanes: &mut [i128], bits: &[u64]) {
    for (lane, bits) in lanes.iter_mut().zip(bits) {
        *lane = float_lane(float::from_integer(modified(operand, T::value(*bits))));
    }
}

fn floats(
    operand: &Operand,
    modes: &Modes,
    lanes: &mut [i128],
    bits: &[u64],
    value: impl Fn(u64, &Modes) -> f64,
) {
    let modes = if operand.exact { modes.keeping() } else { *modes };
    for (lane, bits) in lanes.iter_mut().zip(bits) {
        let value = value(*bits, &modes);
        let value = if operand.absolute { value.abs() } else { value };
        *lane = float_lane(if operand.negate { -value } else { value });
    }
}

fn singles(operand: &Operand, modes: &Modes, lanes: &mut [i128], bits: &[u64]) {
    floats(operand, modes, lanes, bits, |bits, modes| float::single_source(bits as u32, modes));
}

fn halves(operand: &Operand, modes: &Modes, lanes: &mut [i128], bits: &[u64]) {
    floats(operand, modes, lanes, bits, |bits, modes| float::half_source(bits as u16, modes));
}

fn doubles(operand: &Operand, modes: &Modes, lanes: &mut [i128], bits: &[u64]) {
    floats(operand, modes, lanes, bits, float::double_source);
}

/// The function for a type and what the lanes are to hold.
fn convert(from: DataType, kind: Kind) -> Convert {
    match (kind, from) {
        (Kind::Raw, _) => raw,
        (_, DataType::F | DataType::Vf) => singles,
        (_, DataType::Hf) => halves,
        (_, DataType::Df) => doubles,
        (Kind::Integer, DataType::Ub) => integers::<u8>,
        (Kind::Integer, DataType::B) => integers::<i8>,
        (Kind::Integer, DataType::Uw | DataType::Uv) => integers::<u16>,
        (Kind::Integer, DataType::W | DataType::V) => integers::<i16>,
        (Kind::Integer, DataType::Ud) => integers::<u32>,
        (Kind::Integer, DataType::D) => integers::<i32>,
        (Kind::Integer, DataType::Uq) => integers::<u64>,
        (Kind::Integer, DataType::Q) => integers::<i64>,
        (Kind::Float(_), DataType::Ub) => from_integers::<u8>,
        (Kind::Float(_), DataType::B) => from_integers::<i8>,
        (Kind::Float(_), DataType::Uw | DataType::Uv) => from_integers::<u16>,
        (Kind::Float(_), DataType::W | DataType::V) => from_integers::<i16>,
        (Kind::Float(_), DataType::Ud) => from_integers::<u32>,
        (Kind::Float(_), DataType::D) => from_integers::<i32>,
        (Kind::Float(_), DataType::Uq) => from_integers::<u64>,
        (Kind::Float(_), DataType::Q) => from_integers::<i64>,
    }
}

/// The float format that operands of these types are computed in: the widest; F where F and HF meet.
pub(super) fn common_format(types: impl Iterator<Item = DataType>) -> Option<Format> {
    types.filter_map(Format::of).reduce(|a, b| match (a, b) {
        (Format::Double, _) | (_, Format::Double) => Format::Double,
        (Format::Half, Format::Half) => Format::Half,
        _ => Format::Single,
    })
}
