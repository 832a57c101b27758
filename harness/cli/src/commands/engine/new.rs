//! `parallax engine new`: an engine that runs, to be made one's own.

use std::{fs, path::Path};

use clap::ValueEnum;
use parallax_isa::{Device, device::Family};

use crate::{
    failure::{Ending, Failure},
    files,
    output::{self, quoted},
};

/// A language that there is a kit for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Language {
    /// Python 3
    Python,
    /// C99, and C++
    C,
    /// JavaScript for Node.js
    Javascript,
}

/// A file of an engine: its name and what it holds.
type File = (&'static str, &'static str);

/// An engine to begin with.
struct Skeleton {
    language: Language,
    family: Family,
    /// The engine: one of the examples.
    engine: File,
    /// How the example says it is started, and how this is.
    command: (&'static str, &'static str),
    kit: &'static [File],
    /// What builds it, if it is built.
    build: Option<(&'static str, &'static str)>,
}

/// A file of the kits, `harness/engines`: `engines` in this crate is a link to it, so that a package holds them.
macro_rules! kit {
    ($path:literal) => {
        include_str!(concat!("../../../engines/", $path))
    };
}

const PYTHON: &[File] =
    &[("parallax_engine/__init__.py", kit!("python/parallax_engine/__init__.py"))];
const C: &[File] = &[("parallax_engine.h", kit!("c/parallax_engine.h"))];
const JAVASCRIPT: &[File] = &[
    ("parallax-engine.js", kit!("javascript/parallax-engine.js")),
    ("package.json", "{ \"type\": \"module\" }\n"),
];

/// Every engine there is to begin with.
static SKELETONS: [Skeleton; 5] = [
    Skeleton {
        language: Language::Python,
        family: Family::Eu,
        engine: ("engine.py", kit!("python/example.py")),
        command: ("python3 harness/engines/python/example.py", "python3 engine.py"),
        kit: PYTHON,
        build: None,
    },
    Skeleton {
        language: Language::Python,
        family: Family::R700,
        engine: ("engine.py", kit!("python/r700.py")),
        command: ("python3 harness/engines/python/r700.py", "python3 engine.py"),
        kit: PYTHON,
        build: None,
    },
    Skeleton {
        language: Language::C,
        family: Family::Eu,
        engine: ("engine.c", kit!("c/example.c")),
        command: ("./example", "./engine"),
        kit: C,
        build: Some(("cc -O2 -o example harness/engines/c/example.c", "cc -O2 -o engine engine.c")),
    },
    Skeleton {
        language: Language::C,
        family: Family::R700,
        engine: ("engine.c", kit!("c/r700.c")),
        command: ("./r700", "./engine"),
        kit: C,
        build: Some(("cc -O2 -o r700 harness/engines/c/r700.c", "cc -O2 -o engine engine.c")),
    },
    Skeleton {
        language: Language::Javascript,
        family: Family::Eu,
        engine: ("engine.js", kit!("javascript/example.js")),
        command: ("node harness/engines/javascript/example.js", "node engine.js"),
        kit: JAVASCRIPT,
        build: None,
    },
];

/// The devices that the examples are for.
const DEVICES: [Device; 2] = [Device::G45, Device::Rv770];

/// Writes an engine in a language for a device into a folder that is new or empty.
pub(super) fn new(language: Language, folder: &Path, device: Device) -> Result<Ending, Failure> {
    let skeleton = SKELETONS.iter().find(|skeleton| {
        skeleton.language == language
            && skeleton.family == device.family()
            && DEVICES.contains(&device)
    });
    let Some(skeleton) = skeleton else { return Err(no_skeleton(language, device)) };
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Failure::input(format!(
            "{} has files already: name a folder that is new or empty",
            folder.display()
        )));
    }
    let ((engine, example), (shown, own)) = (skeleton.engine, skeleton.command);
    let mut text = example.replace(shown, own);
    if let Some((shown, own)) = skeleton.build {
        text = text.replace(shown, own);
    }
    files::write(&folder.join(engine), text.as_bytes())?;
    for (name, content) in skeleton.kit {
        files::write(&folder.join(name), content.as_bytes())?;
    }
    let mut lines = vec![
        format!("{}: an engine of {device} that runs; edit {engine}", folder.display()),
        format!("  cd {}", quoted(&folder.display().to_string())),
    ];
    lines.extend(skeleton.build.map(|(_, build)| format!("  {build}")));
    lines.push(format!("  parallax engine check \"cmd:{own}\""));
    lines.push(format!("  parallax run --device {device} --engine \"cmd:{own}\" --time 20s"));
    output::print(lines.join("\n"));
    Ok(Ending::Success)
}

fn no_skeleton(language: Language, device: Device) -> Failure {
    let name = |language: Language| {
        let value = language.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    };
    let there = SKELETONS.iter().map(|skeleton| {
        let device = DEVICES.iter().find(|device| device.family() == skeleton.family);
        let device = device.map_or("", |device| device.name());
        format!("{} for {device}", name(skeleton.language))
    });
    let there: Vec<_> = there.collect();
    Failure::input(format!(
        "there is no engine to begin with in {} for {device}; there are {}",
        name(language),
        there.join(", ")
    ))
}
