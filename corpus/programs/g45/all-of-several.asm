// Two conditions, of which both have to hold, combined vertically over both flag subregisters.
// G45 volume 4, section 15.2 (compound conditions).
cmp.g.f0.0 (8) null<1>:d r0<8;8,1>:d r1<8;8,1>:d
cmp.g.f0.1 (8) null<1>:d r2<8;8,1>:d r3<8;8,1>:d
(f0.0.allv) if (8) END
mov (8) r10<1>:d 1:d
END: endif (8) 0 pop 1
