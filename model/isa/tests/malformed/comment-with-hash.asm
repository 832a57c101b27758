# a comment of another assembler
nop ; and another
