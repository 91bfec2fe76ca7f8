package gomlx

import (
	"math"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/compute/support/testutil"
)

// must makes a value of an operation that does not fail.
func must(t *testing.T) func(compute.Value, error) compute.Value {
	return func(v compute.Value, err error) compute.Value {
		t.Helper()
		if err != nil {
			t.Fatalf("%+v", err)
		}
		return v
	}
}

// built compiles a function of parameters.
func built(t *testing.T, b compute.Backend, params []shapes.Shape,
	build func(f compute.Function, p []compute.Value) []compute.Value) compute.Executable {
	t.Helper()
	x := b.Builder(t.Name())
	f := x.Main()
	var list []compute.Value
	for _, s := range params {
		list = append(list, must(t)(f.Parameter("p", s, nil)))
	}
	if err := f.Return(build(f, list), nil); err != nil {
		t.Fatalf("%+v", err)
	}
	e, err := x.Compile()
	if err != nil {
		t.Fatalf("%+v", err)
	}
	return e
}

// TestChains looks at what becomes one kernel.
func TestChains(t *testing.T) {
	b, m := testBackend(t), must(t)
	square := shapes.Make(dtypes.Float32, 64, 64)
	for _, c := range []struct {
		name  string
		steps int
		build func(f compute.Function, p []compute.Value) []compute.Value
	}{
		{"elements", 1, func(f compute.Function, p []compute.Value) []compute.Value {
			x := m(f.Exp(m(f.Neg(m(f.Mul(p[0], p[1]))))))
			return []compute.Value{m(f.Div(x, m(f.Add(x, p[0]))))}
		}},
		{"broadcast of a row, transposed", 1, func(f compute.Function, p []compute.Value) []compute.Value {
			row := m(f.Slice(p[1], []int{3, 0}, []int{4, 64}, nil))
			wide := m(f.BroadcastInDim(m(f.Reshape(row, 64)), square, []int{1}))
			return []compute.Value{m(f.Tanh(m(f.Add(m(f.Transpose(p[0], 1, 0)), wide))))}
		}},
		{"sum of squares", 1, func(f compute.Function, p []compute.Value) []compute.Value {
			d := m(f.Sub(p[0], p[1]))
			return []compute.Value{m(f.ReduceSum(m(f.Mul(d, d)), 1))}
		}},
		{"softmax", 4, func(f compute.Function, p []compute.Value) []compute.Value {
			top := m(f.BroadcastInDim(m(f.ReduceMax(p[0], 1)), square, []int{0}))
			e := m(f.Exp(m(f.Sub(p[0], top))))
			return []compute.Value{m(f.Div(e, m(f.BroadcastInDim(m(f.ReduceSum(e, 1)), square, []int{0}))))}
		}},
		{"product with a table of constants", 1, func(f compute.Function, p []compute.Value) []compute.Value {
			table := make([]float32, 64*64)
			for i := range table {
				table[i] = float32(i%17) / 17
			}
			sines := m(f.Sin(m(f.Transpose(m(f.Constant(table, 64, 64)), 1, 0))))
			return []compute.Value{m(f.DotGeneral(p[0], []int{1}, nil, sines, []int{0}, nil,
				compute.DotGeneralConfig{}))}
		}},
		{"product of a transposed matrix", 1, func(f compute.Function, p []compute.Value) []compute.Value {
			return []compute.Value{m(f.DotGeneral(m(f.Transpose(p[0], 1, 0)), []int{1}, nil, p[1], []int{0},
				nil, compute.DotGeneralConfig{}))}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			params := []shapes.Shape{square, square}
			ours, theirs := built(t, b, params, c.build), built(t, gobackend.GetBackend(), params, c.build)
			p := ours.(*Executable).programs[""]
			if len(p.steps) > c.steps {
				t.Errorf("%d steps, not %d", len(p.steps), c.steps)
			}
			compare(t, b, ours, theirs, params)
		})
	}
}

