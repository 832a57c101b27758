//! Barriers (Gen7 and later): the only thread of a group waits for nobody, one of a launch for the others.

use parallax_isa::shared::{Request, Unanswered};

use super::{Around, Reply, lengths, refuse};

/// Reports that the thread has come to a barrier. The number of threads that it asks for begins at a bit.
pub(super) fn arrive(
    request: &Request,
    around: &mut Around,
    count_bit: u32,
    reply: &mut Reply,
) -> Result<(), Unanswered> {
    // Bits 16:15 say whom to notify; 14 asks for an acknowledgement.
    const FIELDS: u32 = 0x1_C007;
    if request.function_control & !FIELDS != 0 || request.function_control & 7 != 4 {
        return refuse("a message to the gateway other than a barrier");
    }
    if request.has_header {
        return refuse("a barrier with a header");
    }
    let answered = request.function_control >> 14 & 1;
    lengths(request, 1, answered as usize)?;
    let threads = u16::from_le_bytes([request.payload[0][8], request.payload[0][9]]);
    let group = around.launch.as_deref_mut().map(|launch| &mut launch.group);
    let group_size = group.as_ref().map_or(1, |group| group.threads);
    if threads >> 15 == 1 && u32::from(threads & 0x7FFF) >> count_bit != group_size {
        return refuse("a barrier for more threads than there are, or for fewer");
    }
    let channels = (1_u32 << request.channels.min(16)) - 1;
    if u32::from(request.channel_enables) & channels != 0 {
        match group {
            Some(group) if group_size > 1 => group.arrived += 1,
            _ => around.is_notified = true,
        }
    }
    if answered == 1 {
        reply[0].enables = 0xFF;
    }
    Ok(())
}
