//! What is done to texels and pixels on their way: keyed, compared, blended, stored.

mod blend;
pub(crate) mod chroma_key;
pub(crate) mod comparison;
pub(super) mod coordinates;
pub(crate) mod render_target;
pub mod vertex;
