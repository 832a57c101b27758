//! Blocks of octwords that run as micro-ops: with an immediate descriptor, and a buffer that lies in memory
//! as a whole, so that no offset leads elsewhere.

use std::{mem::offset_of, ops::Range};

use parallax_isa::eu::{
    State,
    register::{REGISTER_BYTES, RegisterFile},
    state::{GRF_COUNT, MRF_COUNT},
    types::DataType,
};

use super::{
    instruction::{Compression, Context, Instruction, Origin, Source},
    lower,
    mask::MaskRule,
};
use crate::shared::{Around, OctwordBlock, Way};

/// Such a message.
#[derive(Debug, Clone)]
pub(super) struct OctwordOp {
    block: OctwordBlock,
    /// The general register that is moved to the message register first, if one is.
    source: Option<u8>,
    message_register: u8,
    /// The first register of what is loaded.
    reply: u8,
    /// Channels have a doubleword of the mask each, not a word.
    has_doublewords: bool,
}

impl OctwordOp {
    /// A send, if it is such a message.
    pub(super) fn of(send: &Instruction, around: &Around) -> Option<Self> {
        let Source::Immediate { bits, .. } = send.sources[1] else { return None };
        if send.ends_thread() || send.align16 || send.compression != Compression::None {
            return None;
        }
        let block = around.octword_block(bits)?;
        let destination = send.destination;
        let Origin::Direct { number: reply, subregister: 0 } = destination.origin else {
            return None;
        };
        // Channels are all of the mask's bits, or the first eight.
        let has_doublewords = match (send.execution_size, destination.data_type) {
            (16, DataType::Uw | DataType::W) => false,
            (8, DataType::Ud | DataType::D) => true,
            _ => return None,
        };
        let is_there = match (block.way, destination.file) {
            (Way::Load, RegisterFile::Grf) => usize::from(reply) + block.registers() <= GRF_COUNT,
            (Way::Store, RegisterFile::Arf) => reply >> 4 == 0,
            _ => false,
        };
        let source = match send.sources[0] {
            Source::Register(from) if from.file == RegisterFile::Grf => {
                let Origin::Direct { number, subregister: 0 } = from.origin else { return None };
                let is_whole = from.data_type == destination.data_type
                    && from.layout.is_packed()
                    && send.sources[0].is_unmodified();
                if !is_whole || usize::from(number) >= GRF_COUNT {
                    return None;
                }
                Some(number)
            }
            _ => None,
        };
        let sent = match block.way {
            Way::Load => 1,
            Way::Store => 1 + block.registers(),
        };
        let message_register = send.message_register;
        let is_sent = usize::from(message_register) + sent <= MRF_COUNT;
        (destination.stride == 1 && is_there && is_sent).then_some(Self {
            block,
            source,
            message_register,
            reply,
            has_doublewords,
        })
    }

    /// Its channels.
    pub(super) fn mask(send: &Instruction, context: Context) -> MaskRule {
        lower::mask_rule(send, send.execution_size.into(), lower::upper_half(send, context))
    }

    #[inline]
    pub(super) fn answer(&self, state: &mut State, enabled: u16) {
        let enables = if self.has_doublewords { enabled & 0xFF } else { enabled };
        let front = usize::from(self.message_register);
        // The offset is read where it comes from: what has just been moved would have to be waited for.
        let header = match self.source {
            Some(source) => {
                let source = &state.grf[usize::from(source)];
                state.mrf[front] = *source;
                source
            }
            None => &state.mrf[front],
        };
        let offset = offset(header);
        let memory = &mut state.memory;
        let registers = self.block.registers();
        match self.block.way {
            Way::Load => {
                let first = usize::from(self.reply);
                let reply = &mut state.grf[first..first + registers];
                self.block.load(offset, enables, memory, reply);
            }
            Way::Store => {
                let payload = &state.mrf[front + 1..front + 1 + registers];
                self.block.store(offset, enables, memory, payload);
            }
        }
    }
}

/// What a block of which all is enabled copies; registers are places in the state.
pub(super) struct Copied {
    pub(super) way: Way,
    /// The first byte of the buffer in memory.
    pub(super) memory: usize,
    /// The last offset of a block that lies in the buffer.
    pub(super) last_offset: usize,
    pub(super) registers: Range<usize>,
    /// Where the header is read, and where it is moved to before.
    pub(super) header: usize,
    pub(super) moved_to: Option<usize>,
}

impl OctwordOp {
    /// Whether its channels have a word of the mask each, so that all of a block can be enabled.
    pub(super) fn has_words(&self) -> bool {
        !self.has_doublewords
    }

    /// What it copies, if a block lies in the buffer.
    pub(super) fn copied(&self) -> Option<Copied> {
        let general = |number: usize| offset_of!(State, grf) + REGISTER_BYTES * number;
        let message = |number: usize| offset_of!(State, mrf) + REGISTER_BYTES * number;
        let front = usize::from(self.message_register);
        let first = match self.block.way {
            Way::Load => general(self.reply.into()),
            Way::Store => message(front + 1),
        };
        let header = self.source.map(|source| general(source.into()));
        Some(Copied {
            way: self.block.way,
            memory: self.block.base(),
            last_offset: self.block.last_offset()?,
            registers: first..first + REGISTER_BYTES * self.block.registers(),
            header: header.unwrap_or_else(|| message(front)),
            moved_to: header.map(|_| message(front)),
        })
    }
}

