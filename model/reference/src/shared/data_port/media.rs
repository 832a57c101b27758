//! Media Block Read and Write: rectangles of bytes of planes (sections 5.6 and 5.9).

use parallax_isa::{
    eu::register::REGISTER_BYTES,
    shared::{Request, Unanswered},
    surface,
};
use parallax_spec::{RuleId, coverage, rule, rule_id};

use super::{
    super::order::{Cache, Lines},
    DataPort,
    message::{Direction, Message, Move},
    space::{Place, Space, header, memory},
    surface::{SurfaceState, Tiling, Type},
    undefined,
};

/// Bytes of a pixel of a plane, as the width and the origin of its surface count them.
const PIXEL: i128 = 4;

/// The rectangle of a message.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// Byte column and row of its first byte.
    x: i128,
    y: i128,
    /// Bytes of a row, and rows.
    width: usize,
    height: usize,
}

/// A plane as a message sees it.
#[derive(Debug, Clone, Copy)]
struct Plane {
    surface: SurfaceState,
    /// Bytes of a row.
    width: i128,
    /// Rows that can be reached.
    height: i128,
    /// The rows are those of a field, that starts with line 0 or 1.
    field: Option<i128>,
    /// What a read beyond its edges gets.
    edges: Option<Edges>,
}

/// What stands for pixels beyond the edges of a plane.
#[derive(Debug, Clone, Copy)]
struct Edges {
    /// Media Boundary Pixel Mode.
    mode: u32,
    pixels: Pixels,
}

/// How pixels stand in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pixels {
    /// Each in so many bytes.
    Of(usize),
    /// Pairs of YUV 4:2:2, the luma of which is in the even bytes, or else in the odd ones.
    Pairs { luma_first: bool },
}

impl DataPort {
    pub(super) fn media_block(
        &self,
        request: &Request,
        space: Space,
        direction: Direction,
    ) -> Result<Message, Unanswered> {
        let is_read = matches!(direction, Direction::Read(_));
        if direction == Direction::Read(Cache::Data) {
            return undefined("a media block through the data cache");
        }
        let block = Block::of(request)?;
        let plane = match space {
            Space::Null => None,
            Space::Stateless { .. } => return undefined("a stateless media block"),
            Space::Surface(surface) => Some(self.plane(surface, request, is_read)?),
        };
        self.check_alignment(block, plane.and_then(|plane| plane.edges), is_read)?;
        coverage::hit_all(MEDIA);
        coverage::hit_all(if is_read { MEDIA_READ } else { MEDIA_WRITE });
        if direction == Direction::Read(Cache::Sampler) {
            rule!("g45.dataport.cache.sampler.readonly");
        }
        if self.is_ctg() && is_read {
            rule!("g45.dataport.mb.align-read-ctg");
        }
        if self.ignores_bit_11(request, direction) {
            rule!("g45.dataport.mb.desc.bit11");
        }
        // Rows are a power of two apart.
        let pitch = block.width.next_power_of_two().max(4);
        let mut moves = Vec::new();
        for row in 0..block.height {
            for column in 0..block.width {
                let (x, y) = (block.x + column as i128, block.y + row as i128);
                let place = match plane {
                    None => Place::Nowhere,
                    Some(plane) if is_read => plane.read(x, y)?,
                    Some(plane) => plane.write(x, y)?,
                };
                moves.push(Move { at: row * pitch + column, place });
            }
        }
        if plane.is_none() {
            count_null(is_read);
        }
        let registers = (block.height * pitch).div_ceil(REGISTER_BYTES);
        let lines = plane.and_then(|plane| plane.lines());
        Ok(Message { direction, front: 1, registers, moves, is_whole: is_read, lines })
    }

