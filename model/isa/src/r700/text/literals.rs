//! The literals of a group while it is read.

use super::{cursor::Read, dialect::Dialect};

/// Names of the elements.
pub(super) const ELEMENTS: [char; 4] = ['x', 'y', 'z', 'w'];

/// A remark on a place of the text: line, column and message.
pub(super) type Remark = (usize, usize, String);

/// An operand that names a literal.
#[derive(Debug)]
struct Use {
    element: usize,
    bits: u32,
    line: usize,
    column: usize,
}

/// The literal dwords of a group that are known so far.
#[derive(Debug, Default)]
pub(super) struct Literals {
    /// The line that is being read, for remarks.
    pub(super) line: usize,
    /// By element.
    known: [Option<u32>; 4],
    /// Those of `literal` lines, which stand above the order of reading.
    stated: [Option<u32>; 4],
    /// How many were stored in the order of reading.
    stored: usize,
    uses: Vec<Use>,
}

impl Literals {
    /// A literal that is stored where its element says.
    pub(super) fn put(&mut self, element: u32, bits: u32, column: usize) -> Read<()> {
        let known = &mut self.known[element as usize];
        match *known {
            Some(other) if other != bits => {
                let name = ELEMENTS[element as usize];
                let message =
                    format!("element {name} of the group's literals is {other:#x} already");
                Err((column, message))
            }
            _ => {
                *known = Some(bits);
                Ok(())
            }
        }
    }

    /// A literal that is stored behind the others, unless the element it is written with holds it
    /// already. The element it is read from.
    pub(super) fn append(&mut self, bits: u32, element: Option<u32>, column: usize) -> u32 {
        let element = element.map(|element| element as usize);
        if element.is_none_or(|element| self.known[element] != Some(bits)) {
            if let Some(place) = self.known.get_mut(self.stored) {
                *place = Some(bits);
            }
            self.stored += 1;
        }
        let element = element.unwrap_or((self.stored - 1).min(3));
        self.uses.push(Use { element, bits, line: self.line, column });
        element as u32
    }

    /// The dword of a `literal` line.
    pub(super) fn state(&mut self, element: usize, bits: u32, dialect: &Dialect) {
        let dwords = if dialect.ordered_literals { &mut self.stated } else { &mut self.known };
        dwords[element] = Some(bits);
    }

    /// The dwords that stand behind a group whose source fields ask for some pairs of them, and the
    /// operands that read another value than they are written with.
    ///
    /// # Errors
    /// If they are more than four.
    pub(super) fn close(&self, pairs: usize) -> Result<(Vec<u32>, Vec<Remark>), Remark> {
        // `literal` lines overrule the order of reading as a whole.
        let is_stated = self.stated.iter().any(Option::is_some);
        let known = if is_stated { self.stated } else { self.known };
        if !is_stated
            && self.stored > known.len()
            && let Some(last) = self.uses.last()
        {
            return Err((last.line, last.column, "a group has at most four literals".to_owned()));
        }
        let named = known.iter().rposition(Option::is_some).map_or(0, |n| n / 2 + 1);
        let dwords = known.iter().take(2 * pairs.max(named)).map(|bits| bits.unwrap_or(0));
        let dwords: Vec<u32> = dwords.collect();
        let read = |user: &Use| dwords.get(user.element).copied().unwrap_or(0);
        let other = self.uses.iter().filter(|user| read(user) != user.bits);
        let remarks = other.map(|user| {
            let message = format!(
                "this operand reads element {} of the group's literals, which is {:#x}: literals \
                 are stored in the order they are written",
                ELEMENTS[user.element],
                read(user)
            );
            (user.line, user.column, message)
        });
        Ok((dwords.clone(), remarks.collect()))
    }
}
