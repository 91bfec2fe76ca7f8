package llvm

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const kernelIR = `
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @axpy(ptr addrspace(1) %x, ptr addrspace(1) %y, float %a) !dbg !3 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !6
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t, !dbg !6
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t, !dbg !6
  %u = load float, ptr addrspace(1) %p, !dbg !6
  %v = load float, ptr addrspace(1) %q, !dbg !6
  %m = fmul float %a, %u, !dbg !6
  %s = fadd float %m, %v, !dbg !7
  store float %s, ptr addrspace(1) %q, !dbg !7
  ret void, !dbg !7
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

!llvm.dbg.cu = !{!1}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !2, emissionKind: LineTablesOnly)
!2 = !DIFile(filename: "axpy.py", directory: "kernels")
!3 = distinct !DISubprogram(name: "axpy", file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !5)
!5 = !{}
!6 = !DILocation(line: 2, column: 5, scope: !3)
!7 = !DILocation(line: 3, column: 5, scope: !3)
`

func nvptx(t testing.TB, lib *Lib, sm string) Target {
	t.Helper()
	target, err := lib.NVPTX(sm, 0)
	txtest.Need(t, "llvm", err)
	return target
}

func TestNVPTX(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		for _, row := range chip.Arches() {
			if row.LLVM > lib.Version().Major {
				continue
			}
			ptx := string(compile(t, lib, kernelIR,
				Options{Target: nvptx(t, lib, row.Name), FastMath: Contract}).Asm)
			for _, want := range []string{".visible .entry axpy(", ".target " + row.Name + "\n", "fma.rn.f32",
				".loc\t1 3 5"} {
				if !strings.Contains(ptx, want) {
					t.Errorf("%s: no %q in\n%s", row.Name, want, ptx)
				}
			}
		}
	})
}

func TestNVPTXOptions(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		target := nvptx(t, lib, "sm_80")
		ptx := string(compile(t, lib, kernelIR, Options{Target: target, KeepDebugTarget: true}).Asm)
		if !strings.Contains(ptx, ".target sm_80, debug\n") {
			t.Errorf("KeepDebugTarget:\n%s", ptx)
		}
		if strings.Contains(ptx, "fma.rn.f32") {
			t.Errorf("contracted without leave:\n%s", ptx)
		}
		_, err := lib.Compile(context.Background(), []byte(kernelIR), Options{Target: target, Emit: EmitObj})
		if stage := (*StageError)(nil); !errors.As(err, &stage) {
			t.Errorf("object code of PTX: %v", err)
		}
	})
}

// Pointers to shared memory have 32 bits, as in Triton's IR.
func TestShortPointers(t *testing.T) {
	const ir = `
@shared = external addrspace(3) global [0 x i8], align 16
define void @f(ptr addrspace(1) %p, i32 %i) {
  %q = getelementptr i8, ptr addrspace(3) @shared, i32 %i
  %v = load i32, ptr addrspace(3) %q
  store i32 %v, ptr addrspace(1) %p
  ret void
}`
	each(t, func(t *testing.T, lib *Lib) {
		ptx := string(compile(t, lib, ir, Options{Target: nvptx(t, lib, "sm_80")}).Asm)
		if !strings.Contains(ptx, "mov.b32") && !strings.Contains(ptx, "mov.u32") {
			t.Errorf("the address of shared memory does not have 32 bits:\n%s", ptx)
		}
	})
}

func TestChoosePTX(t *testing.T) {
	for _, c := range []struct {
		sm            string
		max, llvm     int
		want          int
		wantErrorText string
	}{
		{"sm_75", 0, 22, 83, ""},
		{"sm_80", 0, 17, 81, ""},
		{"sm_90a", 0, 22, 83, ""},
		{"sm_90a", 0, 17, 0, "code for sm_90a: LLVM 17 does not know it: install LLVM 18 or newer"},
		{"sm_120", 0, 22, 87, ""},
		{"sm_120", 0, 19, 0, "code for sm_120: LLVM 19 does not know it: install LLVM 20 or newer"},
		{"sm_90a", 87, 22, 87, ""},
		{"sm_90a", 87, 19, 85, ""},
		{"sm_90a", 89, 22, 88, ""},
		{"sm_80", 70, 22, 70, ""},
		{"sm_100", 85, 22, 0, "code for sm_100: it needs PTX 8.6, and the driver takes at most 8.5: " +
			"update the driver"},
		{"sm_61", 0, 22, 0, `unknown NVIDIA architecture "sm_61"; known: sm_75, sm_80`},
	} {
		got, err := choosePTX(c.sm, c.max, c.llvm)
		if c.wantErrorText == "" && err != nil || c.wantErrorText != "" &&
			(err == nil || !strings.HasPrefix(err.Error(), c.wantErrorText)) {
			t.Errorf("%s with LLVM %d: %v", c.sm, c.llvm, err)
		}
		if got != c.want {
			t.Errorf("%s with LLVM %d, at most %d: %d, want %d", c.sm, c.llvm, c.max, got, c.want)
		}
	}
	for driver, want := range map[int]int{13000: 90, 12090: 88, 12060: 85, 12030: 83, 11040: 74, 10020: 0,
		14000: 91} {
		if got := DriverPTX(driver); got != want {
			t.Errorf("the driver of CUDA %d reads PTX %d, want %d", driver, got, want)
		}
	}
}

