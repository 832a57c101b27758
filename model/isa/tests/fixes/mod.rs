//! Programs with the fixes of their hazards applied.

use parallax_isa::{
    Device,
    eu::{Instruction, Program, hazards::check::Hazard, text},
};

/// A program of Gen12 from its text.
pub(crate) fn parsed(text: &str) -> Program {
    let parsed = text::parse(Device::Dg1, text);
    parsed.unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}")).program
}

/// A program with the fixes of its hazards; inserted instructions move the targets of branches.
pub(crate) fn fixed<'h>(program: &Program, found: impl IntoIterator<Item = &'h Hazard>) -> Program {
    let all = program.instructions().iter().map(|placed| (Vec::new(), placed.instruction));
    let mut all: Vec<_> = all.collect();
    for hazard in found {
        let producer = hazard.fix.producer.iter().map(|codes| (hazard.producer, codes));
        for (index, codes) in producer.chain([(hazard.consumer, &hazard.fix.consumer)]) {
            all[index].0 = codes.before.clone();
            all[index].1.scoreboard = codes.own;
        }
    }
    let sync = parsed("sync.nop null").instructions()[0].instruction;
    let fixed = all.into_iter().flat_map(|(before, instruction)| {
        let waits = before.into_iter().map(|scoreboard| Instruction { scoreboard, ..sync });
        waits.chain([instruction]).collect::<Vec<_>>()
    });
    Program::assemble(Device::Dg1, fixed).expect("it has code")
}