    /// The plane that a message sees, with the lines that its descriptor asks for.
    fn plane(
        &self,
        surface: SurfaceState,
        request: &Request,
        is_read: bool,
    ) -> Result<Plane, Unanswered> {
        if surface.kind() != Type::Plane {
            return undefined("a media block of a surface that is not 2D");
        }
        let width = PIXEL * surface.width();
        check_layout(surface, width)?;
        let (stride, offset, height) = lines(surface, request)?;
        let edges = if is_read { Some(self.edges(surface, stride, height)?) } else { None };
        let field = (stride == 1).then_some(offset.into());
        Ok(Plane { surface, width, height, field, edges })
    }

    fn edges(&self, surface: SurfaceState, stride: u32, height: i128) -> Result<Edges, Unanswered> {
        let mode = surface.boundary_mode();
        if mode == 1 || mode > 1 && !self.is_ctg() {
            return undefined(format!("media boundary pixel mode {mode}"));
        }
        if mode == 3 && stride == 0 && height < 2 {
            return undefined("interlaced rows of a plane of one");
        }
        let format = surface::code(self.device, surface.format()).ok();
        let pixels = match format.map(|format| (format.name, format.bits)) {
            Some(("YCRCB_NORMAL" | "YCRCB_SWAPUV", _)) => Pixels::Pairs { luma_first: true },
            Some(("YCRCB_SWAPY" | "YCRCB_SWAPUVY", _)) => Pixels::Pairs { luma_first: false },
            Some((_, bits @ (8 | 16 | 32))) => Pixels::Of(usize::from(bits) / 8),
            _ => return undefined(format!("a media block of format {:#x}", surface.format())),
        };
        Ok(Edges { mode, pixels })
    }

    /// Where a block may start, and how wide it may be.
    fn check_alignment(
        &self,
        block: Block,
        edges: Option<Edges>,
        is_read: bool,
    ) -> Result<(), Unanswered> {
        let unit = match edges.map(|edges| edges.pixels) {
            _ if !is_read || !self.is_ctg() => 4,
            Some(Pixels::Of(bytes)) => bytes,
            Some(Pixels::Pairs { .. }) => 4,
            None => 1,
        };
        if block.x.rem_euclid(unit as i128) != 0 || !block.width.is_multiple_of(unit) {
            return undefined(format!("a media block that is not aligned to {unit} bytes"));
        }
        Ok(())
    }
}

/// A plane has to stand in memory as its tiles do.
fn check_layout(surface: SurfaceState, width: i128) -> Result<(), Unanswered> {
    let (alignment, tile_width) = match surface.tiling() {
        Tiling::Linear => (32, 1),
        Tiling::XMajor => (4096, 512),
        Tiling::YMajor => (4096, 128),
    };
    if surface.base() % alignment != 0 {
        return undefined("a media surface whose base address is not aligned");
    }
    if surface.pitch() % tile_width != 0 || surface.pitch() < width {
        return undefined("a media surface whose lines do not fit in its pitch");
    }
    surface.check_origin(PIXEL, width)
}

/// Line stride and offset, and the height that follows from them: those of the surface, or those that
/// override them.
fn lines(surface: SurfaceState, request: &Request) -> Result<(u32, u32, i128), Unanswered> {
    let control = request.function_control;
    let height = surface.height();
    if control >> 10 & 1 == 0 {
        rule!("g45.dataport.mb.height.no-override");
        return Ok((surface.line_stride(), surface.line_offset(), height));
    }
    coverage::hit_all(OVERRIDE);
    let (stride, offset) = (control >> 9 & 1, control >> 8 & 1);
    let height = match (surface.line_stride(), stride) {
        (0, 0) => {
            rule!("g45.dataport.mb.height.00");
            height
        }
        (0, _) if height % 2 != 0 => return undefined("fields of a frame of an odd height"),
        (0, _) => {
            rule!("g45.dataport.mb.height.01");
            height / 2
        }
        (_, 0) => {
            rule!("g45.dataport.mb.height.10");
            height * 2
        }
        _ => {
            rule!("g45.dataport.mb.height.11");
            height
        }
    };
    Ok((stride, offset, height))
}

