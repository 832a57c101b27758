//! Rules that are tables: each of their rows counts by itself, so that one wrong row cannot hide
//! behind the others.

use crate::rules::{ALU_TABLES, COUNT as RULES, RuleId};

/// The rules that are tables, and how many rows each has.
const TABLES: [(&str, u16); 35] = [
    // Entries of the tables of control, data type, subregister, source 0 and source 1.
    ("g45.compact.tables", 5 * 32),
    // By index; tc0 of strength 1, then of 2 and 3.
    ("g45.dataport.avc.alpha", 52),
    ("g45.dataport.avc.beta", 52),
    ("g45.dataport.avc.tc0", 3 * 52),
    // Codes of fields, in the order of the tables they are read from.
    ("g45.dw0.accessmode", 2),
    ("g45.dw0.execsize.codes", 6),
    ("g45.dw0.predctrl.align1", 12),
    ("g45.dw0.predctrl.align16", 8),
    ("g45.dw1.src1regfile", 4),
    ("g45.dw1.srctype.imm-codes", 7),
    ("g45.dw1.srctype.register-codes", 7),
    ("g45.dw2.align16.region", 2),
    ("g45.field.condmod.codes", 10),
    ("g45.field.horzstride.codes", 4),
    ("g45.field.srcmod.codes", 4),
    ("g45.field.vertstride.codes", 8),
    ("g45.field.width.codes", 5),
    // Opcodes that moved, immediates of 32 and 64 bits, types of compact immediates (but for HF, UV and VF,
    // of which the compaction tables have no entry), accumulators, types that are compared, mode bits of single and half
    // precision and of control flow, types of register operands: each in the order of the rule's text.
    ("gen12.isa.enc.opcodes", 21),
    ("gen12.isa.enc.imm", 2),
    ("gen12.isa.enc.compact-imm", 6),
    ("gen12.isa.op.acc", 8),
    ("gen12.isa.op.cmp-types", 4),
    ("gen12.isa.cr.bits", 6),
    ("dg1.regtype.coerce", 8),
    // Formats with a layout, in order of their codes.
    ("r700.fmt.codes", 46),
    // Kinds of programs, and of each scratch, reduction and scatter reads.
    ("r700.memr.program-types", 6 * 3),
    // Results by the classes of the operands, in the order of the tables' rows.
    ("r700.aluinst.add-64.table", 81),
    ("r700.aluinst.flt32-to-flt64.table", 11),
    ("r700.aluinst.flt64-to-flt32.table", 12),
    ("r700.aluinst.fract-64.table", 11),
    ("r700.aluinst.frexp-64.table", 9),
    ("r700.aluinst.mul-64.table", 121),
    ("r700.aluinst.pred-sete-64.table", 81),
    ("r700.aluinst.pred-setge-64.table", 81),
    ("r700.aluinst.pred-setgt-64.table", 81),
];

/// How many tables there are.
const NUMBER: usize = TABLES.len() + ALU_TABLES.len();

/// A rule that is a table, and how many rows it has.
const fn table(number: usize) -> (&'static str, u16) {
    if number < TABLES.len() { TABLES[number] } else { ALU_TABLES[number - TABLES.len()] }
}

/// Rows of all tables.
pub(crate) const COUNT: usize = {
    let (mut count, mut n) = (0, 0);
    while n < NUMBER {
        count += table(n).1 as usize;
        n += 1;
    }
    count
};

/// A rule that is a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    first: u16,
    rows: u16,
}

/// A row of a rule that is a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    place: u16,
    number: u16,
}

/// The rules that are tables, with the places of their rows behind those of the rules.
const PLACED: [(RuleId, Table); NUMBER] = {
    let none = (RuleId::named(TABLES[0].0), Table { first: 0, rows: 0 });
    let (mut placed, mut first, mut n) = ([none; NUMBER], RULES as u16, 0);
    while n < NUMBER {
        let (id, rows) = table(n);
        placed[n] = (RuleId::named(id), Table { first, rows });
        first += rows;
        n += 1;
    }
    placed
};

/// The rows of all tables in the order of their places, each with its rule.
pub(crate) fn all() -> impl Iterator<Item = (RuleId, Row)> {
    PLACED.iter().flat_map(|(rule, table)| table.rows().map(|row| (*rule, row)))
}

/// The rule of the table that a row's place belongs to.
pub(crate) fn rule_of(place: u16) -> RuleId {
    let mut owners =
        PLACED.iter().filter(|(_, table)| (table.first..table.first + table.rows).contains(&place));
    owners.next().expect("the place of a row").0
}

impl Table {
    /// The table that a rule is, if it is one.
    #[must_use]
    pub const fn of(rule: RuleId) -> Option<Self> {
        let mut n = 0;
        while n < NUMBER {
            let (owner, table) = PLACED[n];
            if owner.index() == rule.index() {
                return Some(table);
            }
            n += 1;
        }
        None
    }

    /// A row.
    ///
    /// # Panics
    /// If there are fewer.
    #[must_use]
    pub const fn row(self, number: usize) -> Row {
        assert!(number < self.rows as usize, "the rule has fewer rows");
        Row { place: self.first + number as u16, number: number as u16 }
    }

    /// A row, if there are so many.
    #[must_use]
    pub const fn get(self, number: usize) -> Option<Row> {
        if number < self.rows as usize { Some(self.row(number)) } else { None }
    }

    /// Every row.
    pub fn rows(self) -> impl Iterator<Item = Row> {
        (0..self.rows).map(move |number| Row { place: self.first + number, number })
    }
}

impl Row {
    pub(crate) const fn place(self) -> u16 {
        self.place
    }

    /// Its number in the table, from 0.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.number
    }
}
