//! How exactly destinations are compared: of every instruction's destination elements, those of which
//! one bit pattern is accepted, those of which some are, and those that the manual leaves open. A
//! suite whose results are mostly open proves little.

use std::{borrow::Cow, collections::BTreeMap, ops::Range};

use parallax_isa::{Acceptance, Extent, Machine, Reference, Step};
use parallax_spec::coverage;

/// One case in so many is counted: what that costs is some percent of a campaign.
pub(crate) const SAMPLED: u64 = 32;

/// Most steps of a case that are counted; the loops of longer ones come to the same instructions again.
pub(crate) const STEPS: usize = 128;

/// What an instruction writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// Its mnemonic.
    pub mnemonic: &'static str,
    /// The type of its destination as its machine writes it; of one whose instructions have no choice of
    /// types, the element.
    pub form: &'static str,
    /// Elements it can write; those that are off keep their bits, which is compared too.
    pub elements: u64,
    /// Where they are in the image of the state.
    pub places: Range<usize>,
}

/// Destination elements of an instruction, by how they are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Elements {
    /// One bit pattern is accepted.
    pub exact: u64,
    /// Several are: any NaN, neighbours.
    pub loose: u64,
    /// Any is.
    pub open: u64,
}

impl Elements {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.exact + self.loose + self.open
    }

    /// The share of exact ones, 0 to 1; 1 if there is none.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.total() == 0 { 1.0 } else { self.exact as f64 / self.total() as f64 }
    }

    /// Adds others.
    pub fn add(&mut self, other: Self) {
        self.exact += other.exact;
        self.loose += other.loose;
        self.open += other.open;
    }
}

/// Destinations that are counted together: the mnemonic, and its [`Destination::form`].
pub type Kind = (Cow<'static, str>, Cow<'static, str>);

/// Destination elements by what wrote them.
pub type Exactness = BTreeMap<Kind, Elements>;

/// Adds what others counted.
pub fn merge(into: &mut Exactness, from: &Exactness) {
    for (kind, elements) in from {
        into.entry(kind.clone()).or_default().add(*elements);
    }
}

/// Those of each mnemonic, whatever the form.
#[must_use]
pub fn by_mnemonic(counted: &Exactness) -> BTreeMap<&str, Elements> {
    let mut sums: BTreeMap<&str, Elements> = BTreeMap::new();
    for ((mnemonic, _), elements) in counted {
        sums.entry(mnemonic).or_default().add(*elements);
    }
    sums
}

/// Runs so many steps of a case on the reference alone and counts what it expects of the destinations
/// that each next instruction has. Rules do not count.
pub(crate) fn count<M: Machine>(
    reference: &mut dyn Reference<M>,
    case: &M::Case,
    steps: usize,
    destinations: impl Fn(&M::Case, &M::State) -> Vec<Destination>,
    counted: &mut Exactness,
) {
    coverage::uncounted(|| {
        if reference.load(case).is_err() {
            return;
        }
        for _ in 0..steps {
            let Ok(destinations) = reference.state().map(|state| destinations(case, state)) else {
                return;
            };
            if !matches!(reference.step(), Ok(Step::Continue)) {
                return;
            }
            for destination in destinations {
                let elements = elements(&destination, reference);
                let kind = (destination.mnemonic.into(), destination.form.into());
                counted.entry(kind).or_default().add(elements);
            }
        }
    });
}

fn elements<M: Machine>(destination: &Destination, reference: &dyn Reference<M>) -> Elements {
    let mut elements = Elements::default();
    for expectation in reference.expectations() {
        let extent = expectation.extent;
        if destination.places.contains(&(extent.offset as usize)) {
            let is_whole = extent == Extent::whole(extent.offset as usize, extent.bytes.into());
            match expectation.acceptance {
                Acceptance::Undefined if is_whole => elements.open += 1,
                // Of a comparison all bits but the lowest are open.
                _ => elements.loose += 1,
            }
        }
    }
    elements.open = elements.open.min(destination.elements);
    elements.loose = elements.loose.min(destination.elements - elements.open);
    elements.exact = destination.elements - elements.open - elements.loose;
    elements
}

/// Opcodes of whose destination elements fewer than three in four are exact, and why that has to be.
pub const REASONS: &[(&str, &str)] = &[
    ("cmp", COMPARED),
    ("cmpn", COMPARED),
    ("sad2", "odd channels have no defined result"),
    ("sada2", "odd channels have no defined result"),
    ("MOVA", ADDRESS),
    ("MOVA_FLOOR", ADDRESS),
    ("MOVA_INT", ADDRESS),
    ("RECIP_UINT", APPROXIMATED),
    ("RECIP_INT", APPROXIMATED),
    ("RECIP_FF", APPROXIMATED),
    ("RECIP_IEEE", APPROXIMATED),
    ("RECIP_CLAMPED", APPROXIMATED),
    ("RECIPSQRT_FF", APPROXIMATED),
    ("RECIPSQRT_IEEE", APPROXIMATED),
    ("RECIPSQRT_CLAMPED", APPROXIMATED),
    ("SQRT_IEEE", APPROXIMATED),
    ("LOG_CLAMPED", APPROXIMATED),
    ("LOG_IEEE", APPROXIMATED),
    ("SIN", APPROXIMATED),
    ("COS", APPROXIMATED),
    ("FLT64_TO_FLT32", "the second of its two slots has no defined result"),
];

const COMPARED: &str = "only the lowest bit of a comparison's destination is defined";
const ADDRESS: &str = "its result goes to AR: what it leaves in a register is not defined";
const APPROXIMATED: &str = "an approximation: the tables allow a distance from the exact value";

