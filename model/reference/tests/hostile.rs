//! Whatever decodes runs: no instruction and no register contents make the reference panic, and an
//! instruction without defined effect leaves the registers alone.

use bytemuck::Zeroable;
use parallax_isa::{
    Device, Image, Model, Outcome, Reference as _, Step,
    eu::{Case, Opcode, State},
};
use parallax_reference::eu::Reference;
use proptest::prelude::*;

fn device() -> impl Strategy<Value = Device> {
    proptest::sample::select(Device::EU.to_vec())
}

/// Any bits in every register.
fn any_state() -> impl Strategy<Value = Box<State>> {
    any::<[u64; 4]>().prop_map(|seeds| {
        let mut state = Box::new(State::zeroed());
        for (index, byte) in state.image_mut().iter_mut().enumerate() {
            let seed = seeds[index % 4].wrapping_mul(index as u64 | 1);
            *byte = (seed >> 29) as u8;
        }
        state.ip = 0;
        if seeds[0] & 3 != 0 {
            // Every channel goes with the thread.
            state.channel_ip = [0; 32];
            state.status[2..].fill(u32::MAX);
        }
        if seeds[1] & 1 == 0 {
            state.address = state.address.map(|address| address & 0xFF8);
        }
        state
    })
}

/// A random word with a valid opcode.
fn any_word(device: Device) -> impl Strategy<Value = [u8; 16]> {
    (any::<[u8; 16]>(), proptest::sample::select(Opcode::ALL.to_vec())).prop_map(
        move |(mut word, opcode)| {
            if let Some(code) = opcode.code(device) {
                word[0] = word[0] & 0x80 | code;
            }
            word
        },
    )
}

/// A device and words for it.
fn any_words() -> impl Strategy<Value = (Device, Vec<[u8; 16]>)> {
    let words = |device| proptest::collection::vec(any_word(device), 1..4);
    device().prop_flat_map(move |device| (Just(device), words(device)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8000))]

    #[test]
    fn every_word_runs_or_is_refused(
        (device, words) in any_words(),
        state in any_state(),
    ) {
        let mut reference = Reference::new();
        // Words that do not decode are refused at loading; each is tried on its own.
        for word in words {
            let case = Case::new(device, word.to_vec(), state.clone(), 20);
            if reference.load(&case).is_err() {
                continue;
            }
            for _ in 0..20 {
                let before = *reference.state();
                let step = reference.step();
                for open in reference.expectations() {
                    prop_assert!(open.extent.range().end <= before.image().len());
                }
                if let Step::Finished(outcome) = step {
                    if matches!(outcome, Outcome::Undefined(_)) {
                        prop_assert!(before.image() == reference.state().image());
                    }
                    prop_assert_eq!(reference.step(), Step::Finished(outcome));
                    break;
                }
            }
        }
    }
}
