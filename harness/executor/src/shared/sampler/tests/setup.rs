//! Cases of one message.

use parallax_isa::eu::State;

use super::*;

/// A linear surface, a sampler, a message.
#[derive(Clone)]
pub(super) struct Setup {
    pub(super) device: Device,
    pub(super) kind: u32,
    pub(super) format: u32,
    pub(super) size: [u32; 3],
    pub(super) pitch: u32,
    pub(super) levels: u32,
    pub(super) first_level: u32,
    /// Rows between slices (Gen9 and later).
    pub(super) distance: u32,
    pub(super) is_array: bool,
    pub(super) extra: [(usize, u32); 2],
    pub(super) sampler: [u32; 4],
    pub(super) border: [u32; 4],
    pub(super) bytes: Vec<u8>,
    pub(super) code: u32,
    pub(super) lanes: u32,
    pub(super) header: Option<u32>,
    pub(super) words: Vec<u32>,
    pub(super) format_control: u8,
    pub(super) enables: u16,
    pub(super) replies: Option<u8>,
}

impl Setup {
    pub(super) fn new(device: Device, format: u32, code: u32, words: &[u32]) -> Self {
        Self {
            device,
            kind: PLANE,
            format,
            size: [2, 2, 1],
            pitch: 32,
            levels: 1,
            first_level: 0,
            distance: 4,
            is_array: false,
            extra: [(0, 0); 2],
            sampler: [0, MOST, 0, CLAMP],
            border: [0; 4],
            bytes: Vec::new(),
            code,
            lanes: 8,
            header: None,
            words: words.to_vec(),
            format_control: 0,
            enables: 0xFFFF,
            replies: None,
        }
    }

    pub(super) fn surface_state(&self) -> Vec<u32> {
        let [width, height, depth] = self.size.map(|size| size - 1);
        let is_gen7 = self.device == Device::Ivb;
        let alignment = if is_gen7 { 0 } else { 1 << 16 | 1 << 14 };
        let mut state = vec![0; if is_gen7 { 8 } else { 16 }];
        state[0] =
            self.kind << 29 | u32::from(self.is_array) << 28 | self.format << 18 | alignment | 0x3F;
        state[2] = height << 16 | width;
        state[3] = depth << 21 | (self.pitch - 1);
        state[5] = self.first_level << 4 | (self.levels - 1);
        if !is_gen7 {
            state[1] = self.distance / 4;
            state[7] = 0o4567 << 16;
        }
        for (dword, bits) in self.extra {
            state[dword] ^= bits;
        }
        state
    }

    /// What comes back, and the words that are written if it is in words.
    pub(super) fn answer(&self) -> Result<(Reply, Option<u16>), Unanswered> {
        let mut memory = Box::new(State::new()).memory;
        memory.graphics[..self.bytes.len()].copy_from_slice(&self.bytes);
        let mut surface_states = vec![64; 16];
        surface_states.extend(self.surface_state());
        let environment = Environment { surface_states, ..Environment::default() };
        let [d0, d1, d2, d3] = self.sampler;
        let mut general_states = vec![d0, d1, d2 | 64, d3];
        general_states.resize(16, 0);
        general_states.extend(self.border);
        let sampling = Sampling { general_states, ..Sampling::default() };
        let register = |word: u32| {
            let mut register = [0; 32];
            register.as_chunks_mut::<4>().0.fill(word.to_le_bytes());
            register
        };
        let mut payload: Vec<[u8; 32]> = Vec::new();
        payload.extend(self.header.map(|control| {
            let mut header = [0; 32];
            header[8..12].copy_from_slice(&control.to_le_bytes());
            header
        }));
        if self.lanes == 2 {
            for words in self.words.chunks(4) {
                let mut vector = [0; 4];
                vector[..words.len()].copy_from_slice(words);
                let bytes = vector.map(u32::to_le_bytes);
                let both: [u8; 32] =
                    [bytes, bytes].as_flattened().as_flattened().try_into().expect("a register");
                payload.push(both);
            }
        } else {
            let copies = (self.lanes / 8) as usize;
            payload.extend(self.words.iter().flat_map(|word| vec![register(*word); copies]));
        }
        let registers = if self.lanes == 2 { 1 } else { self.lanes as u8 / 2 };
        let request = Request {
            target: 2,
            function_control: self.code << 12 | (self.lanes / 8) << 17,
            format_control: self.format_control,
            extended_descriptor: 0,
            has_header: self.header.is_some(),
            payload: &payload,
            channel_enables: self.enables,
            channels: self.lanes.max(8) as u8,
            response_length: self.replies.unwrap_or(registers),
            alternative_float_mode: false,
            is_last: false,
        };
        let mut reply = Reply::default();
        let words = Textures::of(&environment, &sampling, self.device)
            .answer(&request, &memory, &mut reply)?;
        Ok((reply, words))
    }

    /// The four channels of the first pixel of eight.
    pub(super) fn colour(&self) -> [u32; 4] {
        let (reply, _) = self.answer().expect("a reply");
        [0, 1, 2, 3].map(|channel: usize| dword(&reply, channel, 0))
    }

    /// The same as numbers.
    pub(super) fn numbers(&self) -> [f32; 4] {
        self.colour().map(f32::from_bits)
    }
}
