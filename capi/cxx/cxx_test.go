// Package cxx tests the C++ side of the library: nereid.hpp, the CMake package, the pkg-config file, and the
// operators of capi/examples/operators. The kernels of the header's own checks are in testdata/rules.py.
package cxx

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// installed returns the folder that the library is installed in, for all tests of this package.
var installed = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "nereid-cxx")
	if err != nil {
		return "", err
	}
	for _, args := range [][]string{
		{"../../scripts/build-capi", filepath.Join(dir, "built")},
		{"../../scripts/install-capi", filepath.Join(dir, "prefix"), filepath.Join(dir, "built")},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "NEREID_CAPI_SO=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			return dir, fmt.Errorf("%s: %w\n%s", args[0], err, out)
		}
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, _ := installed(); dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// prefix returns where the library is installed. A missing tool skips the test by name.
func prefix(t *testing.T, tools ...string) string {
	t.Helper()
	for _, tool := range append(tools, "cc", "g++") {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("NEREID_REQUIRE_TOOLS") == "1" {
				t.Fatalf("%s is not installed", tool)
			}
			t.Skipf("skipped: no %s", tool)
		}
	}
	dir, err := installed()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "prefix")
}

// run returns the output of a command that succeeds, and fails the test with it if it does not.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := command(t, name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func command(t *testing.T, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), "NEREID_CACHE_DIR="+cacheDir(t))
	return cmd
}

// cacheDir returns a folder in which the processes of a test share compiled kernels.
func cacheDir(t *testing.T) string { return filepath.Join(filepath.Dir(t.TempDir()), "cache") }

// compilers returns the C++ compilers of this machine.
func compilers() []string {
	var found []string
	for _, name := range []string{"g++", "clang++"} {
		if _, err := exec.LookPath(name); err == nil {
			found = append(found, name)
		}
	}
	return found
}

var warnings = []string{"-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"}

// passes runs a program that prints how many of its checks failed.
func passes(t *testing.T, program string, args ...string) {
	t.Helper()
	out := run(t, program, args...)
	if !strings.Contains(out, ": 0 of ") {
		t.Error(out)
	}
}

// TestWarnings compiles the header with every compiler and standard: warnings are errors.
func TestWarnings(t *testing.T) {
	dir := prefix(t)
	for _, compiler := range compilers() {
		for _, std := range []string{"c++17", "c++20"} {
			run(t, compiler, append(warnings, "-std="+std, "-fsyntax-only", "-I"+dir+"/include",
				"testdata/test_hpp.cpp")...)
		}
	}
}

// TestRefusedTypes compiles calls whose arguments cannot be arguments: the compiler's messages tell why.
func TestRefusedTypes(t *testing.T) {
	dir := prefix(t)
	cases := []struct{ arg, want string }{
		{"(void *)nullptr", "a void pointer has no element type"},
		{"(S *)nullptr", "specialize nereid::Element"},
		{"S()", "this type is no argument of a kernel"},
		{"E::one", "[with T = E;"},
		{"1.0L", "long double is no type of Triton"},
	}
	text := "#include <nereid.hpp>\nstruct S {};\nenum class E { one };\n"
	for i, c := range cases {
		text += fmt.Sprintf("void f%d(nereid::TritonJITFunction &k) { k(nullptr, 1, 1, 1, 4, 3, %s); }\n", i, c.arg)
	}
	source := filepath.Join(t.TempDir(), "refused.cpp")
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := command(t, "g++", "-std=c++17", "-fsyntax-only", "-I"+dir+"/include", source).CombinedOutput()
	for _, c := range cases {
		if err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v\n%s\nwant %s", c.arg, err, out, c.want)
		}
	}
}

// TestOperators builds the operators with find_package and compares their results with references.
func TestOperators(t *testing.T) {
	dir, out := prefix(t, "cmake"), t.TempDir()
	run(t, "cmake", "-S", "../examples/operators", "-B", out, "-DCMAKE_PREFIX_PATH="+dir)
	run(t, "cmake", "--build", out)
	for _, device := range []string{"cpu", "interp", "sim:90"} {
		passes(t, filepath.Join(out, "test_operators"), device)
	}
}

// TestPkgConfig builds a program with the flags of the pkg-config file, in a tree that was moved.
func TestPkgConfig(t *testing.T) {
	dir, moved := prefix(t, "pkg-config"), filepath.Join(t.TempDir(), "moved")
	run(t, "cp", "-a", dir, moved)
	pkg := command(t, "pkg-config", "--cflags", "--libs", "nereid >= 1.0")
	pkg.Env = append(pkg.Env, "PKG_CONFIG_PATH="+moved+"/lib/pkgconfig")
	flags, err := pkg.CombinedOutput()
	if err != nil || !strings.Contains(string(flags), "-lnereid") {
		t.Fatalf("%v\n%s", err, flags)
	}
	program := filepath.Join(t.TempDir(), "program")
	args := append([]string{"-std=c++17", "testdata/first.cpp", "-o", program, "-Wl,-rpath," + moved + "/lib"},
		strings.Fields(string(flags))...)
	run(t, "g++", args...)
	if got := run(t, program, "../../kernels/vector_add.py"); got != "3 3 3\n" {
		t.Errorf("%q", got)
	}
}

// TestTorch compares the operators with PyTorch's, where its package is installed: for python3, or in the
// folder NEREID_TORCH.
func TestTorch(t *testing.T) {
	torch := os.Getenv("NEREID_TORCH")
	if torch == "" {
		const find = "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
		out, err := exec.Command("python3", "-c", find).Output()
		if err != nil {
			t.Skip("skipped: no torch for python3; NEREID_TORCH may name its folder")
		}
		torch = strings.TrimSpace(string(out))
	}
	dir, out := prefix(t, "cmake"), t.TempDir()
	run(t, "cmake", "-S", "../examples/operators", "-B", out, "-DCMAKE_PREFIX_PATH="+dir,
		"-DOPERATORS_TORCH="+torch)
	run(t, "cmake", "--build", out)
	cmd := command(t, filepath.Join(out, "test_torch"), "cpu")
	nvidia, _ := filepath.Glob(filepath.Join(filepath.Dir(torch), "nvidia", "*", "lib"))
	cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+strings.Join(append(nvidia, torch+"/lib"), ":"))
	text, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(text), ": 0 of ") {
		t.Errorf("%v\n%s", err, text)
	}
}
