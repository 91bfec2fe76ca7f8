package nereid_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/profile"
)

// scopedKernel has scopes in a loop, one inside of another. Blank lines stand where TestScopesOff takes them
// out, so that all others keep their places.
const scopedKernel = `import triton
import triton.language as tl
import triton.profiler.language as pl

@triton.jit
def scoped(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    pl.enter_scope("load")
    y = tl.load(x + i, mask=i < n, other=0.0)
    pl.exit_scope("load")
    for k in range(3):
        pl.enter_scope("step")
        y = y * 2 + k
        pl.enter_scope(name="sum")
        y -= tl.sum(y)
        pl.exit_scope("sum")
        pl.exit_scope("step")
        y += 1
    tl.store(x + i, y, mask=i < n)
`

// TestScopes records the scopes of a kernel in the interpreter and on a simulated GPU: how often each warp
// goes through each, and that inner ones lie within outer ones.
func TestScopes(t *testing.T) {
	t.Setenv(knob.TraceScopes.Name(), "1")
	for device, warps := range map[string]int{"interp": 1, "sim:90": 4} {
		s := stream(t, device)
		trace := recorded(t, func() { launchScoped(t, s) })
		counts := map[string]int{}
		type place struct{ block, warp any }
		last := map[place]profile.Event{}
		for _, e := range trace.Events {
			if e.Category != profile.CategoryScope {
				continue
			}
			counts[e.Name]++
			p := place{e.Args["block"], e.Args["warp"]}
			outer := last[p]
			switch {
			case e.Name == "step":
				last[p] = e
			case e.Name == "sum" && (outer.Name != "step" || e.Track != outer.Track ||
				e.Start < outer.Start || e.Start+e.Took > outer.Start+outer.Took+1e-6 ||
				e.Took >= outer.Took):
				t.Errorf("%s: %+v does not lie within %+v", device, e, outer)
			}
			if n, _ := e.Args["steps"].(float64); n <= 0 {
				t.Errorf("%s: %s took %v steps", device, e.Name, e.Args["steps"])
			}
		}
		for name, want := range map[string]int{"load": 2 * warps, "step": 6 * warps, "sum": 6 * warps} {
			if counts[name] != want {
				t.Errorf("%s: %d warps were in %s, want %d", device, counts[name], name, want)
			}
		}
		rows := trace.Scopes()
		if len(rows) != 3 || rows[0].Kernel != "scoped" || rows[0].Unit != "steps" {
			t.Errorf("%s: the table is %+v", device, rows)
		}
	}
}

// launchScoped launches the kernel with scopes, two programs, and looks at the result.
func launchScoped(t *testing.T, s *nereid.Stream) {
	t.Helper()
	m, err := nereid.Parse("k.py", []byte(scopedKernel), nereid.With(nereid.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("scoped")
	if err != nil {
		t.Fatal(err)
	}
	x, err := nereid.NewTensor(s.Device(), nereid.Float32, 256)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := nereid.CopyFrom(x, make([]float32, 256)); err != nil {
		t.Fatal(err)
	}
	if err := k.Launch(s, nereid.Grid{2}, x, 256, 128); err != nil {
		t.Fatal(err)
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	out := make([]float32, 256)
	if err := nereid.CopyTo(out, x); err != nil {
		t.Fatal(err)
	}
	// all elements of a program are the same, so that their sum is 128 times as much as one
	y := float32(0)
	for k := range 3 {
		y = y*2 + float32(k)
		y -= 128 * y
		y++
	}
	if out[0] != y || out[255] != y {
		t.Errorf("the result is %v and %v, want %v", out[0], out[255], y)
	}
}

// TestScopesOff: where nobody asks for them, scopes leave no trace in the code; where somebody does, they do.
func TestScopesOff(t *testing.T) {
	without := regexp.MustCompile(`(?m)^ *pl\..*$`).ReplaceAllString(scopedKernel, "")
	for _, device := range []string{"sim:90", "cpu"} {
		dev := stream(t, device).Device()
		got := strings.Split(strings.Join(stagesOf(t, dev, scopedKernel), "\n"), "\n")
		want := strings.Split(strings.Join(stagesOf(t, dev, without), "\n"), "\n")
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("%s: scopes are in the code: %q, without them %q", device, got[i], want[i])
				break
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: the code has %d lines with scopes, %d without", device, len(got), len(want))
		}
	}
	t.Setenv(knob.TraceScopes.Name(), "1")
	recorded(t, func() {
		dev := stream(t, "sim:90").Device()
		text := strings.Join(stagesOf(t, dev, scopedKernel), "\n")
		for _, want := range []string{`proton.record start "load"`, `proton.record end "sum"`, "%clock64"} {
			if !strings.Contains(text, want) {
				t.Errorf("the code with scopes has no %s", want)
			}
		}
		launchScoped(t, stream(t, "interp")) // the recording wants an event
	})
}

// stagesOf returns the stages of a kernel for a device.
func stagesOf(t *testing.T, dev *nereid.Device, text string) (list []string) {
	t.Helper()
	m, err := nereid.Parse("k.py", []byte(text), nereid.With(nereid.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("scoped")
	if err != nil {
		t.Fatal(err)
	}
	c, err := k.Compile(t.Context(), dev, "*fp32:16, i32, 128", nereid.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, s := range c.Stages {
		list = append(list, string(bytes.TrimSpace(s.Text)))
	}
	return list
}
