//! The reference as an engine: one operation a step.

use parallax_isa::{
    Acceptance, Device, Expectation, Extent, Image, LoadError, Model, Outcome, Step,
    surface::{
        Case, Component, Fetch, Format, Layout, Natural, Numeric, Operation, State, Surface, Texel,
        Value, lookup, operation::Place,
    },
};

use crate::number::FloatFormat;

use super::{
    SurfaceError, View, decode,
    encode::{encode, natural_types},
    fetch, field, float,
    pixels::{chroma_key, comparison, coordinates, render_target::write_pixel},
};

/// Offset of the written bytes in the state's image.
const BYTES: usize = std::mem::offset_of!(State, bytes);

/// An operation that was done: the record of it, which is lent to whoever observes the reference.
#[derive(Debug)]
pub struct SurfaceStep<'a> {
    /// The device.
    pub device: Device,
    /// The operation.
    pub operation: &'a Operation,
    /// What it left.
    pub state: &'a State,
}

/// Takes operations that were done.
pub type Observer = fn(&SurfaceStep);

/// The reference model of surface formats and pixel operations.
#[derive(Debug, Default)]
pub struct Reference {
    observer: Option<Observer>,
    case: Option<Case>,
    state: Box<State>,
    expectations: Vec<Expectation>,
}

/// What an operation leaves, and where that is not exact.
#[derive(Default)]
struct Effect {
    state: Box<State>,
    expectations: Vec<Expectation>,
}

impl Reference {
    /// A reference without a case.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, lending to an observer each operation that it has done.
    #[must_use]
    pub fn observed_by(mut self, observer: Observer) -> Self {
        self.observer = Some(observer);
        self
    }
}

impl Model for Reference {
    type Machine = Surface;

