package codegen

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/bufferization"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/memref"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/target/cpu/gemm"
)

// Neighbouring programs often multiply by the same matrices: those of a column of tiles, or of a head. A
// product in a loop therefore keeps the packed right operand of each round. The next program of the same
// launch and thread finds it there, if its own operand lies in the same place. That is right only for memory
// that no program writes. The second word of the status says whether scratch is as an earlier call of the
// launch left it; else nothing is kept there yet.

const (
	maxKept   = 16 << 20 // bytes that a product keeps
	maxAll    = 24 << 20 // bytes that all products of a kernel keep
	maxRounds = 64       // rounds that a product keeps
	tagSize   = 5        // words that name an operand: address, strides, rows and columns
)

// constantMemory returns "true" if a view is of an argument that no program writes, else "false". It records
// that the arguments which are written must not overlap with it.
func (g *gen) constantMemory(v *ir.Value) string {
	base := baseOf(v)
	if g.round == nil || g.opts.Overlap || g.opts.Check || !g.isArgument(base) {
		return "false"
	}
	written := map[int]bool{}
	if !g.writtenArguments(g.fn, written) || written[base.Index()] {
		return "false"
	}
	for i := range written {
		g.apart[[2]int{min(i, base.Index()), max(i, base.Index())}] = false
	}
	return "true"
}

// writtenArguments collects the arguments that operations write. It reports false if they may write other
// memory too.
func (g *gen) writtenArguments(op *ir.Op, written map[int]bool) bool {
	for _, r := range op.Regions() {
		for b := range r.Blocks() {
			for o := range b.Ops() {
				if !g.writesArgument(o, written) || !g.writtenArguments(o, written) {
					return false
				}
			}
		}
	}
	return true
}

func (g *gen) writesArgument(op *ir.Op, written map[int]bool) bool {
	var dest *ir.Value
	switch op.Def {
	case memref.Store, memref.Copy, bufferization.MaterializeInDestination:
		dest = op.Operand(1)
	case memref.AtomicRMW, memref.GenericAtomicRMW:
		return false
	case funcd.Call:
		return isMemoryAt(op)
	default:
		return true
	}
	if isScratch(dest) {
		return true
	}
	base := baseOf(dest)
	if !g.isArgument(base) {
		return false
	}
	written[base.Index()] = true
	return true
}

// kernelBuffer returns scratch memory that all calls of a kernel share.
func (g *gen) kernelBuffer(name string, size int) *view {
	if g.gemmScratch[name] == nil {
		g.gemmScratch[name] = g.newBuffer(ir.I8, []int64{int64(max(1, size))})
	}
	return g.gemmScratch[name]
}

// panels returns where a product packs its right operand, and whether it is there already.
func (g *gen) panels(op *ir.Op, k *gemm.Kernel, b factor) (at, packed string) {
	own := g.kernelBuffer(k.Name+".panels", k.Panels)
	rounds := int64(min(maxRounds, min(maxKept, maxAll-g.sharedBytes)/max(1, k.Panels)))
	if b.constant == "false" || rounds < 2 {
		return own.ptr, "false"
	}
	g.sharedBytes += int(rounds) * k.Panels
	keep := g.newBuffer(ir.I8, []int64{rounds * int64(k.Panels)})
	tags := g.newBuffer(ir.I64, []int64{(rounds + 1) * tagSize}) // the last is of rounds that are not kept
	g.clearTags(tags, (rounds+1)*tagSize*8)
	n := g.roundNumber()
	in := g.op("icmp ult i64 %s, %d", n, rounds)
	n = g.op("select i1 %s, i64 %s, i64 %d", in, n, rounds)
	packed = g.and1(in, b.constant)
	tag := g.op("getelementptr i64, ptr %s, i64 %s", tags.ptr, g.mul(n, itoa(tagSize)))
	address := g.op("ptrtoint ptr %s to i64", g.address(b.w, "0"))
	address = g.op("select i1 %s, i64 %s, i64 0", b.constant, address) // a copy is never found again
	for i, x := range []string{address, b.w.strides[0], b.w.strides[1], b.rows, b.cols} {
		word := g.op("getelementptr i64, ptr %s, i64 %d", tag, i)
		packed = g.and1(packed, g.op("icmp eq i64 %s, %s", g.op("load i64, ptr %s", word), x))
		g.do("store i64 %s, ptr %s", x, word)
	}
	kept := g.op("getelementptr i8, ptr %s, i64 %s", keep.ptr, g.mul(n, itoa(int64(k.Panels))))
	return g.op("select i1 %s, ptr %s, ptr %s", in, kept, own.ptr), packed
}

// clearTags writes that tags, of a number of bytes, are zero at the beginning of a launch.
func (g *gen) clearTags(tags *view, size int64) {
	g.decls["llvm.memset.p0.i64"] = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
	clear := g.capture(func() {
		later := g.op("load i64, ptr %s", g.op("getelementptr i64, ptr %%status, i64 1"))
		n := g.op("select i1 %s, i64 %d, i64 0", g.op("icmp eq i64 %s, 0", later), size)
		g.do("call void @llvm.memset.p0.i64(ptr %s, i8 0, i64 %s, i1 false)", tags.ptr, n)
	})
	g.prologue = append(g.prologue, strings.TrimSuffix(clear, "\n"))
}

func (g *gen) and1(a, b string) string { return g.op("and i1 %s, %s", a, b) }

// roundNumber counts how often a program has come here.
func (g *gen) roundNumber() string {
	program, count := g.slot("i64"), g.slot("i64")
	g.prologue = append(g.prologue, fmt.Sprintf("  store i64 -1, ptr %s", program))
	same := g.op("icmp eq i64 %s, %s", g.op("load i64, ptr %s", program), g.program)
	n := g.op("select i1 %s, i64 %s, i64 0", same, g.op("load i64, ptr %s", count))
	g.do("store i64 %s, ptr %s", g.program, program)
	g.do("store i64 %s, ptr %s", g.op("add i64 %s, 1", n), count)
	return n
}
