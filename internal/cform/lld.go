package cform

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/nereid-lang/nereid/internal/llvm"
)

// runtimes holds the parts of the C source that are the same for all forms, as clang makes LLVM IR of them,
// for each architecture. TestRuntimeIR writes them.
//
//go:embed runtime_*.ll.gz
var runtimes embed.FS

// runtimeFor returns the runtime for an architecture as LLVM IR; PREFIX stands for the form's name.
func runtimeFor(arch string) (string, error) {
	f, err := runtimes.Open("runtime_" + arch + ".ll.gz")
	if err != nil {
		return "", err
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(unpacked)
	return string(text), err
}

// architecture has LLVM's names of a family of targets, an architecture and its plainest processor.
type architecture struct{ family, name, cpu string }

// archs holds the architectures by Go's names.
var archs = map[string]architecture{
	"amd64": {"X86", "x86_64", "x86-64"},
	"arm64": {"AArch64", "aarch64", "generic"},
}

// linkers are the names of linkers that can be used without a C compiler.
var linkers = []string{"ld.lld", "ld.lld-22", "ld.lld-21", "ld.lld-20", "ld.lld-19", "ld.lld-18", "ld"}

var errNoLinker = errors.New("a shared library is built by a C compiler, or by LLVM and a linker: " +
	"install gcc, clang or lld, or set CC")

// link builds the library without a C compiler: LLVM makes object files, lld links them with the C library of
// this machine.
func (f *Form) link(ctx context.Context, dir, out string) error {
	arch, ok := archs[runtime.GOARCH]
	linker, libraries, err := findLinker()
	if err != nil || !ok {
		return errors.Join(errNoLinker, err)
	}
	if err := f.objectFiles(ctx, dir, arch); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "exports"), []byte(f.exports()), 0o600); err != nil {
		return err
	}
	args := []string{"-shared", "-z", "defs", "-z", "noexecstack", "-z", "relro", "-z", "now",
		"--build-id=none", "--gc-sections", "-s", "-soname", filepath.Base(out), "--version-script",
		"exports", "-o", out, "runtime.o", "tables.o"}
	for i, o := range f.objects {
		if o.arch == arch.name {
			args = append(args, f.objectName(i))
		}
	}
	cmd := exec.CommandContext(ctx, linker, append(append(args, "--as-needed"), libraries...)...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s does not link the library: %w\n%s", linker, err, text)
	}
	return nil
}

// findLinker returns a linker, and the libraries to link with.
func findLinker() (linker string, libraries []string, err error) {
	if libraries, err = systemLibraries(); err != nil {
		return "", nil, err
	}
	for _, name := range linkers {
		if linker, err = exec.LookPath(name); err == nil {
			return linker, libraries, nil
		}
	}
	return "", nil, err
}

// objectFiles has LLVM make runtime.o, the part that all forms share, and tables.o.
func (f *Form) objectFiles(ctx context.Context, dir string, arch architecture) error {
	text, err := runtimeFor(arch.name)
	if err != nil {
		return err
	}
	lib, err := llvm.Load()
	if err != nil {
		return err
	}
	target, err := lib.Chip(arch.family, arch.name+"-unknown-linux-gnu", arch.cpu, "")
	if err != nil {
		return err
	}
	for name, ir := range map[string][]byte{"runtime": []byte(f.writer.named(text)),
		"tables": f.writer.ir(arch.name)} {
		o, err := lib.Compile(ctx, ir, llvm.Options{Name: name, Target: target, Level: llvm.O2,
			Emit: llvm.EmitObj})
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name+".o"), o.Obj, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// exports returns the linker's list of names that programs see.
func (f *Form) exports() string {
	operators := ""
	if f.writer.options.ONNX {
		operators = " RegisterCustomOps;"
	}
	return fmt.Sprintf("{ global: %s_*;%s local: *; };\n", f.Name, operators)
}

// systemLibraries returns the paths of the C library, the mathematical one and the loader, as this process
// has them: LLVM has brought them in.
func systemLibraries() ([]string, error) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, prefix := range []string{"libc.so", "libm.so", "libdl.so", "libpthread.so", "ld-linux"} {
		for line := range bytes.Lines(maps) {
			fields := strings.Fields(string(line))
			if n := len(fields); n > 5 && strings.HasPrefix(filepath.Base(fields[n-1]), prefix) {
				out = append(out, fields[n-1])
				break
			}
		}
	}
	if len(out) == 0 || !strings.HasPrefix(filepath.Base(out[0]), "libc.so") {
		return nil, errors.New("this process has not loaded the C library")
	}
	return out, nil
}
