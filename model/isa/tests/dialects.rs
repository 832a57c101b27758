//! Text of other tools against machine code that they made of it.

use parallax_isa::{Device, Syntax, eu::text};
use rstest::rstest;

/// The rows of a table, without its heading.
fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().skip(1).map(|line| line.split('\t').collect())
}

fn code(device: Device, syntax: Syntax, source: &str) -> Result<String, String> {
    let source = source.replace("\\n", "\n");
    let assembly = text::parse_as(device, syntax, &source)
        .map_err(|wrong| wrong.iter().map(|one| one.render("-", &source)).collect::<String>())?;
    Ok(assembly.program.bytes().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[rstest]
#[case(Device::Skl, include_str!("dialects/iga-skl.tsv"))]
#[case(Device::Dg1, include_str!("dialects/iga-dg1.tsv"))]
fn iga_text_is_read_as_iga_reads_it(#[case] device: Device, #[case] table: &'static str) {
    let mut wrong = Vec::new();
    for row in rows(table) {
        let [text, words, _] = row[..] else { panic!("{row:?}") };
        let words = words.replace(' ', "");
        match code(device, Syntax::Iga, text) {
            Ok(code) if code == words => {}
            Err(_) if words.is_empty() => {}
            Ok(code) if words.is_empty() => wrong.push(format!("{text}\n  taken: {code}")),
            Ok(code) => wrong.push(format!("{text}\n  is    {code}\n  not   {words}")),
            Err(error) => wrong.push(format!("{text}\n  {error}")),
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
