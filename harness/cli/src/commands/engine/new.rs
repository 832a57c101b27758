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
    /// C99
    C,
    /// C++20
    Cpp,
    /// Rust
    Rust,
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
    command: Replaced,
    kit: &'static [File],
    /// What builds it, if it is built: as the example says, and this.
    build: Option<Replaced>,
    /// The devices that the example declares, and what the declaration of one stands between.
    devices: Option<(&'static str, [&'static str; 2])>,
}

/// A text and what stands in its place.
type Replaced = (&'static str, &'static str);

/// A file of the kits, `harness/engines`: `engines` in this crate is a link to it, so that a package holds them.
macro_rules! kit {
    ($path:literal) => {
        include_str!(concat!("../../../engines/", $path))
    };
}

/// A file of the crate `parallax-engine`, to which `rust-kit` has links.
macro_rules! rust {
    ($path:literal) => {
        include_str!(concat!("../../../rust-kit/", $path))
    };
}

const PYTHON: &[File] =
    &[("parallax_engine/__init__.py", kit!("python/parallax_engine/__init__.py"))];
const C: &[File] = &[("parallax_engine.h", kit!("c/parallax_engine.h"))];
const JAVASCRIPT: &[File] = &[
    ("parallax-engine.js", kit!("javascript/parallax-engine.js")),
    ("package.json", "{ \"type\": \"module\" }\n"),
];
const RUST: &[File] = &[
    (
        "Cargo.toml",
        "[package]\nname = \"engine\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nparallax-engine = { path = \"parallax-engine\" }\n\n[workspace]\n",
    ),
    (
        "parallax-engine/Cargo.toml",
        concat!(
            "[package]\nname = \"parallax-engine\"\nversion = \"",
            env!("CARGO_PKG_VERSION"),
            "\"\nedition = \"2024\"\n\n[dependencies]\n\
             serde = { version = \"1\", features = [\"derive\"] }\n\
             serde_json = { version = \"1\", features = [\"preserve_order\"] }\nthiserror = \"2\"\n",
        ),
    ),
    ("parallax-engine/src/lib.rs", rust!("src/lib.rs")),
    ("parallax-engine/src/banks.rs", rust!("src/banks.rs")),
    ("parallax-engine/src/frame.rs", rust!("src/frame.rs")),
    ("parallax-engine/src/hello.rs", rust!("src/hello.rs")),
    ("parallax-engine/src/instructions.rs", rust!("src/instructions.rs")),
    ("parallax-engine/src/json.rs", rust!("src/json.rs")),
    ("parallax-engine/src/message.rs", rust!("src/message.rs")),
    ("parallax-engine/src/serve.rs", rust!("src/serve.rs")),
];

