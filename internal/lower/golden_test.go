package lower

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/target/nvidia/ptxsim"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// goldenLaunches are launches of the sample kernels, small enough to simulate: parameters that are 1 are
// folded into the kernels.
var goldenLaunches = map[string]launch{
	"add_f32": {"add_kernel", [3]int{2, 1, 1},
		[]any{floats(ir.F32, 2000), floats(ir.F32, 2000), floats(ir.F32, 2000), 2000}},
	"add_f16_ragged": {"add_kernel", [3]int{3, 1, 1},
		[]any{floats(ir.F16, 700), floats(ir.F16, 700), floats(ir.F16, 700), 700}},
	"add_i64": {"add_kernel", [3]int{3, 1, 1}, []any{ints(ir.I64, 300, 1e9), ints(ir.I64, 300, 1e9),
		ints(ir.I64, 300, 1e9), 300}},
	"softmax_f16_2048": {"softmax_kernel", [3]int{2, 1, 1},
		[]any{floats(ir.F16, 4096), floats(ir.F16, 4096), 2048, 2048, 1600}},
	"softmax_f32_8192": {"softmax_kernel", [3]int{2, 1, 1},
		[]any{floats(ir.F32, 16384), floats(ir.F32, 16384), 8192, 8192, 7999}},
	"layer_norm_f16": {"layer_norm_kernel", [3]int{2, 1, 1},
		[]any{floats(ir.F16, 12288), floats(ir.F16, 12288), floats(ir.F16, 6144), floats(ir.F16, 6144),
			floats(ir.F32, 2), floats(ir.F32, 2), 6144, 6144, float32(1e-5)}},
	"rms_norm_bf16": {"rms_norm_kernel", [3]int{2, 1, 1}, []any{floats(ir.BF16, 8192), floats(ir.BF16, 4096),
		floats(ir.BF16, 8192), 4096, 4000, float32(1e-6)}},
	"swiglu_bf16": {"swiglu_kernel", [3]int{2, 1, 1}, []any{floats(ir.BF16, 2000), floats(ir.BF16, 2000),
		floats(ir.BF16, 2000), 2000}},
	"rope_bf16": {"rope_kernel", [3]int{3, 1, 1}, []any{floats(ir.BF16, 3*512), floats(ir.F32, 3*64),
		floats(ir.F32, 3*64), 512}},
	"cross_entropy_bf16": {"cross_entropy_kernel", [3]int{2, 1, 1},
		[]any{floats(ir.BF16, 2*9600), ints(ir.I64, 2, 9000), floats(ir.F32, 2),
			9600, 9600}},
	"embedding_f16": {"embedding_kernel", [3]int{5, 2, 1}, []any{ints(ir.I64, 5, 10), floats(ir.F16, 10*400),
		floats(ir.F16, 5*400), 400}},
	"dropout_f32": {"dropout_kernel", [3]int{2, 1, 1},
		[]any{floats(ir.F32, 2000), floats(ir.F32, 2000), 2000, float32(0.3), 12345}},
	"row_sum_f32": {"row_sum_kernel", [3]int{4, 1, 1},
		[]any{floats(ir.F32, 16*2048), floats(ir.F32, 16), 16, 2048}},
	"total_sum_f32": {"total_sum_kernel", [3]int{3, 1, 1},
		[]any{floats(ir.F32, 2500), &buf{elem: ir.F32, n: 1}, 2500}},
	"matmul_f16": {"matmul_kernel", [3]int{2, 1, 1}, []any{floats(ir.F16, 144*192), floats(ir.F16, 192*256),
		floats(ir.F16, 144*256), 144, 256, 192, 192, 256, 256}},
	"matmul_bf16_relu": {"matmul_kernel", [3]int{4, 1, 1},
		[]any{floats(ir.BF16, 128*320), floats(ir.BF16, 320*112), floats(ir.BF16, 128*112),
			128, 112, 320, 320, 112, 112}},
	"matmul_f32_ragged": {"matmul_kernel", [3]int{6, 1, 1}, []any{floats(ir.F32, 70*101),
		floats(ir.F32, 101*67), floats(ir.F32, 70*67), 70, 67, 101, 101, 67, 67}},
	"attention_d64": {"attention_kernel", [3]int{1, 2, 1}, []any{floats(ir.F16, 2*112*64),
		floats(ir.F16, 2*112*64), floats(ir.F16, 2*112*64), floats(ir.F16, 2*112*64), floats(ir.F32, 2*112),
		float32(0.125), 112 * 64, 64, 112 * 64, 64, 112 * 64, 64, 112 * 64, 64, 112}},
	"attention_d128_causal": {"attention_kernel", [3]int{2, 1, 1}, []any{floats(ir.F16, 208*128),
		floats(ir.F16, 208*128), floats(ir.F16, 208*128), floats(ir.F16, 208*128), floats(ir.F32, 208),
		float32(0.09), 208 * 128, 128, 208 * 128, 128, 208 * 128, 128, 208 * 128, 128, 208}},
}

