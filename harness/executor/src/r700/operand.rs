//! Source operands of ALU instructions (sections 4.4 to 4.6): found once, fetched for 64 pixels.

use parallax_isa::r700::state::State;

use super::{
    decode::{AluSlot, IndexMode, Operand, Select},
    number::SIGN,
    simd::Lanes,
    surroundings::Surroundings,
};

/// What a relative read outside its constants gives.
const OUT_OF_RANGE_CONSTANT: u32 = 0x7FFF_FFFF;

/// Modifiers of a source on raw bits: absolute value first, then negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Modifiers {
    pub(super) keep: u32,
    pub(super) flip: u32,
}

impl Modifiers {
    pub(super) const NONE: Self = Self::new(false, false);

    const fn new(absolute: bool, negate: bool) -> Self {
        Self { keep: if absolute { !SIGN } else { u32::MAX }, flip: if negate { SIGN } else { 0 } }
    }

    #[inline(always)]
    const fn apply(self, bits: u32) -> u32 {
        bits & self.keep ^ self.flip
    }
}

/// A source of a slot.
pub(super) struct Source {
    pub(super) input: Input,
    pub(super) modifiers: Modifiers,
}

/// The lanes of a value that all pixels have, where vectors start.
#[repr(align(64))]
pub(super) struct Uniform(pub(super) Lanes);

/// Where the lanes of a source are.
pub(super) enum Input {
    /// In a register.
    Register { number: u8, element: u8 },
    /// In the register that aL leads to.
    LoopRegister { number: u8, element: u8 },
    /// In the previous result of a unit.
    Previous(u8),
    /// With the group: all pixels have the same value, modifiers applied.
    Constant(Box<Uniform>),
    /// Nowhere: the same, with a value that depends on aL.
    LoopConstant,
    /// Nowhere: every pixel has its own place.
    Gathered,
}

impl Source {
    /// Finds where the lanes of an operand will be.
    pub(super) fn of(slot: &AluSlot, operand: &Operand, around: &Surroundings) -> Self {
        let modifiers = Modifiers::new(operand.absolute, operand.negate);
        let &Operand { select, relative, element, .. } = operand;
        let uniform = |value| Input::Constant(Box::new(Uniform([modifiers.apply(value); 64])));
        let input = match (select, relative.then_some(slot.index_mode)) {
            (Select::Gpr(number), None) => Input::Register { number, element },
            (Select::Gpr(number), Some(IndexMode::Loop)) => Input::LoopRegister { number, element },
            (Select::PreviousVector, _) => Input::Previous(element),
            (Select::PreviousScalar, _) => Input::Previous(4),
            (Select::Value(value), _) => uniform(value),
            (Select::Gpr(_), Some(_)) | (Select::ConstantFile(_), Some(IndexMode::Address(_))) => {
                Input::Gathered
            }
            (Select::ConstantFile(_), Some(IndexMode::Loop)) => Input::LoopConstant,
            (Select::Window { window, .. }, mode)
                if mode == Some(IndexMode::Loop)
                    || around.windows[usize::from(window)].loop_relative =>
            {
                Input::LoopConstant
            }
            (Select::Window { .. } | Select::ConstantFile(_), _) => {
                uniform(constant(slot.index_mode, operand, around, 0))
            }
        };
        Self { input, modifiers }
    }

    /// The lanes of the source where they are, if it is used as it is in the state.
    #[inline(always)]
    pub(super) fn in_place<'a>(
        &'a self,
        around: &Surroundings,
        state: &'a State,
    ) -> Option<&'a Lanes> {
        match &self.input {
            Input::Constant(uniform) => Some(&uniform.0),
            input if self.modifiers == Modifiers::NONE => lanes(input, around, state),
            _ => None,
        }
    }
}

/// Why an operand reads what its clause has not locked, if it does (decision D-r700-constants).
pub(super) fn unreadable(operand: &Operand, around: &Surroundings) -> Option<String> {
    match operand.select {
        Select::Window { window, index }
            if u32::from(index) >= around.windows[usize::from(window)].length =>
        {
            Some(format!("constant {index} of window {window} is not locked"))
        }
        _ => None,
    }
}

/// The lanes of a source as they are in the state, if they are there.
#[inline(always)]
fn lanes<'a>(input: &Input, around: &Surroundings, state: &'a State) -> Option<&'a Lanes> {
    match *input {
        Input::Register { number, element } => {
            Some(&state.gpr[usize::from(number)][usize::from(element)])
        }
        Input::LoopRegister { number, element } => {
            Some(&state.gpr[led_to(number, around, state)][usize::from(element)])
        }
        Input::Previous(unit) => Some(&state.previous[usize::from(unit)]),
        _ => None,
    }
}

