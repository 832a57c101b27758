//! Streamed Vertex Buffer Write (section 5.12).

use parallax_isa::{
    shared::{Request, Unanswered},
    surface::{self, Use},
};

use super::{
    DataPort, Move,
    message::{Direction, Message},
    space::{Space, header, memory},
    surface::{SurfaceState, Tiling, Type},
    undefined,
};

impl DataPort {
    /// A vertex: as many doublewords as the surface's format has channels.
    pub(super) fn streamed_vertex(
        &self,
        request: &Request,
        space: Space,
        direction: Direction,
    ) -> Result<Message, Unanswered> {
        let message = Message::without_data(direction);
        let surface = match space {
            Space::Null(_) => return Ok(message),
            Space::Stateless { .. } => return undefined("a stateless streamed vertex"),
            Space::Surface(surface) => surface,
        };
        let channels = self.channels(surface)?;
        let index = i128::from(header(request, 5));
        let mut moves = Vec::new();
        if index < surface.entries() {
            let start = surface.base() + index * surface.pitch();
            for channel in (0..channels).filter(|n| request.channel_enables >> n & 1 == 1) {
                for byte in 4 * channel..4 * channel + 4 {
                    moves.push(Move { at: byte, place: memory(start + byte as i128)? });
                }
            }
        }
        // The data is in the header's own register.
        Ok(Message { front: 0, registers: 1, moves, ..message })
    }

    /// How many channels are written, if the surface can be.
    fn channels(&self, surface: SurfaceState) -> Result<usize, Unanswered> {
        if surface.kind() != Type::Buffer || surface.tiling() != Tiling::Linear {
            return undefined("a streamed vertex to something else than a linear buffer");
        }
        if surface.base() % 4 != 0 || surface.pitch() % 4 != 0 {
            return undefined("a streamed vertex to a buffer that is not aligned");
        }
        let format = surface::code(self.device, surface.format()).ok();
        match format.filter(|format| format.allows(self.device, Use::StreamOutput)) {
            Some(format) => Ok(usize::from(format.bits) / 32),
            None => undefined(format!("a streamed vertex of format {:#x}", surface.format())),
        }
    }
}
