// The reference was wrong: the second half writes over three bytes of an element that the first half leaves open, and
// what remained of it, one byte of either zero, was compared exactly.
rnde.sat (16) r[a0.6,-1]<1>:f -(abs)r9<0;1,0>:f {Compr, NoMask}
