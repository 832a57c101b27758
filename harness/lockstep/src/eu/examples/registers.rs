//! Registers as plain Rust sees them: numbers at element *n* of a type, counted from the start of a
//! register and on into those behind it.

use parallax_isa::eu::State;

/// The registers of a state.
pub(super) struct Registers<'s>(pub(super) &'s mut State);

macro_rules! elements {
    ($($get:ident, $set:ident: $type:ty;)+) => {
        $(
            pub(super) fn $get(&self, register: usize, element: usize) -> $type {
                let size = size_of::<$type>();
                let at = 32 * register + size * element;
                let bytes = &self.0.grf.as_flattened()[at..at + size];
                <$type>::from_le_bytes(bytes.try_into().expect("as many bytes"))
            }

            pub(super) fn $set(&mut self, register: usize, element: usize, value: $type) {
                let at = 32 * register + size_of::<$type>() * element;
                let bytes = &mut self.0.grf.as_flattened_mut()[at..at + size_of::<$type>()];
                bytes.copy_from_slice(&value.to_le_bytes());
            }
        )+
    };
}

impl Registers<'_> {
    elements! {
        ub, set_ub: u8;
        uw, set_uw: u16;
        w, set_w: i16;
        ud, set_ud: u32;
        f, set_f: f32;
    }

    /// Bit *n* of a flag register.
    pub(super) fn flag(&self, subregister: usize, channel: usize) -> bool {
        self.0.flag[subregister] >> channel & 1 == 1
    }

    /// Sets bit *n* of a flag register.
    pub(super) fn set_flag(&mut self, subregister: usize, channel: usize, value: bool) {
        let flag = &mut self.0.flag[subregister];
        *flag = *flag & !(1 << channel) | u16::from(value) << channel;
    }

    /// Lets only some channels take part.
    pub(super) fn dispatch(&mut self, channels: u32) {
        self.0.status[2..].copy_from_slice(&[channels; 2]);
    }

    /// Whether a channel takes part.
    pub(super) fn is_dispatched(&self, channel: usize) -> bool {
        self.0.status[2] >> channel & 1 == 1
    }
}
