// The executor was wrong: channels that Align16 leaves out of a message were in it.
// record: --set r111=ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff --set r33:ud=0,4,8,12,16,20,24,28
send (8|M0) r111.0<1>.xz:ud r33 0xc 0x02106e02 {Align16}
