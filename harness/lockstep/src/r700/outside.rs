//! Cases of R700 for engines outside of this process: their form in the protocol, and what an engine has to have
//! to run them.

mod inner;
mod limited;
mod needs;
mod settings;

use parallax_engine::{Capability, Case as Sent, Hello, Instructions};
use parallax_isa::{
    Device, Model as _, Step,
    r700::{
        AluOpcode, Case, Cf, CfOpcode, FetchOpcode, Profile, Program, R700, State, program::Clause,
    },
};
use parallax_reference::r700::Reference;

pub(super) use self::limited::Limited;
use self::settings::Settings;
use super::{
    generate::{BYTES, groups},
    layout::{Item, items, lay_out},
};
use crate::{
    outside::{Outside, Portable, check_instructions, check_names, has},
    random::SplitMix64,
};

/// What an engine may have beyond plain instructions, and what that is.
pub const FEATURES: [(&str, &str); 7] = [
    ("constants", "constants, vertex buffers, textures and samplers"),
    ("relative", "registers and constants that AR or aL index"),
    ("predicate", "`PRED_SEL`, `UPDATE_PRED` and `UPDATE_EXECUTE_MASK`"),
    ("source-modifiers", "signs and absolute values of sources"),
    ("output-modifiers", "`OMOD` and `CLAMP`"),
    ("pixel-modes", "`WHOLE_QUAD_MODE` and `VALID_PIXEL_MODE`"),
    ("surroundings", "all other settings"),
];

/// Control-flow instructions that every program has.
const ALWAYS: [&str; 2] = [CfOpcode::Alu.mnemonic(), CfOpcode::Nop.mnemonic()];

/// The largest settings that are sent, in bytes: with the program and the state they fit into a frame.
const LARGEST_SETTINGS: usize = 14 << 20;

/// The names of the profiles that an engine follows.
#[must_use]
pub fn profiles(hello: &Hello) -> Vec<&str> {
    match &hello.profiles {
        Some(list) => list.iter().map(String::as_str).collect(),
        None if has(&hello.features, "surroundings") => PROFILES.map(|(name, _)| name).into(),
        None => vec![PROFILES[0].0],
    }
}

/// The profiles by name, first the one that settings without any mean.
const PROFILES: [(&str, Profile); 2] = [("manual", Profile::Manual), ("silicon", Profile::Silicon)];

/// Whether a program takes its control-flow instructions one after the other, each once, and a program that ends
/// after any of its groups comes to the state behind that group.
fn is_straight(case: &Case, program: &Program) -> bool {
    let one_after_the_other =
        program.control_flow.keys().copied().eq(0..program.control_flow.len() as u32);
    let is_straight = |cf: &Cf| {
        use CfOpcode::*;
        match (cf, cf.opcode()) {
            (Cf::Alu(_), Some(opcode)) => opcode == Alu,
            (Cf::Export(_) | Cf::Memory(_), _) => true,
            (_, Some(opcode)) => matches!(opcode, Nop | Tex | Vtx | VtxTc),
            (_, None) => false,
        }
    };
    let masks = |clause: &Clause| match clause {
        Clause::Alu(groups) => {
            let mut instructions = groups.iter().flat_map(|group| &group.instructions);
            instructions.any(|alu| alu.update_execute_mask())
        }
        Clause::Fetch(..) => false,
    };
    let mut control_flow = program.control_flow.values().rev();
    case.state.cf == 0
        && case.state.in_clause == 0
        && one_after_the_other
        && control_flow.next().is_some_and(|last| last.end_of_program())
        && !control_flow.any(|cf| cf.end_of_program())
        && program.control_flow.values().all(is_straight)
        && !program.clauses.values().any(masks)
}

/// The bytes of a program as a case has it.
fn bytes(program: &[u32]) -> Vec<u8> {
    program.iter().flat_map(|dword| dword.to_le_bytes()).collect()
}

impl Portable for R700 {
    const HAS_FORM: bool = true;

