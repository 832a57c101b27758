//! What a machine says of its threads.

use parallax_isa::Device;
use parallax_lockstep::Subject;

use super::elements::Elements;

/// A machine whose programs run as many threads.
pub(crate) trait Dispatched: Subject {
    /// A register that a payload has values for.
    type Target: Sync;

    /// Reads a register's name as it stands in the first row of payloads.
    fn target(device: Device, name: &str) -> Result<Self::Target, String>;

    /// Gives it values as they stand in the rows below.
    fn assign(case: &mut Self::Case, target: &Self::Target, values: &str) -> Result<(), String>;

    /// Reads the name and type of a register for numbers.
    fn place(device: Device, name: &str) -> Result<Self::Target, String>;

    /// Gives it numbers, an element each.
    fn assign_numbers(
        case: &mut Self::Case,
        target: &Self::Target,
        numbers: &[u32],
    ) -> Result<(), String>;

    /// The registers of a list, in which each may have a type.
    fn elements(case: &Self::Case, list: &str) -> Result<Vec<Elements>, String>;

    /// Channels that a case's program is for, and how many there may be.
    fn channels(case: &Self::Case) -> [usize; 2];

    /// Leaves only the first channels enabled, of those that are.
    fn enable(case: &mut Self::Case, channels: usize);

    /// Lets a case start from the state that another one starts from.
    fn start_over(case: &mut Self::Case, from: &Self::Case);
}
