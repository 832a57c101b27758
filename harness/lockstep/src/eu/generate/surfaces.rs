//! What messages of generated programs of G45 and its predecessors meet: surfaces of every kind, with
//! bounds and edges inside of memory.

use std::ops::Range;

use parallax_isa::{
    Device,
    shared::{
        Environment, Rendering,
        environment::{Gateway, OtherThread, UrbEntry},
        memory::{EARLY_URB_ROWS, GRAPHICS_BYTES, URB_ROWS},
    },
    surface::{self, Format, Layout, Numeric, Use},
};

use super::rendering::rendering;
use crate::random::SplitMix64;

/// What a surface is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Buffer,
    /// A buffer at a multiple of 4 bytes.
    OddBuffer,
    /// A buffer of vertices that are streamed out.
    Vertices,
    /// A buffer of records of the AVC loop filter.
    Records,
    Plane,
    /// A plane that is only written: what reads of it would need makes no sense.
    WrittenPlane,
    /// A render target.
    Target,
    Null,
    /// One that is sampled.
    Texture,
    /// Words at random.
    Anything,
}

/// What a program needs to know of a surface.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surface {
    pub(super) kind: Kind,
    /// Bytes of a buffer, or of a row of a plane.
    pub(super) bytes: u32,
    /// Rows of a plane, or vertices.
    pub(super) rows: u32,
    /// Bytes of a pixel, or of a pair of pixels.
    pub(super) pixel_bytes: u32,
    /// Pixels of a row of a render target, and elements of its array.
    pub(super) pixels: u32,
    pub(super) elements: u32,
    pub(super) is_tiled: bool,
    /// A depth buffer suits it.
    pub(super) has_depth: bool,
}

/// A surface of nothing.
const NO_SURFACE: Surface = Surface {
    kind: Kind::Null,
    bytes: 64,
    rows: 16,
    pixel_bytes: 1,
    pixels: 8,
    elements: 1,
    is_tiled: true,
    has_depth: false,
};

/// The surroundings of a case, and what is in them.
#[derive(Debug)]
pub(super) struct Surroundings {
    pub(super) environment: Environment,
    pub(super) rendering: Rendering,
    /// By binding table index, from the first one on.
    pub(super) surfaces: Vec<Surface>,
    /// The first index.
    pub(super) first: usize,
    /// What stateless messages reach.
    pub(super) stateless: Surface,
}

/// The kinds there are, by binding table index.
const KINDS: [Kind; 24] = [
    Kind::Buffer,
    Kind::Buffer,
    Kind::Buffer,
    Kind::OddBuffer,
    Kind::Vertices,
    Kind::Vertices,
    Kind::Plane,
    Kind::Plane,
    Kind::Plane,
    Kind::Plane,
    Kind::Plane,
    Kind::Plane,
    Kind::Null,
    Kind::Anything,
    Kind::Target,
    Kind::Target,
    Kind::Target,
    Kind::Target,
    Kind::Target,
    Kind::Target,
    Kind::Target,
    Kind::Target,
    Kind::WrittenPlane,
    Kind::Records,
];

/// Dwords between surface states.
const STATE: usize = 8;
/// Entries of the binding table, and the greatest number of the first one that is used: some are left for what
/// a program has besides.
const TABLE: usize = 256;
const LAST_FIRST: u64 = 223;

