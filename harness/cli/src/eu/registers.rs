//! Names of registers and the bytes of the state they stand for.

use std::{mem::offset_of, ops::Range};

use parallax_isa::{Image, eu::State};

use crate::output;

/// A register file or architecture register as the command line names it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct File {
    /// What the name starts with.
    pub(crate) prefix: &'static str,
    /// Registers of this kind.
    pub(crate) count: usize,
    /// First byte of the first one in the state.
    offset: usize,
    /// Bytes of one.
    pub(crate) bytes: usize,
    /// Bytes of one element, which a subregister number counts.
    pub(crate) element: usize,
}

/// Every kind of register, in the order in which all are printed.
pub(crate) const FILES: [File; 12] = [
    File { prefix: "r", count: 128, offset: offset_of!(State, grf), bytes: 32, element: 4 },
    File { prefix: "m", count: 16, offset: offset_of!(State, mrf), bytes: 32, element: 4 },
    File {
        prefix: "acc",
        count: 2,
        offset: offset_of!(State, accumulator),
        bytes: 128,
        element: 8,
    },
    File { prefix: "a", count: 1, offset: offset_of!(State, address), bytes: 16, element: 2 },
    File { prefix: "f", count: 1, offset: offset_of!(State, flag), bytes: 4, element: 2 },
    File { prefix: "mask", count: 1, offset: offset_of!(State, mask), bytes: 8, element: 2 },
    File { prefix: "ms", count: 1, offset: offset_of!(State, mask_stack), bytes: 32, element: 1 },
    File {
        prefix: "msd",
        count: 1,
        offset: offset_of!(State, mask_stack_depth),
        bytes: 4,
        element: 2,
    },
    File { prefix: "sr", count: 1, offset: offset_of!(State, status), bytes: 8, element: 4 },
    File { prefix: "cr", count: 1, offset: offset_of!(State, control), bytes: 12, element: 4 },
    File { prefix: "n", count: 2, offset: offset_of!(State, notification), bytes: 4, element: 4 },
    File { prefix: "ip", count: 1, offset: offset_of!(State, ip), bytes: 4, element: 4 },
];

/// One register, or one element of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Register {
    /// What it is one of.
    pub(crate) file: &'static File,
    /// Which.
    pub(crate) number: usize,
    /// Which element, if only one is meant.
    pub(crate) subregister: Option<usize>,
}

impl Register {
    /// Reads a name: `r4`, `f0.1`, `ip`.
    pub(crate) fn parse(name: &str) -> Result<Self, String> {
        let unknown = || {
            format!(
                "`{name}` is no register; there are r0..r127, m0..m15, acc0, acc1, a0, f0, mask0, \
                 ms0, msd0, sr0, cr0, n0, n1 and ip, and their elements, as in f0.1"
            )
        };
        let (whole, subregister) = match name.split_once('.') {
            Some((whole, sub)) => (whole, Some(sub.parse::<usize>().map_err(|_| unknown())?)),
            None => (name, None),
        };
        let digits = whole.find(|c: char| c.is_ascii_digit()).unwrap_or(whole.len());
        let (prefix, number) = whole.split_at(digits);
        let file = FILES.iter().find(|file| file.prefix == prefix).ok_or_else(unknown)?;
        let number = match number {
            "" if file.prefix == "ip" => 0,
            _ => number.parse().map_err(|_| unknown())?,
        };
        if number >= file.count {
            let last = file.count - 1;
            return Err(format!("there is no {prefix}{number}; the last one is {prefix}{last}"));
        }
        Ok(Self { file, number, subregister })
    }

