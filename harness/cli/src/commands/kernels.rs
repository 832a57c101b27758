//! `parallax kernels`: the kernels of a file that holds several.

use std::path::PathBuf;

use clap::Args;
use parallax_isa::r700::case::ProgramType;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    container::{self, Argument, ArgumentKind, Container, Kernel},
    failure::{Ending, Failure},
    files,
    output::{self, Table, counted, grouped, quoted},
};

/// List the kernels and shaders of a file
///
/// Recognised by content: the two forms of Intel's offline compiler (zebin and patch tokens), objects of LLVM's R600
/// back end, shader files of GX2 (.gsh), DPM4 captures, i915 error states, AUB traces, and what Mesa prints with
/// INTEL_DEBUG=hex.
///
/// Of each kernel the name and the size of its machine code are listed; where the file has no name, its kind and a
/// number or an address. Files of Intel's offline compiler also say how many work items a thread has, and the arguments
/// by the numbers that `parallax exec --arg` takes. `disasm`, `check`, `exec` and `record` take a kernel with --kernel NAME.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax kernels scale.bin
  parallax disasm --device skl scale.bin --kernel scale
  parallax disasm --device rv770 shaders.gsh --kernel 'pixel 0'
  parallax exec --device skl scale.bin --kernel scale --global 64 --local 32 \\
      --arg 0=in.bin --arg 1=zeros:256 --arg 2=3:d --dump arg:1:d")]
pub(crate) struct Arguments {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The JSON interface.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json<'c> {
    /// The form of the file: `zebin`, `patch tokens`, `gx2`, `dpm4`, `r600 elf`, `error state`, `aub` or `mesa dump`.
    form: &'static str,
    /// What it was compiled for, if that is a device here.
    device: Option<&'static str>,
    /// The kernels.
    kernels: Vec<KernelJson<'c>>,
}

/// A kernel in the JSON interface.
#[derive(Serialize, JsonSchema)]
struct KernelJson<'c> {
    /// The name.
    name: &'c str,
    /// Bytes of machine code.
    bytes: usize,
    /// The kind of a program of rv770: `pixel`, `vertex`, `export`, `geometry`, `copy` or `compute`.
    #[serde(skip_serializing_if = "Option::is_none")]
    program_type: Option<&'static str>,
    /// Work items of a thread. This and the rest are there if the file says how the kernel is launched.
    #[serde(skip_serializing_if = "Option::is_none")]
    simd: Option<usize>,
    /// Bytes of shared local memory, without those of arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    local_memory: Option<usize>,
    /// Bytes of scratch space of a thread: spilled registers, and private memory that the compiler puts there.
    #[serde(skip_serializing_if = "Option::is_none")]
    scratch_memory: Option<usize>,
    /// Bytes of private memory of a thread, of all its work items together.
    #[serde(skip_serializing_if = "Option::is_none")]
    private_memory: Option<usize>,
    /// Bytes of constants and variables of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    constants: Option<usize>,
    /// Whether threads of a group wait for each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    barriers: Option<bool>,
    /// The arguments, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Vec<ArgumentJson<'c>>>,
}

/// An argument in the JSON interface.
#[derive(Serialize, JsonSchema)]
struct ArgumentJson<'c> {
    /// The name; empty if the file does not say it.
    name: &'c str,
    /// The type in the source; empty if the file does not say it.
    #[serde(rename = "type")]
    type_name: &'c str,
    /// `value`, `buffer`, `local` or `other`.
    kind: &'static str,
    /// Bytes of a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
    /// Index of a buffer in the binding table.
    #[serde(skip_serializing_if = "Option::is_none")]
    binding: Option<usize>,
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let bytes = files::read(&self.file, container::LARGEST, "a file of kernels")?;
        let wrong = |message: String| Failure::input(format!("{}: {message}", self.file.display()));
        let container = Container::read(&bytes).ok_or_else(|| {
            wrong(
                "is no ELF file and does not begin with CTNI, Gfx2, DPM4, or as an error state, AUB trace or shader dump does"
                    .to_owned(),
            )
        })?;
        let container = container.map_err(wrong)?;
        if self.json {
            output::print_json(&Json {
                form: container.form,
                device: container.device.map(|device| device.name()),
                kernels: container.kernels.iter().map(json).collect(),
            });
        } else {
            output::print(text(&container).trim_end());
        }
        Ok(Ending::found(false))
    }
}

fn json(kernel: &Kernel) -> KernelJson<'_> {
    let arguments = kernel.arguments.iter().map(|argument| {
        let (kind, bytes, binding) = match argument.kind {
            ArgumentKind::Value { bytes } => ("value", Some(bytes), None),
            ArgumentKind::Buffer { binding } => ("buffer", None, binding),
            ArgumentKind::Local { .. } => ("local", None, None),
            ArgumentKind::Other => ("other", None, None),
        };
        let Argument { name, type_name, .. } = argument;
        ArgumentJson { name, type_name, kind, bytes, binding }
    });
    let has_launch = kernel.has_launch();
    KernelJson {
        name: &kernel.name,
        bytes: kernel.code.len(),
        program_type: kernel.program_type.map(ProgramType::name),
        simd: has_launch.then_some(kernel.lanes),
        local_memory: has_launch.then_some(kernel.local_bytes),
        scratch_memory: has_launch.then_some(kernel.scratch_bytes),
        private_memory: has_launch.then_some(kernel.private_bytes),
        constants: has_launch.then(|| kernel.data_bytes()),
        barriers: has_launch.then_some(kernel.has_barriers),
        arguments: has_launch.then(|| arguments.collect()),
    }
}

fn text(container: &Container) -> String {
    let device = container.device.map_or("an unknown device", |device| device.name());
    let kernels = counted(container.kernels.len() as u64, "kernel");
    let mut text = format!("{kernels} for {device} ({})\n", container.form);
    if !container.kernels.iter().any(Kernel::has_launch) {
        let mut table = Table::new(&["kernel", "bytes"]);
        for kernel in &container.kernels {
            table.row([quoted(&kernel.name), grouped(kernel.code.len() as u64)]);
        }
        if !container.kernels.is_empty() {
            text += &format!("\n{table}");
        }
        return text;
    }
    for kernel in &container.kernels {
        let bytes = grouped(kernel.code.len() as u64);
        text += &format!("\n{}: {bytes} bytes", quoted(&kernel.name));
        if kernel.has_launch() {
            text += &format!(", {} work items a thread", kernel.lanes);
        }
        let memory = [
            (kernel.local_bytes, "shared local memory"),
            (kernel.scratch_bytes, "scratch space a thread"),
            (kernel.private_bytes, "private memory a thread"),
            (kernel.data_bytes(), "constants and variables"),
        ];
        for (bytes, of) in memory.into_iter().filter(|(bytes, _)| *bytes > 0) {
            text += &format!(", {} bytes of {of}", grouped(bytes as u64));
        }
        if kernel.has_barriers {
            text += ", barriers";
        }
        text.push('\n');
        let mut table = Table::new(&["  argument", "type", "name", "what it is"]);
        for (number, argument) in kernel.arguments.iter().enumerate() {
            table.row([
                format!("  {number}"),
                argument.type_name.clone(),
                argument.name.clone(),
                argument.kind.to_string(),
            ]);
        }
        if !kernel.arguments.is_empty() {
            text += table.to_string().trim_end();
            text.push('\n');
        }
    }
    text
}