type goldenMeta struct {
	Name     string
	Shared   int
	NumWarps int `json:"num_warps"`
}

func goldenFile(t testing.TB, dir, name, ext string) []byte {
	t.Helper()
	data, err := os.ReadFile(txtest.Path(t, "testdata", "golden", dir, name+"."+ext))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func goldenNames(t testing.TB, dir string) []string {
	var out []string
	for _, path := range txtest.Glob(t, "testdata/golden/"+dir+"/*.ttgir") {
		out = append(out, strings.TrimSuffix(filepath.Base(path), ".ttgir"))
	}
	return out
}

// expected is what the interpreter makes of a golden's TTIR, and the same memory untouched.
func expected(t testing.TB, dir, name string) (l launch, want, got [][]byte) {
	t.Helper()
	l, ok := goldenLaunches[name]
	if !ok {
		t.Fatalf("no launch for %s", name)
	}
	want, got = l.memory(7)
	onInterp(t, parseIR(t, name+".ttir", goldenFile(t, dir, name, "ttir")), l, want)
	return l, want, got
}

// looser are the goldens whose sums are long.
func looser(name string) float64 {
	if strings.HasPrefix(name, "matmul") || strings.HasPrefix(name, "attention") {
		return 40
	}
	return 4
}

// TestSimulator runs Triton's own PTX: what it gives must be what the interpreter makes of the same kernel.
// It is the test of the simulator that all others here rest on.
func TestSimulator(t *testing.T) {
	for _, dir := range []string{"cuda-80", "cuda-90"} {
		for _, name := range goldenNames(t, dir) {
			t.Run(dir+"/"+name, func(t *testing.T) {
				ptx := goldenFile(t, dir, name, "ptx")
				var meta goldenMeta
				if err := json.Unmarshal(goldenFile(t, dir, name, "json"), &meta); err != nil {
					t.Fatal(err)
				}
				l, want, got := expected(t, dir, name)
				// Triton's kernels that work in place have races on global memory, and no fence lies between
				// cp.async and wgmma.
				how := ptxsim.Launch{NoGlobal: true, Lax: true}
				if _, err := simulate(ptx, meta.Shared, l, got, how); err != nil {
					t.Fatal(err)
				}
				sameMemory(t, l, want, got, looser(name))
			})
		}
	}
}

// TestGoldens takes Triton's TTGIR through our lowering and LLVM to PTX and runs it. Loops are pipelined
// there.
func TestGoldens(t *testing.T) {
	for dir, capability := range map[string]int{"cuda-80": 80, "cuda-90": 90} {
		for _, name := range goldenNames(t, dir) {
			t.Run(dir+"/"+name, func(t *testing.T) {
				text := goldenFile(t, dir, name, "ttgir")
				l, want, got := expected(t, dir, name)
				k, ptx := compile(t, parseIR(t, name+".ttgir", text), l.kernel, capability)
				if !strings.Contains(string(ptx), ".entry "+l.kernel) {
					t.Errorf("no entry in\n%s", ptx)
				}
				onSim(t, ptx, k.Shared, l, got, false)
				sameMemory(t, l, want, got, looser(name))
			})
		}
	}
}
