package nereid_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/kernels"
)

// tuned is a kernel under decorators, and what was measured.
type tuned struct {
	t        *testing.T
	k        *nereid.Kernel
	s        *nereid.Stream
	mu       sync.Mutex
	measured []string // configs
	failed   []string
}

const tuneHead = `
import triton
import triton.language as tl
`

const tuneBody = `
@triton.jit
def k(x_ptr, n, BLOCK: tl.constexpr, EXTRA: tl.constexpr = 0):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(x_ptr + i, x + 1 + EXTRA, mask=i < n)
`

func newTuned(t *testing.T, decorators string, o nereid.TuneOptions) *tuned {
	return newTunedFile(t, tuneHead+decorators+tuneBody, o)
}

func newTunedFile(t *testing.T, src string, o nereid.TuneOptions) *tuned {
	t.Helper()
	x := &tuned{t: t, s: stream(t, "cpu")}
	if o.Rep == 0 {
		o.Warmup, o.Rep = time.Microsecond, 100*time.Microsecond
	}
	o.Progress = func(p nereid.Tuned) {
		x.mu.Lock()
		defer x.mu.Unlock()
		if p.Failed != "" {
			x.failed = append(x.failed, p.Failed)
		}
		name, _, _ := strings.Cut(p.Config, ", num_ctas")
		x.measured = append(x.measured, name)
	}
	m, err := nereid.Parse("k.py", []byte(src), nereid.With(nereid.Config{Tune: o}))
	if err != nil {
		t.Fatal(err)
	}
	if x.k, err = m.Kernel("k"); err != nil {
		t.Fatal(err)
	}
	return x
}

var tuneGrid = nereid.GridFunc(func(m nereid.Meta) nereid.Grid {
	return nereid.Grid{(64 + m.Int("BLOCK") - 1) / m.Int("BLOCK")}
})

// launch launches on n zeros and returns the first and last element.
func (x *tuned) launch(n int, args ...any) (first, last float32) {
	x.t.Helper()
	data := make([]float32, 64)
	if err := x.k.Launch(x.s, tuneGrid, append([]any{nereid.FromSlice(data), n}, args...)...); err != nil {
		x.t.Fatal(err)
	}
	return data[0], data[n-1]
}

// took is what was measured since the last call.
func (x *tuned) took() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := strings.Join(x.measured, "; ")
	x.measured = nil
	return s
}

func (x *tuned) expect(want string) {
	x.t.Helper()
	if got := x.took(); got != want {
		x.t.Errorf("measured: %s\nwant:     %s", got, want)
	}
}

// Configs as people write them: in a list, by a comprehension, by a function.
func TestConfigs(t *testing.T) {
	for name, configs := range map[string]string{
		"literal":       `[triton.Config({"BLOCK": 16}, num_warps=1), triton.Config({"BLOCK": 32}, num_warps=2)]`,
		"comprehension": `[triton.Config({"BLOCK": b}, num_warps=w) for b, w in [(16, 1), (32, 2)]]`,
		"function":      `make()`,
	} {
		t.Run(name, func(t *testing.T) {
			x := newTuned(t, "def make():\n    return [triton.Config(kwargs=dict(BLOCK=16 * w), "+
				"num_warps=w) for w in (1, 2)]\n\n"+
				"@triton.autotune(configs="+configs+", key=['n'])", nereid.TuneOptions{})
			x.launch(64)
			x.expect("BLOCK: 16, num_warps: 1; BLOCK: 32, num_warps: 2")
			if first, last := x.launch(64); first != 1 || last != 1 {
				t.Error(first, last)
			}
			x.expect("")
			x.launch(48) // another key
			x.expect("BLOCK: 16, num_warps: 1; BLOCK: 32, num_warps: 2")
			x.launch(64, nereid.Arg("BLOCK", 8)) // the caller has chosen
			x.expect("")
		})
	}
}

const two = `configs=[triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32}), ` +
	`triton.Config({"BLOCK": 64})], key=["n"]`

// TestChosenFor: configs are measured once for each value of the key and each combination of the tensors'
// types.
func TestChosenFor(t *testing.T) {
	x := newTuned(t, `@triton.autotune(configs=[triton.Config({"BLOCK": 16}), `+
		`triton.Config({"BLOCK": 32})], key=["n"])`, nereid.TuneOptions{})
	f32, f64 := nereid.FromSlice(make([]float32, 64)), nereid.FromSlice(make([]float64, 64))
	i32 := nereid.FromSlice(make([]int32, 64))
	for i, l := range []struct {
		data     *nereid.Tensor
		n        int
		measured int // configs in all
	}{{f32, 64, 2}, {f32, 64, 2}, {f64, 64, 4}, {i32, 64, 6}, {f32, 63, 8}, {f64, 63, 10}, {f64, 64, 10},
		{i32, 64, 10}, {f32, 63, 10}} {
		if err := x.k.Launch(x.s, tuneGrid, l.data, l.n); err != nil {
			t.Fatal(err)
		}
		if len(x.measured) != l.measured {
			t.Errorf("launch %d: %d configs were measured, not %d", i, len(x.measured), l.measured)
		}
	}
}

