//! What a case takes: banks that its start state is in, instructions and features.

use parallax_engine::Hello;
use parallax_isa::{
    Image as _,
    r700::{
        Alu, Case, Cf, Fetch, Program, Source, State,
        instruction::Operand,
        microcode::{AluOp2, AluOp3, Field},
        program::Clause,
    },
};

use super::{ALWAYS, has};

/// Banks that decide nothing of what a program does unless an instruction reads them, or that only results go to.
const AT_REST: [&str; 7] = ["G", "EXPORT", "MEM", "LDS", "emitted", "cut", "exported"];

/// The fields of ALU instructions that take a feature where they are not zero.
pub(super) const FIELDS: [(&str, &[Field]); 4] = [
    ("relative", &[AluOp2::SRC0_REL, AluOp2::SRC1_REL, AluOp3::SRC2_REL, AluOp2::DST_REL]),
    ("predicate", &[AluOp2::PRED_SEL, AluOp2::UPDATE_PRED, AluOp2::UPDATE_EXECUTE_MASK]),
    (
        "source-modifiers",
        &[AluOp2::SRC0_NEG, AluOp2::SRC1_NEG, AluOp3::SRC2_NEG, AluOp2::SRC0_ABS, AluOp2::SRC1_ABS],
    ),
    ("output-modifiers", &[AluOp2::OMOD, AluOp2::CLAMP]),
];

/// The code of the index mode that means aL.
pub(super) const LOOP_INDEX: u32 = 4;
/// The code of the index mode that means a SIMD-global register.
const GLOBAL_INDEX: u32 = 5;

/// The value of a field in some dwords of its format; zero where the format does not have it.
fn value(fields: &[Field], name: &str, dwords: &[u32]) -> u32 {
    fields.iter().find(|field| field.name == name).map_or(0, |field| field.get(dwords))
}

/// The fields of an ALU instruction that take a feature.
pub(super) fn fields_of(alu: Alu, fields: &[Field]) -> impl Iterator<Item = Field> + use<'_> {
    let known = alu.format().fields;
    fields
        .iter()
        .filter_map(move |field| known.iter().find(|known| known.name == field.name))
        .copied()
}

fn instruction(mnemonic: &str, hello: &Hello) -> Option<String> {
    (!hello.has_instruction(mnemonic)).then(|| format!("the instruction `{mnemonic}`"))
}

fn feature(name: &str, is_taken: bool, hello: &Hello) -> Option<String> {
    (is_taken && !has(&hello.features, name)).then(|| format!("the feature `{name}`"))
}

fn bank(name: &str, hello: &Hello) -> Option<String> {
    let has = hello.banks.iter().any(|bank| bank == name);
    (!has).then(|| format!("the bank `{name}`"))
}

/// The bank that a case starts with something in and an engine does not have.
pub(super) fn start_beyond(case: &Case, hello: &Hello) -> Option<String> {
    let mut usual = None;
    let banks = State::BANKS.iter().filter(|bank| !AT_REST.contains(&bank.name));
    let mut lacking = banks.filter_map(|it| bank(it.name, hello).map(|need| (it, need)));
    lacking.find_map(|(bank, need)| {
        let usual = usual.get_or_insert_with(|| Box::new(State::new()));
        (case.state.image()[bank.range()] != usual.image()[bank.range()]).then_some(need)
    })
}

/// What a program takes that an engine does not have.
pub(super) fn program_beyond(program: &Program, hello: &Hello) -> Option<String> {
    let mut control_flow = program.control_flow.values();
    let flow = control_flow.find_map(|cf| flow_beyond(*cf, hello));
    let clause = |clause: &Clause| match clause {
        Clause::Alu(groups) => {
            let mut instructions = groups.iter().flat_map(|group| &group.instructions);
            instructions.find_map(|alu| alu_beyond(*alu, hello))
        }
        Clause::Fetch(_, fetches) => fetches.iter().find_map(|fetch| fetch_beyond(*fetch, hello)),
    };
    flow.or_else(|| program.clauses.values().find_map(clause))
}

fn flow_beyond(cf: Cf, hello: &Hello) -> Option<String> {
    let mnemonic = cf.opcode()?.mnemonic();
    let (fields, dwords) = (cf.format().fields, cf.dwords());
    let is_set = |name: &str| value(fields, name, &dwords) != 0;
    let named = !ALWAYS.contains(&mnemonic);
    named.then(|| instruction(mnemonic, hello)).flatten().or_else(|| {
        feature("pixel-modes", cf.whole_quad_mode() || cf.valid_pixel_mode(), hello)
            .or_else(|| feature("relative", is_set("RW_REL"), hello))
            .or_else(|| feature("constants", value(fields, "COND", &dwords) > 1, hello))
    })
}

/// What a source takes that an engine does not have.
pub(super) fn source_beyond(operand: Operand, hello: &Hello) -> Option<String> {
    match operand.source? {
        Source::PreviousVector => bank("PV", hello),
        Source::PreviousScalar => bank("PS", hello),
        Source::Kcache(..) | Source::Constant(_) => feature("constants", true, hello),
        Source::Gpr(_) | Source::Inline(_) | Source::Literal => None,
    }
}

/// What an ALU instruction takes that an engine does not have.
pub(super) fn alu_beyond(alu: Alu, hello: &Hello) -> Option<String> {
    let dwords = alu.dwords();
    let is_taken = |fields: &[Field]| fields_of(alu, fields).any(|field| field.get(&dwords) != 0);
    let [(_, relative), ..] = FIELDS;
    let by_address = is_taken(relative) && ![LOOP_INDEX, GLOBAL_INDEX].contains(&alu.index_mode());
    instruction(alu.opcode()?.mnemonic(), hello)
        .or_else(|| FIELDS.iter().find_map(|(name, fields)| feature(name, is_taken(fields), hello)))
        .or_else(|| if by_address { bank("AR", hello) } else { None })
        .or_else(|| alu.operands().into_iter().find_map(|operand| source_beyond(operand, hello)))
}

fn fetch_beyond(fetch: Fetch, hello: &Hello) -> Option<String> {
    let (fields, dwords) = (fetch.format().fields, fetch.dwords());
    let is_set = |name: &&str| value(fields, name, &dwords) != 0;
    let relative = ["SRC_REL", "DST_REL", "SRC_REL_MODE", "DST_REL_MODE"].iter().any(is_set);
    let resources = matches!(fetch, Fetch::Vertex(_) | Fetch::Semantic(_) | Fetch::Texture(_));
    instruction(fetch.opcode()?.mnemonic(), hello)
        .or_else(|| feature("relative", relative, hello))
        .or_else(|| feature("pixel-modes", is_set(&"FETCH_WHOLE_QUAD"), hello))
        .or_else(|| feature("constants", resources, hello))
}
