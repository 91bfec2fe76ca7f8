package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/replay"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/spf13/cobra"
)

// What follows --check names the checks, with a space or with an equals sign.
func TestTakeChecks(t *testing.T) {
	for _, test := range []struct {
		given, args, checks, left string
	}{
		{"", "k.py n=1", "", "k.py n=1"},
		{"bounds", "k.py n=1", "bounds", "k.py n=1"},
		{"bounds", "k.py overflow n=1", "overflow", "k.py n=1"},
		{"bounds", "k.py n=1 bounds,overflow", "bounds overflow", "k.py n=1"},
		{"uninit", "k.py races", "uninit races", "k.py"},
	} {
		f := runFlags{check: strings.Fields(test.given)}
		left := f.takeChecks(strings.Fields(test.args))
		if !slices.Equal(f.check, strings.Fields(test.checks)) ||
			!slices.Equal(left, strings.Fields(test.left)) {
			t.Errorf("%s, %s: checks %v, arguments %v", test.given, test.args, f.check, left)
		}
	}
}

// TestHelp: every command shows an example, and says what it does.
func TestHelp(t *testing.T) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Example == "" && cmd.HasParent() && cmd.Parent().Name() != "completion" &&
			cmd.Name() != "help" {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRootCmd())
}

// TestSuspect: a result that differs is not always wrong, and the verdict says what may be the cause.
func TestSuspect(t *testing.T) {
	for _, c := range []struct {
		programs int
		short    bool
		check    checks
		want     string
	}{
		{1, false, nil, ""},
		{2, false, nil, "; if programs race, --check races shows where"},
		{2, false, checks{"races"}, ""},
		{1, true, nil, "; it sums in fp16 or bf16"},
	} {
		r := &runner{flags: &runFlags{check: c.check}, gridSize: nereid.Grid{c.programs, 1, 1}}
		if got := r.suspect(&replay.Case{ShortSums: c.short}); !strings.HasPrefix(got, c.want) ||
			(got == "") != (c.want == "") {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestSumInLanes: the interpreter sums 256 and fifteen ones in bf16, which has no 257. Neighbours first, one
// of the ones is lost; in four lanes three are.
func TestSumInLanes(t *testing.T) {
	m, err := nereid.Parse("k.py", []byte(`
import triton
import triton.language as tl

@triton.jit
def k(y, DT: tl.constexpr):
    i = tl.arange(0, 16)
    x = tl.where(i == 0, 256.0, 1.0).to(DT)
    tl.store(y, tl.sum(x, axis=0).to(tl.float32))
`))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		lanes int
		dt    nereid.DType
		want  float32
	}{{0, nereid.BFloat16, 270}, {4, nereid.BFloat16, 268}, {16, nereid.BFloat16, 270},
		{4, nereid.Float32, 271}} {
		d := checks(nil).interpreter()
		d.SumInLanes(c.lanes)
		s, err := core.NewDevice(d).NewStream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		y := []float32{0}
		if err := k.Launch(s, nereid.Grid{1}, nereid.FromSlice(y), c.dt); err != nil || y[0] != c.want {
			t.Errorf("%+v: %v, %v", c, y[0], err)
		}
	}
}
