package cpu

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// oneOf holds an instruction of each feature, in LLVM's syntax.
var oneOf = map[string]string{
	"+sse2": "addpd %xmm0, %xmm1", "+sse4.2": "pcmpgtq %xmm0, %xmm1", "+popcnt": "popcnt %rax, %rax",
	"+avx": "vaddps %ymm0, %ymm1, %ymm2", "+avx2": "vpaddd %ymm0, %ymm1, %ymm2",
	"+fma": "vfmadd231ps %ymm0, %ymm1, %ymm2", "+f16c": "vcvtph2ps %xmm0, %ymm1",
	"+bmi2":    "pdep %rax, %rbx, %rcx",
	"+avx512f": "vaddps %zmm0, %zmm1, %zmm2", "+avx512bw": "vpaddb %zmm0, %zmm1, %zmm2",
	"+avx512dq": "vpmullq %zmm0, %zmm1, %zmm2", "+avx512vl": "vaddps %ymm16, %ymm1, %ymm2",
	"+avx512vnni": "vpdpbusd %zmm0, %zmm1, %zmm2", "+avx512bf16": "vdpbf16ps %zmm0, %zmm1, %zmm2",
	"+avx512fp16": "vaddph %zmm0, %zmm1, %zmm2", "+avx512vbmi": "vpermb %zmm0, %zmm1, %zmm2",
	"+gfni": "gf2p8mulb %xmm0, %xmm1", "+avxvnni": "{vex} vpdpbusd %ymm0, %ymm1, %ymm2",
	"+neon": "fadd v0.4s, v1.4s, v2.4s", "+lse": "ldadd w0, w1, [x2]",
	"+fullfp16": "fadd v0.8h, v1.8h, v2.8h", "+dotprod": "udot v0.4s, v1.16b, v2.16b",
	"+bf16": "bfdot v0.4s, v1.8h, v2.8h", "+i8mm": "smmla v0.4s, v1.16b, v2.16b",
}

// TestChips asks LLVM's assembler whether each CPU has the instructions of the features in its row.
func TestChips(t *testing.T) {
	tool := txtest.LLVMTool(t, "llvm-mc")
	for _, c := range chips {
		cpu, code := c.name, ""
		if c.name == "aarch64" {
			cpu = "generic"
		}
		for f := range strings.SplitSeq(c.features, ",") {
			if oneOf[f] != "" {
				code += oneOf[f] + "\n"
			}
		}
		if code == "" {
			t.Errorf("%s: no instruction to try", c.name)
		}
		cmd := exec.Command(tool, "-triple", c.family.triple, "-mcpu", cpu, "-filetype", "null")
		cmd.Stdin = strings.NewReader(code)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", c.name, err, out)
		}
	}
}

// TestChipErrors says which CPUs there are, and what was meant.
func TestChipErrors(t *testing.T) {
	for name, want := range map[string]string{
		"banana":    `there is no CPU "banana": expected cpu for this machine's, or cpu: with one of x86-64, `,
		"x86-64-v5": `there is no CPU "x86-64-v5": did you mean cpu:x86-64-v`,
	} {
		if _, err := CompilerFor(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if !slices.Contains(Chips(), "x86-64-v3") {
		t.Error("x86-64-v3 is no CPU")
	}
}
