package jit

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/interp"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// busy is the interpreter with a clock of its own: while the second config compiles, the first seems slower
// than it is.
type busy struct {
	*interp.Device
	slow   string        // in the text of the config that takes long to compile
	other  chan struct{} // closed when the other was measured
	clock  []time.Duration
	spread time.Duration
	asked  int
}

func (d *busy) Compile(ctx context.Context, in *target.Input) (target.Executable, error) {
	if strings.Contains(string(target.Text(in.Module)), d.slow) {
		<-d.other
	}
	return d.Device.Compile(ctx, in)
}

// Measure answers with the next time of the clock. A config is measured in three steps.
func (d *busy) Measure(_ target.Stream, _, _ time.Duration, f func() error) ([]time.Duration, error) {
	t := d.clock[d.asked/3]
	if d.asked++; d.asked == 3 {
		close(d.other)
	}
	return []time.Duration{t, t, t, t + d.spread, t + d.spread, t + d.spread}, f()
}

const busyKernel = `
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({"V": 1.0}), triton.Config({"V": 2.0})], key=["n"])
@triton.jit
def fill(x_ptr, n, V: tl.constexpr):
    tl.store(x_ptr, V)
`

// tune launches the kernel, and is what the config that was chosen has stored.
func (d *busy) tune(t *testing.T, o TuneOptions) float32 {
	t.Helper()
	return tuneOn(t, d, o)
}

func tuneOn(t *testing.T, d target.Backend, o TuneOptions) float32 {
	t.Helper()
	m, err := Parse("k.py", []byte(busyKernel), With(Config{Tune: o}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("fill")
	if err != nil {
		t.Fatal(err)
	}
	s, err := (core.NewDevice(d)).NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float32, 1)
	if err := k.Launch(s, core.Grid{1}, core.FromSlice(x), 5); err != nil {
		t.Fatal(err)
	}
	return x[0]
}

// A device with its own clock measures what is compiled, whatever its place in the list.
func TestTuneAnyOrder(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		txtest.NotHere(t, "one processor compiles one config after the other")
	}
	d := &busy{Device: newInterp().(*interp.Device), slow: "1.000000e+00", other: make(chan struct{}),
		clock: []time.Duration{2 * time.Millisecond, time.Millisecond}}
	var order []string
	x := d.tune(t, TuneOptions{Progress: func(x Tuned) { order = append(order, x.Config[:6]) }})
	if strings.Join(order, " ") != "V: 2.0 V: 1.0" || x != 1 {
		t.Errorf("measured %v, chose %v", order, x)
	}
}

// A config that was measured while another compiled is measured again where that could change the choice.
func TestTuneSettles(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name   string
		clock  []time.Duration // of the first, of the second, of the first again
		spread time.Duration
		best   string
		asked  int
	}{
		{"a little slower", []time.Duration{9 * ms, 8 * ms, 5 * ms}, ms, "V: 1.0", 9},
		{"still slower", []time.Duration{9 * ms, 8 * ms, 9 * ms}, ms, "V: 2.0", 9},
		{"far behind", []time.Duration{20 * ms, 8 * ms}, ms, "V: 2.0", 6},
		{"steady", []time.Duration{9 * ms, 8 * ms}, 0, "V: 2.0", 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &busy{Device: newInterp().(*interp.Device), slow: "2.000000e+00", other: make(chan struct{}),
				clock: c.clock, spread: c.spread}
			var best string
			d.tune(t, TuneOptions{Done: func(b string, _ []Tuned) { best = b }})
			if !strings.HasPrefix(best, c.best) || d.asked != c.asked {
				t.Errorf("chose %s after %d measurements, want %s after %d", best, d.asked, c.best, c.asked)
			}
		})
	}
}

// jumpy is the interpreter with a clock of its own that has one bad moment.
type jumpy struct {
	*interp.Device
	asked, bad int
	slow       time.Duration // of the second config, in good moments
}

func (d *jumpy) Measure(_ target.Stream, _, _ time.Duration, f func() error) ([]time.Duration, error) {
	d.asked++
	t := 10 * time.Millisecond
	if d.asked > 3 { // the first config is measured in three steps
		t = d.slow
	}
	if d.asked == d.bad {
		t = 500 * time.Millisecond
	}
	return []time.Duration{t, t, t, t, t}, f()
}

// One run that takes long, for whatever reason, is not enough to give a config up; three are.
func TestTuneJumpy(t *testing.T) {
	for _, c := range []struct {
		bad   int
		slow  time.Duration
		best  string
		asked int
	}{
		{4, 8 * time.Millisecond, "V: 2.0", 7},
		{0, 8 * time.Millisecond, "V: 2.0", 6},
		{0, 80 * time.Millisecond, "V: 1.0", 6},
	} {
		d := &jumpy{Device: newInterp().(*interp.Device), bad: c.bad, slow: c.slow}
		var best string
		tuneOn(t, d, TuneOptions{Budget: time.Hour, Done: func(b string, _ []Tuned) { best = b }})
		if best[:6] != c.best || d.asked != c.asked {
			t.Errorf("%+v: chose %s after %d measurements", c, best, d.asked)
		}
	}
}
