//! A case: everything that decides a run of an R700 program.

use serde::{Deserialize, Serialize};

use super::{sampler::Sampler, state::State, texture::Texture};
use crate::Device;

/// Which account of the machine is followed where the printed manual and public evidence about
/// shipped hardware differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// The printed text.
    #[default]
    Manual,
    /// Shipped hardware: `SUB_INT` subtracts the second operand from the first, `SIN` and `COS`
    /// take turns, float to integer conversions saturate, `MOVA*` clamps to 255, shifts take the low
    /// five bits of their count.
    Silicon,
}

/// A point in which the profiles differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ProfileDifference {
    /// The instructions.
    pub subject: &'static str,
    /// What they do in [`Profile::Manual`].
    pub manual: &'static str,
    /// What they do in [`Profile::Silicon`].
    pub silicon: &'static str,
}

impl Profile {
    /// Everything in which the profiles differ.
    pub const DIFFERENCES: [ProfileDifference; 6] = [
        ProfileDifference { subject: "SUB_INT", manual: "src1 - src0", silicon: "src0 - src1" },
        ProfileDifference {
            subject: "SIN, COS",
            manual: "the argument is in radians, undefined outside of [-pi, pi]",
            silicon: "the argument is in turns",
        },
        ProfileDifference {
            subject: "FLT_TO_INT",
            manual: "NaN and infinities are undefined, what does not fit keeps its low 32 bits",
            silicon: "NaN gives 0, what does not fit the nearest integer that does",
        },
        ProfileDifference {
            subject: "FLT_TO_UINT",
            manual: "NaN, infinities and what does not fit are undefined",
            silicon: "NaN gives 0, what does not fit the nearest integer that does",
        },
        ProfileDifference {
            subject: "MOVA, MOVA_FLOOR, MOVA_INT",
            manual: "above 255 gives -256",
            silicon: "above 255 gives 255",
        },
        ProfileDifference {
            subject: "ASHR_INT, LSHR_INT, LSHL_INT",
            manual: "counts above 31 shift everything out",
            silicon: "the low five bits of the count",
        },
    ];
}

/// Kind of program: some instructions exist for some kinds only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[serde(rename_all = "lowercase")]
pub enum ProgramType {
    /// Pixel shader.
    #[default]
    Pixel,
    /// Vertex shader, without a geometry shader after it.
    Vertex,
    /// Vertex shader that feeds a geometry shader.
    Export,
    /// Geometry shader.
    Geometry,
    /// Copy from the geometry shader's ring buffer.
    Copy,
    /// Compute.
    Compute,
}

impl ProgramType {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Pixel, Self::Vertex, Self::Export, Self::Geometry, Self::Copy, Self::Compute];

    /// The name on the command line and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pixel => "pixel",
            Self::Vertex => "vertex",
            Self::Export => "export",
            Self::Geometry => "geometry",
            Self::Copy => "copy",
            Self::Compute => "compute",
        }
    }
}

/// Integer constant of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct LoopConstant {
    /// Trip count.
    pub count: u32,
    /// First value of aL.
    pub initial: u32,
    /// What is added to aL after each trip.
    pub increment: i32,
}

/// Constants a program reads; there are two sets, its own and the alternate program type's.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Constants {
    /// Constant file, at most 256 registers; what is beyond reads as zero.
    pub file: Vec<[u32; 4]>,
    /// Constant buffers, at most 16 of at most 4096 constants; what is beyond reads as zero.
    pub buffers: Vec<Vec<[u32; 4]>>,
    /// Vertex fetch constants and the memory they describe, by `BUFFER_ID`.
    pub vertex_buffers: Vec<VertexBuffer>,
    /// Texture resources and the memory they describe, by `RESOURCE_ID`, at most 256.
    pub textures: Vec<Texture>,
    /// Samplers by `SAMPLER_ID`, at most 18.
    #[serde(default)]
    pub samplers: Vec<Sampler>,
}

