package nvidia

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/lower"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestTensorMaps compiles kernels with descriptors from Triton's TTIR and from Triton's TTGIR. The assembler
// takes the PTX, spills nothing and lets products overlap; blocks are copied by the copy engine alone; in the
// loop of a product all threads meet once.
func TestTensorMaps(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	tool := needPtxas(t)
	c := Compiler{Capability: 90}
	for _, file := range txtest.Glob(t, "internal/gpu/testdata/descriptors/*.ttir") {
		name := strings.TrimSuffix(filepath.Base(file), ".ttir")
		for _, stage := range []string{"ttir", "ttgir"} {
			t.Run(name+"/"+stage, func(t *testing.T) {
				code := c.fromSample(t, "internal/gpu/testdata/descriptors/"+name, stage)
				if fences := strings.Count(string(code.PTX),
					"acquire.gpu"); fences != len(acquired.FindAll(code.PTX, -1)) {
					t.Errorf("a copy may come before one of %d fences of maps that the kernel makes", fences)
				}
				ptx := string(code.PTX)
				for _, instr := range []string{"cp.async.bulk.tensor", "mbarrier.try_wait"} {
					if !strings.Contains(ptx, instr) {
						t.Errorf("no %s in\n%s", instr, ptx)
					}
				}
				// Threads store single elements, of blocks that begin outside of the tensor.
				for _, instr := range []string{"ld.global", "st.global.v", "cp.async.cg"} {
					if strings.Contains(ptx, instr) {
						t.Errorf("%s in\n%s", instr, ptx)
					}
				}
				if n := meetings(ptx); name != "blocks" && name != "persistent" && n > 1 {
					t.Errorf("threads meet %d times in a loop:\n%s", n, ptx)
				}
				path := filepath.Join(t.TempDir(), "kernel.ptx")
				if err := os.WriteFile(path, code.PTX, 0o600); err != nil {
					t.Fatal(err)
				}
				said, err := exec.Command(tool, "-v", "-arch", c.Arch(), path, "-o", path+
					".cubin").CombinedOutput()
				// Triton zeroes the sum in the loop, where products run
				waits := serialized.Match(said) && (stage == "ttir" || name != "flattened")
				if err != nil || waits || !strings.Contains(string(said), " 0 bytes spill stores") {
					t.Errorf("%v\n%s", err, said)
				}
			})
		}
	}
}

// branchBack finds the end of a loop's body.
var branchBack = regexp.MustCompile(`bra(\.uni)? \t\$L`)

// meetings counts the barriers of the block between the waits of a loop and its branch back.
func meetings(ptx string) int {
	loop := ptx[strings.LastIndex(ptx, "mbarrier.try_wait"):]
	if at := branchBack.FindStringIndex(loop); at != nil {
		return strings.Count(loop[:at[0]], "bar.sync")
	}
	return 0
}

// TestMapsOfArguments: what the host must know of a descriptor to make its map, as Triton's metadata has it.
func TestMapsOfArguments(t *testing.T) {
	c := Compiler{Capability: 90}
	for name, want := range map[string][]lower.TensorMap{
		"matmul": {
			{Param: 0, Type: gpucode.ElemF16, ElemBytes: 2, Swizzle: 128, Box: []int{128, 64}},
			{Param: 5, Type: gpucode.ElemF16, ElemBytes: 2, Swizzle: 128, Box: []int{256, 64}},
			{Param: 10, Type: gpucode.ElemF16, ElemBytes: 2, Swizzle: 128, Box: []int{128, 64}},
		},
		"blocks": {
			{Param: 0, Type: gpucode.ElemF32, ElemBytes: 4, Swizzle: 128, Box: []int{2, 8, 32}},
			{Param: 7, Type: gpucode.ElemF32, ElemBytes: 4, Swizzle: 128, Box: []int{2, 8, 32}},
			{Param: 14, Type: gpucode.ElemF32, ElemBytes: 4, Box: []int{8}},
		},
	} {
		in := sample(t, "internal/gpu/testdata/descriptors/"+name, "ttir")
		if _, err := c.ttgir(in, nil); err != nil {
			t.Fatal(err)
		}
		k, err := lower.Lower(in.Module, in.Kernel, c.lowerOptions(in.Module))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(k.Maps, want) {
			t.Errorf("%s: %+v, not %+v", name, k.Maps, want)
		}
		if sizes := lower.ParamSizes(in.Module.Lookup(in.Kernel), nil); sizes[0] != lower.TensorMapBytes ||
			sizes[1] != 4 {
			t.Errorf("%s: arguments of %v bytes", name, sizes)
		}
	}
}

// TestWideDescriptors: on sm_80, loads through descriptors in loops of products are copies of 16 bytes, also
// where the tensor may end within one.
func TestWideDescriptors(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	c := Compiler{Capability: 80}
	for _, name := range []string{"matmul", "attention", "persistent"} {
		in := sample(t, "internal/gpu/testdata/descriptors/"+name, "ttir")
		if _, err := c.ttgir(in, nil); err != nil {
			t.Fatal(err)
		}
		code, err := c.FromTTGIR(context.Background(), in, 0)
		if err != nil {
			t.Fatal(err)
		}
		copies, wide := 0, 0
		for line := range strings.Lines(string(code.PTX)) {
			if strings.Contains(line, "cp.async.c") && strings.Contains(line, "shared.global") {
				copies++
				if strings.Contains(line, "], 16,") {
					wide++
				}
			}
		}
		if copies == 0 || wide != copies {
			t.Errorf("%s: %d of %d copies are of 16 bytes", name, wide, copies)
		}
	}
}

// acquired is a fence behind which no copy can come too early.
var acquired = regexp.MustCompile(`acquire\.gpu \[%rd\d+\], 128;\n@%p\d+ cp\.async\.bulk\.commit_group;\n` +
	`@%p\d+ cp\.async\.bulk\.wait_group\.read 0;`)
