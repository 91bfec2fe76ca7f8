package ops_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/ops"
)

// judged is a call whose result PyTorch judges: peer/ops_check.py makes the same call.
type judged struct {
	Op    string         `json:"op"`
	In    []string       `json:"in"`  // names of the operands in the file of tensors
	Out   []string       `json:"out"` // and of the results
	Attrs map[string]any `json:"attrs,omitempty"`
}

// trial makes operands and attributes of a call, and calls.
type trial struct {
	op  string
	run func(g *gambler, a map[string]any) (in, out []*nereid.Tensor)
}

type tensors = []*nereid.Tensor

// trials returns a trial for every op that PyTorch has.
func trials() (list []trial) {
	for _, c := range unary {
		list = append(list, trial{c.name, func(g *gambler, _ map[string]any) (in, out tensors) {
			x := g.tensor(pick(g, floatTypes...), g.shape(3)...)
			x = ops.Add(g.s, ops.Mul(g.s, x, (c.hi-c.lo)/6.2), (c.lo+c.hi)/2)
			return tensors{x}, tensors{c.op(g.s, x)}
		}})
	}
	for _, c := range binary {
		list = append(list, trial{c.name, func(g *gambler, _ map[string]any) (in, out tensors) {
			shape := g.shape(4)
			x := g.tensor(pick(g, floatTypes...), shape...)
			y := g.tensor(pick(g, floatTypes...), g.shrunk(shape)...)
			if c.lo > 0 { // not of 0
				x, y = ops.Add(g.s, ops.Abs(g.s, x), c.lo), ops.Add(g.s, ops.Abs(g.s, y), c.lo)
			}
			return tensors{x, y}, tensors{c.op(g.s, x, y)}
		}})
	}
	for _, c := range []struct {
		name string
		f    func(*ops.Stream, *nereid.Tensor, ...int) *nereid.Tensor
	}{{"Sum", ops.Sum}, {"Mean", ops.Mean}, {"Max", ops.Max}, {"Min", ops.Min}, {"Variance", ops.Variance},
		{"LogSumExp", ops.LogSumExp}} {
		list = append(list, trial{c.name, func(g *gambler, a map[string]any) (in, out tensors) {
			x := g.tensor(pick(g, floatTypes...), g.shape(4)...)
			var axes []int
			for d := range x.Shape {
				if g.IntN(2) == 0 || len(axes) == 0 && d == len(x.Shape)-1 {
					axes = append(axes, d)
				}
			}
			a["axes"] = axes
			return tensors{x}, tensors{c.f(g.s, x, axes...)}
		}})
	}
	return slices.Concat(list, rowTrials, imageTrials, gradTrials)
}

// alongTrial is a trial of an op along one dimension.
func alongTrial(op string, f func(g *gambler, x *nereid.Tensor, axis int) tensors) trial {
	return trial{op, func(g *gambler, a map[string]any) (in, out tensors) {
		x := g.tensor(pick(g, floatTypes...), g.shape(3)...)
		axis := g.IntN(len(x.Shape))
		a["axis"] = axis
		return tensors{x}, f(g, x, axis)
	}}
}

