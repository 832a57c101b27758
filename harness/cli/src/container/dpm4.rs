//! Captures of command streams (`DPM4`), which an emulator records: packets, of which memory loads hold programs.

use std::collections::BTreeMap;

use parallax_isa::{Device, r700::case::ProgramType};

use super::{Container, Kernel, cursor::Cursor};
use crate::recorded::pm4::{KINDS, Registers};

/// What a capture begins with.
const MAGIC: [u8; 4] = *b"DPM4";

/// Types of packets: command buffers, memory loads, snapshots of registers, buffers to show.
const COMMANDS: u32 = 1;
const MEMORY_LOAD: u32 = 2;
const SNAPSHOT: u32 = 3;
const LAST_TYPE: u32 = 4;

/// The kinds of memory loads that are programs.
const PROGRAMS: [(u32, &str, Option<ProgramType>); 4] = [
    // Vertex programs call it.
    (9, "fetch", None),
    (10, "vertex", Some(ProgramType::Vertex)),
    (11, "pixel", Some(ProgramType::Pixel)),
    (12, "geometry", Some(ProgramType::Geometry)),
];

/// Whether bytes are such a capture.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Reads a capture.
pub(super) fn read(bytes: &[u8]) -> Result<Container, String> {
    let mut cursor = Cursor::new(bytes);
    cursor.take(MAGIC.len(), "the magic number")?;
    let mut container = Container::new("dpm4", Some(Device::Rv770));
    let mut loaded = Loaded::new();
    let mut registers = Registers::default();
    while !cursor.is_at_end() {
        let at = cursor.at;
        let [packet, size, _time, _time_high] = cursor.words("the header of a packet")?;
        let data = cursor.take(size as usize, "a packet")?;
        if !(1..=LAST_TYPE).contains(&packet) {
            return Err(format!(
                "byte {at}: has a packet of type {packet}; expected one from 1 to {LAST_TYPE}"
            ));
        }
        match packet {
            COMMANDS => {
                registers.follow(data, &mut |registers| drawn(registers, &loaded, &mut container));
            }
            SNAPSHOT => registers.snapshot(data),
            _ => {}
        }
        if packet != MEMORY_LOAD {
            continue;
        }
        let mut load = Cursor::new(data);
        let [kind, address] = load.words("a memory load").map_err(|_| {
            format!("byte {at}: a memory load has {size} bytes; expected 8 at least")
        })?;
        let program = PROGRAMS.iter().find(|(number, ..)| *number == kind);
        let Some((_, name, program_type)) = program else { continue };
        let code = &data[load.at..];
        if code.is_empty() {
            return Err(format!("byte {at}: the {name} program at {address:#010x} has no bytes"));
        }
        let name = format!("{name} {address:#010x}");
        let known = loaded.get(&name).copied();
        // A program is loaded for each of its draws.
        if known.is_some_and(|(_, last)| container.kernels[last].code == code) {
            continue;
        }
        let number = known.map_or(1, |(number, _)| number + 1);
        let numbered = if number > 1 { format!("{name} {number}") } else { name.clone() };
        loaded.insert(name, (number, container.kernels.len()));
        let mut kernel = Kernel::of_r700(numbered, code.to_vec(), *program_type);
        kernel.recorded.address = Some(address.into());
        container.add(kernel)?;
    }
    for kernel in &mut container.kernels {
        if kernel.recorded.stage.is_none() {
            kernel.recorded.lacks("registers: no draw follows that they lead to this program");
        }
    }
    Ok(container)
}

/// How many programs were loaded by a name, and the place of the last one.
type Loaded = BTreeMap<String, (usize, usize)>;

/// Gives the programs of a draw the state that registers have, if it is their first one.
fn drawn(registers: &Registers, loaded: &Loaded, container: &mut Container) {
    for of in &KINDS {
        let Some(address) = registers.start(of) else { continue };
        let Some((_, last)) = loaded.get(&format!("{} {address:#010x}", of.kind)) else { continue };
        let recorded = &mut container.kernels[*last].recorded;
        if recorded.stage.is_none() {
            **recorded = registers.recorded(of, address);
            recorded.stage = Some(of.kind);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::tests::{example, names, survives};

    #[test]
    fn programs_are_named_by_their_addresses() {
        let container = read(&example("draw.pm4")).expect("a capture");
        assert_eq!(names(&container), ["pixel 0x10000100"]);
        assert_eq!(container.kernels[0].code.len(), 8);
        assert_eq!(container.kernels[0].program_type, Some(ProgramType::Pixel));
    }

    /// A packet with words of data.
    fn packet(kind: u32, data: &[u32]) -> Vec<u8> {
        let header = [kind, 4 * data.len() as u32, 0, 0];
        [&header[..], data].concat().into_iter().flat_map(u32::to_le_bytes).collect()
    }

    fn capture(packets: &[Vec<u8>]) -> Vec<u8> {
        [&MAGIC[..], &packets.concat()].concat()
    }

    #[test]
    fn a_program_that_changed_gets_a_number() {
        let container = read(&capture(&[
            packet(2, &[9, 0x100, 1, 2]),
            packet(1, &[5]),
            packet(2, &[9, 0x100, 1, 2]),
            packet(2, &[8, 0x100, 1, 2]),
            packet(2, &[12, 0x100, 1, 2]),
            packet(2, &[9, 0x100, 1, 3]),
            packet(2, &[9, 0x100, 1, 2]),
        ]));
        let container = container.expect("a capture");
        let expected =
            ["fetch 0x00000100", "geometry 0x00000100", "fetch 0x00000100 2", "fetch 0x00000100 3"];
        assert_eq!(names(&container), expected);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (bytes, message) in [
            (
                capture(&[packet(5, &[])]),
                "byte 4: has a packet of type 5; expected one from 1 to 4",
            ),
            (
                capture(&[packet(2, &[11])]),
                "byte 4: a memory load has 4 bytes; expected 8 at least",
            ),
            (capture(&[packet(2, &[11, 16])]), "the pixel program at 0x00000010 has no bytes"),
            (
                capture(&[[u32::MAX.to_le_bytes(); 4].concat()]),
                "ends within a packet: 4294967295 bytes at byte 20, of which 0 are there",
            ),
        ] {
            let wrong = read(&bytes).expect_err(message);
            assert!(wrong.contains(message), "{wrong}");
        }
    }

    /// Two million packets, and as many programs.
    #[test]
    fn packets_are_bounded() {
        let packets = packet(1, &[]).repeat(2_000_000);
        assert!(read(&capture(&[packets])).is_ok_and(|capture| capture.kernels.is_empty()));
        let programs = (0..70_000).map(|address| packet(2, &[9, address, 1, 2]));
        let programs: Vec<_> = programs.collect();
        assert!(read(&capture(&programs)).is_err_and(|wrong| wrong.contains("65,536")));
    }

    #[test]
    fn no_file_does_harm() {
        survives(&example("draw.pm4"));
    }
}
