//! `parallax schema`: the JSON Schema of what other commands print.

mod outputs;
mod page;

use clap::Args;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::Value;

use self::{
    outputs::{OUTPUTS, Output},
    page::page,
};
use crate::{
    failure::{Ending, Failure},
    output::{self, Table},
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
            _ if self.markdown => output::print(page().trim_end()),
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

impl Output {
    /// Its schema, with the definitions of all parts in their places.
    pub(crate) fn schema(&self) -> Value {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let settings = settings.with(|settings| settings.inline_subschemas = true);
        let mut schema = (self.of)(SchemaGenerator::new(settings));
        schema.insert("title".to_owned(), self.title.replace('`', "").into());
        schema.insert("description".to_owned(), self.what.into());
        let mut schema = schema.to_value();
        tidy(&mut schema);
        schema
    }
}

/// Fixes what the types do not say: a key that may be left out is left out rather than null, lines of comments are one
/// sentence, and a variant with a value is described where its key is.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Object(members) => {
            if let Some(Value::String(text)) = members.get_mut("description") {
                *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            }
            let required = members.get("required").cloned().unwrap_or_default();
            let required = required.as_array().map(Vec::as_slice).unwrap_or_default();
            let own = members.get("description").cloned();
            if let Some(Value::Object(properties)) = members.get_mut("properties") {
                let is_variant = properties.len() == 1;
                for (key, property) in properties {
                    if !required.iter().any(|required| required == key) {
                        without_null(property);
                    }
                    if let (Some(property), Some(own), true) =
                        (property.as_object_mut(), &own, is_variant)
                    {
                        property.entry("description").or_insert_with(|| own.clone());
                    }
                }
            }
            members.values_mut().for_each(tidy);
        }
        _ => {}
    }
}

/// Takes null from what a value may be.
fn without_null(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    if let Some(Value::Array(types)) = members.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = &types[..] {
            let one = one.clone();
            members.insert("type".to_owned(), one);
        }
    }
    let Some(Value::Array(all)) = members.get_mut("anyOf") else { return };
    all.retain(|alternative| alternative["type"] != "null");
    if let [Value::Object(one)] = &all[..] {
        let one = one.clone();
        members.remove("anyOf");
        for (key, value) in one {
            members.entry(key).or_insert(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys of a schema without a description.
    fn silent(schema: &Value, path: &str, found: &mut Vec<String>) {
        match schema {
            Value::Array(items) => items.iter().for_each(|item| silent(item, path, found)),
            Value::Object(members) => {
                for (name, member) in members {
                    let Some(properties) = member.as_object().filter(|_| name == "properties")
                    else {
                        silent(member, path, found);
                        continue;
                    };
                    for (key, property) in properties {
                        let path = format!("{path}.{key}");
                        if property.get("description").is_none() {
                            found.push(path.clone());
                        }
                        silent(property, &path, found);
                    }
                }
            }
            _ => {}
        }
    }

    #[test]
    fn every_key_is_described() {
        let mut found = Vec::new();
        for output in OUTPUTS {
            silent(&output.schema(), output.name, &mut found);
        }
        assert!(found.is_empty(), "{found:?}");
        let undescribed = serde_json::json!({ "items": { "properties": { "key": {} } } });
        silent(&undescribed, "list", &mut found);
        assert_eq!(found, ["list.key"]);
    }
}
