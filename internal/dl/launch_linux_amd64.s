//go:build !nereid_static

#include "textflag.h"

GLOBL ·launchCall(SB), NOPTR|RODATA, $8
DATA ·launchCall(SB)/8, $launchCall<>(SB)

// launchCall takes a *Launch as C functions take their first argument, on a stack that is aligned as C's are. Its frame has five
// arguments and then the pointers to the words: 16 always, without a branch that would be guessed wrong, since most kernels have fewer.
TEXT launchCall<>(SB), NOSPLIT, $432
	MOVQ 32(DI), AX // Words
	LEAQ 8(AX), BX
	MOVQ AX, X0
	MOVQ BX, X1
	MOVL $16, BX
	PUNPCKLQDQ X1, X0
	MOVQ BX, X1
	PUNPCKLQDQ X1, X1
	MOVUPS X0, 48(SP)
	PADDQ X1, X0
	MOVUPS X0, 64(SP)
	PADDQ X1, X0
	MOVUPS X0, 80(SP)
	PADDQ X1, X0
	MOVUPS X0, 96(SP)
	PADDQ X1, X0
	MOVUPS X0, 112(SP)
	PADDQ X1, X0
	MOVUPS X0, 128(SP)
	PADDQ X1, X0
	MOVUPS X0, 144(SP)
	PADDQ X1, X0
	MOVUPS X0, 160(SP)
	MOVL 20(DI), BX // N
	CMPL BX, $16
	JHI  more

call:
	MOVQ 0(DI), R11  // Kernel
	MOVL 32(R11), AX // block.z
	MOVL 36(R11), BX // shared
	MOVQ AX, 0(SP)
	MOVQ BX, 8(SP)
	MOVQ 24(DI), AX // Stream
	LEAQ 48(SP), BX
	MOVQ AX, 16(SP)
	MOVQ BX, 24(SP)
	XORL AX, AX
	MOVQ AX, 32(SP)
	MOVL 24(R11), R8 // block.x
	MOVL 28(R11), R9 // block.y
	MOVL 12(DI), DX
	MOVL 16(DI), CX
	MOVL 8(DI), SI // Grid
	MOVQ 16(R11), DI // function
	MOVQ 8(R11), R10 // fn
	CALL R10
	RET

more:
	LEAQ 128(AX), AX
	MOVL $16, CX

next:
	MOVQ AX, 48(SP)(CX*8)
	ADDQ $8, AX
	INCL CX
	CMPL CX, BX
	JLO  next
	JMP  call
