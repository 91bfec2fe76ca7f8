package nvidia

import (
	"strings"
	"testing"
)

// TestSerializedProducts: code for more blocks per SM whose products of warp groups wait for each other, as the
// assembler says, is taken for a second block, but not for a fifth, however little it keeps on the stack.
func TestSerializedProducts(t *testing.T) {
	const says = "ptxas info : (C7510) Potential Performance Loss: " + inTurn + " due to insufficient " +
		"register resources for the wgmma pipeline"
	for _, x := range []struct {
		log           string
		warps         int
		first, second int // registers
		want          string
	}{
		{"", 4, 104, 96, "goal"},
		{"ptxas info : 0 bytes stack frame", 4, 104, 96, "goal"},
		{says, 4, 104, 96, "first"},
		{says, 8, 154, 122, "goal"},
		{says, 8, 88, 80, "first"},
	} {
		code := &Code{PTX: kernelPTX(x.warps, mmaPTX), NumWarps: x.warps, Shared: 16 << 10}
		tries := 0
		got, err := GPU{Capability: 90}.assembleBest(code, func(ptx []byte, _ bool) (*assembled, error) {
			tries++
			a := &assembled{cubin: []byte("first"), use: use{registers: x.first}}
			if strings.Contains(string(ptx), ".minnctapersm") {
				a = &assembled{cubin: []byte("goal"), use: use{registers: x.second},
					log: func() string { return x.log }}
			}
			return a, nil
		})
		if err != nil || tries < 2 || string(got.cubin) != x.want {
			t.Errorf("%+v: %v after %d tries, error %v", x, got, tries, err)
		}
	}
}
