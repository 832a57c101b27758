//! The form of an instruction: its mnemonic, its types, and the features that it shares with instructions of
//! other mnemonics. What an engine does wrong goes with one of these.

use parallax_isa::{
    Device,
    eu::{Opcode, instruction::MathFunction},
    r700::{AluOpcode, CfOpcode, FetchOpcode},
};
use serde::{Deserialize, Serialize};

/// The form of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Form {
    /// Mnemonic and types: `add :f <- :d, :d`; empty where it is not known.
    pub name: String,
    /// Its features.
    pub features: Features,
    /// Whether it has a conditional modifier: it sets flags, or an engine may take it for one that does.
    pub sets_flags: bool,
}

/// The names of a machine's features.
pub(crate) const fn names<const N: usize, H>(features: &[(&'static str, H)]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut place = 0;
    while place < N {
        names[place] = features[place].0;
        place += 1;
    }
    names
}

impl Form {
    /// That of an instruction of which no more than the mnemonic is known.
    #[must_use]
    pub fn of_mnemonic(mnemonic: &str) -> Self {
        Self { name: mnemonic.to_owned(), ..Self::default() }
    }

    /// The mnemonic.
    #[must_use]
    pub fn mnemonic(&self) -> &str {
        self.name.split(' ').next().unwrap_or_default()
    }
}

/// Features of an instruction, by their places in a machine's list of them
/// ([`crate::Subject::FEATURES`]), of which there are at most 128.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Features(u128);

impl Features {
    /// Whether that at a place of the list is there.
    #[must_use]
    pub const fn has(self, place: u8) -> bool {
        self.0 >> place & 1 != 0
    }

    /// The places of those that are there.
    pub fn places(self) -> impl Iterator<Item = u8> {
        (0..128).filter(move |place| self.has(*place))
    }
}

impl FromIterator<bool> for Features {
    /// Whether each of the list is there, in its order.
    fn from_iter<I: IntoIterator<Item = bool>>(list: I) -> Self {
        let bits = list.into_iter().enumerate();
        Self(bits.fold(0, |bits, (place, has)| bits | u128::from(has) << place))
    }
}

/// Parts of a step, as bits: where a step is a group of instructions, the units that run them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Parts(pub u8);

impl Parts {
    /// None of a step.
    pub const NONE: Self = Self(0);
    /// All of it.
    pub const WHOLE: Self = Self(u8::MAX);

    /// Those of either.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// All others.
    #[must_use]
    pub const fn others(self) -> Self {
        Self(!self.0)
    }
}

/// A step of the reference.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Executed {
    /// The forms of its instructions; none where the machine has no forms.
    pub forms: Vec<Form>,
    /// The rules that decided the step and the rows of those that are tables, by their places in the order of
    /// [`Coverage::places`](parallax_spec::coverage::Coverage::places).
    pub rules: Vec<u16>,
}

/// The mnemonics of a device, those of `math` with their functions too.
pub(crate) fn mnemonics(device: Device) -> Vec<String> {
    if device == Device::Rv770 {
        let alu = AluOpcode::ALL.iter().map(|opcode| opcode.mnemonic());
        let flow = CfOpcode::ALL.iter().map(|opcode| opcode.mnemonic());
        let fetches = FetchOpcode::ALL.iter().map(|opcode| opcode.mnemonic());
        return alu.chain(flow).chain(fetches).map(str::to_owned).collect();
    }
    let opcodes = Opcode::ALL.iter().filter(|opcode| opcode.code(device).is_some());
    let functions = MathFunction::ALL.iter().map(|function| format!("math.{}", function.name()));
    opcodes.map(|opcode| opcode.mnemonic().to_owned()).chain(functions).collect()
}
