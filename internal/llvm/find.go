package llvm

import (
	"fmt"
	"runtime"

	"github.com/nereid-lang/nereid/internal/dl"
	"github.com/nereid-lang/nereid/internal/knob"
)

// The versions whose C API we know.
const (
	minVersion = 17
	maxVersion = 22
)

const hint = "to install it: apt install libllvm22 (Debian, Ubuntu), dnf install llvm-libs (Fedora), " +
	"pacman -S llvm-libs (Arch), brew install llvm (macOS); or set NEREID_LLVM to the full path of libLLVM"

// candidates is the search order: NEREID_LLVM alone if it is set; otherwise for each version, newest first,
// the names that the system's loader knows and then the folders where distributions keep it; then libraries
// without a version in their name.
func candidates() []dl.Candidate {
	if path := knob.LLVM.Get(); path != "" {
		return []dl.Candidate{path}
	}
	var list []dl.Candidate
	for v := maxVersion; v >= minVersion; v-- {
		list = append(list, names(runtime.GOOS, v)...)
	}
	return append(list, unversioned[runtime.GOOS]...)
}

func names(goos string, version int) []dl.Candidate {
	patterns := versioned[goos]
	list := make([]dl.Candidate, len(patterns))
	for i, p := range patterns {
		list[i] = fmt.Sprintf(p, version)
	}
	return list
}

// versioned has a verb for the version in each pattern.
var versioned = map[string][]string{
	"linux": {
		"libLLVM.so.%d.1", // Debian, Ubuntu, Arch, Fedora; from 18 on
		"libLLVM-%d.so",   // Fedora; up to 17 everywhere
		"libLLVM-%d.so.1", // Debian, up to 17
		"/usr/lib/llvm-%d/lib/libLLVM.so",
		"/usr/lib/llvm%d/lib/libLLVM.so",     // Arch, Alpine
		"/usr/lib64/llvm%d/lib64/libLLVM.so", // Fedora
		"/usr/local/lib/libLLVM.so.%d.1",
	},
	"darwin": {
		"/opt/homebrew/opt/llvm@%d/lib/libLLVM.dylib",
		"/usr/local/opt/llvm@%d/lib/libLLVM.dylib",
		"/opt/local/libexec/llvm-%d/lib/libLLVM.dylib", // MacPorts
	},
	"freebsd": {"/usr/local/llvm%d/lib/libLLVM.so"},
}

var unversioned = map[string][]dl.Candidate{
	"linux": {"libLLVM.so", "/usr/local/lib/libLLVM.so"},
	"darwin": {"/opt/homebrew/opt/llvm/lib/libLLVM.dylib", "/usr/local/opt/llvm/lib/libLLVM.dylib",
		"libLLVM.dylib"},
	"windows": {"LLVM-C.dll", `C:\Program Files\LLVM\bin\LLVM-C.dll`},
}