impl Block {
    fn of(request: &Request) -> Result<Self, Unanswered> {
        let signed = |doubleword| i128::from(header(request, doubleword).cast_signed());
        let size = header(request, 2);
        let width = (size & 0x1F) as usize + 1;
        let height = (size >> 16 & 0x3F) as usize + 1;
        let most = match width {
            1..=4 => 64,
            5..=8 => 32,
            9..=16 => 16,
            _ => 8,
        };
        if height > most {
            return undefined(format!("a media block of {height} rows of {width} bytes"));
        }
        Ok(Self { x: signed(0), y: signed(1), width, height })
    }
}

impl Plane {
    /// What a byte column and row of a read stand for.
    fn read(self, x: i128, y: i128) -> Result<Place, Unanswered> {
        let Some(Edges { mode, pixels }) = self.edges else { return Ok(Place::Nowhere) };
        let line = if (0..self.height).contains(&y) {
            self.line(y)
        } else {
            rule!("g45.dataport.mb.oob-read");
            self.line_for(y, mode)
        };
        let column = if (0..self.width).contains(&x) {
            x
        } else {
            coverage::hit_all(CLAMP);
            if !(0..self.height).contains(&y) {
                rule!("g45.dataport.mb.clamp.corner");
            }
            pixels.column_for(x, self.width)
        };
        self.place(column, line)
    }

    /// What a byte column and row of a write stand for: nothing beyond the edges.
    fn write(self, x: i128, y: i128) -> Result<Place, Unanswered> {
        if !(0..self.height).contains(&y) || !(0..self.width).contains(&x) {
            coverage::hit_all(DROPPED);
            return Ok(Place::Nowhere);
        }
        self.place(x, self.line(y))
    }

    /// The line of a row.
    fn line(self, row: i128) -> i128 {
        match self.field {
            None => {
                rule!("g45.dataport.mb.vert.offset-dontcare");
                row
            }
            Some(offset) => {
                rule!("g45.dataport.mb.field.address");
                rule!("g45.surface.vlso");
                2 * row + offset
            }
        }
    }

    /// The line that stands for a row above or below all rows.
    fn line_for(self, row: i128, mode: u32) -> i128 {
        rule!("g45.dataport.mb.desc.combination");
        rule!("g45.dataport.mb.vert.off-edge");
        let is_above = row < 0;
        let nearest = if is_above { 0 } else { self.height - 1 };
        match (mode, self.field) {
            (0, None) => {
                rule!("g45.dataport.mb.vert.mode0-frame");
                nearest
            }
            (0, Some(0)) => {
                rule!("g45.dataport.mb.vert.mode0-even");
                self.line(nearest)
            }
            (0, Some(_)) => {
                rule!("g45.dataport.mb.vert.mode0-odd");
                self.line(nearest)
            }
            (2, None) => {
                rule!("g45.dataport.mb.vert.mode2-frame");
                nearest
            }
            (2, Some(offset)) => {
                if offset == 0 {
                    rule!("g45.dataport.mb.vert.mode2-even");
                } else {
                    rule!("g45.dataport.mb.vert.mode2-odd");
                }
                if is_above { 0 } else { 2 * self.height - 1 }
            }
            (_, None) => {
                rule!("g45.dataport.mb.vert.mode3-frame");
                let parity = row.rem_euclid(2);
                if is_above || nearest % 2 == parity {
                    if is_above { parity } else { nearest }
                } else {
                    nearest - 1
                }
            }
            (_, Some(0)) => {
                rule!("g45.dataport.mb.vert.mode3-even");
                self.line(nearest)
            }
            (_, Some(_)) => {
                rule!("g45.dataport.mb.vert.mode3-odd");
                self.line(nearest)
            }
        }
    }

