package genrt_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/genrt"
)

const defaults = `
import triton
import triton.language as tl

@triton.jit
def k(out, N: tl.constexpr = 7, ON: tl.constexpr = True, DT: tl.constexpr = tl.float16):
    tl.store(out, N + (100 if ON else 0) + (1000 if DT == tl.float16 else 0))
`

type consts struct {
	N       genrt.Opt[int]
	ON      genrt.Opt[bool]
	DT      nereid.DType
	Options nereid.Options
}

func (c consts) args() []any {
	list := c.ON.Append(c.N.Append([]any{c.Options}, "N"), "ON")
	return genrt.AppendDType(list, "DT", c.DT)
}

// interpreter returns a stream of the interpreter.
func interpreter(t *testing.T) *nereid.Stream {
	t.Helper()
	dev, err := nereid.OpenDevice("interp")
	if err != nil {
		t.Fatal(err)
	}
	s, err := dev.NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A field that is not set is the kernel's default, and one that is set to Go's zero value is zero.
func TestOpt(t *testing.T) {
	file := genrt.File{Name: "k.py", Sources: genrt.Sources{"k.py": defaults}}
	typed := genrt.Typed[consts]{Load: file.Module, Name: "k", Consts: consts.args, Kinds: "t"}
	s := interpreter(t)
	out := []int32{0}
	for range 2 { // cold and warm
		for want, c := range map[int32]consts{
			1107: {}, 1100: {N: genrt.Set(0)}, 1007: {ON: genrt.Set(false)},
			1: {N: genrt.Set(1), ON: genrt.Set(false), DT: nereid.Float32},
		} {
			call := typed.Call(c)
			call.Tensor(nereid.FromSlice(out))
			if err := call.Launch(s, nereid.Grid{1}); err != nil || out[0] != want {
				t.Errorf("%+v: %d, want %d: %v", c, out[0], want, err)
			}
		}
	}
	if v, ok := genrt.Set(3).Get(); v != 3 || !ok {
		t.Error(v, ok)
	}
	if _, ok := (genrt.Opt[int]{}).Get(); ok {
		t.Error("the zero Opt has a value")
	}
}

// Load gives generated functions a configuration, and a second one another.
func TestFileLoad(t *testing.T) {
	file := genrt.File{Name: "k.py", Sources: genrt.Sources{"k.py": defaults}}
	m, err := file.Load(nereid.With(nereid.Config{Strict: true}))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := file.Module(); again != m || err != nil {
		t.Error("Module is not what Load loaded", err)
	}
	typed := genrt.Typed[consts]{Load: file.Module, Name: "k", Consts: consts.args, Kinds: "t"}
	call := typed.Call(consts{})
	call.Tensor(nereid.FromSlice([]int32{0}))
	if err := call.Launch(nil, nereid.Grid{1}); !errors.Is(err, nereid.ErrNotCompiled) {
		t.Error("the configuration of Load does not count:", err)
	}
	if again, err := file.Load(nereid.With(nereid.Config{})); err != nil || again == m {
		t.Error("a second Load gives no new module:", err)
	}
	call = typed.Call(consts{})
	call.Tensor(nereid.FromSlice([]int32{0}))
	if err := call.Launch(nil, nereid.Grid{1}); err != nil {
		t.Error("the configuration of the second Load does not count:", err)
	}
	bad := genrt.File{Name: "none.py"}
	if _, err := bad.Load(); err == nil {
		t.Error("a file that is not there is loaded")
	}
	if _, err := bad.Module(); err == nil {
		t.Error("a file that is not there has a module")
	}
}

// A tuple in a field of type any may be a slice, which Go cannot compare: each launch is right, however many
// there were before.
func TestTuples(t *testing.T) {
	file := genrt.File{Name: "k.py", Sources: genrt.Sources{"k.py": `
import triton
import triton.language as tl

@triton.jit
def k(out, T: tl.constexpr):
    tl.store(out, T[0] * 100 + T[1])
`}}
	type consts struct{ T any }
	typed := genrt.Typed[consts]{Load: file.Module, Name: "k", Kinds: "t", Consts: func(c consts) []any {
		return []any{nereid.Arg("T", c.T)}
	}}
	s := interpreter(t)
	out := []int32{0}
	for i := range 24 { // enough for a map of values
		for want, tuple := range map[int32]any{int32(i)*100 + 2: []int{i, 2},
			int32(i)*100 + 3: [2]int{i, 3}} {
			for range 2 {
				call := typed.Call(consts{tuple})
				call.Tensor(nereid.FromSlice(out))
				if err := call.Launch(s, nereid.Grid{1}); err != nil || out[0] != want {
					t.Fatalf("%v: %d, want %d: %v", tuple, out[0], want, err)
				}
			}
		}
	}
}

// TestUnset: the error of a kernel that does not compile names the fields that the caller forgot, and none
// that has a default or was set.
func TestUnset(t *testing.T) {
	file := genrt.File{Name: "k.py", Sources: genrt.Sources{"k.py": `
import triton
import triton.language as tl

@triton.jit
def k(out, B: tl.constexpr, ON: tl.constexpr, N: tl.constexpr = 0):
    tl.store(out + tl.arange(0, B) + N, 1)
`}}
	type kConsts struct {
		B, N int
		ON   bool
	}
	typed := genrt.Typed[kConsts]{Load: file.Module, Name: "k", Kinds: "t", Consts: func(c kConsts) []any {
		return []any{nereid.Arg("B", c.B), nereid.Arg("ON", c.ON), nereid.Arg("N", c.N)}
	}}
	for want, c := range map[string]kConsts{
		"note: not set in kConsts, and without a default in the kernel: B, ON": {},
		"without a default in the kernel: B":                                   {ON: true},
		// no power of two
		"": {B: 3, ON: true},
	} {
		call := typed.Call(c)
		call.Tensor(nereid.FromSlice([]int32{0}))
		err := call.Launch(nil, nereid.Grid{1})
		if !errors.As(err, new(*nereid.CompileError)) || !strings.Contains(err.Error(), want) ||
			want == "" && strings.Contains(err.Error(), "not set") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