    const INNER_BANKS: &'static [&'static str] = &[
        "PV",
        "PS",
        "AR",
        "predicate",
        "executing",
        "execute-set",
        "execute-value",
        "cf",
        "group",
        "in-clause",
    ];

    fn to_outside(case: &Case) -> Option<Sent> {
        Some(Sent {
            device: case.device.name().to_owned(),
            step_limit: case.step_limit,
            program: bytes(&case.program),
            settings: Settings::of(case).text(),
        })
    }

    fn start_state(case: &Case) -> Option<&State> {
        Some(&case.state)
    }

    fn of_outside(sent: &Sent, state: &State) -> Result<Case, String> {
        let (dwords, rest) = sent.program.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(format!("a program of {} bytes, which are no dwords", sent.program.len()));
        }
        let program = dwords.iter().map(|dword| u32::from_le_bytes(*dword)).collect();
        let mut case = Case {
            device: sent.device.parse().map_err(|error| format!("{error}"))?,
            state: Box::new(*state),
            step_limit: sent.step_limit,
            ..Case::new(program)
        };
        Settings::parse(&sent.settings)?.apply(&mut case);
        Ok(case)
    }

    fn cut(case: &Case, steps: u64) -> Result<Option<Case>, String> {
        let program = Program::of_case(case).map_err(|error| error.to_string())?;
        if !is_straight(case, &program) {
            return Err(
                "it only runs to the end, and a program with branches cannot be cut".to_owned()
            );
        }
        let mut reference = Reference::new();
        reference.load(case).map_err(|error| error.to_string())?;
        if !(0..steps).all(|_| reference.step() == Step::Continue) {
            return Ok(None);
        }
        let state = reference.state();
        let mut items = items(&program);
        items.truncate(state.cf as usize + state.in_clause as usize);
        if let Some(Item { cf: Cf::Alu(word), clause: Some(Clause::Alu(groups)) }) =
            items.last_mut()
            && state.in_clause != 0
        {
            let mut address = word.addr();
            groups.retain(|group| {
                let is_done = address < state.group;
                address += group.words() as u32;
                is_done
            });
            if groups.is_empty() {
                items.pop();
            }
        }
        items.push(Item::plain(CfOpcode::Nop).ending());
        Ok(Some(Case { program: lay_out(&items), ..case.clone() }))
    }

    fn check_hello(hello: &Hello) -> Result<(), String> {
        for (key, is_said) in
            [("types", hello.types.is_some()), ("messages", hello.messages.is_some())]
        {
            if is_said {
                return Err(format!(
                    "{} says `{key}`, which only the machine `eu` has",
                    hello.name
                ));
            }
        }
        let alu = AluOpcode::ALL.iter().map(|opcode| opcode.mnemonic());
        let flow = CfOpcode::ALL.iter().map(|opcode| opcode.mnemonic());
        let fetches = FetchOpcode::ALL.iter().map(|opcode| opcode.mnemonic());
        let instructions: Vec<_> = alu.chain(flow).chain(fetches).collect();
        check_instructions(hello, &instructions)?;
        if let Some(Instructions::Each(each)) = &hello.instructions
            && let Some((name, _)) = each.iter().find(|(_, has)| **has != Capability::default())
        {
            return Err(format!(
                "{} says what it has of `{name}`, which only engines of execution units can: list the names",
                hello.name
            ));
        }
        check_names(hello, "feature", &hello.features, &FEATURES.map(|(feature, _)| feature))?;
        check_names(hello, "profile", &hello.profiles, &PROFILES.map(|(name, _)| name))?;
        if profiles(hello).is_empty() {
            return Err(format!("{} names no profile that it follows", hello.name));
        }
        Ok(())
    }

    fn unsendable(case: &Case, engine: &Outside) -> Option<String> {
        let hello = engine.hello();
        let need = needs::start_beyond(case, hello).or_else(|| {
            let program = Program::of_case(case).ok().filter(|_| !hello.steps)?;
            inner_beyond(case, &program)
        });
        need.map(|need| format!("{} does not have {need}", hello.name))
    }

    fn beyond(case: &Case, engine: &Outside) -> Option<String> {
        case_beyond(case, engine.hello())
    }
}

/// What a case takes that an engine does not have.
pub(super) fn case_beyond(case: &Case, hello: &Hello) -> Option<String> {
    if !hello.devices.iter().any(|name| name == case.device.name()) {
        return Some(format!("the device {}", case.device));
    }
    let program = Program::of_case(case).ok()?;
    Settings::of(case)
        .beyond(hello)
        .or_else(|| needs::start_beyond(case, hello))
        .or_else(|| needs::program_beyond(&program, hello))
        .or_else(|| if hello.steps { None } else { inner_beyond(case, &program) })
}

/// Why an engine cannot run some cases of ALU groups, a sentence for each that it cannot, although they were
/// limited to what it has.
pub(super) fn reasons(hello: &Hello) -> Vec<String> {
    let mut bytes = vec![0; BYTES];
    let reason = |seed| {
        SplitMix64::new(seed).fill(&mut bytes);
        let mut case = groups(Device::Rv770, &bytes);
        limited::make_usual(&mut case, hello);
        case_beyond(&case, hello)
    };
    (0..CASES_ASKED).filter_map(reason).collect()
}

/// Cases that are asked why an engine cannot run them.
const CASES_ASKED: u64 = 64;

/// What a straight-line program takes of an engine that only runs to the end.
fn inner_beyond(case: &Case, program: &Program) -> Option<String> {
    let what = "a way to stop where the manual leaves PV, PS or AR open";
    inner::reads_open(case, program).map(|_| what.to_owned())
}

#[cfg(test)]
mod tests;
