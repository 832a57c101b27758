//! Shaders that Mesa's compiler for Intel prints with `INTEL_DEBUG=hex` and a stage (`fs,hex`): text, in which the
//! machine code of an instruction stands before it. The text does not say for which device.

use super::{Container, Kernel};
use crate::recorded::Recorded;

/// What stands before the name of a shader: `unnamed fragment shader GLSL3 (sha1 …):`.
const HEADING: &str = "Native code for ";
/// What stands around the work items of a thread: `SIMD8 shader: 12 instructions.`
const WIDTH: (&str, &str) = ("SIMD", " shader: ");

/// Stages as headings have them.
const STAGES: [&str; 8] = [
    "vertex",
    "tessellation control",
    "tessellation evaluation",
    "geometry",
    "fragment",
    "compute",
    "task",
    "mesh",
];

/// Bytes of instructions, compact ones and others.
const COMPACT: usize = 8;
const NATIVE: usize = 16;

/// Bytes of a line from which on it is one of machine code.
const FEWEST: usize = 4;

/// Whether bytes are such a text: a heading and a line with machine code behind it.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let is_text = bytes.iter().all(|byte| !byte.is_ascii_control() || byte.is_ascii_whitespace());
    if !is_text {
        return false;
    }
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines();
    lines.any(|line| line.contains(HEADING)) && lines.any(|line| machine_code(line).len() >= FEWEST)
}

/// Reads such a text.
pub(super) fn read(bytes: &[u8]) -> Result<Container, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut container = Container::new("mesa dump", None);
    let mut shader: Option<Shader> = None;
    let mut numbers = [0; STAGES.len() + 1];
    for (number, line) in (1..).zip(text.lines()) {
        if let Some((_, heading)) = line.split_once(HEADING) {
            Shader::finish(shader.take(), &mut container, &mut numbers)?;
            let stage =
                STAGES.iter().position(|stage| heading.contains(&format!("{stage} shader")));
            shader = Some(Shader { stage, width: None, code: Vec::new() });
            continue;
        }
        let Some(shader) = &mut shader else { continue };
        let width = line.trim_start().strip_prefix(WIDTH.0);
        if let Some((width, _)) = width.and_then(|line| line.split_once(WIDTH.1)) {
            shader.width = width.parse().ok();
            continue;
        }
        let code = machine_code(line);
        match code.len() {
            COMPACT | NATIVE => shader.code.extend(code),
            bytes if bytes >= FEWEST => {
                return Err(format!(
                    "line {number}: has {bytes} bytes of machine code; expected {COMPACT} or {NATIVE}"
                ));
            }
            _ => {}
        }
    }
    Shader::finish(shader, &mut container, &mut numbers)?;
    Ok(container)
}

/// A shader that is being read.
struct Shader {
    /// The number of its stage in [`STAGES`].
    stage: Option<usize>,
    width: Option<u8>,
    code: Vec<u8>,
}

impl Shader {
    /// Adds it as a kernel: `fragment 0 simd8`.
    fn finish(
        shader: Option<Self>,
        container: &mut Container,
        numbers: &mut [usize; STAGES.len() + 1],
    ) -> Result<(), String> {
        let Some(Self { stage, width, code }) = shader.filter(|shader| !shader.code.is_empty())
        else {
            return Ok(());
        };
        let number = &mut numbers[stage.unwrap_or(STAGES.len())];
        let mut name = format!("{} {number}", stage.map_or("shader", |stage| STAGES[stage]));
        *number += 1;
        if let Some(width) = width {
            name += &format!(" simd{width}");
        }
        let mut recorded = Recorded { simd: width.map(usize::from), ..Recorded::default() };
        recorded.stage = stage.map(|stage| STAGES[stage]);
        recorded.lacks("surfaces, samplers, constants and registers: the text has none of them");
        container.add(Kernel { name, code, recorded: Box::new(recorded), ..Kernel::default() })
    }
}

/// The bytes at the start of a line: two hex digits and a blank for each.
fn machine_code(line: &str) -> Vec<u8> {
    let byte = |word: &str| {
        let is_byte = word.len() == 2 && word.bytes().all(|digit| digit.is_ascii_hexdigit());
        u8::from_str_radix(word, 16).ok().filter(|_| is_byte)
    };
    // Between an instruction that is compact and its text there are many blanks.
    let words = line.trim_start().split(' ');
    words.map_while(byte).take(NATIVE + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::tests::{example, names, survives};

    #[test]
    fn shaders_are_named_by_stage_number_and_width() {
        let dump = example("shaders.txt");
        assert!(begins(&dump));
        let container = read(&dump).expect("a dump");
        assert_eq!(names(&container), ["vertex 0 simd8", "fragment 0 simd8", "fragment 1 simd16"]);
        let lengths: Vec<_> = container.kernels.iter().map(|kernel| kernel.code.len()).collect();
        assert_eq!(lengths, [24, 32, 32]);
        assert_eq!(container.device, None);
    }

    #[test]
    fn other_texts_are_none() {
        assert!(!begins(b"mov (8) r4<1>:f r5<8;8,1>:f\n"));
        assert!(!begins(b"01 00 60 00 e8 3e 40 21 00 00 00 00 00 00 00 40\n"));
        assert!(!begins(
            b"Native code for unnamed fragment shader GLSL1\nmov(8) g1<1>F g2<8,8,1>F\n"
        ));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let dump = |line: &str| read(format!("{HEADING}x\n{line}\n").as_bytes());
        let cut = dump("01 00 60 00 e8 3e mov(8)").expect_err("cut");
        assert_eq!(cut, "line 2: has 6 bytes of machine code; expected 8 or 16");
        let long = dump(&"01 ".repeat(40)).expect_err("long");
        assert_eq!(long, "line 2: has 17 bytes of machine code; expected 8 or 16");
    }

    #[test]
    fn no_file_does_harm() {
        survives(&example("shaders.txt"));
    }
}
