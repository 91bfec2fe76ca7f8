package gen

import (
	"math/big"
	"slices"

	"github.com/nereid-lang/nereid/internal/python"
)

// sameType are functions whose result has elements of the type of their arguments. The number is the first
// of these arguments; conditions, axes and shapes among them are harmless, since no tensor is loaded there.
var sameType = map[string]int{
	"sum": 0, "cumsum": 0, "cumprod": 0, "max": 0, "min": 0, "maximum": 0, "minimum": 0, "where": 1,
	"sort": 0, "flip": 0, "abs": 0, "reshape": 0, "view": 0, "ravel": 0, "trans": 0, "permute": 0,
	"expand_dims": 0, "broadcast_to": 0, "associative_scan": 0, "reduce": 0, "gather": 0, "multiple_of": 0,
	"max_contiguous": 0, "cdiv": 0,
}

// contents finds the tensors of one function that hold integers: indices, counts, bits, addresses.
type contents struct {
	*flow
	ints map[string]string // parameters that are such tensors, and their entries in a signature
	seen map[string]bool   // local names that have been followed
}

// integers returns the parameters of a function that are tensors of integers, as far as its body shows it:
// what is loaded from them is an offset, is divided by //, shifted, or handed to a function that uses it so.
func (f *file) integers(name string) map[string]string {
	if known, ok := f.ints[name]; ok {
		return known
	}
	f.ints[name] = nil // what calls itself learns nothing from it
	fl := f.follow(name)
	if fl == nil {
		return nil
	}
	e := &contents{fl, map[string]string{}, map[string]bool{}}
	e.each(e.visit)
	for _, s := range fl.fn.Body {
		e.counters(s)
	}
	f.ints[name] = e.ints
	return e.ints
}

// visit looks at what asks for integers.
func (e *contents) visit(n python.Node) {
	switch n := n.(type) {
	case *python.BinOp:
		switch n.Op {
		case python.FloorDiv, python.LShift, python.RShift, python.BitAnd, python.BitOr, python.BitXor:
			e.integer(n.Left)
			e.integer(n.Right)
		}
	case *python.Call:
		e.call(n)
	}
}

// call looks at the arguments of a call.
func (e *contents) call(c *python.Call) {
	name := callee(c)
	if arg, ok := addressed[name]; ok {
		e.address(argument(c, 0, arg), map[string]bool{})
		return
	}
	switch {
	case name == "range" || name == "static_range":
		for _, a := range c.Args {
			e.integer(a)
		}
	case name == "to" && isPointerType(argument(c, 0, "dtype")):
		if a, ok := c.Func.(*python.Attribute); ok {
			e.addresses(a.Value)
		}
	case e.file.funcs[name] != nil && e.file.funcs[name] != e.fn:
		e.handed(c, name)
	}
}

// handed looks at the arguments of a function of the file: tensors that it takes for such of integers, and
// numbers that it takes for indices.
func (e *contents) handed(c *python.Call, name string) {
	fn := e.file.funcs[name]
	kinds, ints := e.file.kinds(name), e.file.integers(name)
	for i, p := range slices.Concat(fn.Args.PosOnlyArgs, fn.Args.Args) {
		switch arg := argument(c, i, p.Arg); {
		case arg == nil:
		case ints[p.Arg] != "":
			e.tensors(arg, ints[p.Arg])
		case kinds[p.Arg] == integer:
			e.integer(arg)
		}
	}
}

// isPointerType reports whether an expression is a type of pointers: tl.pointer_type(tl.float16).
func isPointerType(x python.Expr) bool {
	c, ok := x.(*python.Call)
	return ok && callee(c) == "pointer_type"
}

// address follows an address: all in it but its pointers are integers.
func (e *contents) address(x python.Expr, seen map[string]bool) {
	if x == nil || !e.hasTensor(x) {
		e.integer(x)
		return
	}
	switch x := x.(type) {
	case *python.Name:
		if !seen[x.ID] {
			seen[x.ID] = true
			for _, d := range e.defs[x.ID] {
				e.address(d, seen)
			}
		}
	case *python.BinOp:
		e.address(x.Left, seen)
		e.address(x.Right, seen)
	case *python.Subscript:
		e.address(x.Value, seen)
	case *python.Call:
		for _, a := range x.Args {
			if e.hasTensor(a) {
				e.address(a, seen)
			}
		}
	}
}

// integer follows an expression whose value is an integer to the tensors that it is loaded from.
func (e *contents) integer(x python.Expr) {
	switch x := x.(type) {
	case *python.Name:
		if e.isParam(x.ID) || e.seen[x.ID] {
			return
		}
		e.seen[x.ID] = true
		for _, d := range e.defs[x.ID] {
			e.integer(d)
		}
	case *python.BinOp:
		if x.Op != python.Div {
			e.integer(x.Left)
			e.integer(x.Right)
		}
	case *python.UnaryOp:
		e.integer(x.Operand)
	case *python.Subscript:
		e.integer(x.Value)
	case *python.IfExp:
		e.integer(x.Body)
		e.integer(x.Orelse)
	case *python.Call:
		e.result(x)
	}
}

// result follows a call whose result is an integer. A conversion (x.to(tl.int32)) takes floats as well.
func (e *contents) result(c *python.Call) {
	name := callee(c)
	if name == "load" {
		e.tensors(argument(c, 0, "pointer"), indexPointer)
		return
	}
	first, ok := sameType[name]
	if !ok {
		return
	}
	if a, isMethod := c.Func.(*python.Attribute); isMethod {
		if v, isName := a.Value.(*python.Name); !isName || v.ID != "tl" {
			e.integer(a.Value)
		}
	}
	for i, a := range c.Args {
		if i >= first {
			e.integer(a)
		}
	}
}

// addresses notes the tensor that addresses are loaded from.
func (e *contents) addresses(x python.Expr) {
	if c, ok := x.(*python.Call); ok && callee(c) == "load" {
		e.tensors(argument(c, 0, "pointer"), addressPointer)
	}
}

// tensors notes the pointers of an address as tensors of integers.
func (e *contents) tensors(x python.Expr, entry string) {
	if x == nil {
		return
	}
	for _, name := range e.bases(x, map[string]bool{}) {
		if e.kind[name] == tensor && e.ints[name] != addressPointer {
			e.ints[name] = entry
		}
	}
}

// counters looks for names that begin with an integer and to which a loop adds: their type must not change.
func (e *contents) counters(s python.Stmt) {
	python.Inspect(s, func(n python.Node) bool {
		loop, ok := n.(*python.For)
		if !ok {
			return true
		}
		if c, isCall := loop.Iter.(*python.Call); isCall && callee(c) == "static_range" {
			return true
		}
		for _, st := range loop.Body {
			python.Inspect(st, func(n python.Node) bool {
				if a, ok := n.(*python.AugAssign); ok && a.Op != python.Div && e.countsFrom(a.Target) {
					e.integer(a.Value)
				}
				return true
			})
		}
		return true
	})
}

// countsFrom reports whether a name is an integer literal at first.
func (e *contents) countsFrom(target python.Expr) bool {
	v, ok := target.(*python.Name)
	if !ok || len(e.defs[v.ID]) == 0 {
		return false
	}
	c, ok := e.defs[v.ID][0].(*python.Constant)
	if !ok {
		return false
	}
	_, ok = c.Value.(*big.Int)
	return ok
}
