//! What is done to texels and pixels on their way: keyed, compared, blended, stored.

mod blend;
pub(super) mod chroma_key;
pub(super) mod comparison;
pub(super) mod coordinates;
pub(super) mod render_target;
pub mod vertex;
