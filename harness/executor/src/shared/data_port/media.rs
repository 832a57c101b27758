//! Rectangles of planes.

use parallax_isa::shared::{Request, Unanswered};

use super::{
    super::{
        refuse,
        surface_state::{Shape, SurfaceState, Walk},
    },
    Way,
    message::Runs,
    surface::{Pixel, Surface, Target},
};

/// Lines of a plane: how many rows there are, and which line is row 0 and how far apart they are.
#[derive(Debug, Clone, Copy)]
struct Lines {
    rows: i64,
    step: i64,
    first: i64,
}

pub(super) fn rectangle(
    request: &Request,
    target: &Target,
    header: &[u32; 8],
    way: Way,
    is_gen45: bool,
) -> Result<(Runs, usize), Unanswered> {
    let [left, top] = [0, 1].map(|n| i64::from(header[n].cast_signed()));
    let width = (header[2] & 31) as usize + 1;
    let height = (header[2] >> 16 & 63) as usize + 1;
    let row_bytes = width.max(4).next_power_of_two();
    if height * row_bytes > 256 {
        return refuse("a rectangle of more than eight registers");
    }
    let mut runs = Runs::new((height * row_bytes).div_ceil(32));
    runs.is_whole = true;
    let surface = match target {
        Target::Surface(surface) => surface,
        Target::Addresses { .. } => return refuse("a rectangle without a surface"),
        Target::Void => {
            let unit = if way == Way::Load && is_gen45 { 1 } else { 4 };
            aligned(left, width, unit)?;
            for row in 0..height {
                runs.add_void(row * row_bytes, width);
            }
            return Ok((runs, 1));
        }
    };
    check(&surface.state)?;
    let lines = lines(&surface.state, request.function_control)?;
    let unit = match surface.pixel {
        _ if way == Way::Store || !is_gen45 => 4,
        Pixel::Bytes1 => 1,
        Pixel::Bytes2 => 2,
        _ => 4,
    };
    aligned(left, width, unit)?;
    if way == Way::Load {
        check_boundary(surface, &lines, is_gen45)?;
    }
    let right = 4 * i64::from(surface.state.width);
    for row in 0..height {
        let y = top + row as i64;
        let line = match way {
            _ if (0..lines.rows).contains(&y) => Some(lines.line(y)),
            Way::Load => Some(lines.beyond(y, surface.boundary_mode)),
            Way::Store => None,
        };
        for column in 0..width {
            let x = left + column as i64;
            let source = match way {
                _ if (0..right).contains(&x) => Some(x),
                Way::Load => Some(edge(surface.pixel, x, right)),
                Way::Store => None,
            };
            if let (Some(line), Some(x)) = (line, source) {
                let address = address(&surface.state, x as u64, line as u64, lines.step as u64);
                runs.add(row * row_bytes + column, 1, address)?;
            }
        }
    }
    Ok((runs, 1))
}

fn aligned(left: i64, width: usize, unit: i64) -> Result<(), Unanswered> {
    if (left | width as i64) & (unit - 1) != 0 {
        return refuse("a rectangle that cuts pixels");
    }
    Ok(())
}

/// Refuses surfaces that are no planes or do not fit in their own lines.
fn check(state: &SurfaceState) -> Result<(), Unanswered> {
    let row = 4 * u64::from(state.width);
    let (base, pitch) = match state.walk {
        Walk::Linear => (31, 0),
        Walk::X => (4095, 511),
        Walk::Y => (4095, 127),
    };
    if state.shape != Shape::Plane {
        return refuse("a rectangle of something else than a plane");
    }
    if state.base & base != 0 || state.pitch & pitch != 0 {
        return refuse("a plane that is not aligned");
    }
    if state.pitch < row {
        return refuse("a plane wider than its pitch");
    }
    let (right, down) = (state.origin.0 << 2, state.origin.1);
    let (most_right, most_down) = match state.walk {
        Walk::Linear => (0, 0),
        Walk::X => (511, 7),
        Walk::Y => (127, 31),
    };
    if right > most_right || down > most_down || right + row > state.pitch {
        return refuse("a plane that does not start in its first tile");
    }
    Ok(())
}

/// What only loads need: a boundary mode, and a format that says what a pixel is.
fn check_boundary(surface: &Surface, lines: &Lines, is_gen45: bool) -> Result<(), Unanswered> {
    let known: &[u32] = if is_gen45 { &[0, 2, 3] } else { &[0] };
    if !known.contains(&surface.boundary_mode) {
        return refuse("a reserved boundary mode");
    }
    if surface.boundary_mode == 3 && lines.step == 1 && lines.rows == 1 {
        return refuse("no second row to interlace");
    }
    if surface.pixel == Pixel::Unsupported {
        return refuse("pixels of another size than 8, 16 or 32 bits");
    }
    Ok(())
}

/// The lines of a surface, or those of the descriptor.
fn lines(state: &SurfaceState, control: u32) -> Result<Lines, Unanswered> {
    let (own, height) = (state.field, i64::from(state.height));
    let wanted = match control >> 8 & 7 {
        0..=3 => own,
        4 | 5 => None,
        6 => Some(0),
        _ => Some(1),
    };
    let rows = match (own.is_some(), wanted.is_some()) {
        (false, true) if height & 1 == 1 => return refuse("half a row"),
        (false, true) => height / 2,
        (true, false) => height * 2,
        _ => height,
    };
    Ok(match wanted {
        None => Lines { rows, step: 1, first: 0 },
        Some(first) => Lines { rows, step: 2, first: first.into() },
    })
}

impl Lines {
    fn line(&self, row: i64) -> i64 {
        self.first + self.step * row
    }

    /// The line that stands for a row above or below.
    fn beyond(&self, row: i64, mode: u32) -> i64 {
        let nearest = row.clamp(0, self.rows - 1);
        match (mode, self.step) {
            // The nearest line of both fields.
            (2, 2) if row < 0 => 0,
            (2, 2) => 2 * self.rows - 1,
            // The nearest line of the same parity.
            (3, 1) if row < 0 => row & 1,
            (3, 1) => nearest - ((nearest ^ row) & 1),
            _ => self.line(nearest),
        }
    }
}

/// The column that stands for one beyond the left or right edge.
fn edge(pixel: Pixel, x: i64, right: i64) -> i64 {
    let last = right - 4;
    let byte = (x & 3) as usize;
    if x < 0 {
        let bytes = match pixel {
            Pixel::Bytes1 => [0, 0, 0, 0],
            Pixel::Bytes2 => [0, 1, 0, 1],
            Pixel::Yuyv => [0, 1, 0, 3],
            Pixel::Uyvy => [0, 1, 2, 1],
            _ => [0, 1, 2, 3],
        };
        return bytes[byte];
    }
    let bytes = match pixel {
        Pixel::Bytes1 => [3, 3, 3, 3],
        Pixel::Bytes2 => [2, 3, 2, 3],
        Pixel::Yuyv => [2, 1, 2, 3],
        Pixel::Uyvy => [0, 3, 2, 3],
        _ => [0, 1, 2, 3],
    };
    last + bytes[byte]
}

/// The address of a byte of a line. Lines to the origin count as often as lines are apart.
fn address(state: &SurfaceState, x: u64, line: u64, step: u64) -> u64 {
    let (x, y) = (x + 4 * state.origin.0, line + state.origin.1 * step);
    state.base + state.walk.offset(state.pitch, x, y)
}
