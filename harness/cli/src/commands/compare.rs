//! `parallax compare`: whether two programs are the same function.

mod difference;
mod folder;
mod outputs;
mod steps;

use std::{
    path::{Path, PathBuf},
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
    files,
    interesting::Interesting,
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
/// possible. Of two folders the files of the same name are compared. What the manual leaves open in the first program may be anything in the second one; what it leaves
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
  parallax compare --device g45 a.asm b.asm --dead r20..r40 --json
  parallax compare --device skl before/ after/ --out r10 --junit compare.xml")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) start: Start,
    /// The program to compare it with, or a folder if the first is one
    #[arg(value_name = "SECOND", required_unless_present = "text")]
    second: Option<PathBuf>,
    /// Device of the second program [default: that of the first]
    #[arg(long, value_name = "DEVICE")]
    second_device: Option<Device>,
    /// Kernel of the second file, where it holds several
    #[arg(long, value_name = "NAME")]
    second_kernel: Option<String>,
    /// Registers that starts are drawn for: names and ranges (r2..r5,f0) [default: registers, flags and memory]. The others
    /// start as --set says, and no channels are disabled but those of --mask
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
    /// second.trace, for `parallax show`; of folders in a folder for each pair
    #[arg(long, value_name = "DIR")]
    traces: Option<PathBuf>,
    /// Write a test case for each pair as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print JSON; of folders a list
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    interesting: Interesting,
}

/// What came of a pair.
struct PairReport {
    ending: Ending,
    /// For people.
    text: String,
    json: Json,
}

impl Arguments {
    /// Does it.
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        self.compared().map(|ending| self.interesting.of(ending))
    }

    fn compared(&self) -> Result<Ending, Failure> {
        let [a, b] = [self.start.device, self.second_device.unwrap_or(self.start.device)];
        if a.family() != b.family() {
            let message = format!("programs of {a} and {b} have no state in common");
            return Err(Failure::input(message));
        }
        let Some(second) = &self.second else {
            return Err(Failure::input("-e: compare takes its programs from two files"));
        };
        match self.start.file() {
            Some(first) if first.is_dir() || second.is_dir() => {
                folder::compare(self, first, second)
            }
            _ => {
                let report = self.pair(&self.start, second)?;
                if self.json {
                    output::print_json(&report.json);
                } else {
                    output::print(&report.text);
                }
                let ending = report.ending;
                if let Some(path) = &self.junit {
                    let name = second.display().to_string();
                    files::write(path, folder::junit(&[(name, Ok(report))]).as_bytes())?;
                }
                Ok(ending)
            }
        }
    }

    /// Compares two programs.
    fn pair(&self, first: &Start, second: &Path) -> Result<PairReport, Failure> {
        let device = self.second_device.unwrap_or(first.device);
        let second = first.of_other(second.to_owned(), self.second_kernel.clone(), device);
        match device {
            Device::Rv770 => self.compare::<R700>(r700::case::of, [first, &second]),
            _ => self.compare::<Eu>(eu::case::of, [first, &second]),
        }
    }

    fn compare<M: Comparable + Dispatched>(
        &self,
        case: fn(&Start) -> Result<M::Case, Failure>,
        starts: [&Start; 2],
    ) -> Result<PairReport, Failure> {
        let cases = [case(starts[0])?, case(starts[1])?];
        let outputs = outputs::outputs::<M>(self, &cases[0])?;
        let pair = Pair::<M> {
            inputs: outputs::inputs::<M>(self, &cases[0])?,
            masks: self.start.mask.is_none() && self.inputs.is_empty(),
            outputs: outputs.iter().map(|output| output.places.clone()).collect(),
            cases,
        };
        let seed = |number| case_seed(self.seed, "compare", self.start.device.name(), number);
        if !writes(&pair, self.starts, seed)? {
            let why = "neither program writes an output".to_owned();
            return Ok(self.report(Ending::NotSupported, "not-compared", why));
        }
        let waiting = Waiting::start("comparing", self.starts);
        let skipped = AtomicU64::new(0);
        let each = |comparison: &mut Comparison<'_, M>, number: u64| {
            let compared = comparison.compare(number, seed(number));
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
                let why = "the first program comes to a defined end from no start".to_owned();
                return Ok(self.report(Ending::NotSupported, "not-compared", why));
            }
            return Ok(self.report(Ending::Success, "equal", self.equal(skipped)));
        };
        match found.map_err(|problem| Failure::input(problem.to_string()))? {
            Compared::Different(difference) => {
                self.different(&pair, &outputs, starts, number, *difference)
            }
            Compared::Engines(program, divergence) => {
                let name = starts[program].path().display();
                let text = format!("the engines differ in {name}, start {number}\n{divergence}");
                Ok(self.report(Ending::EnginesDiffer, "engines-differ", text))
            }
            Compared::Same | Compared::Skipped(_) => unreachable!("they were left out"),
        }
    }

    /// A difference, from the simplest start that has it.
    fn different<M: Comparable + Dispatched>(
        &self,
        pair: &Pair<M>,
        outputs: &[outputs::Named],
        starts: [&Start; 2],
        number: u64,
        difference: Difference<M::State>,
    ) -> Result<PairReport, Failure> {
        let waiting = Waiting::start("making the start simpler", 1);
        let simpler = Comparison::new(pair).simpler(difference);
        drop(waiting);
        let difference = simpler.map_err(|problem| Failure::input(problem.to_string()))?;
        let found = Found::new(pair, outputs, &difference)?;
        if let Some(folder) = &self.traces {
            // Of folders each pair has its own.
            let is_folder = self.second.as_ref().is_some_and(|second| second.is_dir());
            let name = starts[0].path().file_name().filter(|_| is_folder);
            found.write_traces(&name.map_or_else(|| folder.clone(), |name| folder.join(name)))?;
        }
        let names = starts.map(|start| start.path().display().to_string());
        let text = found.text(&names, number, self.starts, self.seed);
        let json = found.json(number, self.starts, self.seed);
        Ok(PairReport { ending: Ending::Found, text, json })
    }

    fn equal(&self, skipped: u64) -> String {
        let starts = counted(self.starts - skipped, "start");
        let left_out = match skipped {
            0 => String::new(),
            number => format!("; from {number} more the first program comes to no defined end"),
        };
        format!("the programs do the same from {starts}{left_out}")
    }

    fn report(&self, ending: Ending, verdict: &'static str, text: String) -> PairReport {
        let json = Json::verdict(verdict, &text, self.starts, self.seed);
        PairReport { ending, text, json }
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