/// The reason why few destination elements of an opcode are exact, if there is one.
#[must_use]
pub fn reason(mnemonic: &str) -> Option<&'static str> {
    REASONS.iter().find(|(name, _)| *name == mnemonic).map(|(_, reason)| *reason)
}

#[cfg(test)]
mod tests {
    use parallax_isa::{Device, eu::DataType};
    use rstest::rstest;

    use super::*;
    use crate::{
        eu::{self, Eu},
        r700::{self, R700},
        random::SplitMix64,
        subject::Subject,
    };

    fn counted<M: Subject>(
        device: Device,
        generate: fn(Device, &[u8]) -> M::Case,
        bytes: usize,
        cases: u64,
    ) -> Exactness {
        let (mut reference, mut counted) = (M::reference(), Exactness::new());
        let mut bytes = vec![0; bytes];
        for seed in 0..cases {
            SplitMix64::new(seed).fill(&mut bytes);
            let case = generate(device, &bytes);
            count::<M>(&mut *reference, &case, usize::MAX, M::destinations, &mut counted);
        }
        counted
    }

    /// Of all destination elements of a machine's suites nearly all are exact, and most of each opcode,
    /// or there is a reason.
    #[rstest]
    #[case::eu([
        counted::<Eu>(Device::G45, eu::generate::straight_line, eu::generate::BYTES, 1200),
        counted::<Eu>(Device::Bw, eu::generate::straight_line, eu::generate::BYTES, 400),
        counted::<Eu>(Device::G45, eu::flow::any, eu::flow::BYTES, 1200),
        counted::<Eu>(Device::G45, eu::flow::long, eu::flow::LONG_BYTES, 40),
    ])]
    #[case::r700([
        counted::<R700>(Device::Rv770, r700::generate::groups, r700::generate::BYTES, 1500),
        counted::<R700>(Device::Rv770, r700::flow::any, r700::flow::BYTES, 300),
        counted::<R700>(Device::Rv770, r700::flow::long, r700::flow::LONG_BYTES, 10),
        Exactness::new(),
    ])]
    fn destinations_are_exact_mostly(#[case] suites: [Exactness; 4]) {
        let (mut merged, mut all) = (Exactness::new(), Elements::default());
        suites.iter().for_each(|suite| merge(&mut merged, suite));
        let counted = by_mnemonic(&merged);
        counted.values().for_each(|elements| all.add(*elements));
        let mut rows: Vec<_> = counted.iter().collect();
        rows.sort_by(|(_, a), (_, b)| a.share().total_cmp(&b.share()));
        for (mnemonic, elements) in &rows {
            println!("{mnemonic:<16} {:.3} {elements:?}", elements.share());
        }
        println!("all {:.4}", all.share());
        let poor = rows.iter().filter(|(_, elements)| elements.share() < 0.75);
        let without: Vec<_> = poor.filter(|(name, _)| reason(name).is_none()).collect();
        assert!(without.is_empty(), "{without:?}");
        assert!(all.share() > 0.95, "{all:?}");
        // What `mac`, `mach` and `sada2` read from the accumulator is mostly defined.
        let share = |mnemonic| counted.get(mnemonic).map_or(1.0, Elements::share);
        assert!(share("mac") > 0.8 && share("mach") > 0.8, "{counted:?}");
        assert!(share("sada2") > 0.9 * share("sad2"), "{counted:?}");
    }

    /// Suite `eu` of G45 leaves at most 2 % of its destination elements unspecified, and at most 3 % of any opcode's.
    /// Only `sad2` and `sada2` leave more: their odd channels have no defined result.
    #[test]
    fn suite_eu_of_g45_leaves_little_unspecified() {
        let counted =
            counted::<Eu>(Device::G45, eu::generate::straight_line, eu::generate::BYTES, 4000);
        let mut opcodes = by_mnemonic(&counted);
        opcodes.retain(|mnemonic, _| !["sad2", "sada2"].contains(mnemonic));
        let mut all = Elements::default();
        opcodes.values().for_each(|elements| all.add(*elements));
        let share = |elements: &Elements| elements.open as f64 / elements.total() as f64;
        for (mnemonic, elements) in &opcodes {
            println!("{mnemonic:<10} {:.4} {elements:?}", share(elements));
        }
        println!("all {:.4} open, {:.4} exact", share(&all), all.share());
        assert!(opcodes.len() > 25, "{opcodes:?}");
        assert!(share(&all) < 0.02, "{all:?}");
        opcodes.retain(|_, elements| share(elements) > 0.03);
        assert!(opcodes.is_empty(), "{opcodes:?}");
    }

    /// Types and elements are counted apart.
    #[test]
    fn every_type_and_element_is_counted_by_itself() {
        let forms = |counted: &Exactness, wanted: &str| {
            let kinds = counted.keys().filter(|(mnemonic, _)| mnemonic == wanted);
            kinds.map(|(_, form)| form.clone()).collect::<Vec<_>>()
        };
        let eu = counted::<Eu>(Device::G45, eu::generate::straight_line, eu::generate::BYTES, 400);
        assert_eq!(forms(&eu, "mov"), ["b", "d", "f", "ub", "ud", "uw", "w"]);
        assert!(eu.keys().all(|(_, form)| DataType::of_suffix(form).is_some()), "{eu:?}");
        let r700 =
            counted::<R700>(Device::Rv770, r700::generate::groups, r700::generate::BYTES, 200);
        assert_eq!(forms(&r700, "ADD"), ["w", "x", "y", "z"]);
    }

    #[test]
    fn reasons_are_for_opcodes_there_are() {
        for (mnemonic, _) in REASONS {
            assert!(
                parallax_isa::r700::AluOpcode::ALL.iter().any(|o| o.mnemonic() == *mnemonic)
                    || parallax_isa::eu::Opcode::ALL.iter().any(|o| o.mnemonic() == *mnemonic)
            );
        }
    }
}
