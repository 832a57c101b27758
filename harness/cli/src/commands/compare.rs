//! `parallax compare`: whether two programs are the same function.

mod difference;
mod outputs;

use std::{
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
};

use clap::Args;
use parallax_isa::Device;
use parallax_lockstep::{
    equivalence::{Comparable, Compared, Comparison, Difference, Pair},
    eu::Eu,
    r700::R700,
    random::case_seed,
};
use rayon::prelude::*;

pub(crate) use self::difference::Json;
use self::{difference::Found, outputs::Float};
use super::exec::Dispatched;
use crate::{
    eu,
    failure::{Ending, Failure},
    number,
    output::{self, counted},
    r700,
    start::Start,
    waiting::Waiting,
};

/// Starts that are tried before it is said that nothing is written.
const TRIED: u64 = 16;

/// Compare two programs: are they the same function?
///
/// Both run from the same starts, drawn as campaigns draw theirs (corner values, channels that are off), and what they leave in
/// the outputs is compared: registers and memory unless --out names others. The first difference is made as small as
/// possible. What the manual leaves open in the first program may be anything in the second one; what it leaves
/// open in the second one only is a difference.
///
/// Exit codes: 0 they do the same from all starts, 1 they differ, 2 a program is illegal or an argument wrong, 3 the first
/// program comes to a defined end from no start, or neither writes an output, 4 the reference and the executor differ.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax compare --device skl before.asm after.asm --in r2..r5 --out r10:f
  parallax compare --device skl kernel-O0.hex --second-device dg1 kernel-O2.hex --out mem0..mem255
  parallax compare --device rv770 a.asm b.asm --in R0,R1 --out R2..R3:f --float ulp:2 --starts 10000
  parallax compare --device g45 a.asm b.asm --dead r20..r40 --json")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) start: Start,
    /// The program to compare it with
    #[arg(value_name = "SECOND")]
    second: PathBuf,
    /// Device of the second program [default: that of the first]
    #[arg(long, value_name = "DEVICE")]
    second_device: Option<Device>,
    /// Kernel of the second file, where it holds several
    #[arg(long, value_name = "NAME")]
    second_kernel: Option<String>,
    /// Registers that starts are drawn for: names and ranges (r2..r5,f0) [default: registers, flags and memory]. The others
    /// start as --set says
    #[arg(long = "in", value_name = "REGISTERS")]
    inputs: Vec<String>,
    /// Registers that count: names and ranges, which may have a type, as in r10..r12:f [default: registers
    /// and memory of execution units, exports and memory of rv770]
    #[arg(long = "out", value_name = "REGISTERS")]
    outputs: Vec<String>,
    /// Registers of these that do not count
    #[arg(long, value_name = "REGISTERS")]
    dead: Vec<String>,
    /// How far floats of the outputs may be off: exact, ulp:N (units in the last place) or approx (a thousandth)
    #[arg(long, value_name = "TOLERANCE", default_value = "exact")]
    float: Float,
    /// How many starts
    #[arg(long, value_name = "NUMBER", default_value_t = 1000, value_parser = number::within(1..=u64::MAX))]
    starts: u64,
    /// Seed of the starts
    #[arg(long, default_value_t = 0, value_parser = number::within(0..=u64::MAX))]
    seed: u64,
    /// Write both programs from the smallest start that shows a difference as traces, first.trace and
    /// second.trace, for `parallax show`
    #[arg(long, value_name = "DIR")]
    traces: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// The program to compare with, and what surrounds it.
    fn second(&self) -> Start {
        let device = self.second_device.unwrap_or(self.start.device);
        self.start.of_other(self.second.clone(), self.second_kernel.clone(), device)
    }

    /// Does it.
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let second = self.second();
        let [a, b] = [self.start.device, second.device];
        if a.family() != b.family() {
            let message = format!("programs of {a} and {b} have no state in common");
            return Err(Failure::input(message));
        }
        match a {
            Device::Rv770 => self.compare::<R700>(r700::case::of, &second),
            _ => self.compare::<Eu>(eu::case::of, &second),
        }
    }

    fn compare<M: Comparable + Dispatched>(
        &self,
        case: fn(&Start) -> Result<M::Case, Failure>,
        second: &Start,
    ) -> Result<Ending, Failure> {
        let cases = [case(&self.start)?, case(second)?];
        let outputs = outputs::outputs::<M>(self, &cases[0])?;
        let pair = Pair::<M> {
            inputs: outputs::inputs::<M>(self, &cases[0])?,
            masks: self.start.mask.is_none() && self.inputs.is_empty(),
            outputs: outputs.iter().map(|output| output.places.clone()).collect(),
            cases,
        };
        let seed = |number| case_seed(self.seed, "compare", self.start.device.name(), number);
        if !writes(&pair, self.starts, seed)? {
            return Ok(self.nothing("neither program writes an output".to_owned()));
        }
        let waiting = Waiting::start("comparing", self.starts);
        let skipped = AtomicU64::new(0);
        let each = |comparison: &mut Comparison<'_, M>, number: u64| {
            let compared = comparison.number(number, seed(number));
            waiting.step();
            match compared {
                Ok(Compared::Same) => None,
                Ok(Compared::Skipped(why)) => {
                    skipped.fetch_add(1, Ordering::Relaxed);
                    Some((number, Ok(Compared::Skipped(why))))
                }
                other => Some((number, other)),
            }
        };
        let numbers = (0..usize::try_from(self.starts).unwrap_or(usize::MAX)).into_par_iter();
        let found = numbers
            .map_init(
                || Comparison::new(&pair),
                |comparison, number| each(comparison, number as u64),
            )
            .filter_map(|found| found)
            .find_first(|(_, found)| !matches!(found, Ok(Compared::Skipped(_))));
        drop(waiting);
        let skipped = skipped.into_inner();
        let Some((number, found)) = found else {
            if skipped == self.starts {
                let why = "the first program comes to a defined end from no start";
                return Ok(self.nothing(why.to_owned()));
            }
            self.tell_equal(skipped);
            return Ok(Ending::Success);
        };
        match found.map_err(|problem| Failure::input(problem.to_string()))? {
            Compared::Different(difference) => self.tell(&pair, &outputs, number, *difference),
            Compared::Engines(program, divergence) => {
                let name = [self.start.path(), self.second.as_path()][program].display();
                let text = format!("the engines differ in {name}, start {number}\n{divergence}");
                self.tell_verdict("engines-differ", &text);
                Ok(Ending::EnginesDiffer)
            }
            Compared::Same | Compared::Skipped(_) => unreachable!("they were left out"),
        }
    }

    /// Shows a difference, from the simplest start that has it.
    fn tell<M: Comparable + Dispatched>(
        &self,
        pair: &Pair<M>,
        outputs: &[outputs::Named],
        number: u64,
        difference: Difference<M::State>,
    ) -> Result<Ending, Failure> {
        let waiting = Waiting::start("making the start simpler", 1);
        let simpler = Comparison::new(pair).simpler(difference);
        drop(waiting);
        let difference = simpler.map_err(|problem| Failure::input(problem.to_string()))?;
        let found = Found::new(pair, outputs, &difference)?;
        if let Some(folder) = &self.traces {
            found.write_traces(folder)?;
        }
        if self.json {
            output::print_json(&found.json(number, self.starts, self.seed));
        } else {
            let names =
                [self.start.path(), self.second.as_path()].map(|path| path.display().to_string());
            output::print(found.text(&names, number, self.starts, self.seed));
        }
        Ok(Ending::Found)
    }

    fn tell_equal(&self, skipped: u64) {
        let starts = counted(self.starts - skipped, "start");
        let left_out = match skipped {
            0 => String::new(),
            number => format!("; from {number} more the first program comes to no defined end"),
        };
        self.tell_verdict("equal", &format!("the programs do the same from {starts}{left_out}"));
    }

    fn nothing(&self, why: String) -> Ending {
        self.tell_verdict("not-compared", &why);
        Ending::NotSupported
    }

    fn tell_verdict(&self, verdict: &'static str, text: &str) {
        if self.json {
            output::print_json(&Json::verdict(verdict, text, self.starts, self.seed));
        } else {
            output::print(text);
        }
    }
}

/// Whether one of two programs writes an output from one of the first starts.
fn writes<M: Comparable>(
    pair: &Pair<M>,
    starts: u64,
    seed: impl Fn(u64) -> u64,
) -> Result<bool, Failure> {
    let mut comparison = Comparison::new(pair);
    for number in 0..starts.min(TRIED) {
        let writes = comparison.writes(seed(number));
        if writes.map_err(|problem| Failure::input(problem.to_string()))? {
            return Ok(true);
        }
    }
    Ok(false)
}
