package uniform

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// launchOf returns words and a grid of which the values differ little from launch to launch, so that a memo
// knows some and not others.
func launchOf(r *rand.Rand, p *Program) (words []uint64, x, y, z uint32) {
	words = make([]uint64, p.Params+p.Words())
	for i := range words {
		words[i] = 1 + r.Uint64N(3) // behind the parameters: what the launch before left on the stack
	}
	return words, 1 + r.Uint32N(2), 1 + r.Uint32N(2), 1 + r.Uint32N(2)
}

// all reads every argument and every axis, and has outputs of each kind.
func all() *Program {
	p := &Program{Params: 3}
	for n := range int64(3) {
		p.Steps = append(p.Steps, Step{Op: Arg, N: n}, Step{Op: Programs, N: n})
	}
	for i := range uint8(6) {
		p.Outputs = append(p.Outputs, Output{Kind(i % uint8(numKinds)), i})
	}
	return p
}

// TestMemo compares a memo with its program, from several goroutines at once.
func TestMemo(t *testing.T) {
	for name, p := range map[string]*Program{"grouped": grouped(t), "all": all()} {
		m := NewMemo(p)
		var wait sync.WaitGroup
		for seed := range uint64(4) {
			wait.Go(func() {
				r := rand.New(rand.NewPCG(seed, 1))
				for range 20000 {
					got, x, y, z := launchOf(r, p)
					want := slices.Clone(got)
					p.Fill(want, x, y, z)
					if m.Fill(got, x, y, z); !slices.Equal(got, want) {
						t.Errorf("%s, %dx%dx%d: %x, want %x", name, x, y, z, got, want)
						return
					}
				}
			})
		}
		wait.Wait()
	}
}

// TestMemoRemembers spoils what a memo has kept: a launch like those before must show it, one that differs
// in any word or axis must not.
func TestMemoRemembers(t *testing.T) {
	p := all()
	m := NewMemo(p)
	fill := func(change int) uint64 {
		in := [6]uint64{5, 6, 7, 2, 3, 4}
		if change >= 0 {
			in[change]++
		}
		words := append(in[:3:3], make([]uint64, p.Words())...)
		m.Fill(words, uint32(in[3]), uint32(in[4]), uint32(in[5]))
		return words[3]
	}
	right := fill(-1)
	fill(-1)
	for i := range m.results {
		m.results[i].words[m.n].Store(99)
	}
	if got := fill(-1); got != 99 {
		t.Errorf("the third launch computes %d again", got)
	}
	for i := range 6 {
		if got := fill(i); got == 99 || (i != 0) != (got == right) {
			t.Errorf("with another number %d: %d", i, got)
		}
	}
}

func TestMemoAllocations(t *testing.T) {
	p := all()
	m, n := NewMemo(p), uint64(0)
	words := make([]uint64, p.Params+p.Words())
	if got := testing.AllocsPerRun(100, func() {
		words[0], n = n/4, n+1 // kept, and new again
		m.Fill(words, 1, 1, 1)
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

// A program that reads more than a memo compares is run each time.
func TestMemoOfMany(t *testing.T) {
	p := &Program{Params: mostRead + 1}
	for n := range int64(mostRead + 1) {
		p.Steps = append(p.Steps, Step{Op: Arg, N: n})
	}
	p.Outputs = []Output{{Plain, mostRead}}
	m, words := NewMemo(p), make([]uint64, p.Params+1)
	for n := range uint64(5) {
		words[mostRead] = n
		if m.Fill(words, 1, 1, 1); words[mostRead+1] != n {
			t.Errorf("%d in place of %d", words[mostRead+1], n)
		}
	}
	if NewMemo(nil) != nil {
		t.Error("a memo of nothing")
	}
}

func BenchmarkMemo(b *testing.B) {
	p := grouped(b)
	m, words := NewMemo(p), make([]uint64, p.Params+p.Words())
	for b.Loop() {
		m.Fill(words, 1, 1, 1)
	}
}