/// What all pixels read that depends on aL, modifiers applied.
#[inline]
pub(super) fn uniform(
    mode: IndexMode,
    operand: &Operand,
    modifiers: Modifiers,
    around: &Surroundings,
    state: &State,
) -> u32 {
    modifiers.apply(constant(mode, operand, around, loop_index(state)))
}

/// The constant of the file that aL leads to, modifiers applied.
#[inline]
pub(super) fn led_constant(
    number: u8,
    element: u8,
    modifiers: Modifiers,
    around: &Surroundings,
    state: &State,
) -> u32 {
    let address = i32::from(number) + loop_index(state);
    modifiers.apply(file_constant(address, usize::from(element), around))
}

/// The register that aL leads to.
#[inline(always)]
pub(super) fn led_to(number: u8, around: &Surroundings, state: &State) -> usize {
    readable(i32::from(number) + loop_index(state), around)
}

/// Fetches a source that is not used as it is in the state, modifiers applied.
#[inline(always)]
pub(super) fn fetch(
    slot: &AluSlot,
    operand: &Operand,
    source: &Source,
    around: &Surroundings,
    state: &State,
    out: &mut Lanes,
) {
    let modifiers = source.modifiers;
    match &source.input {
        Input::Constant(_) => {}
        Input::LoopConstant => {
            *out = [uniform(slot.index_mode, operand, modifiers, around, state); 64];
        }
        Input::Gathered => {
            gather(slot, operand, around, state, out);
            for lane in out {
                *lane = modifiers.apply(*lane);
            }
        }
        _ if modifiers == Modifiers::NONE => {}
        input => {
            if let Some(lanes) = lanes(input, around, state) {
                for (out, lane) in out.iter_mut().zip(lanes) {
                    *out = modifiers.apply(*lane);
                }
            }
        }
    }
}

/// aL as a signed distance.
#[inline(always)]
pub(super) fn loop_index(state: &State) -> i32 {
    state.current_loop.index as i32
}

/// Reads a source of which every pixel has its own place.
fn gather(
    slot: &AluSlot,
    operand: &Operand,
    around: &Surroundings,
    state: &State,
    out: &mut Lanes,
) {
    let element = usize::from(operand.element);
    match operand.select {
        Select::Gpr(number) => {
            for (pixel, out) in out.iter_mut().enumerate() {
                let distance = i32::from(state.ar[0][pixel]);
                let (number, global) = (i32::from(number), 0..around.global_count as i32);
                let address = match slot.index_mode {
                    IndexMode::Global => number,
                    _ => number + distance,
                };
                *out = match slot.index_mode {
                    IndexMode::Global | IndexMode::GlobalAddress if global.contains(&address) => {
                        state.global[address as usize][element][pixel]
                    }
                    IndexMode::Global | IndexMode::GlobalAddress => 0,
                    _ => state.gpr[readable(address, around)][element][pixel],
                };
            }
        }
        Select::ConstantFile(number) => {
            let IndexMode::Address(ar) = slot.index_mode else { return };
            for (out, distance) in out.iter_mut().zip(&state.ar[usize::from(ar)]) {
                *out = file_constant(i32::from(number) + i32::from(*distance), element, around);
            }
        }
        _ => {}
    }
}

/// A computed register address, or register 0 where it leaves the declared ones.
#[inline(always)]
fn readable(address: i32, around: &Surroundings) -> usize {
    if (0..around.gpr_count as i32).contains(&address) { address as usize } else { 0 }
}

/// A constant that all pixels read alike, with aL as it is; other values have none and give 0.
#[inline]
fn constant(mode: IndexMode, operand: &Operand, around: &Surroundings, loop_index: i32) -> u32 {
    let element = usize::from(operand.element);
    let distance = if operand.relative && mode == IndexMode::Loop { loop_index } else { 0 };
    match operand.select {
        Select::ConstantFile(number) => {
            file_constant(i32::from(number) + distance, element, around)
        }
        Select::Window { window, index } => {
            let window = &around.windows[usize::from(window)];
            let index = i32::from(index) + distance;
            if !(0..window.length as i32).contains(&index) {
                return if operand.relative { OUT_OF_RANGE_CONSTANT } else { 0 };
            }
            let lines = if window.loop_relative { loop_index as u32 / 16 } else { 0 };
            let constant = (window.first + lines * 16) as usize + index as usize;
            let buffer = around.constants.buffers.get(usize::from(window.buffer));
            buffer.and_then(|buffer| buffer.get(constant)).map_or(0, |value| value[element])
        }
        _ => 0,
    }
}

#[inline]
fn file_constant(address: i32, element: usize, around: &Surroundings) -> u32 {
    if !(0..256).contains(&address) {
        return OUT_OF_RANGE_CONSTANT;
    }
    around.constants.file.get(address as usize).map_or(0, |value| value[element])
}
