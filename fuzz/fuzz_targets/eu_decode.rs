//! Any bytes on every device: what decodes encodes to the same bytes, as machine code and through
//! assembly text; legality judges it; both engines can take it up and run it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, Model, Step,
    eu::{Case, State, decode::decode, encode::encode, legality, text},
};
use parallax_reference::eu::Reference;

fuzz_target!(|bytes: &[u8]| {
    let Some((&device, code)) = bytes.split_first() else { return };
    let device = Device::EU[usize::from(device) % Device::EU.len()];
    if let Ok((instruction, length)) = decode(device, code) {
        let encoded = encode(device, &instruction).expect("what decodes encodes");
        assert_eq!(encoded, code[..length]);
        let written = text::print(device, &instruction);
        let assembly = text::parse(device, &written).unwrap_or_else(|wrong| {
            panic!("{}", wrong.iter().map(|w| w.render("text", &written)).collect::<String>())
        });
        assert_eq!(assembly.program.bytes(), &code[..length], "{written}");
        let _ = legality::check(device, &instruction);
    }
    let case = Case::new(device, code.to_vec(), Box::new(State::of(device)), 64);
    let mut reference = Reference::new();
    if reference.load(&case).is_ok() {
        while reference.step() == Step::Continue {}
    }
    let mut executor = Executor::new();
    if executor.load(&case).is_ok() {
        executor.run();
    }
    parallax_fuzz::report_rules();
});