impl Surroundings {
    pub(super) fn new(device: Device, random: &mut SplitMix64) -> Self {
        let table = 8 * random.below(3) as usize;
        let states = table + TABLE;
        let mut heap = vec![0; states + STATE * KINDS.len()];
        let mut surfaces = Vec::new();
        let rendering = rendering(random);
        let first = match random.below(4) {
            0 => random.below(LAST_FIRST) as usize,
            1 => LAST_FIRST as usize,
            _ => 0,
        };
        for (index, kind) in KINDS.into_iter().enumerate() {
            let (surface, dwords) = state(device, kind, &rendering, random);
            let start = states + STATE * index;
            // The low bits of an entry are not looked at.
            heap[table + first + index] = (4 * start as u32) | random.below(32) as u32;
            heap[start..start + 6].copy_from_slice(&dwords);
            surfaces.push(surface);
        }
        let general_state_base = 4096 * random.below(2) as u32;
        let general_state_bound = [0, 0, 12288, 16384][random.below(4) as usize];
        let end = if general_state_bound == 0 { 16384 } else { general_state_bound };
        let bytes = end - general_state_base - 1024;
        let stateless = Surface { kind: Kind::Buffer, bytes, rows: 0, ..NO_SURFACE };
        let free_handles: Vec<_> = (0..random.below(5)).map(|_| random.next() as u32).collect();
        let environment = Environment {
            general_state_base,
            general_state_bound,
            surface_states: heap,
            binding_table: 4 * table as u32,
            urb_entries: urb_entries(device, &free_handles, random),
            free_handles,
            thread: (random.next() & 0xF3) as u8,
            other_thread: None,
        };
        let other_thread = other_thread(environment.thread, random);
        let environment = Environment { other_thread, ..environment };
        Self { environment, rendering, surfaces, first, stateless }
    }

    /// Adds a surface that is sampled, at the next index.
    pub(super) fn add_texture(&mut self, state: [u32; 6]) {
        let heap = &mut self.environment.surface_states;
        let (table, start) = (self.environment.binding_table as usize / 4, heap.len());
        heap[table + self.first + self.surfaces.len()] = 4 * start as u32;
        heap.extend(state);
        heap.resize(start + STATE, 0);
        self.surfaces.push(Surface { kind: Kind::Texture, ..NO_SURFACE });
    }
}

/// Rows of the entries that a thread has from the start, and of those that it can allocate.
const ROWS: [u16; 9] = [16, 72, 16, 40, 16, 16, 16, 16, 16];
/// How many of them it has.
pub(super) const OWN_ENTRIES: usize = 5;

/// Entries one before the other, from the last row on; those behind the first ones stand for free handles.
fn urb_entries(device: Device, free: &[u32], random: &mut SplitMix64) -> Vec<UrbEntry> {
    let mut end = if device == Device::G45 { URB_ROWS } else { EARLY_URB_ROWS } as u16;
    let own = random.next() as u16;
    let own = (0..OWN_ENTRIES as u16).map(|n| own.wrapping_add(n.wrapping_mul(0x1234)));
    let handles = own.chain(free.iter().map(|handle| *handle as u16));
    let entry = |(handle, rows)| {
        end -= rows;
        UrbEntry { handle, first_row: end, rows }
    };
    handles.zip(ROWS).map(entry).collect()
}

/// Another thread than this one, whose gateway is mostly open.
fn other_thread(own: u8, random: &mut SplitMix64) -> Option<OtherThread> {
    let bits = random.next();
    let registers = 1 << ((bits >> 32 & 7).min(5));
    // Some end with the last register.
    let first_register =
        if bits >> 56 & 7 == 0 { 128 - registers } else { (bits >> 40) as u8 & 0x7F };
    let gateway = Gateway { key: bits as u16, first_register, registers };
    let fits = gateway.first_register + registers <= 128;
    let gateway = (fits && bits >> 16 & 7 != 0).then_some(gateway);
    let number = own ^ [0x10, 0x01, 0x21, 0x80][(bits >> 20 & 3) as usize];
    let other = OtherThread { execution_unit: number >> 4, thread: number & 3, gateway };
    (bits >> 24 & 15 != 0).then_some(other)
}

