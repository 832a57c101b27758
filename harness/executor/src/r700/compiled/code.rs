//! Machine code of a block, and how it is run.
#![allow(unsafe_code)]

use std::mem::offset_of;

use parallax_isa::{
    Image as _,
    r700::{State, state::PIXELS},
};

use super::{
    Chunk, LANES, Room,
    assemble::{Assembled, assemble},
    lower::{Entry, Lowering},
};
use crate::{
    machine_code::Pages,
    r700::{
        operand::{led_constant, led_to, uniform},
        ready::ReadyGroup,
        surroundings::Surroundings,
    },
    simd::Avx2,
};

/// The most groups and values of a block: what is longer goes on as another one.
const MOST_GROUPS: usize = 64;
const MOST_VALUES: usize = 4000;

/// The code's convention: the state, room for values, constants, and what the code is told.
type Entered = unsafe extern "sysv64" fn(*mut u8, *mut Chunk, *const Chunk, *const u64);

/// A block as machine code.
pub(super) struct Code {
    pages: Pages,
    constants: Box<[Chunk]>,
    table: Box<[Entry]>,
    room: usize,
}

/// The code of as many of these groups as it can be made of; `None` if it cannot be made of the first.
pub(super) fn block(groups: &[ReadyGroup], around: &Surroundings) -> Option<(usize, Code)> {
    let proof = Avx2::detect()?;
    let mut lowerings = [true, false].map(|is_careful| Lowering::new(around, is_careful));
    let mut count = 0;
    while count < groups.len().min(MOST_GROUPS) && lowerings[0].size() < MOST_VALUES {
        let [careful, usual] = &mut lowerings;
        if careful.group(&groups[count]).is_none() || usual.group(&groups[count]).is_none() {
            break;
        }
        count += 1;
    }
    if count == 0 {
        return None;
    }
    let [careful, usual] = lowerings.map(|lowering| lowering.finish(count == groups.len()));
    let code = Code::new(proof, assemble(&careful, &usual).ok()?)?;
    Some((count, code))
}

impl Code {
    /// Makes assembled code ready to run; `None` if there is too much of it or no memory for it.
    pub(super) fn new(proof: Avx2, assembled: Assembled) -> Option<Self> {
        let Assembled { bytes, constants, table, room } = assembled;
        let pages = Pages::new(proof, &bytes)?;
        Some(Self { pages, constants, table, room })
    }

    /// Runs it for all pixels that execute.
    pub(super) fn run(&self, around: &Surroundings, room: &mut Room, state: &mut State) {
        if room.values.len() < self.room {
            room.values.resize(self.room, [0; LANES]);
        }
        if room.table.len() < self.table.len() {
            room.table.resize(self.table.len(), 0);
        }
        for (entry, told) in self.table.iter().zip(&mut room.table) {
            *told = match entry {
                Entry::File(number, element, modifiers) => {
                    led_constant(*number, *element, *modifiers, around, state).into()
                }
                Entry::Window(mode, operand, modifiers) => {
                    uniform(*mode, operand, *modifiers, around, state).into()
                }
                Entry::Led(number) => {
                    let register = led_to(*number, around, state);
                    let at = offset_of!(State, gpr) + 16 * PIXELS * register;
                    at as u64
                }
            };
        }
        let image: *mut u8 = state.image_mut().as_mut_ptr();
        // SAFETY: the pages hold a whole function of this type, which only `assemble` makes. It reads and
        // writes lanes and masks of the state by offsets of its fields, of registers that the decoder or
        // `led_to` keeps below their number; the chunks of room and table that it asked for, and the
        // constants it was assembled with. It keeps to the convention of the type: it changes registers
        // that the caller gives away, the red zone below the stack, and leaves MXCSR as it was. It ends
        // after eight turns. `Pages` has proof that the processor has AVX2.
        unsafe {
            let entered: Entered = std::mem::transmute(self.pages.start());
            let (values, table) = (room.values.as_mut_ptr(), room.table.as_ptr());
            entered(image, values, self.constants.as_ptr(), table);
        }
    }

    /// Bytes of pages it takes.
    pub(super) fn bytes(&self) -> usize {
        self.pages.bytes()
    }

    /// The machine code.
    #[cfg(test)]
    pub(super) fn machine_code(&self) -> &[u8] {
        self.pages.machine_code()
    }

    /// How many constants, entries of the table and chunks of room it has.
    #[cfg(test)]
    pub(super) fn counts(&self) -> (usize, usize, usize) {
        (self.constants.len(), self.table.len(), self.room)
    }
}
