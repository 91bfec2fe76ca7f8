package nereid_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const requestKernel = `
import triton
import triton.language as tl

@triton.jit
def request(x_ptr, y_ptr, n, stride, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x_ptr + i * stride, mask=i < n)
    tl.store(y_ptr + i, v + seed % 1000, mask=i < n)
`

// request is the arguments of a launch.
type request struct {
	n, stride, shift int // shift makes addresses unaligned
	seed             int64
}

// service launches requests of one kernel.
type service struct {
	k    *nereid.Kernel
	s    *nereid.Stream
	x, y []int32
}

// launch runs a request and reports whether its result is right.
func (v *service) launch(r request) (ok bool, err error) {
	x := nereid.FromSlice(v.x[r.shift:])
	y := v.y[r.shift : r.shift+r.n+1]
	y[0], y[r.n-1], y[r.n] = -1, -1, -1
	if err := v.k.Launch(v.s, nereid.Grid{nereid.Cdiv(r.n, 256)}, x, nereid.FromSlice(y), r.n, r.stride,
		r.seed, 256); err != nil {
		return false, err
	}
	want := func(i int) int32 { return int32(r.shift+i*r.stride) + int32(r.seed%1000) }
	return y[0] == want(0) && y[r.n-1] == want(r.n-1) && y[r.n] == -1, nil
}

func newService(t *testing.T, device string, conf nereid.Config) *service {
	t.Helper()
	m, err := nereid.Parse("request.py", []byte(requestKernel), nereid.With(conf))
	if err != nil {
		t.Fatal(err)
	}
	v := &service{k: kernelIn(t, m, "request"), s: stream(t, device), x: make([]int32, 16384),
		y: make([]int32, 4096)}
	for i := range v.x {
		v.x[i] = int32(i)
	}
	return v
}

// A service that was recorded with five requests and frozen serves random ones: none is refused that some
// code can serve, nothing is compiled, and the counters say what ran general code.
func TestFrozenService(t *testing.T) {
	requests := 100_000
	if testing.Short() {
		requests = 2_000
	}
	var rec nereid.Recorder
	v := newService(t, "cpu", nereid.Config{Record: &rec})
	for _, r := range []request{{256, 1, 0, 5}, {1000, 2, 0, 5}, {16, 1, 0, 32}, {999, 3, 1, 1<<40 + 1},
		{512, 16, 0, 7}} {
		if ok, err := v.launch(r); !ok {
			t.Fatal(r, err)
		}
	}
	var compiled, told atomic.Int64
	var log strings.Builder
	m, err := nereid.Parse("request.py", []byte(requestKernel), nereid.With(nereid.Config{Strict: true,
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Hooks: nereid.Hooks{
			BeforeCompile: func(context.Context, nereid.Variant) error { compiled.Add(1); return nil },
			General:       func(nereid.GeneralRun) { told.Add(1) },
		}}))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Warmup(t.Context(), v.s.Device(), rec.Variants(), nil); err != nil {
		t.Fatal(err)
	}
	before := compiled.Load()
	v.k = kernelIn(t, m, "request")
	rng := rand.New(rand.NewPCG(33, 1))
	seeds := []func() int64{func() int64 { return 1 }, func() int64 { return 16 * rng.Int64N(1<<20) },
		func() int64 { return rng.Int64N(1 << 20) }, func() int64 { return rng.Int64() }}
	for range requests {
		r := request{1 + rng.IntN(2000), 1 + rng.IntN(4), rng.IntN(3), seeds[rng.IntN(len(seeds))]()}
		if ok, err := v.launch(r); !ok {
			t.Fatal(r, err)
		}
	}
	if compiled.Load() != before {
		t.Errorf("%d compilations", compiled.Load()-before)
	}
	runs, total := m.General(), uint64(0)
	for _, g := range runs {
		if len(g.Causes) == 0 || g.Code.Signature == g.Variant.Signature {
			t.Errorf("%+v", g)
		}
		total += g.Launches
	}
	if total == 0 || total >= uint64(requests) || int(told.Load()) != len(runs) ||
		strings.Count(log.String(), "runs general code") != len(runs) {
		t.Errorf("%d launches in %d kinds, %d told, of %d:\n%s", total, len(runs), told.Load(), requests,
			&log)
	}
	t.Logf("%d of %d launches ran general code, of %d kinds", total, requests, len(runs))
	if text := log.String(); !strings.Contains(text, "parameter seed is ") ||
		!strings.Contains(text, "nereid warm --all") {
		t.Errorf("%s", &log)
	}
}

// A launch that no code serves is refused, and the error names the parameter.
func TestRefusedNamesParameter(t *testing.T) {
	v := newService(t, "cpu", nereid.Config{})
	m, err := nereid.Parse("request.py", []byte(requestKernel), nereid.With(nereid.Config{Strict: true}))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Warmup(t.Context(), v.s.Device(), []nereid.Variant{{Kernel: "request",
		Signature: "*i32:16, *i32:16, i32:16, i32, i32, 256"}}, nil); err != nil {
		t.Fatal(err)
	}
	v.k = kernelIn(t, m, "request")
	for r, want := range map[request]string{
		{1000, 3, 0, 5}:      "parameter n was 16-divisible before, and is not",
		{256, 3, 0, 1 << 40}: "parameter seed is i64:16, and was i32 before",
		{1, 3, 0, 5}:         "parameter n is 1, and was i32:16 before",
	} {
		if _, err := v.launch(r); !errors.Is(err, nereid.ErrNotCompiled) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", r, err)
		}
	}
}