// compare runs two executables on the same random inputs.
func compare(t *testing.T, b compute.Backend, ours, theirs compute.Executable, params []shapes.Shape) {
	t.Helper()
	state := uint32(1)
	var in, ref []compute.Buffer
	for _, s := range params {
		data := make([]float32, s.Size())
		for i := range data {
			state = state*1664525 + 1013904223
			data[i] = float32(state>>8)/(1<<23) - 1
		}
		for _, x := range []struct {
			b    compute.Backend
			list *[]compute.Buffer
		}{{b, &in}, {gobackend.GetBackend(), &ref}} {
			buf, err := x.b.BufferFromFlatData(0, data, s)
			if err != nil {
				t.Fatal(err)
			}
			*x.list = append(*x.list, buf)
		}
	}
	got, err := ours.Execute(in, nil, 0)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	want, err := theirs.Execute(ref, nil, 0)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	for i := range want {
		x, y := floats32(t, got[i]), floats32(t, want[i])
		for j := range y {
			if d := math.Abs(float64(x[j] - y[j])); d > 1e-4*(1+math.Abs(float64(y[j]))) {
				t.Fatalf("output %d, element %d: %v, not %v", i, j, x[j], y[j])
			}
		}
	}
}

func floats32(t *testing.T, b compute.Buffer) []float32 {
	t.Helper()
	s, err := b.Shape()
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float32, s.Size())
	if err := b.ToFlatData(out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDonated runs x + 1 on a donated buffer again and again: the same memory, and nothing of it left in
// use.
func TestDonated(t *testing.T) {
	b, m := testBackend(t), must(t)
	s := shapes.Make(dtypes.Float32, 1000)
	e := built(t, b, []shapes.Shape{s}, func(f compute.Function, p []compute.Value) []compute.Value {
		return []compute.Value{m(f.Add(p[0], m(f.Constant([]float32{1}))))}
	})
	buf, err := b.BufferFromFlatData(0, make([]float32, 1000), s)
	if err != nil {
		t.Fatal(err)
	}
	first := buf.(*Buffer).own.m
	for range 5 {
		old := buf
		list, err := e.Execute([]compute.Buffer{buf}, []bool{true}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if buf = list[0]; buf.(*Buffer).own.m != first {
			t.Error("the output is in other memory")
		}
		if err := old.ToFlatData(make([]float32, 1000)); err == nil {
			t.Error("a donated buffer can be read")
		}
	}
	if got := floats32(t, buf); got[0] != 5 || got[999] != 5 {
		t.Errorf("%v … %v, not 5", got[0], got[999])
	}
}

// TestLoop runs a loop whose body captures a value, within a function of dynamic axes.
func TestLoop(t *testing.T) {
	b, m := testBackend(t), must(t)
	s := shapes.MakeDynamic(dtypes.Float32, []int{shapes.DynamicDim}, []string{"n"})
	scalar := shapes.Make(dtypes.Int32)
	e := built(t, b, []shapes.Shape{s, scalar}, func(f compute.Function, p []compute.Value) []compute.Value {
		zero := m(f.Constant([]int32{0}))
		cond, err := f.Closure()
		if err != nil {
			t.Fatal(err)
		}
		i := m(cond.Parameter("i", scalar, nil))
		m(cond.Parameter("x", s, nil))
		if err := cond.Return([]compute.Value{m(cond.LessThan(i, p[1]))}, nil); err != nil {
			t.Fatal(err)
		}
		body, err := f.Closure()
		if err != nil {
			t.Fatal(err)
		}
		i, x := m(body.Parameter("i", scalar, nil)), m(body.Parameter("x", s, nil))
		one := m(body.Constant([]int32{1}))
		if err := body.Return([]compute.Value{m(body.Add(i, one)), m(body.Add(x, p[0]))}, nil); err != nil {
			t.Fatal(err)
		}
		list, err := f.While(cond, body, zero, p[0])
		if err != nil {
			t.Fatalf("%+v", err)
		}
		return list[1:]
	})
	for _, n := range []int{3, 7} {
		for _, turns := range []int32{0, 4} {
			data := make([]float32, n)
			for i := range data {
				data[i] = float32(i + 1)
			}
			x, err := testutil.ToBuffer(b, data)
			if err != nil {
				t.Fatal(err)
			}
			count, err := testutil.ToBuffer(b, turns)
			if err != nil {
				t.Fatal(err)
			}
			out, err := e.Execute([]compute.Buffer{x, count}, nil, 0)
			if err != nil {
				t.Fatalf("%+v", err)
			}
			got := floats32(t, out[0])
			if len(got) != n || got[n-1] != float32(n)*float32(turns+1) {
				t.Errorf("%d elements, %d turns: %v", n, turns, got)
			}
		}
	}
}
