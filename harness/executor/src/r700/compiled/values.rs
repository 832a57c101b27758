//! What a block computes of eight pixels, as values that are made once and never change: what two groups
//! compute alike is there once, and what nobody asks for is never made.
//!
//! Machine code takes denormal operands for zeros and leaves denormal results, and keeps the bits of a NaN
//! it meets. Such values are called loose: arithmetic takes them as they are, and where their bits count
//! they are made [tight](Values::tight). NaNs that are not uniform come from outside for the most part:
//! where none of what a value is made of is a NaN, which is looked at once, only denormals are left.

use std::collections::{BTreeSet, HashMap};

use iced_x86::Code;

use crate::r700::number::{NAN, ONE, SIGN};

/// A value, by the number of its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Value(u32);

impl Value {
    pub(super) fn number(self) -> usize {
        self.0 as usize
    }
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// Lanes of the state, by the byte of the first.
    Lanes(u32),
    /// Lanes of a register that aL leads to: the entry of the table that says where it is, and the byte in it.
    Led(u16, u32),
    /// The same two dwords in turns in all lanes.
    All([u32; 2]),
    /// The same in all lanes, of an entry of the table.
    Entry(u16),
    /// All ones in lanes of pixels in a mask of the state, by its byte, and zeros in others.
    Mask(u32),
    /// What an instruction makes.
    Made(Made),
}

/// An instruction, its sources, and the immediate of those that have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Made {
    pub(super) code: Code,
    sources: [Value; 3],
    count: u8,
    pub(super) immediate: Option<u8>,
}

impl Made {
    pub(super) fn sources(&self) -> &[Value] {
        &self.sources[..self.count.into()]
    }
}

/// How `vcmpps` compares: quietly, and what it says of a NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Test {
    Equal = 0x00,
    Unordered = 0x03,
    NotEqualOrUnordered = 0x04,
    Ordered = 0x07,
    Less = 0x11,
    LessEqual = 0x12,
    GreaterEqual = 0x1D,
    Greater = 0x1E,
    NotGreater = 0x1A,
}

/// How `vroundps` rounds; precision is no exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Round {
    Even = 0b1000,
    Down = 0b1001,
    Up = 0b1010,
    TowardZero = 0b1011,
}

/// Lanes from outside that a NaN in a value would come from, if it is not the uniform one; `None` if it may
/// come from elsewhere.
type Origins = Option<BTreeSet<Value>>;

/// The values of a block.
#[derive(Clone)]
pub(super) struct Values {
    nodes: Vec<Node>,
    numbers: HashMap<Node, Value>,
    /// Which of them are loose.
    loose: Vec<bool>,
    origins: Vec<Origins>,
    /// They are right with any NaN from outside; else some lanes are taken to be none.
    is_careful: bool,
    /// Lanes that are taken to hold no NaN.
    numeric: BTreeSet<Value>,
    /// Masks that are taken to be empty.
    empty: Vec<Value>,
}

