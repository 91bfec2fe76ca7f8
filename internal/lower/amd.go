package lower

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/mathlib"
)

// amd implements Vendor by the intrinsics of LLVM's AMDGPU target.
type amd struct {
	chip     chip.Chip
	perEU    int  // waves of an execution unit to aim at; 0 leaves it to LLVM
	flushF32 bool // subnormal f32 are zero
	ilp      bool // instructions are scheduled for parallelism
}

// AMDOptions are options of a kernel that AMD's GPUs alone have.
type AMDOptions struct {
	WavesPerEU int  // waves of an execution unit to aim at; 0 leaves it to LLVM
	Flush      bool // subnormal f32 are zero
	ILP        bool // instructions are scheduled for parallelism instead of few registers
}

// AMD returns the intrinsics of a GPU of AMD's.
func AMD(c chip.Chip, o AMDOptions) Vendor { return amd{c, o.WavesPerEU, o.Flush, o.ILP} }

func (v amd) lanes() int                { return v.chip.WarpSize }
func (amd) banks() int                  { return 32 }
func (amd) widensShifts() bool          { return false } // its target allows pairs only
func (amd) bufferAlign(ttg.MemDesc) int { return bufferAlign }
func (amd) kernelHead() string          { return "define amdgpu_kernel void" }
func (amd) mathTarget() mathlib.Target  { return mathlib.Target{Global: true} }

// header asks for code objects of version 5, which every release of ROCm from 5.5 on loads. The number of the
// metadata lies beyond those of line information.
func (amd) header() string {
	return "target triple = \"amdgcn-amd-amdhsa\"\n" +
		"!llvm.module.flags = !{!9999999}\n" +
		"!9999999 = !{i32 1, !\"amdhsa_code_object_version\", i32 500}\n"
}

// blockParam is never asked for: descriptors are pointers before the lowering, and the host computes nothing.
func (amd) blockParam(int, int) string { return "ptr addrspace(4)" }
func (amd) fetchMap(*lowering, string) {}

// record is never asked for: scopes are not in the code.
func (amd) record(*lowering, int, bool) {}

func (v amd) checkCluster(ctas int) error {
	if ctas == 1 {
		return nil
	}
	return diag.Refuse(fmt.Sprintf("num_ctas=%d", ctas), "%s has no clusters of blocks", v.chip.Name).
		Instead("set num_ctas to 1")
}

func (v amd) limits(g *program) string {
	denormals := "ieee"
	if v.flushF32 {
		denormals = "preserve-sign"
	}
	out := fmt.Sprintf("\"amdgpu-flat-work-group-size\"=\"%d,%[1]d\" \"uniform-work-group-size\"=\"true\" "+
		"\"denormal-fp-math-f32\"=\"%s\"", g.threads(), denormals)
	if v.perEU > 0 {
		out += fmt.Sprintf(" \"amdgpu-waves-per-eu\"=\"%d,%[1]d\"", v.perEU)
	}
	if v.ilp {
		out += " \"amdgpu-sched-strategy\"=\"iterative-ilp\""
	}
	return out
}

// ops refuses what would need help from the host.
func (v amd) ops() map[*ir.OpDef]fact {
	return map[*ir.OpDef]fact{
		tt.Print: {lower: func(l *lowering, op *ir.Op) {
			l.fail(op, "tl.device_print is not available on %s", v.chip.Name)
		}},
	}
}

func (amd) threadID(l *lowering) string { return l.call("i32", "llvm.amdgcn.workitem.id.x") }
func (amd) blockRank(*lowering) string  { return "0" }

var amdAxes = []string{"x", "y", "z"}

func (amd) programID(l *lowering, axis int) string {
	return l.call("i32", "llvm.amdgcn.workgroup.id."+amdAxes[axis])
}

// numPrograms reads the number of workgroups, which the runtime writes at the head of the hidden arguments.
func (amd) numPrograms(l *lowering, axis int) string {
	hidden := l.call("ptr addrspace(4)", "llvm.amdgcn.implicitarg.ptr")
	at := l.val("getelementptr inbounds i8, ptr addrspace(4) %s, i32 %d", hidden, 4*axis)
	return l.val("load i32, ptr addrspace(4) %s, align 4, !invariant.load !{}", at)
}

// meet orders a wave's accesses by a fence without a barrier: its lanes run in step.
func (v amd) meet(l *lowering, who level) {
	scope := "workgroup"
	if who == theWarp {
		scope = "wavefront"
	}
	l.do("fence syncscope(%q) release", scope)
	if who == theWarp {
		l.call("void", "llvm.amdgcn.wave.barrier")
	} else {
		v.awaitShared(l)
		v.holdLoads(l)
		l.call("void", "llvm.amdgcn.s.barrier")
	}
	l.do("fence syncscope(%q) acquire", scope)
}

// holdLoads keeps loads from sinking below a barrier, into a branch behind it: LLVM's machine sinking heeds
// neither fences nor barriers, but assembly that may write memory. Another wave could store first.
func (amd) holdLoads(l *lowering) { l.do(`call void asm sideeffect "", "~{memory}"()`) }

// awaitShared waits until the wave's accesses to shared memory have ended. A fence does so too, but LLVM
// drops its wait in a loop before which no access is under way, although one from the iteration before may
// be.
func (v amd) awaitShared(l *lowering) {
	switch v.chip.RDNA { // the word says how many accesses of each kind may be under way
	case 0:
		l.call("void", "llvm.amdgcn.s.waitcnt", "i32 "+itoa(0xC07F))
	case 3:
		l.call("void", "llvm.amdgcn.s.waitcnt", "i32 "+itoa(0xFC07))
	default:
		l.call("void", "llvm.amdgcn.s.wait.dscnt", "i16 0")
	}
}

// meetIf branches: a condition that all threads share may skip the barrier.
func (v amd) meetIf(l *lowering, pred string) { l.when(pred, func() { v.meet(l, theBlock) }) }

func (amd) halves(l *lowering, a, b, swap string) (lo, hi string) { return plainHalves(l, a, b, swap) }

// reduceWarp looks at the mask of the lanes that have a truth value.
func (v amd) reduceWarp(l *lowering, by *ir.OpDef, t ir.Type, x string) (string, bool) {
	if t != ir.I1 || by != arith.AndI && by != arith.OrI {
		return "", false
	}
	word := fmt.Sprintf("i%d", v.lanes())
	if by == arith.AndI { // no lane has the opposite
		mask := l.call(word, "llvm.amdgcn.ballot."+word, "i1 "+l.val("xor i1 %s, true", x))
		return l.val("icmp eq %s %s, 0", word, mask), true
	}
	mask := l.call(word, "llvm.amdgcn.ballot."+word, "i1 "+x)
	return l.val("icmp ne %s %s, 0", word, mask), true
}
