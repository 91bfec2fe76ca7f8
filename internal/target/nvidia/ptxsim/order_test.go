package ptxsim

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// everyOrder returns a launch for each kind of order.
func everyOrder(t *testing.T) (out []Launch) {
	t.Helper()
	for _, text := range []string{"usual", "backward", "earliest", "latest", "random:1", "random:5",
		"adversarial:1", "adversarial:2"} {
		o, err := ParseOrder(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, Launch{Order: o})
	}
	return out
}

// TestParseOrder: seeds stand where there are any.
func TestParseOrder(t *testing.T) {
	for _, text := range []string{"", "random", "random:x", "random:-1", "earliest:3", "soon", "all",
		"all:0"} {
		if o, err := ParseOrder(text); err == nil {
			t.Errorf("%q is %+v", text, o)
		}
	}
	want := Order{Turns: 7, Adverse: true, Ends: EndsAny}
	if o, err := ParseOrder("adversarial:6"); err != nil || o != want {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := ParseOrder("all:9"); err != nil || o != (Order{States: 9}) {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestEnds: what a kernel sees that reads too early, without checks, depends on when a copy ends; behind its
// wait it always sees the copy.
func TestEnds(t *testing.T) {
	early := makeBar + fill + syncAll + expect + loadBox + "ld.shared.b32 %r30, [%r3];\n" + await + syncAll +
		"ld.shared.b32 %r31, [%r3];\nst.global.v2.b32 [%rd3], {%r30, %r31};\n"
	seen := map[uint32]bool{}
	for i, l := range everyOrder(t) {
		l.NoRaces = true
		r := runBulk(t, early, nil, l)
		if r.err != nil || r.out[4*63+1] != 4*63 {
			t.Errorf("order %d: %v, %d", i, r.err, r.out[4*63+1])
		}
		seen[r.out[4*63]] = true
		if o := l.Order.Ends; o == Earliest && r.out[4*63] != 4*63 || o == Latest && r.out[4*63] != 5 {
			t.Errorf("ends %d: the early read saw %d", o, r.out[4*63])
		}
	}
	if len(seen) != 2 {
		t.Errorf("early reads saw %v", seen)
	}
}

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
	forward, backward := run(Launch{}), run(Launch{Order: Order{Backward: true}})
	if slices.Equal(forward, backward) {
		t.Error("the order of the warps makes no difference")
	}
	between := 0
	for seed := range uint64(20) {
		got := run(Launch{Order: Order{Turns: seed + 1}})
		if !slices.Equal(got, run(Launch{Order: Order{Turns: seed + 1}})) {
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
