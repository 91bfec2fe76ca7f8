package lower

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/uniform"
)

// divideText is a kernel that writes quotients and remainders of a run from %a on, divided by %d.
func divideText(elem, sign, enc string) string {
	t := fmt.Sprintf("tensor<256x%s, %s>", elem, enc)
	index := "%i = arith.addi %o, %zero : " + t
	if elem == "i64" {
		index = fmt.Sprintf("%%i = arith.extsi %%o : tensor<256xi32, %s> to %s", enc, t)
	}
	return moduleText(2, fmt.Sprintf("tt.func public @k(%%x: !tt.ptr<%[1]s>, %%y: !tt.ptr<%[1]s>, "+
		"%%a: %[1]s {tt.divisibility = 16 : i32}, %%d: %[1]s {tt.divisibility = 16 : i32}) {\n", elem)+
		offsetsText("o", []int{256}, enc)+
		fmt.Sprintf("%%zero = arith.constant dense<0> : %s\n%s\n", t, index)+
		fmt.Sprintf("%%as = tt.splat %%a : %s -> %s\n%%ds = tt.splat %%d : %[1]s -> %[2]s\n", elem, t)+
		fmt.Sprintf("%%n = arith.addi %%as, %%i : %s\n", t)+
		fmt.Sprintf("%%q = arith.div%si %%n, %%ds : %s\n", sign, t)+
		fmt.Sprintf("%%r = arith.rem%si %%n, %%ds : %s\n", sign, t)+
		accessText("x", "o", "q", []int{256}, elem, enc, true)+
		accessText("y", "o", "r", []int{256}, elem, enc, true)+"tt.return\n}\n")
}

// quotient divides two numbers of a width, signed or not.
func quotient(a, d int64, bits int, sign string) (q, r int64) {
	if sign == "s" {
		shift := 64 - bits
		a, d = a<<shift>>shift, d<<shift>>shift
		return a / d, a % d
	}
	mask := uint64(math.MaxUint64) >> (64 - bits)
	x, y := uint64(a)&mask, uint64(d)&mask
	return int64(x / y), int64(x % y)
}

// TestDivideRuns divides runs of any sign: one division serves the neighbours that a thread holds.
func TestDivideRuns(t *testing.T) {
	layouts := []struct {
		enc       string
		divisions int // of a thread
	}{
		{"#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>", 1},
		{"#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>", 4},
		{"#ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>", 2},
	}
	for _, elem := range []*ir.IntegerType{ir.I32, ir.I64} {
		for _, sign := range []string{"s", "u"} {
			for _, l := range layouts {
				name := fmt.Sprint("i", elem.Width, sign, l.divisions)
				text := divideText(fmt.Sprint("i", elem.Width), sign, l.enc)
				k, ptx := compile(t, parseIR(t, name, []byte(text)), "k", 90)
				op := fmt.Sprintf("div.%s%d", sign, elem.Width)
				if n := bytes.Count(ptx, []byte(op)); n != l.divisions {
					t.Errorf("%s: %d times %s, want %d\n%s", name, n, op, l.divisions, clip(ptx))
				}
				checkRuns(t, name, ptx, k.Uniform, elem, sign)
				m := parseIR(t, name, []byte(text))
				k, ptx = compileWith(t, m, "k", 90, hosted(m))
				if n := bytes.Count(ptx, []byte(op)); n > 0 && name[:4] != "i64u" {
					t.Errorf("%s: %d times %s by a number of the host's", name, n, op)
				}
				checkRuns(t, name, ptx, k.Uniform, elem, sign)
			}
		}
	}
}

func checkRuns(t *testing.T, name string, ptx []byte, p *uniform.Program, elem *ir.IntegerType,
	sign string) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for _, a := range dividends(r, elem.Width) {
		for _, d := range []int64{16, -16, 48, -48, 1 << 20, -1 << 30, 16 * (1 + r.Int64N(1e6))} {
			checkDivided(t, name, ptx, p, elem, sign, a, d)
		}
	}
}

