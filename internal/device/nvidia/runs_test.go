package nvidia

import (
	"strings"
	"testing"
)

// Cubins run on their generation from their architecture on, PTX on everything later, sm_90a on itself.
func TestRuns(t *testing.T) {
	for _, c := range []struct {
		on             int
		stage, machine string
		want           string
	}{
		{90, "cubin", "sm_90a", ""},
		{90, "ptx", "sm_90a", ""},
		{90, "ptx", "sm_80", ""},
		{90, "cubin", "sm_80", "does not run on sm_90; PTX would"},
		{86, "cubin", "sm_80", ""},
		{80, "cubin", "sm_86", "for sm_86 and later GPUs, and this is sm_80"},
		{80, "ptx", "sm_89", "for sm_89 and later"},
		{100, "ptx", "sm_90a", "runs there alone"},
		{100, "cubin", "sm_90a", "runs there alone"},
		{100, "ptx", "sm_80", ""},
		{90, "obj", "x86_64-linux x86-64 +sse", "which runs code for sm_90a"},
		{90, "obj", "sm_90a", "which runs code for sm_90a"},
		{90, "ptx", "sm_banana", "which runs code for sm_90a"},
	} {
		err := GPU{Capability: c.on}.Runs(c.stage, c.machine)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s on sm_%d: %v", c.stage, c.machine, c.on, err)
		}
	}
}
