//! The data ports of Gen4 and Gen4.5: descriptors resolved into runs of bytes, runs copied.

mod block;
mod buffer;
mod loop_filter;
mod media;
mod message;
mod render_target;
mod surface;

use parallax_isa::shared::{Memory, Rendering, Request, Unanswered};

use super::{Reply, lengths, refuse};
pub(crate) use block::OctwordBlock;
use message::Runs;
pub(super) use surface::Surfaces;

/// What is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Job {
    Octwords,
    OctwordPairs,
    Rectangle,
    Scattered,
    Vertex,
    LoopFilter,
    Pixels,
    Flush,
    Unknown,
}

use Job::{
    Flush, LoopFilter, OctwordPairs, Octwords, Pixels, Rectangle, Scattered, Unknown, Vertex,
};

/// Bits 13:12 of reads.
const READS_GEN4: [Job; 4] = [Octwords, OctwordPairs, Rectangle, Scattered];
/// Bits 13:11 of reads.
const READS_GEN45: [Job; 8] =
    [Octwords, Unknown, OctwordPairs, LoopFilter, Rectangle, Unknown, Scattered, Unknown];
/// Bits 14:12 of writes.
const WRITES: [Job; 8] =
    [Octwords, OctwordPairs, Rectangle, Scattered, Pixels, Vertex, Unknown, Flush];

/// Which way data goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Load,
    Store,
}

/// A message to the read port.
pub(super) fn read(
    request: &Request,
    memory: &mut Memory,
    surfaces: &Surfaces,
) -> Result<Reply, Unanswered> {
    let bits = request.function_control;
    if request.is_last {
        return refuse("a read to end with");
    }
    if bits >> 14 & 3 == 3 {
        return refuse("a fourth cache");
    }
    let job = if surfaces.is_gen45 {
        READS_GEN45[(bits >> 11 & 7) as usize]
    } else {
        READS_GEN4[(bits >> 12 & 3) as usize]
    };
    if job == Rectangle && bits >> 14 & 3 == 0 {
        return refuse("a rectangle out of the data cache");
    }
    if job == LoopFilter {
        return loop_filter::read(request, memory, surfaces);
    }
    let (runs, front) = resolve(request, surfaces, job, Way::Load)?;
    lengths(request, front, runs.registers)?;
    runs.load(memory)
}

/// A message to the write port, of which nothing comes back: a commit has a register, but no data.
pub(super) fn write(
    request: &Request,
    memory: &mut Memory,
    surfaces: &Surfaces,
    rendering: &Rendering,
) -> Result<(), Unanswered> {
    let bits = request.function_control;
    let job = WRITES[(bits >> 12 & 7) as usize];
    let answers = usize::from(bits >> 15 & 1 == 1);
    if job == Pixels {
        return render_target::write(request, memory, surfaces, rendering, answers);
    }
    if request.is_last {
        return refuse("a write to end with that is of no render target");
    }
    if job == Flush {
        // Nothing is held back here that would have to go to memory.
        return lengths(request, 1, answers);
    }
    let (runs, front) = resolve(request, surfaces, job, Way::Store)?;
    lengths(request, front + runs.registers, answers)?;
    runs.store(memory, &request.payload[front..]);
    Ok(())
}

/// The runs of a message, and the registers in front of its data.
fn resolve(
    request: &Request,
    surfaces: &Surfaces,
    job: Job,
    way: Way,
) -> Result<(Runs, usize), Unanswered> {
    let header = words(&request.payload[0]);
    let target = surfaces.target(request.function_control as u8, header[5])?;
    match job {
        Octwords => buffer::octwords(request, &target, &header, way, surfaces.is_gen45),
        OctwordPairs => buffer::pairs(request, &target, &header, way),
        Scattered => buffer::scattered(request, &target, &header),
        Vertex => buffer::vertex(request, &target, &header),
        Rectangle => media::rectangle(request, &target, &header, way, surfaces.is_gen45),
        LoopFilter | Flush | Pixels | Unknown => {
            refuse("a message of a type that is not described")
        }
    }
}

/// A register's doublewords.
fn words(register: &[u8; 32]) -> [u32; 8] {
    let words = register.as_chunks::<4>().0;
    std::array::from_fn(|n| u32::from_le_bytes(words[n]))
}
