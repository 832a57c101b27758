//! What messages of generated programs of G45 and its predecessors meet: surfaces of every kind, with
//! bounds and edges inside of memory.

use parallax_isa::{
    Device,
    shared::{
        Environment,
        environment::{Gateway, OtherThread, UrbEntry},
        memory::{EARLY_URB_ROWS, GRAPHICS_BYTES, URB_ROWS},
    },
};

use crate::random::SplitMix64;

/// What a surface is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Buffer,
    /// A buffer at a multiple of 4 bytes.
    OddBuffer,
    /// A buffer of vertices that are streamed out.
    Vertices,
    Plane,
    Null,
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
}

/// The surroundings of a case, and what is in them.
#[derive(Debug)]
pub(super) struct Surroundings {
    pub(super) environment: Environment,
    /// By binding table index.
    pub(super) surfaces: Vec<Surface>,
    /// What stateless messages reach.
    pub(super) stateless: Surface,
}

/// The kinds there are, by binding table index.
const KINDS: [Kind; 14] = [
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
];

/// Dwords between surface states.
const STATE: usize = 8;

impl Surroundings {
    pub(super) fn new(device: Device, random: &mut SplitMix64) -> Self {
        let table = 8 * random.below(3) as usize;
        let states = table + 16;
        let mut heap = vec![0; states + STATE * KINDS.len()];
        let mut surfaces = Vec::new();
        for (index, kind) in KINDS.into_iter().enumerate() {
            let (surface, dwords) = state(device, kind, random);
            let start = states + STATE * index;
            // The low bits of an entry are not looked at.
            heap[table + index] = (4 * start as u32) | random.below(32) as u32;
            heap[start..start + 6].copy_from_slice(&dwords);
            surfaces.push(surface);
        }
        let general_state_base = 4096 * random.below(2) as u32;
        let general_state_bound = [0, 0, 12288, 16384][random.below(4) as usize];
        let end = if general_state_bound == 0 { 16384 } else { general_state_bound };
        let bytes = end - general_state_base - 1024;
        let stateless = Surface { kind: Kind::Buffer, bytes, rows: 0, pixel_bytes: 1 };
        let environment = Environment {
            general_state_base,
            general_state_bound,
            surface_states: heap,
            binding_table: 4 * table as u32,
            urb_entries: urb_entries(device, random),
            free_handles: (0..random.below(5)).map(|_| random.next() as u32).collect(),
            thread: (random.next() & 0xF3) as u8,
            other_thread: None,
        };
        let other_thread = other_thread(environment.thread, random);
        let environment = Environment { other_thread, ..environment };
        Self { environment, surfaces, stateless }
    }
}

/// Entries one behind the other, up to the last row.
fn urb_entries(device: Device, random: &mut SplitMix64) -> Vec<UrbEntry> {
    let end = if device == Device::G45 { URB_ROWS } else { EARLY_URB_ROWS } as u16;
    let start = end - 80;
    let handle = random.next() as u16;
    let entry = |n: u16| UrbEntry {
        handle: handle.wrapping_add(n.wrapping_mul(0x1234)),
        first_row: start + 16 * n,
        rows: 16,
    };
    (0..5).map(entry).collect()
}

/// Another thread than this one, whose gateway is mostly open.
fn other_thread(own: u8, random: &mut SplitMix64) -> Option<OtherThread> {
    let bits = random.next();
    let registers = 1 << (bits >> 32 & 3);
    let gateway =
        Gateway { key: bits as u16, first_register: (bits >> 40) as u8 & 0x7F, registers };
    let fits = gateway.first_register + registers <= 128;
    let gateway = (fits && bits >> 16 & 7 != 0).then_some(gateway);
    let number = own ^ [0x10, 0x01, 0x21, 0x80][(bits >> 20 & 3) as usize];
    let other = OtherThread { execution_unit: number >> 4, thread: number & 3, gateway };
    (bits >> 24 & 15 != 0).then_some(other)
}

/// A surface state with what it says.
fn state(device: Device, kind: Kind, random: &mut SplitMix64) -> (Surface, [u32; 6]) {
    let mut below = |bound: u64| random.below(bound) as u32;
    match kind {
        Kind::Buffer | Kind::OddBuffer => {
            let entries = [1, 3, 64, 100, 200, 300][below(6) as usize];
            let unit = if kind == Kind::Buffer { 16 } else { 4 };
            let base =
                below((GRAPHICS_BYTES as u64 - 16 * u64::from(entries)) / unit) * unit as u32;
            // Neither format nor pitch has a meaning.
            let dwords = buffer(entries, base, below(512), 1 + below(2048));
            (Surface { kind, bytes: 16 * entries, rows: 0, pixel_bytes: 1 }, dwords)
        }
        Kind::Vertices => {
            let format = VERTICES[below(VERTICES.len() as u64) as usize];
            let entries = 1 + below(140);
            let pitch = 4 * (1 + below(16));
            let base = 4 * below(1500);
            let dwords = buffer(entries, base, format, pitch);
            (Surface { kind, bytes: entries * pitch, rows: entries, pixel_bytes: 4 }, dwords)
        }
        Kind::Plane => plane(device, random),
        Kind::Null => {
            let dwords = [7 << 29 | below(1 << 29), below(1 << 32), below(1 << 32), 2, 0, 0];
            (Surface { kind, bytes: 64, rows: 16, pixel_bytes: 1 }, dwords)
        }
        Kind::Anything => {
            let dwords = [0; 6].map(|_: u32| below(1 << 32));
            (Surface { kind, bytes: 64, rows: 16, pixel_bytes: 4 }, dwords)
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
const PIXELS: [(u32, u32); 11] = [
    // R8_UINT, R8_SINT, R8_UNORM.
    (0x143, 1),
    (0x142, 1),
    (0x140, 1),
    // R16_UINT, R8G8_UNORM.
    (0x10D, 2),
    (0x106, 2),
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
        0 => tile_width * (8 + below(48)),
        _ => tile_width * (1 + below(2)),
    };
    // Lines that are in memory, as tiles next to each other have the same lines.
    let lines = (room / (pitch * tile_lines) * tile_lines).min(80);
    let has_origin = is_gen45 && walk != 0 && below(4) == 0;
    let (right, down) = if has_origin { (below(3), below(2)) } else { (0, 0) };
    let is_field = below(3) == 0;
    let usable = if is_field { lines / 2 - 2 * down } else { lines - 4 * down };
    let rows = match below(4) {
        0 => usable,
        1 => usable.min(4),
        _ => 2 + below(usable - 1),
    };
    // An odd number of rows has no fields.
    let rows = if below(4) == 0 { rows } else { rows & !1 };
    let bytes = (pitch - 16 * right).min(4 * (1 + below(160)));
    let mode = match (is_gen45, below(3)) {
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
    (Surface { kind: Kind::Plane, bytes, rows, pixel_bytes }, dwords)
}
