//! Registers by their names.

use std::ops::Range;

use super::Bank;
use crate::Device;

/// One register of a bank, or one element of it.
#[derive(Debug, Clone, Copy)]
pub struct Register {
    /// What it is one of.
    pub bank: &'static Bank,
    /// Which.
    pub number: usize,
    /// Which element, if only one is meant.
    pub element: Option<usize>,
    /// How many bytes of it the device has.
    pub bytes: usize,
}

/// A name that no register has, or more than there is: a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnknownRegister(String);

impl Register {
    /// Reads a name, without regard to case: `r4`, `f0.1`, `ip`.
    ///
    /// # Errors
    /// If the device has no such register; the error says which it has.
    pub fn parse(
        banks: &'static [Bank],
        device: Device,
        name: &str,
    ) -> Result<Self, UnknownRegister> {
        let in_device = || banks.iter().filter(|bank| bank.is_on(device));
        let unknown = || {
            let there_are: Vec<_> = in_device().map(|bank| names(bank, device)).collect();
            let there_are = there_are.join(", ");
            let whole = |name: &str| Self::parse(banks, device, name).is_ok();
            UnknownRegister(match suggestion(name, whole) {
                Some(suggestion) => format!("`{name}` is no register of {device}; {suggestion}"),
                None => format!(
                    "`{name}` is no register of {device}; there are {there_are}, and their \
                     elements, as in {}.1",
                    in_device().next().map(|bank| bank.register(0)).unwrap_or_default()
                ),
            })
        };
        let (whole, element) = match name.split_once('.') {
            Some((whole, element)) => {
                (whole, Some(element.parse::<usize>().map_err(|_| unknown())?))
            }
            None => (name, None),
        };
        let digits = whole.find(|c: char| c.is_ascii_digit()).unwrap_or(whole.len());
        let (prefix, number) = whole.split_at(digits);
        let named = |bank: &&Bank, name: &str| bank.name.eq_ignore_ascii_case(name);
        let single = in_device().find(|bank| !bank.is_numbered && named(bank, whole));
        let bank = single.or_else(|| in_device().find(|bank| named(bank, prefix)));
        let bank = bank.ok_or_else(unknown)?;
        let [count, bytes] = bank.size_on(device);
        let number = match number {
            _ if single.is_some() => 0,
            _ if !bank.is_numbered => return Err(unknown()),
            _ => number.parse().map_err(|_| unknown())?,
        };
        if number >= count {
            let last = bank.register(count - 1);
            return Err(UnknownRegister(format!(
                "there is no {}; the last one is {last}",
                bank.register(number)
            )));
        }
        Ok(Self { bank, number, element, bytes })
    }

    /// Reads a list of names and ranges: `m3..m10,r4,f0`.
    ///
    /// # Errors
    /// If the device has no such register, or a range is none.
    pub fn parse_list(
        banks: &'static [Bank],
        device: Device,
        list: &str,
    ) -> Result<Vec<Self>, UnknownRegister> {
        let mut registers = Vec::new();
        for item in list.split(',').map(str::trim) {
            let Some((first, last)) = item.split_once("..") else {
                registers.push(Self::parse(banks, device, item)?);
                continue;
            };
            let [first, last] = [first, last].map(|name| Self::parse(banks, device, name));
            let (first, last) = (first?, last?);
            let whole = first.element.is_none() && last.element.is_none();
            if first.bank.offset != last.bank.offset || first.number > last.number || !whole {
                let example = first.bank.register(0);
                let end = first.bank.register(first.bank.size_on(device)[0].min(4) - 1);
                return Err(UnknownRegister(format!(
                    "`{item}` is no range of registers: write it as {example}..{end}, lower number \
                     first"
                )));
            }
            registers.extend((first.number..=last.number).map(|number| Self { number, ..first }));
        }
        Ok(registers)
    }

    /// Every register of a device's state.
    pub fn all(banks: &'static [Bank], device: Device) -> impl Iterator<Item = Self> {
        let banks = banks.iter().filter(move |bank| bank.is_on(device));
        banks.flat_map(move |bank| {
            let [count, bytes] = bank.size_on(device);
            (0..count).map(move |number| Self { bank, number, element: None, bytes })
        })
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> String {
        let whole = self.bank.register(self.number);
        match self.element {
            Some(element) => format!("{whole}.{element}"),
            None => whole,
        }
    }

    /// Its bytes in the image, where an element has `element` bytes.
    ///
    /// # Errors
    /// If the register has no such element.
    pub fn place(&self, element: usize) -> Result<Range<usize>, UnknownRegister> {
        let start = self.bank.offset + self.number * self.bank.bytes;
        let Some(number) = self.element else { return Ok(start..start + self.bytes) };
        let elements = self.bytes / element;
        if number >= elements {
            let name = self.name();
            return Err(UnknownRegister(format!(
                "there is no {name}: it has {elements} such elements"
            )));
        }
        Ok(start + number * element..start + (number + 1) * element)
    }

    /// Its bytes in the image.
    ///
    /// # Errors
    /// If the register has no such element.
    pub fn bytes(&self) -> Result<Range<usize>, UnknownRegister> {
        self.place(self.bank.element)
    }
}

/// A suggestion for a name that no register has; `exists` decides which names there are.
fn suggestion(name: &str, exists: impl Fn(&str) -> bool) -> Option<String> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((register, suffix)) = name.split_once(':')
        && exists(register)
    {
        return Some(format!("write `{register}`, without the type `:{suffix}`"));
    }
    if let Some((register, letters)) = name.split_once('.')
        && letters.bytes().all(|letter| b"xyzwXYZW".contains(&letter))
        && exists(register)
    {
        return Some(format!("write `{register}`, without elements"));
    }
    if let Some((first, last)) = name.split_once('-')
        && exists(first)
        && (exists(last) || digits(last))
    {
        let letters = first.trim_end_matches(|c: char| c.is_ascii_digit());
        let last = if digits(last) { format!("{letters}{last}") } else { last.to_owned() };
        return Some(format!("a range is written `{first}..{last}`"));
    }
    let number = name.strip_prefix(['g', 'G']).filter(|number| digits(number))?;
    let general = format!("r{number}");
    exists(&general).then(|| format!("general registers are written with an r: `{general}`"))
}

/// The names of a bank's registers: `r0..r127`.
fn names(bank: &Bank, device: Device) -> String {
    match bank.size_on(device)[0] {
        1 => bank.register(0),
        2 => format!("{}, {}", bank.register(0), bank.register(1)),
        count => format!("{}..{}", bank.register(0), bank.register(count - 1)),
    }
}