/// A surface state with what it says.
fn state(
    device: Device,
    kind: Kind,
    rendering: &Rendering,
    random: &mut SplitMix64,
) -> (Surface, [u32; 6]) {
    let mut below = |bound: u64| random.below(bound) as u32;
    match kind {
        Kind::Buffer | Kind::OddBuffer => {
            // The last two do not end in memory.
            let entries = [1, 3, 64, 100, 200, 300, 700, 5000, 1 << 20 | 5][below(9) as usize];
            let unit = if kind == Kind::Buffer { 16 } else { 4 };
            let bytes = (16 * entries).min(GRAPHICS_BYTES as u32 / 2);
            let base = below((GRAPHICS_BYTES as u64 - u64::from(bytes)) / unit) * unit as u32;
            // Neither format nor pitch has a meaning.
            let dwords = buffer(entries, base, below(512), 1 + below(2048));
            (Surface { kind, bytes, rows: 0, ..NO_SURFACE }, dwords)
        }
        Kind::Vertices => {
            let format = VERTICES[below(VERTICES.len() as u64) as usize];
            let entries = 1 + below(140);
            let pitch = 4 * (1 + below(16));
            let base = 4 * below(1500);
            let dwords = buffer(entries, base, format, pitch);
            (Surface { kind, bytes: entries * pitch, rows: entries, ..NO_SURFACE }, dwords)
        }
        Kind::Records => {
            // Seldom beside the records there are, or with the last one cut.
            let base = RECORDS.start as u32 + [0, 0, 0, 4 * below(16)][below(4) as usize];
            let entries = RECORDS.len() as u32 / 16 - [0, 0, 1, 2][below(4) as usize];
            let dwords = buffer(entries, base, below(512), 1 + below(2048));
            (Surface { kind, bytes: 16 * entries, rows: 0, ..NO_SURFACE }, dwords)
        }
        Kind::Plane => plane(device, random),
        Kind::WrittenPlane => {
            let (surface, mut dwords) = plane(device, random);
            let [format, mode] = [0x1FF * random.below(2), random.below(4)];
            dwords[0] |= (format << 18 | mode << 6) as u32;
            (Surface { kind, ..surface }, dwords)
        }
        Kind::Target => target(device, rendering.alpha_test.is_some(), random),
        Kind::Null | Kind::Texture => {
            let dwords = [7 << 29 | below(1 << 29), below(1 << 32), below(1 << 32), 2, 0, 0];
            (NO_SURFACE, dwords)
        }
        Kind::Anything => {
            let dwords = [0; 6].map(|_: u32| below(1 << 32));
            (Surface { kind, pixel_bytes: 4, ..NO_SURFACE }, dwords)
        }
    }
}

/// The bytes of memory where records of the AVC loop filter are.
const RECORDS: Range<usize> = 0x2C00..0x3000;
/// Bytes of a record.
pub(super) const RECORD: usize = 64;

/// Makes records of bytes at random: boundary strengths up to 4 and indices up to 51, as far as the manual has them.
pub(super) fn make_records(memory: &mut [u8]) {
    for record in memory[RECORDS].as_chunks_mut::<RECORD>().0 {
        // One of some is left as it is.
        if record[48] & 15 == 0 {
            continue;
        }
        for strengths in &mut record[10..18] {
            let [first, second] = [*strengths & 15, *strengths >> 4];
            *strengths = (first % 5) | ((second % 5) << 4);
        }
        for index in &mut record[18..48] {
            *index %= 52;
        }
    }
}

/// SURFTYPE_BUFFER.
fn buffer(entries: u32, base: u32, format: u32, pitch: u32) -> [u32; 6] {
    let number = entries - 1;
    let (width, height, depth) = (number & 0x7F, number >> 7 & 0x1FFF, number >> 20);
    let sizes = [height << 19 | width << 6, depth << 21 | (pitch - 1) << 3];
    [4 << 29 | format << 18, base, sizes[0], sizes[1], 0, 0]
}

/// Formats that can be streamed out.
const VERTICES: [u32; 12] =
    [0x000, 0x001, 0x002, 0x040, 0x041, 0x042, 0x085, 0x086, 0x087, 0x0D6, 0x0D7, 0x0D8];

