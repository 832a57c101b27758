use std::collections::HashMap;

use super::*;

/// The table's row of a code: its text, and what it is allowed on.
fn rows() -> Vec<(std::ops::RangeInclusive<u8>, String, String)> {
    let hexadecimal = |text: &str| u8::from_str_radix(&text[2..], 16).expect("hexadecimal");
    let rows: Vec<HashMap<String, String>> = parallax_spec::tables::rows("eu-swsb-gen12");
    let rows = rows.into_iter().map(|row| {
        let code = &row["code"];
        let (first, last) = code.split_once('-').unwrap_or((code, code));
        let codes = hexadecimal(first)..=hexadecimal(last);
        (codes, row["syntax"].clone(), row["allowed_on"].clone())
    });
    rows.collect()
}

#[test]
fn every_row_of_the_table_decodes_and_prints() {
    let rows = rows();
    assert_eq!(rows.len(), 67);
    for (codes, syntax, allowed) in rows {
        for code in codes {
            for opcode in [Opcode::Send, Opcode::Math, Opcode::Add] {
                let out_of_order = opcode != Opcode::Add;
                let exists = match allowed.as_str() {
                    "none" => false,
                    "all instructions" => true,
                    _ => out_of_order,
                };
                let read = Scoreboard::of_code(code, opcode);
                assert_eq!(read.is_some(), exists, "{code:#04x}");
                let Some(read) = read else { continue };
                let suffix = if out_of_order { "" } else { ".dst" };
                let token = format!("${}{suffix}", code & 0xF);
                let printed = match syntax.strip_suffix(" and $t") {
                    _ if syntax == "no dependency" => String::new(),
                    None => syntax.clone(),
                    Some("@0") => token,
                    Some(distance) => format!("{distance}, {token}"),
                };
                assert_eq!(read.to_string(), printed, "{code:#04x}");
                if code >> 4 != 8 {
                    assert_eq!(read.code(opcode), Ok(code));
                }
            }
        }
    }
}

#[test]
fn what_has_no_code_is_refused() {
    let code = |distance, token, opcode| Scoreboard { distance, token: Some(token) }.code(opcode);
    assert_eq!(code(1, Token::Source(2), Opcode::Add), Err(ScoreboardError::SourceBesideDistance));
    assert_eq!(code(0, Token::Set(2), Opcode::Add), Err(ScoreboardError::InOrder));
    assert_eq!(code(1, Token::Destination(2), Opcode::Send), Err(ScoreboardError::OutOfOrder));
    assert_eq!(code(8, Token::Set(2), Opcode::Send), Err(ScoreboardError::Number));
    assert_eq!(code(1, Token::Set(16), Opcode::Math), Err(ScoreboardError::Number));
}
