package lower

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// groupForm is one form of a product of warp groups.
type groupForm struct {
	a, b, c        string // types
	m, n, k        int
	warps          [2]int
	width          int    // columns of an instruction
	transA, transB bool   // A's rows, B's columns are contiguous
	swizzleA       int    // bytes
	swizzleB       int    //
	regs           bool   // A is in registers
	acc            string // "zero", "load", or "flag": whether to add to what was loaded is an argument
	flag           int
	async          bool
	// how operands come to be: "alloc", "store" into one of several buffers, "slice" of a larger one,
	// "trans" of the transposed, "linear" in a layout without a swizzle
	how       string
	imprecise int
}

func (f groupForm) String() string {
	place := map[bool]string{false: "shared", true: "regs"}[f.regs]
	return fmt.Sprintf("%s_%s_%s/%dx%dx%d/warps%dx%d/n%d/%s_t%v_%d_t%v_%d/%s%d/%s_%v_%d", f.a, f.b, f.c, f.m,
		f.n, f.k, f.warps[0], f.warps[1], f.width, place, f.transA, f.swizzleA, f.transB, f.swizzleB, f.acc,
		f.flag, f.how, f.async, f.imprecise)
}

var groupElems = map[string]ir.Type{"f16": ir.F16, "bf16": ir.BF16, "f32": ir.F32, "i8": ir.I8,
	"f8E4M3FN": ir.F8E4M3FN, "f8E5M2": ir.F8E5M2, "i32": ir.I32}

func (f groupForm) bits() int { return ir.BitWidth(groupElems[f.a]) }

func (f groupForm) mma() string {
	return fmt.Sprintf("#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [%d, %d], "+
		"instrShape = [16, %d, %d]}>", f.warps[0], f.warps[1], f.width, 256/f.bits())
}

func nvmma(swizzle int, trans bool, bits int) string {
	return fmt.Sprintf("#ttg.nvmma_shared<{swizzlingByteWidth = %d, transposed = %v, elementBitWidth = %d}>",
		swizzle, trans, bits)
}

func mem(shape, elem, enc string, mutable bool) string {
	if mutable {
		return fmt.Sprintf("!ttg.memdesc<%sx%s, %s, #ttg.shared_memory, mutable>", shape, elem, enc)
	}
	return fmt.Sprintf("!ttg.memdesc<%sx%s, %s, #ttg.shared_memory>", shape, elem, enc)
}

// groupText is the text of a kernel while it is written.
type groupText struct {
	strings.Builder
	f   groupForm
	enc string // of what is loaded and stored
}

func (g *groupText) line(format string, args ...any) { fmt.Fprintf(&g.Builder, format+"\n", args...) }

// operand puts a loaded operand into shared memory and is the name of what the product takes, with its type.
func (g *groupText) operand(name string, rows, cols int, elem string, swizzle int,
	trans bool) (val, typ string) {
	enc := nvmma(swizzle, trans, g.f.bits())
	if g.f.how == "linear" {
		enc = coreMatrices(rows, cols, trans, g.f.bits())
	}
	shape := fmt.Sprintf("%dx%d", rows, cols)
	tensor := fmt.Sprintf("tensor<%sx%s, %s>", shape, elem, g.enc)
	switch g.f.how {
	case "store":
		g.line("%%%s_all = ttg.local_alloc : () -> %s", name, mem("3x"+shape, elem, enc, true))
		g.line("%%%s_m = ttg.memdesc_index %%%s_all[%%two] : %s -> %s", name, name,
			mem("3x"+shape, elem, enc, true), mem(shape, elem, enc, true))
		g.line("ttg.local_store %%%s, %%%s_m : %s -> %s", name, name, tensor, mem(shape, elem, enc, true))
		return name + "_m", mem(shape, elem, enc, true)
	case "trans":
		turned, other := fmt.Sprintf("%dx%d", cols, rows), nvmma(swizzle, !trans, g.f.bits())
		g.line("%%%s_t = tt.trans %%%s {order = array<i32: 1, 0>} : %s -> tensor<%sx%s, %s>", name, name,
			tensor, turned, elem, g.turned())
		g.line("%%%s_u = ttg.local_alloc %%%s_t : (tensor<%sx%s, %s>) -> %s", name, name, turned, elem,
			g.turned(), mem(turned, elem, other, false))
		g.line("%%%s_m = ttg.memdesc_trans %%%s_u {order = array<i32: 1, 0>} : %s -> %s", name, name,
			mem(turned, elem, other, false), mem(shape, elem, enc, false))
		return name + "_m", mem(shape, elem, enc, false)
	}
	g.line("%%%s_m = ttg.local_alloc %%%s : (%s) -> %s", name, name, tensor, mem(shape, elem, enc, false))
	return name + "_m", mem(shape, elem, enc, false)
}

