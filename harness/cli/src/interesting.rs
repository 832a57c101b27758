//! Exit codes for reducers of test cases, such as C-Reduce or `llvm-reduce`: their test ends with 0 as long as what was
//! found is still there.

use clap::Args;

use crate::failure::Ending;

/// The option of commands that find something.
#[derive(Debug, Clone, Copy, Default, Args)]
#[group(skip)]
pub(crate) struct Interesting {
    /// End with 0 if something was found, with 1 if not: the test of a reducer (C-Reduce, llvm-reduce, spirv-reduce). Bad
    /// input is 2 as always, which reducers take for uninteresting too
    #[arg(long)]
    interesting: bool,
}

impl Interesting {
    /// How the command ends for whoever asked.
    pub(crate) fn of(self, ending: Ending) -> Ending {
        match ending {
            ending if !self.interesting => ending,
            Ending::Found => Ending::Success,
            Ending::Interrupted => Ending::Interrupted,
            _ => Ending::Uninteresting,
        }
    }
}
