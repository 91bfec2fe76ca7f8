package test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/device/nvidia/driver/stub"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// installed returns a folder in which the library is installed.
func installed(t *testing.T) string {
	t.Helper()
	lib, prefix := library(t), t.TempDir()
	command(t, "", nil, path(t, "scripts", "install-capi"), prefix, lib)
	return prefix
}

var warnings = []string{"-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"}

// checks builds a program of checks of nereid.hpp with all warnings.
func checks(t *testing.T, source string, flags ...string) string {
	t.Helper()
	lib, out := library(t), filepath.Join(t.TempDir(), "program")
	command(t, "", nil, txtest.Tool(t, "c++"), slices.Concat(warnings, flags, []string{"-std=c++17",
		"-I" + path(t, "capi"), path(t, "capi", "test", "cxx", source), "-o", out,
		"-L" + lib, "-lnereid", "-lpthread", "-ldl", "-Wl,-rpath," + lib})...)
	return out
}

// passes runs a program that prints how many of its checks failed.
func passes(t *testing.T, env []string, program string, args ...string) {
	t.Helper()
	if out := command(t, path(t), env, program, args...); !strings.Contains(out, ": 0 of ") {
		t.Error(out)
	}
}

// TestHeader runs the checks of nereid.hpp, with the kernels of rules.py: arguments, launches, frozen
// specializations, errors, threads.
func TestHeader(t *testing.T) {
	t.Parallel()
	program, env := checks(t, "test_hpp.cpp"), environment(t)
	for _, device := range []string{device(), "interp", "sim:90"} {
		passes(t, env, program, device, path(t, "capi", "test", "cxx"))
	}
}

