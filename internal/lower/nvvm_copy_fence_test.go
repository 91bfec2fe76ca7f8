package lower

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/target/nvidia/ptxsim"
)

// TestCopyFences: on request, a proxy fence follows each wait for copies that products of warp groups read,
// and no other wait: those behind the loops have none. A simulator that wants the fences reports a product
// without.
func TestCopyFences(t *testing.T) {
	for name, fences := range map[string]int{"matmul_f16": 1, "attention_d64": 1} {
		for _, with := range []bool{false, true} {
			mod := parseIR(t, name+".ttgir", goldenFile(t, "cuda-90", name, "ttgir"))
			opts := testOptions(mod, 90)
			opts.CopyFences = with
			l, _, _ := expected(t, "cuda-90", name)
			k, ptx := compileWith(t, mod, l.kernel, 90, opts)
			want := 0
			if with {
				want = fences
			}
			if n := behindWaits(string(ptx)); n != want {
				t.Errorf("%s: %d waits for copies have a fence behind them, not %d", name, n, want)
			}
			for _, wants := range []bool{false, true} {
				_, _, mem := expected(t, "cuda-90", name)
				_, err := simulate(ptx, k.Shared, l, mem, ptxsim.Launch{CopyFences: wants})
				missed := err != nil && strings.Contains(err.Error(), "no fence.proxy.async shows it")
				if missed != (wants && !with) || err != nil && !missed {
					t.Errorf("%s, fences: %v, wanted: %v: %v", name, with, wants, err)
				}
			}
		}
	}
}

// behindWaits counts the waits for copies that a proxy fence follows before anything else.
func behindWaits(ptx string) (n int) {
	for _, rest := range strings.Split(ptx, "cp.async.wait_group")[1:] {
		for _, line := range strings.Split(rest, "\n")[1:] {
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, "//") || strings.HasPrefix(line, ".loc") {
				continue
			}
			if strings.HasPrefix(line, "fence.proxy.async.shared::cta") {
				n++
			}
			break
		}
	}
	return n
}
