//! What is in the vector registers while a segment runs: registers of the thread, which go back at its
//! end or when their place is needed, and values that are made once.

use iced_x86::{Register, code_asm::*};

use super::layout::{CHUNK_BYTES, Chunk, REGISTERS};

type Result<T> = std::result::Result<T, IcedError>;

/// The state, room for what is saved, constants.
pub(super) const STATE: AsmRegister64 = rdi;
const ROOM: AsmRegister64 = rsi;
const CONSTANTS: AsmRegister64 = rdx;
/// The flag registers.
pub(super) const FLAGS: AsmRegister64 = r8;
/// Registers of nobody, for intermediate values.
pub(super) const FIRST: AsmRegisterYmm = ymm0;
pub(super) const SECOND: AsmRegisterYmm = ymm1;
pub(super) const LOW: AsmRegisterYmm = ymm2;
pub(super) const LEFT: AsmRegisterYmm = ymm4;
pub(super) const RIGHT: AsmRegisterYmm = ymm5;
/// What is saved goes through this one, at any time; so do masks of what is not a number.
pub(super) const SAVING: AsmRegisterYmm = ymm3;
/// The others hold places.
const SLOTS: [AsmRegisterYmm; 10] =
    [ymm6, ymm7, ymm8, ymm9, ymm10, ymm11, ymm12, ymm13, ymm14, ymm15];

/// The lower half of a vector register.
pub(super) fn xmm(register: AsmRegisterYmm) -> AsmRegisterXmm {
    const LOWER: [AsmRegisterXmm; 16] = [
        xmm0, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13,
        xmm14, xmm15,
    ];
    LOWER[(Register::from(register) as usize - Register::YMM0 as usize) & 15]
}

/// What a vector register can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// 32 bytes of the state, from this one on.
    Place(u16),
    /// So many bytes of the state in the first lanes.
    Part(u16, u8),
    /// A doubleword of the state, in all lanes.
    Splat(u16),
    /// A word of the state, in all lanes.
    SplatWord(u16),
    Mask(Mask),
    /// What was a mask, and stands for some flags still.
    Truth,
}

/// The bits of the flag registers that a vector of lanes stands for, and nothing else has yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Truth {
    /// Those bits; the first lane is the bit `first`.
    pub(super) bits: u64,
    pub(super) first: u8,
    /// A bit is set where its lane is not.
    pub(super) inverted: bool,
    pub(super) has_words: bool,
}

/// A vector with all bits of the lanes that are in a mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mask {
    /// The first bit of the flags, and whether it is inverted.
    pub(super) flag: Option<(u8, bool)>,
    /// The first of the active channels, if these have a part in it.
    pub(super) active: Option<u8>,
    /// The first channel.
    pub(super) channel: u8,
    /// How many lanes it is of, and the bytes of each; that of one channel is in all lanes.
    pub(super) lanes: u8,
    pub(super) bytes: u8,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slot {
    pub(super) held: Option<Held>,
    /// It is not in the state yet.
    is_new: bool,
    /// All of it are floats, and what is not a number among them may be any such.
    any_nan: bool,
    /// All of it are accumulator channels of words, which may have more than 33 bits here.
    is_long: bool,
    /// The flags that it stands for.
    pub(super) truth: Option<Truth>,
    used: u32,
}

/// A source of an instruction.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    Register(AsmRegisterYmm),
    Memory(AsmMemoryOperand),
}

/// Up to sixteen bytes: the first of a register, or those at an address.
pub(super) enum Piece {
    Register(AsmRegisterXmm),
    Memory(AsmMemoryOperand),
}

/// The registers, and the code so far.
pub(super) struct RegisterAllocation {
    pub(super) asm: CodeAssembler,
    pub(super) slots: [Slot; SLOTS.len()],
    clock: u32,
    /// Chunks of the state that were saved before they were written; `None` if nothing can make the
    /// segment take back what it did.
    saved: Option<Vec<u16>>,
    /// Chunks of the state that are written.
    stored: Vec<u16>,
    constants: Vec<Chunk>,
}

impl RegisterAllocation {
    pub(super) fn new(saves: bool) -> Result<Self> {
        Ok(Self {
            asm: CodeAssembler::new(64)?,
            slots: [Slot::default(); SLOTS.len()],
            clock: 0,
            saved: saves.then(Vec::new),
            stored: Vec::new(),
            constants: Vec::new(),
        })
    }

