//! Resources behind others that nothing reads, so that every bit of their numbers counts.

use std::iter::repeat_with;

use parallax_isa::r700::{
    Case, Fetch,
    case::VertexBuffer,
    microcode::{SemanticFetch, TextureFetch, VertexFetch},
    program::Clause,
    sampler::{MOST_SAMPLERS, Sampler},
    texture::Texture,
};

use super::super::layout::Item;
use crate::choices::Choices;

/// Numbers that the first textures and vertex buffers get.
const FIRST: [u32; 4] = [128, 192, 96, 31];

/// Puts now and then what fetches read behind other resources.
pub(super) fn put(choices: &mut Choices, case: &mut Case, items: &mut [Item]) {
    if !choices.sometimes(24) {
        return;
    }
    let first = *choices.pick(&FIRST);
    let sets = [&mut case.constants, &mut case.alternate_constants];
    let samplers = sets.iter().map(|set| set.samplers.len()).max().unwrap_or(0);
    let first_sampler = MOST_SAMPLERS - samplers;
    for set in sets {
        before(&mut set.textures, first as usize, Texture::default);
        before(&mut set.vertex_buffers, first as usize, VertexBuffer::default);
        if !set.samplers.is_empty() {
            before(&mut set.samplers, first_sampler, Sampler::default);
        }
    }
    for item in items {
        let Some(Clause::Fetch(_, fetches)) = &mut item.clause else { continue };
        for fetch in fetches {
            match fetch {
                Fetch::Vertex(word) => {
                    *word = word.with(VertexFetch::BUFFER_ID, word.buffer_id() + first);
                }
                Fetch::Semantic(word) => {
                    *word = word.with(SemanticFetch::BUFFER_ID, word.buffer_id() + first);
                }
                Fetch::Texture(word) => {
                    let resource = word.resource_id() + first;
                    let sampler =
                        word.sampler_id() + if samplers > 0 { first_sampler as u32 } else { 0 };
                    *word = word
                        .with(TextureFetch::RESOURCE_ID, resource)
                        .with(TextureFetch::SAMPLER_ID, sampler);
                }
                _ => {}
            }
        }
    }
}

fn before<T>(list: &mut Vec<T>, count: usize, other: impl FnMut() -> T) {
    list.splice(0..0, repeat_with(other).take(count));
}
