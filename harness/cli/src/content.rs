//! Programs as users bring them: assembly text, raw machine code, or machine code as hexadecimal
//! text. Which of them a file is shows in its content.

use std::path::Path;

use parallax_isa::{
    Device, Syntax,
    eu::{
        program,
        text::{self, Diagnostic},
    },
    hex,
    r700::case::ProgramType,
};
use parallax_lockstep::trace::{self, TraceError};

use crate::{
    container::{self, Container, Kernel},
    failure::Failure,
    files, output,
    syntax::SyntaxArgument,
};

/// Longest machine code that is taken to be a program, in bytes; those of rv770 are no longer either.
const LONGEST_CODE: usize = program::LARGEST;

/// Whether a file is compressed with gzip: it begins as one, without the flags that are reserved. No instruction of
/// an execution unit has the opcode 1Fh, or is compact without bit 29, and no clause of R700 lies that far away.
fn is_gzip(bytes: &[u8]) -> bool {
    matches!(bytes, [0x1F, 0x8B, 8, flags, ..] if flags & 0xE0 == 0)
}

/// Whether a file is machine code, nearly all of which has zeros and all of which has control characters. A few of
/// these that have slipped into a text do not make it machine code.
fn is_machine_code(bytes: &[u8]) -> bool {
    let is_control = |byte: &&u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    let controls = bytes.iter().filter(is_control).count();
    let is_text = || str::from_utf8(bytes).is_ok() && !bytes.contains(&0);
    controls > 0 && !(is_text() && controls <= bytes.len() / CHARACTERS_PER_CONTROL)
}

/// Characters of a text for each control character that may have slipped into it.
const CHARACTERS_PER_CONTROL: usize = 4;

/// How the kinds of programs are told apart, for the help texts.
pub(crate) const HELP: &str = "\
Assembly text, raw machine code, or machine code as hex text; - reads standard input. The content \
says which it is: a file with zeros or many control characters is raw machine code; a text of nothing but hex digits, \
blanks, commas and comments is hex text, instructions (bytes in memory order) or a doubleword a \
line; any other text is assembly. A file that holds several programs is recognised by its content too (`parallax kernels \
--help` has the forms); --kernel names one of them.";

/// What a program file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// Assembly text, and the syntax it is in if that was said.
    Assembly(String, Option<Syntax>),
    /// Machine code in memory order.
    MachineCode(Vec<u8>),
}

/// A program, and what its file says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loaded {
    pub(crate) content: Content,
    /// The kind of a program of R700.
    pub(crate) program_type: Option<ProgramType>,
}

impl From<Content> for Loaded {
    fn from(content: Content) -> Self {
        Self { content, program_type: None }
    }
}

impl Content {
    /// Reads a program file; `-` is standard input.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = files::read(path, hex::LARGEST as u64, "a program")?;
        Self::of(bytes).map_err(|message| Failure::input(format!("{}: {message}", path.display())))
    }

    /// Reads a program file for a device, or a kernel of one that holds kernels.
    pub(crate) fn read_kernel(
        path: &Path,
        device: Device,
        name: Option<&str>,
    ) -> Result<Loaded, Failure> {
        let bytes = read(path)?;
        let wrong = |message: String| Failure::input(format!("{}: {message}", path.display()));
        match kernel(&bytes, device, name).map_err(wrong)? {
            Some(Kernel { code, program_type, .. }) => {
                Ok(Loaded { content: Self::of_code(code).map_err(wrong)?, program_type })
            }
            None if name.is_some() => {
                Err(wrong("--kernel: the file is no container of kernels".to_owned()))
            }
            None => Ok(Self::of(bytes).map_err(wrong)?.into()),
        }
    }

    /// The same with the syntax of its text.
    pub(crate) fn with_syntax(self, given: &SyntaxArgument) -> Self {
        match self {
            Self::Assembly(source, _) => Self::Assembly(source, given.syntax),
            code => code,
        }
    }

    /// Machine code of a length that a program may have.
    pub(crate) fn of_code(code: Vec<u8>) -> Result<Self, String> {
        if code.len() > LONGEST_CODE {
            Err(too_long(code.len()))
        } else {
            Ok(Self::MachineCode(code))
        }
    }

    /// Tells the kinds of programs apart.
    pub(crate) fn of(bytes: Vec<u8>) -> Result<Self, String> {
        match Self::kind_of(bytes)? {
            Self::MachineCode(code) => Self::of_code(code),
            content => Ok(content),
        }
    }

    fn kind_of(bytes: Vec<u8>) -> Result<Self, String> {
        if bytes.is_empty() {
            return Err("the file is empty; expected a program".to_owned());
        }
        if bytes.len() > 8 && !matches!(trace::machine_of(&bytes), Err(TraceError::NotATrace)) {
            return Err(
                "is a trace, not a program: `parallax show` prints what it holds".to_owned()
            );
        }
        if is_gzip(&bytes) {
            return Err("is compressed with gzip, not a program: `gzip -dc` prints what it holds"
                .to_owned());
        }
        if is_machine_code(&bytes) {
            return Ok(Self::MachineCode(bytes));
        }
        if hex::looks_like_hex(&bytes) {
            let text = String::from_utf8_lossy(&bytes);
            return hex::parse(&text).map(Self::MachineCode).map_err(|error| error.to_string());
        }
        match text::source(&bytes) {
            Ok(source) => Ok(Self::Assembly(source.to_owned(), None)),
            Err(Diagnostic { line, column, message, .. }) => {
                Err(format!("line {line}, column {column}: {message}"))
            }
        }
    }
}

