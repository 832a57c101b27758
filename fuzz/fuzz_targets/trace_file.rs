//! Any bytes as a trace file: an error, or a trace that is written as it was read and replays.

#![no_main]

use libfuzzer_sys::fuzz_target;
use parallax_executor::eu::Executor;
use parallax_lockstep::{eu::Eu, trace};

fuzz_target!(|bytes: &[u8]| {
    // A leading 1 makes the rest the content of a file whose header and checksum are right.
    let Some((&whole, rest)) = bytes.split_first() else { return };
    let file =
        if whole == 1 { trace::with_header(rest).unwrap_or_default() } else { rest.to_vec() };
    if let Ok(read) = trace::from_bytes::<Eu>(&file) {
        let written = trace::to_bytes(&read).expect("what was read can be written");
        assert!(trace::from_bytes::<Eu>(&written).expect("it reads again") == read);
        if read.case.step_limit <= 1 << 16 {
            let _ = trace::replay(&read, &mut Executor::new());
        }
    }
    parallax_fuzz::report_rules();
});
