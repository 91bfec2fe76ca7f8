package lower

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/gpud"
	"github.com/nereid-lang/nereid/internal/dialect/proton"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/mathlib"
)

// nvidia implements Vendor by the intrinsics of LLVM's NVVM and by PTX.
type nvidia struct {
	chip chip.Chip
}

// NVIDIA returns the intrinsics of NVIDIA's GPUs of a compute capability, 80 for sm_80.
func NVIDIA(capability int) Vendor { return nvidia{chip.CUDA(capability)} }

func (nvidia) lanes() int { return 32 }
func (nvidia) banks() int { return 32 }

// widensShifts is true: LLVM's NVPTX target sets no bound to the width of vectors in registers.
func (nvidia) widensShifts() bool { return true }

// bufferAlign aligns buffers that wgmma reads through descriptors to 1024 bytes: their swizzle repeats every
// 1024 bytes, counted from an aligned address.
func (nvidia) bufferAlign(m ttg.MemDesc) int {
	switch ttg.Decode(m.Encoding).(type) {
	case ttg.NVMMAShared, ttg.SharedLinear:
		return 1024
	}
	return bufferAlign
}

// maxCTAs is the largest cluster. Clusters of more than 8 blocks do not run on every GPU.
const maxCTAs = 16

// CheckCluster returns an error unless a GPU can run programs of ctas blocks.
func CheckCluster(ctas int, c chip.Chip) error {
	switch {
	case ctas == 1:
		return nil
	case ctas < 1 || ctas > maxCTAs || ctas&(ctas-1) != 0:
		return diag.Refuse(fmt.Sprintf("num_ctas=%d", ctas), "a cluster has 1, 2, 4, 8 or %d blocks", maxCTAs)
	case !c.Clusters:
		return diag.Refuse(fmt.Sprintf("num_ctas=%d", ctas),
			"clusters of blocks need compute capability 9.0 or higher, and this is for sm_%d",
			c.Capability).Instead("set num_ctas to 1")
	}
	return nil
}

func (v nvidia) checkCluster(ctas int) error { return CheckCluster(ctas, v.chip) }

func (nvidia) header() string {
	return "target triple = \"nvptx64-nvidia-cuda\"\n" +
		"target datalayout = \"e-p3:32:32-p4:32:32-p5:32:32-p6:32:32-p7:32:32-i64:64-i128:128-i256:256-" +
		"v16:16-v32:32-n16:32:64\"\n"
}

func (nvidia) kernelHead() string { return "define ptx_kernel void" }

func (v nvidia) limits(g *program) string {
	out := fmt.Sprintf("\"nvvm.reqntid\"=\"%d\"", g.threads())
	if n := g.module.IntOr(ttg.MaxNRegAttr, 0); n > 0 {
		out += fmt.Sprintf(" \"nvvm.maxnreg\"=\"%d\"", n)
	}
	if g.ctas > 1 {
		out += fmt.Sprintf(" \"nvvm.cluster_dim\"=\"%d\"", g.ctas)
	}
	return out
}

func (nvidia) mathTarget() mathlib.Target { return mathlib.Target{NVPTX: true, Global: true} }

func (v nvidia) ops() map[*ir.OpDef]fact {
	return map[*ir.OpDef]fact{
		ttng.WarpGroupDot:     {lower: v.warpGroupDot, effects: productEffects},
		ttng.WarpGroupDotWait: {lower: lowerWarpGroupWait, effects: productWaitEffects},
		ttng.FenceAsyncShared: {lower: lowerFenceAsync, effects: fenceEffects},

		gpud.SubgroupID: {lower: lowerSubgroupID},
		proton.Record:   {lower: lowerRecord},

		ttng.InitBarrier:   {lower: lowerInitBarrier, effects: barrierEffects},
		ttng.InvalBarrier:  {lower: lowerInvalBarrier, effects: barrierEffects},
		ttng.BarrierExpect: {lower: lowerBarrierExpect, effects: barrierExpectEffects},
		ttng.WaitBarrier:   {lower: lowerWaitBarrier, effects: barrierWaitEffects},
		ttng.ArriveBarrier: {lower: lowerArriveBarrier, effects: barrierWaitEffects},

		ttng.AsyncTMACopyGlobalToLocal: {lower: lowerTMALoad, effects: bulkLoadEffects},
		ttng.AsyncTMACopyLocalToGlobal: {lower: lowerTMAStore, effects: bulkStoreEffects},
		ttng.AsyncTMAReduce:            {lower: lowerTMAReduce, effects: bulkReduceEffects},
		ttng.AsyncTMAStoreWait:         {lower: lowerTMAStoreWait, effects: bulkStoreWaitEffects},

		ttng.TensormapCreate: {lower: lowerTensormapCreate, scratch: tensormapScratch,
			align: TensorMapBytes},
		ttng.TensormapFenceproxyAcquire: {lower: lowerTensormapAcquire, effects: mapAcquireEffects},
		ttng.ReinterpretTensorDesc:      {lower: lowerReinterpretDesc},
	}
}

