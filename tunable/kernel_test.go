package tunable_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver/stub"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/tunable"
)

const kernelSource = `
import triton
import triton.language as tl

configs = [triton.Config({"BLOCK": b}, num_warps=w) for b in [64, 256] for w in [2, 4]]

@triton.autotune(configs=configs, key=["n"])
@triton.jit
def scale(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x * factor, mask=at < n)
`

type scaleParams struct {
	X, Out *nereid.Tensor
	N      int
	Factor float64
}

type scaleKey struct {
	Type nereid.DType
	N    int `tunable:"elements"`
}

func scaleKeyOf(p scaleParams) scaleKey { return scaleKey{p.X.DType, p.N} }

var scaleLaunch = tunable.Launch[scaleParams]{
	Run: func(c *tunable.Code, s *nereid.Stream, p scaleParams) error {
		return c.Args().Tensor(p.X).Tensor(p.Out).Int(p.N).Float(p.Factor).
			Launch(s, nereid.Grid{nereid.Cdiv(p.N, c.Int("BLOCK"))})
	},
	Supports: func(c *tunable.Code, p scaleParams) error {
		if p.N < c.Int("BLOCK") {
			return fmt.Errorf("%d elements are less than a block of %d", p.N, c.Int("BLOCK"))
		}
		return nil
	},
}

