//! What pragmas set: symbols, replacements and defaults (section 15.1).

use std::collections::{BTreeMap, BTreeSet};

use super::{
    cursor::{Cursor, Failure},
    lexer::{Kind, Token},
    region, words,
};
use crate::{
    eu::{codes, operand::Region, register::RegisterFile, types::DataType},
    nearest,
};

/// A register or region with a name, from `.declare`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Symbol {
    pub(super) file: RegisterFile,
    pub(super) register: u8,
    /// In elements.
    pub(super) subregister: u32,
    /// Bytes.
    pub(super) element_size: u32,
    pub(super) source_region: Option<Region>,
    pub(super) destination_stride: Option<u8>,
    pub(super) data_type: Option<DataType>,
}

/// Everything pragmas have set so far.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) symbols: BTreeMap<String, Symbol>,
    /// Symbols whose declaration is wrong: what follows from that is not reported again.
    pub(super) refused: BTreeSet<String>,
    defines: BTreeMap<String, Vec<Token>>,
    execution_size: Option<u8>,
    execution_size_by_type: BTreeMap<DataType, u8>,
    register_type: Option<DataType>,
    register_type_by_file: BTreeMap<RegisterFile, DataType>,
    source_region: Option<Region>,
    source_region_by_type: BTreeMap<DataType, Region>,
    destination_stride: Option<u8>,
    destination_stride_by_type: BTreeMap<DataType, u8>,
}

/// Deepest nesting of replacements, and most tokens a statement can grow to.
const REPLACEMENT_DEPTH: usize = 16;
const REPLACEMENT_TOKENS: usize = 4096;

impl Settings {
    /// Execution size of an instruction without one, by destination type.
    pub(super) fn execution_size(&self, destination: DataType) -> u8 {
        let own = if destination.size() < 4 { 16 } else { 8 };
        let by_type = self.execution_size_by_type.get(&destination).copied();
        by_type.or(self.execution_size).unwrap_or(own)
    }

    pub(super) fn register_type(&self, file: RegisterFile) -> Option<DataType> {
        self.register_type_by_file.get(&file).copied().or(self.register_type)
    }

    pub(super) fn source_region(&self, data_type: DataType) -> Option<Region> {
        self.source_region_by_type.get(&data_type).copied().or(self.source_region)
    }

    pub(super) fn destination_stride(&self, data_type: DataType) -> Option<u8> {
        self.destination_stride_by_type.get(&data_type).copied().or(self.destination_stride)
    }

    /// A statement with every `.define`d word replaced.
    pub(super) fn replaced(&self, tokens: Vec<Token>) -> Result<Vec<Token>, Failure> {
        if self.defines.is_empty() {
            return Ok(tokens);
        }
        let mut tokens = tokens;
        for _ in 0..REPLACEMENT_DEPTH {
            let known =
                |token: &Token| token.kind == Kind::Word && self.defines.contains_key(&token.text);
            if !tokens.iter().any(known) {
                return Ok(tokens);
            }
            let mut replaced = Vec::new();
            for token in tokens {
                match self.defines.get(&token.text) {
                    Some(text) if token.kind == Kind::Word => {
                        let moved = |t: &Token| Token { place: token.place, ..t.clone() };
                        replaced.extend(text.iter().map(moved));
                    }
                    _ => replaced.push(token),
                }
            }
            if let Some(last) = replaced.get(REPLACEMENT_TOKENS) {
                let message = "the `.define`s make this statement too long";
                return Err(Box::new(last.place.diagnostic(message)));
            }
            tokens = replaced;
        }
        let place = tokens.first().map(|token| token.place);
        match place {
            Some(place) => {
                Err(Box::new(place.diagnostic("the `.define`s refer to one another without end")))
            }
            None => Ok(tokens),
        }
    }

    /// Carries out a default, `.declare` or `.define` pragma; `name` is its word without the point.
    /// Returns whether there is such a pragma.
    pub(super) fn pragma(&mut self, name: &str, cursor: &mut Cursor) -> Result<bool, Failure> {
        let lower = name.to_ascii_lowercase();
        match lower.as_str() {
            "declare" => self.declare(cursor)?,
            "define" => self.define(cursor)?,
            _ => return self.default_pragma(&lower, cursor),
        }
        Ok(true)
    }

