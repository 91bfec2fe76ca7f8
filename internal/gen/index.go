package gen

import (
	"math/big"

	"github.com/nereid-lang/nereid/internal/python"
)

// indexFuncs give indices of what they are given.
var indexFuncs = map[string]bool{
	"arange": true, "program_id": true, "num_programs": true, "cdiv": true, "range": true,
	"static_range": true, "next_power_of_2": true, "len": true,
}

// seedFuncs take a seed first.
var seedFuncs = map[string]bool{"rand": true, "randn": true, "randint": true, "rand4x": true, "randn4x": true,
	"randint4x": true, "philox": true}

// index says that an expression is an integer: the names in it are, unless they are in what another
// function makes of them.
func (f *flow) index(e python.Expr) {
	switch e := e.(type) {
	case *python.Name:
		f.set(e.ID, integer)
		if !f.isParam(e.ID) && !f.idx[e.ID] {
			f.idx[e.ID] = true
			for _, d := range f.defs[e.ID] {
				f.index(d)
			}
		}
	case *python.BinOp:
		f.index(e.Left)
		f.index(e.Right)
	case *python.UnaryOp:
		f.index(e.Operand)
	case *python.Subscript:
		f.index(e.Value)
	case *python.Tuple:
		for _, x := range e.Elts {
			f.index(x)
		}
	case *python.List:
		for _, x := range e.Elts {
			f.index(x)
		}
	case *python.IfExp:
		f.index(e.Body)
		f.index(e.Orelse)
	case *python.Call:
		if name := callee(e); indexFuncs[name] || name == "minimum" || name == "maximum" || name == "min" ||
			name == "max" || name == "multiple_of" {
			for _, a := range e.Args {
				f.index(a)
			}
		} else if a, ok := e.Func.(*python.Attribute); ok && name == "to" {
			f.index(a.Value)
		}
	}
}

// isIndex reports whether an expression is known to be an index.
func (f *flow) isIndex(e python.Expr) bool {
	switch e := e.(type) {
	case *python.Name:
		if f.idx[e.ID] || f.kind[e.ID] == integer {
			return true
		}
		for _, d := range f.defs[e.ID] {
			if c, ok := d.(*python.Call); ok && indexFuncs[callee(c)] {
				return true
			}
		}
	case *python.BinOp:
		return e.Op != python.Div && f.isIndex(e.Left) && f.isIndex(e.Right)
	case *python.Constant:
		_, ok := e.Value.(*big.Int)
		return ok
	case *python.Subscript:
		return f.isIndex(e.Value)
	case *python.Call:
		return indexFuncs[callee(e)]
	}
	return false
}

// indices spreads what is known of indices: what is compared with one, or computed with one, is one.
func (f *flow) indices(n python.Node) {
	switch n := n.(type) {
	case *python.Call:
		name := callee(n)
		if indexFuncs[name] {
			for _, a := range n.Args {
				f.index(a)
			}
		}
		if seedFuncs[name] {
			if a := argument(n, 0, "seed"); a != nil {
				f.index(a)
			}
		}
		if name == "make_block_ptr" || name == "make_tensor_descriptor" {
			for i, arg := range []string{"shape", "strides", "offsets", "block_shape"} {
				if a := argument(n, i+1, arg); a != nil {
					f.index(a)
				}
			}
		}
	case *python.Assign:
		if t, ok := n.Targets[0].(*python.Name); ok && len(f.defs[t.ID]) == 1 && f.isIndex(n.Value) &&
			!bareLiteral(n.Value) {
			f.idx[t.ID] = true
		}
	case *python.Compare:
		if len(n.Comparators) == 1 && !isInt(n.Left, n.Comparators[0]) {
			f.together(n.Left, n.Comparators[0])
		}
	case *python.BinOp:
		switch n.Op {
		case python.Mod, python.FloorDiv, python.LShift, python.RShift:
			f.index(n.Right)
			f.together(n.Left, n.Right)
		case python.Add, python.Sub:
			if !f.hasTensor(n) && !isInt(n.Left, n.Right) {
				f.together(n.Left, n.Right)
			}
		}
	}
}

// bareLiteral reports whether an expression is a literal: total = 0 may become a float later.
func bareLiteral(e python.Expr) bool { _, ok := e.(*python.Constant); return ok }

// together says that two expressions are of one kind.
func (f *flow) together(a, b python.Expr) {
	if f.isIndex(a) {
		f.index(b)
	} else if f.isIndex(b) {
		f.index(a)
	}
}

// uses finds what is left, of compile-time parameters above all: conditions, strings, types, numbers.
func (f *flow) uses(n python.Node) {
	switch n := n.(type) {
	case *python.If:
		f.condition(n.Test)
	case *python.IfExp:
		f.condition(n.Test)
	case *python.While:
		f.condition(n.Test)
	case *python.Compare:
		f.compared(n)
	case *python.Call:
		if callee(n) == "to" {
			f.typed(argument(n, 0, "dtype"))
		}
		for _, k := range n.Keywords {
			switch k.Arg {
			case "dtype", "out_dtype":
				f.typed(k.Value)
			}
		}
		if name := callee(n); name == "zeros" || name == "full" {
			f.index(argument(n, 0, "shape"))
			f.typed(argument(n, map[string]int{"zeros": 1, "full": 2}[name], "dtype"))
		}
	}
}

// isInt reports whether one of two operands is an integer literal: Python computes with those and floats too.
func isInt(a, b python.Expr) bool {
	for _, e := range []python.Expr{a, b} {
		if c, ok := e.(*python.Constant); ok {
			if _, ok := c.Value.(*big.Int); ok {
				return true
			}
		}
	}
	return false
}

func (f *flow) typed(e python.Expr) {
	if v, ok := e.(*python.Name); ok {
		f.set(v.ID, dtype)
	}
}

// condition is a test: a bare name in it is a bool.
func (f *flow) condition(e python.Expr) {
	switch e := e.(type) {
	case *python.Name:
		f.set(e.ID, boolean)
	case *python.UnaryOp:
		if e.Op == python.Not {
			f.condition(e.Operand)
		}
	case *python.BoolOp:
		for _, v := range e.Values {
			f.condition(v)
		}
	}
}

// compared is a comparison with a literal.
func (f *flow) compared(c *python.Compare) {
	v, ok := c.Left.(*python.Name)
	if !ok || len(c.Comparators) != 1 {
		return
	}
	lit, ok := c.Comparators[0].(*python.Constant)
	if !ok {
		return
	}
	switch lit.Value.(type) {
	case string:
		f.set(v.ID, text)
	case bool:
		f.set(v.ID, boolean)
	}
}
