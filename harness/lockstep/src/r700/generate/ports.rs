//! The read ports of an ALU group (section 4.7): which bank swizzles let its operands be loaded.
//!
//! A group has three cycles to load general registers, and on each of them one port for each of the
//! elements X, Y, Z and W.

/// A source operand as the ports see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::r700) enum Load {
    /// An element of a general register: which register, told apart by any number.
    Register {
        /// Address, with what is added to it mixed in.
        register: u32,
        /// Element.
        element: u8,
    },
    /// A constant from a register file or a locked window, told apart by any number.
    Constant {
        /// Address, with what is added to it mixed in.
        register: u32,
        /// Element.
        element: u8,
    },
    /// An inline or literal constant.
    Immediate,
    /// A previous result.
    Previous,
}

/// The operands of one instruction and whether it runs in Trans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::r700) struct Loads {
    /// Its operands.
    pub(in crate::r700) operands: Vec<Load>,
    /// It runs in Trans.
    pub(in crate::r700) trans: bool,
}

/// Cycles of src0, src1, src2 for the bank swizzles of a vector unit, by code.
const VECTOR: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 2, 0], [1, 0, 2], [2, 0, 1], [2, 1, 0]];
/// The same for Trans.
const TRANS: [[usize; 3]; 4] = [[2, 1, 0], [1, 2, 2], [2, 1, 2], [2, 2, 1]];

/// The register whose element is loaded, by cycle and element.
type Ports = [[Option<u32>; 4]; 3];

/// Whether the constants of a group fit in the two pairs of elements that can be loaded.
pub(in crate::r700) fn constants_fit(group: &[Loads]) -> bool {
    let mut pairs = Vec::new();
    for load in group.iter().flat_map(|loads| &loads.operands) {
        if let Load::Constant { register, element } = *load
            && !pairs.contains(&(register, element / 2))
        {
            pairs.push((register, element / 2));
        }
    }
    let trans_constants = |loads: &Loads| {
        let constants = loads.operands.iter().filter(|load| is_constant(**load));
        if loads.trans { constants.count() } else { 0 }
    };
    pairs.len() <= 2 && group.iter().all(|loads| trans_constants(loads) <= 2)
}

fn is_constant(load: Load) -> bool {
    matches!(load, Load::Constant { .. } | Load::Immediate)
}

/// Bank swizzles that make a group loadable, one for each instruction; the search starts from the
/// codes in `wanted`. `None` if there are none.
pub(in crate::r700) fn swizzles(group: &[Loads], wanted: &[u8]) -> Option<Vec<u8>> {
    if !constants_fit(group) {
        return None;
    }
    // Vector units first: Trans uses what they leave.
    let mut order: Vec<usize> = (0..group.len()).collect();
    order.sort_by_key(|&at| group[at].trans);
    let mut codes = vec![0; group.len()];
    assign(group, wanted, &order, Ports::default(), &mut codes).then_some(codes)
}

fn assign(group: &[Loads], wanted: &[u8], order: &[usize], ports: Ports, codes: &mut [u8]) -> bool {
    let Some((&at, rest)) = order.split_first() else { return true };
    let loads = &group[at];
    let count = if loads.trans { TRANS.len() } else { VECTOR.len() } as u8;
    // Without register operands, any swizzle does.
    (0..count).any(|turn| {
        let code = (wanted.get(at).copied().unwrap_or(0) + turn) % count;
        let mut ports = ports;
        codes[at] = code;
        reserve(loads, code, &mut ports) && assign(group, wanted, rest, ports, codes)
    })
}

/// Reserves the ports of an instruction; whether they were free.
fn reserve(loads: &Loads, code: u8, ports: &mut Ports) -> bool {
    let cycles = if loads.trans { TRANS[usize::from(code)] } else { VECTOR[usize::from(code)] };
    // In Trans, constants take the first cycles.
    let first = if loads.trans {
        loads.operands.iter().filter(|load| is_constant(**load)).count()
    } else {
        0
    };
    loads.operands.iter().enumerate().all(|(number, load)| {
        let cycle = cycles[number];
        match *load {
            Load::Register { .. } if number == 1 && !loads.trans && *load == loads.operands[0] => {
                true
            }
            Load::Register { register, element } => {
                let port = &mut ports[cycle][usize::from(element)];
                let free = port.is_none_or(|taken| taken == register);
                *port = Some(register);
                free && cycle >= first
            }
            Load::Previous => cycle >= first,
            Load::Constant { .. } | Load::Immediate => true,
        }
    })
}

/// Whether a group can be loaded with the swizzles it has.
#[cfg(test)]
fn loadable(group: &[(Loads, u8)]) -> bool {
    let mut ports = Ports::default();
    let vector_first = group.iter().filter(|(loads, _)| !loads.trans);
    let trans = group.iter().filter(|(loads, _)| loads.trans);
    vector_first.chain(trans).all(|(loads, code)| reserve(loads, *code, &mut ports))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// `1x` is `R1.X`.
    fn loads(operands: &str, trans: bool) -> Loads {
        let operand = |text: &str| {
            let element = "xyzw".find(&text[1..]).unwrap() as u8;
            Load::Register { register: text[..1].parse().unwrap(), element }
        };
        Loads { operands: operands.split(' ').map(operand).collect(), trans }
    }

    /// The examples of section 4.7: units, operands, codes of the swizzles.
    #[rstest]
    #[case::squares(&[("1x 1x", 0), ("1y 1y", 2)], None, true)]
    #[case::ignored_swizzle(&[("1x 1x", 0), ("1y 1y", 3), ("2y 2x", 0)], None, true)]
    #[case::conflict(&[("1x 2x", 0), ("3x 1y", 0), ("2x 1y", 0)], None, false)]
    #[case::resolved(&[("1x 2x", 0), ("3x 1y", 4), ("2x 1y", 3)], None, true)]
    #[case::free_port(&[("1x 2x", 0), ("3x 1y", 5)], Some(("3z 3w", 3)), true)]
    #[case::shared_port(&[("1x 2x", 5), ("3x 1y", 0)], Some(("1x 1y", 0)), true)]
    #[case::repeated(&[("1x 2x 1x", 0)], None, true)]
    fn examples(
        #[case] vector: &[(&str, u8)],
        #[case] trans: Option<(&str, u8)>,
        #[case] legal: bool,
    ) {
        let vector = vector.iter().map(|(operands, code)| (loads(operands, false), *code));
        let trans = trans.map(|(operands, code)| (loads(operands, true), code));
        let group: Vec<_> = vector.chain(trans).collect();
        assert_eq!(loadable(&group), legal);
    }

    #[test]
    fn a_search_finds_the_conflict_s_resolution() {
        let group = ["1x 2x", "3x 1y", "2x 1y"].map(|text| loads(text, false));
        let codes = swizzles(&group, &[0, 0, 0]).unwrap();
        let group: Vec<_> = group.into_iter().zip(codes).collect();
        assert!(loadable(&group));
    }

    #[test]
    fn four_registers_of_one_element_do_not_fit() {
        let group = ["1x 2x", "3x 4x"].map(|text| loads(text, false));
        assert_eq!(swizzles(&group, &[0, 0]), None);
    }
}
