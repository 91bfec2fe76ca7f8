package sample

import (
	"cmp"
	"slices"
	"time"
)

// Period is the processor's time of a thread between two samples.
const Period = 250 * time.Microsecond

// Counts are samples by line.
type Counts struct {
	Lines map[Place]int
	Other int // samples outside of kernels
	Lost  int // samples that had no room
}

// Count is what the samples of a line come to.
type Count struct {
	Place
	Samples int
}

// Inside returns the samples in kernels.
func (c *Counts) Inside() (n int) {
	for _, k := range c.Lines {
		n += k
	}
	return n
}

// List returns the lines, those with the most samples first.
func (c *Counts) List() (list []Count) {
	for p, n := range c.Lines {
		list = append(list, Count{p, n})
	}
	slices.SortFunc(list, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kernel, b.Kernel))
	})
	return list
}

// add counts a sample.
func (c *Counts) add(pc uint64) {
	p, ok := At(pc)
	if !ok {
		c.Other++
		return
	}
	if c.Lines == nil {
		c.Lines = map[Place]int{}
	}
	c.Lines[p]++
}
