package test

import (
	"bytes"
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	format "github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver/stub"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// runBytes bounds libnereid_run.so.
const runBytes = 6_500_000

// addBundle writes a bundle with a sum of vectors for targets, and returns its path.
func addBundle(t *testing.T, targets ...string) string {
	t.Helper()
	m, err := nereid.Load(path(t, "kernels", "vector_add.py"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("add_kernel")
	if err != nil {
		t.Fatal(err)
	}
	w := &format.Writer{}
	for _, target := range targets {
		c, err := k.CompileFor(t.Context(), target, "*fp32, *fp32, *fp32, i32, 256", nereid.Options{}, "")
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := c.Save(&file); err != nil {
			t.Fatal(err)
		}
		saved, err := code.ReadSaved(&file)
		if err != nil {
			t.Fatal(err)
		}
		e, parts, err := format.NewEntry("add", "", "vector_add.py", saved)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Add(e, parts); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if _, err := w.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "add.nrb")
	if err := os.WriteFile(name, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestRunVersion: the version of libnereid_run has the identity of the library, not of the program around it,
// since choices that are kept belong to the library's code.
func TestRunVersion(t *testing.T) {
	t.Parallel()
	lib, dir := library(t), t.TempDir()
	var versions []string
	for _, text := range []string{"puts(nereid_version()) < 0", "puts(nereid_version()) < 0 || puts(\"\") < 0"} {
		source, program := filepath.Join(dir, "program.c"), filepath.Join(dir, "program")
		text = "#include <nereid.h>\n#include <stdio.h>\nint main(void) { return " + text + "; }\n"
		if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		command(t, "", nil, txtest.Tool(t, "cc"), "-DNEREID_RUN", "-I", lib, source, "-o", program, "-L", lib,
			"-lnereid_run", "-Wl,-rpath,"+lib)
		versions = append(versions, strings.TrimSpace(command(t, "", environment(t), program)))
	}
	if versions[0] == "" || versions[0] != versions[1] {
		t.Errorf("two programs with one library: %q", versions)
	}
}

// TestRunLibrary runs a kernel of a bundle with libnereid_run, from C with the shared library and from C++
// with the archive, where there is no LLVM: on the CPU, and on a stub of the CUDA driver.
func TestRunLibrary(t *testing.T) {
	t.Parallel()
	lib, bundle := library(t), addBundle(t, "cpu", "cuda:90")
	env := append(environment(t), "NEREID_LLVM=/nowhere/libLLVM.so")
	for _, l := range languages {
		program := filepath.Join(t.TempDir(), "program")
		args := slices.Concat([]string{"-DNEREID_RUN", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I", lib},
			l.flags, []string{path(t, "capi", "test", "programs", "bundle.c"), "-x", "none", "-o", program})
		if l.name == "C" {
			args = append(args, "-L", lib, "-lnereid_run", "-Wl,-rpath,"+lib)
		} else {
			args = append(args, filepath.Join(lib, "libnereid_run.a"))
		}
		command(t, "", nil, txtest.Tool(t, l.compiler), append(args, "-ldl", "-lpthread")...)
		if out := command(t, "", env, program, "cpu", bundle); out != "ok\n" {
			t.Errorf("%s: %s", l.name, out)
		}
		if l.name == "C" {
			env := append(slices.Clone(env), "NEREID_CUDA="+stub.Build(t))
			if out := command(t, "", env, program, "cuda:0", bundle); out != "ok\n" {
				t.Error(out)
			}
		}
	}
}

// TestRunSize bounds libnereid_run.so and holds it to what nereid.h declares with NEREID_RUN.
func TestRunSize(t *testing.T) {
	lib := library(t)
	name := filepath.Join(lib, "libnereid_run.so")
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("libnereid_run.so has %d bytes", info.Size())
	if info.Size() > runBytes {
		t.Errorf("libnereid_run.so has %d bytes, more than %d", info.Size(), runBytes)
	}
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	declared := command(t, "", nil, txtest.Tool(t, "cc"), "-E", "-P", "-DNEREID_RUN",
		filepath.Join(lib, "nereid.h"))
	var names []string
	for _, s := range list {
		if s.Section != elf.SHN_UNDEF {
			names = append(names, s.Name)
		}
	}
	for _, n := range names {
		if !strings.Contains(declared, n+"(") {
			t.Errorf("%s is visible, and nereid.h does not have it with NEREID_RUN", n)
		}
	}
	for _, n := range []string{"nereid_bundle_open", "nereid_code_launch", "nereid_tensor_new"} {
		if !slices.Contains(names, n) {
			t.Errorf("there is no %s among %d functions", n, len(names))
		}
	}
	if slices.Contains(names, "nereid_module_load") || strings.Contains(declared, "nereid_module_load(") {
		t.Error("nereid_module_load compiles")
	}
}
