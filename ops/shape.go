package ops

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid/internal/runtime/core"
)

// contiguous returns the strides of a tensor without gaps.
func contiguous(shape []int) []int {
	strides := make([]int, len(shape))
	n := 1
	for i, d := range slices.Backward(shape) {
		strides[i] = n
		n *= d
	}
	return strides
}

func count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// broadcast returns the shape that two shapes have in common: aligned at their last dimensions, each size is
// that of both, or that of one where the other has 1 or no dimension.
func broadcast(a, b []int) ([]int, error) {
	if len(a) < len(b) {
		a, b = b, a
	}
	shape, skip := slices.Clone(a), len(a)-len(b)
	for i, n := range b {
		switch m := shape[skip+i]; {
		case m == n || n == 1:
		case m == 1:
			shape[skip+i] = n
		default:
			return nil, fmt.Errorf("shapes %v and %v do not fit: %d and %d are different, and neither is 1",
				a, b, m, n)
		}
	}
	return shape, nil
}

// spread returns the strides of a tensor in a shape that it was broadcast to: 0 along what is repeated.
func spread(t *core.Tensor, shape []int) []int {
	strides, own := make([]int, len(shape)), core.Strides(t)
	skip := len(shape) - len(t.Shape)
	for i, n := range t.Shape {
		if n != 1 {
			strides[skip+i] = own[i]
		}
	}
	return strides
}

// axes returns dimensions of a tensor of some rank in ascending order, each once. Negative ones count from
// the end. None means all.
func axes(rank int, list []int) ([]int, error) {
	if len(list) == 0 {
		all := make([]int, rank)
		for i := range all {
			all[i] = i
		}
		return all, nil
	}
	out := make([]int, 0, len(list))
	for _, a := range list {
		d := a
		if d < 0 {
			d += rank
		}
		if d < 0 || d >= rank {
			return nil, fmt.Errorf("there is no dimension %d of %d", a, rank)
		}
		if slices.Contains(out, d) {
			return nil, fmt.Errorf("dimension %d is given twice", a)
		}
		out = append(out, d)
	}
	slices.Sort(out)
	return out, nil
}

// space is an iteration space: sizes, and for each operand the strides along them.
type space struct {
	sizes   []int
	strides [][]int // by operand, by dimension
}

// pick returns the space of some dimensions, in that order.
func (s space) pick(dims []int) space {
	out := space{strides: make([][]int, len(s.strides))}
	for _, d := range dims {
		out.sizes = append(out.sizes, s.sizes[d])
		for i := range s.strides {
			out.strides[i] = append(out.strides[i], s.strides[i][d])
		}
	}
	return out
}

// collapse returns the space with as few dimensions as possible: those of size 1 go, and neighbours that all
// operands walk through as one become one. The order of the elements stays.
func (s space) collapse() space {
	out := space{strides: make([][]int, len(s.strides))}
	for d, n := range s.sizes {
		if n == 1 {
			continue
		}
		last := len(out.sizes) - 1
		if last >= 0 && s.joins(out, last, d) {
			out.sizes[last] *= n
			for i := range s.strides {
				out.strides[i][last] = s.strides[i][d]
			}
			continue
		}
		out.sizes = append(out.sizes, n)
		for i := range s.strides {
			out.strides[i] = append(out.strides[i], s.strides[i][d])
		}
	}
	return out
}

// joins reports whether dimension last of out and dimension d of s are one for every operand.
func (s space) joins(out space, last, d int) bool {
	for i := range s.strides {
		if out.strides[i][last] != s.strides[i][d]*s.sizes[d] {
			return false
		}
	}
	return true
}

// widest returns the largest distance, in elements, that an operand walks.
func (s space) widest() int {
	most := 0
	for i := range s.strides {
		reach := 0
		for d, n := range s.sizes {
			reach += (n - 1) * max(s.strides[i][d], -s.strides[i][d])
		}
		most = max(most, reach)
	}
	return most
}
