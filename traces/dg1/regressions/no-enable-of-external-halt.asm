// The reference was wrong: cr0.1 of Gen12 has no bit 14, as that of Gen7 and Gen9 has none.
mov (2|M0) cr0.0<1>:ud 0x00004080:ud {NoMask}
