//! Cases of one message to one surface.

use parallax_isa::eu::State;

use super::*;

/// A linear surface, a message, and the registers that a thread begins with.
#[derive(Clone)]
pub(super) struct Setup {
    pub(super) device: Device,
    pub(super) kind: u32,
    pub(super) format: u32,
    pub(super) size: [u32; 3],
    pub(super) pitch: u32,
    pub(super) level: u32,
    /// Minimum Array Element and Render Target View Extent.
    pub(super) view: [u32; 2],
    /// Rows between slices (Gen9 and later).
    pub(super) distance: u32,
    pub(super) is_array: bool,
    pub(super) extra: [(usize, u32); 2],
    pub(super) bytes: Vec<u8>,
    pub(super) first: [[u32; 8]; FIRST],
    pub(super) target: u8,
    /// Bits 18:8 of the descriptor.
    pub(super) bits: u32,
    pub(super) has_header: bool,
    pub(super) payload: Vec<[u32; 8]>,
    pub(super) in_halves: bool,
    pub(super) extended: u32,
    pub(super) channels: u8,
    pub(super) enables: u16,
    pub(super) replies: u8,
}

/// What memory and a reply become.
pub(super) struct Done {
    pub(super) memory: Vec<u8>,
    pub(super) reply: Reply,
}

impl Setup {
    /// A plane of 4 by 4 texels, 64 bytes a row; memory is all 0xEE.
    pub(super) fn new(device: Device, format: u32) -> Self {
        Self {
            device,
            kind: PLANE,
            format,
            size: [4, 4, 1],
            pitch: 64,
            level: 0,
            view: [0, 0],
            distance: 4,
            is_array: false,
            extra: [(0, 0); 2],
            bytes: Vec::new(),
            first: [[0; 8]; FIRST],
            target: 0,
            bits: 0,
            has_header: false,
            payload: Vec::new(),
            in_halves: false,
            extended: 0,
            channels: 8,
            enables: 0xFFFF,
            replies: 0,
        }
    }

    /// A typed message with a control; on Gen7 behind a header whose mask is of all slots.
    pub(super) fn typed(
        device: Device,
        format: u32,
        kind: u32,
        control: u32,
        payload: &[[u32; 8]],
    ) -> Self {
        let is_gen7 = device == Device::Ivb;
        let header = is_gen7.then_some([0, 0, 0, 0, 0, 0, 0, 0xFFFF]);
        Self {
            target: if is_gen7 { RENDER_CACHE } else { DATA_CACHE_1 },
            bits: control << 8 | kind << 14,
            has_header: is_gen7,
            payload: header.into_iter().chain(payload.iter().copied()).collect(),
            ..Self::new(device, format)
        }
    }

    /// A render target write of a subtype, by a thread whose pixels are those of four subspans in a row.
    pub(super) fn write(device: Device, format: u32, subtype: u32, payload: &[[u32; 8]]) -> Self {
        let is_narrow = matches!(subtype, 2..=4);
        Self {
            target: RENDER_CACHE,
            bits: subtype << 8 | 12 << 14,
            first: [[0; 8], ROW, [0; 8]],
            size: [8, 4, 1],
            payload: payload.to_vec(),
            channels: if is_narrow { 8 } else { 16 },
            ..Self::new(device, format)
        }
    }

    /// With a header of two registers before what there is.
    pub(super) fn behind(mut self, header: [[u32; 8]; 2]) -> Self {
        self.has_header = true;
        self.payload.splice(0..0, header);
        self
    }

    fn surface_state(&self) -> Vec<u32> {
        let [width, height, depth] = self.size.map(|size| size - 1);
        let is_gen7 = self.device == Device::Ivb;
        let alignment = if is_gen7 { 0 } else { 1 << 16 | 1 << 14 };
        let mut state = vec![0; if is_gen7 { 8 } else { 16 }];
        state[0] = self.kind << 29 | u32::from(self.is_array) << 28 | self.format << 18 | alignment;
        state[2] = height << 16 | width;
        state[3] = depth << 21 | (self.pitch - 1);
        state[4] = self.view[0] << 18 | self.view[1] << 7;
        state[5] = self.level;
        if !is_gen7 {
            state[1] = self.distance / 4;
        }
        for (dword, bits) in self.extra {
            state[dword] ^= bits;
        }
        state
    }

    pub(super) fn answer(&self) -> Result<Done, Unanswered> {
        let mut memory = Box::new(State::new()).memory;
        memory.graphics.fill(0xEE);
        memory.graphics[..self.bytes.len()].copy_from_slice(&self.bytes);
        let mut surface_states = vec![64; 16];
        surface_states.extend(self.surface_state());
        let environment = Environment { surface_states, ..Environment::default() };
        let register = |dwords: &[u32; 8]| -> Register {
            dwords.map(u32::to_le_bytes).as_flattened().try_into().expect("32 bytes")
        };
        let payload: Vec<Register> = self.payload.iter().map(register).collect();
        let request = Request {
            target: self.target,
            function_control: self.bits,
            format_control: u8::from(self.in_halves) << 1,
            extended_descriptor: self.extended,
            has_header: self.has_header,
            payload: &payload,
            channel_enables: self.enables,
            channels: self.channels,
            response_length: self.replies,
            alternative_float_mode: false,
            is_last: false,
        };
        let mut targets = Targets::of(&environment, self.device);
        targets.begin(&self.first.each_ref().map(register));
        assert!(targets.take(&request));
        let reply = targets.answer(&request, &mut memory)?;
        Ok(Done { memory: memory.graphics.to_vec(), reply })
    }

    pub(super) fn done(&self) -> Done {
        self.answer().expect("an answer")
    }

    pub(super) fn is_refused(&self) -> bool {
        self.answer().is_err()
    }
}

impl Done {
    /// The doubleword at an address.
    pub(super) fn at(&self, address: usize) -> u32 {
        u32::from_le_bytes(*self.memory[address..].first_chunk().expect("four bytes"))
    }

    /// A doubleword of the reply, if it is written.
    pub(super) fn back(&self, register: usize, lane: usize) -> Option<u32> {
        let response = &self.reply[register];
        (response.enables >> lane & 1 == 1).then(|| dword(&response.bytes, lane))
    }

    /// The first addresses of doublewords that were written, with what they hold.
    pub(super) fn written(&self) -> Vec<(usize, u32)> {
        let addresses = (0..self.memory.len()).step_by(4);
        addresses.map(|at| (at, self.at(at))).filter(|(_, bits)| *bits != UNTOUCHED).collect()
    }
}
