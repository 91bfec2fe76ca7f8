package args

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/signature"
)

// addParams are those of def add(x, y, n, scale: "fp32" = 2, BLOCK: constexpr = 64).
var addParams = NewParams([]signature.Param{
	{Name: "x"}, {Name: "y"}, {Name: "n"},
	{Name: "scale", Type: "fp32", Default: signature.Int(2)},
	{Name: "BLOCK", Constexpr: true, Default: signature.Int(64)},
})

func positional(vals ...any) (out []Arg) {
	for _, v := range vals {
		out = append(out, Arg{Value: v})
	}
	return out
}

func TestMatch(t *testing.T) {
	named := func(list []Arg, name string, v any) []Arg { return append(list, Arg{name, v}) }
	for _, c := range []struct {
		name string
		args []Arg
		want string // values, or the error
	}{
		{"in order", positional(1, 2, 3, 4, 5), "[1 2 3 4 5]"},
		{"defaults", positional(1, 2, 3), "[1 2 3 2 {}]"},
		{"by name", named(positional(1, 2, 3), "BLOCK", 7), "[1 2 3 2 7]"},
		{"a name first", append([]Arg{{"x", 9}}, positional(1, 2)...), "[9 1 2 2 {}]"},
		{"None", positional(nil, 2, 3), "[<nil> 2 3 2 {}]"},
		{"twice", named(positional(1, 2, 3), "x", 4), `argument "x": given twice`},
		{"two names", named(named(nil, "x", 1), "x", 2), `argument "x": given twice`},
		{"unknown", named(positional(1, 2, 3), "BLOK", 4),
			`unknown parameter "BLOK" (the kernel has x, y, n, scale, BLOCK)`},
		{"too many", positional(1, 2, 3, 4, 5, 6), "takes 5 arguments, 6 were given"},
		{"missing", positional(1, 2), `argument "n": missing`},
		{"none at all", nil, `argument "x": missing`},
	} {
		var m Matched
		err := m.Match(addParams, c.args)
		if err == nil {
			err = m.Fill()
		}
		got := fmt.Sprint(m.Vals)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// lender is a device that sees everything where it is.
type lender struct{}

func (lender) Address(_ string, _ int, t *Tensor) (uint64, error) {
	if t.Addr == 0 {
		return 0, errors.New("no memory")
	}
	return t.Addr, nil
}

func (lender) Describe(_ string, _ int, d *Descriptor) (uint64, []uint64, error) {
	return d.Base.Addr, d.AppendWords(nil, d.Base.Addr)[:2*len(d.Shape)+2], nil
}

// specialize returns the specs and the words of one argument.
func specialize(t *testing.T, p signature.Param, v any) string {
	t.Helper()
	params := NewParams([]signature.Param{p})
	var f Frame
	if err := f.Specialize(params, []any{v}, lender{}); err != nil {
		return err.Error()
	}
	specs, err := f.Specs(params)
	if err != nil {
		return err.Error()
	}
	quick := Frame{}
	if err := quick.Specialize(params, []any{v}, nil); err == nil &&
		(!quick.Same(&f.Look) || fmt.Sprint(quick.Words) != fmt.Sprint(f.Words)) {
		t.Errorf("%v: the short way finds %v, the long way %v", v, quick, f)
	}
	var b strings.Builder
	writeSpec(&b, specs[0])
	return fmt.Sprint(b.String(), f.Words)
}

func TestSpecialize(t *testing.T) {
	plain, fixed, free := signature.Param{Name: "p"}, signature.Param{Name: "p", Type: "i64"},
		signature.Param{Name: "p", NoSpecialize: true}
	half, constexpr := signature.Param{Name: "p", Type: "fp16"}, signature.Param{Name: "p", Constexpr: true}
	single := signature.Param{Name: "p", Type: "fp32"}
	x := &Tensor{Elem: dtype.Float16, Addr: 4096}
	for _, c := range []struct {
		p    signature.Param
		v    any
		want string
	}{
		{plain, 5, "|i32:false[5]"},
		{plain, 32, "|i32:true[32]"},
		{plain, 1, "|=int 1[]"},
		{plain, int8(1), "|=int 1[]"},
		{plain, uint8(16), "|i32:true[16]"},
		{plain, 1 << 40, "|i64:true[1099511627776]"},
		{plain, uint64(math.MaxUint64), "|u64:false[18446744073709551615]"},
		{plain, -16, "|i32:true[18446744073709551600]"},
		{fixed, 1, "|i64:false[1]"},
		{free, 1, "|i32:false[1]"},
		{free, 16, "|i32:true[16]"},
		{signature.Param{Name: "p", NoSpecialize: true, NoAlign: true}, 16, "|i32:false[16]"},
		{half, 1, "|fp16:false[15360]"},
		{half, 1.0, "|fp16:false[15360]"},
		{plain, 1.0, "|fp32:false[1065353216]"},
		{plain, float32(1), "|fp32:false[1065353216]"},
		{plain, true, "|u1:false[1]"},
		{plain, nil, "|=NoneType None[]"},
		{plain, x, "|*fp16:true[4096]"},
		{plain, &Tensor{Elem: dtype.Int8, Addr: 4100}, "|*i8:false[4100]"},
		{signature.Param{Name: "p", Type: "*i8"}, x, "|*i8:true[4096]"},
		{plain, &Tensor{Elem: dtype.Int8}, `argument "p": no memory`},
		{plain, "relu", "|=str 'relu'[]"},
		{plain, dtype.Float16, "|=dtype fp16[]"},
		{plain, Const{1}, "|=int 1[]"},
		{plain, []any{x, 3, 16}, "|(|*fp16:true|i32:false|i32:true)[4096 3 16]"},
		{plain, Fields{{"a", 1}, {"b", 2.0}}, "|a,b(|=int 1|fp32:false)[1073741824]"},
		{plain, Scalar{dtype.Int64, 1}, "|=int 1[]"},
		{free, Scalar{dtype.Int64, 1}, "|i64:false[1]"},
		{plain, Scalar{dtype.Int64, 32}, "|i64:true[32]"},
		{plain, Scalar{dtype.Uint8, 3}, "|u8:false[3]"},
		{plain, Scalar{dtype.Float64, math.Float64bits(2)}, "|fp64:false[4611686018427387904]"},
		{half, Scalar{dtype.Float32, uint64(math.Float32bits(1))}, "|fp16:false[15360]"},
		{half, Scalar{dtype.Int64, 1}, "|fp16:false[15360]"},
		{single, Scalar{dtype.Uint64, 1 << 63}, "|fp32:false[1593835520]"},
		{single, uint64(1 << 63), "|fp32:false[1593835520]"},
		{single, -1, "|fp32:false[3212836864]"},
		{fixed, Scalar{dtype.Int32, 1}, "|i64:false[1]"},
		{plain, make(chan int), `argument "p": a chan int cannot be passed to a kernel`},
		{constexpr, 64, "|=int 64[]"},
		{constexpr, "relu", "|=str 'relu'[]"},
		{constexpr, dtype.BFloat16, "|=dtype bf16[]"},
		{constexpr, []int{2, 4}, "|=tuple (2, 4)[]"},
		{constexpr, uint8(3), "|=int 3[]"},
		{constexpr, nil, "|=NoneType None[]"},
		{constexpr, x, `argument "p": a tensor cannot be a compile-time argument`},
		{constexpr, dtype.Invalid, `argument "p": DType(0) is no element type`},
	} {
		if got := specialize(t, c.p, c.v); got != c.want {
			t.Errorf("%+v of %v: %s, want %s", c.v, c.p.Type, got, c.want)
		}
	}
}

// TestShortWayAllocates keeps the path of repeated launches free of allocations.
func TestShortWayAllocates(t *testing.T) {
	var m Matched
	var f Frame
	x := &Tensor{Elem: dtype.Float32, Addr: 4096}
	list := positional(x, x, 1000, 2.0, 64)
	n := testing.AllocsPerRun(100, func() {
		if err := m.Match(addParams, list); err != nil {
			t.Fatal(err)
		}
		if err := m.Fill(); err != nil {
			t.Fatal(err)
		}
		if err := f.Specialize(addParams, m.Vals, nil); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%g allocations", n)
	}
}

// TestRangeOfIntegers: code for an integer of a type takes the numbers that the type has, and -1 for an
// unsigned one, which has the same bits.
func TestRangeOfIntegers(t *testing.T) {
	for typ, c := range map[string]struct{ in, out []any }{
		"i8":  {[]any{0, 127, -128}, []any{128, 200, 255, 256, -129}},
		"u8":  {[]any{0, 128, 255, -1}, []any{256, 1 << 20, -129}},
		"i16": {[]any{1<<15 - 1, -1 << 15}, []any{1 << 15, 1<<16 - 1}},
		"u16": {[]any{1 << 15, 1<<16 - 1}, []any{1 << 16}},
		"i32": {[]any{1<<31 - 1, -1 << 31}, []any{1 << 31, 1<<32 - 1}},
		"u32": {[]any{1 << 31, 1<<32 - 1, uint32(1 << 31)}, []any{1 << 32}},
		"i64": {[]any{1<<63 - 1, -1 << 63}, nil},
		"u64": {[]any{uint64(1 << 63), -1}, nil},
	} {
		params := NewParams([]signature.Param{{Name: "p", Type: typ}})
		check := func(v any, ok bool) {
			var f Frame
			if err := f.Specialize(params, []any{v}, lender{}); err != nil {
				t.Fatal(err)
			}
			specs, err := f.Specs(params)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Fits(params, specs); (err == nil) != ok {
				t.Errorf("%v for %s: %v", v, typ, err)
			}
		}
		for _, v := range c.in {
			check(v, true)
		}
		for _, v := range c.out {
			check(v, false)
		}
	}
}
