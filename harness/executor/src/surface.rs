//! Surface formats and pixel operations, fast: rows of texels decoded and encoded by code made for
//! their format.

pub mod blocks;
