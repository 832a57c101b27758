//! What the kernels of a program share: the tokens before the first of them, and the symbols that any of them lists.

use std::collections::BTreeMap;

use super::{
    super::{Data, Kernel, Relocation, cursor::Cursor, data::RelocationKind},
    text, words,
};

/// Tokens of a program.
mod token {
    pub(super) const GLOBALS: u32 = 41;
    pub(super) const CONSTANTS: u32 = 42;
    pub(super) const ADDRESS_IN_GLOBALS: u32 = 47;
    pub(super) const ADDRESS_IN_CONSTANTS: u32 = 48;
}

/// Bytes of the name of a symbol, with the zeros behind it.
const NAME: usize = 1024;

/// Which data of a program, by the numbers of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Memory {
    Globals = 0,
    Constants = 1,
}

/// What the kernels of a program share.
#[derive(Debug, Default)]
pub(super) struct Program {
    data: Vec<Data>,
    /// The numbers of globals and constants among the data.
    numbers: [Option<usize>; 2],
    symbols: BTreeMap<String, Symbol>,
    /// The first thing that is not known here.
    unknown: Option<String>,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy)]
struct Symbol {
    kind: u32,
    offset: u32,
}

/// A place in the code of a kernel that holds the address of a symbol.
#[derive(Debug)]
pub(super) struct Reference {
    kind: u32,
    offset: usize,
    symbol: String,
}

impl Program {
    /// Reads the patch list of a program.
    pub(super) fn read(patches: &[u8]) -> Result<Self, String> {
        let mut program = Self::default();
        let mut pointers = Vec::new();
        let mut tokens = Cursor::new(patches);
        while !tokens.is_at_end() {
            let (number, payload) = super::token(&mut tokens)?;
            match number {
                token::GLOBALS => {
                    let [_kind, index, bytes] = words(number, payload)?;
                    program.take_data(Memory::Globals, index, bytes, &mut tokens)?;
                }
                token::CONSTANTS => {
                    let [index, bytes] = words(number, payload)?;
                    program.take_data(Memory::Constants, index, bytes, &mut tokens)?;
                }
                token::ADDRESS_IN_GLOBALS | token::ADDRESS_IN_CONSTANTS => {
                    let holder = match number {
                        token::ADDRESS_IN_GLOBALS => Memory::Globals,
                        _ => Memory::Constants,
                    };
                    pointers.push((holder, words::<5>(number, payload)?));
                }
                other => {
                    program.unknown.get_or_insert(format!("patch token {other} of the program"));
                }
            }
        }
        program.link_data(&pointers)?;
        Ok(program)
    }

    /// Takes up the bytes behind a token.
    fn take_data(
        &mut self,
        memory: Memory,
        index: usize,
        bytes: usize,
        tokens: &mut Cursor<'_>,
    ) -> Result<(), String> {
        let bytes = tokens.take(bytes, "the data of the program")?;
        if index != 0 || self.number(memory).is_some() {
            return Err("the program has more than one block of constants or variables".to_owned());
        }
        self.numbers[memory as usize] = Some(self.data.len());
        self.data.push(Data { bytes: bytes.into(), ..Data::default() });
        Ok(())
    }

    /// The number of the constants or variables of the program, if it has them.
    pub(super) fn number(&self, memory: Memory) -> Option<usize> {
        self.numbers[memory as usize]
    }

    /// Takes up which bytes of the data hold addresses; their content counts from the start of what they point to.
    fn link_data(&mut self, pointers: &[(Memory, [usize; 5])]) -> Result<(), String> {
        let mut relocations = vec![Vec::new(); self.data.len()];
        for &(holder, [index, low, high, of, index_of]) in pointers {
            let target = self.numbers.get(of).copied().flatten().filter(|_| index_of == 0);
            let holder = self.number(holder).filter(|_| index == 0);
            let (Some(data), Some(holder)) = (target, holder) else {
                self.unknown.get_or_insert("the address of data that are not there".to_owned());
                continue;
            };
            let bytes = &self.data[holder].bytes;
            let offset = if high == 0 { low } else { usize::MAX };
            let place = Relocation { offset, kind: RelocationKind::Address64, data, addend: 0 };
            let place = place.checked(bytes.len(), "the data of the program")?;
            let content = bytes.get(offset..).and_then(<[u8]>::first_chunk);
            let addend = content.map_or(0, |content| u64::from_le_bytes(*content));
            relocations[holder].push(Relocation { addend, ..place });
        }
        for (data, relocations) in self.data.iter_mut().zip(relocations) {
            data.relocations = relocations.into();
        }
        Ok(())
    }

    /// Takes up a list of symbols.
    pub(super) fn take_symbols(&mut self, payload: &[u8]) -> Result<(), String> {
        entries(payload, "symbols", |[kind, offset, _size], name| {
            self.symbols.entry(name).or_insert(Symbol { kind, offset });
        })
    }

    /// The data, not yet in a binding table.
    pub(super) fn data(&self) -> Vec<Data> {
        self.data.clone()
    }

    /// Gives a kernel the places in its code that hold addresses of data.
    pub(super) fn link_kernel(
        &self,
        kernel: &mut Kernel,
        references: &[Reference],
    ) -> Result<(), String> {
        kernel.unknown.extend(self.unknown.clone());
        for reference in references {
            match self.resolve(reference) {
                Ok(relocation) => {
                    let of = format!("the code of kernel {}", kernel.name);
                    kernel.relocations.push(relocation.checked(kernel.code.len(), &of)?);
                }
                Err(unknown) => kernel.unknown.push(unknown),
            }
        }
        Ok(())
    }

    /// The data that a place refers to, or what else it does.
    fn resolve(&self, reference: &Reference) -> Result<Relocation, String> {
        const FUNCTION: u32 = 2;
        const VARIABLE: u32 = 3;
        const CONSTANT: u32 = 4;
        let &Reference { kind, offset, ref symbol } = reference;
        let kind = RelocationKind::of(kind)?;
        let target = self.symbols.get(symbol);
        let number = match target.map(|target| target.kind) {
            Some(FUNCTION) => return Err(format!("the address of function {symbol}")),
            Some(VARIABLE) => self.number(Memory::Globals),
            Some(CONSTANT) => self.number(Memory::Constants),
            _ => None,
        };
        let (Some(data), Some(target)) = (number, target) else {
            return Err(format!("the address of {symbol}"));
        };
        Ok(Relocation { offset, kind, data, addend: target.offset.into() })
    }
}

/// Reads the places in the code of a kernel that hold addresses of symbols.
pub(super) fn references(payload: &[u8]) -> Result<Vec<Reference>, String> {
    let mut references = Vec::new();
    entries(payload, "relocations", |[kind, offset], symbol| {
        references.push(Reference { kind, offset: offset as usize, symbol });
    })?;
    Ok(references)
}

/// Reads a list of so many words and a name each.
fn entries<const N: usize>(
    payload: &[u8],
    what: &str,
    mut take: impl FnMut([u32; N], String),
) -> Result<(), String> {
    let mut cursor = Cursor::new(payload);
    let [number] = cursor.words(what)?;
    for _ in 0..number {
        let values = cursor.words(what)?;
        take(values, text(cursor.take(NAME, what)?));
    }
    Ok(())
}
