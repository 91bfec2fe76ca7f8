package rewrite

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/nereid-lang/nereid/internal/onnx/ort"
)

// Check compares the results of two models.
type Check struct {
	Runs          []Run
	Before, After Times // of runs that were timed
}

// Times are those of one model's runs.
type Times struct{ Fastest, Median time.Duration }

// Run is a run of both models on the same inputs.
type Run struct {
	Inputs string // their shapes
	Failed error  // of the rewritten model
	Worst  []Difference
}

// Difference says how far two outputs are apart, in the element for which this is most.
type Difference struct {
	Output    string
	Place     string // of the element
	Was, Is   float64
	Ratio     float64 // of the difference to what is allowed
	Wrong     int     // elements that are further apart than allowed
	Elements  int
	Unchecked string // the output was not compared
}

// Equal reports whether all outputs of all runs were as before.
func (c *Check) Equal() bool {
	return !slices.ContainsFunc(c.Runs, func(r Run) bool {
		return r.Failed != nil || slices.ContainsFunc(r.Worst, func(d Difference) bool { return d.Wrong > 0 })
	})
}

// doesNotRun is the error of a model that does not take its random inputs.
func doesNotRun(err error) error {
	return fmt.Errorf("the model does not run (--dim and --range say what its inputs are): %w", err)
}

// check runs both models.
func (w *work) check(before, after string) (*Check, error) {
	var libraries []string
	for _, l := range w.o.Libraries {
		libraries = append(libraries, l.Path)
	}
	a, err := w.o.Runtime.Load(before, ort.Options{})
	if err != nil {
		return nil, err
	}
	defer a.Close()
	b, err := w.o.Runtime.Load(after, ort.Options{Libraries: libraries})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	c := &Check{}
	var inputs []*ort.Tensor
	for i := range w.o.Inputs.runs() {
		r := Run{}
		if inputs, r.Inputs, err = w.o.Inputs.make(a.Inputs, i); err != nil {
			return nil, err
		}
		was, err := a.Run(inputs)
		if err != nil {
			return nil, doesNotRun(err)
		}
		is, err := b.Run(inputs)
		if err != nil {
			r.Failed = err
		} else {
			for j, v := range a.Outputs {
				r.Worst = append(r.Worst, compare(v.Name, was[j], is[j]))
			}
		}
		c.Runs = append(c.Runs, r)
	}
	if w.o.Timed > 0 && c.Equal() {
		err = c.time(a, b, inputs, w.o.Timed)
	}
	return c, err
}

// time measures both models in turn, so that both meet the same machine.
func (c *Check) time(a, b *ort.Session, inputs []*ort.Tensor, runs int) error {
	var times [2][]time.Duration
	for range runs {
		for i, s := range []*ort.Session{a, b} {
			start := time.Now()
			if _, err := s.Run(inputs); err != nil {
				return err
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	for i, to := range []*Times{&c.Before, &c.After} {
		slices.Sort(times[i])
		*to = Times{times[i][0], times[i][runs/2]}
	}
	return nil
}

// compare compares two outputs. An element may be off by the tolerance of its type, relative to itself
// and to the root mean square of the output: what rounds otherwise early in a model is relative to the
// size of what it is added to.
func compare(name string, was, is *ort.Tensor) Difference {
	d := Difference{Output: name}
	switch {
	case was == nil || is == nil:
		d.Unchecked = "it is no tensor of numbers"
		return d
	case was.Element != is.Element || !slices.Equal(was.Dims, is.Dims):
		d.Wrong, d.Ratio = 1, math.Inf(1)
		d.Place = fmt.Sprintf("shape %s%v, was %s%v", is.Element, is.Dims, was.Element, was.Dims)
		return d
	}
	x, y := elements(was), elements(is)
	d.Elements = len(x)
	scale, finite := 0.0, 0
	for _, v := range x {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			scale += v * v
			finite++
		}
	}
	scale = math.Sqrt(scale / max(1, float64(finite)))
	tolerance := was.Element.Row().Tolerance
	for i := range x {
		ratio := math.Abs(x[i]-y[i]) / (tolerance * (math.Abs(x[i]) + scale))
		switch {
		case x[i] == y[i] || math.IsNaN(x[i]) && math.IsNaN(y[i]):
			ratio = 0
		case math.IsNaN(ratio):
			ratio = math.Inf(1)
		}
		if ratio > 1 {
			d.Wrong++
		}
		if ratio > d.Ratio || i == 0 {
			d.Ratio, d.Was, d.Is, d.Place = ratio, x[i], y[i], place(i, was.Dims)
		}
	}
	return d
}

// elements decodes a tensor.
func elements(t *ort.Tensor) []float64 {
	size := t.Element.Size()
	out := make([]float64, 0, len(t.Data)/size)
	for at := 0; at < len(t.Data); at += size {
		var word [8]byte
		copy(word[:], t.Data[at:at+size])
		out = append(out, t.Element.Decode(binary.LittleEndian.Uint64(word[:])))
	}
	return out
}

// place returns the indices of an element.
func place(i int, dims []int64) string {
	at := make([]int64, len(dims))
	rest := int64(i)
	for j := len(dims) - 1; j >= 0; j-- {
		at[j] = rest % dims[j]
		rest /= dims[j]
	}
	return fmt.Sprint(at)
}
