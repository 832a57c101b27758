//! Going back to the start of a case of Gen7 and later, whose memory is left alone if no message changed it.

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Model,
    eu::{Case, State},
};

/// A case without instructions.
fn case(device: Device) -> Case {
    let mut state = Box::new(State::of(device));
    state.memory.global.fill(1);
    state.grf[3].fill(2);
    Case::new(device, Vec::new(), state, 4)
}

#[test]
fn what_was_changed_from_outside_is_taken_back() {
    for device in Device::LATER {
        let case = case(device);
        let mut executor = Executor::new();
        executor.load(&case).expect("there is nothing to refuse");
        // The second time nothing but registers is taken over.
        for _ in 0..2 {
            Executor::restart(&mut executor);
            executor.state_mut().memory.global[5] = 7;
            executor.state_mut().grf[3][1] = 7;
            Executor::restart(&mut executor);
            assert_eq!(executor.state().memory.global, case.state.memory.global);
            assert_eq!(executor.state().grf, case.state.grf);
        }
    }
}

#[test]
fn another_start_brings_its_memory() {
    let mut case = case(Device::Skl);
    let mut executor = Executor::new();
    executor.load(&case).expect("there is nothing to refuse");
    case.state.memory.global[6] = 9;
    executor.start_again(&case).expect("it goes on");
    assert_eq!(executor.state().memory.global, case.state.memory.global);
}