    fn default_pragma(&mut self, name: &str, cursor: &mut Cursor) -> Result<bool, Failure> {
        const FORMS: [&str; 4] = [
            "default_execution_size",
            "default_register_type",
            "default_source_register_region",
            "default_destination_register_region",
        ];
        let Some(form) = FORMS.into_iter().find(|form| name.starts_with(form)) else {
            return Ok(false);
        };
        let suffix = name[form.len()..].strip_prefix('_');
        if suffix.is_none() && name.len() > form.len() {
            return Ok(false);
        }
        let generation = cursor.target.generation;
        let by_type = |suffix: &str| codes::type_of_suffix(generation, suffix);
        let place = cursor.place();
        let refused =
            |what: &str| Box::new(place.diagnostic(format!("`.{name}` does not end in a {what}")));
        match form {
            "default_execution_size" => {
                let size = words::execution_size(cursor)?.0;
                match suffix {
                    None => self.execution_size = Some(size),
                    Some(suffix) => {
                        let data_type =
                            by_type(suffix).ok_or_else(|| refused("type such as `_f`"))?;
                        self.execution_size_by_type.insert(data_type, size);
                    }
                }
            }
            "default_register_type" => {
                cursor.accept(":");
                let data_type = words::type_word(cursor)?;
                match suffix {
                    None => self.register_type = Some(data_type),
                    Some(suffix) => {
                        let file = match suffix {
                            "r" | "grf" => RegisterFile::Grf,
                            "m" | "mrf" => RegisterFile::Mrf,
                            "arf" => RegisterFile::Arf,
                            _ => return Err(refused("register file: `_r`, `_m` or `_arf`")),
                        };
                        self.register_type_by_file.insert(file, data_type);
                    }
                }
            }
            "default_source_register_region" => {
                let region = region::source_region_align1(cursor)?;
                match suffix {
                    None => self.source_region = Some(region),
                    Some(suffix) => {
                        let data_type =
                            by_type(suffix).ok_or_else(|| refused("type such as `_f`"))?;
                        self.source_region_by_type.insert(data_type, region);
                    }
                }
            }
            _ => {
                let stride = region::destination_stride(cursor)?;
                match suffix {
                    None => self.destination_stride = Some(stride),
                    Some(suffix) => {
                        let data_type =
                            by_type(suffix).ok_or_else(|| refused("type such as `_f`"))?;
                        self.destination_stride_by_type.insert(data_type, stride);
                    }
                }
            }
        }
        Ok(true)
    }

    /// `.define symbol replacement`.
    fn define(&mut self, cursor: &mut Cursor) -> Result<(), Failure> {
        let name = cursor.word("the symbol to define")?.text.clone();
        let mut replacement = Vec::new();
        while let Some(token) = cursor.next() {
            replacement.push(token.clone());
        }
        self.defines.insert(name, replacement);
        Ok(())
    }

    /// `.declare symbol Base=r5.0 ElementSize=4 SrcRegion=<0;8,1> DstRegion=<1> Type=f`.
    fn declare(&mut self, cursor: &mut Cursor) -> Result<(), Failure> {
        let start = cursor.place();
        let word = cursor.word("the symbol to declare")?;
        let name = word.text.clone();
        if self.symbols.contains_key(&name) || !self.refused.insert(name.clone()) {
            let wrong = word.place.diagnostic(format!("`{name}` was declared before"));
            return Err(Box::new(wrong.with_help("declare it once, or choose another name")));
        }
        let (mut base, mut element_size) = (None, None);
        let mut symbol = Symbol {
            file: RegisterFile::Grf,
            register: 0,
            subregister: 0,
            element_size: 1,
            source_region: None,
            destination_stride: None,
            data_type: None,
        };
        while !cursor.is_done() {
            let key = cursor.word("`Base`, `ElementSize`, `SrcRegion`, `DstRegion` or `Type`")?;
            cursor.expect("=", "after the name of a parameter")?;
            match key.text.to_ascii_lowercase().as_str() {
                "base" => base = Some(declared_base(self, cursor)?),
                "elementsize" => {
                    let place = cursor.place();
                    let size = cursor.integer("the element size in bytes", words::ANY)?;
                    if ![1, 2, 4].contains(&size) {
                        let message =
                            format!("the element size is {size} bytes, but can be 1, 2 or 4");
                        return Err(Box::new(place.diagnostic(message)));
                    }
                    element_size = Some(size as u32);
                }
                "srcregion" | "region" => {
                    symbol.source_region = Some(region::source_region_align1(cursor)?);
                }
                "dstregion" => {
                    symbol.destination_stride = Some(region::destination_stride(cursor)?);
                }
                "type" => {
                    cursor.accept(":");
                    symbol.data_type = Some(words::type_word(cursor)?);
                }
                other => {
                    let mut wrong = Box::new(
                        key.place.diagnostic(format!("`.declare` has no parameter `{}`", key.text)),
                    );
                    let known = ["Base", "ElementSize", "SrcRegion", "DstRegion", "Type"];
                    wrong.help = Some(match nearest(other, known) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("its parameters are {}", known.join(", ")),
                    });
                    return Err(wrong);
                }
            }
        }
        let place = cursor.since(start);
        let missing = |what: &str| {
            let wrong = place.diagnostic(format!("`.declare` needs `{what}`"));
            Box::new(wrong.with_help("as in `.declare Rows Base=r5 ElementSize=4 Type=f`"))
        };
        (symbol.file, symbol.register, symbol.subregister) =
            base.ok_or_else(|| missing("Base=register"))?;
        symbol.element_size = element_size.ok_or_else(|| missing("ElementSize=bytes"))?;
        self.refused.remove(&name);
        self.symbols.insert(name, symbol);
        Ok(())
    }
}

/// The base of a declaration: a general or message register, never another symbol.
fn declared_base(
    settings: &Settings,
    cursor: &mut Cursor,
) -> Result<(RegisterFile, u8, u32), Failure> {
    let word = cursor.word("a register such as `r5`")?;
    let Some((file, number)) = words::numbered_register(word)? else {
        let message = if settings.symbols.contains_key(&word.text) {
            format!("`{}` is a symbol: declarations do not refer to one another", word.text)
        } else {
            format!("`{}` is no general or message register", word.text)
        };
        return Err(Box::new(word.place.diagnostic(message)));
    };
    let subregister =
        if cursor.accept(".") { cursor.integer("the subregister", 0..=31)? } else { 0 };
    Ok((file, number, subregister as u32))
}
