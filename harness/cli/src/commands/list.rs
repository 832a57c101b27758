//! `parallax list`: what there is to name on the command line.

use clap::{Args, ValueEnum};
use parallax_isa::{
    Device,
    device::Family,
    r700::{AluOpcode, CfOpcode, FetchOpcode},
    surface::catalogue,
};
use parallax_lockstep::registry::MACHINES;
use parallax_spec::rules::RULES;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    documents,
    failure::{Ending, Failure},
    output::{self, Table, grouped},
    sheet,
};

/// List devices, suites, instructions, surface formats, rules or engines
///
/// With --device only what that device has. `parallax isa`, `format list` and `rules` say more of each.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax list devices
  parallax list suites --device g45
  parallax list instructions --device skl,dg1 --json")]
pub(crate) struct Arguments {
    /// What to list
    #[arg(value_enum)]
    what: What,
    /// Only of this device, or of several: g45,skl
    #[arg(long, value_delimiter = ',')]
    device: Vec<Device>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// The devices, with how much there is of each
    Devices,
    /// What --suite names
    Suites,
    /// The mnemonics of instructions
    Instructions,
    /// Surface formats
    Formats,
    /// Ids of rules
    Rules,
    /// What --engine names
    Engines,
}

/// A device in the JSON interface.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DeviceEntry {
    /// The device.
    name: &'static str,
    /// Product and generation.
    title: &'static str,
    /// Number of suites.
    suites: usize,
    /// Number of instructions.
    instructions: usize,
    /// Number of surface formats.
    formats: usize,
    /// Number of binding rules.
    binding_rules: usize,
}

/// A name with the devices that have it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Named {
    /// The name.
    name: &'static str,
    /// Devices that have it.
    devices: Vec<&'static str>,
}

/// The name of a device's product and generation.
const fn title(device: Device) -> &'static str {
    match device {
        Device::Bw => "Intel 965 (Gen4)",
        Device::Cl => "Intel 965GM (Gen4)",
        Device::Ctg => "Intel GM45 A (Gen4.5)",
        Device::G45 => "Intel G45, GM45 B (Gen4.5)",
        Device::Ivb => "Intel Ivy Bridge (Gen7)",
        Device::Skl => "Intel Skylake (Gen9)",
        Device::Dg1 => "Intel DG1 (Gen12)",
        Device::Rv770 => "AMD R700",
    }
}

fn suites(device: Device) -> Vec<&'static str> {
    let suites = MACHINES.iter().flat_map(|machine| machine.suites(device));
    suites.map(|suite| suite.name()).collect()
}

fn instructions(device: Device) -> Vec<&'static str> {
    match device.family() {
        Family::Eu => sheet::mnemonics(device).collect(),
        Family::R700 => {
            let flow = CfOpcode::ALL.iter().map(|opcode| opcode.mnemonic());
            let arithmetic = AluOpcode::ALL.iter().map(|opcode| opcode.mnemonic());
            let fetches = FetchOpcode::ALL.iter().map(|opcode| opcode.mnemonic());
            flow.chain(arithmetic).chain(fetches).collect()
        }
    }
}

fn formats(device: Device) -> Vec<&'static str> {
    catalogue(device).iter().map(|format| format.name).collect()
}

fn engines(device: Device) -> Vec<&'static str> {
    let runs = MACHINES.iter().filter(|machine| !machine.suites(device).is_empty());
    runs.flat_map(|machine| machine.engines()).collect()
}

fn rules(device: Device) -> Vec<&'static str> {
    RULES.iter().filter(|rule| documents::describes(rule, device)).map(|rule| rule.id).collect()
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let all = || Device::ALL.into_iter();
        let devices: Vec<_> =
            all().filter(|d| self.device.is_empty() || self.device.contains(d)).collect();
        let names = match self.what {
            What::Devices => {
                self.print_devices(&devices);
                return Ok(Ending::Success);
            }
            What::Suites => suites,
            What::Instructions => instructions,
            What::Formats => formats,
            What::Rules => rules,
            What::Engines => engines,
        };
        self.print_names(&collect(&devices, names));
        Ok(Ending::Success)
    }

    fn print_devices(&self, devices: &[Device]) {
        let entry = |device: &Device| DeviceEntry {
            name: device.name(),
            title: title(*device),
            suites: suites(*device).len(),
            instructions: instructions(*device).len(),
            formats: catalogue(*device).len(),
            binding_rules: documents::binding(*device).count(),
        };
        let entries: Vec<_> = devices.iter().map(entry).collect();
        if self.json {
            return output::print_json(&entries);
        }
        let columns = ["device", "", ">suites", ">instructions", ">formats", ">binding rules"];
        let mut table = Table::new(&columns);
        for entry in entries {
            let number = |number: usize| grouped(number as u64);
            table.row([
                entry.name.to_owned(),
                entry.title.to_owned(),
                number(entry.suites),
                number(entry.instructions),
                number(entry.formats),
                number(entry.binding_rules),
            ]);
        }
        output::print(table);
    }

    fn print_names(&self, names: &[Named]) {
        if self.json {
            return output::print_json(&names);
        }
        let mut table = Table::new(&["name", "devices"]);
        for Named { name, devices } in names {
            table.row([(*name).to_owned(), devices.join(" ")]);
        }
        output::print(table);
        if self.what == What::Engines {
            output::print(
                "\ncmd:COMMAND starts a program that speaks the engine protocol, \
                 unix:SOCKET connects to one",
            );
        }
    }
}

/// The names that devices have, each once, in order of the first device that has it.
fn collect(devices: &[Device], names: fn(Device) -> Vec<&'static str>) -> Vec<Named> {
    let mut places = std::collections::HashMap::new();
    let mut all: Vec<Named> = Vec::new();
    for device in devices {
        for name in names(*device) {
            let place = *places.entry(name).or_insert_with(|| {
                all.push(Named { name, devices: Vec::new() });
                all.len() - 1
            });
            if !all[place].devices.contains(&device.name()) {
                all[place].devices.push(device.name());
            }
        }
    }
    all
}