/// Formats of planes: code, and bytes of a pixel or a pair of pixels.
const PIXELS: [(u32, u32); 13] = [
    // R8_UINT, R8_SINT, R8_UNORM.
    (0x143, 1),
    (0x142, 1),
    (0x140, 1),
    // R16_UINT, R8G8_UNORM.
    (0x10D, 2),
    (0x106, 2),
    // P4A4_UNORM_PALETTE0, A8P8_UNORM_PALETTE1.
    (0x147, 1),
    (0x110, 2),
    // B8G8R8A8_UNORM, R32_UINT.
    (0x0C0, 4),
    (0x0D7, 4),
    // YCRCB_NORMAL, SWAPUVY, SWAPY, SWAPUV: pairs.
    (0x182, 4),
    (0x183, 4),
    (0x190, 4),
    (0x18F, 4),
];

/// How lines stand in memory: the tile mode's two bits, bytes and lines of a tile.
const WALKS: [(u32, u32, u32); 3] = [(0, 4, 1), (2, 512, 8), (3, 128, 32)];

fn plane(device: Device, random: &mut SplitMix64) -> (Surface, [u32; 6]) {
    let is_gen45 = matches!(device, Device::Ctg | Device::G45);
    let mut below = |bound: u32| random.below(bound.into()) as u32;
    let (format, pixel_bytes) = PIXELS[below(PIXELS.len() as u32) as usize];
    let (walk, tile_width, tile_lines) = WALKS[below(3) as usize];
    let base = match walk {
        0 => 32 * below(128),
        _ => 4096 * below(2),
    };
    let room = GRAPHICS_BYTES as u32 - base;
    let pitch = match walk {
        // Lines may have any length.
        0 if below(4) == 0 => 32 + below(640),
        0 => tile_width * (8 + below(160)),
        _ => tile_width * (1 + below(2)),
    };
    // Lines that are in memory, as tiles next to each other have the same lines.
    let lines = (room / (pitch * tile_lines) * tile_lines).min(80);
    let has_origin = is_gen45 && walk != 0 && below(4) == 0;
    let is_field = below(3) == 0;
    let (right, down) = match has_origin {
        true => (below(tile_width / 16), below(lines / 4).min(tile_lines / 2 - 1)),
        false => (0, 0),
    };
    let usable = if is_field { lines / 2 - 2 * down } else { lines - 4 * down };
    let rows = match below(8) {
        0 | 1 => usable,
        2 => usable.min(4),
        3 => 1,
        _ => 2 + below(usable - 1),
    };
    // An odd number of rows has no fields.
    let rows = if below(4) == 0 { rows } else { (rows & !1).max(1) };
    let bytes = ((pitch - 16 * right) & !3).min(4 * (1 + below(160)));
    let mode = match (is_gen45, below(3)) {
        // One row has no second one to interlace.
        (true, 2) if rows == 1 && !is_field => 2,
        (true, mode @ 1..) => mode + 1,
        _ => 0,
    };
    let field = u32::from(is_field) << 1 | below(2);
    let (width, height) = (bytes / 4 - 1, rows - 1);
    // Devices without it do not look at the origin.
    let origin = if is_gen45 { right << 25 | down << 20 } else { below(u32::MAX) };
    let dwords = [
        1 << 29 | format << 18 | field << 11 | mode << 6,
        base,
        height << 19 | width << 6,
        (pitch - 1) << 3 | walk,
        0,
        origin,
    ];
    (Surface { kind: Kind::Plane, bytes, rows, pixel_bytes, ..NO_SURFACE }, dwords)
}

/// Types of render targets: code, and array elements, slices or faces.
const TARGETS: [(u32, u32); 8] = [(1, 1), (1, 1), (1, 1), (1, 2), (0, 1), (2, 4), (3, 6), (4, 1)];

