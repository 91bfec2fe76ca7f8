package nvidia

import (
	"strings"
	"testing"
)

// TestSerializedProducts: code for more programs is taken unless the assembler says that its products of warp
// groups wait for each other, however little it keeps on the stack.
func TestSerializedProducts(t *testing.T) {
	const says = "ptxas info : (C7510) Potential Performance Loss: " + inTurn + " due to insufficient " +
		"register resources for the wgmma pipeline"
	for log, want := range map[string]string{
		"": "goal", "ptxas info : 0 bytes stack frame": "goal", says: "first",
	} {
		code := &Code{PTX: kernelPTX(4, mmaPTX), NumWarps: 4, Shared: 16 << 10}
		tries := 0
		got, err := GPU{Capability: 90}.assembleBest(code, func(ptx []byte, _ bool) (*assembled, error) {
			tries++
			if strings.Contains(string(ptx), ".minnctapersm") {
				return &assembled{cubin: []byte("goal"), use: use{registers: 96}, log: log}, nil
			}
			return &assembled{cubin: []byte("first"), use: use{registers: 104}}, nil
		})
		if err != nil || tries < 2 || string(got.cubin) != want {
			t.Errorf("log %q: %v after %d tries, error %v; want %s", log, got, tries, err, want)
		}
	}
}
