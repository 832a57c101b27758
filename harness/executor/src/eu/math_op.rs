//! Messages to Extended Math that run as micro-ops, within blocks of data instructions: those of which
//! everything is known when a program is loaded, floats of one operand and one result in whole registers.
//! A compressed send is both of its messages, one after the other.

use parallax_isa::eu::{
    State,
    register::RegisterFile,
    state::{GRF_COUNT, MRF_COUNT},
    types::DataType,
};

use super::{
    compression::is_split,
    instruction::{Compression, Instruction, Origin, Source},
    lower,
    mask::MaskRule,
    modes,
};
use crate::{
    shared::LanesFunction,
    simd::{Avx2, Work},
};

/// Such a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct MathOp {
    pub(super) function: LanesFunction,
    /// The general register that is moved to the message register first.
    pub(super) source: u8,
    pub(super) message_register: u8,
    pub(super) reply: u8,
    /// Messages, of eight channels each.
    pub(super) messages: u8,
    /// How wide the processor computes.
    avx2: Option<Avx2>,
}

impl MathOp {
    /// A send, if it is such a message.
    pub(super) fn of(send: &Instruction) -> Option<Self> {
        let Source::Immediate { bits, .. } = send.sources[1] else { return None };
        // A message and a reply of one register, to Extended Math.
        if send.ends_thread() || send.align16 || bits >> 16 & 0xFFF != 0x111 {
            return None;
        }
        let function = LanesFunction::of(bits & 0xFFFF)?;
        let messages = match (send.compression, send.execution_size) {
            (Compression::None, 8) => 1,
            (Compression::Compressed, 16) if is_split(send) => 2,
            _ => return None,
        };
        let destination = send.destination;
        let Origin::Direct { number: reply, subregister: 0 } = destination.origin else {
            return None;
        };
        let Source::Register(from) = send.sources[0] else { return None };
        let Origin::Direct { number: source, subregister: 0 } = from.origin else { return None };
        let is_whole = destination.file == RegisterFile::Grf
            && from.file == RegisterFile::Grf
            && destination.stride == 1
            && destination.data_type == from.data_type
            && matches!(from.data_type, DataType::F | DataType::D | DataType::Ud)
            && send.sources[0].is_unmodified()
            && from.layout.is_packed()
            // A second half of an odd register is not the next one.
            && (messages == 1 || source.is_multiple_of(2));
        let fits = |first: u8, count: usize| usize::from(first) + usize::from(messages) <= count;
        let message_register = send.message_register;
        let is_there =
            fits(reply, GRF_COUNT) && fits(source, GRF_COUNT) && fits(message_register, MRF_COUNT);
        let avx2 = Avx2::detect();
        (is_whole && is_there).then_some(Self {
            function,
            source,
            message_register,
            reply,
            messages,
            avx2,
        })
    }

    /// Its channels.
    pub(super) fn mask(&self, send: &Instruction) -> MaskRule {
        lower::mask_rule(send, 8 * usize::from(self.messages), false)
    }

    #[inline]
    pub(super) fn answer(&self, state: &mut State, enabled: u16) {
        match self.messages {
            1 => self.answer_lanes::<8>(state, enabled),
            _ => self.answer_lanes::<16>(state, enabled),
        }
    }

    #[inline]
    fn answer_lanes<const N: usize>(&self, state: &mut State, enabled: u16) {
        let work = Answer::<N> { op: self, enabled };
        match self.avx2 {
            Some(avx2) => avx2.run(&work, &(), state),
            None => work.run(&(), state),
        }
    }
}

/// All messages of a send at once: where replies stand, none of their sources does but its own.
struct Answer<'o, const N: usize> {
    op: &'o MathOp,
    enabled: u16,
}