    pub(super) fn finish(self) -> (CodeAssembler, Vec<Chunk>, Vec<u16>) {
        (self.asm, self.constants, self.saved.unwrap_or_default())
    }

    /// Bytes of the state. What lies behind the registers is never touched.
    pub(super) fn place(at: usize, bytes: usize) -> AsmMemoryOperand {
        assert!(at + bytes <= REGISTERS, "a segment works on registers");
        ymmword_ptr(STATE + at)
    }

    /// A constant vector of doublewords.
    pub(super) fn constant(&mut self, lanes: [u32; 8]) -> AsmMemoryOperand {
        let mut chunk = [0; CHUNK_BYTES];
        for (place, lane) in chunk.chunks_exact_mut(4).zip(lanes) {
            place.copy_from_slice(&lane.to_le_bytes());
        }
        let known = self.constants.iter().position(|known| *known == chunk);
        let index = known.unwrap_or_else(|| {
            self.constants.push(chunk);
            self.constants.len() - 1
        });
        ymmword_ptr(CONSTANTS + CHUNK_BYTES * index)
    }

    /// The same doubleword in all lanes.
    pub(super) fn all(&mut self, lane: u32) -> AsmMemoryOperand {
        self.constant([lane; 8])
    }

    fn touch(&mut self, slot: usize) -> AsmRegisterYmm {
        self.clock += 1;
        self.slots[slot].used = self.clock;
        SLOTS[slot]
    }

    /// The register that holds something, if one does.
    fn find(&mut self, held: Held) -> Option<AsmRegisterYmm> {
        let slot = self.slots.iter().position(|slot| slot.held == Some(held))?;
        Some(self.touch(slot))
    }

    /// A register for something, whose value the caller puts there. One that was used for the
    /// instruction at hand is never taken: it has not as many operands as there are registers.
    fn take(&mut self, held: Held) -> Result<AsmRegisterYmm> {
        let oldest = (0..SLOTS.len()).min_by_key(|slot| {
            let Slot { held, is_new, used, .. } = self.slots[*slot];
            (held.is_some(), used, is_new)
        });
        let slot = oldest.expect("there are registers");
        self.write_back(slot)?;
        self.write_back_truth(slot)?;
        self.slots[slot] = Slot { held: Some(held), ..Slot::default() };
        Ok(self.touch(slot))
    }

    /// Writes what a register holds to the state, if it is not there.
    fn write_back(&mut self, slot: usize) -> Result<()> {
        if let Slot { held: Some(Held::Place(at)), is_new: true, .. } = self.slots[slot] {
            self.make_nans_of(slot)?;
            self.cut(slot)?;
            self.save(usize::from(at), CHUNK_BYTES)?;
            self.note_stored(usize::from(at), CHUNK_BYTES);
            self.asm.vmovups(Self::place(usize::from(at), CHUNK_BYTES), SLOTS[slot])?;
            self.slots[slot].is_new = false;
        }
        Ok(())
    }

    /// Notes the chunks that bytes lie in as written.
    pub(super) fn note_stored(&mut self, at: usize, bytes: usize) {
        let first = at / CHUNK_BYTES * CHUNK_BYTES;
        for chunk in (first..at + bytes).step_by(CHUNK_BYTES) {
            if !self.stored.contains(&(chunk as u16)) {
                self.stored.push(chunk as u16);
            }
        }
    }

    /// The chunks that were noted.
    pub(super) fn stored(&self) -> &[u16] {
        &self.stored
    }

    /// Forgets all that registers hold, which is in the state.
    pub(super) fn forget_all(&mut self) {
        self.slots = Default::default();
    }

    /// Saves the chunks that bytes lie in before they are written for the first time.
    fn save(&mut self, at: usize, bytes: usize) -> Result<()> {
        let Some(saved) = &mut self.saved else { return Ok(()) };
        let first = at / CHUNK_BYTES * CHUNK_BYTES;
        for chunk in (first..at + bytes).step_by(CHUNK_BYTES) {
            if saved.contains(&(chunk as u16)) {
                continue;
            }
            self.asm.vmovups(SAVING, Self::place(chunk, CHUNK_BYTES))?;
            self.asm.vmovups(ymmword_ptr(ROOM + CHUNK_BYTES * saved.len()), SAVING)?;
            saved.push(chunk as u16);
        }
        Ok(())
    }

