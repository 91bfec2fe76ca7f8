//go:build !nereid_static

#include "textflag.h"

GLOBL ·frameCall(SB), NOPTR|RODATA, $8
DATA ·frameCall(SB)/8, $frameCall<>(SB)

// frameCall takes a *Frame as C functions take their first argument, on a stack that is aligned as C's are: six arguments go to
// registers, five to the stack.
TEXT frameCall<>(SB), NOSPLIT, $64
	MOVQ DI, 48(SP)
	MOVQ DI, R11
	MOVQ 56(R11), AX
	MOVQ AX, 0(SP)
	MOVQ 64(R11), AX
	MOVQ AX, 8(SP)
	MOVQ 72(R11), AX
	MOVQ AX, 16(SP)
	MOVQ 80(R11), AX
	MOVQ AX, 24(SP)
	MOVQ 88(R11), AX
	MOVQ AX, 32(SP)
	MOVQ 8(R11), DI
	MOVQ 16(R11), SI
	MOVQ 24(R11), DX
	MOVQ 32(R11), CX
	MOVQ 40(R11), R8
	MOVQ 48(R11), R9
	XORL AX, AX
	MOVQ 0(R11), R10
	CALL R10
	MOVQ 48(SP), DI
	MOVQ AX, 96(DI)
	XORL AX, AX
	RET