/// Defines what instructions make of two values.
macro_rules! of_two {
    ($($(#[$meta:meta])* $name:ident: $code:ident;)*) => {
        $(
            $(#[$meta])*
            pub(super) fn $name(&mut self, a: Value, b: Value) -> Value {
                self.made(Code::$code, &[a, b], None)
            }
        )*
    };
}

impl Values {
    pub(super) fn new(is_careful: bool) -> Self {
        Self {
            nodes: Vec::new(),
            numbers: HashMap::new(),
            loose: Vec::new(),
            origins: Vec::new(),
            is_careful,
            numeric: BTreeSet::new(),
            empty: Vec::new(),
        }
    }

    pub(super) fn is_careful(&self) -> bool {
        self.is_careful
    }

    pub(super) fn node(&self, value: Value) -> Node {
        self.nodes[value.number()]
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All of them, as they were made.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (Value, Node)> {
        (0..).map(Value).zip(self.nodes.iter().copied()).collect::<Vec<_>>().into_iter()
    }

    fn add(&mut self, node: Node) -> Value {
        if let Some(value) = self.numbers.get(&node) {
            return *value;
        }
        let value = Value(self.nodes.len() as u32);
        let origins = self.origins_of(value, node);
        self.nodes.push(node);
        self.numbers.insert(node, value);
        self.loose.push(false);
        self.origins.push(origins);
        value
    }

    fn origins_of(&self, value: Value, node: Node) -> Origins {
        let made = match node {
            Node::Lanes(_) | Node::Led(..) | Node::Entry(_) => return Some([value].into()),
            Node::All(dwords) => {
                let is_uniform = |bits: u32| !f32::from_bits(bits).is_nan() || bits == NAN;
                return dwords.into_iter().all(is_uniform).then(BTreeSet::new);
            }
            Node::Mask(_) => return None,
            Node::Made(made) => made,
        };
        let from = |sources: &[Value]| {
            let all: Option<Vec<_>> =
                sources.iter().map(|source| self.origins[source.number()].clone()).collect();
            all.map(|all| all.into_iter().flatten().collect())
        };
        let is_outside = |value: Value| !matches!(self.node(value), Node::Mask(_) | Node::Made(_));
        let sources = made.sources();
        match made.code {
            code if is_arithmetic(code) => from(sources),
            Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm => from(&sources[..2]),
            // Modifiers change the sign of a NaN that is made here.
            Code::VEX_Vandps_ymm_ymm_ymmm256 | Code::VEX_Vxorps_ymm_ymm_ymmm256
                if is_outside(sources[0]) && self.is_modifier(sources[1]) =>
            {
                from(&sources[..1])
            }
            // Of a clamp.
            Code::VEX_Vmaxps_ymm_ymm_ymmm256
            | Code::VEX_Vminps_ymm_ymm_ymmm256
            | Code::VEX_Vcvtdq2ps_ymm_ymmm256 => Some(BTreeSet::new()),
            _ => None,
        }
    }

    /// Takes it for granted that what a loose value is made of is no NaN, if that helps.
    pub(super) fn trust(&mut self, value: Value) -> bool {
        if self.is_careful {
            return false;
        }
        let origins = self.origins[value.number()].clone();
        let helps = origins.is_some();
        self.numeric.extend(origins.into_iter().flatten());
        helps
    }

    /// Takes it for granted that a mask is empty.
    pub(super) fn trust_empty(&mut self, mask: Value) {
        self.empty.push(mask);
    }

    /// A mask that is not empty where something is otherwise than it was taken to be, if there is anything:
    /// where a NaN stands in some of the values that are stored, which show those that they are made of, or in
    /// what none of them shows.
    pub(super) fn mistrusted(&mut self, stored: &[Value]) -> Option<Value> {
        let shown = self.shown();
        let mut numeric = self.numeric.clone();
        let mut looked_at = Vec::new();
        loop {
            let shows = |value: &Value| shown[value.number()].intersection(&numeric).count();
            let Some(best) = stored.iter().copied().max_by_key(shows) else { break };
            if shows(&best) < 2 {
                break;
            }
            numeric.retain(|value| !shown[best.number()].contains(value));
            looked_at.push(best);
        }
        looked_at.extend(numeric);
        let two = looked_at.chunks(2).map(|two| (two[0], two[two.len() - 1]));
        let nans = two.map(|(one, other)| self.compare(Test::Unordered, one, other));
        let nans: Vec<_> = nans.collect();
        let all = nans.into_iter().chain(self.empty.clone());
        all.reduce(|one, other| self.or(one, other))
    }

    /// The lanes from outside of which each value is a NaN where they are.
    fn shown(&self) -> Vec<BTreeSet<Value>> {
        let mut shown: Vec<BTreeSet<Value>> = Vec::new();
        for (value, node) in self.iter() {
            let shows = match node {
                Node::Lanes(_) | Node::Led(..) | Node::Entry(_) => [value].into(),
                Node::All(_) | Node::Mask(_) => BTreeSet::new(),
                Node::Made(made) => {
                    let sources = made.sources();
                    let of = |index: usize| &shown[sources[index].number()];
                    match made.code {
                        code if is_arithmetic(code) => {
                            (0..sources.len()).flat_map(|index| of(index).clone()).collect()
                        }
                        Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm => of(0) & of(1),
                        Code::VEX_Vandps_ymm_ymm_ymmm256 | Code::VEX_Vxorps_ymm_ymm_ymmm256
                            if self.is_modifier(sources[1]) =>
                        {
                            of(0).clone()
                        }
                        _ => BTreeSet::new(),
                    }
                }
            };
            shown.push(shows);
        }
        shown
    }

    /// Whether a value is what an operand's modifiers work with.
    fn is_modifier(&self, value: Value) -> bool {
        let node = self.node(value);
        node == Node::All([SIGN; 2]) || node == Node::All([!SIGN; 2])
    }

    pub(super) fn lanes(&mut self, at: usize) -> Value {
        self.add(Node::Lanes(at as u32))
    }

    pub(super) fn led(&mut self, entry: u16, at: usize) -> Value {
        self.add(Node::Led(entry, at as u32))
    }

    pub(super) fn all(&mut self, bits: u32) -> Value {
        self.add(Node::All([bits; 2]))
    }

    pub(super) fn float(&mut self, value: f32) -> Value {
        self.all(value.to_bits())
    }

    pub(super) fn entry(&mut self, entry: u16) -> Value {
        self.add(Node::Entry(entry))
    }

    pub(super) fn mask(&mut self, at: usize) -> Value {
        self.add(Node::Mask(at as u32))
    }

    /// What an instruction makes.
    pub(super) fn made(&mut self, code: Code, from: &[Value], immediate: Option<u8>) -> Value {
        let mut sources = [Value(0); 3];
        sources[..from.len()].copy_from_slice(from);
        self.add(Node::Made(Made { code, sources, count: from.len() as u8, immediate }))
    }

    pub(super) fn is_loose(&self, value: Value) -> bool {
        self.loose[value.number()]
    }

    fn loosely(&mut self, value: Value) -> Value {
        self.loose[value.number()] = true;
        value
    }

    /// A value with the bits that it stands for: denormals are zeros of their sign, NaNs are uniform.
    pub(super) fn tight(&mut self, value: Value) -> Value {
        if !self.is_loose(value) {
            return value;
        }
        let one = self.all(ONE);
        let flushed = self.made(Code::VEX_Vmulps_ymm_ymm_ymmm256, &[value, one], None);
        if self.trust(value) {
            return flushed;
        }
        let (nan, unordered) = (self.all(NAN), self.compare(Test::Unordered, flushed, flushed));
        self.select(unordered, nan, flushed)
    }

    pub(super) fn sum(&mut self, a: Value, b: Value) -> Value {
        for (a, b) in [(a, b), (b, a)] {
            if let Some(b) = self.negated(b) {
                return self.difference(a, b);
            }
        }
        let sum = self.made(Code::VEX_Vaddps_ymm_ymm_ymmm256, &[a, b], None);
        self.loosely(sum)
    }

    /// What a value is the negation of.
    fn negated(&self, value: Value) -> Option<Value> {
        match self.node(value) {
            Node::Made(made) if made.code == Code::VEX_Vxorps_ymm_ymm_ymmm256 => {
                let sign = self.node(made.sources[1]);
                (sign == Node::All([SIGN; 2])).then_some(made.sources[0])
            }
            _ => None,
        }
    }

    /// A value where a mask is all ones, else zero; it is as loose.
    pub(super) fn kept(&mut self, mask: Value, value: Value) -> Value {
        let kept = self.and(mask, value);
        self.loose[kept.number()] = self.is_loose(value);
        self.origins[kept.number()] = self.origins[value.number()].clone();
        kept
    }

    pub(super) fn difference(&mut self, a: Value, b: Value) -> Value {
        let difference = self.made(Code::VEX_Vsubps_ymm_ymm_ymmm256, &[a, b], None);
        self.loosely(difference)
    }

    pub(super) fn product(&mut self, a: Value, b: Value) -> Value {
        let product = self.made(Code::VEX_Vmulps_ymm_ymm_ymmm256, &[a, b], None);
        self.loosely(product)
    }

    pub(super) fn quotient(&mut self, a: Value, b: Value) -> Value {
        let quotient = self.made(Code::VEX_Vdivps_ymm_ymm_ymmm256, &[a, b], None);
        self.loosely(quotient)
    }

    pub(super) fn root(&mut self, a: Value) -> Value {
        let root = self.made(Code::VEX_Vsqrtps_ymm_ymmm256, &[a], None);
        self.loosely(root)
    }

    pub(super) fn round(&mut self, how: Round, a: Value) -> Value {
        let rounded = self.made(Code::VEX_Vroundps_ymm_ymmm256_imm8, &[a], Some(how as u8));
        self.loosely(rounded)
    }

    /// All ones where a test of floats holds, zeros elsewhere.
    pub(super) fn compare(&mut self, test: Test, a: Value, b: Value) -> Value {
        self.made(Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8, &[a, b], Some(test as u8))
    }

    /// `so` where the mask is all ones, else `not`. It is loose if both are.
    pub(super) fn select(&mut self, mask: Value, so: Value, not: Value) -> Value {
        let loose = self.is_loose(so) && self.is_loose(not);
        let [so, not] = if loose { [so, not] } else { [self.tight(so), self.tight(not)] };
        let chosen = self.made(Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm, &[not, so, mask], None);
        if loose { self.loosely(chosen) } else { chosen }
    }

    of_two! {
        /// Of two zeros, and with a NaN, the second.
        larger: VEX_Vmaxps_ymm_ymm_ymmm256;
        /// Of two zeros, and with a NaN, the second.
        smaller: VEX_Vminps_ymm_ymm_ymmm256;
        and: VEX_Vandps_ymm_ymm_ymmm256;
        /// What the second has and the first has not.
        without: VEX_Vandnps_ymm_ymm_ymmm256;
        or: VEX_Vorps_ymm_ymm_ymmm256;
        xor: VEX_Vxorps_ymm_ymm_ymmm256;
        sum_of_integers: VEX_Vpaddd_ymm_ymm_ymmm256;
        difference_of_integers: VEX_Vpsubd_ymm_ymm_ymmm256;
        product_of_integers: VEX_Vpmulld_ymm_ymm_ymmm256;
        equal: VEX_Vpcmpeqd_ymm_ymm_ymmm256;
        greater: VEX_Vpcmpgtd_ymm_ymm_ymmm256;
        larger_signed: VEX_Vpmaxsd_ymm_ymm_ymmm256;
        smaller_signed: VEX_Vpminsd_ymm_ymm_ymmm256;
        larger_unsigned: VEX_Vpmaxud_ymm_ymm_ymmm256;
        smaller_unsigned: VEX_Vpminud_ymm_ymm_ymmm256;
        /// By more than 31: nothing is left.
        shifted_left: VEX_Vpsllvd_ymm_ymm_ymmm256;
        /// By more than 31: nothing is left.
        shifted_right: VEX_Vpsrlvd_ymm_ymm_ymmm256;
        /// By more than 31: the sign is left.
        shifted_with_sign: VEX_Vpsravd_ymm_ymm_ymmm256;
        sum_of_doubles: VEX_Vaddpd_ymm_ymm_ymmm256;
        product_of_doubles: VEX_Vmulpd_ymm_ymm_ymmm256;
        /// Of each half of the lanes, the first two of both, in turns.
        first_pairs: VEX_Vunpcklps_ymm_ymm_ymmm256;
        /// Of each half of the lanes, the last two of both, in turns.
        last_pairs: VEX_Vunpckhps_ymm_ymm_ymmm256;
    }

    pub(super) fn not(&mut self, a: Value) -> Value {
        let ones = self.all(u32::MAX);
        self.xor(a, ones)
    }

    /// Lanes as they are, in a value of their own.
    pub(super) fn copy(&mut self, a: Value) -> Value {
        self.made(Code::VEX_Vmovups_ymm_ymmm256, &[a], None)
    }

    pub(super) fn integer_as_float(&mut self, a: Value) -> Value {
        self.made(Code::VEX_Vcvtdq2ps_ymm_ymmm256, &[a], None)
    }

    /// Toward zero; the smallest integer for what is none.
    pub(super) fn float_as_integer(&mut self, a: Value) -> Value {
        self.made(Code::VEX_Vcvttps2dq_ymm_ymmm256, &[a], None)
    }

    pub(super) fn magnitude(&mut self, a: Value) -> Value {
        let rest = self.all(!SIGN);
        self.and(a, rest)
    }

    /// `a * b + c`, rounded once.
    pub(super) fn fused_sum(&mut self, a: Value, b: Value, c: Value) -> Value {
        let sum = self.made(Code::VEX_Vfmadd213ps_ymm_ymm_ymmm256, &[a, b, c], None);
        self.loosely(sum)
    }

    /// `a * b - c`, rounded once.
    pub(super) fn fused_difference(&mut self, a: Value, b: Value, c: Value) -> Value {
        let difference = self.made(Code::VEX_Vfmsub213ps_ymm_ymm_ymmm256, &[a, b, c], None);
        self.loosely(difference)
    }

    /// `c - a * b`, rounded once.
    pub(super) fn fused_remainder(&mut self, a: Value, b: Value, c: Value) -> Value {
        let remainder = self.made(Code::VEX_Vfnmadd213ps_ymm_ymm_ymmm256, &[a, b, c], None);
        self.loosely(remainder)
    }

    pub(super) fn all_doubles(&mut self, double: f64) -> Value {
        let bits = double.to_bits();
        self.add(Node::All([bits as u32, (bits >> 32) as u32]))
    }

    /// Whether a value is the product of doubles.
    pub(super) fn is_product(&self, value: Value) -> bool {
        matches!(self.node(value), Node::Made(made) if made.code == Code::VEX_Vmulpd_ymm_ymm_ymmm256)
    }

    /// The upper dwords of products: those of even lanes are moved up, those of odd lanes stand there.
    pub(super) fn upper_product_of_integers(&mut self, a: Value, b: Value, signed: bool) -> Value {
        let product = match signed {
            true => Code::VEX_Vpmuldq_ymm_ymm_ymmm256,
            false => Code::VEX_Vpmuludq_ymm_ymm_ymmm256,
        };
        let (shuffle, odd) = (Code::VEX_Vpshufd_ymm_ymmm256_imm8, Some(0xF5));
        let of_even = self.made(product, &[a, b], None);
        let [a, b] = [a, b].map(|factor| self.made(shuffle, &[factor], odd));
        let of_odd = self.made(product, &[a, b], None);
        let of_even = self.made(shuffle, &[of_even], odd);
        self.made(Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8, &[of_even, of_odd], Some(0xAA))
    }

    /// All ones in both halves where a test of doubles holds.
    pub(super) fn compare_doubles(&mut self, test: Test, a: Value, b: Value) -> Value {
        self.made(Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8, &[a, b], Some(test as u8))
    }

    /// All ones in both halves where one of two doubles is a NaN.
    pub(super) fn unordered_doubles(&mut self, a: Value, b: Value) -> Value {
        self.compare_doubles(Test::Unordered, a, b)
    }

    /// The lower or the upper dwords of doubles whose dwords were [paired](Self::first_pairs).
    pub(super) fn dwords(&mut self, doubles: [Value; 2], upper: bool) -> Value {
        let every_other = if upper { 0xDD } else { 0x88 };
        self.made(Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8, &doubles, Some(every_other))
    }
}

/// Whether an instruction gives a NaN where one of its sources is one, and its bits are those of one of them or the
/// uniform ones.
fn is_arithmetic(code: Code) -> bool {
    matches!(
        code,
        Code::VEX_Vaddps_ymm_ymm_ymmm256
            | Code::VEX_Vsubps_ymm_ymm_ymmm256
            | Code::VEX_Vmulps_ymm_ymm_ymmm256
            | Code::VEX_Vdivps_ymm_ymm_ymmm256
            | Code::VEX_Vsqrtps_ymm_ymmm256
            | Code::VEX_Vroundps_ymm_ymmm256_imm8
            | Code::VEX_Vfmadd213ps_ymm_ymm_ymmm256
            | Code::VEX_Vfmsub213ps_ymm_ymm_ymmm256
            | Code::VEX_Vfnmadd213ps_ymm_ymm_ymmm256
            | Code::VEX_Vmovups_ymm_ymmm256
    )
}