    /// Brings bytes of the state up to date.
    fn write_back_bytes(&mut self, at: usize, bytes: usize) -> Result<()> {
        for slot in 0..SLOTS.len() {
            if self.slots[slot].held.is_some_and(|held| held.overlaps(at, bytes)) {
                self.write_back(slot)?;
            }
        }
        Ok(())
    }

    /// Forgets what is held of bytes that are written now.
    fn forget(&mut self, at: usize, bytes: usize, but: Option<Held>) {
        for slot in &mut self.slots {
            if slot.held.is_some_and(|held| Some(held) != but && held.overlaps(at, bytes)) {
                *slot = Slot::default();
            }
        }
    }

    /// Makes what is not a number in bytes of the state the one that arithmetic gives.
    pub(super) fn make_nans_one(&mut self, at: usize, bytes: usize) -> Result<()> {
        for slot in 0..SLOTS.len() {
            if self.slots[slot].held.is_some_and(|held| held.overlaps(at, bytes)) {
                self.make_nans_of(slot)?;
            }
        }
        Ok(())
    }

    fn make_nans_of(&mut self, slot: usize) -> Result<()> {
        if std::mem::take(&mut self.slots[slot].any_nan) {
            self.make_nan_one(SLOTS[slot])?;
        }
        Ok(())
    }

    /// Whether that is not done yet in a chunk.
    pub(super) fn has_any_nan(&self, at: usize) -> bool {
        let held = Some(Held::Place(at as u16));
        self.slots.iter().any(|slot| slot.held == held && slot.any_nan)
    }

    /// 32 bytes of the state.
    pub(super) fn packed(&mut self, at: usize) -> Result<Source> {
        if at.is_multiple_of(CHUNK_BYTES) {
            return Ok(match self.find(Held::Place(at as u16)) {
                Some(register) => Source::Register(register),
                None => Source::Memory(Self::place(at, CHUNK_BYTES)),
            });
        }
        self.write_back_bytes(at, CHUNK_BYTES)?;
        Ok(Source::Memory(Self::place(at, CHUNK_BYTES)))
    }

    /// A few bytes of the state: the first lanes of a vector. What is in the others does not matter.
    /// Doublewords that are within a chunk come out of its register, which waits for no memory.
    pub(super) fn part(&mut self, at: usize, bytes: usize) -> Result<Source> {
        let chunk = at / CHUNK_BYTES * CHUNK_BYTES;
        let first = (at - chunk) / 4;
        if !at.is_multiple_of(4) || at + bytes > chunk + CHUNK_BYTES {
            // The bytes behind the last register are of something else, and only read.
            self.write_back_bytes(at, bytes)?;
            return Ok(Source::Memory(Self::place(at, CHUNK_BYTES)));
        }
        let whole = self.kept(chunk)?;
        if first == 0 {
            return Ok(Source::Register(whole));
        }
        let held = Held::Part(at as u16, bytes as u8);
        if let Some(register) = self.find(held) {
            return Ok(Source::Register(register));
        }
        self.make_nans_one(chunk, CHUNK_BYTES)?;
        let register = self.take(held)?;
        match first {
            4 => self.asm.vextracti128(xmm(register), whole, 1)?,
            2 | 6 => {
                let pairs =
                    (0..4).fold(0, |all, pair| all | ((first / 2 + pair) % 4) << (2 * pair));
                self.asm.vpermq(register, whole, pairs as u32)?;
            }
            _ => {
                let index = self.constant(std::array::from_fn(|lane| (first + lane) as u32 % 8));
                self.asm.vmovups(LOW, index)?;
                self.asm.vpermd(register, LOW, whole)?;
            }
        }
        Ok(Source::Register(register))
    }

