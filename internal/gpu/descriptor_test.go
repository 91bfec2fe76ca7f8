package gpu_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
	"github.com/nereid-lang/nereid/internal/target/interp"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// described returns the kernels of testdata/descriptors with Triton's TTIR and TTGIR.
func described(t testing.TB) []golden {
	var list []golden
	for _, f := range txtest.Glob(t, "internal/gpu/testdata/descriptors/*.ttir") {
		base := strings.TrimSuffix(f, ".ttir")
		var info struct{ Num_warps, Num_stages int }
		if err := json.Unmarshal([]byte(txtest.Read(t, base+".json")), &info); err != nil {
			t.Fatal(err)
		}
		list = append(list, golden{name: filepath.Base(base), ttir: f, ttgir: base + ".ttgir",
			opts: gpu.Options{
				Machine: gpu.Machine{Target: "cuda:90", NumWarps: info.Num_warps}, NumStages: info.Num_stages,
				WarpGroups: true, TMA: true,
			}})
	}
	return list
}

// TestGoldenDescriptors takes Triton's TTIR of kernels with descriptors to TTGIR. The layouts of descriptors,
// the buffers, the barriers and what loops do with them are the same as in Triton's.
func TestGoldenDescriptors(t *testing.T) {
	for _, g := range described(t) {
		m := passtest.Parse(t, g.ttir, txtest.Read(t, g.ttir))
		passtest.Run(t, m, gpu.Pipeline(g.opts))
		txtest.Equal(t, g.name+": printed and read back", m.String(),
			passtest.Parse(t, g.name, m.String()).String())
		triton := passtest.Parse(t, g.ttgir, txtest.Read(t, g.ttgir))
		for _, c := range []struct {
			what string
			list func(*ir.Module) []string
		}{{"descriptors", descriptors}, {"products", products}, {"buffers", buffers}, {"copies", tmaOps}} {
			if a, b := c.list(m), c.list(triton); !slices.Equal(a, b) {
				t.Errorf("%s: %s:\n%s", g.name, c.what,
					txtest.Diff(strings.Join(b, "\n"), strings.Join(a, "\n")))
			}
		}
		if a, b := countOp(m, "ttg.convert_layout"), countOp(triton, "ttg.convert_layout"); a > b {
			t.Errorf("%s: %d conversions, Triton has %d", g.name, a, b)
		}
	}
}

// TestTritonAcceptsDescriptors has Triton compile our TTGIR of kernels with descriptors.
func TestTritonAcceptsDescriptors(t *testing.T) {
	txtest.Triton(t)
	dir, files := t.TempDir(), []string{}
	for _, g := range described(t) {
		m := passtest.Parse(t, g.ttir, txtest.Read(t, g.ttir))
		passtest.Run(t, m, gpu.Pipeline(g.opts))
		files = append(files, g.write(t, dir, m))
	}
	acceptAll(t, map[string][]string{"cuda:90": files})
}