impl<const N: usize> Work for Answer<'_, N> {
    type Input = ();
    type Output = State;

    // Registers are read and written where the function is computed: what is stored in halves cannot be
    // loaded whole until it has left the processor.
    #[inline(always)]
    fn run(&self, (): &(), state: &mut State) {
        let Self { op, enabled } = *self;
        let registers = N / 8;
        let [source, message, reply] = [op.source, op.message_register, op.reply].map(usize::from);
        let payload = &state.grf[source..source + registers];
        let mut input = [0; N];
        for (lane, bytes) in input.iter_mut().zip(payload.as_flattened().as_chunks::<4>().0) {
            *lane = u32::from_le_bytes(*bytes);
        }
        state.mrf[message..message + registers].copy_from_slice(payload);
        let results = op.function.compute(&input, modes::alternative(state));
        let places = state.grf[reply..reply + registers].as_flattened_mut().as_chunks_mut::<4>().0;
        let places = places.iter_mut().zip(results);
        if u32::from(enabled) == (1 << N) - 1 {
            places.for_each(|(place, result)| *place = result.to_le_bytes());
        } else {
            let results = places.enumerate().filter(|(lane, _)| enabled >> lane & 1 == 1);
            results.for_each(|(_, (place, result))| *place = result.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use parallax_isa::{
        Device, Model,
        eu::{Case, text},
        shared::SharedFunctions,
    };
    use proptest::prelude::*;

    use super::*;
    use crate::eu::Executor;

    /// Messages that run as micro-ops; `@` stands for function and saturation.
    const SENDS: [&str; 5] = [
        "send (8) r10<1>:f m1 r2<8;8,1>:f 0x0111@",
        "(f0.0) send (8) r2<1>:f m1 r2<8;8,1>:f 0x0111@",
        "(-f0.1) send (16) r10<1>:f m1 r2<8;8,1>:f 0x0111@ {Compr}",
        "send (16) r2<1>:ud m14 r2<8;8,1>:ud 0x0111@ {Compr}",
        "(f0.0) send (16) r4<1>:f m3 r2<8;8,1>:f 0x0111@ {Compr, NoMask}",
    ];

    /// Others, which go the long way.
    const OTHERS: [&str; 7] = [
        "send (16) r4<1>:f m3 r3<8;8,1>:f 0x01110001 {Compr}",
        "send (8) r10<1>:f m1 r2<0;1,0>:f 0x01110001",
        "send (8) r10<1>:f m1 -r2<8;8,1>:f 0x01110001",
        "send (8) r10<1>:f m1 null 0x01110001",
        "send (8) r10<1>:f m1 r2<8;8,1>:f 0x01110081",
        "send (8) r10<1>:f m1 r2<8;8,1>:f 0x01120008",
        "send (8) r10<1>:f m1 r2<8;8,1>:f a0.0<0;1,0>:ud",
    ];

    fn case(line: &str, state: State) -> Case {
        let program = text::parse(Device::G45, line).expect("it assembles").program;
        Case::new(Device::G45, program.bytes().to_vec(), Box::new(state), 4)
    }

    #[test]
    fn only_what_is_known_when_it_is_loaded() {
        for line in SENDS {
            assert!(
                Executor::has_micro_op(&case(&line.replace('@', "0001"), State::new())),
                "{line}"
            );
        }
        for line in OTHERS {
            assert!(!Executor::has_micro_op(&case(line, State::new())), "{line}");
        }
        let mut looped = case(&SENDS[0].replace('@', "0001"), State::new());
        looped.surroundings.shared_functions = SharedFunctions::Loopback;
        assert!(!Executor::has_micro_op(&looped));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// The micro-op does what the message does that is delivered.
        #[test]
        fn it_is_the_same_the_long_way(
            line in prop::sample::select(SENDS.to_vec()),
            function in 1_u32..8,
            saturates: bool,
            alternative: bool,
            flags: [u16; 2],
            mask: u16,
            registers: [[u32; 8]; 4],
            shifts: [[bool; 8]; 4],
        ) {
            let mut state = State::new();
            for (n, (register, small)) in registers.iter().zip(&shifts).enumerate() {
                let places = state.grf[2 + n].as_chunks_mut::<4>().0.iter_mut();
                for (place, (bits, small)) in places.zip(register.iter().zip(small)) {
                    // Half of them numbers near 1.
                    let bits = if *small { bits >> 8 | 0x3F00_0000 } else { *bits };
                    *place = bits.to_le_bytes();
                }
            }
            state.flag[..2].copy_from_slice(&flags);
            state.mask[0] = mask;
            state.control[0] |= u32::from(alternative);
            let control = function | u32::from(saturates) << 6;
            let case = case(&line.replace('@', &format!("{control:04x}")), state);
            let mut quick = Executor::new();
            quick.load(&case).expect("it loads");
            let [quick, long] = [quick, Executor::delivering(&case)]
                .map(|mut executor| (executor.run(), *executor.state()));
            prop_assert!(quick == long);
        }
    }
}
