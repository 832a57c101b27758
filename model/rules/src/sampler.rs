//! Conditions on messages to the Sampling Engine of all generations, and on what is sampled for their pixels.

mod pixel;
mod step;

pub(crate) use parallax_reference::eu::sampler::{Kind, Mode, Parameter};
pub(crate) use pixel::{
    ANISOTROPIC, CENTRE, CLAMP, CLAMP_BORDER, LINEAR, MIRROR, MIRROR_ONCE, MONO, NEAREST, Pixel,
    SEAMLESS, WRAP,
};
pub(crate) use step::{BUFFER, CUBE, LINE, PLANE, Sample, VOLUME};
