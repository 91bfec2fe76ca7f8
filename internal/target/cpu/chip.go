package cpu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/llvm"
)

// family holds what the chips of an architecture share. Their code is ELF for Linux wherever it is compiled,
// so that the same input gives the same bytes.
type family struct{ name, triple string }

var (
	x86 = family{"X86", "x86_64-unknown-linux-gnu"}
	arm = family{"AArch64", "aarch64-unknown-linux-gnu"}
)

// chip is a CPU that code can be compiled for on any machine. Code uses the instructions of level and
// features alone, so that whoever loads it can hold the list against the CPU that is there.
type chip struct {
	name     string
	family   family
	level    string // name of the CPU for LLVM, whose instructions all such chips have
	features string // in LLVM's notation; they include those of level that the code generator asks for
}

// Features of the levels of x86-64, as its ABI defines them. AVX-512 of servers since Ice Lake and since Zen
// 4 has more.
const (
	v2  = "+cx16,+sahf,+popcnt,+sse3,+sse4.1,+sse4.2,+ssse3"
	avx = v2 + ",+avx,+xsave"
	v3  = avx + ",+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe"
	v4  = v3 + ",+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl"
	ice = v4 + ",+avx512vnni,+avx512vbmi,+avx512vbmi2,+avx512ifma,+avx512bitalg,+avx512vpopcntdq,+gfni"

	neon = "+fp-armv8,+neon"
	v82  = neon + ",+crc,+lse,+rdm,+fullfp16,+dotprod"
)

// chips lists the CPUs under LLVM's names.
var chips = []chip{
	{"x86-64", x86, "x86-64", "+sse,+sse2"},
	{"x86-64-v2", x86, "x86-64-v2", v2},
	{"x86-64-v3", x86, "x86-64-v3", v3},
	{"x86-64-v4", x86, "x86-64-v4", v4},

	{"nehalem", x86, "x86-64-v2", v2},
	{"sandybridge", x86, "x86-64-v2", avx},
	{"haswell", x86, "x86-64-v3", v3},
	{"broadwell", x86, "x86-64-v3", v3},
	{"skylake", x86, "x86-64-v3", v3},
	{"alderlake", x86, "x86-64-v3", v3 + ",+avxvnni"},
	{"skylake-avx512", x86, "x86-64-v4", v4},
	{"cascadelake", x86, "x86-64-v4", v4 + ",+avx512vnni"},
	{"cooperlake", x86, "x86-64-v4", v4 + ",+avx512vnni,+avx512bf16"},
	{"icelake-server", x86, "x86-64-v4", ice},
	{"sapphirerapids", x86, "x86-64-v4", ice + ",+avxvnni,+avx512bf16,+avx512fp16"},
	{"emeraldrapids", x86, "x86-64-v4", ice + ",+avxvnni,+avx512bf16,+avx512fp16"},
	{"graniterapids", x86, "x86-64-v4", ice + ",+avxvnni,+avx512bf16,+avx512fp16"},
	{"znver1", x86, "x86-64-v3", v3},
	{"znver2", x86, "x86-64-v3", v3},
	{"znver3", x86, "x86-64-v3", v3},
	{"znver4", x86, "x86-64-v4", ice + ",+avx512bf16"},
	{"znver5", x86, "x86-64-v4", ice + ",+avx512bf16,+avxvnni"},

	{"aarch64", arm, "generic", neon},
	{"neoverse-n1", arm, "generic", v82},
	{"neoverse-v1", arm, "generic", v82 + ",+bf16,+i8mm"},
	{"neoverse-n2", arm, "generic", v82 + ",+bf16,+i8mm"},
	{"neoverse-v2", arm, "generic", v82 + ",+bf16,+i8mm"},
}

// Chips returns the names of the CPUs that CompilerFor knows.
func Chips() []string {
	names := make([]string, len(chips))
	for i, c := range chips {
		names[i] = c.name
	}
	return names
}

// CompilerFor returns a compiler for a CPU by LLVM's name, which may be another than the host's; "" means the
// host's. Its code uses no instruction that the CPU lacks.
func CompilerFor(name string) (Compiler, error) {
	c := NewCompiler()
	if name == "" {
		return c, nil
	}
	i := slices.IndexFunc(chips, func(c chip) bool { return c.name == name })
	if i < 0 {
		return c, unknownChip(name)
	}
	lib, err := c.library()
	if err != nil {
		return c, err
	}
	t, err := lib.Chip(chips[i].family.name, chips[i].family.triple, chips[i].level, chips[i].features)
	if err != nil {
		return c, err
	}
	c.chip = &t
	return c, nil
}

// HostChip returns LLVM's name of the host's CPU.
func HostChip() (string, error) {
	lib, err := llvm.Load()
	if err != nil {
		return "", err
	}
	return lib.HostTarget().CPU, nil
}

// unknownChip returns the error for a name that is in no row.
func unknownChip(name string) error {
	if best := diag.Nearest(name, Chips()); best != "" {
		return fmt.Errorf("there is no CPU %q: did you mean cpu:%s?", name, best)
	}
	return fmt.Errorf("there is no CPU %q: expected cpu for this machine's, or cpu: with one of %s", name,
		strings.Join(Chips(), ", "))
}