// coreMatrices is a layout without a swizzle: matrices of eight rows of 16 bytes, one after another along a
// row, then down.
func coreMatrices(rows, cols int, trans bool, bits int) string {
	var low, high, down []string
	size := [2]int{rows, cols}
	inRow := 1 // the dimension
	if trans {
		inRow = 0
	}
	unit := func(dim, n int) string {
		v := [2]int{}
		v[dim] = n
		return fmt.Sprintf("[%d, %d]", v[0], v[1])
	}
	for n := 1; n < size[inRow]; n *= 2 {
		if n*bits < 128 {
			low = append(low, unit(inRow, n))
		} else {
			high = append(high, unit(inRow, n))
		}
	}
	for n := 1; n < size[1-inRow]; n *= 2 {
		if n < 8 {
			low = append(low, unit(1-inRow, n))
		} else {
			down = append(down, unit(1-inRow, n))
		}
	}
	return fmt.Sprintf("#ttg.shared_linear<{offset = [%s]}, alignment = 16>",
		strings.Join(slices.Concat(low, high, down), ", "))
}

func (g *groupText) turned() string {
	return fmt.Sprintf("#ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, "+
		"%d], order = [0, 1]}>", g.f.warps[0]*g.f.warps[1])
}

// text is a kernel that computes d = a*b + c.
func (f groupForm) text() string {
	warps := f.warps[0] * f.warps[1]
	g := &groupText{f: f, enc: fmt.Sprintf("#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, "+
		"4], warpsPerCTA = [%d, 1], order = [1, 0]}>", warps)}
	g.line("tt.func public @k(%%x: !tt.ptr<%s>, %%y: !tt.ptr<%s>, %%z: !tt.ptr<%s>, %%d: !tt.ptr<%s>, "+
		"%%flag: i32) {", f.a, f.b, f.c, f.c)
	g.line("%%two = arith.constant 2 : i32\n%%zero = arith.constant 0 : i32\n%%use = arith.cmpi ne, " +
		"%%flag, %%zero : i32")
	g.WriteString(offsetsText("oa", []int{f.m, f.k}, g.enc) + accessText("x", "oa", "a", []int{f.m, f.k}, f.a,
		g.enc, false))
	g.WriteString(offsetsText("ob", []int{f.k, f.n}, g.enc) + accessText("y", "ob", "b", []int{f.k, f.n}, f.b,
		g.enc, false))
	g.WriteString(offsetsText("oc", []int{f.m, f.n}, g.enc))
	acc := fmt.Sprintf("tensor<%dx%dx%s, %s>", f.m, f.n, f.c, f.mma())
	if f.acc == "zero" {
		zero := "0.000000e+00"
		if f.c == "i32" {
			zero = "0"
		}
		g.line("%%c = arith.constant dense<%s> : %s", zero, acc)
	} else {
		g.WriteString(accessText("z", "oc", "c0", []int{f.m, f.n}, f.c, g.enc, false))
		g.line("%%c = ttg.convert_layout %%c0 : tensor<%dx%dx%s, %s> -> %s", f.m, f.n, f.c, g.enc, acc)
	}
	g.product(acc)
	g.line("%%r0 = ttg.convert_layout %%r : %s -> tensor<%dx%dx%s, %s>", acc, f.m, f.n, f.c, g.enc)
	g.WriteString(accessText("d", "oc", "r0", []int{f.m, f.n}, f.c, g.enc, true) + "tt.return\n}\n")
	return strings.Replace(moduleText(warps, g.String()), "cuda:80", "cuda:90", 1)
}

