//! Constants and variables of a program, and the places in code and data that hold addresses of them.

use std::{collections::BTreeMap, sync::Arc};

use object::{
    Endianness, SymbolIndex, elf,
    read::elf::{Rela as _, SectionHeader as _, SectionTable, Sym as _, SymbolTable},
};

use crate::{
    container::{Data, Relocation, data::RelocationKind, section_data},
    output::brief,
};

/// The sections with constants and variables.
const DATA: [&str; 3] = [".data.const", ".data.const.string", ".data.global"];

type Header = elf::FileHeader64<Endianness>;
type Section = elf::SectionHeader64<Endianness>;

/// What relocations refer to.
pub(super) struct Links<'d> {
    endian: Endianness,
    bytes: &'d [u8],
    /// The first section of each name.
    by_name: BTreeMap<String, &'d Section>,
    symbols: SymbolTable<'d, Header>,
    /// What each section holds.
    contents: Vec<Content>,
}

/// What a section holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// The data of a number.
    Data(usize),
    /// Functions.
    Code,
    Other,
}

/// The places of a section, and the first thing that they need and that is not known here.
#[derive(Default)]
pub(super) struct Places {
    pub(super) relocations: Vec<Relocation>,
    pub(super) unknown: Option<String>,
}

/// An entry of a section of relocations.
struct Entry {
    offset: u64,
    number: u32,
    symbol: usize,
    /// What is added to the value of the symbol, if the entry says it.
    addend: Option<u64>,
}

impl<'d> Links<'d> {
    /// Reads the names of the sections, and the symbols.
    pub(super) fn new(
        endian: Endianness,
        bytes: &'d [u8],
        sections: &SectionTable<'d, Header>,
    ) -> Result<Self, String> {
        let symbols = sections.symbols(endian, bytes, elf::SHT_SYMTAB);
        let symbols = symbols.map_err(|error| format!(".symtab: {error}"))?;
        let mut links = Self {
            endian,
            bytes,
            by_name: BTreeMap::new(),
            symbols,
            contents: vec![Content::Other; sections.len()],
        };
        let mut indices = BTreeMap::new();
        for (index, section) in sections.enumerate() {
            let name = sections.section_name(endian, section).unwrap_or_default();
            let name = String::from_utf8_lossy(name).into_owned();
            if name.starts_with(super::CODE) {
                links.contents[index.0] = Content::Code;
            }
            indices.entry(name.clone()).or_insert(index);
            links.by_name.entry(name).or_insert(section);
        }
        let with_data = DATA.iter().filter_map(|name| indices.get(*name));
        for (number, index) in with_data.enumerate() {
            links.contents[index.0] = Content::Data(number);
        }
        Ok(links)
    }

    /// The section of a name.
    pub(super) fn section(&self, name: &str) -> Option<&'d Section> {
        self.by_name.get(name).copied()
    }

    /// The constants and variables, and the first thing that they need and that is not known here.
    pub(super) fn data(&self) -> Result<(Vec<Data>, Option<String>), String> {
        let mut unknown = None;
        let mut data = Vec::new();
        for name in DATA {
            let Some(section) = self.section(name) else { continue };
            let bytes = section_data(self.endian, self.bytes, section)?;
            let places = self.places(name, bytes, true)?;
            unknown = unknown.or(places.unknown);
            let relocations = places.relocations.into();
            data.push(Data { bytes: Arc::from(bytes), binding: None, relocations });
        }
        Ok((data, unknown))
    }

    /// The places of a section that hold addresses. Where an entry has no addend, data hold it; code does not.
    pub(super) fn places(
        &self,
        name: &str,
        content: &[u8],
        has_addends: bool,
    ) -> Result<Places, String> {
        let mut places = Places::default();
        for of_places in [format!(".rel{name}"), format!(".rela{name}")] {
            let Some(section) = self.section(&of_places) else { continue };
            self.entries(section, |entry| {
                let target = RelocationKind::of(entry.number)
                    .and_then(|kind| self.target(entry.symbol).map(|target| (kind, target)));
                let (kind, (data, value)) = match target {
                    Ok(target) => target,
                    Err(unknown) => {
                        places.unknown.get_or_insert(unknown);
                        return Ok(());
                    }
                };
                let offset = usize::try_from(entry.offset).unwrap_or(usize::MAX);
                let place = Relocation { offset, kind, data, addend: 0 };
                let place = place.checked(content.len(), &brief(name))?;
                let held = || match &content[offset..offset + kind.bytes()] {
                    held if has_addends => {
                        held.iter().rev().fold(0, |held, byte| held << 8 | u64::from(*byte))
                    }
                    _ => 0,
                };
                let addend = value.wrapping_add(entry.addend.unwrap_or_else(held));
                places.relocations.push(Relocation { addend, ..place });
                Ok(())
            })
            .map_err(|error| format!("{}: {error}", brief(&of_places)))?;
        }
        Ok(places)
    }

    /// Takes the entries of a section, of either form.
    fn entries(
        &self,
        section: &Section,
        mut take: impl FnMut(Entry) -> Result<(), String>,
    ) -> Result<(), String> {
        let wrong = |error: object::Error| error.to_string();
        let endian = self.endian;
        if let Some((entries, _)) = section.rel(endian, self.bytes).map_err(wrong)? {
            for entry in entries {
                take(Entry {
                    offset: entry.r_offset.get(endian),
                    number: entry.r_type(endian).0,
                    symbol: entry.r_sym(endian) as usize,
                    addend: None,
                })?;
            }
        }
        if let Some((entries, _)) = section.rela(endian, self.bytes).map_err(wrong)? {
            for entry in entries {
                take(Entry {
                    offset: entry.r_offset.get(endian),
                    number: entry.r_type(endian, false).0,
                    symbol: entry.r_sym(endian, false) as usize,
                    addend: Some(entry.r_addend(endian).cast_unsigned()),
                })?;
            }
        }
        Ok(())
    }

    /// The data that a symbol is in, and its offset in them; or what else it is.
    fn target(&self, number: usize) -> Result<(usize, u64), String> {
        /// Bytes of a name in a message: it may be as long as the file, and each entry may name it.
        const LONGEST: usize = 256;

        let symbol = self.symbols.symbol(SymbolIndex(number));
        let symbol = symbol.map_err(|_| format!("the address of symbol {number}"))?;
        let section = self.symbols.symbol_section(self.endian, symbol, SymbolIndex(number));
        let section = section.ok().flatten();
        let content = section.and_then(|section| self.contents.get(section.0));
        let kind = match content {
            Some(Content::Data(data)) => return Ok((*data, symbol.st_value(self.endian))),
            Some(Content::Code) => "function ",
            _ => "",
        };
        let name = self.symbols.symbol_name(self.endian, symbol).unwrap_or_default();
        let name = String::from_utf8_lossy(&name[..name.len().min(LONGEST)]);
        Err(format!("the address of {kind}{}", brief(&name)))
    }
}
