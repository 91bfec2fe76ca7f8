package conform

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// claims are what docs/DIVERGENCES.md says of Triton's code where Triton's own text shows it. has must be in
// a stage of the kernel, lacks must not.
var claims = []struct {
	kernel, signature, stage string
	has, lacks               []string
	body                     string
}{
	// The counter of a loop is compared with the end as it is, and wraps around.
	{kernel: "loop", signature: "*i32, i32, i32, i32", stage: "ptx", has: []string{"setp.lt.s32"},
		lacks: []string{"add.sat", "setp.ne.s32"},
		body: "def loop(p, lo, hi, step):\n    for i in range(lo, hi, step):\n" +
			"        tl.atomic_add(p, i)\n"},
	// A multiplication followed by a sum becomes a dot, of tf32.
	{kernel: "product", signature: "*fp32:16, *fp32:16", stage: "ttir",
		has: []string{"tt.dot", "inputPrecision = tf32"},
		body: "def product(p, q):\n    i = tl.arange(0, 32)\n    at = i[:, None] * 32 + i[None, :]\n" +
			"    a = tl.load(p + at)\n    b = tl.load(p + 1024 + at)\n" +
			"    tl.store(q + at, tl.sum(a[:, :, None] * b[None, :, :], 1))\n"},
	// Numbers of 16 bits that were widened are multiplied in tf32.
	{kernel: "widened", signature: "*fp16:16, *fp32:16", stage: "ptx",
		has: []string{"cvt.f32.f16", ".f32.tf32.tf32.f32"}, lacks: []string{".f32.f16.f16.f32"},
		body: "def widened(p, q):\n    i = tl.arange(0, 32)\n    at = i[:, None] * 32 + i[None, :]\n" +
			"    a = tl.load(p + at).to(tl.float32)\n    b = tl.load(p + 1024 + at).to(tl.float32)\n" +
			"    tl.store(q + at, tl.dot(a, b))\n"},
	// Square roots of denormals: the approximations take them for zero.
	{kernel: "roots", signature: "*fp32", stage: "ptx",
		has: []string{"sqrt.approx.ftz.f32", "rsqrt.approx.ftz.f32"},
		body: "def roots(p):\n    x = tl.load(p)\n    tl.store(p, tl.sqrt(x))\n    tl.store(p + 1, tl.rsqrt(x))\n" +
			"    tl.store(p + 2, tl.sqrt_rn(x))\n"},
	// A clamp by a number and its negation takes the sign of a NaN.
	{kernel: "clip", signature: "*fp32", stage: "ptx", has: []string{"min.xorsign.abs.f32"},
		lacks: []string{"max.f32", "selp"},
		body: "def clip(p):\n    i = tl.arange(0, 64)\n" +
			"    tl.store(p + i, tl.clamp(tl.load(p + i), -2.0, 2.0))\n"},
	// Divisions are the IR's, for which a zero is undefined.
	{kernel: "divide", signature: "*i32", stage: "ttir", has: []string{"arith.divsi", "arith.remsi"},
		lacks: []string{"arith.cmpi", "arith.select"},
		body: "def divide(p):\n    x = tl.load(p)\n    y = tl.load(p + 1)\n" +
			"    tl.store(p, x // y)\n    tl.store(p + 1, x % y)\n"},
	// A helper called with 1 and with "1" is one function.
	{kernel: "mangled", signature: "*i32", stage: "source", has: []string{"tt.func private"},
		body: "def mangled(p):\n    tl.store(p, helper(p, 1))\n    tl.store(p, helper(p, \"1\"))\n"},
	// A body with a loop is generated twice for its types, and once as code.
	{kernel: "twice", signature: "*i32, i32", stage: "source", has: []string{"scf.for"},
		body: "def twice(p, n):\n    for i in range(n):\n        tl.static_print(\"seen\")\n" +
			"        tl.store(p, i)\n"},
	// Conversions of float8e4b15 are inline PTX.
	{kernel: "e4b15", signature: "*fp16, *i8", stage: "source",
		has: []string{"tt.elementwise_inline_asm", "prmt.b32"},
		body: "def e4b15(p, q):\n    i = tl.arange(0, 64)\n" +
			"    tl.store(q + i, tl.load(p + i).to(tl.float8e4b15).to(tl.int8, bitcast=True))\n"},
	// A select is merged with a masked load, which moves behind the store between them.
	{kernel: "chosen", signature: "*fp32, i32", stage: "ttir", lacks: []string{"arith.select", "scf.if"},
		body: "def chosen(p, n):\n    i = tl.arange(0, 64)\n    c = n > 3\n" +
			"    x = tl.load(p + i, mask=c)\n    tl.store(p + i, 7.0)\n" +
			"    o = tl.full((64,), 5.0, tl.float32)\n    y = x if c else o\n    tl.store(p + 64 + i, y)\n"},
	// A reshape before an argmax may reorder its elements.
	{kernel: "pairs", signature: "*fp32, *i32", stage: "ttir", has: []string{"allow_reorder"},
		body: "def pairs(p, q):\n    i = tl.arange(0, 16)\n" +
			"    x = tl.load(p + i[:, None] * 16 + i[None, :])\n" +
			"    tl.store(q, tl.argmax(tl.reshape(x, [256]), 0))\n"},
	// Loads are pipelined although the loop stores through the same argument.
	{kernel: "piped", signature: "*fp16:16, i32", stage: "ttgir",
		has: []string{"ttg.async_copy_global_to_local"},
		body: "def piped(p, n):\n    i = tl.arange(0, 64)\n    acc = tl.zeros((64, 64), tl.float32)\n" +
			"    at = i[:, None] * 64 + i[None, :]\n    for k in range(n):\n" +
			"        acc = tl.dot(tl.load(p + at), tl.load(p + 4096 + at), acc)\n" +
			"        tl.store(p + 4096 + at, acc.to(tl.float16))\n        p += 64\n"},
	// The iterations of an unrolled loop are counted without a sign: from 0 to -10 by 3, some are left.
	{kernel: "unrolled", signature: "*i32, i32", stage: "ttir", has: []string{"arith.divui"},
		lacks: []string{"arith.cmpi", "arith.maxsi", "arith.select"},
		body: "def unrolled(p, n):\n    s = 5\n    for k in tl.range(0, n, 3, loop_unroll_factor=4):\n" +
			"        s = s * 3 + k\n    tl.store(p, s)\n"},
}

