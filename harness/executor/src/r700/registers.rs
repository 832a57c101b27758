//! Which registers instructions of fetch clauses read and write.

use parallax_isa::r700::{
    Case,
    state::{GLOBAL_COUNT, GPR_COUNT, State},
};

use super::decode::RelativeMode;

/// Which registers a program has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Registers {
    pub(super) declared: u32,
    pub(super) first_temporary: u32,
    pub(super) global: u32,
}

/// Where a result goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Gpr(usize),
    Global(usize),
    Nowhere,
}

impl Registers {
    pub(super) fn of(case: &Case) -> Self {
        Self {
            declared: case.gpr_count.min(GPR_COUNT as u32),
            first_temporary: 128 - case.clause_temporaries.min(128),
            global: case.global_gprs.min(GLOBAL_COUNT as u32),
        }
    }

    fn address(number: u8, step: u32, relative: bool, state: &State) -> u32 {
        u32::from(number) + step + if relative { state.current_loop.index } else { 0 }
    }

    /// The register read; 0 where a relative address leaves the declared ones.
    pub(super) fn source(self, number: u8, step: u32, relative: bool, state: &State) -> usize {
        let address = Self::address(number, step, relative, state);
        let end = if relative { self.declared } else { GPR_COUNT as u32 };
        if address < end { address as usize } else { 0 }
    }

    /// The register written, if there is one (decision D-r700-addresses).
    pub(super) fn target(self, number: u8, step: u32, relative: bool, state: &State) -> Target {
        let address = Self::address(number, step, relative, state);
        let temporary = !relative && (self.first_temporary..GPR_COUNT as u32).contains(&address);
        if address < self.declared || temporary {
            Target::Gpr(address as usize)
        } else {
            Target::Nowhere
        }
    }

    /// The same for memory reads: a relative address outside goes to register 0 (section 4.6.3).
    pub(super) fn memory_target(
        self,
        number: u8,
        step: u32,
        relative: bool,
        state: &State,
    ) -> Target {
        match self.target(number, step, relative, state) {
            Target::Nowhere if relative => Target::Gpr(0),
            target => target,
        }
    }

    pub(super) fn global_target(self, number: u8, step: u32) -> Target {
        let address = u32::from(number) + step;
        if address < self.global { Target::Global(address as usize) } else { Target::Nowhere }
    }

    /// The source of a local data share access for one pixel.
    pub(super) fn local_source(
        self,
        number: u8,
        step: u32,
        mode: RelativeMode,
        pixel: usize,
        state: &State,
    ) -> [u32; 4] {
        let register = match mode {
            RelativeMode::Global => match self.global_target(number, step) {
                Target::Global(number) => &state.global[number],
                _ => return [0; 4],
            },
            mode => &state.gpr[self.source(number, step, mode == RelativeMode::Loop, state)],
        };
        [0, 1, 2, 3].map(|element: usize| register[element][pixel])
    }
}

/// The dword a select gives; `None`: masked.
pub(super) fn selected(values: [u32; 4], select: u8) -> Option<u32> {
    match select {
        0..=3 => Some(values[usize::from(select)]),
        4 => Some(0),
        5 => Some(0x3F80_0000),
        _ => None,
    }
}

impl Target {
    /// Writes the selected values of one pixel.
    pub(super) fn put(self, pixel: usize, values: [u32; 4], select: [u8; 4], state: &mut State) {
        let register = match self {
            Self::Gpr(number) => &mut state.gpr[number],
            Self::Global(number) => &mut state.global[number],
            Self::Nowhere => return,
        };
        if select == [0, 1, 2, 3] {
            for (lanes, value) in register.iter_mut().zip(values) {
                lanes[pixel] = value;
            }
            return;
        }
        for (lanes, select) in register.iter_mut().zip(select) {
            if let Some(value) = selected(values, select) {
                lanes[pixel] = value;
            }
        }
    }
}
