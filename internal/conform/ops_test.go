package conform

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/cf"
	"github.com/nereid-lang/nereid/internal/dialect/gpud"
	"github.com/nereid-lang/nereid/internal/dialect/llvmd"
	"github.com/nereid-lang/nereid/internal/dialect/math"
	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dialect/ttng"
	"github.com/nereid-lang/nereid/internal/dialect/ub"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lower"
	"github.com/nereid-lang/nereid/internal/middle"
	"github.com/nereid-lang/nereid/internal/target/interp"
)

// opTables are the places where an op must be known, by a letter.
var opTables = map[string]func(*ir.OpDef) bool{"i": interp.Handles, "m": middle.Handles, "g": gpu.Handles,
	"l": lower.Handles(lower.NVIDIA(90))}

// refusals say which tables do not know an op, and why. A name that ends in a dot stands for a dialect.
var refusals = []struct{ tables, why, ops string }{
	{"m", "the middle layer takes TTIR, not TTGIR", "ttg. ttng."},
	{"g", "they have no tensors, or tensors in any layout",
		`ub.poison tt.get_program_id tt.get_num_programs tt.print tt.unsplat cf.assert
		ttg.local_barrier ttg.global_scratch_alloc ttg.memdesc_index ttg.memdesc_subslice ttg.memdesc_trans
		ttg.memdesc_reshape ttg.memdesc_reinterpret gpu.barrier gpu.subgroup_id llvm.intr.assume`},
	{"g", "tensors of functions have default layouts", "tt.call"},
	{"im", "passes make them for GPUs alone", "ttg.global_scratch_alloc"},
	{"m", "passes make them for GPUs alone", "gpu.subgroup_id"},
	{"m", "calls are inlined", "tt.call"},
	{"m", "the front end makes tt.assert", "cf.assert"},
	{"m", "passes replace them by pointers", `tt.advance tt.make_tensor_ptr tt.make_tensor_descriptor
		tt.descriptor_load tt.descriptor_store tt.descriptor_reduce tt.descriptor_gather tt.descriptor_scatter`},
	{"gl", "passes replace them by pointers", "tt.advance tt.make_tensor_ptr tt.make_tensor_descriptor"},
	{"l", "passes replace them",
		`tt.dot_scaled tt.descriptor_load tt.descriptor_store tt.descriptor_reduce tt.descriptor_gather
		tt.descriptor_scatter`},
	{"iml", "the first pass writes them in terms of others", `tt.atomic_load tt.atomic_store tt.atomic_poll
		tt.grid_dependency_wait tt.grid_dependency_launch_dependents`},
	{"g", "the first pass writes them in terms of others", `tt.atomic_store tt.atomic_poll
		tt.grid_dependency_wait tt.grid_dependency_launch_dependents`},
	{"i", "the interpreter runs them as part of the op around them", "tt.func"},
	{"mgl", "functions are converted as a whole", "tt.func"},
	{"il", "no kernel has them", "arith.scaling_extf arith.scaling_truncf"},
	{"l", "no kernel has them", "math.clampf math.fpowi math.sincos math.isnormal math.ipowi"},
	{"mgl", "no kernel has them", "scf.index_switch scf.execute_region"},
	{"imgl", "no kernel has them", "scf.parallel scf.forall llvm.inttoptr llvm.mlir.poison llvm.insertvalue"},
	{"gl", "no pass of ours makes them: loops are expanded with masks in their accesses",
		"ttg.mask ttg.predicate_stage"},
	{"igl", "no pass of ours specializes warps", "ttg.warp_specialize"},
	{"gl", "no pass of ours uses the units that they are for (tensor memory, gathers, copies counted " +
		"in memory)", `ttng.cluster_arrive ttng.cluster_wait
		ttng.async_copy_mbarrier_arrive ttng.async_tma_gather ttng.async_tma_scatter
		ttng.tmem_alloc ttng.tmem_store ttng.tmem_subslice ttng.tmem_copy
		ttng.tc_gen5_mma ttng.tc_gen5_commit`},
	{"g", "the pipeliner makes them, and no pass behind it asks for facts", "ttng.arrive_barrier"},
	{"l", "no pass of ours uses tensor memory", "ttng.tmem_load"},
	{"ig", "the last pass makes them", "ttng.reinterpret_tensor_descriptor ttng.tensormap_create " +
		"ttng.tensormap_fenceproxy_acquire"},
	{"igl", "no pass of ours uses tensor memory", "ttng.tc_gen5_mma_scaled"},
	{"i", "it passes its operands on", "ttng.warp_group_dot_wait"},
}

// TestOps walks the ops that kernels for GPUs may have. Each table knows an op, or a row above says why it
// need not; terminators belong to the op around them.
func TestOps(t *testing.T) {
	refused := map[string]bool{}
	used := map[string]bool{}
	for _, r := range refusals {
		for name := range strings.FieldsSeq(r.ops) {
			for table := range strings.SplitSeq(r.tables, "") {
				refused[table+" "+name] = true
			}
		}
	}
	for _, d := range []*ir.Dialect{arith.Dialect, math.Dialect, scf.Dialect, cf.Dialect, ub.Dialect,
		llvmd.Dialect, gpud.Dialect, tt.Dialect, ttg.Dialect, ttng.Dialect} {
		for def := range d.Ops() {
			if def.Has(ir.Terminator) {
				continue
			}
			for table, handles := range opTables {
				name, all := table+" "+d.Name+"."+def.Name, table+" "+d.Name+"."
				switch refusal := refused[name] || refused[all]; {
				case handles(def) && refused[name]:
					t.Errorf("%s: the table knows it, but a row of refusals says that it does not", name)
				case !handles(def) && !refusal:
					t.Errorf("%s: the table does not know it, and no row of refusals says why", name)
				}
				used[name], used[all] = true, true
			}
		}
	}
	for name := range refused {
		if !used[name] {
			t.Errorf("%s: a row of refusals names it, and there is no such op", name)
		}
	}
}