// dividends returns multiples of 16: small ones, the ends of a width, random ones.
func dividends(r *rand.Rand, bits int) []int64 {
	out := []int64{0, 16, -16, 48, -48, -256, math.MinInt64 >> (64 - bits),
		(math.MaxInt64 >> (64 - bits)) &^ 255}
	for range 4 {
		out = append(out, r.Int64()>>(64-bits)&^15, -(r.Int64() >> (64 - bits) &^ 15))
	}
	return out
}

// checkDivided divides a run. p computes the kernel's last parameters; it may be nil.
func checkDivided(t *testing.T, name string, ptx []byte, p *uniform.Program, elem *ir.IntegerType,
	sign string, a, d int64) {
	t.Helper()
	args := []any{ints(elem, 256, 1), ints(elem, 256, 1), uint64(a), uint64(d)}
	l := launch{"k", [3]int{1, 1, 1}, append(args, computed(p, args)...)}
	_, mem := l.memory(1)
	onSim(t, ptx, 0, l, mem, false)
	size := elem.Width / 8
	for i := range 256 {
		q, r := quotient(a+int64(i), d, elem.Width, sign)
		for k, want := range []int64{q, r} {
			var bits [8]byte
			put(bits[:], uint64(want), size)
			if got := mem[k][i*size:][:size]; !bytes.Equal(got, bits[:size]) {
				t.Fatalf("%s: %d, %d: %s of element %d is %x, want %x", name, a, d,
					[]string{"quotient", "remainder"}[k], i, got, bits[:size])
			}
		}
	}
}

// TestEqualElementsOfManyDimensions divides the numbers of elements by 8, the length of a row: equal
// quotients are computed once, and those of the first dimension's elements differ, however many dimensions
// follow it.
func TestEqualElementsOfManyDimensions(t *testing.T) {
	for _, shape := range [][]int{{32, 2, 2, 8}, {32, 1, 2, 2, 8}, {8, 2, 2, 2, 2, 8}} {
		ones := strings.Repeat("1, ", len(shape)-1)
		order := "0"
		for d := 1; d < len(shape); d++ {
			order = fmt.Sprint(d, ", ", order)
		}
		enc := fmt.Sprintf("#ttg.blocked<{sizePerThread = [%s8], threadsPerWarp = [%[1]s32], "+
			"warpsPerCTA = [%[1]s1], order = [%[2]s]}>", ones, order)
		typ := fmt.Sprintf("tensor<%s, %s>", shapeText(shape, "i32"), enc)
		text := moduleText(1, "tt.func public @k(%x: !tt.ptr<i32>) {\n"+offsetsText("o", shape, enc)+
			fmt.Sprintf("%%eight = arith.constant dense<8> : %s\n", typ)+
			fmt.Sprintf("%%q = arith.divsi %%o, %%eight : %s\n", typ)+
			accessText("x", "o", "q", shape, "i32", enc, true)+"tt.return\n}\n")
		runBoth(t, text, launch{"k", [3]int{1, 1, 1}, []any{ints(ir.I32, 1024, 1)}}, 0)
	}
}

