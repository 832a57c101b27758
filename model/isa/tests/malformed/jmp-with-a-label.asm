jmp END
END: nop
