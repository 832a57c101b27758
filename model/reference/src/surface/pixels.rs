//! What is done to texels and pixels on their way: keyed, compared, blended, stored.

pub mod blend;
pub mod chroma_key;
pub mod comparison;
pub mod coordinates;
pub mod render_target;
pub mod vertex;
