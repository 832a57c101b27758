//! `parallax topology`: what vertices of a primitive topology come to.

use clap::Args;
use parallax_isa::{
    enums::{Assembly, Primitive, Shape},
    nearest,
};
use parallax_reference::enums::assemble;
use parallax_spec::{RuleId, tables};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    failure::{Ending, Failure},
    output,
};

/// Most vertices: more than anybody reads.
const MOST: u32 = 65_536;

/// Show the primitives that vertices of a topology come to (DG1)
///
/// Vertices are numbered in the order in which they are sent. What is left over at the end comes to nothing.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  parallax topology tristrip 5
  parallax topology 3DPRIM_LINELIST_ADJ 8 --json
  parallax topology 0x22 9                         patches of three control points")]
pub(crate) struct Arguments {
    /// Name, with or without 3DPRIM_, or code
    #[arg(value_name = "TOPOLOGY")]
    topology: String,
    /// How many vertices are sent
    #[arg(allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(..=i64::from(MOST)))]
    vertices: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A row of the document's enumerations.
#[derive(Debug, Deserialize)]
struct Row {
    #[serde(rename = "enum")]
    of: String,
    value: String,
    name: String,
}

/// A primitive in the JSON interface.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Entry<'a> {
    /// `point`, `line`, `triangle`, `quad`, `rectangle` or `patch`.
    shape: &'static str,
    /// Number of the object.
    object: u32,
    /// Numbers of its vertices.
    vertices: &'a [u32],
    /// Numbers of adjacent vertices.
    adjacent: &'a [u32],
}

impl<'a> Entry<'a> {
    fn of(primitive: &'a Primitive) -> Self {
        let Primitive { shape, vertices, adjacent, object } = primitive;
        let shape = match shape {
            Shape::Point => "point",
            Shape::Line => "line",
            Shape::Triangle => "triangle",
            Shape::Quad => "quad",
            Shape::Rectangle => "rectangle",
            Shape::Patch => "patch",
        };
        Self { shape, object: *object, vertices, adjacent }
    }

    fn line(&self) -> String {
        let list =
            |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        let beside = if self.adjacent.is_empty() {
            String::new()
        } else {
            format!("  beside {}", list(self.adjacent))
        };
        format!("{:>5}  {:9}  {}{beside}", self.object, self.shape, list(self.vertices))
    }
}

impl Arguments {
    pub(crate) fn execute(self) -> Result<Ending, Failure> {
        let (code, name) = self.named()?;
        let Assembly { primitives, .. } = assembled(code, self.vertices)?;
        if primitives.is_empty() {
            return Err(too_few(code, &name, self.vertices));
        }
        let entries: Vec<_> = primitives.iter().map(Entry::of).collect();
        if self.json {
            output::print_json(&entries);
        } else {
            output::print(entries.iter().map(Entry::line).collect::<Vec<_>>().join("\n"));
        }
        Ok(Ending::Success)
    }

    /// The code and the name of the topology.
    fn named(&self) -> Result<(u8, String), Failure> {
        let rows = tables::rows::<Row>("dg1-enums").into_iter();
        let known: Vec<_> = rows
            .filter(|row| row.of == "3D_Prim_Topo_Type" && row.name != "Reserved")
            .filter_map(|row| Some((number(&row.value)?, row.name)))
            .collect();
        let wanted = self.topology.to_uppercase();
        let is_named = |name: &str| name == wanted || name.strip_prefix("3DPRIM_") == Some(&wanted);
        if let Some(found) = known.iter().find(|(_, name)| is_named(name)) {
            return Ok(found.clone());
        }
        if let Some(code) = number(&self.topology) {
            let name = known.into_iter().find_map(|(known, name)| (known == code).then_some(name));
            return Ok((code, name.unwrap_or_default()));
        }
        let short = known.iter().filter_map(|(_, name)| name.strip_prefix("3DPRIM_"));
        let near = nearest(&wanted, short);
        Err(Failure::Input(format!(
            "no topology is called `{}`{}; expected a name like TRISTRIP or a code from 0x01 to 0x3f",
            output::brief(&self.topology),
            near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"))
        )))
    }
}

/// A code: `0x05`, `05h` or `5`.
fn number(text: &str) -> Option<u8> {
    let lower = text.to_lowercase();
    match lower.strip_prefix("0x").or_else(|| lower.strip_suffix('h')) {
        Some(digits) => u8::from_str_radix(digits, 16).ok(),
        None => lower.parse().ok(),
    }
}

fn assembled(code: u8, vertices: u32) -> Result<Assembly, Failure> {
    assemble(code, vertices).map_err(|reserved| {
        let ids =
            [format!("dg1.topology.reserved-{code:02x}"), "dg1.topology.reserved-1b-1f".into()];
        let in_range = (0x1B..=0x1F).contains(&code);
        let id = RuleId::find(&ids[usize::from(in_range)]);
        let rule = id.map_or_else(String::new, |id| format!(" [{id}]"));
        Failure::Input(format!("{reserved}; `parallax rules --doc dg1 topology` lists them{rule}"))
    })
}

fn too_few(code: u8, name: &str, vertices: u32) -> Failure {
    let makes_one =
        |count: &u32| assemble(code, *count).is_ok_and(|made| !made.primitives.is_empty());
    let least = (vertices..=MOST).find(makes_one).unwrap_or(MOST);
    let topology = name.trim_start_matches("3DPRIM_").to_lowercase().replace('_', "-");
    let vertices = match vertices {
        1 => "1 vertex is".to_owned(),
        vertices => format!("{vertices} vertices are"),
    };
    Failure::Input(format!(
        "{vertices} too few for {name}: its first primitive takes {least} \
         [dg1.topology.{topology}]"
    ))
}