var rowTrials = []trial{
	alongTrial("Softmax", func(g *gambler, x *nereid.Tensor, axis int) tensors {
		return tensors{ops.Softmax(g.s, x, axis)}
	}),
	alongTrial("LogSoftmax", func(g *gambler, x *nereid.Tensor, axis int) tensors {
		return tensors{ops.LogSoftmax(g.s, x, axis)}
	}),
	alongTrial("CumSum", func(g *gambler, x *nereid.Tensor, axis int) tensors {
		return tensors{ops.CumSum(g.s, ops.Copy(g.s, x.Transpose(axis, len(x.Shape)-1)), -1).
			Transpose(axis, len(x.Shape)-1)}
	}),
	scanTrial("CumProd", ops.CumProd), scanTrial("CumMax", ops.CumMax), scanTrial("CumMin", ops.CumMin),
	alongTrial("ArgMax", func(g *gambler, x *nereid.Tensor, axis int) tensors {
		return tensors{ops.ArgMax(g.s, x, axis)}
	}),
	alongTrial("Concat", func(g *gambler, x *nereid.Tensor, axis int) tensors {
		return tensors{ops.Concat(g.s, axis, x, x.Slice(axis, 0, 1, 1), x)}
	}),
	{"Pad", func(g *gambler, a map[string]any) (in, out tensors) {
		x := g.tensor(pick(g, floatTypes...), 3, 5)
		before, after := []int{g.IntN(3), g.IntN(3)}, []int{g.IntN(3), g.IntN(3)}
		a["before"], a["after"] = before, after
		return tensors{x}, tensors{ops.Pad(g.s, x, 1.5, before, after)}
	}},
	{"RMSNorm", func(g *gambler, _ map[string]any) (in, out tensors) {
		dt := pick(g, nereid.Float32, nereid.Float16, nereid.BFloat16)
		x := g.tensor(dt, pick(g, 1, 7), pick(g, 16, 50))
		w := g.tensor(dt, x.Shape[1])
		return tensors{x, w}, tensors{ops.RMSNorm(g.s, x, w, 1e-5)}
	}},
	{"LayerNorm", func(g *gambler, _ map[string]any) (in, out tensors) {
		x := g.tensor(nereid.Float32, pick(g, 1, 7), pick(g, 16, 50))
		w, b := g.tensor(nereid.Float32, x.Shape[1]), g.tensor(nereid.Float32, x.Shape[1])
		return tensors{x, w, b}, tensors{ops.LayerNorm(g.s, x, w, b, 1e-5)}
	}},
	{"MatMul", func(g *gambler, _ map[string]any) (in, out tensors) {
		dt, m, n, k := pick(g, floatTypes...), pick(g, 1, 3, 20), pick(g, 1, 9, 33), pick(g, 1, 16, 40)
		a, b := g.tensor(dt, pick(g, 1, 3), m, k), g.tensor(dt, k, n)
		if g.IntN(2) == 0 {
			b = g.tensor(dt, 3, k, n)
		}
		return tensors{a, b}, tensors{ops.MatMul(g.s, a, b)}
	}},
	{"Linear", func(g *gambler, _ map[string]any) (in, out tensors) {
		x, w := g.tensor(nereid.Float32, pick(g, 1, 3, 20), 40), g.tensor(nereid.Float32, 24, 40)
		b := g.tensor(nereid.Float32, 24)
		return tensors{x, w, b}, tensors{ops.MatMul(g.s, x, w.Transpose(0, 1), ops.Bias(b), ops.ThenGELU)}
	}},
	{"Attention", func(g *gambler, a map[string]any) (in, out tensors) {
		dt := pick(g, nereid.Float32, nereid.Float16, nereid.BFloat16)
		kv, size, keys := pick(g, 1, 2), pick(g, 16, 24, 32), pick(g, 9, 40, 300)
		q := ops.Copy(g.s, g.tensor(dt, 2, 2*kv, pick(g, 1, 5, 9), size))
		k, v := ops.Copy(g.s, g.tensor(dt, 2, kv, keys, size)), ops.Copy(g.s, g.tensor(dt, 2, kv, keys, size))
		causal := g.IntN(2) == 0
		a["causal"] = causal
		return tensors{q, k, v}, tensors{ops.Attention(g.s, q, k, v, ops.AttentionOptions{Causal: causal})}
	}},
	{"CrossEntropy", func(g *gambler, _ map[string]any) (in, out tensors) {
		x := g.tensor(nereid.Float32, 6, pick(g, 5, 70))
		y := made(g.t, g.s, nereid.Int64, func(int) float64 { return float64(g.IntN(x.Shape[1])) }, 6)
		return tensors{x, y}, tensors{ops.CrossEntropy(g.s, x, y)}
	}},
	{"Sort", func(g *gambler, a map[string]any) (in, out tensors) {
		x, down := g.tensor(nereid.Float32, 3, pick(g, 1, 5, 60)), g.IntN(2) == 0
		a["descending"] = down
		v, i := ops.Sort(g.s, x, down)
		return tensors{x}, tensors{v, i}
	}},
	{"TopK", func(g *gambler, a map[string]any) (in, out tensors) {
		x := g.tensor(nereid.Float32, 3, 60)
		a["k"] = 4
		v, _ := ops.TopK(g.s, x, 4) // PyTorch's indices of equal elements are any
		return tensors{x}, tensors{v}
	}},
	{"Gather", func(g *gambler, a map[string]any) (in, out tensors) {
		x, axis := g.tensor(pick(g, floatTypes...), 4, 6), g.IntN(2)
		a["axis"] = axis
		i := made(g.t, g.s, nereid.Int64, func(int) float64 { return float64(g.IntN(4)) }, 4, 6)
		return tensors{x, i}, tensors{ops.Gather(g.s, x, i, axis)}
	}},
	{"ScatterAdd", func(g *gambler, a map[string]any) (in, out tensors) {
		x, y, axis := g.tensor(nereid.Float32, 4, 6), g.tensor(nereid.Float32, 4, 6), g.IntN(2)
		a["axis"] = axis
		i := made(g.t, g.s, nereid.Int64, func(int) float64 { return float64(g.IntN(4)) }, 4, 6)
		return tensors{x, i, y}, tensors{ops.ScatterAdd(g.s, x, i, y, axis)}
	}},
}

