package nereid_test

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/genrt"
	"github.com/nereid-lang/nereid/kernels"
)

// Many specialisations of a kernel are all found without allocating, each with its own code.
func TestManySpecialisations(t *testing.T) {
	m, err := nereid.Parse("many.py", []byte(`
import triton
import triton.language as tl

@triton.jit
def many(x_ptr, n, V: tl.constexpr, NAME: tl.constexpr):
    tl.store(x_ptr, V + n)
    if NAME == "b":
        tl.store(x_ptr, 1000 + V)
`), nereid.With(nereid.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("many")
	if err != nil {
		t.Fatal(err)
	}
	s := stream(t, "interp")
	x, err := nereid.NewTensor(s.Device(), nereid.Float32, 16)
	if err != nil {
		t.Fatal(err)
	}
	type launch struct {
		args []any
		want float64
	}
	var all []launch
	for v := range 40 {
		for _, name := range []string{"a", "b"} {
			l := launch{[]any{x, 2 + v%2*14, v, name}, float64(v + 2 + v%2*14)}
			if name == "b" {
				l.want = float64(1000 + v)
			}
			all = append(all, l)
		}
	}
	grid := nereid.Programs(nereid.Grid{1})
	for range 2 {
		for _, l := range all {
			if err := k.Launch(s, grid, l.args...); err != nil || at(t, x, 0) != l.want {
				t.Fatalf("%v gives %v, %v", l.args[1:], at(t, x, 0), err)
			}
		}
	}
}

// The same for generated functions.
func TestManySets(t *testing.T) {
	s := stream(t, "cpu")
	x, y, out := tensors(t, s.Device(), 64)
	typed := genrt.Typed[addConsts]{Load: loadAdd, Name: "add_kernel", Consts: addConsts.args}
	launch := func(i int) error {
		call := typed.Call(addConsts{16, nereid.Options{NumWarps: 1, NumStages: i}})
		call.Tensor(x)
		call.Tensor(y)
		call.Tensor(out)
		call.Int(64)
		return call.Launch(s, nereid.Grid{1})
	}
	for i := range 20 {
		for range 2 {
			if err := launch(i + 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	i := 0
	if n := testing.AllocsPerRun(100, func() {
		i++
		if err := launch(i%20 + 1); err != nil {
			t.Fatal(err)
		}
	}); n != 0 && !raceDetector {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkSpecialisations(b *testing.B) {
	s := stream(b, "cpu")
	x, y, out := tensors(b, s.Device(), 64)
	for _, n := range []int{1, 6, 7, 40} {
		m, err := nereid.LoadFS(kernels.Files, "vector_add.py", nereid.With(nereid.Config{}))
		if err != nil {
			b.Fatal(err)
		}
		k, err := m.Kernel("add_kernel")
		if err != nil {
			b.Fatal(err)
		}
		grid := nereid.Programs(nereid.Grid{1})
		var args [][]any
		for i := range n {
			args = append(args, []any{x, y, out, 64, 16, nereid.Options{NumStages: i + 1}})
			if err := k.Launch(s, grid, args[i]...); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := k.Launch(s, grid, args[i%n]...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
