package nereid_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nereid-lang/nereid"
	hipstub "github.com/nereid-lang/nereid/internal/device/amd/hip/stub"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver/stub"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const elsewhereKernel = `
import triton
import triton.language as tl

@triton.jit
def total(x, y, n, BLOCK: tl.constexpr):
    sum = tl.zeros([BLOCK], tl.float32)
    for i in range(0, n, BLOCK):
        at = i + tl.arange(0, BLOCK)
        sum += tl.load(x + tl.program_id(0) * n + at, mask=at < n, other=0.0)
    tl.store(y + tl.program_id(0), tl.sum(sum, 0))
`

// TestWarmElsewhere compiles for GPUs that this machine has not, without their drivers; a process that has
// such a GPU (a stub of the driver) launches in strict mode what the cache has, whatever the grid, and
// compiles nothing, with LLVM and without.
func TestWarmElsewhere(t *testing.T) {
	if txtest.Inside() {
		launchWarmed(t)
		return
	}
	txtest.LLVM(t, llvm.Load)
	for target, again := range map[string]func(testing.TB, ...string) string{
		"cuda:90": stub.Again, "hip:gfx942": hipstub.Again,
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "total.py")
		if err := os.WriteFile(file, []byte(elsewhereKernel), 0o600); err != nil {
			t.Fatal(err)
		}
		kept, err := nereid.OpenCache(nereid.CacheOptions{Dir: filepath.Join(dir, "cache")})
		if err != nil {
			t.Fatal(err)
		}
		dev, err := nereid.OpenTarget(target)
		if err != nil {
			t.Fatal(err)
		}
		m, err := nereid.Load(file, nereid.With(nereid.Config{Cache: kept}))
		if err != nil {
			t.Fatal(err)
		}
		options := nereid.Options{NumWarps: 4, NumStages: 2, NumCTAs: 1}
		err = m.Warmup(t.Context(), dev, []nereid.Variant{{File: file, Kernel: "total",
			Signature: "*fp32:16, *fp32:16, i32:16, 128", Options: options}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if s := kept.Stats(); s.Compiled == 0 {
			t.Errorf("%s: %+v", target, s)
		}
		kept.Close()
		for _, compiler := range []string{os.Getenv("NEREID_LLVM"), "/nowhere/libLLVM.so"} {
			t.Log(again(t, "NEREID_TEST_TARGET="+target, "NEREID_TEST_FILE="+file, "NEREID_LLVM="+compiler,
				"NEREID_CACHE_DIR="+filepath.Join(dir, "cache")))
		}
	}
}

func launchWarmed(t *testing.T) {
	name := "cuda:0"
	if os.Getenv("NEREID_TEST_TARGET") != "cuda:90" {
		name = "hip:0"
	}
	dev, err := nereid.OpenDevice(name)
	if err != nil {
		t.Fatal(err)
	}
	kept := nereid.EnvCache()
	m, err := nereid.Load(os.Getenv("NEREID_TEST_FILE"),
		nereid.With(nereid.Config{Cache: kept, Strict: true}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("total")
	if err != nil {
		t.Fatal(err)
	}
	s := txtest.Open(t, dev.NewStream, t.Context())
	x, err := nereid.NewTensor(dev, nereid.Float32, 4096)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, programs := range []int{1, 200, 3000, 100_000} {
		if err := k.Launch(s, nereid.Grid{programs}, x, x, 32, 128,
			nereid.Options{NumWarps: 4, NumStages: 2}); err != nil {
			t.Errorf("%d programs: %v", programs, err)
		}
	}
	if n := kept.Stats(); n.Compiled != 0 || n.Disk == 0 {
		t.Errorf("%+v", n)
	}
}
