//! Given changes: pieces of text with what is to stand there instead.

use std::{collections::BTreeMap, ops::Range};

use anyhow::{Context, Result, bail};
use syn::visit::{self, Visit};

/// One piece of a change, which may have several, in several files. Pieces of one number are switched on
/// together.
#[derive(serde::Deserialize)]
pub struct Change {
    pub number: u32,
    pub file: String,
    /// The first place in the file at which this stands; of `this … that`, the first `that` behind it.
    pub text: String,
    pub instead: String,
}

impl Change {
    fn range(&self, file: &str) -> Option<Range<usize>> {
        let (mut start, mut length) = (0, 0);
        for part in self.text.split(" … ") {
            start += length;
            start += file[start..].find(part)?;
            length = part.len();
        }
        Some(start..start + length)
    }
}

/// A function: changes switch whole bodies, so that they may be anything that stands in one, patterns too.
/// What stands in no function, in a macro or a closure of a table, is an expression and switched as one.
struct Function {
    /// From the word `const`, which goes, if there is one.
    constant: Option<Range<usize>>,
    body: Range<usize>,
}

/// A file with changes, each switched on by its number.
pub fn rewritten(text: &str, changes: &[&Change]) -> Result<String> {
    let mut functions = Functions(Vec::new());
    functions.visit_file(&syn::parse_file(text)?);
    // What is replaced, and by what; by the place where it starts.
    let mut places = BTreeMap::new();
    for change in changes {
        let Change { file, text: what, .. } = change;
        let range =
            change.range(text).with_context(|| format!("{file}: {what:?} stands nowhere"))?;
        let holds = |function: &&Function| {
            function.body.start <= range.start && range.end <= function.body.end
        };
        let function = functions.0.iter().find(holds);
        let whole = function.map_or(range.clone(), |function| function.body.clone());
        let place = places.entry(whole.start).or_insert((whole.clone(), function, Vec::new()));
        if place.0 != whole {
            bail!("{file}: {what:?} overlaps another change");
        }
        place.2.push((*change, range));
    }
    let (mut result, mut at) = (String::new(), 0);
    for (whole, function, pieces) in places.into_values() {
        let word = function.and_then(|function| function.constant.clone());
        let word = word.unwrap_or(whole.start..whole.start);
        if whole.start < at {
            bail!("{}: {:?} overlaps another change", pieces[0].0.file, pieces[0].0.text);
        }
        result += &text[at..word.start];
        result += &text[word.end..whole.start];
        result += &switched(text, &whole, pieces)?;
        at = whole.end;
    }
    Ok(result + &text[at..])
}

/// A part of the file with changes inside, of which one at most is on.
fn switched(
    text: &str,
    whole: &Range<usize>,
    mut pieces: Vec<(&Change, Range<usize>)>,
) -> Result<String> {
    pieces.sort_by_key(|(change, range)| (change.number, range.start));
    let mut result = "{ match crate::mutants::on() {\n".to_owned();
    for own in pieces.chunk_by(|(a, _), (b, _)| a.number == b.number) {
        let (mut body, mut from) = (String::new(), whole.start);
        for (change, range) in own {
            if range.start < from {
                bail!("{}: {:?} is changed twice at once", change.file, change.text);
            }
            body += &text[from..range.start];
            body += &change.instead;
            from = range.end;
        }
        body += &text[from..whole.end];
        let number = own[0].0.number;
        result += &format!("/* change {number} */ Some({number}) => {{ {body} }}\n");
    }
    Ok(result + &format!("/* unchanged */ _ => {{ {} }} }} }}", &text[whole.clone()]))
}

/// The outermost functions of a file in their order.
struct Functions(Vec<Function>);

impl Functions {
    fn add(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let constant = signature.constness.map(|word| word.span.byte_range());
        let span = block.brace_token.span;
        let body = span.open().byte_range().start..span.close().byte_range().end;
        self.0.push(Function { constant, body });
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.add(&item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add(&item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        match &item.default {
            Some(block) => self.add(&item.sig, block),
            None => visit::visit_trait_item_fn(self, item),
        }
    }
}
