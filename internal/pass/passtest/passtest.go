// Package passtest is for tests of passes: it reads modules, runs passes over them and over the cases of a
// folder, and says what random kernels leave in memory before and behind a pass.
package passtest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/diag"
	_ "github.com/nereid-lang/nereid/internal/dialect/all" // modules may have any operation
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/irgen"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/target/interp"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// Parse reads a module; name is for messages.
func Parse(t testing.TB, name, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(diag.NewFileSet(), name, []byte(text))
	if err != nil {
		t.Fatalf("%s:\n%v", name, err)
	}
	return m
}

// Run runs passes, verifying after each, and fails the test when one does not settle.
func Run(t testing.TB, m *ir.Module, passes []pass.Pass) {
	t.Helper()
	if err := try(t, m, passes); err != nil {
		t.Fatal(err)
	}
}

func try(t testing.TB, m *ir.Module, passes []pass.Pass) error {
	t.Helper()
	ctx := &pass.Context{Options: pass.Options{Verify: true}}
	err := pass.Run(ctx, m, passes)
	if u := ctx.Unsettled(); err == nil && len(u) > 0 {
		t.Fatalf("rewriting did not come to rest in %v", u)
	}
	return err
}

// Cases runs, for each file of a pattern, the passes that it names in `# opt: a,b` over in.mlir and compares
// with out.mlir or, for a pass that refuses its input, with error.txt. It returns the names of the passes
// that ran; all are those that a case may name.
func Cases(t *testing.T, pattern string, all []pass.Pass) (tried map[string]bool) {
	t.Helper()
	tried = map[string]bool{}
	txtest.Run(t, pattern, func(t *testing.T, c *txtest.Case) {
		names, ok := c.Option("opt")
		if !ok {
			t.Fatalf("%s: no line `# opt: PASS,PASS`", c.Path)
		}
		passes, err := pass.Parse(all, names)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range passes {
			tried[p.Name] = true
		}
		runCase(t, c, passes)
	})
	return tried
}

func runCase(t *testing.T, c *txtest.Case, passes []pass.Pass) {
	t.Helper()
	m := Parse(t, c.Path, c.Text(t, "in.mlir"))
	err := try(t, m, passes)
	if c.Has("error.txt") {
		if err == nil {
			t.Fatalf("no error; got\n%s", m)
		}
		c.Want(t, "error.txt", err.Error())
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	_, locs := c.Option("locs")
	var out strings.Builder
	ir.Print(&out, m.Op, ir.PrintOptions{Locs: locs})
	c.Want(t, "out.mlir", out.String())
}

// Outcome returns what a kernel of irgen leaves in its buffers, as the interpreter runs it. float draws the
// numbers of buffers and arguments; layouts mean nothing to the interpreter.
func Outcome(t testing.TB, m *ir.Module, seed uint64, float func(*rand.Rand) float32) ([]byte, error) {
	t.Helper()
	p, err := interp.Compile(m, irgen.Name)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(seed, 2))
	mem := interp.NewMemory()
	var args []uint64
	var buffers [][]byte
	for i := range 4 {
		b := make([]byte, 0, 4*irgen.BufferLen)
		for range irgen.BufferLen {
			bits := uint32(r.IntN(2000) - 1000)
			if holdsFloats(i) {
				bits = math.Float32bits(float(r))
			}
			b = binary.LittleEndian.AppendUint32(b, bits)
		}
		buffers = append(buffers, b)
		args = append(args, mem.Alloc(b, fmt.Sprint("buffer", i)).Addr())
	}
	args = append(args, uint64(r.IntN(9)), uint64(uint32(r.IntN(2000)-1000)),
		uint64(math.Float32bits(float(r))), uint64(r.IntN(2)))
	if err := p.Run(t.Context(), mem, [3]int{1, 1, 1}, args,
		interp.Options{Workers: 1, MaxSteps: 1 << 20}); err != nil {
		return nil, err
	}
	return slices.Concat(buffers...), nil
}

// holdsFloats reports whether a buffer of irgen's kernels holds floats; the others hold integers.
func holdsFloats(buffer int) bool { return buffer%2 == 0 }

// FirstDiff returns the first element of two outcomes that differs, or -1. All NaNs are equal.
func FirstDiff(a, b []byte) int {
	for i := 0; i < len(a); i += 4 {
		x, y := binary.LittleEndian.Uint32(a[i:]), binary.LittleEndian.Uint32(b[i:])
		nan := holdsFloats(i/(4*irgen.BufferLen)) && isNaN(x) && isNaN(y)
		if x != y && !nan {
			return i / 4
		}
	}
	return -1
}

func isNaN(bits uint32) bool {
	f := math.Float32frombits(bits)
	return f != f
}
