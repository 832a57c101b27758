//! Runs ALU groups on the registers of 64 pixels.

use parallax_isa::r700::{
    case::{Constants, Profile},
    state::State,
};

use super::{
    decode::{AluSlot, ConstantWindow, IndexMode, Operand, Select},
    doubles,
    group::{MoveAddress, ReadyGroup, ReadySlot, Span, Work, source_count},
    kernels::{self, Lanes},
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

/// Working storage of a group, kept from one to the next.
pub(super) struct Scratch {
    /// Sources by unit.
    sources: [[Lanes; 3]; 5],
    /// Results by unit.
    results: [Lanes; 5],
    /// Pixels for which a predicate setter says execute, by unit.
    passing: [u64; 5],
}

impl Scratch {
    pub(super) fn new() -> Box<Self> {
        Box::new(Self { sources: [[[0; 64]; 3]; 5], results: [[0; 64]; 5], passing: [0; 5] })
    }
}

/// Why a group reads what its clause has not locked, if it does (decision D-r700-constants).
pub(super) fn unreadable(group: &ReadyGroup, around: &Surroundings) -> Option<String> {
    let operands = group
        .slots
        .iter()
        .flat_map(|ready| ready.slot.sources[..source_count(ready.slot.opcode)].iter());
    for operand in operands {
        if let Select::Window { window, index } = operand.select
            && u32::from(index) >= around.windows[usize::from(window)].length
        {
            return Some(format!("constant {index} of window {window} is not locked"));
        }
    }
    None
}

/// Runs one group: all sources are read before anything is written.
pub(super) fn run(
    group: &ReadyGroup,
    around: &Surroundings,
    scratch: &mut Scratch,
    state: &mut State,
) {
    let Scratch { sources, results, passing } = scratch;
    for ready in &group.slots {
        let slot = &ready.slot;
        let unit = usize::from(slot.unit);
        let copied = !matches!(ready.work, Work::Lane(_));
        for (operand, out) in
            slot.sources[..source_count(slot.opcode)].iter().zip(&mut sources[unit])
        {
            if copied || borrowed(operand, state).is_none() {
                fetch(slot, operand, around, state, out);
            }
        }
        if let Work::Lane(kernel) = ready.work {
            let source = |n: usize| borrowed(&slot.sources[n], state).unwrap_or(&sources[unit][n]);
            kernel([source(0), source(1), source(2)], &mut results[unit]);
            if kernels::sets_predicate(slot.opcode) {
                let operands = [source(0), source(1)];
                passing[unit] = kernels::passing(slot.opcode, operands, &results[unit]);
            }
            if kernels::delivers_float(slot.opcode) && (slot.output_modifier != 0 || slot.clamp) {
                let result = &mut results[unit];
                kernels::scale_and_clamp(result, slot.output_modifier, slot.clamp);
            }
        }
    }
    for span in &group.spans {
        run_span(*span, group, scratch);
    }
    commit(group, around, scratch, state);
}

/// The lanes an operand is read from, if it is read as they are.
#[inline]
fn borrowed<'a>(operand: &Operand, state: &'a State) -> Option<&'a Lanes> {
    if operand.relative || operand.absolute || operand.negate {
        return None;
    }
    let element = usize::from(operand.element);
    match operand.select {
        Select::Gpr(number) => Some(&state.gpr[usize::from(number)][element]),
        Select::PreviousVector => Some(&state.previous[element]),
        Select::PreviousScalar => Some(&state.previous[4]),
        _ => None,
    }
}

fn run_span(span: Span, group: &ReadyGroup, scratch: &mut Scratch) {
    let leader = span.slots().start;
    let slot = group.slots.iter().find(|ready| usize::from(ready.slot.unit) == leader);
    let Some(slot) = slot.map(|ready| &ready.slot) else { return };
    let finish = (slot.output_modifier, slot.clamp);
    let sources = [0, 1, 2, 3].map(|unit| {
        let [a, b, c] = &scratch.sources[unit];
        [a, b, c]
    });
    let pairs = sources.map(|[a, b, _]| [a, b]);
    let mut out = [[0; 64]; 4];
    match span {
        Span::Dot4 { ieee } => {
            kernels::dot4(pairs, ieee, &mut out[0]);
            kernels::scale_and_clamp(&mut out[0], finish.0, finish.1);
            out = [out[0]; 4];
        }
        Span::Max4 => {
            kernels::max4(sources.map(|[a, ..]| a), &mut out[0]);
            kernels::scale_and_clamp(&mut out[0], finish.0, finish.1);
            out = [out[0]; 4];
        }
        Span::Cube => {
            kernels::cube(pairs, &mut out);
            // The face number in W is left alone.
            for lanes in &mut out[..3] {
                kernels::scale_and_clamp(lanes, finish.0, finish.1);
            }
        }
        Span::Double { opcode, shape, first } => {
            doubles::run(opcode, shape, first, &sources, finish, &mut out);
        }
    }
    for unit in span.slots() {
        scratch.results[unit] = out[unit];
        scratch.passing[unit] = mask_of(&out[unit], |value| value == 0);
    }
}

