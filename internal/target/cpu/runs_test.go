package cpu

import (
	"runtime"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
	devcpu "github.com/nereid-lang/nereid/internal/device/cpu"
	"github.com/nereid-lang/nereid/internal/device/cpu/cpuid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// Code runs where the processor has what it was compiled for; elsewhere the error says what is missing.
func TestRuns(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		txtest.NotHere(t, "the test knows linux/amd64")
	}
	d := newDevice(devcpu.New(), NewCompiler())
	const host = "x86_64-unknown-linux-gnu "
	for _, c := range []struct{ stage, machine, want string }{
		{"obj", host + "x86-64 +sse,+sse2", ""},
		{"obj", host + "x86-64-v9 +sse2,+avx9,+avx10", "for x86-64-v9, and this processor (linux/amd64"},
		{"obj", host + "x86-64-v9 +sse2,+avx9,+avx10", "lacks avx9, avx10"},
		{"obj", host + "x +a,+b,+c,+d,+e,+f,+g", "lacks a, b, c, d, e, 2 more"},
		{"obj", "aarch64-unknown-linux-gnu generic +neon",
			"for linux/arm64 (generic), and this is linux/amd64"},
		{"obj", "x86_64-pc-windows-msvc x86-64 +sse2", "for windows/amd64"},
		{"ptx", "sm_90", "runs object files"},
		{"obj", "", "runs object files"},
	} {
		err := d.Runs(c.stage, c.machine)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.machine, err)
		}
	}
	for _, c := range chips { // rows of the table are held against the processor
		err := d.Runs("obj", c.family.triple+" "+c.level+" "+c.features)
		if here := c.family == x86 && len(cpuid.Missing(c.features)) == 0; (err == nil) != here {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if own := d.Machine(); own != "" && device.Runs(d, "obj", own) != nil {
		t.Errorf("the host does not run its own code: %v", device.Runs(d, "obj", own))
	}
}