func TestPrune(t *testing.T) {
	x := newTuned(t, `
def prune(configs, named_args, **kwargs):
    assert named_args["n"] in (64, 32) and named_args["x_ptr"].dtype.itemsize == 4
    assert named_args["x_ptr"].shape[0] == 64
    return [c for c in configs if c.kwargs["BLOCK"] <= named_args["n"] // 2]

@triton.autotune(`+two+`, prune_configs_by={"early_config_prune": prune})`, nereid.TuneOptions{})
	x.launch(64)
	x.expect("BLOCK: 16, num_warps: 4; BLOCK: 32, num_warps: 4")
	x.launch(32)
	x.expect("BLOCK: 16, num_warps: 4")

	x = newTuned(t, `
@triton.autotune(`+two+
		`, prune_configs_by={"top_k": 2, "perf_model":
    lambda x_ptr, n, BLOCK, num_warps, **_: abs(BLOCK - 40) + num_warps})`, nereid.TuneOptions{})
	x.launch(64)
	x.expect("BLOCK: 32, num_warps: 4; BLOCK: 16, num_warps: 4")

	x = newTuned(t, `
@triton.autotune(`+two+`, prune_configs_by={"perf_model": lambda **kw: kw["BLOCK"], "top_k": 0.34})`,
		nereid.TuneOptions{})
	x.launch(64)
	x.expect("BLOCK: 16, num_warps: 4")

	x = newTuned(t, "@triton.autotune("+two+", prune_configs_by={'early_config_prune': lambda configs, "+
		"named_args, **kw: []})", nereid.TuneOptions{})
	if err := x.k.Launch(x.s, tuneGrid, nereid.FromSlice(make([]float32, 64)), 64); err == nil ||
		!strings.Contains(err.Error(), "leaves no config") {
		t.Error(err)
	}
}

// The kernel adds to what it finds: tuning must not show in the result.
func TestResetAndRestore(t *testing.T) {
	for decorator, want := range map[string]float32{
		"@triton.autotune(" + two + ", restore_value=['x_ptr'])": 8,
		"@triton.autotune(" + two + ", reset_to_zero=['x_ptr'])": 1,
		// A device without graphs measures as it always does.
		"@triton.autotune(" + two + ", restore_value=['x_ptr'], use_cuda_graph=True)": 8,
		"@triton.autotune(" + two + ", reset_to_zero=['x_ptr'], use_cuda_graph=True)": 1,
	} {
		x := newTuned(t, decorator, nereid.TuneOptions{})
		data := make([]float32, 64)
		for i := range data {
			data[i] = 7
		}
		if err := x.k.Launch(x.s, tuneGrid, nereid.FromSlice(data), 64); err != nil {
			t.Fatal(err)
		}
		if data[0] != want || data[63] != want {
			t.Errorf("%s: %v, %v", decorator, data[0], data[63])
		}
		if err := x.k.Launch(x.s, tuneGrid, nereid.FromSlice(data), 64); err != nil || data[0] != want+1 {
			t.Errorf("%s: the second launch gives %v, %v", decorator, data[0], err)
		}
	}
}

func TestHooks(t *testing.T) {
	x := newTuned(t, `
log = []

def before(nargs, reset_only=False):
    log.append(("before", reset_only))
    nargs["x_ptr"].zero_()

def after(nargs, exception):
    assert exception is None
    saved = nargs["x_ptr"].clone()
    nargs["x_ptr"].zero_()
    nargs["x_ptr"].copy_(saved)

@triton.autotune(`+two+`, pre_hook=before, post_hook=after, warmup=0.001, rep=0.05)`, nereid.TuneOptions{})
	data := make([]float32, 64)
	data[5] = 100
	if err := x.k.Launch(x.s, tuneGrid, nereid.FromSlice(data), 64); err != nil {
		t.Fatal(err)
	}
	if data[5] != 1 {
		t.Errorf("the hook did not reset: %v", data[5])
	}
	// A config's own hook runs before its launches, tuned or not.
	x = newTuned(t, `
def zero(nargs):
    nargs["x_ptr"].zero_()

@triton.autotune(configs=[triton.Config({"BLOCK": 16}, pre_hook=zero)], key=[])`, nereid.TuneOptions{})
	for range 2 {
		data[5] = 100
		if err := x.k.Launch(x.s, tuneGrid, nereid.FromSlice(data), 64); err != nil || data[5] != 1 {
			t.Error(data[5], err)
		}
	}
}

