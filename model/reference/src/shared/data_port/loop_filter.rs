//! AVC Loop Filter Read (section 5.10.8): the record of a macroblock, and what the loop filter needs of it.

use parallax_isa::{
    Acceptance,
    shared::{Request, Response, Unanswered},
};

use super::{
    super::{OpenDoubleword, Reply, World, check_lengths},
    DataPort, Move,
    message::{Direction, Message},
    space::{Space, header},
    undefined,
};

/// Bytes of a record.
const RECORD: usize = 64;
/// Registers that come back, and those of them that are the record itself.
const REPLY: usize = 8;
const COPIED: usize = 2;

impl DataPort {
    /// The record at the header's offset, expanded.
    pub(super) fn loop_filter(
        &self,
        request: &Request,
        space: Space,
        direction: Direction,
        world: &mut World,
    ) -> Result<(Reply, Vec<Move>), Unanswered> {
        if matches!(space, Space::Stateless { .. }) {
            return undefined("a stateless read of a loop filter's record");
        }
        let buffer = space.buffer(4)?;
        let offset = header(request, 2);
        if !offset.is_multiple_of(16) {
            return undefined("the record of a loop filter at an offset that is no multiple of 16");
        }
        check_lengths(request, 1, REPLY)?;
        let place = |at| buffer.place(i128::from(offset) + at as i128);
        let moves = (0..RECORD).map(|at| Ok(Move { at, place: place(at)? }));
        let moves = moves.collect::<Result<Vec<_>, Unanswered>>()?;
        let (front, registers, is_whole, lines) = (1, COPIED, true, None);
        let message = Message { direction, front, registers, moves, is_whole, lines };
        let mut reply = message.carry_out(request, world);
        let expanded = Record::of(&reply).expanded();
        for (number, doublewords) in (COPIED..).zip(expanded) {
            let bytes = doublewords.map(|doubleword| doubleword.bits.to_le_bytes());
            let mut response = Response { enables: 0xFF, ..Response::default() };
            response.bytes.copy_from_slice(bytes.as_flattened());
            reply.registers.push(response);
            for (n, doubleword) in doublewords.iter().enumerate() {
                reply.open.extend(doubleword.open(number, n));
            }
        }
        Ok((reply, message.moves))
    }
}

/// A doubleword of which bits may be open.
#[derive(Debug, Default, Clone, Copy)]
struct Doubleword {
    bits: u32,
    open: u32,
}

const ZERO: Doubleword = Doubleword { bits: 0, open: 0 };

impl Doubleword {
    /// Elements of so many bits beside each other, the first one lowest.
    fn of(width: usize, elements: impl IntoIterator<Item = Option<u8>>) -> Self {
        let mut all = ZERO;
        for (n, element) in elements.into_iter().enumerate() {
            let shift = width * n;
            match element {
                Some(value) => all.bits |= u32::from(value) << shift,
                None => all.open |= ((1 << width) - 1) << shift,
            }
        }
        all
    }

    fn open(self, register: usize, doubleword: usize) -> Option<OpenDoubleword> {
        let (mask, acceptance) = (self.open, Acceptance::Undefined);
        (mask != 0).then_some(OpenDoubleword { register, doubleword, mask, acceptance })
    }
}

/// A component of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Component {
    Y,
    Cb,
    Cr,
}

use Component::{Cb, Cr, Y};

/// Four segments of an edge between blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// To the macroblock on the left: of a frame or top field, and the second one of mixed frames.
    Left(usize),
    /// To the one above.
    Top(usize),
    /// Inside: three vertical ones from left to right, then three horizontal ones downwards.
    Internal(usize),
}

use Edge::{Internal, Left, Top};

/// The second column and row inside: those that chroma has.
const MIDDLE: [Edge; 2] = [Internal(1), Internal(4)];
/// Edges inside.
const INTERNAL: usize = 6;
/// The largest index of the tables.
const INDICES: usize = 52;

/// What memory has of a macroblock.
#[derive(Debug)]
struct Record([Option<u8>; RECORD]);

impl Record {
    /// The record that was read.
    fn of(reply: &Reply) -> Self {
        let read = reply.registers[..COPIED].iter().flat_map(|register| register.bytes);
        let mut bytes = [None; RECORD];
        for (byte, value) in bytes.iter_mut().zip(read) {
            *byte = Some(value);
        }
        for open in &reply.open {
            for byte in (0..4).filter(|byte| open.mask >> (8 * byte) & 0xFF != 0) {
                bytes[32 * open.register + 4 * open.doubleword + byte] = None;
            }
        }
        Self(bytes)
    }

