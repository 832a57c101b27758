//! `parallax isa`: the instructions of a device, from the tables.

use clap::Args;
use parallax_isa::{Device, device::Family, eu::Opcode, nearest};

use crate::{
    failure::{Ending, Failure},
    output,
    sheet::{Sheet, compare, overview, r700},
};

/// Show what an instruction is on a device: forms, fields and their values, types, modifiers, rules
///
/// Everything comes from the tables that decoders, text and legality are made of. Without an instruction
/// all that the device has are listed; with `--diff` what is other on the second device than on the first.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax isa --device dg1                all instructions with their codes
  parallax isa --device dg1 mad            one of them
  parallax isa --device rv770 MULADD       one of R700: words, fields, units, operands
  parallax isa --diff ivb dg1              what came, went and changed
  parallax isa --diff skl dg1 mul --json   what changed of one")]
pub(crate) struct Arguments {
    /// Mnemonic of an instruction
    #[arg(value_name = "OPCODE")]
    opcode: Option<String>,
    /// Device: bw, cl, ctg, g45, ivb, skl, dg1, rv770
    #[arg(long, required_unless_present = "diff", conflicts_with = "diff")]
    device: Option<Device>,
    /// Two devices with execution units: what is other on the second
    #[arg(long, num_args = 2, value_names = ["DEVICE", "DEVICE"])]
    diff: Option<Vec<Device>>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        if self.device.is_some_and(|device| device.family() == Family::R700) {
            return self.show_r700();
        }
        let opcode = self.opcode.as_deref().map(named).transpose()?;
        match (self.device, self.diff.as_deref(), opcode) {
            (Some(device), _, Some(opcode)) => {
                let sheet = sheet(device, opcode)?;
                self.show(&sheet, || sheet.text())
            }
            (Some(device), _, None) => {
                let listed = overview::of(generation_of(device)?);
                self.show(&listed, || overview::text(&listed))
            }
            (None, Some(&[from, to]), Some(opcode)) => {
                let [from, to] = [from, to].map(|device| sheet(device, opcode));
                let difference = compare::sheets(&from?, &to?);
                self.show(&difference, || difference.text())
            }
            (None, Some(&[from, to]), None) => {
                let difference = compare::devices(generation_of(from)?, generation_of(to)?);
                self.show(&difference, || difference.text())
            }
            (None, ..) => Err(Failure::Input("--device or --diff says of which device".to_owned())),
        }
    }

    fn show_r700(&self) -> Result<Ending, Failure> {
        let Some(mnemonic) = self.opcode.as_deref() else {
            let listed = r700::list();
            return self.show(&listed, || r700::list_text(&listed));
        };
        let sheet = r700::Sheet::of(mnemonic).ok_or_else(|| {
            let near = nearest(&mnemonic.to_uppercase(), r700::mnemonics());
            unknown(
                "rv770 has no instruction",
                mnemonic,
                near,
                "`parallax isa --device rv770` lists them",
            )
        })?;
        self.show(&sheet, || sheet.text())
    }

    fn show(
        &self,
        value: &impl serde::Serialize,
        text: impl FnOnce() -> String,
    ) -> Result<Ending, Failure> {
        if self.json {
            output::print_json(value);
        } else {
            output::print(text());
        }
        Ok(Ending::Success)
    }
}

/// The device, if it has execution units.
fn generation_of(device: Device) -> Result<Device, Failure> {
    device.execution_unit().map_err(|error| Failure::Input(error.to_string()))?;
    Ok(device)
}

fn named(mnemonic: &str) -> Result<Opcode, Failure> {
    Opcode::of_mnemonic(&mnemonic.to_lowercase()).ok_or_else(|| {
        let near = nearest(mnemonic, Opcode::ALL.iter().map(|opcode| opcode.mnemonic()));
        unknown(
            "no execution unit has an instruction",
            mnemonic,
            near,
            "`parallax isa --device g45` lists those of a device",
        )
    })
}

fn unknown(what: &str, mnemonic: &str, near: Option<&str>, advice: &str) -> Failure {
    let mnemonic = output::brief(mnemonic);
    let near = near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
    Failure::Input(format!("{what} `{mnemonic}`{near}; {advice}"))
}

fn sheet(device: Device, opcode: Opcode) -> Result<Sheet, Failure> {
    generation_of(device)?;
    Sheet::of(device, opcode).ok_or_else(|| {
        let having = Device::EU.iter().filter(|device| opcode.code(**device).is_some());
        let having: Vec<_> = having.map(|device| device.name()).collect();
        Failure::Input(format!(
            "{device} has no `{}`; it is on {}",
            opcode.mnemonic(),
            having.join(", ")
        ))
    })
}
