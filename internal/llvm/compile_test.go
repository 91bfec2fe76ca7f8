package llvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

func TestVersion(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		v := lib.Version()
		if v.Major < minVersion || v.Major > maxVersion ||
			!strings.HasPrefix(v.String(), strconv.Itoa(v.Major)+".") {
			t.Errorf("version %v of %s", v, lib.Path())
		}
	})
}

func TestHostTarget(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		target := lib.HostTarget()
		arch := map[string]string{"amd64": "x86_64-", "arm64": "a"}[runtime.GOARCH] // aarch64 or arm64
		if !strings.HasPrefix(target.Triple, arch) || target.CPU == "" ||
			!strings.Contains(target.Features, "+") {
			t.Errorf("%+v", target)
		}
	})
}

// Broken IR of each kind gives an error of each type, with its text.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name, ir string
		opts     Options
		want     string
	}{
		{
			name: "syntax", ir: "define i32 @f(i32 %a) {\n\t%b = sum i32 %a, 4\n\tret i32 %b\n}\n",
			want: "kernel.llir:2:7: expected instruction opcode\n    \t%b = sum i32 %a, 4\n    \t     ^",
		},
		{
			name: "undefined", ir: "define i32 @f(i32 %a) {\n  %b = add i32 %a, %nowhere\n  ret i32 %b\n}\n",
			want: "kernel.llir:2:20: use of undefined value '%nowhere'\n      %b = add i32 %a, %nowhere\n" +
				"                       ^",
		},
		{
			name: "end", ir: "define i32 @f(", opts: Options{Name: "odd.ll"},
			want: "odd.ll:1:15: expected type\n    define i32 @f(\n                  ^",
		},
		{
			name: "verifier", ir: "define i32 @f(i1 %c) {\nentry:\n  br i1 %c, label %a, label %b\na:\n" +
				"  %x = add i32 1, 2\n  br label %b\nb:\n  ret i32 %x\n}\n",
			want: "kernel.llir: invalid LLVM IR: Instruction does not dominate all uses!\n  %x = add i32 " +
				"1, 2\n  ret i32 %x",
		},
		{
			name: "pass", ir: addIR, opts: Options{Passes: "no-such-pass"},
			want: "kernel.llir: LLVM passes: unknown pass name 'no-such-pass'",
		},
		{
			name: "triple", ir: addIR, opts: Options{Target: Target{Triple: "potato"}},
			want: "potato",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(t *testing.T, lib *Lib) {
				opts := c.opts
				if opts.Target.Triple == "" {
					opts.Target = lib.HostTarget()
				}
				_, err := lib.Compile(context.Background(), []byte(c.ir), opts)
				if err == nil {
					t.Fatal("no error")
				}
				if got := err.Error(); got != c.want &&
					!(c.name == "triple" && strings.Contains(got, c.want)) {
					t.Errorf("got\n%s\nwant\n%s", got, c.want)
				}
			})
		})
	}
}

func TestEmpty(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		compile(t, lib, "", Options{Target: lib.HostTarget(), Emit: EmitObj | EmitAsm | EmitIR})
	})
}

// Inline assembly that the assembler does not take is found by code generation.
func TestInlineAsmError(t *testing.T) {
	const ir = "define void @f() {\n  call void asm sideeffect \"frobnicate %eax\", \"\"()\n  ret void\n}\n"
	each(t, func(t *testing.T, lib *Lib) {
		txtest.Need(t, "llvm", lib.need("X86"))
		opts := Options{Target: Target{Triple: "x86_64-unknown-linux-gnu"}, Emit: EmitObj}
		_, err := lib.Compile(context.Background(), []byte(ir), opts)
		var stage *StageError
		if !errors.As(err, &stage) || stage.Stage != "code generation" ||
			!strings.Contains(stage.Msg, "frobnicate") {
			t.Errorf("Compile: %v", err)
		}
	})
}