    /// The boundary strengths of an edge.
    fn strengths(&self, edge: Edge) -> [Option<u8>; 4] {
        let (first, width) = match edge {
            // From bit 16 of DW2 on: left, left of the second kind, top, top of the second kind.
            Left(kind) => (2 * 32 + 16 + 16 * kind, 4),
            Top(kind) => (3 * 32 + 16 + 16 * kind, 4),
            // From DW1 on.
            Internal(number) => (32 + 8 * number, 2),
        };
        [0, 1, 2, 3].map(|segment| {
            let bit = first + width * segment;
            Some(self.0[bit / 8]? >> (bit % 8) & ((1 << width) - 1))
        })
    }

    /// indexA and indexB of an edge.
    fn indices(&self, component: Component, edge: Edge) -> [Option<usize>; 2] {
        // Five pairs of each component one behind the other, from the third byte of DW4 on.
        let first = match component {
            Y => 4 * 4 + 2,
            Cb => 7 * 4,
            Cr => 9 * 4 + 2,
        };
        let pair = match edge {
            Internal(_) => 0,
            Left(kind) => 1 + kind,
            Top(kind) => 3 + kind,
        };
        // Of greater ones nobody says what they stand for.
        let index = |at: usize| self.0[at].map(usize::from).filter(|index| *index < INDICES);
        [index(first + 2 * pair), index(first + 2 * pair + 1)]
    }

    /// Alpha and beta of edges, a byte each.
    fn thresholds(
        &self,
        component: Component,
        edges: impl IntoIterator<Item = Edge>,
    ) -> Doubleword {
        let pair = |edge| {
            let [a, b] = self.indices(component, edge);
            [a.map(alpha), b.map(beta)]
        };
        Doubleword::of(8, edges.into_iter().flat_map(pair))
    }

    /// tc0 of the segments of an edge, a byte each.
    fn tc0(&self, component: Component, edge: Edge) -> Doubleword {
        let [index_a, _] = self.indices(component, edge);
        Doubleword::of(8, self.strengths(edge).map(|strength| tc0(index_a, strength?)))
    }

    /// The edge control maps of an external edge: A, then B.
    fn external_maps(&self, edge: Edge) -> Doubleword {
        let strengths = self.strengths(edge);
        let maps = [map_a, map_b].map(|map| strengths.map(|strength| map(strength?)));
        Doubleword::of(4, maps.into_iter().flatten())
    }

    /// The edge control maps of two internal edges.
    fn internal_maps(&self, first: usize) -> Doubleword {
        let strengths = [first, first + 1].map(|edge| self.strengths(Internal(edge)));
        Doubleword::of(4, strengths.into_iter().flatten().map(|strength| Some(map(strength?))))
    }

    /// W2 to W7.
    fn expanded(&self) -> [[Doubleword; 8]; REPLY - COPIED] {
        let external = [Left(0), Top(0), Left(1), Top(1)];
        let [left0, top0, left1, top1] = external;
        let [mut w2, mut w3, mut w4, mut w5, mut w6, mut w7] = [[ZERO; 8]; 6];
        for (pair, maps) in w2[..INTERNAL / 2].iter_mut().enumerate() {
            *maps = self.internal_maps(2 * pair);
        }
        w2[4..].copy_from_slice(&external.map(|edge| self.external_maps(edge)));

        let down = [left0, Internal(0), Internal(1), Internal(2)];
        let across = [top0, Internal(3), Internal(4), Internal(5)];
        w3[..4].copy_from_slice(&down.map(|edge| self.tc0(Y, edge)));
        w3[4..].copy_from_slice(&across.map(|edge| self.tc0(Y, edge)));

        w4[0] = self.thresholds(Y, [left0, top0]);
        w4[1] = self.thresholds(Y, [Internal(0)]);
        w4[4] = self.thresholds(Y, [left1, top1]);
        w4[6] = self.tc0(Y, left1);
        w4[7] = self.tc0(Y, top1);

        let [middle_down, middle_across] = MIDDLE;
        for (n, component) in [Cb, Cr].into_iter().enumerate() {
            let edges = [left0, middle_down, top0, middle_across];
            w5[4 * n..][..4].copy_from_slice(&edges.map(|edge| self.tc0(component, edge)));
            w6[2 * n] = self.thresholds(component, [left0, top0]);
            w6[2 * n + 1] = self.thresholds(component, [Internal(0)]);
            w7[4 * n] = self.thresholds(component, [left1, top1]);
            w7[4 * n + 2] = self.tc0(component, left1);
            w7[4 * n + 3] = self.tc0(component, top1);
        }
        [w2, w3, w4, w5, w6, w7]
    }
}

/// Edge control map of an internal segment (table 5-3).
fn map(strength: u8) -> u8 {
    if strength == 0 { 0 } else { 0xF }
}

