package gen

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

// flow follows the parameters of one function through its body.
type flow struct {
	file *file
	fn   *python.FunctionDef
	defs map[string][]python.Expr // what is assigned to each name
	args []string                 // the parameters
	kind map[string]kind
	idx  map[string]bool // names that hold indices
}

func newFlow(f *file, fn *python.FunctionDef) *flow {
	fl := &flow{file: f, fn: fn, defs: map[string][]python.Expr{}, kind: map[string]kind{},
		idx: map[string]bool{}}
	a := fn.Args
	for _, list := range [][]*python.Arg{a.PosOnlyArgs, a.Args, a.KwOnlyArgs} {
		for _, p := range list {
			fl.args = append(fl.args, p.Arg)
		}
	}
	fl.each(func(n python.Node) {
		switch n := n.(type) {
		case *python.Assign:
			for _, t := range n.Targets {
				fl.assign(t, n.Value)
			}
		case *python.AnnAssign:
			fl.assign(n.Target, n.Value)
		case *python.AugAssign:
			fl.assign(n.Target, n.Value)
		case *python.NamedExpr:
			fl.assign(n.Target, n.Value)
		case *python.For:
			if c, ok := n.Iter.(*python.Call); ok && strings.HasSuffix(callee(c), "range") {
				fl.mark(n.Target)
			}
		}
	})
	return fl
}

func (f *flow) each(visit func(python.Node)) {
	for _, s := range f.fn.Body {
		python.Inspect(s, func(n python.Node) bool {
			if n != nil {
				visit(n)
			}
			return true
		})
	}
}

func (f *flow) assign(target, value python.Expr) {
	switch t := target.(type) {
	case *python.Name:
		if value != nil {
			f.defs[t.ID] = append(f.defs[t.ID], value)
		}
	case *python.Tuple:
		if v, ok := value.(*python.Tuple); ok && len(v.Elts) == len(t.Elts) {
			for i := range t.Elts {
				f.assign(t.Elts[i], v.Elts[i])
			}
		}
	}
}

// mark notes that a loop variable holds indices.
func (f *flow) mark(target python.Expr) {
	if n, ok := target.(*python.Name); ok {
		f.idx[n.ID] = true
	}
}

func (f *flow) isParam(name string) bool {
	for _, a := range f.args {
		if a == name {
			return true
		}
	}
	return false
}

// set notes a kind. What is loaded from is a tensor whatever else is done with it; otherwise the first
// evidence counts.
func (f *flow) set(name string, k kind) {
	if !f.isParam(name) {
		return
	}
	if old := f.kind[name]; old == unknown || k == tensor && old != descriptor {
		f.kind[name] = k
	}
}

// run collects the evidence: addresses first, then indices until there is nothing new, then the rest.
func (f *flow) run() {
	f.each(f.addresses)
	for {
		n := len(f.idx) + len(f.kind)
		f.each(f.indices)
		if len(f.idx)+len(f.kind) == n {
			break
		}
	}
	f.each(f.uses)
}

// callee is the last part of what is called: "load" for tl.load(…).
func callee(c *python.Call) string {
	switch fn := c.Func.(type) {
	case *python.Attribute:
		return fn.Attr
	case *python.Name:
		return fn.ID
	}
	return ""
}

// argument is an argument of a call by position or name, or nil.
func argument(c *python.Call, i int, name string) python.Expr {
	if i < len(c.Args) {
		return c.Args[i]
	}
	for _, k := range c.Keywords {
		if k.Arg == name {
			return k.Value
		}
	}
	return nil
}

// addressed are the functions whose first argument is an address, with that argument's name.
var addressed = map[string]string{
	"load": "pointer", "store": "pointer", "atomic_add": "pointer", "atomic_max": "pointer",
	"atomic_min": "pointer", "atomic_cas": "pointer", "atomic_xchg": "pointer", "atomic_and": "pointer",
	"atomic_or": "pointer", "atomic_xor": "pointer", "make_block_ptr": "base",
	"make_tensor_descriptor": "base", "_experimental_make_tensor_descriptor": "base",
}

// descriptorMethods are called on tensor descriptors.
var descriptorMethods = map[string]bool{"load": true, "store": true, "gather": true, "scatter": true,
	"atomic_add": true}

// addresses finds what is loaded from and stored to.
func (f *flow) addresses(n python.Node) {
	c, ok := n.(*python.Call)
	if !ok {
		return
	}
	name := callee(c)
	if a, ok := c.Func.(*python.Attribute); ok && descriptorMethods[name] {
		if v, ok := a.Value.(*python.Name); ok && f.isParam(v.ID) {
			f.set(v.ID, descriptor)
			return
		}
	}
	if name == "load_tensor_descriptor" || name == "store_tensor_descriptor" {
		if v, ok := argument(c, 0, "desc").(*python.Name); ok {
			f.set(v.ID, descriptor)
		}
		return
	}
	if arg, ok := addressed[name]; ok {
		f.address(argument(c, 0, arg))
		return
	}
	f.handed(c, name)
}

// handed finds parameters that are handed on to a function of the file.
func (f *flow) handed(c *python.Call, name string) {
	fn := f.file.funcs[name]
	if fn == nil || fn == f.fn {
		return
	}
	kinds := f.file.kinds(name)
	params := append(append([]*python.Arg(nil), fn.Args.PosOnlyArgs...), fn.Args.Args...)
	for i, p := range params {
		arg := argument(c, i, p.Arg)
		if arg == nil {
			continue
		}
		switch kinds[p.Arg] {
		case tensor:
			f.address(arg)
		case integer:
			f.index(arg)
		case unknown:
		default:
			if v, ok := arg.(*python.Name); ok {
				f.set(v.ID, kinds[p.Arg])
			}
		}
	}
}