/// A vertex fetch constant with the memory it describes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct VertexBuffer {
    /// Bytes; fetches beyond them give zero.
    pub bytes: Vec<u8>,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Format for instructions with `USE_CONST_FIELDS`: `DATA_FORMAT`.
    pub data_format: u32,
    /// The same: `NUM_FORMAT_ALL`.
    pub num_format: u32,
    /// The same: `FORMAT_COMP_ALL`.
    pub format_comp: u32,
    /// The same: `SRF_MODE_ALL`.
    pub srf_mode: u32,
    /// The same: `ENDIAN_SWAP`.
    pub endian_swap: u32,
}

/// A part of [`State::memory`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct MemoryRange {
    /// First dword.
    pub base: u32,
    /// Number of dwords; 0: there is no such buffer.
    pub size: u32,
}

/// Where the memory buffers lie in [`State::memory`]. Writes outside of a buffer are dropped and
/// reads outside of it give zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Buffers {
    /// Scratch buffer.
    pub scratch: MemoryRange,
    /// Reduction buffer.
    pub reduction: MemoryRange,
    /// Stream buffers 0 to 3.
    pub stream: [MemoryRange; 4],
    /// Ring buffer.
    pub ring: MemoryRange,
    /// Scatter export buffer.
    pub export: MemoryRange,
}

/// A program with all it starts from. The same case always gives the same run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Case {
    /// Device the program is for: [`Device::Rv770`].
    pub device: Device,
    /// Which account of the machine is followed.
    pub profile: Profile,
    /// Kind of program.
    pub program_type: ProgramType,
    /// The program, dword by dword, from its base address on.
    pub program: Vec<u32>,
    /// Address of the fetch subroutine that `CALL_FS` calls, in 64-bit words of `program`.
    pub fetch_program: u32,
    /// Whether an instruction that any unit can run and that is the last of its group goes to its
    /// vector unit (`ALU_INST_PREFER_VECTOR` = 1) or to Trans (0).
    pub prefer_vector: bool,
    /// Declared general registers, 1 to 128: relative addresses are checked against it. Their number
    /// and `clause_temporaries` are at most 128 together.
    pub gpr_count: u32,
    /// Clause temporaries: registers `128 - clause_temporaries` to 127.
    pub clause_temporaries: u32,
    /// SIMD-global registers, at most [`GLOBAL_COUNT`](super::state::GLOBAL_COUNT).
    pub global_gprs: u32,
    /// Stack entries the program may use (`STACK_SIZE`): at most
    /// [`STACK_FRAMES`](super::state::STACK_FRAMES) frames in any case.
    pub stack_size: u32,
    /// Constants of the program's own type.
    pub constants: Constants,
    /// Constants of the alternate type, for `ALT_CONST`.
    pub alternate_constants: Constants,
    /// Loop constants; what is beyond is zero.
    pub loop_constants: Vec<LoopConstant>,
    /// Boolean constants: bit *n* is constant *n*.
    pub bool_constants: u32,
    /// Semantic table: the id whose data goes to register *i* + 1.
    pub semantic_table: Vec<u8>,
    /// Index offset of vertex data fetches.
    pub base_vertex: u32,
    /// Index offset of instance data fetches.
    pub start_instance: u32,
    /// Number of this wavefront in its thread group.
    pub wavefront: u32,
    /// Where the memory buffers lie.
    pub buffers: Buffers,
    /// Registers, masks and memory at the first instruction. `state.cf` is its address.
    pub state: Box<State>,
    /// Steps after which the run is stopped.
    pub step_limit: u64,
}

impl Case {
    /// A pixel program that starts at its first word with all pixels active and valid, all
    /// registers zero, no constants, no memory and no limit below a million steps.
    #[must_use]
    pub fn new(program: Vec<u32>) -> Self {
        Self {
            device: Device::Rv770,
            profile: Profile::Manual,
            program_type: ProgramType::Pixel,
            program,
            fetch_program: 0,
            prefer_vector: true,
            gpr_count: 124,
            clause_temporaries: 4,
            global_gprs: 0,
            stack_size: 64,
            constants: Constants::default(),
            alternate_constants: Constants::default(),
            loop_constants: Vec::new(),
            bool_constants: 0,
            semantic_table: Vec::new(),
            base_vertex: 0,
            start_instance: 0,
            wavefront: 0,
            buffers: Buffers::default(),
            state: Box::new(State::new()),
            step_limit: 1_000_000,
        }
    }
}
