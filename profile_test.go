package nereid_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const profiled = `
import triton
import triton.language as tl

@triton.jit
def spinning_kernel(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i)
    for _ in range(n):
        v = v * 0.999 + 0.001
    tl.store(x + i, v)
`

// TestProfile samples a kernel: with Config.Profile the samples of all its threads carry its name, and a
// trace has regions by that name, by every way to launch. On a GPU the samples are those of the launches.
func TestProfile(t *testing.T) {
	for _, device := range []string{"interp", "cpu", "cuda"} {
		t.Run(device, func(t *testing.T) {
			if device == "cpu" {
				needLLVM(t)
			}
			spin := func(profile bool) {
				m, err := nereid.Parse("p.py", []byte(profiled), nereid.With(nereid.Config{Profile: profile}))
				if err != nil {
					t.Fatal(err)
				}
				k, err := m.Kernel("spinning_kernel")
				if err != nil {
					t.Fatal(err)
				}
				s := stream(t, device)
				x, err := nereid.NewTensor(s.Device(), nereid.Float32, 64*64)
				if err != nil {
					t.Fatal(err)
				}
				defer x.Close()
				b, err := k.Bind(s, x, 1000, 64)
				if err != nil {
					t.Fatal(err)
				}
				defer b.Close()
				for start := time.Now(); time.Since(start) < 150*time.Millisecond; {
					if err := k.Launch(s, nereid.Grid{64}, x, 1000, 64); err != nil {
						t.Fatal(err)
					}
					if err := b.Launch(nereid.Grid{64}); err != nil {
						t.Fatal(err)
					}
				}
				if err := s.Sync(); err != nil {
					t.Fatal(err)
				}
			}
			named := func() bool {
				text := cpuProfile(t, func() { spin(true) })
				return strings.Contains(text, "spinning_kernel") && strings.Contains(text, "device")
			}
			for try := 0; !named(); try++ { // a busy machine leaves few samples
				if try == 10 {
					t.Fatal("the profile does not name the kernel")
				}
			}
			if text := cpuProfile(t, func() { spin(false) }); strings.Contains(text, "spinning_kernel") {
				t.Error("labels without Config.Profile")
			}
			if _, ok := pprof.Label(context.Background(), "kernel"); ok {
				t.Error("a label is left")
			}
			var b bytes.Buffer
			if err := trace.Start(&b); err != nil {
				txtest.NotHere(t, "another trace runs: %v", err)
			}
			spin(true)
			trace.Stop()
			if !bytes.Contains(b.Bytes(), []byte("nereid launch spinning_kernel")) {
				t.Error("the trace does not name the kernel")
			}
		})
	}
}

// cpuProfile returns the text of a profile, in which names are in the clear.
func cpuProfile(t *testing.T, f func()) string {
	t.Helper()
	var b bytes.Buffer
	if err := pprof.StartCPUProfile(&b); err != nil {
		txtest.NotHere(t, "another profile is made: %v", err)
	}
	f()
	pprof.StopCPUProfile()
	r, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
