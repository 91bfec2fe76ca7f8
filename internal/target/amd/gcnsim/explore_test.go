package gcnsim

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
	"github.com/nereid-lang/nereid/internal/target/interleave"
)

// TestExplore visits all states of the kernels of TestPlantedOrder, as they are and with the faults, while
// epochs are not looked at: what is a race by epochs is one by states, and nothing else is.
func TestExplore(t *testing.T) {
	for _, c := range planted {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			res, err := explored(t, assembled(t, c.kernel, nil), 100_000)
			answers := err != nil && strings.Contains(err.Error(), "the result of an atomic is used")
			if answers != (c.kernel == "atomics") || err != nil && !answers || !res.Finished {
				t.Errorf("the kernel as it is: %v, %+v", err, res)
			}
			var f *Fault
			_, err = explored(t, assembled(t, c.kernel, &c.edit), 100_000)
			text := strings.Join(c.want, " ")
			switch {
			case strings.Contains(text, "race on") || strings.Contains(text, "global address"):
				if !errors.As(err, &f) || !f.Race || !strings.Contains(err.Error(), "in another order") {
					t.Errorf("not found: %v", err)
				}
			case strings.Contains(text, "is used before"):
				if !errors.As(err, &f) || !f.Wait {
					t.Errorf("not found: %v", err)
				}
			case c.want == nil && err != nil:
				t.Errorf("%v, although %s", err, c.why)
			}
		})
	}
}

// TestExploreBound: a run with more states than are allowed proves nothing, and says so.
func TestExploreBound(t *testing.T) {
	p := assembled(t, "reduce", nil)
	whole, err := explored(t, p, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, bound := range []int{1, whole.Steps - 1, whole.Steps, whole.States - 1} {
		res, err := explored(t, p, bound)
		if err == nil || !strings.Contains(err.Error(), "more than") || res.Finished {
			t.Errorf("with %d of %d states: %v, %+v", bound, whole.States, err, res)
		}
	}
	if _, err := explored(t, p, whole.States); err != nil {
		t.Error(err)
	}
}

// explored visits the states of a kernel of two waves without other checks.
func explored(t *testing.T, p *program, states int) (res interleave.Result, err error) {
	t.Helper()
	l := &Launch{Kernel: "k", Grid: [3]int{1, 1, 1}, Threads: 2 * p.lanes, LDS: 2048, Memory: NewMemory(),
		Order: Order{States: states}, NoRaces: true, NoUndef: true,
		Explored: func(r interleave.Result) { res = r }}
	l.Memory.Alloc(make([]byte, 4096))
	m := &Module{Object: &gcn.Object{Kernels: []*gcn.Kernel{p.kernel}}, kernels: map[string]*program{"k": p}}
	err = m.Run(context.Background(), l)
	return res, err
}

// TestCrowded: four waves touch a byte of a word each, and a fifth one touches that of any of them.
func TestCrowded(t *testing.T) {
	for other := range 4 {
		for _, how := range []access{reads, writes} {
			s := newShadow("LDS address", sameStore)
			x := s.at(0)
			for i := range 4 {
				n := touch{epoch: 1, at: uint32(i), wave: int16(i), mask: 1 << i, how: writes}
				if s.conflict(x, n, 7) != nil {
					t.Fatal("bytes of their own conflict")
				}
				s.note(x, n, 7)
			}
			n := touch{epoch: 1, at: 9, wave: 4, mask: 1 << other, how: how}
			if c := s.conflict(x, n, 0); c == nil || int(c.wave) != other {
				t.Errorf("%v of byte %d: %v", how, other, c)
			}
			n.epoch = 2
			if c := s.conflict(x, n, 0); c != nil {
				t.Errorf("behind a barrier: %v", c)
			}
		}
	}
}

// TestConflicts: two writes to the same bytes need no order if they write the same there, in LDS by one
// store, or if one store of global memory writes both. What only one of them writes does not matter.
func TestConflicts(t *testing.T) {
	const first, other = 4, 8 // where stores stand
	made := func(s space, from, addr int, data []byte) *noted {
		p := &bytePlace{space: s, addr: uint64(addr), n: len(data)}
		copy(p.data[:], data)
		return &noted{from: from, how: writes, places: []*bytePlace{p}}
	}
	lds := func(from, addr int, data ...byte) *noted { return made(inLDS, from, addr, data) }
	global := func(from, addr int, data ...byte) *noted { return made(inGlobal, from, addr, data) }
	for name, c := range map[string]struct {
		x, y *noted
		want bool
	}{
		"LDS, one store, the same":        {lds(first, 16, 1, 2), lds(first, 16, 1, 2), false},
		"LDS, one store, others":          {lds(first, 16, 1, 2), lds(first, 16, 1, 3), true},
		"LDS, first byte differs":         {lds(first, 16, 1, 2), lds(first, 16, 3, 2), true},
		"LDS, two stores, the same":       {lds(first, 16, 1, 2), lds(other, 16, 1, 2), true},
		"LDS, common byte the same":       {lds(first, 16, 1, 2), lds(first, 17, 2, 5), false},
		"LDS, common byte differs":        {lds(first, 16, 1, 2), lds(first, 17, 1, 2), true},
		"LDS, side by side":               {lds(first, 16, 1, 2), lds(other, 18, 3, 4), false},
		"LDS and global":                  {lds(first, 16, 1, 2), global(other, 16, 3, 4), false},
		"global, one store, others":       {global(first, 16, 1, 2), global(first, 16, 3, 4), false},
		"global, two stores, the same":    {global(first, 16, 1, 2), global(other, 16, 1, 2), false},
		"global, two stores, others":      {global(first, 16, 1, 2), global(other, 16, 3, 2), true},
		"global, two stores, later other": {global(first, 16, 1, 2), global(other, 16, 1, 4), true},
	} {
		if got := c.x.conflicts(c.y); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
		if got := c.y.conflicts(c.x); got != c.want {
			t.Errorf("%s, in turn: %t, want %t", name, got, c.want)
		}
	}
}