func TestHeuristics(t *testing.T) {
	for name, decorators := range map[string]string{
		"alone": `@triton.heuristics({"BLOCK": lambda args: 32 if args["n"] > 40 else 16,
    "EXTRA": lambda args: args["BLOCK"]})`,
		"around tuning": "@triton.heuristics(values={'EXTRA': lambda args: 32})\n" +
			"@triton.autotune(configs=[triton.Config({'BLOCK': 32})], key=[])",
		"within tuning": "@triton.autotune(configs=[triton.Config({'BLOCK': 32})], key=[])\n" +
			"@triton.heuristics({'EXTRA': lambda args: args['BLOCK']})",
		"within, chosen": "@triton.autotune(configs=[triton.Config({'BLOCK': 32}), " +
			"triton.Config({'BLOCK': 32}, num_warps=8)], key=[])\n@triton.heuristics({'EXTRA': lambda " +
			"args: args['BLOCK']})",
	} {
		t.Run(name, func(t *testing.T) {
			x := newTuned(t, decorators, nereid.TuneOptions{})
			data := make([]float32, 64)
			if err := x.k.Launch(x.s, tuneGrid, nereid.FromSlice(data), 48, nereid.Arg("EXTRA", 5)); name ==
				"alone" && (err != nil || data[0] != 6) {
				t.Error("given all the same", data[0], err)
			}
			first, _ := x.launch(48)
			if want := float32(33); first != want && name != "within, chosen" || first < want {
				t.Errorf("%v", first)
			}
		})
	}
	x := newTuned(t, "@triton.heuristics({'BLOCK': lambda args: args['nothing']})", nereid.TuneOptions{})
	err := x.k.Launch(x.s, tuneGrid, nereid.FromSlice(make([]float32, 64)), 64)
	if err == nil || !strings.Contains(err.Error(), "the heuristic of BLOCK") ||
		!strings.Contains(err.Error(), "KeyError") {
		t.Error(err)
	}
}

// A config that cannot be compiled is passed over; if none can, the launch says why.
func TestFailingConfigs(t *testing.T) {
	x := newTuned(t,
		`@triton.autotune(configs=[triton.Config({"BLOCK": 17}), triton.Config({"BLOCK": 16})], key=["n"])`,
		nereid.TuneOptions{})
	if first, _ := x.launch(64); first == 0 || len(x.failed) != 1 {
		t.Error(first, x.failed)
	}
	x = newTuned(t,
		`@triton.autotune(configs=[triton.Config({"BLOCK": 17}), triton.Config({"BLOCK": 15})], key=["n"])`,
		nereid.TuneOptions{})
	err := x.k.Launch(x.s, tuneGrid, nereid.FromSlice(make([]float32, 64)), 64)
	if err == nil || !strings.Contains(err.Error(), "power of 2") {
		t.Error(err)
	}
	x = newTuned(t,
		`@triton.autotune(configs=[triton.Config({"BLOCK": 16, "EXTRA": e}) for e in (1, 2)], key=["n"])`,
		nereid.TuneOptions{})
	err = x.k.Launch(x.s, tuneGrid, nereid.FromSlice(make([]float32, 64)), 64, nereid.Arg("EXTRA", 3))
	if err == nil || !strings.Contains(err.Error(), "conflicting meta-parameters: EXTRA") {
		t.Error(err)
	}
}

