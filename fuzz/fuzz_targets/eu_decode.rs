//! Any bytes on every device: what decodes encodes to the same bytes, as machine code and through
//! assembly text; legality judges it; both engines can take it up and run it.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| parallax_fuzz::hold("eu_decode", bytes));