// descriptors lists the types of descriptors, each once.
func descriptors(m *ir.Module) []string {
	var out []string
	for op := range m.Op.Ops() {
		for _, v := range op.Operands() {
			if tt.DescBlock(v.Type) != nil {
				out = append(out, v.Type.String())
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// tmaOps lists, in order, the loops and what happens in them and outside with barriers and copies.
func tmaOps(m *ir.Module) []string {
	var out []string
	acquires := 0
	for op := range m.Op.Ops() {
		depth := 0
		for p := op.Parent(); p != nil; p = p.Parent() {
			depth++
		}
		indent := strings.Repeat("  ", depth)
		switch name := op.Name(); name {
		case "scf.for":
			out = append(out, indent+name)
		case "ttng.warp_group_dot_wait", "ttng.async_tma_store_wait":
			out = append(out, indent+fmt.Sprintf("%s %d", name, op.IntOr("pendings", -1)))
		case "ttng.barrier_expect":
			out = append(out, indent+fmt.Sprintf("%s %d", name, op.IntOr("size", -1)))
		case "ttng.warp_group_dot":
			out = append(out, indent+name)
		case "ttng.init_barrier", "ttng.inval_barrier", "ttng.wait_barrier", "ttng.fence_async_shared",
			"ttng.async_tma_copy_global_to_local", "ttng.async_tma_copy_local_to_global",
			"ttng.async_tma_reduce", "ttng.tensormap_create", "ttng.reinterpret_tensor_descriptor",
			"ttg.local_store", "ttg.global_scratch_alloc":
			out = append(out, indent+name+" "+strings.Join(attrText(op), " "))
		case "ttng.tensormap_fenceproxy_acquire": // ours lie behind the last map of several
			acquires++
		}
	}
	return append(out, fmt.Sprintf("%d fences for maps", acquires))
}

func attrText(op *ir.Op) []string {
	var out []string
	for _, a := range op.Attrs() {
		out = append(out, fmt.Sprintf("%s=%s", a.Name, a.Attr))
	}
	return out
}

// tensorArg is a tensor that a kernel takes by a descriptor: random values of an element type.
type tensorArg struct {
	elem  *ir.FloatType
	shape []int64
}

// TestDescriptorSemantics runs kernels with descriptors in the interpreter before and after each pass: memory
// is left the same. Tensors are smaller than whole blocks, so that copies reach over the edges, and loops run
// less often than there are stages.
func TestDescriptorSemantics(t *testing.T) {
	f16, f32, f8 := ir.F16, ir.F32, ir.F8E4M3FN
	launches := map[string][]any{
		"matmul": {tensorArg{f16, []int64{100, 72}}, tensorArg{f16, []int64{200, 72}},
			tensorArg{f16, []int64{100, 200}}, 72},
		"matmul_fp8": {tensorArg{f8, []int64{64, 400}}, tensorArg{f8, []int64{112, 400}},
			tensorArg{f32, []int64{64, 112}}, 400},
		"attention": {tensorArg{f16, []int64{192, 128}}, tensorArg{f16, []int64{192, 128}},
			tensorArg{f16, []int64{192, 128}},
			tensorArg{f16, []int64{192, 128}}, 192, uint64(math.Float32bits(0.1))},
		"persistent": {tensorArg{f16, []int64{200, 136}}, tensorArg{f16, []int64{136, 136}},
			tensorArg{f16, []int64{200, 136}}, 200, 136, 136},
		"flattened": {tensorArg{f16, []int64{200, 200}}, tensorArg{f16, []int64{136, 200}},
			tensorArg{f16, []int64{200, 136}}, 200, 136, 200},
		"blocks": {tensorArg{f32, []int64{3, 6, 40}}, tensorArg{f32, []int64{4, 24, 36}},
			tensorArg{f32, []int64{12}}, 1},
	}
	for _, g := range described(t) {
		args, ok := launches[g.name]
		if !ok {
			continue
		}
		m := passtest.Parse(t, g.ttir, txtest.Read(t, g.ttir))
		want := leaves(t, m, args)
		for _, p := range gpu.Pipeline(g.opts) {
			passtest.Run(t, m, []pass.Pass{p})
			if got := leaves(t, m, args); !bytes.Equal(want, got) {
				t.Fatalf("%s: %s changes the result\n%s", g.name, p.Name, m)
			}
		}
	}
}

// leaves returns the contents of all tensors after a launch of the module's kernel.
func leaves(t *testing.T, m *ir.Module, args []any) []byte {
	t.Helper()
	name := ""
	for op := range m.Op.Ops() {
		if op.Def == tt.Func {
			name = op.Text("sym_name")
			break
		}
	}
	p, err := interp.Compile(m, name)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	mem := interp.NewMemory()
	var words []uint64
	var data [][]byte
	for i, a := range args {
		switch a := a.(type) {
		case int:
			words = append(words, uint64(a))
		case uint64:
			words = append(words, a)
		case tensorArg:
			size := a.elem.Format.Bits / 8
			n, strides := int64(1), make([]int64, len(a.shape))
			for d := len(a.shape) - 1; d >= 0; d-- {
				strides[d], n = n, n*a.shape[d]
			}
			b := make([]byte, int(n)*size)
			for k := range n {
				bits := a.elem.Format.Encode(float64(r.IntN(9)-4) / 4)
				for j := range size {
					b[int(k)*size+j] = byte(bits >> (8 * j))
				}
			}
			data = append(data, b)
			base := mem.Alloc(b, fmt.Sprint("tensor", i)).Addr()
			words = append(words, mem.Descriptor(interp.Descriptor{Base: base, Shape: a.shape,
				Strides: strides}))
			for _, list := range [][]int64{a.shape, strides} {
				for _, x := range list {
					words = append(words, uint64(x))
				}
			}
		}
	}
	if err := p.Run(t.Context(), mem, [3]int{1, 1, 1}, words, interp.Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(data...)
}