// TestNearestGeneral: of several codes that serve a launch, that runs whose specialization differs least: in
// as many parameters as from the nearest of them alone.
func TestNearestGeneral(t *testing.T) {
	signatures := []string{"*i32, *i32, i32, i32, i64, 256", "*i32:16, *i32:16, i32, i32, i64, 256",
		"*i32:16, *i32, i32:16, i32, i64:16, 256", "*i32, *i32:16, i32, i32:16, i64:16, 256",
		"*i32:16, *i32:16, i32:16, i32, i64, 256", "*i32:16, *i32:16, i32:16, i32:16, i64, 256"}
	causes := func(list []string, r request) int {
		v := newService(t, "interp", nereid.Config{})
		m, err := nereid.Parse("request.py", []byte(requestKernel), nereid.With(nereid.Config{Strict: true}))
		if err != nil {
			t.Fatal(err)
		}
		var variants []nereid.Variant
		for _, s := range list {
			variants = append(variants, nereid.Variant{Kernel: "request", Signature: s})
		}
		if err := m.Warmup(t.Context(), v.s.Device(), variants, nil); err != nil {
			t.Fatal(err)
		}
		v.k = kernelIn(t, m, "request")
		ok, err := v.launch(r)
		runs := m.General()
		switch {
		case errors.Is(err, nereid.ErrNotCompiled):
			return math.MaxInt
		case err != nil || !ok || len(runs) > 1:
			t.Fatal(list, r, ok, err, runs)
		case len(runs) == 0:
			return 0
		}
		return len(runs[0].Causes)
	}
	rng := rand.New(rand.NewPCG(33, 2))
	for _, r := range []request{{512, 16, 0, 1 << 40}, {512, 3, 0, 1 << 40}, {500, 16, 1, 1<<40 + 1},
		{496, 32, 0, 1<<40 + 1}} {
		rng.Shuffle(len(signatures), func(i, j int) {
			signatures[i], signatures[j] = signatures[j], signatures[i]
		})
		least := math.MaxInt
		for _, s := range signatures {
			least = min(least, causes([]string{s}, r))
		}
		if got := causes(signatures, r); got != least {
			t.Errorf("%v: the code that ran differs in %d parameters, another in %d", r, got, least)
		}
	}
}

// A frozen module with a cache on disk finds general code there, though it was not warmed up itself.
func TestGeneralOnDisk(t *testing.T) {
	dir := t.TempDir()
	open := func(strict bool) *service {
		return newService(t, "cpu", nereid.Config{Strict: strict,
			Cache: txtest.Open(t, nereid.OpenCache, nereid.CacheOptions{Dir: dir})})
	}
	if ok, err := open(false).launch(request{1000, 3, 0, 5}); !ok {
		t.Fatal(err)
	}
	if ok, err := open(true).launch(request{1024, 1, 0, 32}); !ok {
		t.Fatal(err)
	}
}

// After a warm-up, a module that is not strict reports each compilation, with its cause.
func TestLate(t *testing.T) {
	var causes []string
	v := newService(t, "cpu", nereid.Config{})
	m, err := nereid.Parse("request.py", []byte(requestKernel), nereid.With(nereid.Config{
		Hooks: nereid.Hooks{Late: func(_ nereid.Variant, cause string) { causes = append(causes, cause) }}}))
	if err != nil {
		t.Fatal(err)
	}
	v.k = kernelIn(t, m, "request")
	if ok, err := v.launch(request{32, 3, 0, 5}); !ok {
		t.Fatal(err)
	}
	if err := m.Warmup(t.Context(), v.s.Device(), []nereid.Variant{{Kernel: "request",
		Signature: "*i32:16, *i32:16, i32:16, i32, i32:16, 256"}}, nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if ok, err := v.launch(request{1000, 3, 0, 5}); !ok {
			t.Fatal(err)
		}
	}
	if want := []string{"parameter n was 16-divisible before, and is not"}; !slices.Equal(causes, want) {
		t.Errorf("%q", causes)
	}
}

// Specializations lists what launches of the same types may need; ranges bound numbers.
func TestSpecializations(t *testing.T) {
	m, err := nereid.Parse("request.py", []byte(requestKernel))
	if err != nil {
		t.Fatal(err)
	}
	v := nereid.Variant{Kernel: "request", Signature: "*i32:16, *i32, i32:16, 1, i64, 256"}
	for _, c := range []struct {
		ranges map[string]nereid.Range
		want   int
	}{
		{nil, 2 * 2 * 3 * 3 * 3},
		{map[string]nereid.Range{"n": {First: 17, Last: 31}, "stride": {First: 1, Last: 1}},
			2 * 2 * 1 * 1 * 3},
		{map[string]nereid.Range{"n": {First: 16, Last: 17}, "seed": {First: -16, Last: -16}},
			2 * 2 * 2 * 3 * 1},
		{map[string]nereid.Range{"n": {First: 0, Last: 1}, "seed": {First: 1, Last: 2}},
			2 * 2 * 2 * 3 * 2},
	} {
		list, err := m.Specializations(v, c.ranges)
		if err != nil || len(list) != c.want {
			t.Errorf("%v: %d, want %d: %v", c.ranges, len(list), c.want, err)
		}
	}
	if list, err := m.Specializations(v, map[string]nereid.Range{"m": {First: 1, Last: 2}}); err == nil {
		t.Error(list)
	}
}
