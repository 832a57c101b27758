// Each of 16 pixels reads an element of an array in r2 to r9: byte address = index * 32 +
// channel * 4, through one address subregister per channel.
// G45 volume 4, section 15.2 (indexed register fetch).
mov (8) r20<1>:w 0x76543210:v
shl (8) r21<1>:w r20<8;8,1>:w 0x0002:uw
shl (8) r22<1>:w r0<16;8,2>:w 0x0005:uw
add (8) r22<1>:w r22<8;8,1>:w r21<8;8,1>:w
shl (8) r23<1>:w r1<16;8,2>:w 0x0005:uw
add (8) r23<1>:w r23<8;8,1>:w r21<8;8,1>:w
mov (8) a0.0<1>:uw r22<8;8,1>:uw
mov (8) r24<1>:ud r[a0.0,64]<1,0>:ud
mov (8) a0.0<1>:uw r23<8;8,1>:uw
mov (8) r25<1>:ud r[a0.0,64]<1,0>:ud