// TestHeaderSanitized runs them under the address sanitizer, with leaks, and that for undefined behaviour.
// Names that belong to functions of get_instance, which stay, are known to Go alone: the sanitizer takes them
// for leaks. TestSanitizer says when.
func TestHeaderSanitized(t *testing.T) {
	t.Parallel()
	if chosen := txtest.Sample(t, 2); !chosen(1) {
		return
	}
	program := checks(t, "test_hpp.cpp", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
	known := filepath.Join(t.TempDir(), "known")
	if err := os.WriteFile(known, []byte("leak:libnereid.so\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	env := append(environment(t), "LSAN_OPTIONS=print_suppressions=0:suppressions="+known)
	passes(t, env, program, "cpu", path(t, "capi", "test", "cxx"))
}

// TestContext launches in contexts of the program's own on a stub of the CUDA driver, where kernels do
// nothing, or on the GPU NEREID_TEST_DEVICE.
func TestContext(t *testing.T) {
	t.Parallel()
	program, env := checks(t, "test_context.cpp"), environment(t)
	if device() == "cpu" {
		env = append(env, "NEREID_CUDA="+stub.Build(t))
	}
	passes(t, env, program, device(), path(t, "capi", "test", "cxx"))
}

// TestWarnings compiles the header with every compiler that is here: warnings are errors.
func TestWarnings(t *testing.T) {
	for _, c := range []struct{ compiler, std string }{
		{"g++", "c++20"}, {"clang++", "c++17"}, {"clang++", "c++20"},
	} {
		t.Run(c.compiler+" "+c.std, func(t *testing.T) {
			t.Parallel()
			txtest.Tool(t, c.compiler)
			command(t, "", nil, c.compiler,
				append(slices.Clip(warnings), "-std="+c.std, "-fsyntax-only",
					"-I"+path(t, "capi"), path(t, "capi", "test", "cxx", "test_hpp.cpp"))...)
		})
	}
}

// TestRefusedTypes compiles calls whose arguments cannot be arguments: the compiler's messages tell why.
func TestRefusedTypes(t *testing.T) {
	t.Parallel()
	cases := []struct{ arg, want string }{
		{"(void *)nullptr", "a void pointer has no element type"},
		{"(S *)nullptr", "specialize nereid::Element"},
		{"S()", "this type is no argument of a kernel"},
		{"E::one", "with T = E"},
		{"1.0L", "long double is no type of Triton"},
	}
	text := "#include <nereid.hpp>\nstruct S {};\nenum class E { one };\n"
	for i, c := range cases {
		text += fmt.Sprintf("void f%d(nereid::TritonJITFunction &k) { k(nullptr, 1, 1, 1, 4, 3, %s); }\n",
			i, c.arg)
	}
	source := filepath.Join(t.TempDir(), "refused.cpp")
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(txtest.Tool(t, "g++"), "-std=c++17", "-fsyntax-only", "-I"+path(t, "capi"), source)
	out, err := cmd.CombinedOutput()
	for _, c := range cases {
		if err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v\n%s\nwant %s", c.arg, err, out, c.want)
		}
	}
}

// operators builds the operators with CMake's find_package and returns the folder of the build.
func operators(t *testing.T, flags ...string) string {
	t.Helper()
	cmake, build := txtest.Tool(t, "cmake"), t.TempDir()
	command(t, "", nil, cmake, append([]string{"-S", path(t, "capi", "examples", "operators"), "-B", build,
		"-DCMAKE_PREFIX_PATH=" + installed(t)}, flags...)...)
	command(t, "", nil, cmake, "--build", build)
	return build
}

// TestSubproject builds a program in a project that has the library as a part, by FetchContent.
func TestSubproject(t *testing.T) {
	t.Parallel()
	library(t) // Go has compiled what the project's build links
	cmake, dir := txtest.Tool(t, "cmake"), t.TempDir()
	for name, text := range map[string]string{
		"CMakeLists.txt": `cmake_minimum_required(VERSION 3.18)
project(program C CXX)
include(FetchContent)
FetchContent_Declare(nereid SOURCE_DIR "` + path(t) + `" SOURCE_SUBDIR capi)
FetchContent_MakeAvailable(nereid)
add_executable(program program.c)
target_link_libraries(program PRIVATE nereid::nereid)
add_executable(program_cxx program.cpp)
target_link_libraries(program_cxx PRIVATE nereid::nereid)
`,
		"program.c": "#include <nereid.h>\n#include <stdio.h>\n" +
			"int main(void) { return puts(nereid_version()) < 0; }\n",
		"program.cpp": "#include <nereid.hpp>\n#include <cstdio>\n" +
			"int main() { return puts(nereid_version()) < 0; }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	build := filepath.Join(dir, "build")
	command(t, "", nil, cmake, "-S", dir, "-B", build)
	command(t, "", nil, cmake, "--build", build)
	for _, name := range []string{"program", "program_cxx"} {
		if out, err := exec.Command(filepath.Join(build, name)).CombinedOutput(); err != nil || len(out) < 2 {
			t.Errorf("%s: %v, %q", name, err, out)
		}
	}
}

// TestOperators compares the results of the operators with references.
func TestOperators(t *testing.T) {
	t.Parallel()
	build, env := operators(t), environment(t)
	for _, device := range []string{device(), "interp", "sim:90"} {
		passes(t, env, filepath.Join(build, "test_operators"), device)
	}
}

// TestTorch compares the operators with PyTorch's, where its package is installed: for python3, or in the
// folder NEREID_TORCH.
func TestTorch(t *testing.T) {
	t.Parallel()
	torch := os.Getenv("NEREID_TORCH")
	if torch == "" {
		const find = "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
		out, err := exec.Command("python3", "-c", find).Output()
		if err != nil {
			txtest.Need(t, "torch", errors.New("python3 has no torch; NEREID_TORCH may name its folder"))
		}
		torch = strings.TrimSpace(string(out))
	}
	build := operators(t, "-DOPERATORS_TORCH="+torch)
	nvidia, err := filepath.Glob(filepath.Join(filepath.Dir(torch), "nvidia", "*", "lib"))
	if err != nil {
		t.Fatal(err)
	}
	libraries := "LD_LIBRARY_PATH=" + strings.Join(append(nvidia, filepath.Join(torch, "lib")), ":")
	passes(t, append(environment(t), libraries), filepath.Join(build, "test_torch"), "cpu")
}

// TestPkgConfig builds a program with the flags of the pkg-config file.
func TestPkgConfig(t *testing.T) {
	t.Parallel()
	prefix, program := installed(t), filepath.Join(t.TempDir(), "program")
	flags := command(t, "", []string{"PKG_CONFIG_PATH=" + filepath.Join(prefix, "lib", "pkgconfig")},
		txtest.Tool(t, "pkg-config"), "--cflags", "--libs", "nereid >= 1.0")
	command(t, "", nil, txtest.Tool(t, "c++"), slices.Concat([]string{"-std=c++17",
		path(t, "capi", "test", "cxx", "first.cpp"), "-o", program}, strings.Fields(flags),
		[]string{"-Wl,-rpath," + filepath.Join(prefix, "lib")})...)
	out := command(t, "", environment(t), program, path(t, "kernels", "vector_add.py"))
	if out != "3 3 3\n" {
		t.Errorf("%q", out)
	}
}
