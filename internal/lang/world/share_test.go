package world

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/budget"
)

// TestShare: whatever is asked of a source that shares its world, a statement is evaluated once; without, or
// after a failure inside of the world, it is evaluated again.
func TestShare(t *testing.T) {
	s, err := Load("m.py", []byte(`import triton
import triton.language as tl
def size():
    print("once")
    return 64
N = size()
@triton.autotune(configs=[triton.Config({"M": N})], key=[])
@triton.jit
def k(x, M: tl.constexpr, n: tl.constexpr = N): pass
@triton.jit
def other(x, n: tl.constexpr = N): pass
`), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	end := s.Share()
	for _, kernel := range []string{"k", "other"} {
		if _, err := s.Params(kernel, DefaultTarget); err != nil {
			t.Error(err)
		}
		if _, err := s.Tuning(kernel, DefaultTarget); err != nil {
			t.Error(err)
		}
	}
	w := s.World(DefaultTarget, s.meter())
	if _, err := s.Find(w, "k"); err != nil {
		t.Error(err)
	}
	if n := strings.Count(w.In.Stdout.String(), "once"); n != 1 {
		t.Errorf("the file's statement was evaluated %d times, want once", n)
	}
	other := DefaultTarget
	other.Arch = 80
	if s.World(other, s.meter()) == w {
		t.Error("two targets share a world")
	}
	w = s.World(DefaultTarget, s.meter())
	if s.Recovered("k", &budget.Stop{}); s.World(DefaultTarget, s.meter()) == w {
		t.Error("a world in which an evaluation broke off is used again")
	}
	w = s.World(DefaultTarget, s.meter())
	if end(); s.World(DefaultTarget, s.meter()) == w {
		t.Error("the world is shared after the end")
	}
}
