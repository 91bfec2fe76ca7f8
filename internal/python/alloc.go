package python

// alloc hands out the nodes of a tree from slabs: a tree lives and dies as a whole, and its nodes are many
// and small.
type alloc struct {
	names      slab[Name]
	constants  slab[Constant]
	attributes slab[Attribute]
	calls      slab[Call]
	binOps     slab[BinOp]
	compares   slab[Compare]
	subscripts slab[Subscript]
	tuples     slab[Tuple]
	lists      slab[List]
	keywords   slab[Keyword]
	args       slab[Arg]
	arguments  slab[Arguments]
	exprStmts  slab[ExprStmt]
	assigns    slab[Assign]
	ifs        slab[If]
	returns    slab[Return]
	functions  slab[FunctionDef]

	exprs sequence[Expr]
	stmts sequence[Stmt]
}

// slab hands out values of T, many to an allocation.
type slab[T any] struct {
	free []T
	next int // size of the next allocation
}

const maxSlab = 128

func (s *slab[T]) new() *T {
	if len(s.free) == 0 {
		s.next = min(max(8, 2*s.next), maxSlab)
		s.free = make([]T, s.next)
	}
	v := &s.free[0]
	s.free = s.free[1:]
	return v
}

// sequence builds slices of T: items are pushed on a stack, and cut takes those above a mark as a slice of
// its own.
type sequence[T any] struct {
	stack []T
	free  []T
	next  int
}

func (s *sequence[T]) mark() int { return len(s.stack) }
func (s *sequence[T]) push(v T)  { s.stack = append(s.stack, v) }
func (s *sequence[T]) one(v T) []T {
	m := s.mark()
	s.push(v)
	return s.cut(m)
}

func (s *sequence[T]) cut(mark int) []T {
	n := len(s.stack) - mark
	if n == 0 {
		return nil
	}
	if n > len(s.free) {
		s.next = min(max(16, 2*s.next), 4*maxSlab)
		s.free = make([]T, max(s.next, n))
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	copy(out, s.stack[mark:])
	clear(s.stack[mark:])
	s.stack = s.stack[:mark]
	return out
}

func (a *alloc) constant(r Range, v any) *Constant {
	c := a.constants.new()
	c.Range, c.Value = r, v
	return c
}
