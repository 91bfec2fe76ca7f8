package vmath

import (
	"context"
	"fmt"
	"runtime"
	"sort"
	"strings"
	"testing"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/mathlib"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// mapped are functions compiled as loops over arrays: out[i] = f(a[i], b[i], …), n a multiple of the lanes.
type mapped struct {
	jit *llvm.JIT
}

// compileMaps makes a loop for each function, named map.NAME.
func compileMaps(t testing.TB, lib *Lib, funcs map[string]*Func, lanes int) *mapped {
	t.Helper()
	l := txtest.LLVM(t, llvm.Load)
	text := moduleText(lib, funcs, lanes)
	out, err := l.Compile(context.Background(), []byte(text),
		llvm.Options{Target: l.HostTarget(), Emit: llvm.EmitObj, Level: llvm.O1})
	if err != nil {
		t.Fatal(err)
	}
	j, err := l.JIT(out.Obj, llvm.JITOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return &mapped{j}
}

// moduleText is a module with a loop for each function.
func moduleText(lib *Lib, funcs map[string]*Func, lanes int) string {
	var b strings.Builder
	names := make([]string, 0, len(funcs))
	for n := range funcs {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		writeMap(&b, n, funcs[n], lanes)
	}
	b.WriteString(lib.Text())
	var decls []string
	for _, d := range lib.Declares() {
		decls = append(decls, d)
	}
	sort.Strings(decls)
	b.WriteString("\n" + strings.Join(decls, "\n"))
	return b.String()
}

func writeMap(b *strings.Builder, name string, f *Func, lanes int) {
	params := []string{"ptr %out"}
	var loads, args []string
	scalar := func(t string) string {
		if i := strings.Index(t, " x "); i >= 0 {
			return t[i+3 : len(t)-1]
		}
		return t
	}
	for i, t := range f.Params {
		params = append(params, fmt.Sprintf("ptr %%p%d", i))
		loads = append(loads, fmt.Sprintf("  %%q%d = getelementptr %s, ptr %%p%d, i64 %%i\n  %%x%d = load "+
			"%s, ptr %%q%d, align 1\n", i, scalar(t), i, i, t, i))
		args = append(args, fmt.Sprintf("%%x%d", i))
	}
	fmt.Fprintf(b, `define void @map.%s(%s, i64 %%n) {
entry:
  br label %%loop
loop:
  %%i = phi i64 [ 0, %%entry ], [ %%next, %%loop ]
%s  %%r = %s
  %%o = getelementptr %s, ptr %%out, i64 %%i
  store %s %%r, ptr %%o, align 1
  %%next = add i64 %%i, %d
  %%more = icmp ult i64 %%next, %%n
  br i1 %%more, label %%loop, label %%end
end:
  ret void
}
`, name, strings.Join(params, ", "), strings.Join(loads, ""), f.Call(args...), scalar(f.Result),
		f.Result, lanes)
}

// run calls a loop on arrays of n elements, the result's first.
func (m *mapped) run(t testing.TB, name string, n int, arrays ...unsafe.Pointer) {
	t.Helper()
	fn, err := m.jit.Lookup("map." + name)
	if err != nil {
		t.Fatal(err)
	}
	var args []uintptr
	for _, p := range arrays {
		args = append(args, uintptr(p))
	}
	llvm.Call(fn, append(args, uintptr(n))...)
	runtime.KeepAlive(arrays)
}

// TestAllCompile: every function, on scalars in one precision and on vectors in the other, which change with
// the commit.
func TestAllCompile(t *testing.T) {
	l := txtest.LLVM(t, llvm.Load)
	features := l.HostTarget().Features
	chosen := txtest.Sample(t, 2)
	for i, lanes := range []int{1, 4} {
		for j, elem := range []string{"float", "double"} {
			if !chosen(i + j) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", elem, lanes), func(t *testing.T) {
				lib := New(features)
				funcs := map[string]*Func{}
				for _, n := range mathlib.Names() {
					f, err := lib.Func(n, elem, lanes)
					if err != nil {
						t.Fatal(err)
					}
					funcs[n] = f
				}
				m := compileMaps(t, lib, funcs, lanes)
				if _, err := m.jit.Lookup("map.exp"); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