// LLVM ends the process when it cannot select an instruction; we get an error, and go on.
func TestFatalError(t *testing.T) {
	const ir = "declare void @llvm.amdgcn.s.barrier()\ndefine void @f() {\n  call void " +
		"@llvm.amdgcn.s.barrier()\n  ret void\n}\n"
	each(t, func(t *testing.T, lib *Lib) {
		for range 3 {
			_, err := lib.Compile(context.Background(), []byte(ir), Options{Target: lib.HostTarget()})
			var fatal *FatalError
			if !errors.As(err, &fatal) || !strings.Contains(fatal.Msg, "Cannot select") {
				t.Errorf("Compile: %v", err)
			}
		}
		host(t, lib, addIR, JITOptions{}) // still works
	})
}

func TestGuardPanics(t *testing.T) {
	defer func() {
		if r := recover(); r != "oops" {
			t.Errorf("recovered %v", r)
		}
	}()
	_ = guard(func() error { panic("oops") })
}

func TestCancelled(t *testing.T) {
	lib := load(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := lib.Compile(ctx, []byte(addIR), Options{Target: lib.HostTarget()}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("Compile: %v", err)
	}
}

func TestEmit(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		out := compile(t, lib, addIR, Options{Target: lib.HostTarget(), Emit: EmitAsm | EmitObj | EmitIR})
		if !bytes.Contains(out.Asm, []byte("add")) || !bytes.Contains(out.IR, []byte("@add(i64")) ||
			len(out.Obj) == 0 {
			t.Errorf("asm %d bytes, obj %d, IR:\n%s", len(out.Asm), len(out.Obj), out.IR)
		}
		again := compile(t, lib, addIR, Options{Target: lib.HostTarget(), Emit: EmitObj})
		if !bytes.Equal(out.Obj, again.Obj) {
			t.Error("the object differs when assembly is made too")
		}
		if out.Times.Total() <= 0 || out.Times.Codegen <= 0 {
			t.Errorf("times %+v", out.Times)
		}
	})
}

func TestPasses(t *testing.T) {
	const ir = "define i32 @f() {\n  %a = add i32 1, 2\n  ret i32 %a\n}\n"
	each(t, func(t *testing.T, lib *Lib) {
		for passes, want := range map[string]string{"verify": "%a = add i32 1, 2", "instcombine": "ret i32 3",
			"": "ret i32 3"} {
			out := compile(t, lib, ir, Options{Target: lib.HostTarget(), Emit: EmitIR, Passes: passes})
			if !strings.Contains(string(out.IR), want) {
				t.Errorf("%q: no %q in\n%s", passes, want, out.IR)
			}
		}
	})
}

func TestFastMath(t *testing.T) {
	const ir = `define float @f(float %a, float %b, float %c) {
  %m = fmul nnan float %a, %b
  %s = fadd float %m, %c
  ret float %s
}`
	each(t, func(t *testing.T, lib *Lib) {
		target := Target{Triple: "x86_64-unknown-linux-gnu", CPU: "haswell"}
		if asm := compile(t, lib, ir, Options{Target: target}).Asm; bytes.Contains(asm, []byte("vfmadd")) {
			t.Errorf("contracted without leave:\n%s", asm)
		}
		out := compile(t, lib, ir, Options{Target: target, FastMath: Contract, Emit: EmitAsm | EmitIR,
			Passes: "verify"})
		if !bytes.Contains(out.Asm, []byte("vfmadd")) {
			t.Errorf("not contracted:\n%s", out.Asm)
		}
		for _, want := range []string{"fmul nnan contract float", "fadd contract float"} {
			if !bytes.Contains(out.IR, []byte(want)) {
				t.Errorf("no %q in\n%s", want, out.IR)
			}
		}
	})
}

