//! `parallax schema`: the JSON Schema of what other commands print.

use clap::Args;

use crate::{
    failure::{Ending, Failure},
    output::{self, Table},
    schema::{self, OUTPUTS},
    suggestion,
};

/// Print the JSON Schema of what a command prints with --json
///
/// Without a name, lists the outputs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax schema
  parallax schema report > report.schema.json")]
pub(crate) struct Arguments {
    /// The output, such as report or exec
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print the page of the book about JSON instead
    #[arg(long, hide = true, conflicts_with = "name")]
    markdown: bool,
}

impl Arguments {
    pub(crate) fn execute(&self) -> Result<Ending, Failure> {
        match &self.name {
            _ if self.markdown => output::print(schema::page().trim_end()),
            None => {
                let mut table = Table::new(&["name", "printed by"]);
                for output in OUTPUTS {
                    table.row([output.name.to_owned(), output.title.replace('`', "")]);
                }
                output::print(table);
            }
            Some(name) => {
                let output = OUTPUTS.iter().find(|output| output.name == name);
                let output = output.ok_or_else(|| {
                    let names: Vec<_> = OUTPUTS.iter().map(|output| output.name).collect();
                    Failure::input(suggestion::there_is_no("schema", name, &names))
                })?;
                output::print_json(&output.schema());
            }
        }
        Ok(Ending::Success)
    }
}
