//! What `exec` and `record` start from: a program and the registers before its first instruction.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use parallax_isa::{
    Device,
    eu::case::{DebugRegister, Event, EventKind},
    r700::{Profile, case::ProgramType},
    shared::SharedFunctions,
};
use parallax_lockstep::{eu::setup as eu_setup, r700::setup as r700_setup};

use crate::{
    assignment,
    container::Kernel,
    content::{self, Content, Loaded},
    failure::Failure,
    number,
    syntax::SyntaxArgument,
    unlisted::WithUnlisted,
};

/// A program and its start.
#[derive(Debug, Clone, Args)]
pub(crate) struct Start {
    /// The program
    #[arg(value_name = "PROGRAM", long_help = content::HELP, required_unless_present = "text")]
    program: Option<PathBuf>,
    /// The program as text: -e 'mov (8) r4<1>:d 1:d'; may be given several times, a line each
    #[arg(short = 'e', long = "text", value_name = "TEXT", conflicts_with = "program")]
    text: Vec<String>,
    /// Kernel or shader of a file that holds several, as `parallax kernels` names it
    #[arg(long, value_name = "NAME", conflicts_with = "text")]
    kernel: Option<String>,
    #[command(flatten)]
    pub(crate) syntax: SyntaxArgument,
    /// Device to run it on: bw, cl, ctg, g45, ivb, skl, dg1, rv770
    #[arg(long)]
    pub(crate) device: Device,
    /// Set registers before the first instruction; may be given several times
    #[arg(long = "set", value_name = "REGISTER=VALUES", allow_hyphen_values = true, long_help = assignment::HELP)]
    pub(crate) set: Vec<String>,
    /// Channels (of 16, from Gen7 on of 32) or pixels (of 64, on rv770) that are enabled, as a hex
    /// mask; bit 0 is the first [default: all; from Gen7 on, where a program branches, the 8, 16 or 32 that its
    /// instructions are for]
    #[arg(long, value_name = "HEX", value_parser = parse_mask, allow_negative_numbers = true)]
    pub(crate) mask: Option<u64>,
    /// How execution units compute floats [default: ieee]
    #[arg(long, value_enum)]
    pub(crate) float_mode: Option<FloatMode>,
    /// Which account of the machine to follow (rv770)
    #[arg(long, value_enum, default_value = "manual")]
    pub(crate) profile: ProfileName,
    /// Kind of the program (rv770) [default: pixel]
    #[arg(long, value_parser = program_type, value_name = "KIND")]
    pub(crate) program_type: Option<ProgramType>,
    /// Set constants (rv770); may be given several times
    #[arg(long = "const", value_name = "NAME=VALUES", long_help = assignment::CONSTANTS)]
    pub(crate) constants: Vec<String>,
    /// Read memory, surfaces, vertex buffers and settings from a JSON file (rv770; bw, cl, ctg, g45)
    #[arg(long, value_name = "FILE", long_help = format!("{}\n\n{}", r700_setup::HELP, eu_setup::HELP))]
    pub(crate) setup: Option<PathBuf>,
    /// What answers the messages of an execution unit: loopback sends the payload back, changed
    /// [default: none, those that need no more than the case has]
    #[arg(long, value_enum, value_name = "HANDLER")]
    pub(crate) shared_function: Option<HandlerName>,
    /// Where the system routine starts that exceptions of an execution unit enter: a label of the
    /// program or a byte offset, a multiple of 16 [default: none, an exception ends the run]
    #[arg(long, value_name = "LABEL")]
    pub(crate) system_routine: Option<String>,
    /// Let something arrive at an execution unit when so many steps were taken: STEP:halt (external
    /// halt), STEP:n0 (a notification from a thread), STEP:n1 (from the host), STEP:aclear (the host
    /// clears the attention), STEP:switch (the context of the thread was switched), STEP:retired=HEX (the fixed function thread of that id has ended, on
    /// which tdr0 may say that this one depends) or STEP:REGISTER=HEX (the host writes bp_adr1,
    /// bp_adr2, bp_opc1 or bp_opc2); may be given several times
    #[arg(long = "event", value_name = "STEP:WHAT", value_parser = parse_event)]
    pub(crate) events: Vec<Event>,
    /// Run a program that breaks rules of the manual, after a warning (rv770 does so anyway)
    #[arg(long)]
    pub(crate) allow_illegal: bool,
    #[command(flatten)]
    pub(crate) unlisted: WithUnlisted,
    /// Steps after which the run is stopped
    #[arg(long, value_name = "STEPS", default_value_t = 1_000_000, value_parser = number::within(0..=u64::MAX), allow_negative_numbers = true)]
    pub(crate) step_limit: u64,
}

/// A float mode as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FloatMode {
    /// IEEE mode
    Ieee,
    /// The alternative mode, without infinities and NaNs
    Alt,
}

/// A shared function as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HandlerName {
    /// Those answer that need no more than the case has: Extended Math, the data port with a setup, the
    /// data cache of Gen7 and later
    None,
    /// The payload comes back, changed
    Loopback,
}

