package memfuzz

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/fingerprint"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestFingerprint compiles random kernels of one seed and compares the code with a table.
func TestFingerprint(t *testing.T) {
	txtest.LLVMTool(t, "opt")
	targets := []fingerprint.Target{{Name: "cuda:90"}, {Name: "cpu:x86-64-v3"}, {Name: "hip:gfx942"},
		{Name: "cuda:90", Way: device.Way{Fallback: true, Merge: 2}},
		{Name: "cuda:90", Way: device.AnyLaunch}}
	var rows []fingerprint.Row
	for i := range uint64(120) {
		c := generate(31, i, i%2 == 1).Case()
		k, err := c.kernel()
		if err != nil {
			t.Fatal(err)
		}
		sig, err := k.Signature(c.args(c.memory(), true)...)
		if err != nil {
			t.Fatal(err)
		}
		to := targets[i%uint64(len(targets))]
		o := device.Options{NumWarps: c.Warps, NumCTAs: c.CTAs, Check: c.Check, Overlap: c.Overlap}
		if to.Name == "hip:gfx942" { // which has neither
			o.NumCTAs, o.Check = 1, false
		}
		rows = append(rows, fingerprint.Row{Targets: []fingerprint.Target{to},
			Kernel: fingerprint.Kernel{Name: fmt.Sprint("kernel-", i), Source: jit.Source(k),
				Kernel: k.Name(), Signature: sig, Options: o}})
	}
	fingerprint.Compare(t, "testdata/fingerprint.txt", rows)
}