// address says that an expression is one: one of the names that it may begin with is a pointer, everything
// else in it is an index.
func (f *flow) address(e python.Expr) {
	f.addressIn(e, map[string]bool{})
}

// addressIn looks into what a local name was assigned: each is an address of its own.
func (f *flow) addressIn(e python.Expr, seen map[string]bool) {
	if e == nil {
		return
	}
	if v, ok := e.(*python.Name); ok {
		if seen[v.ID] {
			return // it is being looked at
		}
		seen[v.ID] = true
		for _, d := range f.defs[v.ID] {
			if !f.isParam(v.ID) || len(f.bases(d, map[string]bool{v.ID: true})) > 0 {
				f.addressIn(d, seen)
			}
		}
		if !f.isParam(v.ID) {
			return
		}
	}
	if v, ok := e.(*python.IfExp); ok {
		f.addressIn(v.Body, seen)
		f.addressIn(v.Orelse, seen)
		return
	}
	f.base(e, seen)
	f.offsets(e, map[string]bool{})
}

// base finds the pointer of an address: a local name that holds one, or else a parameter.
func (f *flow) base(e python.Expr, seen map[string]bool) {
	var params []string
	for _, v := range f.begins(e) {
		if f.isParam(v.ID) {
			params = append(params, v.ID)
			continue
		}
		if len(f.bases(v, map[string]bool{})) > 0 {
			f.addressIn(v, seen)
			if f.hasTensor(v) {
				return
			}
		}
	}
	if best := pickBase(params, f.kind); best != "" {
		f.set(best, tensor)
	}
}

// pickBase chooses the pointer among names: one that has been found to be something else is none.
func pickBase(names []string, known map[string]kind) string {
	var left []string
	for _, n := range names {
		switch known[n] {
		case tensor:
			return n
		case unknown:
			left = append(left, n)
		}
	}
	for _, n := range left {
		if namesPointer(n) {
			return n
		}
	}
	if len(left) > 0 {
		return left[0]
	}
	return ""
}

// sameAddress are the functions that give an address back.
var sameAddress = map[string]bool{
	"multiple_of": true, "max_contiguous": true, "broadcast_to": true, "advance": true, "to": true,
	"make_block_ptr": true, "cast": true, "max_constancy": true, "reshape": true, "view": true,
	"expand_dims": true, "trans": true,
}

// bases are the parameters that an address may be made of, the leftmost first.
func (f *flow) bases(e python.Expr, seen map[string]bool) (out []string) {
	for _, v := range f.begins(e) {
		if f.isParam(v.ID) {
			out = append(out, v.ID)
		}
		if seen[v.ID] {
			continue
		}
		seen[v.ID] = true
		for _, d := range f.defs[v.ID] {
			out = append(out, f.bases(d, seen)...)
		}
	}
	return out
}

// begins are the names one of which may be the pointer in an address, the leftmost first.
func (f *flow) begins(e python.Expr) []*python.Name {
	switch e := e.(type) {
	case *python.Name:
		return []*python.Name{e}
	case *python.BinOp:
		switch e.Op {
		case python.Add:
			return append(f.begins(e.Left), f.begins(e.Right)...)
		case python.Sub:
			return f.begins(e.Left)
		}
	case *python.Subscript:
		return f.begins(e.Value)
	case *python.IfExp:
		return append(f.begins(e.Body), f.begins(e.Orelse)...)
	case *python.Call:
		if !sameAddress[callee(e)] {
			return nil
		}
		if a, ok := e.Func.(*python.Attribute); ok {
			if v, isName := a.Value.(*python.Name); !isName || v.ID != "tl" && v.ID != "triton" &&
				v.ID != "language" {
				return f.begins(a.Value)
			}
		}
		if arg := argument(e, 0, "base"); arg != nil {
			return f.begins(arg)
		}
	}
	return nil
}

// either says that a parameter in the place of an address is one: p if flag else q_ptr.
func (f *flow) either(e *python.IfExp) {
	for _, pair := range [][2]python.Expr{{e.Body, e.Orelse}, {e.Orelse, e.Body}} {
		if v, ok := pair[0].(*python.Name); ok && f.isParam(v.ID) && f.kind[v.ID] == unknown &&
			f.hasTensor(pair[1]) {
			f.set(v.ID, tensor)
		}
	}
}

// offsets marks what is added to a pointer as indices.
func (f *flow) offsets(e python.Expr, seen map[string]bool) {
	switch e := e.(type) {
	case *python.Name:
		switch {
		case f.isParam(e.ID) && f.kind[e.ID] != tensor && f.defs[e.ID] == nil:
			f.set(e.ID, integer)
		case !seen[e.ID]:
			seen[e.ID] = true
			pointer := len(f.bases(e, map[string]bool{})) > 0 && f.hasTensor(e)
			for _, d := range f.defs[e.ID] {
				if pointer {
					f.offsets(d, seen)
				} else {
					f.index(d)
				}
			}
		}
	case *python.BinOp:
		f.offsets(e.Left, seen)
		f.offsets(e.Right, seen)
	case *python.UnaryOp:
		f.offsets(e.Operand, seen)
	case *python.Subscript:
		f.offsets(e.Value, seen)
	case *python.IfExp:
		f.either(e)
		f.offsets(e.Body, seen)
		f.offsets(e.Orelse, seen)
	case *python.Call:
		if name := callee(e); sameAddress[name] || indexFuncs[name] {
			for _, a := range e.Args {
				f.offsets(a, seen)
			}
		}
	}
}

func (f *flow) hasTensor(e python.Expr) bool {
	for _, n := range f.bases(e, map[string]bool{}) {
		if f.kind[n] == tensor {
			return true
		}
	}
	return false
}
