package nereid_test

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

const specialised = `
import triton
import triton.language as tl

@triton.jit
def plain(a, b):
    pass

@triton.jit
def annotated(a: int, b: "i64", c: tl.float16, d: "*fp16", e: tl.const):
    pass

@triton.jit(do_not_specialize=["a"], do_not_specialize_on_alignment=["b"])
def unspecialised(a, b):
    pass

@triton.jit(do_not_specialize=[0], do_not_specialize_on_alignment=(1,))
def numbered(a, b):
    pass
`

// What Triton makes of arguments: types by value, 1 and divisibility by 16, alignment, annotations.
func TestSpecialization(t *testing.T) {
	m, err := nereid.Parse("s.py", []byte(specialised))
	if err != nil {
		t.Fatal(err)
	}
	x := nereid.FromSlice(make([]float32, 64))
	for _, c := range []struct {
		kernel string
		args   []any
		want   string // the parameters of the IR: D marks divisibility by 16
	}{
		{"plain", []any{2, 16}, "a: i32, b: i32 D"},
		{"plain", []any{1, 0}, "b: i32 D"},
		{"plain", []any{math.MaxInt32, math.MaxInt32 + 1}, "a: i32, b: i64 D"},
		{"plain", []any{math.MinInt32, math.MinInt32 - 1}, "a: i32 D, b: i64"},
		{"plain", []any{uint64(math.MaxUint64), int64(math.MaxInt64)}, "a: i64, b: i64"},
		{"plain", []any{true, 1.0}, "a: i1, b: f32"},
		{"plain", []any{nil, 3}, "b: i32"},
		{"plain", []any{x, x.Offset(4)}, "a: !tt.ptr<f32> D, b: !tt.ptr<f32>"},
		{"plain", []any{[]any{x, 1, 5}, [2]int{16, 2}}, "a: !tt.ptr<f32> D, a: i32, b: i32 D, b: i32"},
		{"annotated", []any{1, 1, 1, x, x}, "a: i32, b: i64, c: f16, d: !tt.ptr<f16> D, e: !tt.ptr<f32> D"},
		{"annotated", []any{16, 32, 2.5, x, x},
			"a: i32 D, b: i64 D, c: f16, d: !tt.ptr<f16> D, e: !tt.ptr<f32> D"},
		{"unspecialised", []any{1, 16}, "a: i32, b: i32"},
		{"unspecialised", []any{16, 1}, "a: i32"},
		{"unspecialised", []any{x, x}, "a: !tt.ptr<f32>, b: !tt.ptr<f32>"},
		{"numbered", []any{1, 16}, "a: i32, b: i32"},
		{"numbered", []any{16, 1}, "a: i32"},
	} {
		k, err := m.Kernel(c.kernel)
		if err != nil {
			t.Fatal(err)
		}
		text, err := k.Source(context.Background(), c.args...)
		if err != nil {
			t.Errorf("%s%v: %v", c.kernel, c.args, err)
			continue
		}
		if got := parameters(string(text)); got != c.want {
			t.Errorf("%s%v: %s, want %s", c.kernel, c.args, got, c.want)
		}
	}
}

var irParam = regexp.MustCompile(`%([a-z]+)(?:_\d+)?: (!tt\.ptr<\w+>|\w+)( \{tt\.divisibility = 16 : i32\})?`)

func parameters(text string) string {
	line := text[strings.Index(text, "tt.func public"):]
	line = line[:strings.Index(line, "\n")]
	var out []string
	for _, m := range irParam.FindAllStringSubmatch(line, -1) {
		p := fmt.Sprintf("%s: %s", m[1], m[2])
		if m[3] != "" {
			p += " D"
		}
		out = append(out, p)
	}
	return strings.Join(out, ", ")
}

const unspecialised = `
import triton
import triton.language as tl

@triton.jit(do_not_specialize=["n"])
def count(x_ptr, n):
    i = tl.arange(0, 64)
    tl.store(x_ptr + i, i, mask=i < n)
`

// On a GPU, numbers under do_not_specialize have two codes, one for those that are divisible by 16. A bound
// kernel has one, which takes any number.
func TestStubUnspecialized(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		k := kernelOf(t, "count.py", unspecialised, "count")
		x, err := nereid.NewTensor(s.Device(), nereid.Int32, 64)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		calls()
		for i, c := range []struct{ n, loads int }{{17, 1}, {1, 0}, {16, 1}, {32, 0}, {5, 0}} {
			if err := k.Launch(s, nereid.Grid{1}, x, c.n); err != nil {
				t.Fatal(err)
			}
			if got := calls(); got["cuModuleLoadDataEx"] != c.loads {
				t.Errorf("launch %d, n = %d: %v", i, c.n, got)
			}
		}
		b, err := k.Bind(s, x, 16)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		for _, n := range []int64{17, 1, 48} {
			if err := b.SetInt(b.Param("n"), n); err != nil {
				t.Error(err)
			}
		}
	})
}

// On the simulator of a GPU and on the CPU, both codes compute the same.
func TestUnspecialized(t *testing.T) {
	for _, name := range []string{"sim:90", "cpu", "interp"} {
		dev, err := nereid.OpenDevice(name)
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		s, err := dev.NewStream(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		k := kernelOf(t, "count.py", unspecialised, "count")
		for _, n := range []int{17, 16, 0, 1, 64} {
			x := make([]int32, 64)
			if err := k.Launch(s, nereid.Grid{1}, nereid.FromSlice(x), n); err != nil {
				t.Fatal(err)
			}
			if err := s.Sync(); err != nil {
				t.Fatal(err)
			}
			for i, got := range x {
				if want := int32(i); i < n && got != want || i >= n && got != 0 {
					t.Errorf("%s, n = %d: %v", name, n, x)
					break
				}
			}
		}
		s.Close()
	}
}

// A launch that may not compile, in strict mode or while a stream is captured, runs the code for any number.
// What a program records on a GPU serves a strict one.
func TestStubUnspecializedRefused(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, _ func() map[string]int) {
		rec := &nereid.Recorder{}
		k := kernelOf(t, "count.py", unspecialised, "count", nereid.With(nereid.Config{Record: rec}))
		x, err := nereid.NewTensor(s.Device(), nereid.Int32, 64)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if err := k.Launch(s, nereid.Grid{1}, x, 17); err != nil {
			t.Fatal(err)
		}
		g, err := s.Capture(func() error { return k.Launch(s, nereid.Grid{1}, x, 16) })
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		only := rec.Variants()
		if err := k.Launch(s, nereid.Grid{1}, x, 16); err != nil {
			t.Fatal(err)
		}
		for _, list := range [][]nereid.Variant{only, rec.Variants()} {
			m, err := nereid.Parse("count.py", []byte(unspecialised),
				nereid.With(nereid.Config{Strict: true}))
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Warmup(t.Context(), s.Device(), list, nil); err != nil {
				t.Fatal(err)
			}
			strict, err := m.Kernel("count")
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{16, 17, 1} {
				if err := strict.Launch(s, nereid.Grid{1}, x, n); err != nil {
					t.Errorf("%d variants, n = %d: %v", len(list), n, err)
				}
			}
		}
		if n := len(rec.Variants()); n != 2 {
			t.Errorf("%d variants were recorded, not 2", n)
		}
	})
}
