//! How large traces and their files can be, and the version of files.

/// Most bytes of a trace file.
pub const LARGEST_FILE: u64 = 16 << 20;
/// Most steps of a trace.
pub const MOST_STEPS: usize = 1 << 20;
/// Most bytes that the steps of a run come to, as they are written, while it is recorded: held in
/// memory they take some ten times as much.
pub(super) const MOST_RECORDED: usize = 16 << 20;
/// The version of traces.
pub(super) const VERSION: u32 = 5;
/// Most steps of a trace that is written as JSON: some two kilobytes each, so that it is read back.
pub(super) const MOST_STEPS_IN_JSON: usize = 8192;
