//! What an engine declares that it has of an instruction, held against one.

use parallax_engine::{Capability, Hello, Instructions};
use parallax_isa::{
    Device,
    eu::{
        DataType, Instruction, Program,
        instruction::{AccessMode, ConditionalModifier, PredicateControl},
        operand::{Region, Source, VerticalStride},
        text,
    },
};

/// Sets of types by their names.
const SETS: [(&str, &[DataType]); 7] = {
    use DataType::*;
    [
        ("byte", &[Ub, B]),
        ("word", &[Uw, W]),
        ("dword", &[Ud, D]),
        ("quad", &[Uq, Q]),
        ("int", &[Ub, B, Uw, W, Ud, D, Uq, Q, V, Uv]),
        ("float", &[F, Hf, Df, Vf]),
        ("any", &DataType::ALL),
    ]
};

/// Sets of regions of sources by their names.
const REGIONS: [&str; 3] = ["scalar", "packed", "immediate"];

/// Conditional modifiers by their names.
const CONDITIONS: [(&str, ConditionalModifier); 8] = {
    use ConditionalModifier::*;
    [
        ("e", Equal),
        ("ne", NotEqual),
        ("g", Greater),
        ("ge", GreaterEqual),
        ("l", Less),
        ("le", LessEqual),
        ("o", Overflow),
        ("u", Unordered),
    ]
};

/// Whether a name of a type or of a set of types stands for a type.
fn stands_for(name: &str, data_type: DataType) -> bool {
    let set = SETS.iter().find(|(set, _)| *set == name);
    set.map_or(name == data_type.suffix(), |(_, types)| types.contains(&data_type))
}

fn any_stands_for(names: &[String], data_type: DataType) -> bool {
    names.iter().any(|name| stands_for(name, data_type))
}

/// Whether a combination of types has names for some types, one each.
fn combines(names: &[String], types: &[DataType]) -> bool {
    names.len() == types.len()
        && names.iter().zip(types).all(|(name, data_type)| stands_for(name, *data_type))
}

/// The region of a source, as assembly has it.
fn region_text(device: Device, source: &Source) -> String {
    let text = text::print_source(device, source);
    let region = text.find('<').zip(text.rfind('>'));
    region.map_or_else(String::new, |(from, to)| text[from..=to].to_owned())
}

/// Whether a source has a region, by its text or a name.
fn has_region(device: Device, channels: u8, source: &Source, name: &str) -> bool {
    let Source::Register { region, .. } = source else { return name == "immediate" };
    match (name, *region) {
        ("scalar", region) => region == Region::SCALAR,
        (
            "packed",
            Region::Align1 { vertical: VerticalStride::Elements(rows), width, horizontal },
        ) => {
            let is_row = horizontal == 1 || width == 1;
            is_row && (rows == width || width >= channels)
        }
        _ => region_text(device, source) == name,
    }
}

/// What an instruction takes that an engine does not have of it; `types` are those of its operands.
pub(super) fn beyond(
    device: Device,
    instruction: &Instruction,
    types: &[DataType],
    capability: &Capability,
) -> Option<String> {
    let Instruction { opcode, execution_size, condition, .. } = *instruction;
    let lacks = |what: String| Some(format!("`{opcode}` with {what}", opcode = opcode.mnemonic()));
    let suffixes =
        |types: &[DataType]| types.iter().map(|of| of.suffix()).collect::<Vec<_>>().join(", ");
    let sources = || instruction.sources.iter().take(types.len().saturating_sub(1));
    if let Some(combinations) = &capability.types
        && !combinations.iter().any(|names| combines(names, types))
    {
        return lacks(format!("the types {}", suffixes(types)));
    }
    if let Some(sizes) = &capability.execution_sizes
        && !sizes.contains(&execution_size)
    {
        return lacks(format!("execution size {execution_size}"));
    }
    if let Some(regions) = &capability.regions
        && instruction.access_mode == AccessMode::Align1
        && let Some(source) = sources().find(|source| {
            !regions.iter().any(|name| has_region(device, execution_size, source, name))
        })
    {
        return lacks(match region_text(device, source).as_str() {
            "" => "an immediate".to_owned(),
            region => format!("the region {region}"),
        });
    }
    if let (Some(names), Some(destination)) = (&capability.saturate, types.first())
        && instruction.saturate
        && !any_stands_for(names, *destination)
    {
        return lacks(format!("saturation of {}", destination.suffix()));
    }
    let is_modified = |source: &&Source| matches!(source, Source::Register { modifier, .. } if *modifier != Default::default());
    if let Some(names) = &capability.source_modifiers
        && let Some(source) =
            sources().filter(is_modified).find(|source| !any_stands_for(names, source.data_type()))
    {
        return lacks(format!("a modifier of {}", source.data_type().suffix()));
    }
    let named = CONDITIONS.iter().find(|(_, known)| *known == condition);
    if let (Some(names), Some((name, _))) = (&capability.conditions, named)
        && !names.iter().any(|known| known == name)
    {
        return lacks(format!("the conditional modifier .{name}"));
    }
    if capability.predicate == Some(false)
        && instruction.predicate.control != PredicateControl::None
    {
        return lacks("a predicate".to_owned());
    }
    if capability.align16 == Some(false) && instruction.access_mode == AccessMode::Align16 {
        return lacks("Align16".to_owned());
    }
    None
}

