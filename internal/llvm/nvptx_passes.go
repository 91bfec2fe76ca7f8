package llvm

import "strings"

// ptxPasses are the passes for kernels on NVIDIA GPUs: those of default<O3> that change something in code
// like ours, which is in SSA form with its tensors split into scalars already. They take two thirds of the
// time of default<O3>, and what the driver makes of the result is the same but for a few instructions. The
// vectorizer of loops, a second and third round of most passes, and what is for calls and for memory on a
// stack are gone.
var ptxPasses = strings.Join([]string{
	"cgscc(inline,function-attrs)", "globaldce",
	"function(" + strings.Join([]string{
		"nvvm-intr-range", "simplifycfg", "sroa", "early-cse", "instcombine", plainCFG,
		"early-cse<memssa>", "speculative-execution<only-if-divergent-target>", "jump-threading",
		"correlated-propagation", plainCFG, "instcombine", "reassociate",

		"loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,loop-rotate,licm," +
			"simple-loop-unswitch<nontrivial;trivial>)",
		plainCFG, "instcombine", "loop(indvars,loop-deletion,loop-unroll-full)", unrollFully,

		// by now, bounds are simple enough to see which loops have one iteration at most
		"sroa", "gvn", "jump-threading", "correlated-propagation", "adce", "loop(loop-deletion)",
		"loop-mssa(licm)",
		"simplifycfg<switch-range-to-icmp;switch-to-lookup;no-keep-loops;hoist-common-insts;sink-common-insts>",
		"slp-vectorizer", "vector-combine", // pairs of 16 bits
		leaveRuntime, "infer-alignment", "instcombine", "loop-mssa(licm)", plainCFG,

		// Code generation takes constant offsets out of addresses as well, but compares all the bases with
		// each other (straight-line strength reduction, in LLVM 22) before it finds that they are one. Here
		// they become one first.
		"separate-const-offset-from-gep", "early-cse",
	}, ",") + ")",
}, ",")

const (
	plainCFG = "simplifycfg<switch-range-to-icmp>"

	// unrollFully has the limits of O3, where loop-unroll-full has those of O2. The copies of inner loops,
	// whose numbers of iterations are then constant, are left to the second round.
	unrollFully = "loop-unroll<O3;no-partial;no-peeling;no-profile-peeling;no-runtime;no-upperbound>"
	// leaveRuntime leaves loops whose number of iterations only the launch knows to the assembler. It unrolls
	// them by four; those that LLVM has unrolled by two stay like that.
	leaveRuntime = "loop-unroll<O3;no-runtime>"
)

// PTXPasses is the pipeline for a kernel that internal/lower made, for Options.Passes. It is empty, which
// stands for LLVM's own, for versions that lack some of these passes.
func (l *Lib) PTXPasses() string {
	if l.version.Major < 19 {
		return ""
	}
	return ptxPasses
}
