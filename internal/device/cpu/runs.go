package cpu

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/nereid-lang/nereid/internal/device/cpu/cpuid"
)

// Runs returns nil if this machine runs code that was compiled for a machine, as Machine describes it, and
// otherwise why not. The processor is asked itself: LLVM need not be here.
func (d *Device) Runs(stage, machine string) error {
	triple, rest, _ := strings.Cut(machine, " ")
	cpu, features, _ := strings.Cut(rest, " ")
	system := systemOf(triple)
	switch here := runtime.GOOS + "/" + runtime.GOARCH; {
	case stage != StageObj || system == "":
		return fmt.Errorf("this is %s, which runs object files for it", here)
	case system != here:
		return fmt.Errorf("the code is for %s (%s), and this is %s", system, cpu, here)
	}
	missing := cpuid.Missing(features)
	if len(missing) == 0 && strings.Contains(features, "+amx-") && !Tiles() {
		missing = []string{"AMX, which the system does not grant"}
	}
	own := d.Compiled != nil && machine == d.Compiled() // LLVM may know more than the tables
	if len(missing) == 0 || own {
		return nil
	}
	if more := len(missing) - maxNamed; more > 0 {
		missing = append(missing[:maxNamed:maxNamed], fmt.Sprintf("%d more", more))
	}
	return fmt.Errorf("the code is for %s, and this processor (%s) lacks %s", cpu, cpuid.Machine(),
		strings.Join(missing, ", "))
}

// maxNamed bounds the features that a message names.
const maxNamed = 5

// systemOf returns the system of a triple as GOOS/GOARCH, or "" for one that Go does not have.
func systemOf(triple string) string {
	arch, rest, _ := strings.Cut(triple, "-")
	goarch := map[string]string{"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64",
		"arm64": "arm64"}[arch]
	for _, s := range []struct{ in, goos string }{
		{"linux", "linux"}, {"darwin", "darwin"}, {"macos", "darwin"}, {"freebsd", "freebsd"},
		{"windows", "windows"},
	} {
		if goarch != "" && strings.Contains(rest, s.in) {
			return s.goos + "/" + goarch
		}
	}
	return ""
}