    const NAME: &'static str = "reference";

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        if let Some(palette) = case.palettes.iter().find(|palette| palette.len() > 256) {
            let entries = palette.len();
            return Err(LoadError::Case(format!("a palette has {entries} entries, more than 256")));
        }
        for (offset, operation) in case.operations.iter().enumerate() {
            let Some(format) = operation.format() else { continue };
            lookup::code(case.device, format.into())
                .map_err(|error| LoadError::Instruction { offset, message: error.to_string() })?;
        }
        let observer = self.observer;
        *self = Self { observer, case: Some(case.clone()), ..Self::default() };
        Ok(())
    }

    /// Does the next operation. One that cannot be done (bytes that are not one block, a format
    /// not for this) ends the run as undefined and changes nothing.
    fn step(&mut self) -> Step {
        self.expectations.clear();
        let Some(case) = &self.case else { return Step::Finished(Outcome::Halted) };
        let done = self.state.done;
        let Some(operation) = case.operations.get(done as usize) else {
            return Step::Finished(Outcome::Halted);
        };
        match perform(case, operation) {
            Ok(effect) => {
                self.state = effect.state;
                self.state.done = done + 1;
                self.expectations = effect.expectations;
                if let Some(observe) = self.observer {
                    observe(&SurfaceStep { device: case.device, operation, state: &self.state });
                }
                Step::Continue
            }
            Err(error) => Step::Finished(Outcome::Undefined(error.to_string())),
        }
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl parallax_isa::Reference<Surface> for Reference {
    fn expectations(&self) -> &[Expectation] {
        &self.expectations
    }

    /// Exact is what has a bit set outside of what is open: an operation starts from zero.
    fn is_exact(&self) -> bool {
        let mut open = self.expectations.iter().filter(|e| !e.acceptance.is_exact()).peekable();
        if open.peek().is_none() {
            return true;
        }
        let mut exact = *self.state;
        exact.done = 0;
        open.for_each(|open| open.extent.write(exact.image_mut(), 0));
        exact.image() != State::default().image()
    }
}

/// Does one operation.
fn perform(case: &Case, operation: &Operation) -> Result<Effect, SurfaceError> {
    let device = case.device;
    let format = |code: &u16| Ok::<_, SurfaceError>(lookup::code(device, u32::from(*code))?);
    let [first, second] = &case.palettes;
    let view = View { palettes: [first, second], ..View::default() };
    match operation {
        Operation::Decode { format: code, bytes, border_mode, linearise, fetch, select } => {
            let view = View {
                border_mode: *border_mode,
                linearise: *linearise,
                fetch: *fetch,
                select: *select,
                ..view
            };
            Ok(decoded(&decode(format(code)?, bytes, &view)?))
        }
        Operation::Encode { format: code, texels, fetch } => {
            let format = format(code)?;
            let types = natural_types(format, fetch)?;
            let typed =
                |bits: &[u64; 4]| Texel(std::array::from_fn(|n| of_type(types[n], bits[n])));
            let texels: Vec<_> = texels.iter().map(typed).collect();
            Ok(written(format, fetch, &encode(format, &texels, fetch)?))
        }
        Operation::WritePixel { format: code, output, source, second_source, stored } => {
            let format = format(code)?;
            let bytes = write_pixel(format, output, *source, *second_source, stored)?;
            Ok(written(format, &Fetch::default(), &bytes))
        }
        Operation::Test {
            stencil,
            stored_stencil,
            depth_function,
            depth_format,
            depth,
            stored_depth,
        } => {
            let mut effect = Effect::default();
            let depth_passes =
                comparison::depth_test(*depth_function, *depth_format, *depth, *stored_depth);
            let (passes, left) =
                comparison::stencil_and_depth(*stencil, *stored_stencil, depth_passes);
            effect.state.result = passes.into();
            effect.state.bytes[0] = left;
            let kept = comparison::store_depth(*depth_format, *depth);
            effect.state.bytes[4..8].copy_from_slice(&kept.to_le_bytes());
            Ok(effect)
        }
        Operation::Shadow { format: code, function, texel, reference } => {
            let bits = comparison::shadow(device, *function, format(code)?, *texel, *reference);
            Ok(result(bits.into()))
        }
        Operation::ChromaKey { format: code, bytes, next, key } => {
            let matching =
                chroma_key::matches(device, format(code)?, bytes, next.as_deref(), &view, *key)?;
            let bits = matching.iter().enumerate().map(|(n, &matches)| u64::from(matches) << n);
            Ok(result(bits.sum()))
        }
        Operation::Coordinate { size: 0, .. } => Err(SurfaceError::EmptyMap),
        Operation::Coordinate { mode, index, size } => {
            Ok(result(match coordinates::place(*mode, i64::from(*index), *size) {
                Place::Texel(index) => index.into(),
                Place::Border => 1 << 32,
                Place::HalfBorder(index) => 2 << 32 | u64::from(index),
                Place::AdjacentFace => 3 << 32,
            }))
        }
    }
}

/// A channel's bits as a value; those above its width are dropped.
fn of_type(natural: Natural, bits: u64) -> Value {
    let bits = match natural.bits() {
        0 => 0,
        64 => bits,
        _ => bits & u64::from(u32::MAX),
    };
    Value { natural, bits }
}

fn result(result: u64) -> Effect {
    let mut effect = Effect::default();
    effect.state.result = result;
    effect
}

/// The effect of a decoded block. Which NaN a NaN becomes is not for engines to agree on.
fn decoded(texels: &[Texel]) -> Effect {
    // Decision D-surface-small-float-nan.
    let mut effect = Effect::default();
    for (index, texel) in texels.iter().enumerate() {
        effect.state.set_texel(index, *texel);
        for (channel, value) in texel.0.iter().enumerate() {
            if value.natural == Natural::Float32 && float::is_nan(value.bits as u32) {
                let extent = Extent::whole((index * 4 + channel) * 8, 4);
                effect.expectations.push(Expectation { extent, acceptance: Acceptance::AnyNan32 });
            }
        }
    }
    effect
}

/// The effect of written bytes: bits no component uses are not defined, nor is which NaN a float
/// component holds.
fn written(format: &Format, fetch: &Fetch, bytes: &[u8]) -> Effect {
    let mut effect = Effect::default();
    effect.state.bytes[..bytes.len()].copy_from_slice(bytes);
    let Layout::Plain(components) = fetch::resolve(&format.layout, fetch) else { return effect };
    // Swapped bytes are not where the layout says.
    if fetch.endian_swap.code() != 0 {
        return effect;
    }
    for component in components {
        effect.expectations.extend(open_parts(component, bytes).into_iter().map(in_state));
    }
    effect
}

/// An expectation for bytes of a pixel, for those of the state.
fn in_state(Expectation { extent, acceptance }: Expectation) -> Expectation {
    Expectation { extent: Extent { offset: extent.offset + BYTES as u32, ..extent }, acceptance }
}

/// What is accepted in the bytes of a pixel after a write to some of its components.
pub(crate) fn open_after_write(
    format: &Format,
    bytes: &[u8],
    is_written: impl Fn(Component) -> bool,
) -> Vec<Expectation> {
    let components = format.layout.components().filter(|component| is_written(*component));
    components.flat_map(|component| open_parts(component, bytes)).collect()
}

/// What is accepted in a component after a write: of padding anything, of a NaN any other NaN.
fn open_parts(component: Component, bytes: &[u8]) -> Vec<Expectation> {
    let stored = field::extract(bytes, component.offset, component.bits);
    let (byte, shift) = (usize::from(component.offset / 8), component.offset % 8);
    let span = (usize::from(shift) + usize::from(component.bits)).div_ceil(8);
    let part = |mask: u64, acceptance| Expectation {
        extent: Extent { mask: mask << shift, ..Extent::whole(byte, span) },
        acceptance,
    };
    let float = match (component.numeric, component.bits) {
        (Numeric::Pad, bits) => {
            return vec![part(u64::MAX >> (64 - bits), Acceptance::Undefined)];
        }
        (Numeric::Float, 16) => FloatFormat::BINARY16,
        (Numeric::Float, 32) => FloatFormat::BINARY32,
        (Numeric::Ufloat, bits) => FloatFormat::unsigned(bits.into()),
        _ => return Vec::new(),
    };
    if !float.decode(stored & (u64::MAX >> (64 - u32::from(component.bits)))).is_nan() {
        return Vec::new();
    }
    // Decision D-surface-small-float-nan.
    let fraction = part((1 << float.fraction_bits) - 1, Acceptance::NonZero);
    match float.sign(true) {
        0 => vec![fraction],
        sign => vec![fraction, part(sign, Acceptance::Undefined)],
    }
}

#[cfg(test)]
mod tests {
    use parallax_isa::{
        Device, Image, Reference as _,
        surface::{BorderMode, named, operation::Output},
    };

    use super::*;

    fn code(name: &str) -> u16 {
        named(Some(Device::G45), name).expect("exists").1.code
    }

    fn decode_case(name: &str, bytes: &[u8]) -> Case {
        let operation = Operation::Decode {
            format: code(name),
            bytes: bytes.to_vec(),
            border_mode: BorderMode::Dx10Ogl,
            linearise: true,
            fetch: Fetch::default(),
            select: None,
        };
        Case {
            device: Device::G45,
            palettes: [Vec::new(), Vec::new()],
            operations: vec![operation],
        }
    }

    #[test]
    fn operations_are_steps() {
        let mut case = decode_case("R8_UNORM", &[255]);
        case.operations.push(Operation::WritePixel {
            format: code("B5G5R5X1_UNORM"),
            output: Output::default(),
            source: [0x3F80_0000; 4],
            second_source: [0; 4],
            stored: vec![0, 0],
        });
        let mut reference = Reference::new();
        reference.load(&case).expect("loads");
        assert_eq!(case.describe_next(reference.state()), "decode R8_UNORM ff");
        assert_eq!(reference.step(), Step::Continue);
        assert!(case.describe_next(reference.state()).ends_with("B5G5R5X1_UNORM holding 00 00"));
        assert_eq!(reference.state().texels[0], [0x3F80_0000, 0, 0, 0x3F80_0000]);
        assert_eq!(reference.state().types[0], [1; 4]);
        assert_eq!(reference.step(), Step::Continue);
        assert_eq!(reference.state().texels[0], [0; 4], "only the last effect is there");
        assert_eq!(reference.state().bytes[..2], [0xFF, 0x7F]);
        // The X bit is not defined.
        let &[expectation] = reference.expectations() else { panic!("one place") };
        let mut other = *reference.state();
        other.bytes[1] = 0xFF;
        assert_eq!(expectation.acceptance, Acceptance::Undefined);
        assert_eq!(expectation.extent.read(other.image()), 0x80);
        parallax_isa::Engine::adopt(&mut reference, expectation.extent, &other)
            .expect("it is a model");
        assert_eq!(reference.state().bytes[1], 0xFF);
        assert_eq!(reference.step(), Step::Finished(Outcome::Halted));
        assert_eq!(case.describe_next(reference.state()), "end");
    }

    #[test]
    fn any_nan_will_do() {
        let mut reference = Reference::new();
        reference.load(&decode_case("R16G16_FLOAT", &[0, 0, 1, 0x7C])).expect("loads");
        reference.step();
        let expectation = reference.expectations()[0];
        assert_eq!(expectation.acceptance, Acceptance::AnyNan32);
        assert_eq!(expectation.extent.range(), 8..12);
    }

    #[test]
    fn impossible_operations_end_the_run() {
        let mut reference = Reference::new();
        reference.load(&decode_case("R8_UNORM", &[1, 2])).expect("the format exists");
        let Step::Finished(Outcome::Undefined(why)) = reference.step() else { panic!("refused") };
        assert!(why.contains("1 byte"), "{why}");
        let mut unknown = decode_case("R8_UNORM", &[1]);
        let Operation::Decode { format, .. } = &mut unknown.operations[0] else { unreachable!() };
        *format = 0x1FE;
        assert!(matches!(reference.load(&unknown), Err(LoadError::Instruction { offset: 0, .. })));
        let mut long = decode_case("R8_UNORM", &[1]);
        long.palettes[1] = vec![0; 257];
        assert!(matches!(reference.load(&long), Err(LoadError::Case(_))));
    }
}
