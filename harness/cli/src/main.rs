//! `parallax`: differential testing of GPU instruction sets from the command line.

fn main() {}