func TestAArch64(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		txtest.Need(t, "llvm", lib.need("AArch64"))
		target := Target{Triple: "aarch64-unknown-linux-gnu", CPU: "neoverse-v1", Reloc: RelocPIC}
		out := compile(t, lib, vectorAddIR, Options{Target: target, Emit: EmitAsm | EmitObj})
		if !bytes.Contains(out.Asm, []byte("fadd\t")) || !bytes.HasPrefix(out.Obj, []byte("\x7fELF")) {
			t.Errorf("%s", out.Asm)
		}
	})
}

const amdIR = `
define amdgpu_kernel void @copy(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %i
  %q = getelementptr float, ptr addrspace(1) %y, i32 %i
  %v = load float, ptr addrspace(1) %p
  store float %v, ptr addrspace(1) %q
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
`

func TestAMDGPU(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		target, err := lib.AMDGPU("gfx942")
		txtest.Need(t, "llvm", err)
		out := compile(t, lib, amdIR, Options{Target: target, Emit: EmitAsm | EmitObj})
		const machine = 224 // EM_AMDGPU
		if len(out.Obj) < 20 || !bytes.HasPrefix(out.Obj, []byte("\x7fELF")) || out.Obj[18] != machine {
			t.Errorf("no AMDGPU object: %d bytes, %q", len(out.Obj), out.Obj[:min(20, len(out.Obj))])
		}
		if !bytes.Contains(out.Asm, []byte(".amdhsa_kernel copy")) ||
			!bytes.Contains(out.Asm, []byte("global_load_dword")) {
			t.Errorf("%s", out.Asm)
		}
	})
}

// Compilations for several targets at once do not disturb each other, errors among them.
func TestConcurrent(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		var wg sync.WaitGroup
		for worker := range 8 {
			wg.Go(func() {
				for i := range 6 {
					if err := compileNumber(lib, worker, i); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	})
}

// compileNumber compiles and runs a function that returns its own number; every third time its IR is broken.
func compileNumber(lib *Lib, worker, i int) error {
	want := 100*worker + i
	name := fmt.Sprintf("f%d.ll", want)
	ir := fmt.Sprintf("define i64 @f(i64 %%x) {\n  %%r = add i64 %%x, %d\n  ret i64 %%r\n}\n", want)
	if i%3 == 2 {
		_, err := lib.Compile(context.Background(), []byte(ir+"!"),
			Options{Name: name, Target: lib.HostTarget()})
		if parse := (*ParseError)(nil); !errors.As(err, &parse) || parse.Name != name || parse.Line != 5 {
			return fmt.Errorf("%s: %v", name, err)
		}
		return nil
	}
	out, err := lib.Compile(context.Background(), []byte(ir),
		Options{Name: name, Target: lib.HostTarget(), Emit: EmitObj})
	if err != nil {
		return err
	}
	j, err := lib.JIT(out.Obj, JITOptions{})
	if err != nil {
		return err
	}
	defer j.Close()
	fn, err := j.Lookup("f")
	if err != nil {
		return err
	}
	if got := Call(fn, 1000); got != uintptr(1000+want) {
		return fmt.Errorf("%s returned %d", name, got)
	}
	return nil
}

func TestTolerantPipelines(t *testing.T) {
	l := &Lib{version: Version{Major: 19}}
	const limited = "instcombine<max-iterations=2>,aggressive-instcombine"
	for passes, want := range map[string]string{
		"":                           "",
		"function(sroa,instcombine)": "function(sroa,instcombine<no-verify-fixpoint>)",
		"instcombine,instcombine":    "instcombine<no-verify-fixpoint>,instcombine<no-verify-fixpoint>",
		limited:                      limited,
	} {
		if got := l.tolerant(passes); got != want {
			t.Errorf("%q became %q, want %q", passes, got, want)
		}
	}
	if got := (&Lib{version: Version{Major: 17}}).tolerant("instcombine"); got != "instcombine" {
		t.Errorf("for LLVM 17: %q", got)
	}
}
