package ptxsim

import (
	"context"
	"strings"
	"testing"
)

// globalKernel has 64 threads: %rd2 is the place of each in the buffer, %rd3 that of its neighbour in the
// same warp (the other of a pair), %rd4 that of the thread with the same lane of the other warp, %rd0 the
// first; %r0 is the thread's number.
const globalKernel = `
.version 8.3
.target sm_90a
.address_size 64
.extern .shared .align 16 .b8 smem[];
.visible .entry k(.param .u64 p)
.reqntid 64
{
	.reg .pred %p<3>;
	.reg .b32 %r<20>;
	.reg .b64 %rd<9>;
	ld.param.u64 %rd0, [p];
	mov.u32 %r0, %tid.x;
	xor.b32 %r1, %r0, 1;
	xor.b32 %r2, %r0, 32;
	mul.wide.u32 %rd1, %r0, 4;
	add.s64 %rd2, %rd0, %rd1;
	mul.wide.u32 %rd1, %r1, 4;
	add.s64 %rd3, %rd0, %rd1;
	mul.wide.u32 %rd1, %r2, 4;
	add.s64 %rd4, %rd0, %rd1;
	mov.b32 %r3, 7;
	mov.b32 %r8, 0;
	setp.lt.u32 %p1, %r0, 1;
	mul.lo.u32 %r5, %r0, 16;
	mov.u32 %r6, smem;
	add.u32 %r5, %r5, %r6;
	mul.wide.u32 %rd6, %r0, 16;
	add.s64 %rd6, %rd0, %rd6;
	BODY
	ret;
}
`

// TestGlobalRaces: accesses to global memory are in order within a program, or an error.
func TestGlobalRaces(t *testing.T) {
	const (
		store, swap  = "st.global.b32 [%rd2], %r0;\n", "st.global.b32 [%rd3], %r0;\n"
		own, pair    = "ld.global.b32 %r4, [%rd2];\n", "ld.global.b32 %r4, [%rd3];\n"
		far          = "ld.global.b32 %r4, [%rd4];\n"
		bar, warp    = "bar.sync 0;\n", "bar.warp.sync -1;\n"
		add, addPair = "atom.global.add.u32 %r4, [%rd2], 1;\n", "atom.global.add.u32 %r4, [%rd3], 1;\n"
		all, same    = "st.global.b32 [%rd0], %r0;\n", "st.global.b32 [%rd0], %r3;\n"
		cp           = "cp.async.cg.shared.global [%r5], [%rd6], 16;\ncp.async.commit_group;\n"
		wait         = "cp.async.wait_group 0;\n"
		ignored      = "setp.lt.u32 %p2, %r0, 99;\ncp.async.cg.shared.global [%r5], [%rd6], 16, %p2;\n" +
			"cp.async.commit_group;\n"
		loop = "L1:\nst.global.b32 [%rd2], %r8;\nmov.b64 %rd2, %rd3;\nadd.u32 %r8, %r8, 1;\n" +
			"setp.lt.u32 %p2, %r8, 2;\nBAR@%p2 bra L1;\n"
	)
	for _, c := range []struct{ name, body, want string }{
		{"own element", store + own + store + own, ""},
		{"read after write", store + pair, "no barrier lies between"},
		{"read after write, another warp", store + far, "no barrier lies between"},
		{"a barrier between", store + bar + far + bar + store, ""},
		{"the warp's barrier between", store + warp + pair + warp + store, ""},
		{"the warp's barrier is not for others", store + warp + far, "no barrier lies between"},
		{"write after read", pair + store, "no barrier lies between"},
		{"write after read, another warp", far + warp + store, "no barrier lies between"},
		{"write after reads of all", "ld.global.b32 %r4, [%rd0];\n" + warp + "@%p1 " + same,
			"no barrier lies between"},
		{"write after reads of all, ordered", "ld.global.b32 %r4, [%rd0];\n" + bar + "@%p1 " + same, ""},
		{"write after write", store + swap, "was written with another value by thread"},
		{"write after write, ordered", store + warp + swap, ""},
		{"one store, many threads", all, ""},
		{"one value", same + same, ""},
		{"a store in a loop", strings.Replace(loop, "BAR", "", 1),
			"was written with another value by thread"},
		{"a store in a loop, ordered", strings.Replace(loop, "BAR", warp, 1), ""},
		{"atomics", add + addPair, ""},
		{"a load after an atomic", add + pair, "no barrier lies between"},
		{"an atomic after a load", pair + add, "no barrier lies between"},
		{"an atomic after a store", store + addPair, "no barrier lies between"},
		{"a copy", cp + wait, ""},
		{"a copy after a store", store + cp + wait, "no barrier lies between"},
		{"a copy that reads nothing", store + ignored + wait, ""},
		{"a copy after a store, ordered", store + bar + cp + wait, ""},
		{"a store while a copy runs", cp + bar + store + wait, "was written while it was copied"},
		{"a store after a copy", cp + wait + store, "no barrier lies between"},
		{"a store after a copy, ordered", cp + wait + bar + store, ""},
	} {
		for _, backward := range []bool{false, true} {
			l := Launch{Order: Order{Backward: backward}}
			if err := runGlobalKernel(t, c.body, l); !wants(err, c.want) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
		}
		if err := runGlobalKernel(t, c.body, Launch{NoRaces: true}); err != nil {
			t.Errorf("%s, unwatched: %v", c.name, err)
		}
	}
	if err := runGlobalKernel(t, all, Launch{Strict: true}); !wants(err,
		"was written with another value by thread") {
		t.Errorf("one store, strict: %v", err)
	}
}

func wants(err error, text string) bool {
	if text == "" || err == nil {
		return text == "" && err == nil
	}
	return strings.Contains(err.Error(), text)
}

func runGlobalKernel(t *testing.T, body string, l Launch) error {
	t.Helper()
	m, err := Parse([]byte(strings.Replace(globalKernel, "BODY", body, 1)))
	if err != nil {
		t.Fatal(err)
	}
	mem := NewMemory()
	l.Kernel, l.Grid, l.Shared, l.Args, l.Memory = "k", [3]int{2, 1, 1}, 1024,
		[]uint64{mem.Alloc(make([]byte, 1024))}, mem
	return m.Run(context.Background(), &l)
}