// TestDivergences asks Triton for what docs/DIVERGENCES.md says of it.
func TestDivergences(t *testing.T) {
	dir, out := tritonStages(t)
	if n := strings.Count(out, "seen"); n != 2 {
		t.Errorf("tl.static_print in a loop prints %d times, not twice", n)
	}
	for _, c := range claims {
		data, err := os.ReadFile(filepath.Join(dir, c.kernel+"."+c.stage))
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		for _, part := range c.has {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %s in\n%.3000s", c.kernel, part, text)
			}
		}
		for _, part := range c.lacks {
			if strings.Contains(text, part) {
				t.Errorf("%s: %s in\n%.3000s", c.kernel, part, text)
			}
		}
		if c.kernel == "mangled" && strings.Count(text, "tt.func private") != 1 {
			t.Errorf("two functions:\n%s", text)
		}
	}
}

// tritonStages has Triton compile the kernels of all claims. It returns the folder of their stages, and what
// Triton printed.
func tritonStages(t *testing.T) (dir, printed string) {
	python, dir := txtest.Triton(t), t.TempDir()
	source := "import triton\nimport triton.language as tl\n\n" +
		"@triton.jit(noinline=True)\ndef helper(p, C: tl.constexpr):\n    return tl.load(p) + 1\n"
	var specs []map[string]string
	for _, c := range claims {
		source += "\n@triton.jit\n" + c.body
		specs = append(specs, map[string]string{"name": c.kernel, "file": "k.py", "kernel": c.kernel,
			"signature": c.signature})
	}
	list, err := json.Marshal(specs)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"k.py": []byte(source), "specs.json": list} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	stages := filepath.Join(dir, "out")
	cmd := exec.CommandContext(t.Context(), python, txtest.Path(t, "peer", "oracle.py"), "stages", stages,
		"--specs", filepath.Join(dir, "specs.json"), "--target", "cuda:90")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return stages, string(out)
}
