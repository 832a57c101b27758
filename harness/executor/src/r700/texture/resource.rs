//! The resource and the sampler that an instruction names.

use parallax_isa::r700::{Case, case::Constants, sampler::Sampler, texture::Texture};

use super::super::decode::TextureFetch;

fn constants<'a>(fetch: &TextureFetch, case: &'a Case) -> &'a Constants {
    if fetch.alternate { &case.alternate_constants } else { &case.constants }
}

pub(super) fn texture<'a>(fetch: &TextureFetch, case: &'a Case) -> Option<&'a Texture> {
    constants(fetch, case).textures.get(usize::from(fetch.resource))
}

pub(super) fn sampler<'a>(fetch: &TextureFetch, case: &'a Case) -> Option<&'a Sampler> {
    constants(fetch, case).samplers.get(usize::from(fetch.sampler))
}
