package cform

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// runtimeSource returns the C source of what all forms share. Its tables are elsewhere.
func runtimeSource() string {
	w := &writer{prefix: "PREFIX"}
	return typesText + onnxTypesText + steps() + formSteps() +
		w.named(runtimeText+formsText+cudaText+hipText+hostText+apiText+verifyText+groupText+onnxText)
}

// TestRuntimeIR checks that runtime_*.ll.gz are made of the C source as it is now. UPDATE_GOLDEN=1 makes them
// anew, where NEREID_CLANG is a clang with the headers of both architectures: clang-22, with
// libc6-dev-arm64-cross. NEREID_CLANG_ARM64 adds flags for the second one.
func TestRuntimeIR(t *testing.T) {
	source := runtimeSource()
	mark := fmt.Sprintf("; of C source %x\n", sha256.Sum256([]byte(headText+source)))
	for _, arch := range archs {
		if clang := strings.Fields(os.Getenv("NEREID_CLANG")); txtest.Updating() && len(clang) > 0 {
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			if _, err := io.WriteString(w, mark+runtimeIR(t, clang, arch.name, source)); err != nil ||
				w.Close() != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile("runtime_"+arch.name+".ll.gz", packed.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Logf("%s is new", arch.name)
			continue
		}
		if text, err := runtimeFor(arch.name); err != nil || !strings.HasPrefix(text, mark) {
			t.Errorf("runtime_%s.ll.gz is not made of the C source as it is (%v): NEREID_CLANG=clang-22 "+
				"UPDATE_GOLDEN=1 go test ./internal/cform -run TestRuntimeIR", arch.name, err)
		}
	}
}

// TestRuntimeCompiles: LLVM makes object files of the runtime, and of tables and functions, for both
// architectures.
func TestRuntimeCompiles(t *testing.T) {
	lib := txtest.LLVM(t, llvm.Load)
	args := []code.SavedArg{{Name: "x", Type: "fp32", Pointer: true}, {Name: "n", Type: "i32"},
		{Name: "f", Type: "fp32"}, {Name: "d", Type: "fp64"}, {Name: "b", Type: "i1"},
		{Name: "h", Type: "fp16"}}
	w := &writer{prefix: "t", blobs: []blob{{name: "code_0", data: []byte("a\x00\"\\\xff")}},
		calls: []function{{id: "v", symbol: "none", grid: true, args: args},
			{id: "g", symbol: "none", group: true, grid: true, args: args},
			{id: "s", symbol: "none", group: true, sizes: []string{"n", "m"}, args: args}},
		tables: []table{{name: "none",
			rows: [][]cell{{int64(-1), 0.5, "text", ref("code_0"), ref(""), ref("AT_t_host")}}},
			{name: "empty"}, {name: "zero", variable: true, zeros: 3}}}
	for _, arch := range archs {
		target, err := lib.Chip(arch.family, arch.name+"-unknown-linux-gnu", arch.cpu, "")
		if err != nil {
			t.Log(err)
			continue
		}
		text, err := runtimeFor(arch.name)
		if err != nil {
			t.Fatal(err)
		}
		for name, ir := range map[string][]byte{"runtime": []byte(text), "tables": w.ir(arch.name)} {
			o := llvm.Options{Name: name, Target: target, Level: llvm.O1, Emit: llvm.EmitObj}
			if out, err := lib.Compile(t.Context(), ir, o); err != nil || len(out.Obj) == 0 {
				t.Errorf("%s for %s: %v", name, arch.name, err)
			}
		}
	}
}

// runtimeIR has clang make LLVM IR, which older LLVMs read too: nothing is optimized yet.
func runtimeIR(t *testing.T, clang []string, arch, source string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"PREFIX.h": headText +
		"#ifdef __cplusplus\n}\n#endif\n#endif\n", "runtime.c": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := append(clang[1:len(clang):len(clang)], "--target="+arch+"-linux-gnu", "-std=gnu11",
		"-O1", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing", "-fno-ident", "-Xclang",
		"-disable-llvm-passes", "-Xclang", "-disable-lifetime-markers", "-S", "-emit-llvm", "-o", "-",
		"runtime.c")
	if arch == "aarch64" {
		args = append(args, strings.Fields(os.Getenv("NEREID_CLANG_ARM64"))...)
	}
	cmd := exec.Command(clang[0], args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	text := string(out)
	for _, change := range [][2]string{
		{`getelementptr inbounds nuw`, `getelementptr inbounds`},
		{`(?m)^; ModuleID.*\n`, ""}, {`(?m)^source_filename.*\n`, ""},
		{` "target-features"="[^"]*"`, ""}, {` "tune-cpu"="[^"]*"`, ""}, {` "target-cpu"="[^"]*"`, ""},
	} {
		text = regexp.MustCompile(change[0]).ReplaceAllString(text, change[1])
	}
	return text
}
