package memfuzz

// extents finds how many elements, from the program's first on, a program may touch in each tensor. Nothing
// is negative in a Shift, so only the upper ends matter.
type extents struct {
	k        *Kernel
	most     map[string]int // the largest value of each scalar argument and loop variable
	need     map[string]int // elements of each tensor
	pointers map[string]pointerExtent
}

// pointerExtent is what a pointer variable reaches: the last element from which it starts, and how far it
// moves.
type pointerExtent struct {
	tensor      string
	last, moved int
}

// extents returns the elements that a program needs of each tensor.
func (k *Kernel) extents() map[string]int {
	e := &extents{k: k, most: map[string]int{}, need: map[string]int{}, pointers: map[string]pointerExtent{}}
	for _, s := range k.Scalars {
		e.most[s.Name] = s.Value
	}
	e.stmts(k.Body, 1)
	for _, p := range e.pointers {
		e.touch(p.tensor, p.last+p.moved)
	}
	return e.need
}

func (e *extents) touch(tensor string, last int) { e.need[tensor] = max(e.need[tensor], last+1) }

// stmts looks at statements that run at most times times.
func (e *extents) stmts(list []*Stmt, times int) {
	for _, s := range list {
		switch s.Kind {
		case "load", "store", "atomic":
			if s.Pointer == "" {
				e.touch(s.Tensor, e.last(s.Index, s.Shape))
			}
		case "pointer":
			p := e.pointers[s.Pointer]
			p.tensor, p.last = s.Tensor, max(p.last, e.last(s.Index, s.Shape))
			e.pointers[s.Pointer] = p
		case "advance":
			p := e.pointers[s.Pointer]
			p.moved += s.K * times
			e.pointers[s.Pointer] = p
		case "for":
			n := e.shift(s.Count)
			e.most[s.Name] = max(s.K, n-1)
			e.stmts(s.Body, times*max(1, n-s.K))
		case "while":
			n := e.shift(s.Count)
			e.most[s.Name] = n
			e.stmts(s.Body, times*max(1, n))
		case "count":
			e.most[s.Name] = s.K
		case "if":
			e.stmts(s.Body, times)
			e.stmts(s.Else, times)
		}
	}
}

func (e *extents) shift(s Shift) int {
	sum := 0
	for _, t := range s {
		if t.Name == "" {
			sum += t.K
		} else {
			sum += t.K * e.most[t.Name]
		}
	}
	return sum
}

// last returns the last element that an index reaches.
func (e *extents) last(x Index, s Shape) int {
	n, shift := e.k.size(s), e.shift(x.Shift)
	switch x.Kind {
	case "rotate":
		return n + x.K - 1
	case "stride":
		return (n-1)*x.K + shift
	case "perm":
		return e.k.size(Vec) - 1 + shift
	case "padded":
		return (e.k.Rows-1)*(e.k.Cols+x.K) + e.k.Cols - 1 + shift
	}
	return n - 1 + shift
}