// TestTorch: PyTorch has the results that random calls of all ops have, within the tolerance of their types.
// NEREID_TEST_OPS_CALLS sets the number of calls, NEREID_TEST_TORCH a Python with PyTorch, NEREID_TEST_OPS_ON
// another device than the CPU, and NEREID_TEST_OPS_ONLY chooses ops.
func TestTorch(t *testing.T) {
	python := torchPython(t)
	s := streamOn(t, cmp.Or(os.Getenv("NEREID_TEST_OPS_ON"), "cpu"))
	only, all := chosen(t), map[string]*nereid.Tensor{}
	list := slices.DeleteFunc(trials(), func(c trial) bool { return !only.MatchString(c.op) })
	var calls []judged
	for i := range callCount(len(list)) {
		s.Reset()
		g := &gambler{rand.New(rand.NewPCG(uint64(i), 11)), t, s}
		c := list[i%len(list)]
		j := judged{Op: c.op, Attrs: map[string]any{}}
		in, out := c.run(g, j.Attrs)
		j.In = keepTensors(t, all, fmt.Sprintf("%d.in", i), in)
		j.Out = keepTensors(t, all, fmt.Sprintf("%d.out", i), out)
		calls = append(calls, j)
	}
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "tensors.safetensors"))
	if err == nil {
		err = nereid.WriteSafetensors(file, all)
	}
	text, err2 := json.Marshal(calls)
	err3 := os.WriteFile(filepath.Join(dir, "calls.json"), text, 0o644)
	if err != nil || err2 != nil || err3 != nil || file.Close() != nil {
		t.Fatal(err, err2, err3)
	}
	out, err := exec.CommandContext(t.Context(), python, txtest.Path(t, "peer", "ops_check.py"), dir).
		CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", strings.TrimSpace(string(out)))
}

// keepTensors keeps copies of tensors in host memory under a name, and returns their names.
func keepTensors(t *testing.T, all map[string]*nereid.Tensor, name string, list tensors) (names []string) {
	t.Helper()
	for i, x := range list {
		if err := x.Err(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		names = append(names, fmt.Sprintf("%s.%d", name, i))
		all[names[i]] = hostOf(t, x)
	}
	return names
}

// callCount returns how many calls a random test makes.
func callCount(usual int) int {
	n := usual
	fmt.Sscan(os.Getenv("NEREID_TEST_OPS_CALLS"), &n)
	return n
}

// torchPython returns a Python that can import PyTorch.
func torchPython(t *testing.T) string {
	t.Helper()
	python := os.Getenv("NEREID_TEST_TORCH")
	if python == "" {
		python = txtest.Path(t, ".venv", "bin", "python")
	}
	out, err := exec.CommandContext(t.Context(), python, "-c", "import torch").CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		txtest.Need(t, "torch", fmt.Errorf("not for %s: %v %s", python, err, lines[len(lines)-1]))
	}
	return python
}

// TestTrials: the ops that PyTorch has are many.
func TestTrials(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range trials() {
		seen[c.op] = true
	}
	if len(seen) < 100 {
		t.Errorf("%d ops have trials", len(seen))
	}
}
