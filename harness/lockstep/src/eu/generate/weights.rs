//! How often each operation is drawn.

use parallax_isa::{Device, eu::Opcode};

/// Operations, how often each is drawn on Gen4 and Gen4.5, and how often from Gen7 on; 0 where another generator makes
/// it, or none of the devices has it.
const WEIGHTS: &[(Opcode, usize, usize)] = {
    use Opcode::*;
    &[
        (Mov, 12, 12),
        (Sel, 5, 6),
        (Movi, 2, 2),
        (Not, 2, 3),
        (And, 3, 3),
        (Or, 3, 3),
        (Xor, 3, 3),
        (Shr, 4, 4),
        (Shl, 4, 4),
        (Asr, 4, 4),
        (Cmp, 7, 8),
        (Cmpn, 4, 4),
        (Add, 10, 10),
        (Mul, 9, 12),
        (Avg, 4, 3),
        (Frc, 3, 3),
        (Rndu, 3, 3),
        (Rndd, 3, 3),
        (Rnde, 3, 3),
        (Rndz, 3, 3),
        (Mac, 6, 6),
        (Mach, 4, 5),
        (Lzd, 3, 3),
        (Fbh, 0, 3),
        (Fbl, 0, 3),
        (Cbit, 0, 3),
        (Bfrev, 0, 3),
        (Bfi1, 0, 3),
        (Bfe, 0, 3),
        (Bfi2, 0, 3),
        (Addc, 0, 3),
        (Subb, 0, 3),
        (Sad2, 3, 2),
        (Sada2, 3, 2),
        (Dp4, 3, 3),
        (Dph, 3, 3),
        (Dp3, 3, 3),
        (Dp2, 3, 3),
        (Line, 3, 3),
        (Pln, 3, 3),
        (Lrp, 0, 3),
        (Mad, 0, 8),
        (Csel, 0, 4),
        (Dp4a, 0, 40),
        (F32to16, 0, 4),
        (F16to32, 0, 4),
        (Rol, 0, 4),
        (Ror, 0, 4),
        (Nop, 1, 0),
        (Illegal, 1, 0),
        (Send, 5, 0),
    ]
};

/// The operations that a device has and generators draw, with how often they do.
pub(super) fn weighted(device: Device) -> impl Iterator<Item = (Opcode, usize)> {
    let is_gen4 = Device::GEN4.contains(&device);
    let existing = WEIGHTS.iter().filter(move |row| row.0.code(device).is_some());
    existing.map(move |(opcode, gen4, later)| (*opcode, if is_gen4 { *gen4 } else { *later }))
}
