// A message in two parts to the sampler: header in r8, level of detail in r9, reply in r4 to r7.
// Gen ISA talk, sends.
sends (8|M0) r4:ud r8 r9 0x42 0x24AA019
