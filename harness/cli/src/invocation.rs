//! How the running command was called.

use std::{
    ffi::OsString,
    sync::{PoisonError, RwLock},
};

/// The arguments of the running command, its name first: reports and summaries quote them.
static ARGUMENTS: RwLock<Vec<OsString>> = RwLock::new(Vec::new());

/// The arguments of the running command, without its name.
pub(crate) fn arguments() -> impl Iterator<Item = OsString> {
    whole().into_iter().skip(1)
}

/// All of them, its name too.
pub(crate) fn whole() -> Vec<OsString> {
    ARGUMENTS.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Keeps the arguments of the running command.
pub(crate) fn keep(arguments: &[OsString]) {
    *ARGUMENTS.write().unwrap_or_else(PoisonError::into_inner) = arguments.to_vec();
}