/// Holds that what an engine declares of its instructions makes sense.
///
/// # Errors
/// If something does not exist, or nothing is left of an instruction: a sentence.
pub(super) fn check(hello: &Hello) -> Result<(), String> {
    let Some(Instructions::Each(each)) = &hello.instructions else { return Ok(()) };
    each.iter().try_for_each(|(name, capability)| {
        check_one(capability).map_err(|what| format!("{} says of `{name}` {what}", hello.name))
    })
}

/// Whether a region is called so: by a name, or as assembly prints it.
fn is_region(name: &str) -> bool {
    let device = Device::Skl;
    let assembly = text::parse(device, &format!("mov (1) r1<1>:ud r2{name}:ud"));
    let is_printed = |program: &Program| {
        let first = &program.instructions()[0].instruction;
        region_text(device, &first.sources[0]) == name
    };
    REGIONS.contains(&name) || assembly.is_ok_and(|assembly| is_printed(&assembly.program))
}

fn check_one(capability: &Capability) -> Result<(), String> {
    let is_type = |name: &str| {
        SETS.iter().any(|(set, _)| *set == name) || DataType::of_suffix(name).is_some()
    };
    let is_condition = |name: &str| CONDITIONS.iter().any(|(known, _)| *known == name);
    let combinations = capability.types.iter().flatten().flatten();
    let typed = combinations
        .chain(capability.saturate.iter().flatten())
        .chain(capability.source_modifiers.iter().flatten());
    let unknown = |what: &str, name: &str| Err(format!("the {what} `{name}`, which there is not"));
    if let Some(name) = typed.into_iter().find(|name| !is_type(name)) {
        return unknown("type", name);
    }
    if let Some(name) = capability.regions.iter().flatten().find(|name| !is_region(name)) {
        return unknown("region", name);
    }
    if let Some(name) = capability.conditions.iter().flatten().find(|name| !is_condition(name)) {
        return unknown("condition", name);
    }
    if let Some(size) = capability
        .execution_sizes
        .iter()
        .flatten()
        .find(|size| !size.is_power_of_two() || **size > 32)
    {
        return unknown("execution size", &size.to_string());
    }
    let empty = [
        ("types", capability.types.as_ref().is_some_and(Vec::is_empty)),
        ("execution_sizes", capability.execution_sizes.as_ref().is_some_and(Vec::is_empty)),
        ("regions", capability.regions.as_ref().is_some_and(Vec::is_empty)),
    ];
    match empty.iter().find(|(_, is_empty)| *is_empty) {
        Some((key, _)) => Err(format!(
            "that it has no `{key}`, which leaves nothing: leave the key out, or the instruction"
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn capability(json: &str) -> Capability {
        serde_json::from_str(json).expect("a capability")
    }

    /// What an instruction takes beyond a declaration.
    #[rstest]
    #[case(r#"{}"#, "add (8) r4<1>:d r2<8;8,1>:d r3<8;8,1>:d", None)]
    #[case(r#"{"types": [["d", "d", "d"]]}"#, "add (8) r4<1>:d r2<8;8,1>:d r3<8;8,1>:d", None)]
    #[case(
        r#"{"types": [["dword", "int", "int"]]}"#,
        "add (8) r4<1>:ud r2<8;8,1>:w r3<8;8,1>:d",
        None
    )]
    #[case(
        r#"{"types": [["d", "d", "d"]]}"#,
        "add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f",
        Some("`add` with the types f, f, f")
    )]
    #[case(
        r#"{"execution_sizes": [8, 16]}"#,
        "add (4) r4<1>:d r2<4;4,1>:d r3<4;4,1>:d",
        Some("`add` with execution size 4")
    )]
    #[case(r#"{"regions": ["packed", "scalar"]}"#, "add (8) r4<1>:d r2<8;8,1>:d r3<0;1,0>:d", None)]
    #[case(r#"{"regions": ["packed"]}"#, "add (8) r4<1>:d r2<4;4,1>:d r3<1;1,0>:d", None)]
    #[case(
        r#"{"regions": ["packed"]}"#,
        "add (8) r4<1>:d r2<8;8,1>:d 7:d",
        Some("`add` with an immediate")
    )]
    #[case(
        r#"{"regions": ["packed"]}"#,
        "add (8) r4<1>:d r2<8;8,1>:d r3<8;4,2>:d",
        Some("`add` with the region <8;4,2>")
    )]
    #[case(
        r#"{"regions": ["packed", "<8;4,2>"]}"#,
        "add (8) r4<1>:d r2<8;8,1>:d r3<8;4,2>:d",
        None
    )]
    #[case(
        r#"{"saturate": ["f"]}"#,
        "add.sat (8) r4<1>:d r2<8;8,1>:d r3<8;8,1>:d",
        Some("`add` with saturation of d")
    )]
    #[case(r#"{"saturate": ["int"]}"#, "add.sat (8) r4<1>:d r2<8;8,1>:d r3<8;8,1>:d", None)]
    #[case(
        r#"{"source_modifiers": ["f"]}"#,
        "add (8) r4<1>:d -r2<8;8,1>:d r3<8;8,1>:d",
        Some("`add` with a modifier of d")
    )]
    #[case(
        r#"{"conditions": ["e"]}"#,
        "add.ne.f0.0 (8) r4<1>:d r2<8;8,1>:d r3<8;8,1>:d",
        Some("`add` with the conditional modifier .ne")
    )]
    #[case(
        r#"{"predicate": false}"#,
        "(+f0.0) add (8) r4<1>:d r2<8;8,1>:d r3<8;8,1>:d",
        Some("`add` with a predicate")
    )]
    fn what_is_beyond_a_declaration_is_named(
        #[case] json: &str,
        #[case] text: &str,
        #[case] expected: Option<&str>,
    ) {
        let assembly = text::parse(Device::Skl, text).expect("assembly");
        let instruction = &assembly.program.instructions()[0].instruction;
        let types: Vec<_> = super::super::types(Device::Skl, instruction).collect();
        let beyond = beyond(Device::Skl, instruction, &types, &capability(json));
        assert_eq!(beyond.as_deref(), expected);
    }

    #[rstest]
    #[case(r#"{"types": [["dd"]]}"#, "the type `dd`, which there is not")]
    #[case(r#"{"regions": ["8;8,1"]}"#, "the region `8;8,1`, which there is not")]
    #[case(r#"{"regions": ["<8,8,1>"]}"#, "the region `<8,8,1>`, which there is not")]
    #[case(r#"{"regions": ["<8;8,1>:ud\nnop<"]}"#, "which there is not")]
    #[case(r#"{"regions": [""]}"#, "the region ``, which there is not")]
    #[case(r#"{"execution_sizes": [3]}"#, "the execution size `3`, which there is not")]
    #[case(r#"{"conditions": ["eq"]}"#, "the condition `eq`, which there is not")]
    #[case(r#"{"saturate": ["x"]}"#, "the type `x`, which there is not")]
    #[case(r#"{"types": []}"#, "that it has no `types`, which leaves nothing")]
    fn what_makes_no_sense_is_refused(#[case] json: &str, #[case] sentence: &str) {
        let error = check_one(&capability(json)).expect_err("it makes no sense");
        assert!(error.contains(sentence), "{error}");
    }
}
