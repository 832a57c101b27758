//! A program of a recording as a trace.

use std::path::Path;

use parallax_isa::{Device, device::Family};
use parallax_lockstep::{Subject, eu::Eu, r700::R700, subject::UnderTest};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Arguments, missing};
use crate::{
    commands::record::{self, Recording},
    container::{Container, Kernel},
    content::Content,
    failure::{Ending, Failure},
    listing::Listing,
    machines, output, recorded,
};

/// The JSON interface of `import --program`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Json<'a> {
    /// The trace that was written.
    #[serde(serialize_with = "output::path_text")]
    file: &'a Path,
    /// The name of the program.
    program: &'a str,
    /// The device.
    device: &'static str,
    /// How the program ended.
    outcome: &'static str,
    /// Steps that were recorded.
    steps: usize,
    /// How the executor differs; null if it agrees.
    divergence: Option<String>,
    /// What is not in the file.
    missing: Vec<String>,
    /// What is in the file, but has no place in a case.
    left_out: Vec<String>,
}

impl Arguments {
    /// Records a program of a recording.
    pub(super) fn program(&self, container: &Container, output: &Path) -> Result<Ending, Failure> {
        let wrong = |message: String| self.failure(&message.replace("--kernel", "--program"));
        let device = self.device_of(container)?;
        let kernel = container.kernel(self.program.as_deref()).map_err(wrong)?;
        let code = self.code(device, kernel)?;
        match device.family() {
            Family::Eu => {
                let (case, left_out) =
                    recorded::eu::case(device, code, &kernel.recorded, self.step_limit);
                self.record::<Eu>(&case, kernel, device, left_out, output)
            }
            Family::R700 => {
                let (words, _) = code.as_chunks::<4>();
                let words = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
                let (case, left_out) = recorded::r700::case(
                    words,
                    kernel.program_type,
                    &kernel.recorded,
                    self.step_limit,
                );
                self.record::<R700>(&case, kernel, device, left_out, output)
            }
        }
    }

    /// The device of a recording: that of the file, or the one that is given where it names none.
    fn device_of(&self, container: &Container) -> Result<Device, Failure> {
        if let Some(device) = self.device {
            container.only_for(device).map_err(|message| self.failure(&message))?;
        }
        container.device.or(self.device).ok_or_else(|| {
            self.failure(&"does not say for which device it is: give one with --device")
        })
    }

    /// The machine code of a program, of which all has to decode. What is illegal is reported: a driver ran it.
    fn code(&self, device: Device, kernel: &Kernel) -> Result<Vec<u8>, Failure> {
        let content = Content::of_code(kernel.code.clone()).map_err(|why| self.failure(&why))?;
        let listing = machines::read(device, content, kernel.program_type)
            .and_then(Listing::decoded)
            .map_err(|problems| problems.failure(&self.file))?;
        listing.warn_before_run(&self.file);
        Ok(listing.code)
    }

    fn record<M: Subject>(
        &self,
        case: &M::Case,
        kernel: &Kernel,
        device: Device,
        left_out: Vec<String>,
        output: &Path,
    ) -> Result<Ending, Failure> {
        let engine = UnderTest::Named("executor".to_owned());
        let Recording { trace, divergence } =
            record::write::<M>(case, &self.file, output, &engine)?;
        let json = Json {
            file: output,
            program: &kernel.name,
            device: device.name(),
            outcome: trace.outcome.keyword(),
            steps: trace.length(),
            divergence,
            missing: missing(kernel),
            left_out,
        };
        if self.json {
            output::print_json(&json);
        } else {
            let steps = output::counted(json.steps as u64, "step");
            output::print(format!("{}: {steps}, {}", output.display(), trace.outcome));
            for (what, list) in [("missing", &json.missing), ("left out", &json.left_out)] {
                for sentence in list {
                    output::print(format!("{what}: {sentence}"));
                }
            }
            if let Some(divergence) = &json.divergence {
                output::print(format!("the executor differs\n{divergence}"));
            }
        }
        Ok(Ending::found(json.divergence.is_some()))
    }
}
