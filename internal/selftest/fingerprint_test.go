package selftest

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid"
	codes "github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/fingerprint"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
)

// TestFingerprint compiles configs of every kind, drawn once and for all, and compares the code with a table.
func TestFingerprint(t *testing.T) {
	var rows []fingerprint.Row
	for _, place := range []struct {
		device, target string
		configs        int // of a kind of weight 1
		way            func(n int) codes.Way
	}{
		{"sim:90", "cuda:90", 6, func(n int) codes.Way {
			blocks := []int{0, 0, codes.Many, 1, 2}[n%5]
			return codes.Way{Fallback: n%3 != 0, Persist: n%7 == 6, BlocksPerSM: blocks}
		}},
		{"sim:gfx942", "hip:gfx942", 2, func(int) codes.Way { return codes.Way{} }},
		{"sim:gfx1100", "hip:gfx1100", 1, func(int) codes.Way { return codes.Way{} }},
		{"sim:80", "cuda:80", 1, func(int) codes.Way { return codes.Way{} }},
	} {
		dev := device(t, place.device)
		p := placeOf(dev, place.target)
		e := &env{place: p, store: newStore(p), seed: 1, spare: newSpare()}
		for _, k := range kinds {
			for n := range place.configs * min(3, k.weight) {
				name := fmt.Sprintf("%s/%s/%d", place.target, k.name, n)
				c := k.draw(random(1, name), p)
				w, err := k.work(e, c)
				if err != nil {
					t.Fatalf("%s %s: %v", name, c, err)
				}
				to := fingerprint.Target{Name: place.target, Way: place.way(n)}
				rows = append(rows, fingerprint.Row{Kernel: w.described(t, name, k.file),
					Targets: []fingerprint.Target{to}})
				e.close()
			}
		}
	}
	fingerprint.Compare(t, "testdata/fingerprint.txt", rows)
}

// described returns the kernel of a work with the signature of its first launch.
func (w *work) described(t *testing.T, name, file string) fingerprint.Kernel {
	k, err := w.open(nereid.Config{}, file)
	if err != nil {
		t.Fatal(err)
	}
	sig, err := k.Signature(w.launches[0].args...)
	if err != nil {
		t.Fatal(err)
	}
	out := fingerprint.Kernel{Name: name, Source: jit.Source(k), Kernel: w.kernel, Signature: sig}
	for _, a := range w.launches[0].args {
		if o, ok := a.(nereid.Options); ok {
			out.Options = codes.Options(o)
		}
	}
	return out
}
