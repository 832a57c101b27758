.declare Trans ElementSize=4 Type=f
mov (8) r10<1>:f Trans(1)
