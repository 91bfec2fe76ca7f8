package gpu_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
	"github.com/nereid-lang/nereid/internal/pass/passtest"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// golden is a kernel of testdata/golden with Triton's TTIR and TTGIR.
type golden struct {
	name, ttir, ttgir string // name is cuda-90/add_f32
	opts              gpu.Options
}

func goldens(t testing.TB) []golden {
	var list []golden
	for _, f := range txtest.Glob(t, "testdata/golden/cuda-*/*.ttir") {
		base := strings.TrimSuffix(f, ".ttir")
		var info struct {
			Target                string
			Num_warps, Num_stages int
		}
		if err := json.Unmarshal([]byte(txtest.Read(t, base+".json")), &info); err != nil {
			t.Fatal(err)
		}
		list = append(list, golden{
			name:  filepath.Base(filepath.Dir(f)) + "/" + filepath.Base(base),
			ttir:  f,
			ttgir: base + ".ttgir",
			opts: gpu.Options{Machine: gpu.Machine{Target: info.Target, NumWarps: info.Num_warps},
				NumStages: info.Num_stages, WarpGroups: info.Target == "cuda:90"},
		})
	}
	return list
}

// countOp counts the operations of a name; "" is all of them.
func countOp(m *ir.Module, name string) int {
	n := 0
	for op := range m.Op.Ops() {
		if name == "" || op.Name() == name {
			n++
		}
	}
	return n
}

// usesTensorCores are the kernels that are pipelined and, on sm_90, given to warp groups.
var usesTensorCores = regexp.MustCompile(`matmul|attention`)

// TestGolden takes Triton's TTIR to TTGIR. For every kernel, ours has no more conversions and operations
// than Triton's, and buffers and loops are the same. For kernels without products, the layouts are the
// same, and so is what is done to each.
func TestGolden(t *testing.T) {
	for _, g := range goldens(t) {
		m := passtest.Parse(t, g.ttir, txtest.Read(t, g.ttir))
		passtest.Run(t, m, gpu.Pipeline(g.opts))
		again := passtest.Parse(t, g.ttir, txtest.Read(t, g.ttir))
		passtest.Run(t, again, gpu.Pipeline(g.opts))
		txtest.Equal(t, g.name+": compiled twice", m.String(), again.String())
		txtest.Equal(t, g.name+": printed and read back", m.String(),
			passtest.Parse(t, g.name, m.String()).String())
		triton := passtest.Parse(t, g.ttgir, txtest.Read(t, g.ttgir))
		ours, theirs := countOp(m, "ttg.convert_layout"), countOp(triton, "ttg.convert_layout")
		if ours > theirs {
			t.Errorf("%s: %d conversions, Triton has %d", g.name, ours, theirs)
		}
		if a, b := countOp(m, ""), countOp(triton, ""); a > b {
			t.Errorf("%s: %d operations, Triton has %d", g.name, a, b)
		}
		for _, c := range []struct {
			what string
			list func(*ir.Module) []string
		}{{"products", products}, {"buffers", buffers}, {"loops", loops}} {
			if a, b := c.list(m), c.list(triton); !slices.Equal(a, b) {
				t.Errorf("%s: %s are\n%s\nby Triton\n%s", g.name, c.what, strings.Join(a, "\n"),
					strings.Join(b, "\n"))
			}
		}
		if usesTensorCores.MatchString(g.name) {
			continue
		}
		if a, b := accesses(m), accesses(triton); !slices.Equal(a, b) {
			t.Errorf("%s: memory is accessed with\n%s\nby Triton with\n%s", g.name, strings.Join(a, "\n"),
				strings.Join(b, "\n"))
		}
	}
}

