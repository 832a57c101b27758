//! The suite `r700-assembly`: generated programs and random machine words become text, and the text
//! becomes the same dwords again.

use parallax_isa::{
    Device,
    r700::{
        Alu, Cf, CfOpcode, Fetch, Group, Program,
        decode::{self, FetchClause},
        microcode::{AluOp2, CfAluWord, CfWord},
        program::Clause,
        text,
    },
};
use parallax_spec::coverage;

use crate::{
    r700::{
        flow,
        generate::{self, memory},
        layout::{Item, lay_out},
    },
    random::SplitMix64,
    suites::comparison::{Comparison, Counts, Mismatch},
};

/// Random instructions of each kind in a program.
const WORDS: usize = 6;

/// Texts of a device.
pub(super) struct Texts {
    device: Device,
    bytes: Vec<u8>,
}

impl Texts {
    pub(super) fn new(device: Device) -> Self {
        Self { device, bytes: vec![0; generate::BYTES.max(flow::BYTES).max(memory::BYTES)] }
    }

    fn programs(&mut self, seed: u64) -> [Vec<u32>; 4] {
        let mut random = SplitMix64::new(seed);
        random.fill(&mut self.bytes);
        [
            generate::groups(self.device, &self.bytes).program,
            flow::any(self.device, &self.bytes).program,
            memory::memory(self.device, &self.bytes).program,
            words(&mut random),
        ]
    }
}

/// A program of random instructions that decode: control-flow instructions without a clause, an ALU
/// clause and a fetch clause of each kind.
fn words(random: &mut SplitMix64) -> Vec<u32> {
    let mut items: Vec<Item> = (0..WORDS)
        .filter_map(|_| decode::control_flow(pair(random)).ok())
        .filter(|cf| !runs_clause(*cf))
        .map(Item::of)
        .collect();
    let mut groups = Vec::new();
    for _ in 0..WORDS {
        if let Ok(alu) = decode::alu(pair(random)) {
            let last = match alu {
                Alu::Op2(word) => Alu::Op2(word.with(AluOp2::LAST, 1)),
                Alu::Op3(word) => Alu::Op3(word.with(AluOp2::LAST, 1)),
            };
            let literals = (0..2 * last.literal_slots()).map(|_| random.next() as u32).collect();
            groups.push(Group { instructions: vec![last], literals });
        }
    }
    if !groups.is_empty() {
        let header = CfAluWord([pair(random)[0], pair(random)[1]]);
        let header = header.with(CfAluWord::CF_INST, CfOpcode::Alu.code());
        items.push(Item { cf: Cf::Alu(header), clause: Some(Clause::Alu(groups)) });
    }
    for (opcode, kind) in
        [(CfOpcode::Tex, FetchClause::Texture), (CfOpcode::VtxTc, FetchClause::Vertex)]
    {
        let fetches: Vec<Fetch> = (0..4 * WORDS)
            .filter_map(|_| {
                let [first, second] = [pair(random), pair(random)];
                // Few opcodes have a meaning: the first is one of them.
                let first_word = first[0] & !0x1F | (random.next() as u32 % 3);
                decode::fetch(kind, [first_word, first[1], second[0], second[1]]).ok()
            })
            .take(16)
            .collect();
        if !fetches.is_empty() {
            let header = CfWord::default().with(CfWord::CF_INST, opcode.code());
            let cf = Cf::Plain(header.with(CfWord::BARRIER, (random.next() & 1) as u32));
            items.push(Item { cf, clause: Some(Clause::Fetch(kind, fetches)) });
        }
    }
    items.push(Item::plain(CfOpcode::Nop).ending());
    lay_out(&items)
}

fn pair(random: &mut SplitMix64) -> [u32; 2] {
    let bits = random.next();
    [bits as u32, (bits >> 32) as u32]
}

fn runs_clause(cf: Cf) -> bool {
    matches!(cf, Cf::Alu(_))
        || matches!(cf.opcode(), Some(CfOpcode::Tex | CfOpcode::Vtx | CfOpcode::VtxTc))
}

/// How many instructions a program has, or how its text loses them.
fn compare(dwords: &[u32]) -> Result<u64, Box<Mismatch>> {
    let Ok(program) = Program::decode(dwords) else { return Ok(0) };
    let text = text::print(&program);
    let (location, expected, actual) = match text::parse(&text).map(|again| again.encode()) {
        Ok(again) if again == dwords => return Ok(count(&program)),
        Ok(again) => {
            let at = again.iter().zip(dwords).position(|(a, b)| a != b);
            let at = at.unwrap_or(again.len().min(dwords.len()));
            let hex = |words: &[u32]| {
                words.get(at).map_or("nothing".to_owned(), |word| format!("{word:08x}"))
            };
            (format!("dword {at}"), hex(dwords), hex(&again))
        }
        Err(mistakes) => {
            let said = mistakes.iter().map(|mistake| mistake.message.clone() + "\n").collect();
            let line = mistakes.first().map_or(0, |mistake| mistake.line);
            (format!("line {line}"), "a program".to_owned(), said)
        }
    };
    Err(Box::new(Mismatch {
        kind: location.split(' ').next().unwrap_or_default().to_owned(),
        location,
        instruction: "text".to_owned(),
        text: format!("{text}\n{actual}"),
        expected,
        actual,
    }))
}

/// The instructions of a program.
fn count(program: &Program) -> u64 {
    let clause = |clause: &Clause| match clause {
        Clause::Alu(groups) => groups.iter().map(|group| group.instructions.len()).sum(),
        Clause::Fetch(_, fetches) => fetches.len(),
    };
    let clauses: usize = program.clauses.values().map(clause).sum();
    (program.control_flow.len() + clauses) as u64
}

impl Comparison for Texts {
    fn compare(&mut self, seed: u64, counts: &mut Counts) -> Result<(), Box<Mismatch>> {
        for program in self.programs(seed) {
            counts.instructions += compare(&program)?;
            counts.comparisons = counts.instructions;
        }
        // One table of fields reads and prints them: that says nothing about the fields.
        coverage::drop_marks();
        Ok(())
    }
}
