package tunable_test

import (
	"context"
	"fmt"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/tunable"
)

const twiceSource = `
import triton
import triton.language as tl

@triton.jit
def twice(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(x_ptr + at, x * 2, mask=at < n)
`

// An op over two configs of a kernel. The kernel works in place, so Outputs names its tensor: a tuning
// measures with a copy of it.
func Example() {
	type params struct {
		X *nereid.Tensor
		N int
	}
	type key struct{ N int }

	m, err := nereid.Parse("twice.py", []byte(twiceSource))
	if err != nil {
		panic(err)
	}
	k, err := m.Kernel("twice")
	if err != nil {
		panic(err)
	}
	block := func(n int) nereid.TuneConfig {
		return nereid.TuneConfig{Args: []nereid.Named{{Name: "BLOCK", Value: n}}}
	}
	candidates, err := tunable.Kernel(k, []nereid.TuneConfig{block(16), block(64)}, tunable.Launch[params]{
		Run: func(c *tunable.Code, s *nereid.Stream, p params) error {
			return c.Args().Tensor(p.X).Int(p.N).Launch(s, nereid.Grid{nereid.Cdiv(p.N, c.Int("BLOCK"))})
		},
	})
	if err != nil {
		panic(err)
	}
	op, err := tunable.New("twice", func(p params) key { return key{p.N} }, tunable.Options[params]{
		Mode:    tunable.Use, // tunable.Tune, the default, measures
		Outputs: func(p *params) []**nereid.Tensor { return []**nereid.Tensor{&p.X} },
	}, candidates...)
	if err != nil {
		panic(err)
	}

	dev, err := nereid.OpenDevice("interp")
	if err != nil {
		panic(err)
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		panic(err)
	}
	defer s.Close()
	data := []float32{1, 2, 3}
	p := params{nereid.FromSlice(data), len(data)}
	fmt.Println(op.Call(s, p), s.Sync(), data)
	picked, err := op.Picked(s, p)
	fmt.Println(picked, err)
	// Output:
	// <nil> <nil> [2 4 6]
	// twice BLOCK: 16 <nil>
}
