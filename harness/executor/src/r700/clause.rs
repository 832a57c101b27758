//! Runs ALU groups on the registers of 64 pixels.

use parallax_isa::r700::{
    case::{Constants, Profile},
    state::State,
};

use super::{
    decode::{AluSlot, ConstantWindow, IndexMode, Operand, Select},
    doubles::{self, Shape},
    fetch::ones,
    group::{Input, MoveAddress, ReadyGroup, ReadySlot, Source, Span, SpanOperation, Work},
    kernels::{self, Lanes, Modifiers, zero_mask},
};

/// What a relative read outside its constants gives.
const OUT_OF_RANGE_CONSTANT: u32 = 0x7FFF_FFFF;

/// Everything a clause reads besides the state.
pub(super) struct Surroundings<'a> {
    pub(super) constants: &'a Constants,
    pub(super) windows: [ConstantWindow; 2],
    pub(super) profile: Profile,
    /// Declared registers.
    pub(super) gpr_count: u32,
    /// First clause temporary; 128 without any.
    pub(super) first_temporary: u32,
    pub(super) global_count: u32,
    /// Kills take effect.
    pub(super) pixel_program: bool,
}

/// Working storage of a group, kept from one to the next; registers start where vectors do.
#[repr(C, align(64))]
pub(super) struct Scratch {
    /// Sources by unit, where they are not read in place.
    sources: [[Lanes; 3]; 5],
    /// Results by unit.
    results: [Lanes; 5],
    /// Results for the address register, by vector unit.
    addresses: [[i16; 64]; 4],
    /// Pixels for which a predicate setter says execute, by unit.
    passing: [u64; 5],
    enabled: LaneMask,
}

/// A mask of pixels with the same as lanes of all ones and all zeros.
struct LaneMask {
    mask: u64,
    lanes: Lanes,
}

impl LaneMask {
    #[inline(always)]
    fn set(&mut self, mask: u64) {
        if mask != self.mask {
            self.mask = mask;
            self.lanes =
                std::array::from_fn(|pixel| if mask >> pixel & 1 == 1 { u32::MAX } else { 0 });
        }
    }

    /// Values of pixels in the mask replace the old ones.
    #[inline(always)]
    fn merge(&self, old: &mut Lanes, new: &Lanes) {
        if self.mask == u64::MAX {
            copy(old, new);
            return;
        }
        for ((old, new), lane) in old.iter_mut().zip(new).zip(&self.lanes) {
            *old = *old & !lane | *new & lane;
        }
    }
}

impl Scratch {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self {
            sources: [[[0; 64]; 3]; 5],
            results: [[0; 64]; 5],
            addresses: [[0; 64]; 4],
            passing: [0; 5],
            enabled: LaneMask { mask: 0, lanes: [0; 64] },
        })
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

/// Runs one group: all sources are read before anything is written.
///
/// It is compiled for several instruction sets, with all it calls for whole registers.
#[inline(always)]
pub(super) fn run(
    group: &ReadyGroup,
    around: &Surroundings,
    scratch: &mut Scratch,
    state: &mut State,
) {
    for ready in &group.slots {
        let Scratch { sources, results, addresses, passing, .. } = &mut *scratch;
        let unit = usize::from(ready.slot.unit);
        let fetched = &mut sources[unit];
        for (number, out) in fetched.iter_mut().enumerate().take(ready.source_count) {
            fetch(ready, number, around, state, out);
        }
        let operands = operands(ready, around, fetched, state);
        let result = &mut results[unit];
        match ready.work {
            Work::Lane(kernel) => kernel(&operands, result),
            Work::MoveAddress(kind) => {
                addresses[unit] = move_address(kind, operands[0], around.profile);
                continue;
            }
            Work::Nop | Work::Spanned => continue,
        }
        if ready.sets_predicate {
            passing[unit] = kernels::passing(ready.slot.opcode, [operands[0], operands[1]], result);
        }
        let AluSlot { output_modifier, clamp, .. } = ready.slot;
        if (output_modifier != 0 || clamp) && kernels::delivers_float(ready.slot.opcode) {
            kernels::scale_and_clamp(result, output_modifier, clamp);
        }
    }
    for span in &group.spans {
        run_span(span, group, around, scratch, state);
    }
    commit(group, around, scratch, state);
}