/// Reads a source for all pixels, modifiers applied.
fn fetch(slot: &AluSlot, operand: &Operand, around: &Surroundings, state: &State, out: &mut Lanes) {
    let element = usize::from(operand.element);
    let relative = operand.relative.then_some(slot.index_mode);
    match operand.select {
        Select::Gpr(number) => match relative {
            None => *out = state.gpr[usize::from(number)][element],
            Some(mode) => fetch_relative(number, mode, element, around, state, out),
        },
        Select::Window { window, index } => {
            let window = &around.windows[usize::from(window)];
            *out = [window_constant(window, index, relative, element, around, state); 64];
        }
        Select::ConstantFile(number) => {
            fetch_constant(number, relative, element, around, state, out);
        }
        Select::Value(value) => *out = [value; 64],
        Select::PreviousVector => *out = state.previous[element],
        Select::PreviousScalar => *out = state.previous[4],
    }
    if operand.absolute || operand.negate {
        kernels::modify(out, operand.absolute, operand.negate);
    }
}

/// aL as a signed distance.
fn loop_index(state: &State) -> i32 {
    state.current_loop.index as i32
}

fn fetch_relative(
    number: u8,
    mode: IndexMode,
    element: usize,
    around: &Surroundings,
    state: &State,
    out: &mut Lanes,
) {
    match mode {
        IndexMode::Global | IndexMode::GlobalAddress => {
            for (pixel, out) in out.iter_mut().enumerate() {
                let index =
                    if mode == IndexMode::Global { 0 } else { i32::from(state.ar[0][pixel]) };
                let address = i32::from(number) + index;
                let inside = (0..around.global_count as i32).contains(&address);
                *out = if inside { state.global[address as usize][element][pixel] } else { 0 };
            }
        }
        IndexMode::Loop => {
            let register = readable(i32::from(number) + loop_index(state), around);
            *out = state.gpr[register][element];
        }
        IndexMode::Address(_) => {
            for (pixel, out) in out.iter_mut().enumerate() {
                let address = i32::from(number) + i32::from(state.ar[0][pixel]);
                *out = state.gpr[readable(address, around)][element][pixel];
            }
        }
    }
}

/// A computed register address, or register 0 where it leaves the declared ones.
fn readable(address: i32, around: &Surroundings) -> usize {
    if (0..around.gpr_count as i32).contains(&address) { address as usize } else { 0 }
}

fn window_constant(
    window: &ConstantWindow,
    index: u8,
    relative: Option<IndexMode>,
    element: usize,
    around: &Surroundings,
    state: &State,
) -> u32 {
    let offset = match relative {
        Some(IndexMode::Loop) => loop_index(state),
        _ => 0,
    };
    let index = i32::from(index) + offset;
    if !(0..window.length as i32).contains(&index) {
        return if relative.is_some() { OUT_OF_RANGE_CONSTANT } else { 0 };
    }
    let lines = if window.loop_relative { state.current_loop.index / 16 } else { 0 };
    let constant = (window.first + lines * 16) as usize + index as usize;
    let buffer = around.constants.buffers.get(usize::from(window.buffer));
    buffer.and_then(|buffer| buffer.get(constant)).map_or(0, |value| value[element])
}

