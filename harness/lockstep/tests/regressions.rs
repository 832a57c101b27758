//! Every program of `regressions` in the folders of devices in `traces` has its trace, recorded from just that program, and
//! both engines replay it. (`parallax replay traces` does so too, for all traces.)

use std::{fs, path::PathBuf};

use parallax_executor::eu::Executor;
use parallax_isa::{Device, eu::text};
use parallax_lockstep::{
    eu::Eu,
    trace::{self, Trace, replay},
};
use parallax_reference::eu::Reference;
use rstest::rstest;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces");

fn programs(device: Device) -> Vec<PathBuf> {
    let entries = fs::read_dir(format!("{FOLDER}/{device}/regressions")).expect("the folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "asm")).collect()
}

#[rstest]
#[case(Device::G45, 14)]
#[case(Device::Ivb, 5)]
#[case(Device::Skl, 2)]
#[case(Device::Dg1, 3)]
fn programs_have_traces_that_both_engines_replay(#[case] device: Device, #[case] least: usize) {
    let programs = programs(device);
    assert!(programs.len() >= least, "only {} programs", programs.len());
    for path in programs {
        let name = path.display();
        let source = fs::read_to_string(&path).expect("readable");
        let explained = ["// The executor was wrong: ", "// The reference was wrong: "];
        assert!(explained.iter().any(|start| source.starts_with(start)), "{name}");
        let assembly = text::parse(device, &source).expect("it assembles");
        let trace: Trace<Eu> = trace::read(&path.with_extension("trace")).expect("a trace");
        assert_eq!(trace.case.program, assembly.program.bytes(), "{name}");
        let divergence = replay(&trace, &mut Executor::new()).expect("it loads");
        assert!(divergence.is_none(), "{name}: {divergence:?}");
        let divergence = replay(&trace, &mut Reference::new()).expect("it loads");
        assert!(divergence.is_none(), "{name}: {divergence:?}");
    }
}