impl From<HandlerName> for SharedFunctions {
    fn from(name: HandlerName) -> Self {
        match name {
            HandlerName::None => Self::None,
            HandlerName::Loopback => Self::Loopback,
        }
    }
}

/// A profile as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileName {
    /// The printed manual
    Manual,
    /// Shipped hardware, by public evidence
    Silicon,
}

impl From<ProfileName> for Profile {
    fn from(name: ProfileName) -> Self {
        match name {
            ProfileName::Manual => Self::Manual,
            ProfileName::Silicon => Self::Silicon,
        }
    }
}

/// The kind of program of a name.
pub(crate) fn program_type(name: &str) -> Result<ProgramType, String> {
    ProgramType::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        let names = ProgramType::ALL.map(ProgramType::name);
        format!("expected one of {}", names.join(", "))
    })
}

fn parse_mask(text: &str) -> Result<u64, String> {
    u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16)
        .map_err(|_| "expected hex digits, as in 00ff, up to 16".to_owned())
}

/// The names of debug registers: those of the manual without the part that all of them share.
const DEBUG_REGISTERS: [(&str, DebugRegister); 4] = [
    ("bp_adr1", DebugRegister::BreakpointAddress1),
    ("bp_adr2", DebugRegister::BreakpointAddress2),
    ("bp_opc1", DebugRegister::BreakpointOpcode1),
    ("bp_opc2", DebugRegister::BreakpointOpcode2),
];

fn parse_event(text: &str) -> Result<Event, String> {
    let expected = || {
        "expected STEP:halt, STEP:n0, STEP:n1, STEP:aclear, STEP:switch, STEP:retired=HEX with the id of a \
         thread, \
         or STEP:REGISTER=HEX with one of bp_adr1, bp_adr2, bp_opc1 and bp_opc2, as in 3:halt or \
         0:bp_adr1=31"
            .to_owned()
    };
    let (step, what) = text.split_once(':').ok_or_else(expected)?;
    let kind = match what {
        "halt" => EventKind::ExternalHalt,
        "n0" => EventKind::ThreadNotification,
        "n1" => EventKind::HostNotification,
        "aclear" => EventKind::AttentionClear,
        "switch" => EventKind::ContextSwitch,
        write => {
            let (name, value) = write.split_once('=').ok_or_else(expected)?;
            let value = parse_mask(value).map_err(|_| expected())?;
            if name == "retired" {
                let thread = value.try_into().map_err(|_| expected())?;
                EventKind::ThreadRetired { thread }
            } else {
                let register = DEBUG_REGISTERS.iter().find(|(known, _)| *known == name);
                let (_, register) = *register.ok_or_else(expected)?;
                let value = value.try_into().map_err(|_| expected())?;
                EventKind::DebugRegister { register, value }
            }
        }
    };
    Ok(Event { step: step.parse().map_err(|_| expected())?, kind })
}

impl Start {
    /// What messages call the program.
    pub(crate) fn path(&self) -> &Path {
        self.program.as_deref().unwrap_or(Path::new("-e"))
    }

    /// The start of another file's program.
    pub(crate) fn of_file(&self, program: PathBuf) -> Self {
        Self { program: Some(program), ..self.clone() }
    }

    /// The start of another program, on a device of its own.
    pub(crate) fn of_other(
        &self,
        program: PathBuf,
        kernel: Option<String>,
        device: Device,
    ) -> Self {
        Self { program: Some(program), text: Vec::new(), kernel, device, ..self.clone() }
    }

    /// The file that was named in place of a program.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.program.as_deref()
    }

    /// The program.
    pub(crate) fn load(&self) -> Result<Loaded, Failure> {
        let loaded = match &self.program {
            Some(path) => Content::read_kernel(path, self.device, self.kernel.as_deref())?,
            None => Content::of((self.text.join("\n") + "\n").into_bytes())
                .map_err(|message| Failure::input(format!("-e: {message}")))?
                .into(),
        };
        Ok(Loaded { content: loaded.content.with_syntax(&self.syntax), ..loaded })
    }

    /// The kernel to launch.
    pub(crate) fn kernel(&self) -> Result<Kernel, Failure> {
        let path = self.program.as_deref();
        let path = path.ok_or_else(|| Failure::input("--global: -e is no container of kernels"))?;
        content::launched(path, self.device, self.kernel.as_deref())
    }

    /// Refuses what only programs of rv770 have.
    pub(crate) fn only_execution_unit(&self) -> Result<(), Failure> {
        let given = [
            ("--program-type", self.program_type.is_some()),
            ("--const", !self.constants.is_empty()),
            ("--profile silicon", self.profile == ProfileName::Silicon),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((name, _)) => {
                Err(Failure::input(format!("{name} is for rv770, not {}", self.device)))
            }
            None => Ok(()),
        }
    }

    /// Refuses what only execution units have.
    pub(crate) fn only_r700(&self) -> Result<(), Failure> {
        let given = [
            ("--system-routine", self.system_routine.is_some()),
            ("--event", !self.events.is_empty()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((name, _)) => {
                Err(Failure::input(format!("{name} is for execution units, not {}", self.device)))
            }
            None => Ok(()),
        }
    }
}