    /// Up to sixteen bytes of the state. They are taken out of a register that is not in the state yet,
    /// through another one.
    pub(super) fn piece(
        &mut self,
        at: usize,
        bytes: usize,
        through: AsmRegisterYmm,
    ) -> Result<Piece> {
        let chunk = at / CHUNK_BYTES * CHUNK_BYTES;
        let (half, byte) = ((at - chunk) / 16, (at - chunk) % 16);
        let is_new = |slot: &Slot| slot.held == Some(Held::Place(chunk as u16)) && slot.is_new;
        if byte + bytes > 16 || !self.slots.iter().any(is_new) {
            self.write_back_bytes(at, bytes)?;
            assert!(at + 16 <= REGISTERS, "a segment works on registers");
            return Ok(Piece::Memory(STATE + at));
        }
        let whole = self.kept(chunk)?;
        Ok(Piece::Register(self.lowest(whole, half, byte, through)?))
    }

    /// The bytes of a half of a register from one of its bytes on, as the lowest of another.
    fn lowest(
        &mut self,
        whole: AsmRegisterYmm,
        half: usize,
        byte: usize,
        through: AsmRegisterYmm,
    ) -> Result<AsmRegisterXmm> {
        let mut from = xmm(whole);
        if half > 0 {
            self.asm.vextracti128(xmm(through), whole, 1)?;
            from = xmm(through);
        }
        if byte > 0 {
            self.asm.vpsrldq(xmm(through), from, byte as u32)?;
            from = xmm(through);
        }
        Ok(from)
    }

    /// 32 bytes of the state, in a register that keeps them.
    pub(super) fn kept(&mut self, at: usize) -> Result<AsmRegisterYmm> {
        let register = self.kept_long(at)?;
        let slot = self.slots.iter().position(|slot| slot.held == Some(Held::Place(at as u16)));
        slot.map_or(Ok(()), |slot| self.cut(slot))?;
        Ok(register)
    }

    /// The same of accumulator channels of words, whose bits beyond the 33 may be any.
    pub(super) fn kept_long(&mut self, at: usize) -> Result<AsmRegisterYmm> {
        let held = Held::Place(at as u16);
        if let Some(register) = self.find(held) {
            return Ok(register);
        }
        let register = self.take(held)?;
        self.asm.vmovups(register, Self::place(at, CHUNK_BYTES))?;
        Ok(register)
    }

    /// A doubleword of the state, in all lanes.
    pub(super) fn splat(&mut self, at: usize) -> Result<AsmRegisterYmm> {
        let held = Held::Splat(at as u16);
        if let Some(register) = self.find(held) {
            return Ok(register);
        }
        let chunk = at / CHUNK_BYTES * CHUNK_BYTES;
        let lane = (at - chunk) / 4;
        if at.is_multiple_of(4)
            && let Some(whole) = self.find(Held::Place(chunk as u16))
        {
            self.make_nans_one(chunk, CHUNK_BYTES)?;
            let register = self.take(held)?;
            match lane {
                0 => self.asm.vbroadcastss(register, xmm(whole))?,
                1..=3 => {
                    self.asm.vpshufd(xmm(register), xmm(whole), lane as u32)?;
                    self.asm.vbroadcastss(register, xmm(register))?;
                }
                _ => {
                    let index = self.all(lane as u32);
                    self.asm.vmovups(LOW, index)?;
                    self.asm.vpermd(register, LOW, whole)?;
                }
            }
            return Ok(register);
        }
        self.write_back_bytes(at, 4)?;
        let register = self.take(held)?;
        assert!(at + 4 <= REGISTERS, "a segment works on registers");
        self.asm.vbroadcastss(register, dword_ptr(STATE + at))?;
        Ok(register)
    }

    /// A word of the state, in all lanes.
    pub(super) fn splat_word(&mut self, at: usize) -> Result<AsmRegisterYmm> {
        let held = Held::SplatWord(at as u16);
        if let Some(register) = self.find(held) {
            return Ok(register);
        }
        let chunk = at / CHUNK_BYTES * CHUNK_BYTES;
        if at.is_multiple_of(2)
            && let Some(whole) = self.find(Held::Place(chunk as u16))
        {
            self.make_nans_one(chunk, CHUNK_BYTES)?;
            let register = self.take(held)?;
            let (half, byte) = ((at - chunk) / 16, (at - chunk) % 16);
            let word = self.lowest(whole, half, byte, register)?;
            self.asm.vpbroadcastw(register, word)?;
            return Ok(register);
        }
        self.write_back_bytes(at, 2)?;
        let register = self.take(held)?;
        assert!(at + 2 <= REGISTERS, "a segment works on registers");
        self.asm.vpbroadcastw(register, word_ptr(STATE + at))?;
        Ok(register)
    }