fn fetch_constant(
    number: u8,
    relative: Option<IndexMode>,
    element: usize,
    around: &Surroundings,
    state: &State,
    out: &mut Lanes,
) {
    let read = |address: i32| {
        if !(0..256).contains(&address) {
            return OUT_OF_RANGE_CONSTANT;
        }
        around.constants.file.get(address as usize).map_or(0, |value| value[element])
    };
    match relative {
        None => *out = [read(i32::from(number)); 64],
        Some(IndexMode::Address(ar)) => {
            for (pixel, out) in out.iter_mut().enumerate() {
                *out = read(i32::from(number) + i32::from(state.ar[usize::from(ar)][pixel]));
            }
        }
        Some(IndexMode::Loop) => *out = [read(i32::from(number) + loop_index(state)); 64],
        Some(IndexMode::Global | IndexMode::GlobalAddress) => *out = [read(i32::from(number)); 64],
    }
}

/// Writes everything a group delivers: vector units first, so that Trans wins.
fn commit(group: &ReadyGroup, around: &Surroundings, scratch: &Scratch, state: &mut State) {
    let predicate = state.predicate;
    let (mut new_predicate, mut killed) = (predicate, 0);
    let is_trans = |ready: &&ReadySlot| ready.slot.unit == 4;
    let vector_first = group.slots.iter().filter(|ready| !is_trans(ready));
    for ready in vector_first.chain(group.slots.iter().filter(is_trans)) {
        let slot = &ready.slot;
        let unit = usize::from(slot.unit);
        let enabled = state.executing
            & match slot.predicate_select {
                2 => !predicate,
                3 => predicate,
                _ => u64::MAX,
            };
        let result = &scratch.results[unit];
        match ready.work {
            Work::Nop => continue,
            Work::MoveAddress(kind) => {
                let values = addresses(kind, &scratch.sources[unit][0], around.profile);
                merge(&mut state.ar[usize::from(slot.element)], &values, enabled);
                continue;
            }
            Work::Lane(_) | Work::Spanned => {}
        }
        merge(&mut state.previous[unit], result, enabled);
        if slot.write {
            write_register(slot, result, enabled, around, state);
        }
        if kernels::sets_predicate(slot.opcode) || doubles::sets_predicate(slot.opcode) {
            let pass = scratch.passing[unit];
            if slot.update_predicate {
                new_predicate = new_predicate & !enabled | pass & enabled;
            }
            if slot.update_execute_mask {
                state.execute_set |= enabled;
                state.execute_value = state.execute_value & !enabled | pass & enabled;
            }
        }
        if kernels::kills(slot.opcode) && around.pixel_program {
            killed |= enabled & mask_of(result, |value| value != 0);
        }
    }
    state.predicate = new_predicate;
    state.valid &= !killed;
}

/// Values of enabled pixels replace the old ones.
fn merge<T: Copy>(old: &mut [T; 64], new: &[T; 64], enabled: u64) {
    if enabled == u64::MAX {
        *old = *new;
        return;
    }
    for (number, (old, new)) in old.chunks_exact_mut(8).zip(new.chunks_exact(8)).enumerate() {
        match enabled >> (8 * number) & 0xFF {
            0 => {}
            0xFF => old.copy_from_slice(new),
            mask => {
                for (pixel, (old, new)) in old.iter_mut().zip(new).enumerate() {
                    *old = if mask >> pixel & 1 == 1 { *new } else { *old };
                }
            }
        }
    }
}

fn mask_of(lanes: &Lanes, test: impl Fn(u32) -> bool) -> u64 {
    lanes.iter().enumerate().fold(0, |mask, (pixel, &lane)| mask | u64::from(test(lane)) << pixel)
}

/// The results of MOVA*: nine bits, what does not fit as the manual's code has it.
fn addresses(kind: MoveAddress, source: &Lanes, profile: Profile) -> [i16; 64] {
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

fn write_register(
    slot: &AluSlot,
    result: &Lanes,
    enabled: u64,
    around: &Surroundings,
    state: &mut State,
) {
    let element = usize::from(slot.element);
    let base = i32::from(slot.gpr);
    if !slot.destination_relative {
        let address = u32::from(slot.gpr);
        if address < around.gpr_count || address >= around.first_temporary {
            merge(&mut state.gpr[address as usize][element], result, enabled);
        }
        return;
    }
    match slot.index_mode {
        IndexMode::Loop => {
            let address = base + loop_index(state);
            if (0..around.gpr_count as i32).contains(&address) {
                merge(&mut state.gpr[address as usize][element], result, enabled);
            }
        }
        mode => {
            for pixel in (0..64).filter(|pixel| enabled >> pixel & 1 == 1) {
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
