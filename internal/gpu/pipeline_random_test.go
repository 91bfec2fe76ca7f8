package gpu_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/irgen"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
)

// TestPipelinedSemantics: random loops that are software pipelines leave the same bytes as before.
// NEREID_RANDOM=N tries N of them.
func TestPipelinedSemantics(t *testing.T) {
	n := 200
	if s := os.Getenv("NEREID_RANDOM"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	pipelined, copies := 0, 0
	for seed := range uint64(n) {
		text := randomLoop(rand.New(rand.NewPCG(seed, 11)))
		m := passtest.Parse(t, "loop.ttir", text)
		passtest.Run(t, m, []pass.Pass{pass.Canonicalize, pass.CSE})
		var want [4][]byte
		for k := range want { // other numbers, and other counts of iterations
			var err error
			if want[k], err = outcome(t, m, seed+uint64(k)); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
		}
		passtest.Run(t, m, gpu.Pipeline(randomMachine(seed)))
		for k := range want {
			got, err := outcome(t, m, seed+uint64(k))
			if err != nil {
				t.Fatalf("seed %d: %v\n%s\nbecomes\n%s", seed, err, text, m)
			}
			if i := passtest.FirstDiff(want[k], got); i >= 0 {
				t.Fatalf("seed %d: element %d is %x, not %x\n%s\nbecomes\n%s", seed, i, got[4*i:4*i+4],
					want[k][4*i:4*i+4], text, m)
			}
		}
		c := countOp(m, "ttg.async_copy_global_to_local")
		copies += c
		if c > 0 {
			pipelined++
		}
	}
	t.Logf("%d loops, %d of them pipelined, %d copies", n, pipelined, copies)
	if pipelined < n/5 {
		t.Errorf("%d of %d loops are pipelined", pipelined, n)
	}
}

// loopText writes the body of a loop: vectors v0, v1, … of 128 numbers, scalars s0, s1, …
type loopText struct {
	strings.Builder
	*rand.Rand
	vectors, scalars []string
	n                int
}

func (l *loopText) line(format string, args ...any) {
	fmt.Fprintf(l, format+"\n", args...)
}

func (l *loopText) name() string { l.n++; return fmt.Sprintf("%%x%d", l.n) }

func pick(l *loopText, list []string) string { return list[l.IntN(len(list))] }

const vec = "tensor<128xi32>"

// randomLoop is a kernel with a loop that loads, stores, branches and carries values, with stages of its own.
func randomLoop(r *rand.Rand) string {
	l := &loopText{Rand: r}
	l.line("tt.func public @%s(%%p0: !tt.ptr<f32>, %%p1: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %%p2: "+
		"!tt.ptr<f32>, %%p3: !tt.ptr<i32>, %%n: i32, %%m: i32, %%f: f32, %%c: i1) {", irgen.Name)
	for _, c := range []int{0, 1, 3, 511, 1023} {
		l.line("%%c%d = arith.constant %d : i32\n%%k%d = arith.constant dense<%d> : %s", c, c, c, c, vec)
	}
	l.line("%%range = tt.make_range {end = 128 : i32, start = 0 : i32} : %s", vec)
	carried := 1 + r.IntN(4)
	var inits, types []string
	for i := range carried {
		v, t := pick(l, []string{"%k1", "%k3", "%range"}), vec
		if i%2 == 1 {
			v, t = pick(l, []string{"%m", "%c3", "%n"}), "i32"
		}
		inits, types = append(inits, fmt.Sprintf("%%a%d = %s", i, v)), append(types, t)
	}
	low, step := pick(l, []string{"%c0", "%c0", "%c1", "%m"}), pick(l, []string{"%c1", "%c1", "%c3"})
	if low == "%m" {
		l.line("%%low = arith.subi %%m, %%n : i32\n%%high = arith.addi %%low, %%n : i32")
		low = "%low"
	} else {
		l.line("%%high = arith.addi %%n, %%c0 : i32")
	}
	l.line("%%r:%d = scf.for %%i = %s to %%high step %s iter_args(%s) -> (%s) : i32 {", carried, low, step,
		strings.Join(inits, ", "), strings.Join(types, ", "))
	l.vectors, l.scalars = []string{"%range", "%k3"}, []string{"%i", "%i", "%m"}
	for i := range carried {
		if i%2 == 1 {
			l.scalars = append(l.scalars, fmt.Sprintf("%%a%d", i))
		} else {
			l.vectors = append(l.vectors, fmt.Sprintf("%%a%d", i))
		}
	}
	for range 4 + r.IntN(14) {
		l.op(2)
	}
	var out []string
	for i := range carried {
		if i%2 == 1 {
			l.line("%%y%d = arith.addi %s, %%i : i32", i, pick(l, l.scalars))
		} else if r.IntN(3) > 0 {
			l.line("%%y%d = arith.addi %s, %s : %s", i, l.vectors[len(l.vectors)-1], pick(l, l.vectors), vec)
		} else { // of a load itself
			l.line("%%y%d = tt.load %s : tensor<128x!tt.ptr<i32>>", i, l.address("%p1"))
		}
		out = append(out, fmt.Sprintf("%%y%d", i))
	}
	l.line("scf.yield %s : %s\n} {tt.num_stages = %d : i32}", strings.Join(out, ", "),
		strings.Join(types, ", "), 2+r.IntN(4))
	for i := range carried {
		if r.IntN(3) == 0 {
			continue // nobody needs it
		}
		v := fmt.Sprintf("%%r#%d", i)
		if i%2 == 1 {
			l.line("%%w%d = tt.splat %s : i32 -> %s", i, v, vec)
			v = fmt.Sprintf("%%w%d", i)
		}
		l.vectors, l.scalars = []string{"%range"}, []string{"%c3"}
		l.line("tt.store %s, %s : tensor<128x!tt.ptr<i32>>", l.address("%p3"), v)
	}
	l.line("tt.return\n}")
	return l.String()
}

// address is pointers into a buffer: 128 adjacent ones, or anywhere.
func (l *loopText) address(base string) string {
	at, p, ptrs := l.name(), l.name(), l.name()
	s := l.name()
	l.line("%s = arith.andi %s, %%c511 : i32\n%s = tt.addptr %s, %s : !tt.ptr<i32>, i32", at,
		pick(l, l.scalars), s, base, at)
	l.line("%s = tt.splat %s : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>", p, s)
	off := "%range"
	if base == "%p1" && l.IntN(3) == 0 {
		off = l.name()
		l.line("%s = arith.andi %s, %%k511 : %s", off, pick(l, l.vectors), vec)
	}
	l.line("%s = tt.addptr %s, %s : tensor<128x!tt.ptr<i32>>, %s", ptrs, p, off, vec)
	return ptrs
}

// op writes an operation; branches have others inside, so deep.
func (l *loopText) op(depth int) {
	switch k := l.IntN(12); {
	case k < 3:
		v := l.name()
		l.line("%s = %s %s, %s : %s", v, pick(l, []string{"arith.addi", "arith.subi", "arith.xori"}),
			pick(l, l.vectors), pick(l, l.vectors), vec)
		l.vectors = append(l.vectors, v)
	case k == 3:
		v := l.name()
		l.line("%s = %s %s, %s : i32", v, pick(l, []string{"arith.addi", "arith.xori"}), pick(l, l.scalars),
			pick(l, l.scalars))
		l.scalars = append(l.scalars, v)
	case k < 8:
		p, v := l.address("%p1"), l.name()
		mask := ""
		if l.IntN(2) == 0 {
			c := l.name()
			l.line("%s = arith.cmpi slt, %s, %s : %s", c, pick(l, l.vectors), pick(l, l.vectors), vec)
			mask = fmt.Sprintf(", %s, %s", c, pick(l, []string{"%k0", "%k3", "%range"}))
		}
		l.line("%s = tt.load %s%s : tensor<128x!tt.ptr<i32>>", v, p, mask)
		l.vectors = append(l.vectors, v)
	case k == 8:
		at, p, v := l.name(), l.name(), l.name()
		l.line("%s = arith.andi %s, %%c1023 : i32\n%s = tt.addptr %%p1, %s : !tt.ptr<i32>, i32\n%s = "+
			"tt.load %s : !tt.ptr<i32>", at, pick(l, l.scalars), p, at, v, p)
		l.scalars = append(l.scalars, v)
	case k == 9 && l.IntN(2) == 0:
		l.line("tt.store %s, %s : tensor<128x!tt.ptr<i32>>", l.address("%p3"), pick(l, l.vectors))
	case k == 10 && l.IntN(4) == 0: // of memory that is stored to
		p, v := l.address("%p3"), l.name()
		l.line("%s = tt.load %s : tensor<128x!tt.ptr<i32>>", v, p)
		l.vectors = append(l.vectors, v)
	case depth > 0:
		l.branch(depth)
	}
}

func (l *loopText) branch(depth int) {
	c, v := l.name(), l.name()
	l.line("%s = arith.cmpi slt, %s, %s : i32\n%s = scf.if %s -> (%s) {", c, pick(l, l.scalars),
		pick(l, []string{"%c3", "%m", "%i"}), v, c, vec)
	for _, end := range []string{"} else {", "}"} {
		vectors, scalars := slices.Clip(l.vectors), slices.Clip(l.scalars)
		for range l.IntN(4) {
			l.op(depth - 1)
		}
		l.line("scf.yield %s : %s\n%s", l.vectors[len(l.vectors)-1], vec, end)
		l.vectors, l.scalars = vectors, scalars
	}
	l.vectors = append(l.vectors, v)
}