/// Reads a program or a file that holds several, which may be longer.
fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let limit = |head: &[u8]| {
        if Container::begins(head) { container::LARGEST } else { hex::LARGEST as u64 }
    };
    files::read_by_head(path, limit, "a program")
}

/// A kernel of a file for a device, by its name where there are several; `None` if the file holds no kernels.
fn kernel(bytes: &[u8], device: Device, name: Option<&str>) -> Result<Option<Kernel>, String> {
    let Some(container) = Container::read(bytes).transpose()? else { return Ok(None) };
    container.only_for(device)?;
    container.kernel(name).cloned().map(Some)
}

/// The kernel of a container, to launch.
pub(crate) fn launched(path: &Path, device: Device, name: Option<&str>) -> Result<Kernel, Failure> {
    let bytes = read(path)?;
    let wrong = |message: String| Failure::input(format!("{}: {message}", path.display()));
    kernel(&bytes, device, name)
        .map_err(wrong)?
        .ok_or_else(|| wrong("--global: the file is no container of kernels".to_owned()))
}

/// What is wrong with machine code of so many bytes.
fn too_long(bytes: usize) -> String {
    let bytes = output::grouped(bytes as u64);
    format!("{bytes} bytes of machine code are too long for a program: the limit is 2 MiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_code_has_a_greatest_length() {
        assert!(Content::of(vec![0; LONGEST_CODE]).is_ok());
        let message = Content::of(vec![0; LONGEST_CODE + 1]).expect_err("too long");
        assert_eq!(
            message,
            "2,097,153 bytes of machine code are too long for a program: the limit is 2 MiB"
        );
        let text = "00000000\n".repeat(LONGEST_CODE / 4 + 1);
        assert!(Content::of(text.into_bytes()).is_err_and(|message| message.contains("2 MiB")));
    }

    #[test]
    fn content_tells_what_it_is() {
        let of = |bytes: &[u8]| Content::of(bytes.to_vec());
        let assembly = "nop // ends\n";
        assert_eq!(of(assembly.as_bytes()), Ok(Content::Assembly(assembly.to_owned(), None)));
        assert_eq!(of(&[1, 0, 0, 0]), Ok(Content::MachineCode(vec![1, 0, 0, 0])));
        assert_eq!(
            of(b"0x04030201\n# two\n0x08070605"),
            Ok(Content::MachineCode((1..9).collect()))
        );
        let slipped = "no\x1bp // \x7f\n";
        assert_eq!(of(slipped.as_bytes()), Ok(Content::Assembly(slipped.to_owned(), None)));
        for code in [&b"nop\0"[..], b"\x01&\x03 \x05i\x06\x07", b"nop, \x1b and \xE9"] {
            assert_eq!(of(code), Ok(Content::MachineCode(code.to_vec())), "{code:?}");
        }
        assert!(of(b"").expect_err("empty").contains("empty"));
        assert!(of(b"\x1F\x8B\x08\0more").expect_err("gzip").contains("gzip -dc"));
        assert!(of(b"\x1F\x8B\x08\x20more").is_ok(), "a compact instruction");
        let message = of(b"nop\n// caf\xE9\n").expect_err("Latin-1");
        assert!(message.starts_with("line 2, column 7: byte 0xe9"), "{message}");
    }
}
