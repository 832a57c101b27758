//! Tables of instructions, one row an opcode.

/// The rows of a table, by the number of the operation that each says; checked at compile time.
macro_rules! by_opcode {
    ($rows:ident: $Row:ty) => {{
        let mut by_opcode: [Option<&'static $Row>; Opcode::ALL.len()] = [None; Opcode::ALL.len()];
        let mut n = 0;
        while n < $rows.len() {
            let place = &mut by_opcode[$rows[n].opcode as usize];
            assert!(place.is_none(), "an operation stands in two rows");
            *place = Some(&$rows[n]);
            n += 1;
        }
        by_opcode
    }};
}
