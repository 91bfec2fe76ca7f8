package nereid_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/genrt"
)

// oddKernels are the same function twice; the second one's T is chosen by a decorator.
const oddKernels = `
import triton
import triton.language as tl

@triton.jit
def odd(x, n, scale, y, BLOCK: tl.constexpr, MODE: tl.constexpr = "a", T: tl.constexpr = 1):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * scale, mask=i < n)

@triton.autotune(configs=[triton.Config({"T": 1})], key=["n"])
@triton.jit
def odd_tuned(x, n, scale, y, BLOCK: tl.constexpr, MODE: tl.constexpr = "a", T: tl.constexpr = 1):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * scale, mask=i < n)
`

// oddSet is the struct of a generated function whose arguments are a list of the table.
type oddSet struct{ Case int }

// TestOddArguments: a wrong or odd list of arguments gives the same error through Launch, Bind, a generated
// function and an autotuned kernel; "" is none.
func TestOddArguments(t *testing.T) {
	s := stream(t, "interp")
	other, err := nereid.NewTensor(stream(t, "cpu").Device(), nereid.Float32, 16)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	x, y := nereid.FromSlice(make([]float32, 16)), nereid.FromSlice(make([]float32, 16))
	arg := nereid.Arg
	loop := []any{nil}
	loop[0] = loop
	cases := []struct {
		want string
		list []any
	}{
		{"", []any{x, 16, 2.0, y, 16}},
		{"", []any{x, 16, 2.0, nil, 16, "b"}},
		{"", []any{x, 16, 2.0, arg("BLOCK", 16), arg("y", y)}},
		{"", []any{arg("y", y), arg("BLOCK", 16), x, 16, 2.0}},
		{"", []any{x, int8(16), float32(2), y, uint16(16)}},
		{"", []any{x, uint64(1 << 63), 2, y, 16}},
		{"", []any{x, true, 2.0, y, 16}},
		{"", []any{x, 16, 2.0, y, 16, nereid.Options{NumWarps: 2}}},
		{"", []any{nereid.Options{NumWarps: 2}, x, 16, 2.0, y, 16}},
		{"", []any{x, 16, 2.0, []any{y, 3}, 16}},
		{"", []any{x, 16, 2.0, nereid.Fields{arg("a", y), arg("b", 1)}, 16}},
		{"", []any{x, 16, 2.0, nereid.Const{Value: 3}, 16}},
		{"", []any{x, 16, 2.0, y, 16, arg("MODE", nil)}},
		{"", []any{x, 16, 2.0, y, 16, arg("MODE", nereid.Float16)}},
		{"", []any{x, 16, 2.0, y, 16, arg("MODE", []int{1, 2})}},
		{"", []any{x, 16, 2.0, (*nereid.Tensor)(nil), 16}},
		{`argument "x": missing`, nil},
		{`argument "n": missing`, []any{x}},
		{`argument "BLOCK": missing`, []any{x, 16, 2.0, y}},
		{`argument "scale": missing`, []any{x, 16, arg("y", y), arg("BLOCK", 16)}},
		{`argument "x": given twice`, []any{x, 16, 2.0, y, 16, arg("x", x)}},
		{`argument "BLOCK": given twice`, []any{x, 16, 2.0, y, 16, arg("BLOCK", 16)}},
		{`argument "MODE": given twice`, []any{x, 16, 2.0, y, 16, arg("MODE", "a"), arg("MODE", "a")}},
		{`unknown parameter "BLOK"`, []any{x, 16, 2.0, y, arg("BLOK", 16)}},
		{`unknown parameter "num_warps"`, []any{x, 16, 2.0, y, 16, arg("num_warps", 4)}},
		{`unknown parameter "X"`, []any{arg("X", x), 16, 2.0, y, 16}},
		{"takes 7 arguments, 8 were given", []any{x, 16, 2.0, y, 16, "a", 1, 2}},
		{"takes 7 arguments, 9 were given", []any{x, 16, 2.0, y, 16, "a", 1, 2, 3}},
		{`argument "n": a chan int cannot be passed to a kernel`, []any{x, make(chan int), 2.0, y, 16}},
		{`argument "y": a map[string]int cannot be passed to a kernel`,
			[]any{x, 16, 2.0, map[string]int{}, 16}},
		{`argument "y": a func() cannot be passed to a kernel`, []any{x, 16, 2.0, func() {}, 16}},
		{`argument "y": item 1: a chan int cannot be passed to a kernel`,
			[]any{x, 16, 2.0, []any{1, make(chan int)}, 16}},
		{`argument "y": field b: a chan int`, []any{x, 16, 2.0, nereid.Fields{arg("b", make(chan int))}, 16}},
		{`argument "BLOCK": a tensor cannot be a compile-time argument`, []any{x, 16, 2.0, y, x}},
		{`argument "BLOCK": a chan int cannot be a compile-time argument`,
			[]any{x, 16, 2.0, y, make(chan int)}},
		{`argument "MODE": a struct {} cannot be a compile-time argument`,
			[]any{x, 16, 2.0, y, 16, struct{}{}}},
		{`argument "MODE": DType(0) is no element type`, []any{x, 16, 2.0, y, 16, nereid.Invalid}},
		{`argument "x": the tensor is on cpu, and the launch on interp`, []any{other, 16, 2.0, y, 16}},
		{`argument "y": the tensor is on cpu, and the launch on interp`, []any{x, 16, 2.0, other, 16}},
		{`argument "x": the tensor has no memory`,
			[]any{&nereid.Tensor{DType: nereid.Float32}, 16, 2.0, y, 16}},
		{`argument "x": a slice of 2 elements`,
			[]any{nereid.FromSlice(make([]float32, 2), 3), 16, 2.0, y, 16}},
		{`argument "y": `, []any{x, 16, 2.0, loop, 16}},
		{`num_warps=-1`, []any{x, 16, 2.0, y, 16, nereid.Options{NumWarps: -1}}},
	}
	m, err := nereid.Parse("odd.py", []byte(oddKernels), nereid.With(nereid.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := m.Kernel("odd")
	if err != nil {
		t.Fatal(err)
	}
	tuned, err := m.Kernel("odd_tuned")
	if err != nil {
		t.Fatal(err)
	}
	load := func() (*nereid.Module, error) { return m, nil }
	generated := genrt.Typed[oddSet]{Load: load, Name: "odd", Consts: func(c oddSet) []any {
		return cases[c.Case].list
	}}
	for i, c := range cases {
		for way, launch := range map[string]func() error{
			"Launch":    func() error { return plain.Launch(s, nereid.Grid{1}, c.list...) },
			"Bind":      func() error { return bindAndLaunch(plain, s, c.list) },
			"generated": func() error { return generated.Call(oddSet{i}).Launch(s, nereid.Grid{1}) },
			"autotuned": func() error { return tuned.Launch(s, nereid.Grid{1}, c.list...) },
		} {
			for range 2 { // the second as repeated launches go
				got := strings.ReplaceAll(fmt.Sprint(launch()), "odd_tuned", "odd")
				if c.want == "" && got != "<nil>" || c.want != "" &&
					!strings.HasPrefix(got, "nereid: odd: "+c.want) && !strings.Contains(got, c.want) {
					t.Errorf("case %d through %s: %s, want %q", i, way, got, c.want)
				}
			}
		}
	}
}

func bindAndLaunch(k *nereid.Kernel, s *nereid.Stream, list []any) error {
	b, err := k.Bind(s, list...)
	if err != nil {
		return err
	}
	defer b.Close()
	return b.Launch(nereid.Grid{1})
}