    /// Reads a list of names and ranges: `m3..m10,r4,f0`.
    pub(crate) fn parse_list(list: &str) -> Result<Vec<Self>, String> {
        let mut registers = Vec::new();
        for item in list.split(',').map(str::trim) {
            let Some((first, last)) = item.split_once("..") else {
                registers.push(Self::parse(item)?);
                continue;
            };
            let (first, last) = (Self::parse(first)?, Self::parse(last)?);
            let whole = first.subregister.is_none() && last.subregister.is_none();
            if first.file != last.file || first.number > last.number || !whole {
                return Err(format!(
                    "`{item}` is no range of registers: write it as m0..m3, lower number first"
                ));
            }
            registers.extend((first.number..=last.number).map(|number| Self { number, ..first }));
        }
        Ok(registers)
    }

    /// Every register of the state.
    pub(crate) fn all() -> Vec<Self> {
        let of = |file| move |number| Self { file, number, subregister: None };
        FILES.iter().flat_map(|file| (0..file.count).map(of(file))).collect()
    }

    /// The name.
    pub(crate) fn name(&self) -> String {
        let Self { file, number, subregister } = self;
        let whole = match file.prefix {
            "ip" => "ip".to_owned(),
            prefix => format!("{prefix}{number}"),
        };
        match subregister {
            Some(subregister) => format!("{whole}.{subregister}"),
            None => whole,
        }
    }

    /// First byte in the state and number of bytes; `element` is the size a subregister number
    /// counts in.
    pub(crate) fn place(&self, element: usize) -> Result<(usize, usize), String> {
        let start = self.file.offset + self.number * self.file.bytes;
        let Some(subregister) = self.subregister else { return Ok((start, self.file.bytes)) };
        let elements = self.file.bytes / element;
        if subregister >= elements {
            return Err(format!("there is no {}: it has {elements} such elements", self.name()));
        }
        Ok((start + subregister * element, element))
    }

    /// The bytes of the state it stands for.
    pub(crate) fn bytes(&self) -> Result<Range<usize>, String> {
        let (start, size) = self.place(self.file.element)?;
        Ok(start..start + size)
    }

    /// Byte of the state after the last register of the same kind.
    pub(crate) fn end_of_file(&self) -> usize {
        self.file.offset + self.file.count * self.file.bytes
    }
}

/// The registers that are not as in a thread's initial state: names and bytes as hex digits.
pub(crate) fn changed(state: &State) -> Vec<(String, String)> {
    let initial = State::new();
    let bytes = |register: &Register, state: &State| {
        let place = register.bytes().expect("whole registers have a place");
        state.image()[place].to_vec()
    };
    Register::all()
        .iter()
        .filter(|register| bytes(register, state) != bytes(register, &initial))
        .map(|register| (register.name(), output::hex(&bytes(register, state))))
        .collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("r0", "r0.0")]
    #[case("m15", "m15.0")]
    #[case("acc1", "acc1[0]")]
    #[case("f0.1", "f0.1")]
    #[case("cr0.2", "cr0.2")]
    #[case("n1", "n1")]
    #[case("ip", "ip")]
    fn names_are_those_of_the_state(#[case] name: &str, #[case] place: &str) {
        let register = Register::parse(name).expect("a register");
        assert_eq!(register.name(), name);
        let (start, _) = register.place(register.file.element).expect("a place");
        assert_eq!(State::place(start), place);
    }

    #[test]
    fn all_registers_are_the_whole_state() {
        let size = |register: &Register| register.place(register.file.element).expect("a place").1;
        let bytes: usize = Register::all().iter().map(size).sum();
        assert_eq!(bytes, size_of::<State>());
    }

    #[test]
    fn lists_have_ranges() {
        let names = |list| -> Result<Vec<String>, String> {
            Ok(Register::parse_list(list)?.iter().map(Register::name).collect())
        };
        assert_eq!(names("m3..m5,r4, f0").expect("a list"), ["m3", "m4", "m5", "r4", "f0"]);
        for bad in ["", "r4,", "r5..r4", "r1..m3", "r1..", "r128", "m16", "f0.1..f0.2", "x3", "r-1"]
        {
            assert!(names(bad).is_err(), "{bad}");
        }
    }
}
