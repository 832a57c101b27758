goto END
END: nop