// product multiplies %a and %b, adds %c, and has the result as %r.
func (g *groupText) product(acc string) {
	f := g.f
	left, leftType := "a_r", fmt.Sprintf("tensor<%dx%dx%s, #ttg.dot_op<{opIdx = 0, parent = %s, "+
		"kWidth = %d}>>", f.m, f.k, f.a, f.mma(), 32/f.bits())
	if f.regs {
		g.line("%%a_r = ttg.convert_layout %%a : tensor<%dx%dx%s, %s> -> %s", f.m, f.k, f.a, g.enc, leftType)
	} else {
		left, leftType = g.operand("a", f.m, f.k, f.a, f.swizzleA, f.transA)
	}
	right, rightType := g.operand("b", f.k, f.n, f.b, f.swizzleB, !f.transB)
	g.line("ttng.fence_async_shared {bCluster = false}")
	use := ""
	if f.acc == "flag" {
		use = ", %use"
	}
	attrs := fmt.Sprintf("{inputPrecision = 0 : i32, maxNumImpreciseAcc = %d : i32", f.imprecise)
	if !f.async {
		g.line("%%r = ttng.warp_group_dot %%%s, %%%s, %%c%s %s} : %s * %s -> %s", left, right, use, attrs,
			leftType, rightType, acc)
		return
	}
	if f.how == "slice" { // the halves of k, one product each
		g.slices(left, leftType, right, rightType, use, attrs, acc)
		return
	}
	g.line("%%r1 = ttng.warp_group_dot %%%s, %%%s, %%c%s %s, isAsync = true} : %s * %s -> %s", left, right,
		use, attrs, leftType, rightType, acc)
	g.line("%%r, %%left2, %%right2 = ttng.warp_group_dot_wait %%r1, %%%s, %%%s {pendings = 0 : i32} : "+
		"%s, %s, %s", left, right, acc, leftType, rightType)
}

// slices multiplies the halves along k one after the other; of the first is known that it is done when the
// second is under way.
func (g *groupText) slices(left, leftType, right, rightType, use, attrs, acc string) {
	f, half := g.f, g.f.k/2
	part := func(t, from, to string) string { return strings.Replace(t, from, to, 1) }
	shapeA, shapeB := fmt.Sprintf("<%dx%dx", f.m, f.k), fmt.Sprintf("<%dx%dx", f.k, f.n)
	partA := part(leftType, shapeA, fmt.Sprintf("<%dx%dx", f.m, half))
	partB := part(rightType, shapeB, fmt.Sprintf("<%dx%dx", half, f.n))
	partA = strings.Replace(partA, "#ttg.shared_memory",
		fmt.Sprintf("#ttg.shared_memory, %dx%d", f.m, f.k), 1)
	partB = strings.Replace(partB, "#ttg.shared_memory",
		fmt.Sprintf("#ttg.shared_memory, %dx%d", f.k, f.n), 1)
	for i := range 2 {
		g.line("%%a_%d = ttg.memdesc_subslice %%%s[0, %d] : %s -> %s", i, left, i*half, leftType, partA)
		g.line("%%b_%d = ttg.memdesc_subslice %%%s[%d, 0] : %s -> %s", i, right, i*half, rightType, partB)
	}
	g.line("%%r1 = ttng.warp_group_dot %%a_0, %%b_0, %%c%s %s, isAsync = true} : %s * %s -> %s", use, attrs,
		partA, partB, acc)
	g.line("%%r2 = ttng.warp_group_dot %%a_1, %%b_1, %%r1 %s, isAsync = true} : %s * %s -> %s", attrs,
		partA, partB, acc)
	g.line("%%r3 = ttng.warp_group_dot_wait %%r2 {pendings = 1 : i32} : %s", acc)
	g.line("%%r, %%left2, %%right2 = ttng.warp_group_dot_wait %%r3, %%a_1, %%b_1 {pendings = 0 : i32} : "+
		"%s, %s, %s", acc, partA, partB)
}