/// The lanes of a slot's sources, modifiers applied, once they are [fetched](fetch).
#[inline(always)]
fn operands<'a>(
    ready: &ReadySlot,
    around: &Surroundings,
    fetched: &'a [Lanes; 3],
    state: &'a State,
) -> [&'a Lanes; 3] {
    [
        operand(ready, 0, around, &fetched[0], state),
        operand(ready, 1, around, &fetched[1], state),
        operand(ready, 2, around, &fetched[2], state),
    ]
}

#[inline(always)]
fn operand<'a>(
    ready: &ReadySlot,
    number: usize,
    around: &Surroundings,
    fetched: &'a Lanes,
    state: &'a State,
) -> &'a Lanes {
    let source = &ready.sources[number];
    let unchanged = number < ready.source_count && source.modifiers == Modifiers::NONE;
    let in_place = if unchanged { lanes(source.input, around, state) } else { None };
    in_place.unwrap_or(fetched)
}

/// The lanes of a source as they are in the state, if they are there.
#[inline(always)]
fn lanes<'a>(input: Input, around: &Surroundings, state: &'a State) -> Option<&'a Lanes> {
    match input {
        Input::Register { number, element } => {
            Some(&state.gpr[usize::from(number)][usize::from(element)])
        }
        Input::LoopRegister { number, element } => {
            let register = readable(i32::from(number) + loop_index(state), around);
            Some(&state.gpr[register][usize::from(element)])
        }
        Input::Previous(unit) => Some(&state.previous[usize::from(unit)]),
        _ => None,
    }
}