/// A render target of at most 64 by 32 pixels, so that a depth buffer of as many fits behind it.
fn target(device: Device, has_alpha_test: bool, random: &mut SplitMix64) -> (Surface, [u32; 6]) {
    let is_gen45 = matches!(device, Device::Ctg | Device::G45);
    let mut below = |bound: u32| random.below(bound.into()) as u32;
    let can_be = |format: &&Format| {
        let mut parts = format.layout.components().map(|part| part.numeric);
        // Alpha of integers is not tested.
        let suits = !has_alpha_test || parts.all(|n| !matches!(n, Numeric::Uint | Numeric::Sint));
        let is_plain = matches!(format.layout, Layout::Plain(_));
        suits && is_plain && format.allows(device, Use::RenderTarget)
    };
    let formats: Vec<_> = surface::catalogue(device).iter().filter(can_be).collect();
    let format = formats[below(formats.len() as u32) as usize];
    let pixel_bytes = u32::from(format.bits) / 8;
    let (kind, elements) = TARGETS[below(8) as usize];
    let is_buffer = kind == 4;
    let (walk, tile_width, tile_lines) = match below(3) {
        _ if is_buffer => WALKS[0],
        // Pixels of 128 bits in Y-major tiles have no defined effect.
        2 if pixel_bytes == 16 && below(8) != 0 => WALKS[1],
        number => WALKS[number as usize],
    };
    let pitch = match walk {
        0 => pixel_bytes * (1 + below(64)),
        _ => tile_width * (1 + below(2)),
    };
    let most_rows = match elements {
        1 if kind != 0 => (8192 / (pitch * tile_lines) * tile_lines).min(32),
        _ => 4,
    };
    let has_origin = is_gen45 && walk != 0 && elements == 1 && kind == 1 && below(3) == 0;
    let pixels_of_tile = tile_width / pixel_bytes;
    let (right, down) = match has_origin && pixel_bytes.is_power_of_two() {
        true => (below((pixels_of_tile / 4).max(1)), below(tile_lines / 4)),
        false => (0, 0),
    };
    let room = (pitch / pixel_bytes - 4 * right).min(64);
    // The last pixel is the last one in memory, where no depth buffer is behind it.
    let is_last = elements == 1 && !is_buffer && !has_origin && below(8) == 0;
    let width = if is_last { room } else { 1 + below(room) };
    let rows = if kind == 0 { 1 } else { 1 + below(most_rows - 2 * down) };
    let base = match walk {
        _ if is_last => {
            let unit = if walk == 0 { pixel_bytes } else { 4096 };
            (GRAPHICS_BYTES as u32 - pitch * rows.next_multiple_of(tile_lines)) / unit * unit
        }
        0 => pixel_bytes * below(8),
        _ => 4096 * below(if most_rows > 8 { 1 } else { 2 }),
    };
    let is_written = if below(3) == 0 { below(16) } else { 0 };
    let blends = u32::from(format.allows(device, Use::Blend) && below(4) != 0);
    let code = u32::from(format.code);
    let first = kind << 29 | code << 18 | is_written << 14 | blends << 13;
    let dwords = if is_buffer {
        let [_, _, sizes, depth, ..] = buffer(width, base, code, pitch.min(2048));
        [first, base, sizes, depth, 0, 0]
    } else {
        // Of a cube there is no depth.
        let last = if kind == 3 { 0 } else { elements - 1 };
        let size = (rows - 1) << 19 | (width - 1) << 6;
        let origin = if is_gen45 { right << 25 | down << 20 } else { below(u32::MAX) };
        [first, base, size, last << 21 | (pitch - 1) << 3 | walk, last << 8, origin]
    };
    let rows = if is_buffer { 1 } else { rows };
    let (is_tiled, has_depth) = (walk != 0, !is_buffer && !is_last);
    let target = Surface { kind: Kind::Target, bytes: width * pixel_bytes, rows, ..NO_SURFACE };
    (Surface { pixel_bytes, pixels: width, elements, is_tiled, has_depth, ..target }, dwords)
}