// small are whole numbers that every type has, and whose sums are exact in f16.
func small(elem string, n int, seed uint64) *buf {
	r := rand.New(rand.NewPCG(seed, 11))
	vals := make([]float64, n)
	for i := range vals {
		vals[i] = float64(r.IntN(5) - 2)
	}
	return &buf{elem: groupElems[elem], n: n, fill: func(i int) float64 { return vals[i] }}
}

// check runs a form and compares it with sums in Go.
func (f groupForm) check(t *testing.T) {
	text := f.text()
	a, b, c, d := small(f.a, f.m*f.k, 1), small(f.b, f.k*f.n, 2), small(f.c, f.m*f.n, 3),
		small(f.c, f.m*f.n, 4)
	l := launch{"k", [3]int{1, 1, 1}, []any{a, b, c, d, f.flag}}
	want, got := l.memory(1)
	size := bitsOf(c.elem) / 8
	for i := range f.m {
		for j := range f.n {
			sum := 0.0
			if f.acc == "load" || f.acc == "flag" && f.flag != 0 {
				sum = c.fill(i*f.n + j)
			}
			for k := range f.k {
				sum += a.fill(i*f.k+k) * b.fill(k*f.n+j)
			}
			put(want[3][(i*f.n+j)*size:], encode(c.elem, sum), size)
		}
	}
	k, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 90)
	f.keep(t, "", ptx)
	if !strings.Contains(string(ptx), "wgmma.mma_async") {
		t.Error("no product of a warp group")
	}
	onSim(t, ptx, k.Shared, l, got, f.k%3 == 0)
	sameMemory(t, l, want, got, 0)
	if t.Failed() && testing.Verbose() {
		t.Log(text)
	}
}