// TestEqualRuns compares the columns of a row with a label of any size, in 32 bits and in 64.
func TestEqualRuns(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>"
	const n = "tensor<256xi32, " + enc + ">"
	for _, elem := range []*ir.IntegerType{ir.I32, ir.I64} {
		for _, pred := range []string{"eq", "ne"} {
			wide := fmt.Sprintf("tensor<256xi%d, %s>", elem.Width, enc)
			widen := fmt.Sprintf("%%w = arith.extsi %%c : %s to %s\n", n, wide)
			if elem == ir.I32 {
				widen = fmt.Sprintf("%%w = arith.addi %%c, %%none : %s\n", n)
			}
			text := moduleText(2, fmt.Sprintf("tt.func public @k(%%y: !tt.ptr<i32>, %%b: i%d, %%end: i32) {\n",
				elem.Width)+
				offsetsText("o", []int{256}, enc)+
				fmt.Sprintf("%%none = arith.constant dense<0> : %s\n%%zero = arith.constant 0 : i32\n"+
					"%%step = arith.constant 256 : i32\n", n)+
				fmt.Sprintf("%%bs = tt.splat %%b : i%d -> %s\n", elem.Width, wide)+
				"scf.for %s = %zero to %end step %step : i32 {\n"+
				fmt.Sprintf("%%ss = tt.splat %%s : i32 -> %s\n%%c = arith.addi %%ss, %%o : %[1]s\n", n)+widen+
				fmt.Sprintf("%%e = arith.cmpi %s, %%w, %%bs : %s\n", pred, wide)+
				fmt.Sprintf("%%x = arith.extui %%e : tensor<256xi1, %s> to %s\n", enc, n)+
				accessText("y", "c", "x", []int{256}, "i32", enc, true)+"}\ntt.return\n}\n")
			_, ptx := compile(t, parseIR(t, pred, []byte(text)), "k", 90)
			if c := bytes.Count(ptx, []byte("sub.s32")); c != 1 {
				t.Errorf("%s: %d differences, want 1\n%s", pred, c, clip(ptx))
			}
			for _, label := range []int64{0, 1, 5, 255, 256, 1023, -1, -256, 1 << 31, 1<<32 | 5, -1 << 32} {
				checkEqual(t, ptx, pred, label, elem)
			}
		}
	}
}

func checkEqual(t *testing.T, ptx []byte, pred string, label int64, elem *ir.IntegerType) {
	t.Helper()
	l := launch{"k", [3]int{1, 1, 1}, []any{ints(ir.I32, 1024, 9), uint64(label), 1000}}
	_, mem := l.memory(1)
	onSim(t, ptx, 0, l, mem, false)
	if elem == ir.I32 {
		label = int64(int32(label))
	}
	for i := range 1024 {
		got, want := get(mem[0][4*i:], 4) == 1, (int64(i) == label) == (pred == "eq")
		if got != want {
			t.Fatalf("i%d: %d %s %d is %v", elem.Width, i, pred, label, got)
		}
	}
}

// TestEqualLoads loads an element that several registers hold once.
func TestEqualLoads(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>"
	const n = "tensor<256xi32, " + enc + ">"
	text := moduleText(2, "tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {\n"+
		offsetsText("o", []int{256}, enc)+
		fmt.Sprintf("%%d = arith.constant dense<16> : %s\n%%q = arith.divsi %%o, %%d : %[1]s\n", n)+
		accessText("x", "q", "v", []int{256}, "i32", enc, false)+
		fmt.Sprintf("%%w = arith.addi %%v, %%o : %s\n", n)+
		accessText("y", "o", "w", []int{256}, "i32", enc, true)+"tt.return\n}\n")
	l := launch{"k", [3]int{1, 1, 1}, []any{ints(ir.I32, 16, 1e6), ints(ir.I32, 256, 9)}}
	ptx := runBothOn(t, 90, text, l, 1)
	if c := bytes.Count(ptx, []byte("ld.global")); c != 1 {
		t.Errorf("%d loads, want 1\n%s", c, clip(ptx))
	}
}

// TestOthersOfEqualLoads: loads of one element under one mask are different loads if other values stand for
// what the mask leaves out.
func TestOthersOfEqualLoads(t *testing.T) {
	const enc = "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>"
	const ptrs = "tensor<256x!tt.ptr<i32>, " + enc + ">"
	text := moduleText(2, "tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %n: i32) {\n"+
		offsetsText("o", []int{256}, enc)+
		"%c = arith.constant 0 : i32\n%f = arith.cmpi sgt, %n, %c : i32\n"+
		"%m = tt.splat %f : i1 -> tensor<256xi1, "+enc+">\n"+
		"%p = tt.splat %x : !tt.ptr<i32> -> "+ptrs+"\n%v = tt.load %p, %m, %o : "+ptrs+"\n"+
		accessText("y", "o", "v", []int{256}, "i32", enc, true)+"tt.return\n}\n")
	for _, n := range []int{0, 1} {
		l := launch{"k", [3]int{1, 1, 1}, []any{ints(ir.I32, 16, 1e6), ints(ir.I32, 256, 9), n}}
		runBothOn(t, 90, text, l, 1)
	}
}
