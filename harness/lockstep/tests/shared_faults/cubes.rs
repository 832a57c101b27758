//! Faults of cube maps where parts of the direction are alike: edges and corners of the cube.

use parallax_isa::{
    Device,
    eu::{Instruction, State},
    shared::Environment,
};
use parallax_lockstep::eu::generate;

use super::{
    Disturb, Eu, Fault,
    early_messages::{descriptor, reply},
};
use crate::fault_injection::{Family, all_are_found};

static FAMILY: Family<Eu> = Family {
    name: "edges of cubes",
    device: Device::G45,
    generate: generate::sampler_messages,
    bytes: generate::BYTES,
    faults: &[
        Fault::disturb("a direction along an edge", Disturb::Message(along_an_edge)),
        Fault::disturb("a direction to a corner", Disturb::Message(to_a_corner)),
    ],
};

#[test]
fn faults_of_the_edges_of_cubes_are_found() {
    all_are_found(&FAMILY);
}

/// Changes what a sample of a cube gets whose direction has two great parts alike.
fn along_an_edge(around: &Environment, i: &Instruction, before: &State, after: &mut State) {
    where_alike(2, around, i, before, after);
}

/// The same of three.
fn to_a_corner(around: &Environment, i: &Instruction, before: &State, after: &mut State) {
    where_alike(3, around, i, before, after);
}

fn where_alike(
    parts: usize,
    around: &Environment,
    i: &Instruction,
    before: &State,
    after: &mut State,
) {
    const CUBE: u32 = 3;
    let (Some(bits), Some(first)) = (descriptor(i, &[2]), reply(i)) else { return };
    if surface(around, bits).is_none_or(|state| state[0] >> 29 != CUBE) {
        return;
    }
    let Some(message) = i.message else { return };
    // Behind the header, u, v and r of eight pixels each.
    let header = usize::from(message.current_destination);
    let Some(rows) = before.mrf.get(header + 1..header + 4) else { return };
    for pixel in 0..8 {
        let part = |row: &[u8; 32]| {
            let bytes = row[4 * pixel..][..4].try_into();
            f32::from_le_bytes(bytes.unwrap_or_default()).abs()
        };
        let greatest = rows.iter().map(part).fold(0.0, f32::max);
        if rows.iter().filter(|row| part(row) == greatest).count() == parts {
            let place = 4 * pixel + 3;
            let was = before.grf[first][place];
            after.grf[first][place] ^= if after.grf[first][place] == was { 0 } else { 0x40 };
        }
    }
}

/// The state of the surface that a message names.
fn surface(around: &Environment, descriptor: u32) -> Option<&[u32]> {
    let entry = around.binding_table as usize / 4 + (descriptor & 0xFF) as usize;
    let first = *around.surface_states.get(entry)? as usize / 32 * 8;
    around.surface_states.get(first..first + 6)
}
