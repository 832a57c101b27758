//! `parallax bench`: how fast the engines are, in ratios.

mod checked;

use clap::Args;
use parallax_executor::InstructionSet;
use parallax_lockstep::bench::{self, KernelResult, Peer};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    failure::{Ending, Failure},
    output::{self, Table},
};

/// How to get the columns that are missing.
const NO_PEERS: &str = "
peers     not built in: `cargo run --release --features peers -- bench` measures published decoders";

/// Published decoders, where this command was built with them.
fn peers() -> &'static [Peer] {
    #[cfg(feature = "peers")]
    let peers = &parallax_peers::PEERS;
    #[cfg(not(feature = "peers"))]
    let peers = &[];
    peers
}

/// Measure executor, reference and plain native Rust on the same kernels
///
/// The numbers that count are the ratios: how many times as fast as the reference the executor is,
/// and how many times as long as the same work in plain Rust it takes. Then the speed of checked
/// execution on one core: generated cases on both engines, compared after every step. Surface formats
/// (`--suite formats`) are decoded in surfaces of 1024x1024 texels; native is a copy of the output. Built
/// with the feature `peers`, published decoders are measured beside.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax bench
  parallax bench mandelbrot --json")]
pub(crate) struct Arguments {
    /// Only kernels whose name or suite contains this
    filter: Option<String>,
    /// Only kernels of suites whose name contains this
    #[arg(long, conflicts_with = "filter")]
    suite: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The JSON interface of `bench`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json {
    /// What the executor's kernels are compiled for.
    instruction_set: &'static str,
    /// The kernels.
    kernels: Vec<Kernel>,
    /// Instructions that a campaign compares per second.
    checked_instructions_per_s: f64,
    /// Mean execution size of those instructions.
    checked_mean_execution_size: f64,
    /// Share of a campaign's time that neither engine spends, 0 to 1.
    harness_overhead: f64,
}

#[derive(Serialize, JsonSchema)]
struct Kernel {
    /// Group of the kernel.
    suite: String,
    /// The kernel.
    name: String,
    /// The device.
    device: &'static str,
    /// Number of its instructions.
    instructions: u64,
    /// Time of the reference, in nanoseconds.
    reference_ns: f64,
    /// Time of the executor.
    executor_ns: f64,
    /// Time of native Rust.
    native_ns: f64,
    /// How many times faster than the reference the executor is.
    executor_vs_reference: f64,
    /// How many times slower than native Rust the executor is.
    executor_vs_native: f64,
    /// A published program that does the same; null if there is none.
    peer: Option<String>,
    /// Its time.
    peer_ns: Option<f64>,
}

impl From<KernelResult> for Kernel {
    fn from(result: KernelResult) -> Self {
        Self {
            executor_vs_reference: result.executor_vs_reference(),
            executor_vs_native: result.executor_vs_native(),
            suite: result.suite,
            name: result.name,
            device: result.device.name(),
            instructions: result.instructions,
            reference_ns: result.reference_ns,
            executor_ns: result.executor_ns,
            native_ns: result.native_ns,
            peer_ns: result.peer.as_ref().map(|(_, nanoseconds)| *nanoseconds),
            peer: result.peer.map(|(name, _)| name),
        }
    }
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let filter = self.filter.as_deref().or(self.suite.as_deref());
        let results =
            bench::run(filter, peers()).map_err(|error| Failure::input(error.to_string()))?;
        if results.is_empty() {
            let names: Vec<&str> = bench::names().collect();
            return Err(Failure::input(format!(
                "no kernel is called `{}`; there are {}",
                filter.unwrap_or_default(),
                names.join(", ")
            )));
        }
        let checked = checked::measure();
        let json = Json {
            instruction_set: InstructionSet::in_use().name(),
            kernels: results.into_iter().map(Into::into).collect(),
            checked_instructions_per_s: checked.instructions_per_second,
            checked_mean_execution_size: checked.mean_execution_size,
            harness_overhead: checked.overhead,
        };
        if self.json {
            output::print_json(&json);
        } else {
            output::print(json.text());
        }
        Ok(Ending::Success)
    }
}

impl Json {
    fn text(&self) -> String {
        let with_peers = !peers().is_empty();
        let mut columns = vec![
            "suite",
            "kernel",
            "device",
            ">instructions",
            ">reference",
            ">executor",
            ">native",
            ">faster than reference",
            ">slower than native",
        ];
        if with_peers {
            columns.extend([">faster than peer", "peer"]);
        }
        let mut table = Table::new(&columns);
        for kernel in &self.kernels {
            let mut row = vec![
                kernel.suite.clone(),
                kernel.name.clone(),
                kernel.device.to_owned(),
                output::grouped(kernel.instructions),
                time(kernel.reference_ns),
                time(kernel.executor_ns),
                time(kernel.native_ns),
                format!("{:.0} x", kernel.executor_vs_reference),
                format!("{:.1} x", kernel.executor_vs_native),
            ];
            if with_peers {
                let faster = kernel.peer_ns.map(|peer| peer / kernel.executor_ns);
                row.push(faster.map_or_else(String::new, |faster| format!("{faster:.1} x")));
                row.push(kernel.peer.clone().unwrap_or_default());
            }
            table.row(row);
        }
        let peers = if with_peers { "" } else { NO_PEERS };
        format!(
            "{table}\n\nkernels   of the executor compiled for {}\nchecked   {} instructions a second on one core, both engines compared after \
             every step\nchannels  {:.1} of an instruction on average\n\
             overhead  {:.0} % of that time is neither engine{peers}",
            self.instruction_set,
            output::grouped(self.checked_instructions_per_s as u64),
            self.checked_mean_execution_size,
            100.0 * self.harness_overhead
        )
    }
}

/// Nanoseconds with three significant digits in a fitting unit.
fn time(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        ns if ns < 1e3 => (ns, "ns"),
        ns if ns < 1e6 => (ns / 1e3, "us"),
        ns => (ns / 1e6, "ms"),
    };
    let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.decimals$} {unit}")
}
