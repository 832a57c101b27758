//! Values of the public types from any bytes: nothing panics on them, and what has machine code comes back from
//! it.

use std::fmt::Debug;

use arbitrary::{Arbitrary, Unstructured};
use parallax_isa::{
    Device,
    eu::{self, Instruction, decode::decode, encode::encode},
    r700, surface,
};
use proptest::{
    collection::vec, prelude::*, sample::select, strategy::ValueTree, test_runner::TestRunner,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Bytes that are enough for an instruction.
const BYTES: usize = 256;

fn of<'a, T: Arbitrary<'a>>(bytes: &'a [u8]) -> T {
    T::arbitrary(&mut Unstructured::new(bytes)).expect("bytes that run out are zeros")
}

/// Places at which two values differ, of how many there are in the larger one.
fn differences(one: &Value, other: &Value) -> (usize, usize) {
    let leaves = |value: &Value| differences(value, value).1;
    match (one, other) {
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let pairs = one.iter().zip(other).map(|(one, other)| differences(one, other));
            pairs.fold((0, 0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1))
        }
        (Value::Object(one), Value::Object(other)) if one.keys().eq(other.keys()) => {
            let pairs = one.iter().map(|(key, value)| differences(value, &other[key]));
            pairs.fold((0, 0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1))
        }
        (Value::Array(items), Value::Null) => (0, items.iter().map(leaves).sum()),
        (one, other) if one == other => (0, 1),
        (one, other) => {
            let most = [one, other].map(|value| match value {
                Value::Array(items) => items.iter().map(leaves).sum::<usize>(),
                Value::Object(members) => members.values().map(leaves).sum(),
                _ => 1,
            });
            (most[0].max(most[1]).max(1), most[0].max(most[1]).max(1))
        }
    }
}

/// By way of text, which has numbers of 128 bits too.
fn as_data(value: &impl Serialize) -> Value {
    let text = serde_json::to_string(value).expect("it has a form in files");
    serde_json::from_str(&text).expect("it was written so")
}

/// What a change of one byte changes of a value: its share of the value's places, for each of many changes.
fn shares<T: for<'a> Arbitrary<'a> + Serialize>(size: usize) -> Vec<f64> {
    let mut runner = TestRunner::deterministic();
    let change = (vec(any::<u8>(), size), 0..size, 1..=255_u8);
    let share = |(mut bytes, place, bits): (Vec<u8>, usize, u8)| {
        let mut input = Unstructured::new(&bytes);
        let before = as_data(&T::arbitrary(&mut input).expect("bytes that run out are zeros"));
        // One of those that it is made of.
        let used = size - input.len();
        bytes[place % used] ^= bits;
        let after = as_data(&of::<T>(&bytes));
        let (different, all) = differences(&before, &after);
        different as f64 / all as f64
    };
    let changes = (0..500).map(|_| change.new_tree(&mut runner).expect("any value").current());
    let mut shares: Vec<f64> = changes.map(share).collect();
    shares.sort_by(f64::total_cmp);
    shares
}

#[test]
fn a_change_of_a_byte_changes_little_of_a_value() {
    for (what, shares) in [
        ("instruction", shares::<Instruction>(BYTES)),
        ("operation on a surface", shares::<surface::case::Operation>(BYTES)),
        ("texture of R700", shares::<r700::texture::Texture>(BYTES)),
    ] {
        let [median, most] = [shares.len() / 2, shares.len() * 9 / 10].map(|n| shares[n]);
        println!("{what}: {median:.3} at the median, {most:.3} at most of nine in ten");
        assert!(median <= 0.1 && most <= 0.5, "{what}: {median} and {most}");
        // And something, now and then.
        assert!(shares[shares.len() - 1] > 0.0, "{what}");
    }
}

/// Many of them have machine code, on each device.
#[test]
fn instructions_have_machine_code() {
    let mut runner = TestRunner::deterministic();
    let bytes = vec(any::<u8>(), BYTES);
    let mut encoded = [0; Device::EU.len()];
    for _ in 0..5000 {
        let bytes = bytes.new_tree(&mut runner).expect("any value").current();
        for (device, count) in Device::EU.into_iter().zip(&mut encoded) {
            *count += usize::from(encode(device, &of(&bytes)).is_ok());
        }
    }
    println!("of 5000: {encoded:?}");
    assert!(encoded.iter().all(|count| *count > 50), "{encoded:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_instruction_is_refused_or_comes_back(
        device in select(Device::EU.to_vec()),
        bytes in vec(any::<u8>(), BYTES),
    ) {
        let instruction: Instruction = of(&bytes);
        if let Ok(code) = encode(device, &instruction) {
            let (read, length) = decode(device, &code)
                .map_err(|error| TestCaseError::fail(format!("{instruction:?}: {error}")))?;
            prop_assert_eq!(length, code.len());
            prop_assert_eq!(encode(device, &read), Ok(code));
        }
        let _ = eu::legality::check(device, &instruction);
        let _ = eu::text::print(device, &instruction);
    }

    #[test]
    fn a_case_comes_back_from_a_file(bytes in vec(any::<u8>(), 0..2048)) {
        comes_back::<eu::Case>(&bytes)?;
        comes_back::<r700::Case>(&bytes)?;
        comes_back::<surface::Case>(&bytes)?;
    }

    #[test]
    fn words_of_r700_are_printed_and_judged(bytes in vec(any::<u8>(), 0..512)) {
        let mut input = Unstructured::new(&bytes);
        let clause: r700::program::Clause = input.arbitrary().expect("zeros");
        let mut program = r700::Program { words: 4096, ..r700::Program::default() };
        program.control_flow.insert(0, input.arbitrary().expect("zeros"));
        program.clauses.insert(16, clause);
        let _ = r700::text::print(&program);
        let _ = r700::legality::check(&program, &r700::legality::Settings::default());
    }
}

/// What is written to a file is read from it.
fn comes_back<T>(bytes: &[u8]) -> Result<(), TestCaseError>
where
    T: for<'a> Arbitrary<'a> + Serialize + DeserializeOwned + PartialEq + Debug,
{
    let case: T = of(bytes);
    let text = serde_json::to_string(&case).expect("it has a form in files");
    let read: T = serde_json::from_str(&text).map_err(|e| TestCaseError::fail(e.to_string()))?;
    prop_assert!(read == case, "{case:?}");
    Ok(())
}