// sreg reads a special register.
func sreg(l *lowering, name string) string { return l.call("i32", "llvm.nvvm.read.ptx.sreg."+name) }

func (nvidia) threadID(l *lowering) string  { return sreg(l, "tid.x") }
func (nvidia) blockRank(l *lowering) string { return sreg(l, "cluster.ctarank") }

// programID reads the number of the block or, with clusters, of the cluster, which is the program.
func (nvidia) programID(l *lowering, axis int) string {
	if l.ctas > 1 {
		return sreg(l, "clusterid."+axes[axis])
	}
	return sreg(l, "ctaid."+axes[axis])
}

func (nvidia) numPrograms(l *lowering, axis int) string {
	if l.ctas > 1 {
		return sreg(l, "nclusterid."+axes[axis])
	}
	return sreg(l, "nctaid."+axes[axis])
}

var axes = []string{"x", "y", "z"}

func (nvidia) meet(l *lowering, who level) {
	switch {
	case who == theWarp:
		l.call("void", "llvm.nvvm.bar.warp.sync", "i32 -1")
	case who == theProgram && l.ctas > 1:
		l.call("void", "llvm.nvvm.barrier.cluster.arrive.aligned")
		l.call("void", "llvm.nvvm.barrier.cluster.wait.aligned")
	default:
		l.call("void", "llvm.nvvm.barrier0")
	}
}

func (nvidia) meetIf(l *lowering, pred string) {
	l.do(`call void asm sideeffect "@$0 bar.sync 0;", "b,~{memory}"(i1 %s) convergent`, pred)
}

func (nvidia) shuffleXor(l *lowering, word string, bits int) string {
	return l.call("i32", "llvm.nvvm.shfl.sync.bfly.i32", "i32 -1", "i32 "+word, "i32 "+itoa(bits), "i32 31")
}

func (nvidia) shuffleIdx(l *lowering, word, lane string) string {
	return l.call("i32", "llvm.nvvm.shfl.sync.idx.i32", "i32 -1", "i32 "+word, "i32 "+lane, "i32 31")
}

func (nvidia) halves(l *lowering, a, b, swap string) (lo, hi string) {
	pick := func(kept, swapped int) string {
		bytes := l.val("select i1 %s, i32 %d, i32 %d", swap, swapped, kept)
		return l.call("i32", "llvm.nvvm.prmt", "i32 "+a, "i32 "+b, "i32 "+bytes)
	}
	return pick(0x5410, 0x1054), pick(0x7632, 0x3276)
}

// warpReductions holds the instructions that combine the words of a warp, from sm_80 on.
var warpReductions = map[*ir.OpDef]string{
	arith.AddI: "add", arith.AndI: "and", arith.OrI: "or", arith.XOrI: "xor",
	arith.MinSI: "min", arith.MaxSI: "max", arith.MinUI: "umin", arith.MaxUI: "umax",
}

// warpVotes holds the instructions that combine a truth value of every lane of a warp.
var warpVotes = map[*ir.OpDef]string{arith.AndI: "all", arith.OrI: "any"}

func (v nvidia) reduceWarp(l *lowering, by *ir.OpDef, t ir.Type, x string) (string, bool) {
	if t == ir.I1 {
		name := warpVotes[by]
		if name == "" {
			return "", false
		}
		return l.call("i1", "llvm.nvvm.vote."+name+".sync", "i32 -1", "i1 "+x), true
	}
	name := warpReductions[by]
	if name == "" || !v.chip.WarpReduce {
		return "", false
	}
	return l.call("i32", "llvm.nvvm.redux.sync."+name, "i32 "+x, "i32 -1"), true
}
