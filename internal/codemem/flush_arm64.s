//go:build linux

#include "textflag.h"

// func flushLines(at, end uintptr)
TEXT ·flushLines(SB), NOSPLIT, $0-16
	MOVD	at+0(FP), R0
	MOVD	end+8(FP), R1
	MOVD	R0, R2
clean:
	CMP	R1, R0
	BHS	cleaned
	WORD	$0xd50b7b20 // dc cvau, x0
	ADD	$16, R0
	B	clean
cleaned:
	WORD	$0xd5033b9f // dsb ish
	MOVD	R2, R0
invalidate:
	CMP	R1, R0
	BHS	done
	WORD	$0xd50b7520 // ic ivau, x0
	ADD	$16, R0
	B	invalidate
done:
	WORD	$0xd5033b9f // dsb ish
	WORD	$0xd5033fdf // isb
	RET
