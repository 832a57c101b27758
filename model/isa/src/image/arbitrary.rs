//! States from a fuzzer's bytes: those at the start of a program, but for some elements.

use arbitrary::{Result, Unstructured};

use super::Image;

/// Most elements that are not as at the start.
const ELEMENTS: u32 = 64;

/// A state.
pub(crate) fn state<I: Image>(input: &mut Unstructured) -> Result<I> {
    let mut state = I::default();
    input.arbitrary_loop(None, Some(ELEMENTS), |input| {
        let bank = input.choose(I::BANKS)?;
        let element = input.int_in_range(0..=bank.len() / bank.element - 1)?;
        let place = &mut state.image_mut()[bank.range()][element * bank.element..][..bank.element];
        input.fill_buffer(place)?;
        Ok(std::ops::ControlFlow::Continue(()))
    })?;
    Ok(state)
}
