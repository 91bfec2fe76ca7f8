package txtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// Tool is the path of the first of these programs that is installed, or else the test needs it. The names
// are one tool's, the preferred one first.
func Tool(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	missing(t, toolOf(names[0]), "%s is not installed", strings.Join(names, " or "))
	return ""
}

// toolOf returns the name by which NEREID_REQUIRE_TOOLS knows a program.
func toolOf(program string) string {
	if tool, ok := map[string]string{"cc": "gcc", "g++": "gcc", "redis-server": "redis",
		"node": "onnxruntime-node"}[program]; ok {
		return tool
	}
	return program
}

// llvmVersion is the LLVM whose text we write: other versions read other dialects of it.
const llvmVersion = "22"

// LLVMTool is the path of a tool that comes with LLVM, such as mlir-opt or llc, in the version that the
// tests are written for; or else the test is skipped.
func LLVMTool(t testing.TB, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name + "-" + llvmVersion); err == nil {
		return path
	}
	if path, err := exec.LookPath(name); err == nil {
		out, _ := exec.CommandContext(t.Context(), path, "--version").Output()
		if strings.Contains(string(out), "version "+llvmVersion+".") {
			return path
		}
	}
	missing(t, "llvm-tools", "%s of LLVM %s is not installed", name, llvmVersion)
	return ""
}

// MLIROpt is the path of MLIR's own optimizer.
func MLIROpt(t testing.TB) string { t.Helper(); return LLVMTool(t, "mlir-opt") }

// FileCheck is the path of LLVM's FileCheck.
func FileCheck(t testing.TB) string { t.Helper(); return LLVMTool(t, "FileCheck") }

// Triton is the path of a Python that can import Triton: the one in .venv, which `make setup` makes.
func Triton(t testing.TB) string {
	t.Helper()
	python := filepath.Join(Root(t), ".venv", "bin", "python")
	if runtime.GOOS == "windows" {
		python = filepath.Join(Root(t), ".venv", "Scripts", "python.exe")
	}
	if requires("triton") && exists(python) {
		return python // whoever set the variable has imported Triton: scripts/setup --have does
	}
	if err := canImportTriton(python); err != nil {
		missing(t, "triton", "triton is not installed in .venv: %v", err)
	}
	return python
}

// Installed is the path of a file that `make setup` puts below .venv, found by a pattern; or else the test
// needs the tool that has it.
func Installed(t testing.TB, tool, pattern string) string {
	t.Helper()
	dir := Root(t)
	for up := filepath.Dir(dir); !exists(filepath.Join(dir, ".venv")) && up != dir; up = filepath.Dir(dir) {
		dir = up // a module inside of ours
	}
	found, err := filepath.Glob(filepath.Join(dir, ".venv", filepath.FromSlash(pattern)))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		missing(t, tool, "there is no .venv/%s", pattern)
	}
	return found[0]
}

// Oracle runs peer/oracle.py with the Python that has Triton, and returns what it printed and how it ended.
func Oracle(t testing.TB, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), Triton(t),
		append([]string{Path(t, "peer", "oracle.py")}, args...)...)
	cmd.Env = append(os.Environ(), "TRITON_CACHE_DIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// canImportTriton tries it, once for each Python: it takes half a second.
func canImportTriton(python string) error {
	try, _ := imports.LoadOrStore(python, sync.OnceValue(func() error {
		out, err := exec.Command(python, "-c", "import triton").CombinedOutput()
		if err != nil && len(out) > 0 {
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			err = fmt.Errorf("%w: %s", err, lines[len(lines)-1])
		}
		return err
	}))
	return try.(func() error)()
}

var imports sync.Map // of Python's path to func() error
