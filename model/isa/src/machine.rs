//! What cases are of: kinds of machines.

use serde::{Serialize, de::DeserializeOwned};

use crate::Image;

/// A kind of machine: execution unit, R700, surface. It names the types its engines share.
pub trait Machine: Sized + 'static {
    /// The name in traces and reports.
    const NAME: &'static str;
    /// Everything that decides a run.
    type Case: Clone + PartialEq + Send + Sync + Serialize + DeserializeOwned;
    /// What is compared.
    type State: Image;
}
