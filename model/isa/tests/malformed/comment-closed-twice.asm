/* one */ */
nop