func TestStripDebugTarget(t *testing.T) {
	for in, want := range map[string]string{
		"//\n.version 8.3\n.target sm_90a, debug\n.address_size 64\n": "//\n.version 8.3\n.target sm_90a\n" +
			".address_size 64\n",
		"//\n.target sm_80\n// .target sm_80, debug\n": "//\n.target sm_80\n// .target sm_80, debug\n",
		"\n.target sm_80, debug":                       "\n.target sm_80",
		"":                                             "",
	} {
		if got, err := tidied([]byte(in), false); err != nil || string(got) != want {
			t.Errorf("%q becomes %q, want %q; error %v", in, got, want, err)
		}
	}
}

// The ptxas that comes with Triton takes what we make for each architecture that it knows.
func TestAssemble(t *testing.T) {
	lib := load(t)
	txtest.Triton(t)
	for _, sm := range []string{"sm_75", "sm_80", "sm_90a", "sm_120"} {
		file := filepath.Join(t.TempDir(), "axpy.ptx")
		ptx := compile(t, lib, kernelIR, Options{Target: nvptx(t, lib, sm)}).Asm
		if err := os.WriteFile(file, ptx, 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := txtest.Oracle(t, "assemble", "--arch", sm, file); err != nil {
			t.Errorf("%s: %v\n%s\n%s", sm, err, out, ptx)
		}
	}
}

// goldens compiles each of Triton's golden .llir files for sm_90a and gives the PTX to f.
func goldens(t *testing.T, lib *Lib, f func(name string, out *Output, err error)) {
	t.Helper()
	target, err := lib.NVPTX("sm_90a", 0)
	txtest.Need(t, "llvm", err)
	for _, path := range txtest.Glob(t, "testdata/golden/cuda-90/*.llir") {
		name := strings.TrimSuffix(filepath.Base(path), ".llir")
		out, err := lib.Compile(context.Background(), []byte(txtest.Read(t, path)),
			Options{Name: name + ".llir", Target: target})
		f(name, out, err)
	}
}

// Every golden .llir of Triton's becomes PTX, which ptxas takes. An LLVM older than Triton's may be unable
// to read Triton's text (attributes such as captures(none)), and nothing else.
func TestGoldens(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		var files []string
		var total time.Duration
		dir := t.TempDir()
		goldens(t, lib, func(name string, out *Output, err error) {
			if parse := (*ParseError)(nil); errors.As(err, &parse) && lib.Version().Major < 21 {
				t.Logf("%-24s %v", name, err)
				return
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			total += out.Times.Total()
			t.Logf("%-24s %6.1f ms: parse %.1f, verify %.1f, passes %.1f, code %.1f", name,
				ms(out.Times.Total()), ms(out.Times.Parse), ms(out.Times.Verify), ms(out.Times.Passes),
				ms(out.Times.Codegen))
			if !strings.Contains(string(out.Asm), ".visible .entry") {
				t.Errorf("%s: no entry", name)
			}
			file := filepath.Join(dir, name+".ptx")
			if err := os.WriteFile(file, out.Asm, 0o644); err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		})
		if len(files) == 0 {
			return
		}
		t.Logf("%d kernels, %.1f ms each", len(files), ms(total)/float64(len(files)))
		if testing.Short() || lib != installed[0] {
			return
		}
		if out, err := txtest.Oracle(t, append([]string{"assemble"}, files...)...); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func BenchmarkCompilePTX(b *testing.B) {
	lib := load(b)
	opts := Options{Target: nvptx(b, lib, "sm_90a")}
	ir := []byte(txtest.Read(b, txtest.Path(b, "testdata", "golden", "cuda-90", "add_f32.llir")))
	for b.Loop() {
		if _, err := lib.Compile(context.Background(), ir, opts); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompileHost(b *testing.B) {
	lib := load(b)
	opts := Options{Target: lib.HostTarget(), Emit: EmitObj}
	for b.Loop() {
		if _, err := lib.Compile(context.Background(), []byte(vectorAddIR), opts); err != nil {
			b.Fatal(err)
		}
	}
}