/// The global offset of a header.
fn offset(header: &[u8; REGISTER_BYTES]) -> u32 {
    u32::from_le_bytes(header.as_chunks::<4>().0[2])
}

#[cfg(test)]
mod tests {
    use parallax_isa::{
        Device, Model,
        eu::{Case, text},
        shared::{Environment, SharedFunctions},
    };
    use proptest::prelude::*;

    use super::*;
    use crate::eu::Executor;

    /// Messages that run as micro-ops; `@` stands for the size.
    const SENDS: [&str; 6] = [
        "send (16) r20<1>:uw m1 r2<16;16,1>:uw 0x041@0",
        "(f0.0) send (16) r20<1>:uw m3 r2<16;16,1>:uw 0x041@0",
        "(-f0.1) send (8) r2<1>:ud m1 r2<8;8,1>:ud 0x041@0",
        "send (16) null<1>:uw m1 r2<16;16,1>:uw 0x05!@0",
        "(f0.0) send (16) null<1>:uw m2 null 0x05!@0",
        "(-f0.1) send (8) null<1>:ud m1 r2<8;8,1>:ud 0x05!@0",
    ];

    /// Others, which go the long way.
    const OTHERS: [&str; 5] = [
        "send (16) r20<1>:uw m1 r2<0;1,0>:uw 0x04140400",
        "send (16) r20<1>:uw m1 r2<16;16,1>:uw 0x04140401",
        "send (16) r20<1>:uw m1 r2<16;16,1>:uw 0x04140500",
        "send (16) null<1>:uw m1 r2<16;16,1>:uw 0x0550c400",
        "send (16) r20<1>:uw m1 r2<16;16,1>:uw a0.0<0;1,0>:ud",
    ];

    /// Of 2, 4 and 8 octwords: size and length of a reply or of data.
    fn line(send: &str, size: usize) -> String {
        let registers = 1 << size;
        let send = send.replace("041@", &format!("041{registers}0{}0", size + 2));
        send.replace("05!@", &format!("05{}00{}0", registers + 1, size + 2))
    }

    /// A buffer of 256 octwords behind index 0, behind index 1 one that goes on beyond memory.
    fn case(line: &str, state: State) -> Case {
        let program = text::parse(Device::G45, line).expect("it assembles").program;
        let mut case = Case::new(Device::G45, program.bytes().to_vec(), Box::new(state), 4);
        let buffer = |entries: u32| [4 << 29, 4096, (entries & 0x7F) << 6 | entries >> 7 << 19, 0];
        let mut surface_states = vec![32, 64, 0, 0, 0, 0, 0, 0];
        for entries in [255, 4095] {
            surface_states.extend(buffer(entries));
            surface_states.extend([0; 4]);
        }
        case.surroundings.shared_functions = SharedFunctions::Around {
            environment: Box::new(Environment { surface_states, ..Environment::default() }),
            sampling: None,
            rendering: None,
        };
        case
    }

    #[test]
    fn only_what_is_known_when_it_is_loaded() {
        for (send, size) in SENDS.iter().flat_map(|send| (0..3).map(move |size| (send, size))) {
            let line = line(send, size);
            assert!(Executor::has_micro_op(&case(&line, State::new())), "{line}");
        }
        for line in OTHERS {
            assert!(!Executor::has_micro_op(&case(line, State::new())), "{line}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        /// The micro-op does what the message does that is delivered.
        #[test]
        fn it_is_the_same_the_long_way(
            send in prop::sample::select(SENDS.to_vec()),
            size in 0..3_usize,
            offset in prop_oneof![0..4200_u32, any::<u32>()],
            flags in prop_oneof![Just([0xFFFF, 0]), any::<[u16; 2]>()],
            mask in prop_oneof![Just(0xFFFF), any::<u16>()],
            seed: u32,
        ) {
            let mut state = State::new();
            let random = |n: usize| (n as u32 ^ seed).wrapping_mul(0x9E37_79B1).to_be_bytes()[0];
            let memory = state.memory.graphics.iter_mut();
            let registers = state.grf.as_flattened_mut().iter_mut();
            let payload = state.mrf.as_flattened_mut().iter_mut();
            for (n, byte) in memory.chain(registers).chain(payload).enumerate() {
                *byte = random(n);
            }
            for header in [&mut state.grf[2], &mut state.mrf[2]] {
                header[8..12].copy_from_slice(&offset.to_le_bytes());
            }
            state.flag[..2].copy_from_slice(&flags);
            state.mask[0] = mask;
            let case = case(&line(send, size), state);
            let end = |mut executor: Box<Executor>| (executor.run(), Box::new(*executor.state()));
            let [quick, compiled] =
                [Executor::new, Executor::compiling_at_once].map(|make: fn() -> Executor| {
                    let mut executor = Box::new(make());
                    executor.load(&case).expect("it loads");
                    end(executor)
                });
            let long = end(Box::new(Executor::delivering(&case)));
            prop_assert!(quick == long && compiled == long);
        }
    }
}
