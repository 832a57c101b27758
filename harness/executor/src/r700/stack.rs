//! The stack of pixel states, loops and return addresses (sections 3.6.4 and 3.6.5).

use parallax_isa::r700::state::{Frame, STACK_FRAMES, frame};

use super::{
    decode::PixelMode,
    wavefront::{FlowError, Wavefront},
};

/// Subentries in a stack entry of a device with 64 pixels to a wavefront.
const SUBENTRIES: u32 = 4;

impl Wavefront<'_> {
    pub(super) fn push(&mut self, new: Frame) -> Result<(), FlowError> {
        let depth = self.state.stack_depth as usize;
        if depth == STACK_FRAMES {
            return Err(FlowError("the stack overflows"));
        }
        if self.entries_with(&new) > self.stack_size {
            return Err(FlowError("the program uses more stack entries than it declares"));
        }
        self.state.stack[depth] = new;
        self.state.stack_depth += 1;
        Ok(())
    }

    /// Stack entries in use with one more frame: loops and whole-quad pushes take a whole one,
    /// pushes and calls a subentry; two subentries are set aside in programs that push (decision
    /// D-r700-stack).
    fn entries_with(&self, new: &Frame) -> u32 {
        let frames = &self.state.stack[..self.state.stack_depth as usize];
        let whole = |f: &&Frame| f.kind == frame::LOOP || f.whole_quad == 1;
        let frames = frames.iter().chain([new]);
        let entries = frames.clone().filter(whole).count() as u32;
        let subentries = frames.count() as u32 - entries + if self.pushes { 2 } else { 0 };
        entries + subentries.div_ceil(SUBENTRIES)
    }

    pub(super) fn push_pixels(&mut self, mode: PixelMode) -> Result<(), FlowError> {
        self.push(Frame {
            kind: frame::BRANCH,
            pixels: self.state.pixels,
            whole_quad: u32::from(mode == PixelMode::WholeQuad),
            ..Frame::default()
        })
    }

    /// Takes the top frame off the stack and clears its place.
    pub(super) fn take_frame(&mut self) -> Option<Frame> {
        let top = self.state.stack_depth.checked_sub(1)?;
        self.state.stack_depth = top;
        Some(std::mem::take(&mut self.state.stack[top as usize]))
    }

    pub(super) fn top_frame(&self) -> Option<&Frame> {
        self.state.stack[..self.state.stack_depth as usize].last()
    }

    /// Whether that many branch entries are on top of the stack.
    pub(super) fn check_pop(&self, count: u8) -> Result<(), FlowError> {
        let frames = &self.state.stack[..self.state.stack_depth as usize];
        let mut popped = frames.iter().rev().take(count.into());
        if popped.len() < count.into() {
            Err(FlowError("the stack underflows"))
        } else if popped.any(|f| f.kind != frame::BRANCH) {
            Err(FlowError("a pop meets a loop or call entry"))
        } else {
            Ok(())
        }
    }

    /// Pops branch entries. Pixels that broke out of or continued the current loop stay so.
    pub(super) fn pop(&mut self, count: u8, mode: PixelMode) -> Result<(), FlowError> {
        self.check_pop(count)?;
        let mut popped = None;
        for _ in 0..count {
            popped = self.take_frame();
        }
        let Some(Frame { pixels: saved, .. }) = popped else { return Ok(()) };
        let pixels = &mut self.state.pixels;
        let waiting = pixels.inactive_continue | pixels.inactive_break;
        pixels.active = saved.active & !waiting;
        pixels.inactive_continue |= saved.inactive_continue & !waiting;
        pixels.inactive_break |= saved.inactive_break & !waiting;
        self.drop_invalid(mode);
        Ok(())
    }

    /// In valid pixel mode, pixels that a restore made active though invalid become
    /// inactive-branch.
    pub(super) fn drop_invalid(&mut self, mode: PixelMode) {
        if mode == PixelMode::Valid {
            self.state.pixels.active &= self.state.valid;
        }
    }
}
