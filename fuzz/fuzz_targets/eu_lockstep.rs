//! A generated program runs on both execution unit engines, compared after every step.

#![no_main]

use libfuzzer_sys::fuzz_target;
use parallax_executor::eu::Executor;
use parallax_lockstep::{Verdict, eu::generate, lockstep};
use parallax_reference::eu::Reference;

fuzz_target!(|bytes: &[u8]| {
    let case = generate::any_straight_line(bytes);
    let verdict =
        lockstep::<parallax_lockstep::eu::Eu>(&mut Reference::new(), &mut Executor::new(), &case);
    parallax_fuzz::report_rules();
    if let Verdict::Diverged(divergence) = verdict {
        panic!("{divergence:#?}");
    }
});
