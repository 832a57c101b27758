//! Types of other crates as they stand in JSON. Tests check what the program prints against the schemas, so that
//! these cannot differ from the types that they describe.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// How binding a rule is: [`parallax_spec::Level`].
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code, reason = "only its schema is used")]
pub(crate) enum Level {
    /// Every implementation has to do it.
    Must,
    /// The manual leaves it open: nothing is compared.
    Undefined,
    /// Programs must not do it: legality checks it.
    Restriction,
    /// Nothing that could be tested.
    Info,
}

/// How bad a broken restriction is: [`parallax_spec::practice::Severity`].
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code, reason = "only its schema is used")]
pub(crate) enum Severity {
    /// A workaround for faulty hardware that published drivers keep.
    Erratum,
    /// The manual forbids it, but published drivers do it and hardware runs it.
    Warning,
    /// The manual forbids it.
    Illegal,
}

/// The account of R700 that is followed: [`parallax_isa::r700::case::Profile`].
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code, reason = "only its schema is used")]
pub(crate) enum Profile {
    /// The printed manual.
    Manual,
    /// Shipped hardware.
    Silicon,
}

/// How often a rule was used: [`parallax_spec::coverage::Uses`].
#[derive(Serialize, JsonSchema)]
pub(crate) struct Uses {
    /// Steps that were compared exactly, counted up to 64 on each device; of a table, those of the row that was used
    /// least.
    exact: u64,
    /// Steps whose results were only accepted, unless 64 were exact.
    accepted: u64,
    /// Steps on which the engines differ.
    failed: u64,
}

/// Destination elements: [`parallax_lockstep::exactness::Elements`].
#[derive(Serialize, JsonSchema)]
pub(crate) struct Elements {
    /// Elements for which one bit pattern is accepted.
    exact: u64,
    /// Elements for which several are.
    loose: u64,
    /// Elements that the manual leaves open.
    open: u64,
}

/// What is said of a restriction: [`parallax_spec::examples::Example`].
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(dead_code, reason = "only its schema is used")]
pub(crate) enum Example {
    /// A pair for each form of the rule.
    Pairs(Vec<Pair>),
    /// Why no static check sees it.
    NotStatic(String),
}

/// Two programs: [`parallax_spec::examples::Pair`].
#[derive(Serialize, JsonSchema)]
pub(crate) struct Pair {
    /// The device.
    device: String,
    /// Kind of an R700 program, where the rule depends on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    program_type: Option<String>,
    /// A legal program: assembly text, or machine code as hex digits.
    legal: String,
    /// The smallest change of it that breaks the rule and no other.
    illegal: String,
}

/// A trace as `parallax export` writes it: [`parallax_lockstep::trace`].
#[derive(Serialize, JsonSchema)]
pub(crate) struct Export {
    /// Version of the trace format.
    version: u32,
    /// The machine.
    machine: String,
    /// The trace.
    trace: Trace,
}

/// A case and the accepted effects of each step.
#[derive(Serialize, JsonSchema)]
struct Trace {
    /// The case in the form of its machine: `device`, `program`, `state` (runs of bytes by bank), and what it has
    /// besides.
    case: Map<String, Value>,
    /// Names of the banks; places name a bank by its number in this list.
    banks: Vec<String>,
    /// The steps; the last has what the end of the program changed.
    steps: Vec<Step>,
    /// How the program ended: a word, or an object with a word and what belongs to it.
    outcome: Value,
    /// Digest of the state at the end.
    digest: u32,
}

/// What a step did.
#[derive(Serialize, JsonSchema)]
struct Step {
    /// The place where changed bytes start, and the bytes as hex digits.
    changes: Vec<(Place, String)>,
    /// Where other values are accepted too.
    tolerances: Vec<Tolerance>,
}

/// A byte of the state.
#[derive(Serialize, JsonSchema)]
struct Place {
    /// Number of the bank.
    bank: u16,
    /// Number of the element in the bank.
    element: u32,
    /// Number of the byte in the element.
    byte: u16,
}

/// A place and what is accepted there.
#[derive(Serialize, JsonSchema)]
struct Tolerance {
    /// The first byte.
    place: Place,
    /// Number of bytes.
    bytes: u8,
    /// The bits of them in which other values are accepted.
    mask: u64,
    /// A word such as `Undefined` or `AnyNan32`, or an object with a word and its bounds.
    accepts: Value,
}

/// Groups of rules by name.
pub(crate) type Groups<T> = BTreeMap<String, T>;