// Timings are kept: a second process measures nothing, an edited list only what is new, another source
// everything.
func TestTuneStore(t *testing.T) {
	dir := t.TempDir()
	o := nereid.TuneOptions{Dir: dir}
	decorator := "@triton.autotune(" + two + ")"
	x := newTuned(t, decorator, o)
	x.launch(64)
	x.expect("BLOCK: 16, num_warps: 4; BLOCK: 32, num_warps: 4; BLOCK: 64, num_warps: 4")
	x = newTuned(t, "# a comment\n"+decorator, o)
	x.launch(64)
	x.expect("")
	x = newTuned(t, strings.Replace(decorator, "configs=[", `configs=[triton.Config({"BLOCK": 8}), `, 1), o)
	x.launch(64)
	x.expect("BLOCK: 8, num_warps: 4")
	x = newTunedFile(t, strings.Replace(tuneHead+decorator+tuneBody, "x + 1", "x + 2", 1), o)
	x.launch(64)
	x.expect("BLOCK: 16, num_warps: 4; BLOCK: 32, num_warps: 4; BLOCK: 64, num_warps: 4")
	files, _ := filepath.Glob(filepath.Join(dir, "k-*.json"))
	if len(files) != 2 {
		t.Fatalf("kept: %v", files)
	}
	text, _ := os.ReadFile(files[0])
	for _, want := range []string{`"kernel": "k"`, `"file": "k.py"`, `"device": "`, `"compiler": "`,
		`"config": "BLOCK: 16, num_warps: 4`, `"best": "BLOCK`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	for _, f := range files { // damaged, it is measured again
		os.WriteFile(f, []byte("{"), 0o666)
	}
	x = newTuned(t, decorator, o)
	x.launch(64)
	x.expect("BLOCK: 16, num_warps: 4; BLOCK: 32, num_warps: 4; BLOCK: 64, num_warps: 4")
	o.Again = true
	x = newTuned(t, decorator, o)
	x.launch(64)
	x.expect("BLOCK: 16, num_warps: 4; BLOCK: 32, num_warps: 4; BLOCK: 64, num_warps: 4")
}

// The time is bounded; goroutines that want the same key wait for one tuning.
func TestTuneBudget(t *testing.T) {
	var said strings.Builder
	x := newTuned(t, "@triton.autotune("+two+")", nereid.TuneOptions{Budget: time.Nanosecond, Print: &said})
	x.launch(64)
	x.expect("BLOCK: 16, num_warps: 4")
	if !strings.Contains(said.String(), "2 configs are passed over") ||
		!strings.Contains(said.String(), "tuned for 64, fp32 in") {
		t.Error(said.String())
	}
	x = newTuned(t, "@triton.autotune("+two+")", nereid.TuneOptions{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := x.k.Launch(x.s, tuneGrid, nereid.FromSlice(make([]float32, 64)), 64); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	x.expect("BLOCK: 16, num_warps: 4; BLOCK: 32, num_warps: 4; BLOCK: 64, num_warps: 4")
}

// Configs that set options alone are chosen among when the caller sets none. On the host they give the same
// code, so that one is measured for both.
func TestOptionConfigs(t *testing.T) {
	x := newTuned(t, "@triton.autotune(configs=[triton.Config({}, num_warps=w) for w in (1, 2)], key=['n'])",
		nereid.TuneOptions{})
	x.launch(64, nereid.Arg("BLOCK", 16))
	x.expect("num_warps: 1")
	x.launch(64, nereid.Arg("BLOCK", 16), nereid.Options{NumWarps: 4})
	x.expect("")
}

// kernels/matmul.py is tuned as its decorator says, unchanged. Of its 9 configs, two differ in num_warps
// alone.
func TestTuneMatmul(t *testing.T) {
	s := stream(t, "cpu")
	count := 0
	m, err := nereid.LoadFS(kernels.Files, "matmul.py", nereid.With(nereid.Config{Tune: nereid.TuneOptions{
		Warmup: time.Microsecond, Rep: time.Microsecond, Progress: func(p nereid.Tuned) { count = p.Count },
	}}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("matmul_kernel")
	if err != nil {
		t.Fatal(err)
	}
	const n = 64
	a, b, c := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	for i := range n {
		a[i*n+i], b[i*n+(i+1)%n] = 2, 3
	}
	grid := nereid.GridFunc(func(m nereid.Meta) nereid.Grid {
		up := func(b int) int { return (n + b - 1) / b }
		return nereid.Grid{up(m.Int("BLOCK_M")) * up(m.Int("BLOCK_N"))}
	})
	err = k.Launch(s, grid, nereid.FromSlice(a), nereid.FromSlice(b), nereid.FromSlice(c), n, n, n, n,
		1, n, 1, n, 1)
	if err != nil || count != 8 || c[1] != 6 || c[0] != 0 || fmt.Sprint(c[n-1]) != "0" {
		t.Error(err, count, c[:3])
	}
}

// A launch under decorators that looks like an earlier one calls no function of the file: it costs little
// more than any other.
func TestTunedAgain(t *testing.T) {
	x := newTuned(t, "@triton.autotune("+two+")\n@triton.heuristics({'EXTRA': lambda args: sum(i for i in "+
		"range(20000)) * 0 + 5})", nereid.TuneOptions{})
	data := make([]float32, 64)
	tensor := nereid.FromSlice(data)
	launch := func() {
		if err := x.k.Launch(x.s, tuneGrid, tensor, 64); err != nil {
			t.Fatal(err)
		}
	}
	launch()
	clear(data)
	launch()
	if data[0] != 6 || data[63] != 6 {
		t.Error(data[0], data[63])
	}
	start := time.Now()
	for range 200 {
		launch()
	}
	if took := time.Since(start) / 200; took > 2*time.Millisecond { // the heuristic alone takes longer
		t.Errorf("a launch takes %v", took)
	}
	data2 := make([]float32, 64)
	if err := x.k.Launch(x.s, tuneGrid, nereid.FromSlice(data2), 48); err != nil || data2[47] == 0 ||
		data2[48] != 0 {
		t.Error(data2[47], data2[48], err)
	}
}
