package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/run"
	"github.com/nereid-lang/nereid/tunable"
)

// types are the element types that there are kernels for, each in a group of its own.
var types = []run.DType{run.Float32, run.Float16}

// params are the parameters of the op.
type params struct {
	out, x     *run.Tensor
	rows, cols int
}

// key is what the fastest candidate depends on. Its text is part of a kept result: "rows=4096 cols=1000".
type key struct{ Rows, Cols int }

// launch launches a variant, one program for each row.
var launch = tunable.Launch[params]{
	Run: func(c *tunable.Code, s *run.Stream, p params) error {
		return c.Args().Tensor(p.out).Tensor(p.x).Int(p.x.Strides[0]).Int(p.out.Strides[0]).Int(p.cols).
			Launch(s, run.Grid{p.rows})
	},
	Supports: func(c *tunable.Code, p params) error {
		if block := c.Int("BLOCK_SIZE"); p.cols > block {
			return fmt.Errorf("a row of %d elements does not fit a block of %d", p.cols, block)
		}
		return nil
	},
}

// softmax has an op for each type.
type softmax struct {
	ops map[run.DType]*tunable.Op[params]
}

// newSoftmax returns the ops over the groups of a bundle. Results are kept in a store.
func newSoftmax(b *bundle.Bundle, store *run.TuneStore, rep time.Duration) (*softmax, error) {
	out := &softmax{ops: map[run.DType]*tunable.Op[params]{}}
	for _, dt := range types {
		name := "softmax_" + dt.String()
		list, err := tunable.Group(b, name, launch)
		if err != nil {
			return nil, err
		}
		o := tunable.Options[params]{Store: store, Rep: rep, Warmup: rep / 4}
		op, err := tunable.New(name, func(p params) key { return key{p.rows, p.cols} }, o, list...)
		if err != nil {
			return nil, err
		}
		out.ops[dt] = op
	}
	return out, nil
}

// Softmax writes the softmax of each row of x, a matrix whose rows are contiguous, to out. The first call for
// a shape measures the candidates.
func (s *softmax) Softmax(stream *run.Stream, out, x *run.Tensor) error {
	if err := x.Err(); err != nil {
		return err
	}
	if err := out.Err(); err != nil {
		return err
	}
	op := s.ops[x.DType]
	if op == nil || len(x.Shape) != 2 || out.DType != x.DType || !slices.Equal(x.Shape, out.Shape) ||
		x.Strides[1] != 1 || out.Strides[1] != 1 {
		return fmt.Errorf("softmax takes two matrices of one shape, of fp32 or fp16, with contiguous rows, "+
			"not %s%v and %s%v", x.DType, x.Shape, out.DType, out.Shape)
	}
	return op.Call(stream, params{out, x, x.Shape[0], x.Shape[1]})
}