    /// The register that holds a vector mask, if one does.
    pub(super) fn mask_held(&mut self, mask: Mask) -> Option<AsmRegisterYmm> {
        self.find(Held::Mask(mask))
    }

    /// A register for a vector mask, which the caller makes.
    pub(super) fn mask(&mut self, mask: Mask) -> Result<AsmRegisterYmm> {
        self.take(Held::Mask(mask))
    }

    /// The register that 32 bytes of the state are written to as a whole.
    pub(super) fn target(&mut self, at: usize) -> Result<AsmRegisterYmm> {
        let held = Held::Place(at as u16);
        match self.find(held) {
            Some(register) => Ok(register),
            None => self.take(held),
        }
    }

    /// What is in the register of `target` now is new; `any_nan` if these are floats, and what is not a
    /// number among them is made the right one later.
    pub(super) fn written(&mut self, at: usize, any_nan: bool) {
        let held = Held::Place(at as u16);
        self.forget(at, CHUNK_BYTES, Some(held));
        if let Some(slot) = self.slots.iter_mut().find(|slot| slot.held == Some(held)) {
            slot.is_new = true;
            slot.any_nan = any_nan;
            slot.is_long = false;
        }
    }

    /// The same of accumulator channels of words, that may have more than their 33 bits.
    pub(super) fn written_long(&mut self, at: usize) {
        self.written(at, false);
        let held = Some(Held::Place(at as u16));
        if let Some(slot) = self.slots.iter_mut().find(|slot| slot.held == held) {
            slot.is_long = true;
        }
    }

    /// Makes 33 bits with sign of accumulator channels that may have more.
    fn cut(&mut self, slot: usize) -> Result<()> {
        if std::mem::take(&mut self.slots[slot].is_long) {
            let sign = self.constant(std::array::from_fn(|half| half as u32 % 2));
            let channels = SLOTS[slot];
            self.asm.vpsllq(channels, channels, 31)?;
            self.asm.vpsrlq(channels, channels, 31)?;
            self.asm.vpxor(channels, channels, sign)?;
            self.asm.vpsubq(channels, channels, sign)?;
        }
        Ok(())
    }

    /// The register of a slot.
    pub(super) fn register(&self, slot: usize) -> AsmRegisterYmm {
        SLOTS[slot]
    }

    /// The slot of a register that holds something.
    pub(super) fn slot_of(&mut self, register: AsmRegisterYmm) -> &mut Slot {
        let slot = SLOTS.iter().position(|slot| *slot == register);
        &mut self.slots[slot.expect("it is one of those that hold places")]
    }

    /// A source in a register: its own, or the one given.
    pub(super) fn in_register(
        &mut self,
        source: Source,
        scratch: AsmRegisterYmm,
    ) -> Result<AsmRegisterYmm> {
        Ok(match source {
            Source::Register(register) => register,
            Source::Memory(memory) => {
                self.asm.vmovups(scratch, memory)?;
                scratch
            }
        })
    }

    /// Writes back all that is new, unsaved: nothing is taken back from here on.
    pub(super) fn write_all(&mut self) -> Result<()> {
        let saved = self.saved.take();
        for slot in 0..SLOTS.len() {
            self.write_back(slot)?;
            self.write_back_truth(slot)?;
        }
        self.saved = saved;
        Ok(())
    }
}

impl Held {
    fn overlaps(self, at: usize, bytes: usize) -> bool {
        let (first, size) = match self {
            Self::Place(first) => (usize::from(first), CHUNK_BYTES),
            Self::Part(first, bytes) => (usize::from(first), usize::from(bytes)),
            Self::Splat(first) => (usize::from(first), 4),
            Self::SplatWord(first) => (usize::from(first), 2),
            Self::Mask(_) | Self::Truth => return false,
        };
        first < at + bytes && at < first + size
    }
}

impl Mask {
    /// The bits of the flag registers that it is made of.
    pub(super) fn flag_bits(self) -> u64 {
        let Some((first, _)) = self.flag else { return 0 };
        ((1u64 << self.lanes) - 1) << (u32::from(first) + u32::from(self.channel))
    }
}
