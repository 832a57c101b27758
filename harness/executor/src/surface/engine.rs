//! The executor as an engine: one operation a step.

use parallax_isa::{
    LoadError, Model, Outcome, Step,
    surface::{Case, Operation, State, Surface},
};

use super::{
    blocks::sampled,
    decode::{Decoder, Refused, View},
    encode::Encoder,
    encodings,
    pixels::{chroma_key, comparison, coordinates, render_target::Writer},
};

/// Runs the operations of a case.
#[derive(Debug)]
pub struct Executor {
    case: Option<Case>,
    state: State,
}

impl Default for Executor {
    fn default() -> Self {
        Self::new()
    }
}

impl Executor {
    /// An executor without a case.
    #[must_use]
    pub fn new() -> Self {
        Self { case: None, state: State::default() }
    }
}

impl Model for Executor {
    type Machine = Surface;

    const NAME: &'static str = "executor";

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        if case.palettes.iter().any(|palette| palette.len() > 256) {
            return Err(LoadError::Case("a palette has more than 256 entries".to_owned()));
        }
        for (offset, operation) in case.operations.iter().enumerate() {
            if let Some(code) = operation.format()
                && encodings::name(case.device, code).is_none()
            {
                let message = format!("no format has the encoding {code:#x}");
                return Err(LoadError::Instruction { offset, message });
            }
        }
        self.case = Some(case.clone());
        self.state = State::default();
        Ok(())
    }

    /// Does one operation.
    fn step(&mut self) -> Step {
        let next = usize::try_from(self.state.done).unwrap_or(usize::MAX);
        let case = self.case.as_ref();
        let Some((case, operation)) = case.and_then(|c| Some((c, c.operations.get(next)?))) else {
            return Step::Finished(Outcome::Halted);
        };
        match perform(case, operation) {
            Ok(state) => {
                self.state = State { done: self.state.done + 1, ..state };
                Step::Continue
            }
            Err(Refused(why)) => Step::Finished(Outcome::Undefined(why.to_owned())),
        }
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

/// What an operation leaves.
fn perform(case: &Case, operation: &Operation) -> Result<State, Refused> {
    let name = |format: u16| {
        encodings::name(case.device, format).ok_or(Refused("the encoding is not assigned"))
    };
    let mut state = State::default();
    match operation {
        Operation::Decode { format, bytes, border_mode, linearise, fetch, select } => {
            let view = View {
                border_mode: *border_mode,
                linearise: *linearise,
                palettes: case.palettes.each_ref().map(Vec::as_slice),
                fetch: *fetch,
                select: *select,
            };
            decode_block(case, name(*format)?, &view, bytes, &mut state)?;
        }
        Operation::Encode { format, texels, fetch } => {
            let encoder = Encoder::new(case.device, name(*format)?, fetch)?;
            if texels.len() != encoder.texels() {
                return Err(Refused("the texels are not those of a block"));
            }
            encoder.rows64(texels, &mut state.bytes[..encoder.bytes()]);
        }
        Operation::WritePixel { format, output, source, second_source, stored } => {
            let colours = [*source, *second_source];
            let element =
                Writer::new(case.device, name(*format)?)?.write(output, colours, stored)?;
            state.bytes[..element.len()].copy_from_slice(&element);
        }
        Operation::Test {
            stencil,
            stored_stencil,
            depth_function,
            depth_format,
            depth,
            stored_depth,
        } => {
            let depths = (*depth, *stored_depth);
            let (passes, left, kept) = comparison::stencil_and_depth(
                stencil,
                *stored_stencil,
                *depth_function,
                *depth_format,
                depths,
            );
            state.result = passes.into();
            state.bytes[0] = left;
            state.bytes[4..8].copy_from_slice(&kept.to_le_bytes());
        }
        Operation::Shadow { format, function, texel, reference } => {
            let operands = [*texel, *reference];
            let result = comparison::shadow(case.device, name(*format)?, *function, operands)?;
            state.result = result.into();
        }
        Operation::ChromaKey { format, bytes, next, key } => {
            let name = name(*format)?;
            state.result = chroma_key::matches(case.device, name, bytes, next.as_deref(), *key)?;
        }
        Operation::Coordinate { mode, index, size } => {
            if *size == 0 {
                return Err(Refused("a map has at least one texel"));
            }
            state.result = coordinates::place(*mode, *index, *size);
        }
    }
    Ok(state)
}

/// Decodes one block of a format of any kind.
fn decode_block(
    case: &Case,
    name: &str,
    view: &View,
    bytes: &[u8],
    state: &mut State,
) -> Result<(), Refused> {
    if let Some(family) = sampled::family(name, view) {
        let block = sampled::decode(case.device, name, family, view, bytes)?;
        state.texels = block.texels;
        for types in &mut state.types[..block.count] {
            *types = block.types.map(|natural| natural as u8 + 1);
        }
        return Ok(());
    }
    let decoder = Decoder::new(case.device, name, view)?;
    if bytes.len() != decoder.bytes() {
        return Err(Refused("the bytes are not one block"));
    }
    let texels = decoder.texels();
    decoder.rows64(bytes, &mut state.texels[..texels])?;
    for types in &mut state.types[..texels] {
        *types = decoder.types().map(|natural| natural as u8 + 1);
    }
    Ok(())
}
