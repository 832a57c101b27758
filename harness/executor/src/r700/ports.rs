//! Read ports (section 4.7): what a group loads on which cycle. Programs run whatever swizzles they have, as the
//! harness refuses those that could not; this is a second opinion on that.

use parallax_isa::r700::legality::Loads;

use super::{
    decode::{self, AluSlot, Operand, Select},
    units,
};

/// Cycles of the three sources, a digit each, by bank swizzle.
const VECTOR: [u16; 8] = [0o012, 0o021, 0o120, 0o102, 0o201, 0o210, 0, 0];
const TRANS: [u16; 8] = [0o210, 0o122, 0o212, 0o221, 0, 0, 0, 0];

/// The registers that a group loads, by cycle and element; `None` if two stand in each other's way, or the dwords
/// are no group.
#[must_use]
pub fn loads(dwords: &[u32], prefer_vector: bool) -> Option<Loads> {
    let (mut group, _) = decode::group(dwords, 0, dwords.len() as u32 / 2).ok()?;
    units::assign(&mut group.slots, prefer_vector);
    let mut numbered: Vec<_> = group.slots.iter().zip(dwords.iter().skip(1).step_by(2)).collect();
    numbered.sort_by_key(|(slot, _)| slot.unit == 4);
    let mut loaded = Loads::default();
    let mut pairs = Vec::new();
    for (slot, word1) in numbered {
        let swizzle = (word1 >> 18 & 7) as usize;
        load(slot, swizzle, &mut loaded, &mut pairs)?;
    }
    (pairs.len() <= 2).then_some(loaded)
}

/// Loads the sources of an instruction.
fn load(
    slot: &AluSlot,
    swizzle: usize,
    loaded: &mut Loads,
    pairs: &mut Vec<(Select, bool, u8)>,
) -> Option<()> {
    let is_trans = slot.unit == 4;
    let sources = &slot.sources[..slot.operation.sources];
    let mut constants = 0;
    for source in sources {
        match source.select {
            Select::Window { .. } | Select::ConstantFile(_) => {
                let pair = (source.select, source.relative, source.element >> 1);
                if !pairs.contains(&pair) {
                    pairs.push(pair);
                }
                constants += 1;
            }
            Select::Value(_) => constants += 1,
            Select::Gpr(_) | Select::PreviousVector | Select::PreviousScalar => {}
        }
    }
    // In Trans constants come on the first cycles, on which nothing else can be loaded.
    let first = if is_trans { constants } else { 0 };
    if first > 2 {
        return None;
    }
    let cycles = if is_trans { TRANS } else { VECTOR }[swizzle];
    let place = |source: &Operand| (source.select, source.relative, source.element);
    for (number, source) in sources.iter().enumerate() {
        let cycle = usize::from(cycles >> (6 - 3 * number) & 7);
        let register = match source.select {
            Select::Gpr(register) => register,
            Select::PreviousVector | Select::PreviousScalar if cycle < first => return None,
            _ => continue,
        };
        if !is_trans && number == 1 && place(source) == place(&sources[0]) {
            continue;
        }
        let port = &mut loaded[cycle][usize::from(source.element)];
        let wanted = (register, source.relative);
        if cycle < first || port.is_some_and(|there| there != wanted) {
            return None;
        }
        *port = Some(wanted);
    }
    Some(())
}
