//! Render target writes.

use parallax_isa::{Device, shared::Rendering, surface::operation::DepthFormat};

use super::{
    message_draft::{Channels, Draft, Offsets},
    straight::Straight,
    surfaces::{Kind, Surface, Surroundings},
};

const WRITE: u32 = 5;

/// The forms of the message: bits 10:8, and its registers of colours.
const FORMS: [(u32, usize); 5] = [(0, 8), (1, 1), (2, 8), (3, 8), (4, 4)];

impl Straight<'_, '_> {
    /// Pixels, mostly inside of their target, with or without depth and stencil values.
    pub(super) fn render_target(&mut self, around: &Surroundings) -> Draft {
        let rendering = &around.rendering;
        let (index, surface) = self.surface(around, |kind| kind == Kind::Target);
        let allows_dual = rendering.blend.is_some()
            && rendering.alpha_test.is_none()
            && self.device != Device::Bw;
        let form = match self.choices.byte() {
            0..=70 => 0,
            71..=100 if surface.is_tiled => 1,
            101..=135 if allows_dual => 2,
            136..=165 if allows_dual && self.device != Device::Cl => 3,
            // Mostly undefined.
            253 => self.choices.below(5),
            _ => 4,
        };
        let (code, colours) = FORMS[form];
        let flags = self.flags(form, surface, rendering);
        let has = |bit: u32| usize::from(flags >> bit & 1 == 1);
        let each = if form == 0 { 2 } else { 1 };
        let sent = has(27) + colours + each * (has(28) + has(29));
        let commits = self.choices.sometimes(170);
        let is_last_target = self.choices.sometimes(200);
        let bits = u32::from(commits) << 15 | 4 << 12 | u32::from(is_last_target) << 11;
        let enables = match self.choices.byte() {
            0..=99 => 0xFFFF,
            _ => self.choices.word() & 0xFFFF,
        };
        let ignored = self.choices.word();
        let corners = self.corners(surface);
        let array_index = match self.choices.byte() {
            _ if surface.elements == 1 => 0,
            0..=9 => self.choices.word() & 0x7FF,
            _ => self.choices.below(surface.elements as usize) as u32,
        };
        let second = [
            ignored,
            !ignored,
            corners[0],
            corners[1],
            corners[2],
            corners[3],
            flags,
            array_index << 16 | self.choices.word() & 0xF800_FFFF,
        ];
        Draft {
            target: WRITE,
            control: bits | code << 8 | index,
            header: [ignored << 16 | enables, self.choices.word(), ignored, self.choices.word()],
            fourth: None,
            offsets: Offsets::Words(second),
            sent,
            returned: usize::from(commits),
            channels: Channels::Any,
            is_last: false,
        }
    }

    /// What the message has with it, with bits that nobody looks at.
    fn flags(&mut self, form: usize, surface: &Surface, rendering: &Rendering) -> u32 {
        let ignored = self.choices.word() & 0xC3FF_FFFF;
        let format = rendering.depth_buffer.map(|buffer| buffer.format);
        if form == 1 || !surface.has_depth {
            return ignored;
        }
        let has_depth = self.choices.sometimes(128);
        let has_stored = has_depth && self.choices.sometimes(128);
        let is_full = matches!(form, 2 | 3) && has_stored;
        let takes_stencil = format == Some(DepthFormat::D24Unorm) && !is_full;
        let has_stencil = takes_stencil && self.choices.sometimes(150);
        let has_alpha = self.choices.sometimes(1);
        [(26, has_alpha), (27, has_stencil), (28, has_stored), (29, has_depth)]
            .into_iter()
            .fold(ignored, |bits, (bit, is_set)| bits | u32::from(is_set) << bit)
    }

    /// The upper left pixels of four subspans that do not meet, but seldom.
    fn corners(&mut self, surface: &Surface) -> [u32; 4] {
        let is_line = surface.rows == 1;
        let room = |size: u32| (size + 2) as usize;
        let x = self.choices.below(room(surface.pixels)) as u32 & !1;
        let y = if is_line { 0 } else { self.choices.below(room(surface.rows)) as u32 & !1 };
        // Seldom far away, or at odd places.
        let (x, y) = match self.choices.byte() {
            0..=2 => (self.choices.word() & 0xFFFF, y),
            3..=5 if !is_line => (x, self.choices.word() & 0xFFFF),
            // With one bit that leads outside.
            6 => (x | 0x100 << self.choices.below(8), y),
            7 if !is_line => (x, y | 0x100 << self.choices.below(8)),
            8..=40 => (x | 1, if is_line { y } else { y | 1 }),
            _ => (x, y),
        };
        let is_wide = is_line || self.choices.sometimes(60);
        let meet = self.choices.sometimes(2);
        [0, 1, 2, 3].map(|n: u32| {
            let n = if meet { 0 } else { n };
            let (right, down) = if is_wide { (2 * n, 0) } else { (n % 2 * 2, n / 2 * 2) };
            ((y + down) & 0xFFFF) << 16 | ((x + right) & 0xFFFF)
        })
    }
}