/// Fetches a source that is not used as it is in the state, modifiers applied.
#[inline(always)]
fn fetch(ready: &ReadySlot, number: usize, around: &Surroundings, state: &State, out: &mut Lanes) {
    let (slot, operand) = (&ready.slot, &ready.slot.sources[number]);
    let Source { input, modifiers } = ready.sources[number];
    match input {
        Input::Constant(value) => *out = [value; 64],
        Input::LoopConstant => {
            let index = loop_index(state);
            *out = [modifiers.apply(constant(slot, operand, around, index)); 64];
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

#[inline(always)]
fn run_span(
    span: &Span,
    group: &ReadyGroup,
    around: &Surroundings,
    scratch: &mut Scratch,
    state: &State,
) {
    let Scratch { sources, results, passing, .. } = scratch;
    let slots = span.places.map(|place| &group.slots[place]);
    let operands =
        slots.map(|ready| operands(ready, around, &sources[usize::from(ready.slot.unit)], state));
    let pairs = operands.map(|[a, b, _]| [a, b]);
    let AluSlot { output_modifier, clamp, .. } = slots[span.first].slot;
    let [x, y, z, w, _] = results;
    match span.operation {
        SpanOperation::Dot4 { ieee } => {
            kernels::dot4(pairs, ieee, x);
            kernels::scale_and_clamp(x, output_modifier, clamp);
        }
        SpanOperation::Max4 => {
            kernels::max4(operands.map(|[a, ..]| a), x);
            kernels::scale_and_clamp(x, output_modifier, clamp);
        }
        SpanOperation::Cube => {
            kernels::cube(pairs, [&mut *x, &mut *y, &mut *z, w]);
            // The face number in W is left alone.
            for lanes in [x, y, z] {
                kernels::scale_and_clamp(lanes, output_modifier, clamp);
            }
        }
        SpanOperation::Double { opcode, shape } => {
            let finish = (output_modifier, clamp);
            match shape {
                Shape::TwoSlots(pair) => {
                    let first = span.first;
                    let halves = [operands[first], operands[first + 1]];
                    let (low, high) = if first == 0 { (x, y) } else { (z, w) };
                    doubles::run(opcode, pair, halves, finish, low, high);
                    if doubles::sets_predicate(opcode) {
                        passing[first] = zero_mask(&results[first]);
                        passing[first + 1] = zero_mask(&results[first + 1]);
                    }
                }
                Shape::FourSlots(pair) => {
                    doubles::run(opcode, pair, [operands[0], operands[3]], finish, x, y);
                }
                Shape::Frexp => doubles::split(operands.map(|[a, ..]| a), [x, y, z, w]),
            }
        }
    }
}

/// aL as a signed distance.
#[inline(always)]
fn loop_index(state: &State) -> i32 {
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
pub(super) fn constant(
    slot: &AluSlot,
    operand: &Operand,
    around: &Surroundings,
    loop_index: i32,
) -> u32 {
    let element = usize::from(operand.element);
    let distance =
        if operand.relative && slot.index_mode == IndexMode::Loop { loop_index } else { 0 };
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

fn file_constant(address: i32, element: usize, around: &Surroundings) -> u32 {
    if !(0..256).contains(&address) {
        return OUT_OF_RANGE_CONSTANT;
    }
    around.constants.file.get(address as usize).map_or(0, |value| value[element])
}

/// Writes everything a group delivers.
#[inline(always)]
fn commit(group: &ReadyGroup, around: &Surroundings, scratch: &mut Scratch, state: &mut State) {
    let predicate = state.predicate;
    let (mut new_predicate, mut killed) = (predicate, 0);
    for ready in &group.slots {
        let slot = &ready.slot;
        let unit = usize::from(slot.unit);
        let enabled = state.executing
            & match slot.predicate_select {
                2 => !predicate,
                3 => predicate,
                _ => u64::MAX,
            };
        match ready.work {
            Work::Nop => continue,
            Work::MoveAddress(_) => {
                let address = &mut state.ar[usize::from(slot.element)];
                for pixel in ones(enabled) {
                    address[pixel] = scratch.addresses[unit][pixel];
                }
                continue;
            }
            Work::Lane(_) | Work::Spanned => {}
        }
        scratch.enabled.set(enabled);
        let result = &scratch.results[ready.result];
        scratch.enabled.merge(&mut state.previous[unit], result);
        if slot.write {
            write_register(slot, result, &scratch.enabled, around, state);
        }
        if ready.sets_predicate {
            let pass = scratch.passing[unit];
            if slot.update_predicate {
                new_predicate = new_predicate & !enabled | pass & enabled;
            }
            if slot.update_execute_mask {
                state.execute_set |= enabled;
                state.execute_value = state.execute_value & !enabled | pass & enabled;
            }
        }
        if ready.kills && around.pixel_program {
            killed |= enabled & !zero_mask(result);
        }
    }
    state.predicate = new_predicate;
    state.valid &= !killed;
}

/// Copies in quarters, which are moved in vector registers; for the whole the compiler would call
/// a function.
#[inline(always)]
fn copy(old: &mut Lanes, new: &Lanes) {
    if let ([a, b, c, d], [e, f, g, h]) = (old.as_chunks_mut::<16>().0, new.as_chunks().0) {
        (*a, *b, *c, *d) = (*e, *f, *g, *h);
    }
}

/// The results of MOVA*: nine bits, what does not fit as the manual's code has it.
fn move_address(kind: MoveAddress, source: &Lanes, profile: Profile) -> [i16; 64] {
    let too_large = match profile {
        Profile::Manual => -256,
        Profile::Silicon => 255,
    };
    source.map(|bits| {
        let value = f64::from(f32::from_bits(kernels::flush(bits)));
        let value = match kind {
            MoveAddress::Nearest => f64::from((value as f32 + 0.5).floor()),
            MoveAddress::Floor => value.floor(),
            MoveAddress::Integer => f64::from(bits.cast_signed()),
        };
        if value > 255.0 {
            too_large
        } else if value >= -256.0 {
            value as i16
        } else {
            -256
        }
    })
}

#[inline(always)]
fn write_register(
    slot: &AluSlot,
    result: &Lanes,
    enabled: &LaneMask,
    around: &Surroundings,
    state: &mut State,
) {
    let element = usize::from(slot.element);
    let base = i32::from(slot.gpr);
    if !slot.destination_relative {
        let address = u32::from(slot.gpr);
        if address < around.gpr_count || address >= around.first_temporary {
            enabled.merge(&mut state.gpr[address as usize][element], result);
        }
        return;
    }
    match slot.index_mode {
        IndexMode::Loop => {
            let address = base + loop_index(state);
            if (0..around.gpr_count as i32).contains(&address) {
                enabled.merge(&mut state.gpr[address as usize][element], result);
            }
        }
        mode => {
            for pixel in ones(enabled.mask) {
                let index = i32::from(state.ar[0][pixel]);
                let (address, file, count) = match mode {
                    IndexMode::Global => (base, &mut state.global[..], around.global_count),
                    IndexMode::GlobalAddress => {
                        (base + index, &mut state.global[..], around.global_count)
                    }
                    _ => (base + index, &mut state.gpr[..], around.gpr_count),
                };
                if (0..count as i32).contains(&address) {
                    file[address as usize][element][pixel] = result[pixel];
                }
            }
        }
    }
}