/// The devices as the example in C has them.
const C_DEVICES: (&str, [&str; 2]) =
    (r#"[\"bw\", \"cl\", \"ctg\", \"g45\", \"ivb\", \"skl\", \"dg1\"]"#, [r#"[\""#, r#"\"]"#]);

/// Every engine there is to begin with.
static SKELETONS: [Skeleton; 10] = [
    Skeleton {
        language: Language::Python,
        family: Family::Eu,
        engine: ("engine.py", kit!("python/example.py")),
        command: ("python3 harness/engines/python/example.py", "python3 engine.py"),
        kit: PYTHON,
        build: None,
        devices: Some(("list(LAYOUTS)", ["[\"", "\"]"])),
    },
    Skeleton {
        language: Language::Python,
        family: Family::R700,
        engine: ("engine.py", kit!("python/r700.py")),
        command: ("python3 harness/engines/python/r700.py", "python3 engine.py"),
        kit: PYTHON,
        build: None,
        devices: None,
    },
    Skeleton {
        language: Language::C,
        family: Family::Eu,
        engine: ("engine.c", kit!("c/example.c")),
        command: ("./example", "./engine"),
        kit: C,
        build: Some(("cc -O2 -o example harness/engines/c/example.c", "cc -O2 -o engine engine.c")),
        devices: Some(C_DEVICES),
    },
    Skeleton {
        language: Language::C,
        family: Family::R700,
        engine: ("engine.c", kit!("c/r700.c")),
        command: ("./r700", "./engine"),
        kit: C,
        build: Some(("cc -O2 -o r700 harness/engines/c/r700.c", "cc -O2 -o engine engine.c")),
        devices: None,
    },
    Skeleton {
        language: Language::Cpp,
        family: Family::Eu,
        engine: ("engine.cpp", kit!("c/example.c")),
        command: ("./example", "./engine"),
        kit: C,
        build: Some((
            "cc -O2 -o example harness/engines/c/example.c",
            "c++ -std=c++20 -O2 -o engine engine.cpp",
        )),
        devices: Some(C_DEVICES),
    },
    Skeleton {
        language: Language::Cpp,
        family: Family::R700,
        engine: ("engine.cpp", kit!("c/r700.c")),
        command: ("./r700", "./engine"),
        kit: C,
        build: Some((
            "cc -O2 -o r700 harness/engines/c/r700.c",
            "c++ -std=c++20 -O2 -o engine engine.cpp",
        )),
        devices: None,
    },
    Skeleton {
        language: Language::Rust,
        family: Family::Eu,
        engine: ("src/main.rs", rust!("examples/eu.rs")),
        command: ("target/debug/examples/eu", "target/release/engine"),
        kit: RUST,
        build: Some((
            "cargo build --package parallax-engine --example eu",
            "cargo build --release",
        )),
        devices: Some(("DEVICES.map(|(device, _)| device)", ["[\"", "\"]"])),
    },
    Skeleton {
        language: Language::Rust,
        family: Family::R700,
        engine: ("src/main.rs", rust!("examples/r700.rs")),
        command: ("target/debug/examples/r700", "target/release/engine"),
        kit: RUST,
        build: Some((
            "cargo build --package parallax-engine --example r700",
            "cargo build --release",
        )),
        devices: None,
    },
    Skeleton {
        language: Language::Javascript,
        family: Family::Eu,
        engine: ("engine.js", kit!("javascript/example.js")),
        command: ("node harness/engines/javascript/example.js", "node engine.js"),
        kit: JAVASCRIPT,
        build: None,
        devices: Some(("Object.keys(LAYOUTS)", ["[\"", "\"]"])),
    },
    Skeleton {
        language: Language::Javascript,
        family: Family::R700,
        engine: ("engine.js", kit!("javascript/r700.js")),
        command: ("node harness/engines/javascript/r700.js", "node engine.js"),
        kit: JAVASCRIPT,
        build: None,
        devices: None,
    },
];

impl Skeleton {
    /// The text of the engine, for a device.
    fn text(&self, device: Device) -> String {
        let (_, example) = self.engine;
        let replaced = [Some(self.command), self.build].into_iter().flatten();
        let text = replaced.fold(example.to_owned(), |text, (shown, own)| text.replace(shown, own));
        // The examples say how to try them on one of their devices.
        let text = text.replace("--device g45", &format!("--device {device}"));
        match self.devices {
            Some((all, [before, after])) => text.replace(all, &format!("{before}{device}{after}")),
            None => text,
        }
    }
}

/// Writes an engine in a language for a device into a folder that is new or empty.
pub(super) fn new(language: Language, folder: &Path, device: Device) -> Result<Ending, Failure> {
    let skeleton = SKELETONS
        .iter()
        .find(|skeleton| (skeleton.language, skeleton.family) == (language, device.family()))
        .expect("there is one of each language and family");
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Failure::input(format!(
            "{} has files already: name a folder that is new or empty",
            folder.display()
        )));
    }
    let ((engine, _), (_, own)) = (skeleton.engine, skeleton.command);
    files::write(&folder.join(engine), skeleton.text(device).as_bytes())?;
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