    /// The byte of a column and a line.
    fn place(self, column: i128, line: i128) -> Result<Place, Unanswered> {
        let (right, down) = self.surface.origin();
        let (column, line) = (column + PIXEL * right, line + down * self.field.map_or(1, |_| 2));
        memory(self.surface.address(column, line))
    }

    /// The lines that must not be reached in both ways.
    fn lines(self) -> Option<Lines> {
        let is_x_major = self.surface.tiling() == Tiling::XMajor;
        is_x_major.then_some(if self.field.is_none() { Lines::Frame } else { Lines::Field })
    }
}

impl Pixels {
    /// The byte column whose byte stands for a column beyond the edges of rows of `width` bytes.
    fn column_for(self, x: i128, width: i128) -> i128 {
        let is_left = x < 0;
        match self {
            Self::Of(bytes) => {
                match bytes {
                    1 => rule!("g45.dataport.mb.clamp.8bpp"),
                    2 => rule!("g45.dataport.mb.clamp.16bpp"),
                    _ => rule!("g45.dataport.mb.clamp.32bpp"),
                }
                let bytes = bytes as i128;
                let first = if is_left { 0 } else { width - bytes };
                first + x.rem_euclid(bytes)
            }
            Self::Pairs { luma_first } => {
                coverage::hit_all(if luma_first { YUYV } else { UYVY });
                let first = if is_left { 0 } else { width - 4 };
                let lumas = if luma_first { [0, 2] } else { [1, 3] };
                let own = x.rem_euclid(4);
                let is_luma = lumas.contains(&own);
                let of_edge = if is_left { lumas[0] } else { lumas[1] };
                first + if is_luma { of_edge } else { own }
            }
        }
    }
}

fn count_null(is_read: bool) {
    if is_read {
        rule!("g45.surface.null.read");
    } else {
        rule!("g45.surface.null.write");
    }
}

const MEDIA: &[RuleId] = &[
    rule_id!("g45.dataport.mb.operation"),
    rule_id!("g45.dataport.mb.raw"),
    rule_id!("g45.dataport.mb.mask-ignored"),
    rule_id!("g45.dataport.mb.width-units"),
    rule_id!("g45.dataport.mb.header.ids"),
    rule_id!("g45.dataport.mb.header.height"),
    rule_id!("g45.dataport.mb.header.width"),
    rule_id!("g45.dataport.mb.header.m02-ignored"),
    rule_id!("g45.dataport.mb.header.y"),
    rule_id!("g45.dataport.mb.header.x"),
    rule_id!("g45.dataport.header.common.unused-by-others"),
];
const MEDIA_READ: &[RuleId] =
    &[rule_id!("g45.dataport.mb.writeback.layout"), rule_id!("g45.dataport.mb.writeback.count")];
const MEDIA_WRITE: &[RuleId] = &[
    rule_id!("g45.dataport.mb.payload.layout"),
    rule_id!("g45.dataport.mb.payload.count"),
    rule_id!("g45.dataport.mb.write.mbpm-unused"),
];
const OVERRIDE: &[RuleId] = &[
    rule_id!("g45.dataport.mb.desc.override"),
    rule_id!("g45.dataport.mb.desc.override-stride"),
    rule_id!("g45.dataport.mb.desc.override-offset"),
];
const CLAMP: &[RuleId] =
    &[rule_id!("g45.dataport.mb.oob-read"), rule_id!("g45.dataport.mb.clamp.per-pixel")];
const DROPPED: &[RuleId] = &[rule_id!("g45.dataport.mb.oob-write")];
const YUYV: &[RuleId] =
    &[rule_id!("g45.dataport.mb.clamp.yuyv"), rule_id!("g45.dataport.mb.clamp.yuv-bpe0")];
const UYVY: &[RuleId] =
    &[rule_id!("g45.dataport.mb.clamp.uyvy"), rule_id!("g45.dataport.mb.clamp.yuv-bpe0")];