func scaleKernel(t testing.TB) *nereid.Kernel {
	t.Helper()
	m, err := nereid.Parse("scale.py", []byte(kernelSource), nereid.With(nereid.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("scale")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// scaleOp returns an op over all configs of the kernel, and parameters for it.
func scaleOp(t testing.TB, s *nereid.Stream, n int) (*tunable.Op[scaleParams], scaleParams) {
	t.Helper()
	k := scaleKernel(t)
	configs, err := k.Configs(s.Device())
	if err != nil || len(configs) != 4 {
		t.Fatal(configs, err)
	}
	list, err := tunable.Kernel(k, configs, scaleLaunch)
	if err != nil {
		t.Fatal(err)
	}
	o := tunable.Options[scaleParams]{Warmup: time.Millisecond, Rep: 2 * time.Millisecond}
	op, err := tunable.New("scale", scaleKeyOf, o, list...)
	if err != nil {
		t.Fatal(err)
	}
	p := scaleParams{N: n, Factor: 3}
	for _, at := range []**nereid.Tensor{&p.X, &p.Out} {
		if *at, err = nereid.NewTensor(s.Device(), nereid.Float32, n); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { (*at).Close() })
	}
	return op, p
}

// Every config of an autotuned kernel is a candidate; the op computes what the kernel does.
func TestKernelConfigs(t *testing.T) {
	for _, device := range []string{"cpu", "interp"} {
		t.Run(device, func(t *testing.T) {
			s := stream(t, device)
			op, p := scaleOp(t, s, 300)
			x := make([]float32, p.N)
			for i := range x {
				x[i] = float32(i)
			}
			if err := nereid.CopyFrom(p.X, x); err != nil {
				t.Fatal(err)
			}
			if err := op.Call(s, p); err != nil {
				t.Fatal(err)
			}
			got := make([]float32, p.N)
			if err := nereid.CopyTo(got, p.Out); err != nil {
				t.Fatal(err)
			}
			for i, v := range got {
				if v != 3*float32(i) {
					t.Fatalf("element %d is %v", i, v)
				}
			}
			list, err := op.Results(s, p)
			if err != nil || len(list) != 4 {
				t.Fatal(list, err)
			}
			for _, r := range list {
				if r.Median == 0 || !strings.HasPrefix(r.Candidate, "scale BLOCK: ") {
					t.Errorf("%+v", r)
				}
			}
			p.N = 100
			list, err = op.Results(s, p)
			if err != nil || list[3].Failed != "100 elements are less than a block of 256" {
				t.Error(list, err)
			}
		})
	}
}

// A kernel without configs is one candidate, which tunes itself inside of the op's tuning.
func TestKernelAsItIs(t *testing.T) {
	s := stream(t, "interp")
	_, p := scaleOp(t, s, 300)
	run := func(c *tunable.Code, s *nereid.Stream, p scaleParams) error {
		return c.Args().Tensor(p.X).Tensor(p.Out).Int(p.N).Float(p.Factor).Launch(s, nereid.Grid{5})
	}
	list, err := tunable.Kernel(scaleKernel(t), nil, tunable.Launch[scaleParams]{Run: run})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	list[0].Prepare = nil // so that its tuning happens while the op measures
	other := tunable.Func("nothing", "", func(*nereid.Stream, scaleParams) error { return nil })
	op, err := tunable.New("scale", scaleKeyOf,
		tunable.Options[scaleParams]{Warmup: time.Millisecond, Rep: time.Millisecond}, list[0], other)
	if err != nil {
		t.Fatal(err)
	}
	got, err := op.Results(s, p)
	if err != nil || got[0].Candidate != "scale" || got[0].Median == 0 ||
		!strings.HasPrefix(got[1].Failed, "the results differ from those of scale: Out[0] is ") {
		t.Error(got, err)
	}
}

// A config with a pre_hook is a candidate, whose launches call the hook. So is the kernel without configs: it
// tunes itself.
func TestPreHook(t *testing.T) {
	s := stream(t, "interp")
	for wrong, right := range map[string]int{"": 2, `, triton.Config({"BLOCK": 8})`: 2} {
		k := hookedKernel(t, wrong)
		configs, err := k.Configs(s.Device())
		if err != nil {
			t.Fatal(err)
		}
		testPreHook(t, s, k, configs, right)
		if wrong == "" {
			testPreHook(t, s, k, nil, 1)
		}
	}
}

// hookedKernel returns a kernel under @triton.autotune with two configs that have a hook, and others.
func hookedKernel(t *testing.T, others string) *nereid.Kernel {
	t.Helper()
	m, err := nereid.Parse("hook.py", []byte(`
import triton
import triton.language as tl

def clear(args):
    args["x_ptr"].zero_()

@triton.autotune(configs=[triton.Config({"BLOCK": 16}, pre_hook=clear),
    triton.Config({"BLOCK": 32}, pre_hook=clear)`+others+`], key=[])
@triton.jit
def add(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)
`))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("add")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// testPreHook calls an op of configs twice, and expects so many of them to be right.
func testPreHook(t *testing.T, s *nereid.Stream, k *nereid.Kernel, configs []nereid.TuneConfig, right int) {
	t.Helper()
	run := func(c *tunable.Code, s *nereid.Stream, x *nereid.Tensor) error {
		return c.Args().Tensor(x).Int(16).Launch(s, nereid.Grid{1})
	}
	list, err := tunable.Kernel(k, configs, tunable.Launch[*nereid.Tensor]{Run: run})
	if err != nil {
		t.Fatal(err)
	}
	op, err := tunable.New("add", func(x *nereid.Tensor) nereid.DType { return x.DType },
		tunable.Options[*nereid.Tensor]{Warmup: time.Millisecond, Rep: time.Millisecond}, list...)
	if err != nil {
		t.Fatal(err)
	}
	x := slices.Repeat([]int32{5}, 16)
	for range 2 {
		if err := op.Call(s, nereid.FromSlice(x)); err != nil || x[0] != 1 || x[15] != 1 {
			t.Errorf("%v, %v", x, err)
		}
	}
	got, err := op.Results(s, nereid.FromSlice(x))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got {
		if r.Failed == "" {
			right--
		} else if !strings.Contains(r.Candidate, "BLOCK: 8") ||
			!strings.HasPrefix(r.Failed, "the results differ from those of add BLOCK: 16") {
			t.Errorf("%+v", r)
		}
	}
	if right != 0 {
		t.Errorf("%+v", got)
	}
}

// A tuned call allocates nothing, whichever of several keys it has: few, which are compared one after the
// other, or many.
func TestAllocations(t *testing.T) {
	check := func(t *testing.T, s *nereid.Stream) {
		for _, keys := range []int{2, 12} {
			op, p := scaleOp(t, s, 4096)
			allocatesNothing(t, func() (err error) {
				for i := range keys {
					q := p
					q.N, q.Factor = p.N-64*i, float64(i)
					err = cmp.Or(err, op.Call(s, q))
				}
				return err
			})
		}
	}
	t.Run("cpu", func(t *testing.T) { check(t, stream(t, "cpu")) })
	t.Run("gpu", func(t *testing.T) { onStub(t, check) })
}

// allocatesNothing fails the test if a call allocates once it was made a few times.
func allocatesNothing(t *testing.T, call func() error) {
	t.Helper()
	run := func() {
		if err := call(); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		run()
	}
	if n := testing.AllocsPerRun(100, run); n != 0 && !raceDetector {
		t.Errorf("%v allocations", n)
	}
}

// onStub runs a test on a GPU whose driver is a stub, in a process of its own.
func onStub(t *testing.T, f func(t *testing.T, s *nereid.Stream)) {
	t.Helper()
	txtest.LLVM(t, llvm.Load)
	if !txtest.Inside() {
		t.Log(stub.Again(t, "NEREID_CACHE_DIR="+t.TempDir()))
		return
	}
	f(t, stream(t, "cuda"))
}

// launches returns a tuned call, and a direct launch of the same code.
func launches(t testing.TB, s *nereid.Stream) (tuned, direct func()) {
	t.Helper()
	op, p := scaleOp(t, s, 4096)
	tuned = func() {
		if err := op.Call(s, p); err != nil {
			t.Fatal(err)
		}
	}
	tuned()
	name, err := op.Picked(s, p)
	if err != nil {
		t.Fatal(err)
	}
	k := scaleKernel(t)
	configs, err := k.Configs(s.Device())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range configs {
		if name == "scale "+c.Name {
			block := int(c.Args[0].Value.(int64))
			args := []any{p.X, p.Out, p.N, p.Factor, block, c.Options}
			grid := nereid.Programs(nereid.Grid{p.N / block})
			direct = func() {
				if err := k.Launch(s, grid, args...); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	direct()
	return tuned, direct
}

// A tuned call costs at most 0.3 µs of host time over a direct launch, or twice what the launch takes if
// that is longer: the least times of many batches, which other work on the machine does not lengthen.
func TestOverhead(t *testing.T) {
	if raceDetector {
		txtest.NotHere(t, "with the race detector, everything takes longer")
	}
	onStub(t, func(t *testing.T, s *nereid.Stream) {
		tuned, direct := launches(t, s)
		least := [2]time.Duration{time.Hour, time.Hour}
		const batch = 500
		for range 60 {
			for i, f := range []func(){tuned, direct} {
				begin := time.Now()
				for range batch {
					f()
				}
				least[i] = min(least[i], time.Since(begin)/batch)
			}
		}
		t.Logf("a tuned call takes %v, a direct launch %v", least[0], least[1])
		if over := least[0] - least[1]; over > max(300*time.Nanosecond, 2*least[1]) {
			t.Errorf("a tuned call costs %v over a direct launch", over)
		}
	})
}

// BenchmarkCall compares a tuned call with a direct launch of the same code.
func BenchmarkCall(b *testing.B) {
	tuned, direct := launches(b, stream(b, "cpu"))
	for name, f := range map[string]func(){"tuned": tuned, "direct": direct} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}

// On a stream that is being captured, a tuned op is captured, and one that would have to be tuned is refused.
func TestCapture(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream) {
		op, p := scaleOp(t, s, 4096)
		if _, err := s.Capture(func() error { return op.Call(s, p) }); !errors.Is(err, nereid.ErrCapturing) {
			t.Errorf("not tuned: %v", err)
		}
		if err := op.Tune(s, p); err != nil {
			t.Fatal(err)
		}
		if err := op.Call(s, p); err != nil {
			t.Fatal(err)
		}
		g, err := s.Capture(func() error { return op.Call(s, p) })
		if err != nil {
			t.Fatal(err)
		}
		g.Close()
	})
}