/// Edge control map A of an external segment: whether it is filtered (table 5-4).
fn map_a(strength: u8) -> Option<u8> {
    match strength {
        0 => Some(0),
        1..=4 => Some(0xF),
        _ => None,
    }
}

/// Edge control map B: how (table 5-5).
fn map_b(strength: u8) -> Option<u8> {
    match strength {
        0..=3 => Some(0),
        4 => Some(0xF),
        _ => None,
    }
}

fn alpha(index: usize) -> u8 {
    ALPHA[index]
}

fn beta(index: usize) -> u8 {
    BETA[index]
}

/// tc0 of a segment; of strength 0 the table has none.
fn tc0(index_a: Option<usize>, strength: u8) -> Option<u8> {
    match strength {
        1..=3 => {
            let (index, column) = (index_a?, usize::from(strength) - 1);
            Some(TC0[column][index])
        }
        4 => Some(0),
        _ => None,
    }
}

/// Table 5-1.
const ALPHA: [u8; INDICES] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 5, 6, 7, 8, 9, 10, 12, 13, //
    15, 17, 20, 22, 25, 28, 32, 36, 40, 45, 50, 56, 63, 71, 80, 90, 101, 113, 127, 144, 162, 182,
    203, 226, 255, 255,
];
const BETA: [u8; INDICES] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, //
    6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18,
];
/// Table 5-2, for strengths 1 to 3.
const TC0: [[u8; INDICES]; 3] = [
    [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, //
        1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 6, 6, 7, 8, 9, 10, 11, 13,
    ],
    [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, //
        1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 8, 8, 10, 11, 12, 13, 15, 17,
    ],
    [
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, //
        1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 6, 6, 7, 8, 9, 10, 11, 13, 14, 16, 18, 20, 23, 25,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables are those of the manual, cell by cell.
    #[test]
    fn tables_are_those_of_the_manual() {
        let table = include_str!("../../../../spec/tables/g45-avc-lf-tables.csv");
        let mut rows = 0;
        for line in table.lines().skip(1) {
            let cells: Vec<usize> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            let [index, cells @ ..] = &cells[..] else { unreachable!("a row has cells") };
            let of_strength = |strength| tc0(Some(*index), strength).unwrap().into();
            let tc0: [usize; 4] = [1, 2, 3, 4].map(of_strength);
            assert_eq!(cells[..2], [alpha(*index).into(), beta(*index).into()], "{index}");
            assert_eq!(cells[2..], tc0, "{index}");
            rows += 1;
        }
        assert_eq!(rows, INDICES);
    }

    /// The fields are where `g45-avc-lf-surface.csv` has them.
    #[test]
    fn fields_are_where_the_table_has_them() {
        let table = include_str!("../../../../spec/tables/g45-avc-lf-surface.csv");
        let mut fields = 0;
        for line in table.lines().skip(1) {
            let mut cells = line.split(',');
            let [dword, bits, name] = [(); 3].map(|()| cells.next().unwrap());
            let low = bits.split(':').next_back().unwrap();
            let bit = 32 * dword.parse::<usize>().unwrap() + low.parse::<usize>().unwrap();
            let mut record = Record([Some(0); RECORD]);
            record.0[bit / 8] = Some(1 << (bit % 8));
            if let Some(place) = name.strip_prefix("bS_") {
                let digits: Vec<usize> = place[1..]
                    .chars()
                    .filter_map(|digit| digit.to_digit(10).map(|digit| digit as usize))
                    .collect();
                let is_down = place.starts_with('v');
                let (edge, segment) =
                    if is_down { (digits[1], digits[0]) } else { (digits[0], digits[1]) };
                let edge = match (is_down, edge) {
                    (true, 0) => Left(digits[2]),
                    (false, 0) => Top(digits[2]),
                    (true, edge) => Internal(edge - 1),
                    (false, edge) => Internal(2 + edge),
                };
                assert_eq!(record.strengths(edge)[segment], Some(1), "{name}");
                fields += 1;
            } else if let Some(place) = name.strip_prefix("bIndex") {
                let (letter, place) = place.split_at(1);
                let (edge, component) = place.split_once('_').unwrap();
                let edge = match edge {
                    "internal" => Internal(0),
                    "left0" => Left(0),
                    "left1" => Left(1),
                    "top0" => Top(0),
                    _ => Top(1),
                };
                let component = match component {
                    "Y" => Y,
                    "Cb" => Cb,
                    _ => Cr,
                };
                let number = usize::from(letter == "B");
                assert_eq!(record.indices(component, edge)[number], Some(1), "{name}");
                fields += 1;
            }
        }
        assert_eq!(fields, 24 + 16 + 30);
    }
}
