package nereid_test

import (
	"context"
	"errors"
	"testing"

	"github.com/nereid-lang/nereid"
)

const recordedKernels = `
import triton
import triton.language as tl

@triton.jit
def tile(x, y, s):
    r, c = tl.arange(0, 32), tl.arange(0, 32)
    v = tl.load(x + (tl.program_id(0) * 32 + r)[:, None] * s + c[None, :])
    tl.store(y + r[:, None] * 32 + c[None, :], v)

@triton.jit
def product(x, y, s):
    p, r = tl.program_id(0), tl.arange(0, 64)
    acc = tl.zeros((64, 64), tl.float32)
    a = x + (p * 64 + r)[:, None] * s + r[None, :]
    b = x + r[:, None] * s + r[None, :]
    for k in range(0, s, 64):
        acc = tl.dot(tl.load(a + k), tl.load(b + k * s), acc)
    tl.store(y + (p * 64 + r)[:, None] * s + r[None, :], acc.to(tl.float16))
`

// TestStubRecordOthers: a kernel may have further code, for arguments that no tensor map describes and for
// other numbers of programs, which is made when a launch first needs it. A launch that is recorded never
// waits for a compilation: it takes the code that is there, or is refused.
func TestStubRecordOthers(t *testing.T) {
	t.Setenv("NEREID_TILE_LOADS", "all")
	onStub(t, func(t *testing.T, s *nereid.Stream, _ func() map[string]int) {
		compiled := 0
		hooks := nereid.Hooks{BeforeCompile: func(context.Context, nereid.Variant) error {
			compiled++
			return nil
		}}
		x, err := nereid.NewTensor(s.Device(), nereid.Float16, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			kernel       string
			first, other int // numbers of programs
			s1, s2       int
			refused      bool // there is no code that serves the other launch
		}{
			{"tile", 1, 1, 64, 0, true}, {"product", 1, 4096, 128, 128, false},
			{"product", 4096, 1, 128, 128, false},
		} {
			k := kernelOf(t, "recorded.py", recordedKernels, c.kernel,
				nereid.With(nereid.Config{Hooks: hooks}))
			launch := func(programs, stride int) error {
				return k.Launch(s, nereid.Grid{programs}, x, x.Offset(1<<19), stride)
			}
			if err := launch(c.first, c.s1); err != nil {
				t.Fatal(err)
			}
			compiled = 0
			g, err := s.Capture(func() error { return launch(c.other, c.s2) })
			if c.refused != errors.Is(err, nereid.ErrCapturing) || !c.refused && err != nil {
				t.Errorf("%+v: recorded: %v", c, err)
			}
			if compiled != 0 {
				t.Errorf("%+v: %d compilations while recording", c, compiled)
			}
			if g != nil {
				g.Close()
			}
			if err := launch(c.other, c.s2); err != nil || compiled == 0 {
				t.Errorf("%+v: %d compilations when not recording: the case shows nothing; %v", c,
					compiled, err)
			}
			if g, err = s.Capture(func() error { return launch(c.other, c.s2) }); err != nil {
				t.Errorf("%+v: recorded when compiled: %v", c, err)
			} else {
				g.Close()
			}
		}
	})
}
