//! Faults of AVC Loop Filter Read: what is made of the record of a macroblock disturbed.

use parallax_isa::{
    Device,
    eu::{Instruction, State},
};
use parallax_lockstep::eu::generate;

use super::{
    Eu, Fault, disturb,
    early_messages::{self, reply},
    rewrite,
};
use crate::fault_injection::{Family, all_are_found};

static RECORDS: Family<Eu> = Family {
    name: "records of loop filters",
    device: Device::G45,
    generate: generate::data_port_messages,
    bytes: generate::BYTES,
    faults: FAULTS,
};

static EARLIER: Family<Eu> =
    Family { name: "records of loop filters on ctg", device: Device::Ctg, ..RECORDS };

#[test]
fn faults_of_records_of_loop_filters_are_found() {
    all_are_found(&RECORDS);
    all_are_found(&EARLIER);
}

/// A fault of the bytes that come back.
macro_rules! expanded {
    ($name:literal, $change:expr) => {
        disturb($name, |i, before, after| {
            if let Some(bytes) = expansion(i, before, after) {
                let change: fn(&mut [u8]) = $change;
                change(bytes);
            }
        })
    };
}

const FAULTS: &[Fault<Eu>] = &[
    rewrite("taken for a block of octwords", |i| {
        // Eight of them, which are four registers.
        let block = |bits: u32| bits & !(0xF << 16 | 0xFF << 8) | 4 << 16 | 4 << 8;
        early_messages::with(i, &[4], |bits| is_record(bits).then(|| block(bits)))
    }),
    // The record's own registers.
    expanded!("the hint of the record masked", |bytes| bytes[48] &= !3),
    expanded!("strengths of the second kind masked", |bytes| bytes[16] = 0),
    // Maps.
    expanded!("map of strength 2 inside not set", |bytes| {
        if bytes[4] & 3 == 2 {
            bytes[64] &= 0xF0;
        }
    }),
    expanded!("map B set from strength 3 on", |bytes| {
        if bytes[10] & 15 == 3 {
            bytes[82] |= 0xF;
        }
    }),
    expanded!("map A not set at strength 4", |bytes| {
        if bytes[11] >> 4 == 4 {
            bytes[81] &= 0x0F;
        }
    }),
    expanded!("maps A and B exchanged", |bytes| bytes[84..88].rotate_left(2)),
    expanded!("maps of the left taken for those above", |bytes| {
        bytes.copy_within(80..84, 84);
    }),
    expanded!("maps of both kinds exchanged", |bytes| bytes[80..96].rotate_left(8)),
    expanded!("maps across inside taken for those down", |bytes| bytes.copy_within(64..70, 70)),
    expanded!("an empty doubleword written", |bytes| bytes[76] = 1),
    // Tables.
    expanded!("alpha of index 51 one less", |bytes| {
        if bytes[20] == 51 {
            bytes[128] -= 1;
        }
    }),
    expanded!("beta of index 16 is zero", |bytes| {
        if bytes[21] == 16 {
            bytes[129] = 0;
        }
    }),
    expanded!("tc0 of strength 4 that of strength 3", |bytes| {
        if bytes[10] & 15 == 4 && bytes[20] == 30 {
            bytes[96] = 2;
        }
    }),
    expanded!("tc0 of strength 2 that of strength 1", |bytes| {
        if bytes[4] & 3 == 2 && bytes[18] == 31 {
            bytes[100] = 1;
        }
    }),
    expanded!("tc0 of strength 3 begins at index 18", |bytes| {
        if bytes[10] & 15 == 3 && bytes[20] == 17 {
            bytes[96] = 0;
        }
    }),
    // Which index and which edge.
    expanded!("alpha inside with the index on the left", |bytes| bytes[132] = bytes[128]),
    expanded!("beta that of alpha", |bytes| bytes[133] = bytes[132]),
    expanded!("the second index above taken for the first", |bytes| {
        bytes.copy_within(130..132, 146);
    }),
    expanded!("tc0 above with the index on the left", |bytes| {
        // Where strengths are alike, only the index makes a difference.
        if bytes[10] & 15 == bytes[14] & 15 {
            bytes[112] = bytes[96];
        }
    }),
    expanded!("tc0 of rows and columns exchanged", |bytes| {
        let (columns, rows) = bytes[100..128].split_at_mut(16);
        columns[..12].swap_with_slice(rows);
    }),
    expanded!("tc0 of the second kind that of the first", |bytes| bytes.copy_within(96..100, 152)),
    expanded!("tc0 of Cr that of Cb", |bytes| bytes.copy_within(160..176, 176)),
    expanded!("tc0 of Cb across that of luma", |bytes| bytes.copy_within(112..116, 168)),
    expanded!("tc0 of Cr of the first column", |bytes| bytes.copy_within(100..104, 180)),
    expanded!("alpha of Cb that of Y", |bytes| bytes[192] = bytes[128]),
    expanded!("thresholds of Cr inside those of Cb", |bytes| bytes.copy_within(196..198, 204)),
    expanded!("the second kind of Cr that of Cb", |bytes| bytes.copy_within(224..228, 240)),
    expanded!("tc0 of the second kind of Cr that of Cb", |bytes| bytes.copy_within(232..240, 248)),
    disturb("channels masked", |i, before, after| {
        if expansion(i, before, after).is_some()
            && let Some(first) = reply(i)
        {
            after.grf[first][28..32].copy_from_slice(&before.grf[first][28..32]);
        }
    }),
];

/// Whether a message to the read port is such a read.
fn is_record(bits: u32) -> bool {
    bits >> 24 == 4 && bits >> 11 & 7 == 3
}

/// The 256 bytes that came back.
fn expansion<'s>(i: &Instruction, before: &State, after: &'s mut State) -> Option<&'s mut [u8]> {
    early_messages::descriptor(i, &[4]).filter(|bits| is_record(*bits))?;
    let first = reply(i)?;
    let has_come = before.grf[first..first + 8] != after.grf[first..first + 8];
    has_come.then(|| after.grf[first..first + 8].as_flattened_mut())
}
