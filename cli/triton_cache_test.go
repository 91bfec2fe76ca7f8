package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// readCache has Triton read all kernels of a folder of its cache, as it does for a compilation that it finds.
const readCache = `
import json, os, sys
from triton.runtime.cache import FileCacheManager
from triton.compiler.compiler import CompiledKernel
for folder in os.listdir(os.environ["TRITON_CACHE_DIR"]):
    group = FileCacheManager(folder).get_group("add_kernel.json")
    meta = json.load(open(group["add_kernel.json"]))
    k = CompiledKernel(None, group, meta["hash"])
    print(k.metadata.target, k.name, k.packed_metadata, *sorted(k.asm), k.kernel[1:4])
`

// TestTritonCache: Triton 3.6 reads kernels that nereid compile --triton-cache writes, with their stages and
// metadata.
func TestTritonCache(t *testing.T) {
	python := txtest.Triton(t)
	for _, c := range []struct{ target, want string }{
		{"cuda:90", "GPUTarget(backend='cuda', arch=90, warp_size=32) add_kernel (8, 1, 0) cubin llir ptx " +
			"source ttgir ttir b'ELF'"},
		{"hip:gfx942", "GPUTarget(backend='hip', arch='gfx942', warp_size=64) add_kernel (8, 1, 0) amdgcn " +
			"hsaco llir source ttgir ttir b'ELF'"},
	} {
		if c.target == "cuda:90" {
			txtest.LLVMTool(t, "opt") // for PTX
			ptxas := filepath.Join(filepath.Dir(python),
				"../lib/python3*/site-packages/triton/backends/nvidia/bin/ptxas")
			found, _ := filepath.Glob(ptxas)
			if len(found) != 1 {
				t.Fatalf("Triton has no ptxas at %s", ptxas)
			}
			t.Setenv("NEREID_PTXAS", found[0])
		}
		dir := t.TempDir()
		var out, errs bytes.Buffer
		code := Main([]string{"compile", txtest.Path(t, "kernels", "vector_add.py") + ":add_kernel",
			"--signature", "*fp32:16, *fp32:16, *fp32:16, i32, 1024", "--num-warps", "8",
			"--target", c.target, "--triton-cache", dir}, nil, &out, &errs)
		if code != 0 || out.Len() != 0 {
			t.Fatalf("%d: %s%s", code, &out, &errs)
		}
		cmd := exec.CommandContext(t.Context(), python, "-c", readCache)
		cmd.Env = append(os.Environ(), "TRITON_CACHE_DIR="+dir)
		got, err := cmd.CombinedOutput()
		if err != nil || strings.TrimSpace(string(got)) != c.want {
			t.Errorf("%v: got  %s\nwant %s", err, got, c.want)
		}
	}
	var out, errs bytes.Buffer
	code := Main([]string{"compile", txtest.Path(t, "kernels", "vector_add.py") + ":add_kernel",
		"--signature", "*fp32, *fp32, *fp32, i32, 1024", "--target", "cpu",
		"--triton-cache", t.TempDir()}, nil, &out, &errs)
	if code == 0 || !strings.Contains(errs.String(), "Triton's cache is for GPUs: add_kernel is for cpu") {
		t.Errorf("%d: %s", code, &errs)
	}
}
