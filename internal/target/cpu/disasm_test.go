package cpu_test

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// sampleKernels are kernels whose code has vectors, products, reductions and mathematics.
var sampleKernels = []string{"softmax_f16_2048", "matmul_f32_ragged", "attention_d64"}

// TestOnlyTheChipsInstructions disassembles code for several CPUs: the first byte of an instruction, after
// its prefixes, tells AVX-512 (62) and AVX (c4, c5) from what came before.
func TestOnlyTheChipsInstructions(t *testing.T) {
	tool := txtest.LLVMTool(t, "llvm-objdump")
	for _, test := range []struct {
		chip         string
		none, some   string // first bytes of instructions that the code may not have, and of one that it has
		architecture elf.Machine
	}{
		{"x86-64-v2", `62|c4|c5`, `0f`, elf.EM_X86_64},
		{"x86-64-v3", `62`, `c4|c5`, elf.EM_X86_64},
		{"x86-64-v4", `none`, `62`, elf.EM_X86_64},
		{"aarch64", `none`, `[0-9a-f]{8}`, elf.EM_AARCH64},
	} {
		t.Run(test.chip, func(t *testing.T) {
			text := ""
			for _, name := range sampleKernels {
				obj := compileSample(t, name, "cpu:"+test.chip)
				f, err := elf.NewFile(bytes.NewReader(obj))
				if err != nil || f.Machine != test.architecture {
					t.Fatalf("%s: %v, %v", name, f, err)
				}
				text += disassemble(t, tool, obj)
			}
			line := func(first string) *regexp.Regexp {
				return regexp.MustCompile(`(?m)^\s+[0-9a-f]+:\s+(?:(?:2e|3e|64|65|66|67|f0|f2|f3) )*(?:` +
					first + `)\b.*$`)
			}
			if bad := line(test.none).FindString(text); bad != "" {
				t.Errorf("code for %s has %s", test.chip, bad)
			}
			if !line(test.some).MatchString(text) || strings.Contains(text, "<unknown>") {
				t.Errorf("code for %s is not as expected:\n%.2000s", test.chip, text)
			}
		})
	}
}

// compileSample returns the object file of a kernel of kernels/specs.json.
func compileSample(t *testing.T, name, target string) []byte {
	t.Helper()
	folder := filepath.Join(txtest.Root(t), "kernels")
	var specs []struct{ Name, File, Kernel, Signature string }
	if err := json.Unmarshal([]byte(txtest.Read(t, filepath.Join(folder, "specs.json"))),
		&specs); err != nil {
		t.Fatal(err)
	}
	for _, s := range specs {
		if !strings.HasPrefix(s.Name, name) {
			continue
		}
		m, err := nereid.Load(filepath.Join(folder, s.File))
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel(s.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		c, err := k.CompileFor(t.Context(), target, s.Signature, nereid.Options{}, "")
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		return c.Stage("obj")
	}
	t.Fatalf("there is no kernel %s", name)
	return nil
}

func disassemble(t *testing.T, tool string, obj []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "code.o")
	if err := os.WriteFile(file, obj, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tool, "-d", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}