// products lists the types of products and their operands, each once.
func products(m *ir.Module) []string {
	var out []string
	for op := range m.Op.Ops() {
		if op.Name() == "tt.dot" || op.Name() == "ttng.warp_group_dot" {
			out = append(out, op.Operand(0).Type.String()+" * "+op.Operand(1).Type.String()+" -> "+
				op.Result(0).Type.String())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// buffers lists the types of buffers.
func buffers(m *ir.Module) []string {
	var out []string
	for op := range m.Op.Ops() {
		if op.Name() == "ttg.local_alloc" {
			out = append(out, op.Result(0).Type.String())
		}
	}
	slices.Sort(out)
	return out
}

// loops lists, for each loop, its copies, waits, products and accesses in order. What is loaded from
// buffers is not among them: operands that all iterations share may be loaded once.
func loops(m *ir.Module) []string {
	var out []string
	for loop := range m.Op.Ops() {
		if loop.Name() != "scf.for" {
			continue
		}
		out = append(out, "loop")
		for op := range loop.Body(0).Ops() {
			switch op.Name() {
			case "ttg.async_wait":
				out = append(out, fmt.Sprintf("%s %d", op.Name(), op.IntOr("num", -1)))
			case "ttng.warp_group_dot_wait":
				out = append(out, fmt.Sprintf("%s %d of %d", op.Name(), op.IntOr("pendings", -1),
					op.NumOperands()))
			case "ttg.async_copy_global_to_local", "ttg.async_commit_group", "tt.dot", "ttng.warp_group_dot",
				"tt.load", "tt.store":
				out = append(out, op.Name()+" "+op.Operand(0).Type.String())
			}
		}
	}
	return out
}

// accesses lists the loads, stores, atomics and reductions with their types.
func accesses(m *ir.Module) []string {
	var out []string
	for op := range m.Op.Ops() {
		switch op.Name() {
		case "tt.load", "tt.store", "tt.atomic_rmw", "tt.atomic_cas", "tt.reduce":
			out = append(out, op.Name()+" "+op.Operand(0).Type.String())
		}
	}
	slices.Sort(out)
	return out
}

// TestTritonAccepts has Triton compile our TTGIR down to a binary: by default that of a few kernels, with
// NEREID_ACCEPT_ALL=1 of all, which takes a minute.
func TestTritonAccepts(t *testing.T) {
	txtest.Triton(t)
	some := []string{"cuda-80/layer_norm_f16", "cuda-80/matmul_f16", "cuda-80/row_sum_f32",
		"cuda-80/attention_d64"}
	files := map[string][]string{}
	dir := t.TempDir()
	for _, g := range goldens(t) {
		if os.Getenv("NEREID_ACCEPT_ALL") != "1" && !slices.Contains(some, g.name) {
			continue
		}
		m := passtest.Parse(t, g.ttir, txtest.Read(t, g.ttir))
		passtest.Run(t, m, gpu.Pipeline(g.opts))
		files[g.opts.Target] = append(files[g.opts.Target], g.write(t, dir, m))
	}
	acceptAll(t, files)
}

// TestTritonAcceptsClusters does so for programs of two blocks. Triton has no reductions from block to
// block: kernels that have one in our TTGIR, those that reduce a whole tensor of one dimension, are left
// out.
func TestTritonAcceptsClusters(t *testing.T) {
	txtest.Triton(t)
	some := []string{"cuda-90/add_f32", "cuda-90/matmul_f16", "cuda-90/row_sum_f32",
		"cuda-90/attention_d128_causal"}
	files := map[string][]string{}
	dir := t.TempDir()
	for _, g := range goldens(t) {
		if all := os.Getenv("NEREID_ACCEPT_ALL") == "1"; !all && !slices.Contains(some, g.name) || all &&
			g.opts.Target != "cuda:90" {
			continue
		}
		m := passtest.Parse(t, g.ttir, txtest.Read(t, g.ttir))
		g.opts.NumCTAs = 2
		passtest.Run(t, m, gpu.Pipeline(g.opts))
		if n := reducesAcross(m); n > 0 {
			t.Logf("%s has %d reductions from block to block", g.name, n)
			continue
		}
		files[g.opts.Target] = append(files[g.opts.Target], g.write(t, dir, m))
	}
	if len(files["cuda:90"]) < len(some) {
		t.Errorf("%d kernels of %d have no reductions from block to block", len(files["cuda:90"]), len(some))
	}
	acceptAll(t, files)
}

// write writes our TTGIR of a golden to a folder and returns the file.
func (g *golden) write(t *testing.T, dir string, m *ir.Module) string {
	t.Helper()
	path := filepath.Join(dir, strings.ReplaceAll(g.name, "/", "-")+".ttgir")
	if err := os.WriteFile(path, []byte(m.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// reducesAcross counts the reductions along a dimension that blocks share.
func reducesAcross(m *ir.Module) int {
	n := 0
	for op := range m.Op.Ops() {
		if op.Name() != "tt.reduce" {
			continue
		}
		t := op.Operand(0).Type.(*ir.TensorType)
		if part, err := ttglayout.ShapePerCTA(t.Encoding, t.Shape); err != nil ||
			part[op.IntOr("axis", 0)] != t.Shape[op.IntOr("axis", 0)] {
			n++
		}
	}
	return n
}

// acceptAll has Triton compile files by their target.
func acceptAll(t *testing.T, files map[string][]string) {
	t.Helper()
	for target, list := range files {
		out, err := txtest.Oracle(t, append([]string{"accept", "--target", target}, list...)...)
		if n := strings.Count(out, "accepted "); err != nil || n != len(list) {
			t.Errorf("%s: Triton accepts %d of %d: %v\n%s", target, n, len(list), err, out)
		}
	}
}
