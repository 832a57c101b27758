//! Media Block Read and Write: rectangles of bytes of planes (sections 5.6 and 5.9).

use parallax_isa::{
    eu::register::REGISTER_BYTES,
    shared::{Request, Unanswered},
    surface,
};

use super::{
    super::order::{Cache, Lines},
    DataPort, Move, Place,
    message::{Direction, Message},
    space::{Space, header, memory},
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
            Space::Null(_) => None,
            Space::Stateless { .. } => return undefined("a stateless media block"),
            Space::Surface(surface) => Some(self.plane(surface, request, is_read)?),
        };
        self.check_alignment(block, plane.and_then(|plane| plane.edges), is_read)?;
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
        return Ok((surface.line_stride(), surface.line_offset(), height));
    }
    let (stride, offset) = (control >> 9 & 1, control >> 8 & 1);
    let height = match (surface.line_stride(), stride) {
        (0, 0) => height,
        (0, _) if height % 2 != 0 => return undefined("fields of a frame of an odd height"),
        (0, _) => height / 2,
        (_, 0) => height * 2,
        _ => height,
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
        let is_inside = (0..self.height).contains(&y);
        let line = if is_inside { self.line(y) } else { self.line_for(y, mode) };
        let is_inside = (0..self.width).contains(&x);
        let column = if is_inside { x } else { pixels.column_for(x, self.width) };
        self.place(column, line)
    }

    /// What a byte column and row of a write stand for: nothing beyond the edges.
    fn write(self, x: i128, y: i128) -> Result<Place, Unanswered> {
        if !(0..self.height).contains(&y) || !(0..self.width).contains(&x) {
            return Ok(Place::Nowhere);
        }
        self.place(x, self.line(y))
    }

    /// The line of a row.
    fn line(self, row: i128) -> i128 {
        self.field.map_or(row, |offset| 2 * row + offset)
    }

    /// The line that stands for a row above or below all rows.
    fn line_for(self, row: i128, mode: u32) -> i128 {
        let is_above = row < 0;
        let nearest = if is_above { 0 } else { self.height - 1 };
        match (mode, self.field) {
            // The first or last row of the frame, of either field.
            (2, Some(_)) => {
                if is_above {
                    0
                } else {
                    2 * self.height - 1
                }
            }
            // The nearest row of the same parity.
            (3, None) if is_above => row.rem_euclid(2),
            (3, None) if nearest % 2 == row.rem_euclid(2) => nearest,
            (3, None) => nearest - 1,
            // The nearest one of the frame or field.
            _ => self.line(nearest),
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
                let bytes = bytes as i128;
                let first = if is_left { 0 } else { width - bytes };
                first + x.rem_euclid(bytes)
            }
            Self::Pairs { luma_first } => {
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
