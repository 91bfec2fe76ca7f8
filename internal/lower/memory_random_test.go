package lower

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)

// TestMemoryRandom runs random functions that write, read and hand on buffers in shared memory, in loops and
// branches, on the simulator. It finds the bytes that the interpreter finds, which knows no threads, and no
// two threads race.
func TestMemoryRandom(t *testing.T) {
	n := 0
	for seed := range uint64(24) {
		text := randomMemory(rand.New(rand.NewPCG(seed, 22)))
		l := launch{"k", [3]int{1, 1, 1}, []any{ints(ir.I32, 256, 1000),
			&buf{elem: ir.I32, n: 256 * memoryOuts}, 3, int(seed % 2)}}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			ptx := runBothOn(t, 80, text, l, 0)
			n += strings.Count(string(ptx), "bar.sync")
			if t.Failed() {
				t.Log(text)
			}
		})
	}
	if n < 100 {
		t.Errorf("the threads meet in %d places, fewer than expected", n)
	}
}

// memoryOuts is how many tensors a random function stores at its end.
const memoryOuts = 4

// memoryText writes a random function.
type memoryText struct {
	strings.Builder
	*rand.Rand
	n int
	scope
}

const (
	memoryOne   = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
	memoryTwo   = "#ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
	memoryType  = "tensor<256xi32, " + memoryOne + ">"
	memoryOther = "tensor<256xi32, " + memoryTwo + ">"
	memoryDesc  = "!ttg.memdesc<256xi32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, " +
		"order = [0]}>, #ttg.shared_memory, mutable>"
)

func (b *memoryText) line(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }

func (b *memoryText) name() string { b.n++; return fmt.Sprintf("%%v%d", b.n) }

func (b *memoryText) mem() string { return pick(b.Rand, b.mems...) }

func (b *memoryText) tensor() string { return pick(b.Rand, b.tensors...) }

func randomMemory(r *rand.Rand) string {
	b := &memoryText{Rand: r}
	b.line("tt.func public @k(%%x: !tt.ptr<i32>, %%y: !tt.ptr<i32>, %%n: i32, %%m: i32) {")
	b.line("%%zero = arith.constant 0 : i32\n%%one = arith.constant 1 : i32")
	b.line("%%c = arith.cmpi eq, %%m, %%zero : i32")
	b.line("%s%s", offsetsText("o", []int{256}, memoryOne),
		accessText("x", "o", "t", []int{256}, "i32", memoryOne, false))
	b.tensors = []string{"%t", "%o"}
	b.alloc()
	b.body(5+r.IntN(6), 2)
	for i := range memoryOuts {
		t := b.tensors[max(len(b.tensors)-1-i, 0)]
		b.line("%%k%d = arith.constant dense<%d> : %s", i, 256*i, memoryType)
		b.line("%%o%d = arith.addi %%o, %%k%d : %s", i, i, memoryType)
		b.line("%%z%d = arith.addi %s, %%t : %s", i, t, memoryType)
		b.line("%s", accessText("y", fmt.Sprint("o", i), fmt.Sprint("z", i), []int{256}, "i32", memoryOne,
			true))
	}
	b.line("tt.return\n}")
	return moduleText(4, b.String())
}

func (b *memoryText) alloc() {
	m := b.name()
	b.line("%s = ttg.local_alloc %s : (%s) -> %s", m, b.tensor(), memoryType, memoryDesc)
	b.mems = append(b.mems, m)
}

// body writes statements; what they define is in scope behind them.
func (b *memoryText) body(n, depth int) {
	for range n {
		t, u := b.name(), b.name()
		switch k := b.IntN(14); {
		case k < 2:
			b.alloc()
			continue
		case k < 4:
			b.line("ttg.local_store %s, %s : %s -> %s", b.tensor(), b.mem(), memoryType, memoryDesc)
			continue
		case k < 7: // in the layout in which it was stored, or in another
			if b.IntN(2) == 0 {
				b.line("%s = ttg.local_load %s : %s -> %s", t, b.mem(), memoryDesc, memoryType)
				break
			}
			b.line("%s = ttg.local_load %s : %s -> %s", u, b.mem(), memoryDesc, memoryOther)
			b.line("%s = ttg.convert_layout %s : %s -> %s", t, u, memoryOther, memoryType)
		case k < 8:
			b.line("%s = ttg.convert_layout %s : %s -> %s", u, b.tensor(), memoryType, memoryOther)
			b.line("%s = ttg.convert_layout %s : %s -> %s", t, u, memoryOther, memoryType)
		case k < 9:
			b.line("%s = \"tt.reduce\"(%s) <{axis = 0 : i32}> ({\n^bb0(%[1]sa: i32, %[1]sb: i32):\n"+
				"%[1]sc = arith.addi %[1]sa, %[1]sb : i32\ntt.reduce.return %[1]sc : i32\n}) : "+
				"(%[3]s) -> i32", u, b.tensor(), memoryType)
			b.line("%s = tt.splat %s : i32 -> %s", t, u, memoryType)
		case k < 11:
			b.line("%s = arith.addi %s, %s : %s", t, b.tensor(), b.tensor(), memoryType)
		case depth > 0:
			b.nested(k, depth, t)
		default:
			continue
		}
		b.tensors = append(b.tensors, t)
	}
}

// nested writes a loop or a branch that hands a tensor and a buffer on.
func (b *memoryText) nested(k, depth int, res string) {
	arg, desc, i := b.name(), b.name(), b.name()
	both := memoryType + ", " + memoryDesc
	outside := b.mems
	if k < 13 {
		b.line("%s_r:2 = scf.for %s = %%zero to %%n step %%one iter_args(%s = %s, %s = %s) -> (%s) : i32 {",
			res, i, arg, b.tensor(), desc, pick(b.Rand, outside...), both)
		t, _ := b.inside(depth, arg, desc)
		b.line("scf.yield %s, %s : %s\n}", t, pick(b.Rand, outside...), both)
	} else {
		b.line("%s_r:2 = scf.if %%c -> (%s) {", res, both)
		t, m := b.inside(depth, "", "")
		b.line("scf.yield %s, %s : %s\n} else {", t, m, both)
		t, m = b.inside(depth, "", "")
		b.line("scf.yield %s, %s : %s\n}", t, m, both)
	}
	b.line("%s = arith.addi %s_r#0, %s_r#0 : %s", res, res, res, memoryType)
	b.mems = append(b.mems[:len(b.mems):len(b.mems)], res+"_r#1")
}

// inside writes the body of a region and returns what it hands on.
func (b *memoryText) inside(depth int, arg, desc string) (tensor, mem string) {
	saved := b.scope
	b.mems, b.tensors = b.mems[:len(b.mems):len(b.mems)], b.tensors[:len(b.tensors):len(b.tensors)]
	if arg != "" {
		b.tensors, b.mems = append(b.tensors, arg), append(b.mems, desc)
	}
	b.body(3+b.IntN(4), depth-1)
	tensor, mem = b.tensors[len(b.tensors)-1], pick(b.Rand, b.mems...)
	b.scope = saved
	return tensor, mem
}
