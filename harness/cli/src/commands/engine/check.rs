//! `parallax engine check`: a new engine, step after step.

use std::{collections::BTreeSet, time::Duration};

use parallax_engine::Instructions;
use parallax_isa::Device;
use parallax_lockstep::{
    escape,
    outside::{Outside, name_of},
    r700::outside::profiles,
    registry,
    subject::UnderTest,
    suite::{ShrinkLimits, Suite},
};

use crate::{
    failure::{Ending, Failure},
    output,
};

/// Cases of each suite that are run.
const CASES: u64 = 20;
/// Seeds that are tried for them: an engine of a few instructions runs few of the programs there are.
const SEEDS: u64 = 100 * CASES;
/// How long a case that differs is made smaller.
const SHRINK: Duration = Duration::from_secs(10);

/// Looks at an engine, and says what is right and what is not.
pub(super) fn check(engine: &UnderTest) -> Result<Ending, Failure> {
    let UnderTest::Outside(outside) = engine else {
        return Err(Failure::input("`engine check` is for engines of `cmd:` and `unix:`"));
    };
    output::print(greeting(outside));
    let mut is_right = true;
    let machine = registry::machine(&outside.hello().machine);
    for device in outside.hello().devices.iter().filter_map(|name| name.parse::<Device>().ok()) {
        let suites = machine.map(|machine| machine.outside_suites(device, outside));
        let suites = suites.unwrap_or_default();
        if suites.is_empty() {
            let reasons = machine.map(|machine| machine.reasons(device, outside));
            let needs = match reasons.unwrap_or_default().join(", others ") {
                needs if needs.is_empty() => needs,
                needs => format!("; they need {needs}"),
            };
            output::print(format!("{device}: there is no case that it could run{needs}"));
            is_right = false;
        }
        for suite in suites {
            is_right &= look(&*suite)?;
        }
    }
    output::print(if is_right {
        format!("it is ready: parallax run --engine \"{}\"", name_of(&outside.command))
    } else {
        "not everything is as it should be".to_owned()
    });
    Ok(Ending::found(!is_right))
}

/// What it said of itself.
fn greeting(engine: &Outside) -> String {
    let hello = engine.hello();
    let list = |list: &Option<Vec<String>>| {
        list.as_ref().map_or_else(|| "all".to_owned(), |list| list.join(" "))
    };
    let machine = registry::machine(&hello.machine);
    let devices = hello.devices.iter().filter_map(|name| name.parse::<Device>().ok());
    let lacks = devices.flat_map(|device| {
        machine.map(|machine| machine.lacks(device, engine)).unwrap_or_default()
    });
    let lacks: BTreeSet<_> = lacks.collect();
    // In the order of the banks, which the devices share.
    let banks = machine.map_or(&[][..], |machine| machine.banks());
    let lacks: Vec<_> =
        banks.iter().map(|bank| bank.name).filter(|name| lacks.contains(name)).collect();
    let features = || ("features", list(&hello.features));
    let declared = match hello.machine.as_str() {
        "r700" => vec![("profiles", profiles(hello).join(" ")), features()],
        "surface" => vec![("formats", list(&hello.types))],
        "units" | "enums" => Vec::new(),
        _ => vec![("types", list(&hello.types)), features()],
    };
    let weak = hello.weaknesses.iter().flatten().cloned();
    let approximate = hello.approximations.iter().flatten();
    let weak: Vec<_> = weak.chain(approximate.map(|(name, ulp)| format!("{name}:{ulp}"))).collect();
    let instructions = match hello.machine.as_str() {
        "surface" => "operations",
        "units" | "enums" => "queries",
        _ => "instructions",
    };
    let mut rows = vec![
        ("machine", hello.machine.clone()),
        ("devices", hello.devices.join(" ")),
        ("banks", format!("{} (not compared: {})", hello.banks.join(" "), lacks.join(" "))),
        (instructions, list(&hello.instructions.as_ref().map(names))),
    ];
    rows.extend(declared);
    let steps = match (hello.steps, hello.batch) {
        (true, _) => "one by one",
        (false, false) => "only to the end",
        (false, true) => "only to the end, several starts at once",
    };
    rows.push(("steps", steps.to_owned()));
    if !weak.is_empty() {
        rows.push(("weaknesses", weak.join(" ")));
    }
    let rows: String =
        rows.into_iter().map(|(name, value)| format!("\n  {name:<14}{value}")).collect();
    format!("hello from {}, protocol {}{rows}", hello.name, hello.protocol)
}

/// The names of declared instructions.
fn names(instructions: &Instructions) -> Vec<String> {
    instructions.names().map(str::to_owned).collect()
}

/// Runs a few cases of a suite; whether there are some in which something was compared, and all of
/// them agree.
fn look(suite: &dyn Suite) -> Result<bool, Failure> {
    let name = format!("{} on {}", suite.name(), suite.device());
    let mut worker = suite.worker();
    worker.shrink_within(ShrinkLimits { time: Some(SHRINK), others: Vec::new() });
    let (mut cases, mut instructions) = (0, 0);
    for seed in 0..SEEDS {
        let ran = worker.run(seed);
        instructions += ran.instructions;
        cases += u64::from(ran.comparisons > 0);
        let Some(sighting) = ran.diverged else {
            if cases == CASES {
                break;
            }
            continue;
        };
        let text = match worker.investigate(seed) {
            Ok(finding) => finding.text,
            Err(vanished) => {
                let seen = escape::line(&vanished.seen);
                let first = sighting.to_string();
                format!("{}\nwhen it was run again: {seen}", escape::line(&first))
            }
        };
        output::print(format!("{name}: case {seed} differs from the reference\n{text}"));
        return Ok(false);
    }
    if cases == 0 {
        output::print(format!(
            "{name}: of {} there is none that it could run, so nothing is known of it",
            output::counted(SEEDS, "program")
        ));
        return Ok(false);
    }
    output::print(format!(
        "{name}: {} with {} agree with the reference",
        output::counted(cases, "case"),
        output::counted(instructions, "instruction")
    ));
    Ok(true)
}
