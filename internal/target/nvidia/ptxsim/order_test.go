package ptxsim

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// TestTurns: what a kernel without a barrier reads depends on the order of its warps, and random turns
// depend on their seed alone.
func TestTurns(t *testing.T) {
	body := "st.global.b32 [%rd2], %r0;\n" + strings.Repeat("add.u32 %r8, %r8, 1;\n", 30) +
		"ld.global.b32 %r4, [%rd4];\nst.global.b32 [%rd2+256], %r4;\n"
	m, err := Parse([]byte(strings.Replace(globalKernel, "BODY", body, 1)))
	if err != nil {
		t.Fatal(err)
	}
	run := func(l Launch) []byte {
		l.Kernel, l.Grid, l.NoRaces, l.Memory = "k", [3]int{1, 1, 1}, true, NewMemory()
		out := make([]byte, 512)
		l.Args = []uint64{l.Memory.Alloc(out)}
		if err := m.Run(context.Background(), &l); err != nil {
			t.Fatal(err)
		}
		return out[256:]
	}
	forward, backward := run(Launch{}), run(Launch{Backward: true})
	if slices.Equal(forward, backward) {
		t.Error("the order of the warps makes no difference")
	}
	between := 0
	for seed := range uint64(20) {
		got := run(Launch{Turns: seed + 1})
		if !slices.Equal(got, run(Launch{Turns: seed + 1})) {
			t.Errorf("two runs with the seed %d differ", seed+1)
		}
		if !slices.Equal(got, forward) && !slices.Equal(got, backward) {
			between++ // both warps have stored before one loads
		}
	}
	if between == 0 {
		t.Error("no seed lets one warp run while another is between its store and its load")
	}
}