// keep leaves the PTX in the folder NEREID_KEEP, for the assembler to be asked about.
func (f groupForm) keep(t *testing.T, prefix string, ptx []byte) {
	if dir := os.Getenv("NEREID_KEEP"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, prefix+strings.ReplaceAll(f.String(), "/", "-")+".ptx"),
			ptx, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// groupForms are forms that each have something of their own.
var groupForms = []groupForm{
	{a: "f16", b: "f16", c: "f32", m: 64, n: 64, k: 64, warps: [2]int{4, 1}, width: 64, swizzleA: 128,
		swizzleB: 128, transB: true, acc: "zero", how: "alloc"},
	{a: "f16", b: "f16", c: "f32", m: 64, n: 256, k: 16, warps: [2]int{4, 1}, width: 256, swizzleA: 32,
		swizzleB: 128, transB: true, acc: "zero", how: "alloc"},
	{a: "f16", b: "f16", c: "f16", m: 128, n: 64, k: 32, warps: [2]int{8, 1}, width: 64, swizzleA: 64,
		swizzleB: 64, acc: "load", how: "store", async: true},
	{a: "f16", b: "f16", c: "f32", m: 128, n: 8, k: 32, warps: [2]int{4, 1}, width: 8, swizzleA: 64,
		swizzleB: 0, transB: true, acc: "zero", how: "alloc"},
	{a: "bf16", b: "bf16", c: "f32", m: 64, n: 128, k: 64, warps: [2]int{4, 2}, width: 64, transA: true,
		swizzleA: 128, swizzleB: 128, acc: "flag", flag: 1, how: "trans"},
	{a: "bf16", b: "bf16", c: "f32", m: 128, n: 32, k: 64, warps: [2]int{4, 1}, width: 16, swizzleA: 128,
		swizzleB: 128, regs: true, acc: "flag", how: "store", async: true},
	{a: "f32", b: "f32", c: "f32", m: 64, n: 32, k: 32, warps: [2]int{4, 1}, width: 32, swizzleA: 128,
		swizzleB: 128, acc: "load", how: "alloc"},
	{a: "f32", b: "f32", c: "f32", m: 128, n: 32, k: 16, warps: [2]int{4, 1}, width: 16, swizzleA: 64,
		swizzleB: 64, regs: true, acc: "zero", how: "alloc", async: true},
	{a: "i8", b: "i8", c: "i32", m: 128, n: 64, k: 64, warps: [2]int{8, 1}, width: 64, swizzleA: 64,
		swizzleB: 64, acc: "load", how: "store"},
	{a: "i8", b: "i8", c: "i32", m: 64, n: 32, k: 128, warps: [2]int{4, 1}, width: 32, swizzleA: 128,
		swizzleB: 128, regs: true, acc: "zero", how: "alloc"},
	{a: "i8", b: "i8", c: "i32", m: 64, n: 256, k: 32, warps: [2]int{4, 1}, width: 256, swizzleA: 32,
		swizzleB: 32, acc: "zero", how: "alloc"},
	{a: "f8E4M3FN", b: "f8E4M3FN", c: "f32", m: 64, n: 64, k: 128, warps: [2]int{4, 1}, width: 64,
		swizzleA: 128, swizzleB: 128, acc: "load", how: "alloc", imprecise: 1 << 30},
	{a: "f8E4M3FN", b: "f8E5M2", c: "f32", m: 64, n: 64, k: 128, warps: [2]int{4, 1}, width: 32,
		swizzleA: 128, swizzleB: 128, acc: "load", how: "alloc", imprecise: 64, async: true},
	{a: "f8E5M2", b: "f8E5M2", c: "f32", m: 128, n: 32, k: 64, warps: [2]int{4, 1}, width: 32, swizzleA: 64,
		swizzleB: 32, acc: "flag", how: "alloc", imprecise: 32},
	{a: "f8E5M2", b: "f8E4M3FN", c: "f16", m: 64, n: 16, k: 32, warps: [2]int{4, 1}, width: 16, swizzleA: 32,
		swizzleB: 32, regs: true, acc: "load", how: "alloc"},
	{a: "f16", b: "f16", c: "f32", m: 128, n: 64, k: 128, warps: [2]int{8, 1}, width: 64, swizzleA: 128,
		swizzleB: 128, transB: true, acc: "load", how: "slice", async: true},
	{a: "f16", b: "f16", c: "f16", m: 64, n: 64, k: 64, warps: [2]int{4, 1}, width: 64, swizzleA: 128,
		swizzleB: 128, acc: "load", how: "slice", async: true},
	{a: "bf16", b: "bf16", c: "f32", m: 256, n: 64, k: 32, warps: [2]int{16, 1}, width: 64, swizzleA: 64,
		swizzleB: 128, transB: true, acc: "zero", how: "alloc"},
	{a: "bf16", b: "bf16", c: "f32", m: 128, n: 128, k: 32, warps: [2]int{8, 2}, width: 64, swizzleA: 64,
		swizzleB: 128, transB: true, acc: "load", how: "alloc"},
	{a: "f16", b: "f16", c: "f32", m: 64, n: 128, k: 32, warps: [2]int{4, 4}, width: 32, swizzleA: 64,
		swizzleB: 64, acc: "load", how: "alloc"},
	// warps with copies
	{a: "f16", b: "f16", c: "f32", m: 64, n: 32, k: 32, warps: [2]int{8, 2}, width: 32, swizzleA: 32,
		swizzleB: 32, acc: "load", how: "alloc"},
	{a: "f16", b: "f16", c: "f32", m: 128, n: 64, k: 32, warps: [2]int{4, 1}, width: 64, acc: "load",
		how: "linear"},
	{a: "bf16", b: "bf16", c: "f32", m: 64, n: 32, k: 32, warps: [2]int{4, 1}, width: 32, transA: true,
		transB: true, acc: "zero", how: "linear"},
	{a: "i8", b: "i8", c: "i32", m: 64, n: 32, k: 64, warps: [2]int{4, 1}, width: 16, acc: "zero",
		how: "linear", async: true},
	{a: "f16", b: "f16", c: "f32", m: 512, n: 32, k: 16, warps: [2]int{8, 1}, width: 32, transA: true,
		swizzleA: 128, swizzleB: 64, transB: true, acc: "load", how: "alloc"},
}

// TestWarpGroups multiplies in all forms, every other one at each commit.
func TestWarpGroups(t *testing.T) {
	chosen := txtest.Sample(t, 2)
	for i, f := range groupForms {
		if chosen(i) {
			t.Run(f.String(), f.check)
		}
	}
}

// TestAnyWarpGroup multiplies in forms chosen at random.
func TestAnyWarpGroup(t *testing.T) {
	n := 12
	if s := os.Getenv("NEREID_RANDOM"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	for seed := range n {
		f := randomGroup(rand.New(rand.NewPCG(uint64(seed), 21)))
		t.Run(f.String(), f.check)
	}
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func randomGroup(r *rand.Rand) groupForm {
	types := pick(r, [3]string{"f16", "f16", "f32"}, [3]string{"f16", "f16", "f16"},
		[3]string{"bf16", "bf16", "f32"}, [3]string{"f32", "f32", "f32"}, [3]string{"i8", "i8", "i32"},
		[3]string{"f8E4M3FN", "f8E5M2", "f32"}, [3]string{"f8E5M2", "f8E4M3FN", "f32"})
	f := groupForm{a: types[0], b: types[1], c: types[2]}
	f.warps = pick(r, [2]int{4, 1}, [2]int{8, 1}, [2]int{4, 2}, [2]int{8, 2}, [2]int{16, 1})
	f.m, f.n, f.k = pick(r, 64, 128, 256), pick(r, 16, 32, 64, 128, 256), 256/f.bits()*pick(r, 1, 2, 4)
	for f.m*f.n > 128*128 {
		f.n /= 2
	}
	f.width = max(8, f.n/pick(r, 1, 2, 4))
	f.regs, f.async = r.IntN(3) == 0, r.IntN(2) == 0
	f.acc, f.flag = pick(r, "zero", "load", "flag"), r.IntN(2)
	f.how = pick(r, "alloc", "store", "trans")
	f.imprecise = pick(r, 32, 64, 1<<30)
	if f.bits() == 16 {
		f.transA, f.transB = r.IntN(2) == 0, r.IntN(2) == 0
	}
	f.swizzleA, f.swizzleB = anySwizzle(r, f.transA, f.m, f.k, f.bits()),
		anySwizzle(r, f.transB, f.n, f.k, f.bits())
	return f
}

// anySwizzle is one that the contiguous dimension has room for.
func anySwizzle(r *rand.Rand, trans bool, n, k, bits int) int {
	inRow := k
	if trans {
		inRow = n
	}
	s := pick(r, 32, 64, 128)
	for s > inRow*bits/8 {
		s /= 2
	}
	return s
}

// TestWarpGroupLoop has products under way across a loop's back edge: d = a*(b0 + b1 + b2 + b3), where b0
// to b3 are in buffers.
func TestWarpGroupLoop(t *testing.T) {
	for _, f := range []groupForm{
		{a: "f16", b: "f16", c: "f32", m: 64, n: 64, k: 64, warps: [2]int{4, 1}, width: 64, swizzleA: 128,
			swizzleB: 128, transB: true},
		{a: "f16", b: "f16", c: "f16", m: 128, n: 32, k: 32, warps: [2]int{8, 1}, width: 32, swizzleA: 64,
			swizzleB: 64},
		{a: "f16", b: "f16", c: "f16", m: 64, n: 64, k: 32, warps: [2]int{4, 1}, width: 32, swizzleA: 64,
			swizzleB: 64, regs: true},
		{a: "i8", b: "i8", c: "i32", m: 128, n: 32, k: 64, warps: [2]int{8, 1}, width: 32, swizzleA: 64,
			swizzleB: 64, regs: true},
	} {
		t.Run(f.String(), func(t *testing.T) { f.checkLoop(t) })
	}
}

const loopBuffers = 4

func (f groupForm) loopText() string {
	warps := f.warps[0] * f.warps[1]
	g := &groupText{f: f, enc: fmt.Sprintf("#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, "+
		"4], warpsPerCTA = [%d, 1], order = [1, 0]}>", warps)}
	g.line("tt.func public @k(%%x: !tt.ptr<%s>, %%y: !tt.ptr<%s>, %%d: !tt.ptr<%s>, %%end: i32) {",
		f.a, f.b, f.c)
	g.WriteString(offsetsText("oa", []int{f.m, f.k}, g.enc) + accessText("x", "oa", "a", []int{f.m, f.k}, f.a,
		g.enc, false) + offsetsText("ob", []int{f.k, f.n}, g.enc))
	shape, enc := fmt.Sprintf("%dx%d", f.k, f.n), nvmma(f.swizzleB, !f.transB, f.bits())
	all, one := mem(fmt.Sprintf("%dx%s", loopBuffers, shape), f.b, enc, true), mem(shape, f.b, enc, true)
	g.line("%%zero = arith.constant 0 : i32\n%%one = arith.constant 1 : i32\n%%all = ttg.local_alloc : "+
		"() -> %s", all)
	for i := range loopBuffers {
		g.line("%%n%d = arith.constant %d : i32\n%%s%d = arith.constant %d : i32", i, i, i, i*f.k*f.n)
		g.line("%%y%d = tt.addptr %%y, %%s%d : !tt.ptr<%s>, i32", i, i, f.b)
		g.WriteString(accessText(fmt.Sprintf("y%d", i), "ob", fmt.Sprintf("b%d", i), []int{f.k, f.n}, f.b,
			g.enc, false))
		g.line("%%m%d = ttg.memdesc_index %%all[%%n%d] : %s -> %s", i, i, all, one)
		g.line("ttg.local_store %%b%d, %%m%d : tensor<%sx%s, %s> -> %s", i, i, shape, f.b, g.enc, one)
	}
	acc := fmt.Sprintf("tensor<%dx%dx%s, %s>", f.m, f.n, f.c, f.mma())
	left, leftType := "a_r", fmt.Sprintf("tensor<%dx%dx%s, #ttg.dot_op<{opIdx = 0, parent = %s, "+
		"kWidth = %d}>>", f.m, f.k, f.a, f.mma(), 32/f.bits())
	if f.regs {
		g.line("%%a_r = ttg.convert_layout %%a : tensor<%dx%dx%s, %s> -> %s", f.m, f.k, f.a, g.enc, leftType)
	} else {
		left, leftType = g.operand("a", f.m, f.k, f.a, f.swizzleA, f.transA)
	}
	zero := map[bool]string{false: "0.000000e+00", true: "0"}[f.c == "i32"]
	g.line("ttng.fence_async_shared {bCluster = false}\n%%c = arith.constant dense<%s> : %s", zero, acc)
	g.line("%%l = scf.for %%i = %%zero to %%end step %%one iter_args(%%s = %%c) -> (%s) : i32 {", acc)
	g.line("%%m = ttg.memdesc_index %%all[%%i] : %s -> %s", all, one)
	g.line("%%p = ttng.warp_group_dot %%%s, %%m, %%s {inputPrecision = 0 : i32, isAsync = true} : %s * "+
		"%s -> %s", left, leftType, one, acc)
	g.line("%%q:2 = ttng.warp_group_dot_wait %%p, %%m {pendings = 1 : i32} : %s, %s\nscf.yield %%q#0 : %s\n}",
		acc, one, acc)
	g.line("%%r = ttng.warp_group_dot_wait %%l {pendings = 0 : i32} : %s", acc)
	g.line("%%r0 = ttg.convert_layout %%r : %s -> tensor<%dx%dx%s, %s>", acc, f.m, f.n, f.c, g.enc)
	g.WriteString(offsetsText("oc", []int{f.m, f.n}, g.enc) + accessText("d", "oc", "r0", []int{f.m, f.n},
		f.c, g.enc, true) + "tt.return\n}\n")
	return strings.Replace(moduleText(warps, g.String()), "cuda:80", "cuda:90", 1)
}

func (f groupForm) checkLoop(t *testing.T) {
	a, b, d := small(f.a, f.m*f.k, 1), small(f.b, loopBuffers*f.k*f.n, 2), small(f.c, f.m*f.n, 4)
	l := launch{"k", [3]int{1, 1, 1}, []any{a, b, d, loopBuffers}}
	want, got := l.memory(1)
	size := bitsOf(d.elem) / 8
	for i := range f.m * f.n {
		sum := 0.0
		for k := range loopBuffers * f.k {
			sum += a.fill(i/f.n*f.k+k%f.k) * b.fill(k*f.n+i%f.n)
		}
		put(want[2][i*size:], encode(d.elem, sum), size)
	}
	text := f.loopText()
	k, ptx := compile(t, parseIR(t, "test.ttgir", []byte(text)), "k", 90)
	f.keep(t, "loop-", ptx)
	if early := earlyDescriptors(string(ptx)); len(early) > 0 {
		t.Errorf("descriptors that are kept in registers over all iterations: %s", early)
	}
	onSim(t, ptx, k.Shared, l, got, true)
	sameMemory(t, l, want, got, 0)
	if t.Failed() && testing.Verbose() {
		t.Log(text)
	}
}

// earlyDescriptors returns the descriptors of products that are not made in the products' own block.
func earlyDescriptors(ptx string) (early []string) {
	made := map[string]bool{} // in this block
	for line := range strings.Lines(ptx) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case strings.HasSuffix(words[0], ":"):
			clear(made)
		case strings.HasPrefix(words[0], "wgmma.mma_async"):
			for _, w := range words {
				if w = strings.Trim(w, ",;"); strings.HasPrefix(w, "%rd") && !made[w] {
					early = append(early, w)
				}
			}
		case len(words) > 1:
			made[strings.Trim(words[1], ",")] = true
		}
	}
	return early
}

// TestWarpGroupRefused: what no instruction does is an error that says so.
func TestWarpGroupRefused(t *testing.T) {
	good := groupForm{a: "f16", b: "f16", c: "f32", m: 64, n: 64, k: 64, warps: [2]int{4, 1}, width: 64,
		swizzleA: 128, swizzleB: 128, transB: true, acc: "zero", how: "alloc"}
	for _, c := range []struct {
		name   string
		change func(f *groupForm)
		want   string
	}{
		{"good", func(*groupForm) {}, ""},
		{"no swizzle", func(f *groupForm) { f.swizzleA = 0 }, "no descriptor of wgmma describes"},
		{"too wide", func(f *groupForm) { f.n, f.width = 512, 512 }, "512 columns"},
		{"sums", func(f *groupForm) { f.c = "i32" }, "no instruction for f16 times f16 to i32"},
		{"transposed bytes", func(f *groupForm) {
			f.a, f.b, f.c, f.swizzleA, f.swizzleB = "i8", "i8", "i32", 64, 64
		}, "not in the order of k"},
		{"operands", func(f *groupForm) { f.b = "bf16" }, "no instruction for f16 times bf16 to f32"},
		{"part of a step", func(f *groupForm) {
			f.k, f.swizzleA = 8, 0
		}, "no multiple of an instruction's 16"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := good
			c.change(&f)
			m := parseIR(t, "test.ttgir", []byte(f.text()))
			_, err := Lower(m, "k", testOptions(m, 90))
			if c.want == "" && err != nil || c.want != "" &&
				(err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, expected %q", err, c.want)
			}
		})
	}
	m := parseIR(t, "test.ttgir", []byte(good.text()))
	if _, err := Lower(m, "k", testOptions(m, 80)); err == nil ||
		!strings.Contains(err.Error(), "sm_80 has no such instruction") {
		t.Error(err)
	}
}
