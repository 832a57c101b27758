//! The banks of each machine and their bytes, as the protocol page lists them.

/// Banks by name, with their bytes.
pub type Banks = &'static [(&'static str, usize)];

/// Banks of execution units.
pub const EU_BANKS: Banks = &[
    ("r", 4096),
    ("m", 512),
    ("acc", 1024),
    ("tmevent", 8),
    ("ms", 32),
    ("pcip", 128),
    ("a", 32),
    ("f", 8),
    ("mask", 8),
    ("msd", 4),
    ("sr", 16),
    ("cr", 12),
    ("n", 8),
    ("n0", 12),
    ("tdr0", 16),
    ("ip", 4),
    ("mem", 8192),
    ("slm", 65536),
    ("gmem", 16384),
    ("urb", 24576),
    ("other", 4096),
    ("othern", 8),
];

/// Banks of R700.
pub const R700_BANKS: Banks = &[
    ("R", 131_072),
    ("G", 8192),
    ("PV", 1024),
    ("PS", 256),
    ("AR", 512),
    ("EXPORT", 36_864),
    ("MEM", 16_384),
    ("LDS", 16_384),
    ("emitted", 256),
    ("cut", 256),
    ("stack", 3584),
    ("exported", 8),
    ("valid", 8),
    ("active", 8),
    ("inactive-continue", 8),
    ("inactive-break", 8),
    ("predicate", 8),
    ("executing", 8),
    ("execute-set", 8),
    ("execute-value", 8),
    ("loop.count", 4),
    ("aL", 4),
    ("loop.increment", 4),
    ("loop.kind", 4),
    ("stack-depth", 4),
    ("call-depth", 4),
    ("cf", 4),
    ("group", 4),
    ("in-clause", 4),
    ("reserved", 4),
];

/// Banks of surfaces.
pub const SURFACE_BANKS: Banks =
    &[("texel", 1024), ("type", 128), ("byte", 32), ("result", 8), ("done", 8)];

/// Banks of fixed functions of Gen4.
pub const UNITS_BANKS: Banks = &[("answer", 4096), ("length", 8), ("done", 8)];

/// Banks of enumerations of DG1.
pub const ENUMS_BANKS: Banks = &[("answer", 4096), ("length", 8), ("done", 8)];
