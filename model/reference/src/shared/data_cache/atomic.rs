//! Atomic operations on integers (rule `gen7.isa.send.atomic-ops`), and on numbers of single precision.

use parallax_isa::{Acceptance, shared::Reach};

use super::{
    super::{OpenDoubleword, Reply, Written},
    access,
    form::{Element, Form},
    space::Space,
};
use crate::number::{FloatFormat, Number};

/// What a message does with each element.
#[derive(Debug, Clone, Copy)]
pub(in crate::shared) struct Operation {
    /// The value before and the operands to the value after.
    compute: fn(Value, Value, Value) -> i128,
    /// How many operands the payload has.
    pub(in crate::shared) operands: usize,
    /// In whatever order several channels do it to one place, the same value is there in the end.
    commutes: bool,
    /// The new value comes back instead of the old one.
    returns_new: bool,
    /// Something comes back.
    pub(in crate::shared) returns: bool,
    /// Bytes of an element: 4 or 8.
    bytes: usize,
    /// Which values nothing says the result of.
    is_open: fn(Value, Value) -> bool,
}

/// The bits of an element as numbers.
#[derive(Debug, Clone, Copy)]
struct Value {
    unsigned: i128,
    signed: i128,
}

impl Value {
    fn of(bytes: &[u8]) -> Self {
        let unsigned = bytes.iter().rev().fold(0, |value, byte| value << 8 | i128::from(*byte));
        let range = 1_i128 << (8 * bytes.len());
        let signed = if unsigned >= range / 2 { unsigned - range } else { unsigned };
        Self { unsigned, signed }
    }

    /// A number of single precision.
    fn float(self) -> Number {
        FloatFormat::BINARY32.decode(self.unsigned as u64)
    }

    /// As numbers: a NaN equals nothing, both zeros are one.
    fn equals(self, other: Self) -> bool {
        let [one, other] = [self.float(), other.float()];
        !one.is_nan() && (one == other || one.is_zero() && other.is_zero())
    }
}

/// Whether a greatest or least number is not said: of NaNs, and of zeros that have different signs.
fn is_open_extreme(old: Value, new: Value) -> bool {
    let [old, new] = [old.float(), new.float()];
    let are_zeros = old.is_zero() && new.is_zero();
    old.is_nan() || new.is_nan() || are_zeros && old.is_negative() != new.is_negative()
}

impl Operation {
    /// The operation of a code on floats.
    pub(super) fn of_floats(code: u32, returns: bool) -> Option<Self> {
        let compute: fn(Value, Value, Value) -> i128 = match code {
            1 => |old, new, _| {
                if old.float() < new.float() { new.unsigned } else { old.unsigned }
            },
            2 => |old, new, _| {
                if old.float() > new.float() { new.unsigned } else { old.unsigned }
            },
            3 => |old, compared, new| {
                if old.equals(compared) { new.unsigned } else { old.unsigned }
            },
            _ => return None,
        };
        let is_extreme = code < 3;
        Some(Self {
            compute,
            operands: if is_extreme { 1 } else { 2 },
            commutes: is_extreme,
            returns_new: false,
            returns,
            bytes: 4,
            is_open: if is_extreme { is_open_extreme } else { |_, _| false },
        })
    }

    /// The operation of a code, which 0 is none of.
    pub(in crate::shared) fn of(code: u32, bytes: usize, returns: bool) -> Option<Self> {
        let compute: fn(Value, Value, Value) -> i128 = match code {
            1 => |old, new, _| old.unsigned & new.unsigned,
            2 => |old, new, _| old.unsigned | new.unsigned,
            3 => |old, new, _| old.unsigned ^ new.unsigned,
            4 => |_, new, _| new.unsigned,
            5 => |old, _, _| old.unsigned + 1,
            6 | 15 => |old, _, _| old.unsigned - 1,
            7 => |old, new, _| old.unsigned + new.unsigned,
            8 => |old, new, _| old.unsigned - new.unsigned,
            9 => |old, new, _| new.unsigned - old.unsigned,
            10 => |old, new, _| old.signed.max(new.signed),
            11 => |old, new, _| old.signed.min(new.signed),
            12 => |old, new, _| old.unsigned.max(new.unsigned),
            13 => |old, new, _| old.unsigned.min(new.unsigned),
            14 => |old, compared, new| {
                if old.unsigned == compared.unsigned { new.unsigned } else { old.unsigned }
            },
            _ => return None,
        };
        let operands = match code {
            5 | 6 | 15 => 0,
            14 => 2,
            _ => 1,
        };
        let commutes = !matches!(code, 4 | 9 | 14);
        let is_open: fn(Value, Value) -> bool = |_, _| false;
        Some(Self { compute, operands, commutes, returns_new: code == 15, returns, bytes, is_open })
    }

    /// The value of a doubleword after it, and what comes back.
    pub(in crate::shared) fn on_doubleword(self, old: u32, operands: [u32; 2]) -> (u32, u32) {
        let [old, first, second] =
            [old, operands[0], operands[1]].map(|bits| Value::of(&bits.to_le_bytes()));
        let new = (self.compute)(old, first, second) as u32;
        (new, if self.returns_new { new } else { old.unsigned as u32 })
    }

    /// Carries it out for each element. Where several channels meet, their order is open: what each
    /// gets back is, and what is there in the end unless the operation commutes.
    pub(super) fn carry_out(
        self,
        space: Space<'_>,
        form: &Form,
        data: &[u8],
        memory: &mut Reach,
    ) -> Reply {
        let registers = if self.returns { form.registers } else { 0 };
        let mut reply = access::unchanged(registers);
        let mut open_places = Vec::new();
        for element in &form.elements {
            let [first, second] = self.operands_of(form, element, data);
            let old = access::value(space, element, memory);
            if (self.is_open)(Value::of(&old), first) {
                open_places.push(element.offset);
            }
            let is_open = open_places.contains(&element.offset);
            let new = (self.compute)(Value::of(&old), first, second).to_le_bytes();
            let new = &new[..self.bytes];
            let place = space.place(element.offset, element.bytes);
            let meets = self.others_at(form, element) > 0 && place.is_some();
            if let Some(place) = place {
                let range = place..place + self.bytes;
                memory.bytes_mut()[range.clone()].copy_from_slice(new);
                reply.written.push(Written::perhaps(range, is_open || meets && !self.commutes));
            }
            if self.returns {
                let back = if self.returns_new && place.is_some() { new } else { &old };
                access::put(&mut reply, element, back);
                if meets {
                    // Decision D-eu-same-place.
                    reply.open.extend(open_doublewords(element));
                }
            }
        }
        reply
    }

    /// The operands of a channel; one that the message does not have is 0.
    fn operands_of(self, form: &Form, element: &Element, data: &[u8]) -> [Value; 2] {
        [0, 1].map(|n| {
            let at = n * 32 * form.registers + element.at;
            let bytes = if n < self.operands { &data[at..][..self.bytes] } else { &[] };
            Value::of(bytes)
        })
    }

    /// How many other channels go to the place of an element.
    fn others_at(self, form: &Form, element: &Element) -> usize {
        let elements = form.elements.iter();
        elements.filter(|other| other.offset == element.offset).count() - 1
    }
}

/// The doublewords of an element in a reply, as open ones.
fn open_doublewords(element: &Element) -> impl Iterator<Item = OpenDoubleword> + use<> {
    (element.at / 4..(element.at + element.bytes) / 4)
        .map(|n| OpenDoubleword::whole(n / 8, n % 8, Acceptance::Undefined))
}
