send (8) r10<1>:f m14 null 0x05510001
