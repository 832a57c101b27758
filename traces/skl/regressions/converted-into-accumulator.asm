// The reference was wrong: a channel that is converted on its way to an accumulator may have its place by
// either type.
// record: --set r11:f=3
mov (16|M0) acc0<1>:w r11.0<0;1,0>:f {NoMask}
