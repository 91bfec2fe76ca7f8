package codegen

import (
	"math/big"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
)

// expr returns the value of an expression.
func (g *generator) expr(e python.Expr) object.Value {
	v := g.compute(e)
	if g.u.opts.Seen != nil {
		g.seen(e, v)
	}
	return v
}

// compute compiles an expression.
func (g *generator) compute(e python.Expr) object.Value {
	defer g.at(e)()
	switch e := e.(type) {
	case *python.Name:
		return g.lookup(e)
	case *python.Constant:
		return g.constant(e)
	case *python.Attribute:
		return g.attribute(e, g.expr(e.Value), e.Attr)
	case *python.Call:
		return g.call(e)
	case *python.BinOp:
		lhs := g.expr(e.Left)
		return g.binary(e, e.Op, lhs, g.expr(e.Right))
	case *python.UnaryOp:
		return g.unary(e)
	case *python.BoolOp:
		return g.boolOp(e)
	case *python.Compare:
		return g.compare(e)
	case *python.Subscript:
		return g.subscript(e)
	case *python.Tuple:
		return object.NewTuple(g.exprs(e.Elts)...)
	case *python.List: // a list is a tuple in kernels
		return object.NewTuple(g.exprs(e.Elts)...)
	case *python.IfExp:
		return g.ifExp(e)
	case *python.JoinedStr:
		return g.fstring(e)
	case *python.ListComp:
		return object.NewTuple(g.comprehension(e, e.Elt, e.Generators)...)
	case *python.GeneratorExp:
		return object.NewTuple(g.comprehension(e, e.Elt, e.Generators)...)
	case *python.Slice:
		return &object.Slice{Lo: g.optional(e.Lower), Hi: g.optional(e.Upper), Step: g.optional(e.Step)}
	case *python.NamedExpr:
		v := g.expr(e.Value)
		if !g.keepPromise(e.Target.ID) {
			v = g.toRuntime(e, v)
		}
		g.bind(e.Target.ID, v)
		return v
	}
	g.unsupported(e)
	return nil
}

func (g *generator) exprs(list []python.Expr) []object.Value {
	var out []object.Value
	for _, e := range list {
		if s, ok := e.(*python.Starred); ok {
			out = append(out, g.spread(s)...)
			continue
		}
		out = append(out, g.expr(e))
	}
	return out
}

// spread returns the items of *tuple.
func (g *generator) spread(s *python.Starred) []object.Value {
	v := g.expr(s.Value)
	if t, ok := v.(*object.Tuple); ok {
		return t.Items
	}
	g.fail(s, "type-mismatch", "only a tuple can follow *, not %s", describe(v))
	return nil
}

func (g *generator) optional(e python.Expr) object.Value {
	if e == nil {
		return object.None
	}
	return g.expr(e)
}

func (g *generator) constant(e *python.Constant) object.Value {
	switch v := e.Value.(type) {
	case nil:
		return object.None
	case bool:
		return object.Bool(v)
	case *big.Int:
		return object.BigInt(v)
	case float64:
		return object.Float(v)
	case string:
		return object.Str(v)
	case python.Bytes:
		return object.Bytes(v)
	case python.Ellipsis:
		return object.Ellipsis
	}
	g.failHint(e, "unsupported", "keep the real and the imaginary part apart",
		"complex numbers are not supported in a jit function")
	return nil
}

// lookup finds a name: in the kernel, in its module, among the builtins.
func (g *generator) lookup(e *python.Name) object.Value {
	if v, ok := g.scope.get(e.ID); ok {
		passOver(v)
		return v
	}
	v, ok, err := g.fn.Func.Lookup(g.u.world.In, e.ID)
	g.check(e, err)
	if k, special := kernelBuiltins[e.ID]; special {
		if b, _ := g.u.world.Eval.Builtin(e.ID); !ok || b == v { // not a name of the module's own
			return k
		}
	}
	if ok {
		g.checkGlobal(e, v)
		return world.Unwrap(v)
	}
	g.undefined(e)
	return nil
}

// checkGlobal enforces Triton's rule that a kernel reads no global variable but a constexpr: a compiled
// kernel would not see it change.
func (g *generator) checkGlobal(e *python.Name, v object.Value) {
	if g.u.opts.AllowGlobals || isHostBuiltin(v) {
		return
	}
	switch v.(type) {
	case *pyrun.Func:
		g.failHint(e, "not-jit",
			"decorate it with @triton.jit, or with @triton.constexpr_function if it computes constants",
			"the plain function %s cannot be used in a jit function", e.ID)
	case object.Int, object.Float, object.Bool, object.Str, *object.List, *object.Dict, *object.Instance:
		g.failHint(e, "global", "write "+e.ID+" = tl.constexpr(...), or pass it as an argument",
			"the global variable %s cannot be read in a jit function: it is %s, not a tl.constexpr", e.ID,
			describe(v))
	}
}

// attribute returns v.name.
func (g *generator) attribute(n python.Node, v object.Value, name string) object.Value {
	if o, ok := v.(*world.Object); ok {
		return g.objectAttr(n, o, name)
	}
	if r, ok, err := g.deviceAttr(n, v, name); ok || err != nil {
		g.check(n, err)
		return r
	}
	if r := constexprAttr(v, name); r != nil {
		return r
	}
	if t, ok := v.(*object.Tuple); ok && name == "type" {
		return g.tupleType(n, t)
	}
	r, err := object.GetAttr(g.u.world.In, v, name)
	if m, ok := v.(*pyrun.Module); ok && err != nil {
		g.noSuchName(n, m, name, err)
		f := failureOf(n, err)
		f.sure = true
		panic(f)
	}
	if _, ok := v.(*object.Tuple); ok && err != nil && listMethods[name] {
		g.failHint(n, "unsupported", "build a new one: a = a + [x]",
			"a list is a tuple in a jit function, and cannot be changed: it has no %s", name)
	}
	g.check(n, err)
	return world.Unwrap(r)
}

// tupleType returns the type of a tuple: that of each of its items.
func (g *generator) tupleType(n python.Node, t *object.Tuple) object.Value {
	types := make([]object.Value, len(t.Items))
	for i, item := range t.Items {
		types[i] = g.attribute(n, item, "type")
	}
	return world.TupleType{Types: object.NewTuple(types...)}
}

// constexprAttr returns an attribute of the constexpr in which Triton holds a known value.
func constexprAttr(v object.Value, name string) object.Value {
	switch v.(type) {
	case object.Int, object.Float, object.Bool, object.Str, object.NoneType, *sem.DType, *world.JITFunction:
		if name == "value" {
			return v
		}
	case *object.Tuple:
		if hasDevice(v) {
			return nil
		}
	default:
		return nil
	}
	if name == "type" {
		return world.ConstexprType{V: v}
	}
	return nil
}

var listMethods = map[string]bool{"append": true, "extend": true, "insert": true, "pop": true, "remove": true,
	"clear": true, "sort": true, "reverse": true, "copy": true}

// noSuchName suggests what may have been meant by a name that triton.language does not have.
func (g *generator) noSuchName(n python.Node, m *pyrun.Module, name string, err error) {
	ex, ok := err.(*object.Exception)
	if !ok || ex.Hint != "" || !world.IsTriton(m.Name) {
		return
	}
	if g.elsewhere(n, strings.TrimPrefix(strings.TrimPrefix(m.Name, "triton.language"), "."), name) {
		return
	}
	if best := diag.Nearest(name, g.u.world.Vocabulary()); best != "" {
		ex.Hint = "did you mean tl." + best + "?"
	}
	if other, ok := otherNames[name]; ok {
		ex.Hint = other
	}
}

// elsewhere fails for a name that other releases have. It returns false where none has it.
func (g *generator) elsewhere(n python.Node, module, name string) bool {
	have := sem.Elsewhere(module, name)
	if len(have) == 0 {
		return false
	}
	mine := g.u.world.Version()
	nearest := triton.SpanOf(have).Nearest(mine)
	full := "tl." + name
	switch module {
	case "":
	case sem.InTensor:
		full = "method " + name
	default:
		full = "tl." + module + "." + name
	}
	g.failHint(n, sem.CodeVersion, triton.HowToChoose(nearest),
		"Triton %s has no %s: it is in %s", mine, full, triton.SpanOf(have))
	return true
}

// otherNames has the language's names for functions that people know from torch and NumPy.
var otherNames = map[string]string{
	"mean": "divide a sum: tl.sum(x) / n", "relu": "use tl.maximum(x, 0)",
	"tanh":  "use libdevice.tanh of triton.language.extra",
	"pow":   "use libdevice.pow of triton.language.extra",
	"round": "use libdevice.rint of triton.language.extra", "matmul": "use tl.dot",
	"concatenate": "use tl.cat or tl.join", "concat": "use tl.cat or tl.join", "stack": "use tl.join",
	"ones": "use tl.full(shape, 1, dtype)", "empty": "use tl.zeros(shape, dtype)",
	"transpose": "use tl.trans or tl.permute", "clip": "use tl.clamp",
	"argsort": "sort keys that hold the index",
}

// deviceAttr returns an attribute or method of a tensor or descriptor.
func (g *generator) deviceAttr(n python.Node, v object.Value, name string) (object.Value, bool, error) {
	switch v.(type) {
	case *sem.Tensor, *sem.Descriptor, *sem.BlockPointer:
	default:
		return nil, false, nil
	}
	if r, ok, err := g.b.Attr(v, name); ok || err != nil {
		return r, ok, err
	}
	if m := g.u.world.Method(v, name); m != nil {
		return &boundMethod{self: v, fn: m}, true, nil
	}
	g.elsewhere(n, sem.InTensor, name)
	g.failHint(n, "no-attribute", suggestFrom(name, g.u.world.MethodNames(v)), "%s has no attribute %s",
		describe(v), name)
	return nil, false, nil
}

func (g *generator) binary(n python.Node, op python.Operator, lhs, rhs object.Value) object.Value {
	if v, ok := g.ownOperator(n, operatorMethods[op], operatorMethods[op], lhs, rhs); ok {
		return v
	}
	_, l := lhs.(*sem.Tensor)
	_, r := rhs.(*sem.Tensor)
	if l || r {
		v, err := g.b.Binary(op, lhs, rhs)
		g.check(n, err)
		return v
	}
	if o, ok := lhs.(*world.Object); ok {
		return g.objectOp(n, o, operatorMethods[op], rhs)
	}
	v, err := object.Binary(g.u.world.In, op, lhs, rhs)
	g.check(n, err)
	return v
}

var operatorMethods = map[python.Operator]string{
	python.Add: "__add__", python.Sub: "__sub__", python.Mult: "__mul__", python.Div: "__truediv__",
	python.FloorDiv: "__floordiv__", python.Mod: "__mod__",
	python.Pow: "__pow__", python.LShift: "__lshift__", python.RShift: "__rshift__", python.BitAnd: "__and__",
	python.BitOr: "__or__", python.BitXor: "__xor__",
	python.MatMult: "__matmul__",
}

func (g *generator) unary(e *python.UnaryOp) object.Value {
	v := g.expr(e.Operand)
	if _, ok := v.(*sem.Tensor); ok {
		r, err := g.b.Unary(e.Op, v)
		g.check(e, err)
		return r
	}
	if o, ok := v.(*world.Object); ok && e.Op == python.Not && g.has(triton.OperatorOwners) {
		return g.notObject(e, o)
	}
	if t, ok := v.(*object.Tuple); ok && e.Op == python.Not && (isDisplay(e.Operand) || holdsTensor(t)) {
		g.failHint(e, "python-type", "compare len() with 0 instead",
			"TypeError: bad operand type for unary %s: 'tuple'", e.Op)
	}
	r, err := object.Unary(g.u.world.In, e.Op, v)
	g.check(e, err)
	return r
}

// isDisplay reports whether e writes a tuple down. Triton has no unary operators on a written tuple, not even
// `not`, but takes a constexpr that holds one.
func isDisplay(e python.Expr) bool {
	switch e.(type) {
	case *python.Tuple, *python.List:
		return true
	}
	return false
}

func holdsTensor(t *object.Tuple) bool {
	return slices.ContainsFunc(t.Items, func(v object.Value) bool { _, ok := v.(*sem.Tensor); return ok })
}

// boolOp returns a and b, or a or b. Values known at compile time short-circuit or drop out; the others
// become logical operations.
func (g *generator) boolOp(e *python.BoolOp) object.Value {
	var dynamic []object.Value
	var last object.Value
	for _, x := range e.Values {
		v := g.expr(x)
		last = v
		if _, ok := v.(*sem.Tensor); ok {
			dynamic = append(dynamic, v)
			continue
		}
		truth := g.truth(x, v)
		if truth == (e.Op == python.Or) {
			return v
		}
	}
	if len(dynamic) == 0 {
		return last
	}
	r := dynamic[len(dynamic)-1]
	for i := len(dynamic) - 2; i >= 0; i-- {
		var err error
		if e.Op == python.And {
			r, err = g.b.LogicalAnd(dynamic[i], r)
		} else {
			r, err = g.b.LogicalOr(dynamic[i], r)
		}
		g.check(e, err)
	}
	return r
}

// compare returns the value of a chain of comparisons; each pair is joined by and.
func (g *generator) compare(e *python.Compare) object.Value {
	lhs := g.expr(e.Left)
	var all object.Value
	for i, op := range e.Ops {
		rhs := g.expr(e.Comparators[i])
		v := g.comparePair(e, op, lhs, rhs)
		if i == 0 {
			all = v
		} else {
			all = g.and(e, all, v)
		}
		lhs = rhs
	}
	return all
}

func (g *generator) and(n python.Node, a, b object.Value) object.Value {
	_, l := a.(*sem.Tensor)
	_, r := b.(*sem.Tensor)
	switch {
	case l && r:
		v, err := g.b.LogicalAnd(a, b)
		g.check(n, err)
		return v
	case l:
		a, b = b, a
	}
	truth := g.truth(n, a)
	if !truth {
		return a
	}
	return b
}

func (g *generator) comparePair(e python.Node, op python.CmpOperator, lhs, rhs object.Value) object.Value {
	_, l := lhs.(*sem.Tensor)
	_, r := rhs.(*sem.Tensor)
	switch {
	case op == python.Is || op == python.IsNot:
		same := identical(lhs, rhs)
		return object.Bool(same == (op == python.Is))
	case compareMethods[op] != "":
		if v, ok := g.ownOperator(e, compareMethods[op], compareMethods[mirrored[op]], lhs, rhs); ok {
			return v
		}
	}
	switch {
	case (l || r) && (op == python.Eq || op == python.NotEq) && (lhs == object.None || rhs == object.None):
		return object.Bool(op == python.NotEq)
	case (l || r) && op != python.In && op != python.NotIn:
		if g.has(triton.OperatorOwners) && !l {
			op, lhs, rhs = mirrored[op], rhs, lhs
		}
		v, err := g.b.Compare(op, lhs, rhs)
		g.check(e, err)
		return v
	}
	if o, ok := lhs.(*world.Object); ok {
		return g.objectOp(e, o, compareMethods[op], rhs)
	}
	v, err := object.Compare(g.u.world.In, op, lhs, rhs)
	g.check(e, err)
	return v
}

// mirrored has the comparisons that hold of b and a where others hold of a and b.
var mirrored = map[python.CmpOperator]python.CmpOperator{
	python.Eq: python.Eq, python.NotEq: python.NotEq, python.Lt: python.Gt, python.LtE: python.GtE,
	python.Gt: python.Lt, python.GtE: python.LtE,
}

var compareMethods = map[python.CmpOperator]string{
	python.Eq: "__eq__", python.NotEq: "__ne__", python.Lt: "__lt__", python.LtE: "__le__",
	python.Gt: "__gt__", python.GtE: "__ge__",
}

// identical reports whether a is b, for values that a kernel can hold.
func identical(a, b object.Value) bool {
	switch a.(type) {
	case *sem.Tensor, *object.Tuple, *sem.Descriptor, *sem.BlockPointer, *world.Object:
		return a == b
	}
	switch b.(type) {
	case *sem.Tensor, *object.Tuple, *sem.Descriptor, *sem.BlockPointer, *world.Object:
		return false
	}
	return a.TypeName() == b.TypeName() && world.Equal(a, b)
}

func (g *generator) subscript(e *python.Subscript) object.Value {
	v := g.expr(e.Value)
	index := g.expr(e.Slice)
	if t, ok := v.(*sem.Tensor); ok {
		r, err := g.b.IndexSlice(t, index)
		g.check(e, err)
		return r
	}
	if hasDevice(index) {
		g.fail(e.Slice, "not-constexpr", "the index of a tuple must be known at compile time, not %s",
			describe(index))
	}
	if o, ok := v.(*world.Object); ok {
		return g.objectOp(e, o, "__getitem__", index)
	}
	r, err := object.GetItem(g.u.world.In, v, index)
	g.check(e, err)
	return world.Unwrap(r)
}

// fstring returns the text of an f-string of values known at compile time.
func (g *generator) fstring(e *python.JoinedStr) object.Value {
	var b strings.Builder
	for _, part := range e.Values {
		switch part := part.(type) {
		case *python.Constant:
			b.WriteString(part.Value.(string))
		case *python.FormattedValue:
			v := g.expr(part.Value)
			if hasDevice(v) {
				g.fail(part.Value, "not-constexpr",
					"an f-string can only hold values known at compile time, not %s", describe(v))
			}
			spec := ""
			if part.FormatSpec != nil {
				spec = string(g.fstring(part.FormatSpec).(object.Str))
			}
			switch part.Conversion {
			case 'r', 'a':
				v = object.Str(world.Repr(v))
			case 's':
				v = object.Str(world.Text(v))
			}
			text, err := object.Format(g.u.world.In, v, spec)
			g.check(part, err)
			b.WriteString(text)
		}
	}
	return object.Str(b.String())
}

// comprehension walks [elt for x in tuple if cond]; everything but the element must be known at compile time.
// Triton ignores conditions before 3.9, and so they are here.
func (g *generator) comprehension(n python.Node, elt python.Expr,
	gens []*python.Comprehension) []object.Value {
	saved := g.scope
	g.scope = g.scope.clone()
	defer func() { g.scope = saved }()
	return g.comprehend(elt, gens)
}

func (g *generator) comprehend(elt python.Expr, gens []*python.Comprehension) []object.Value {
	if len(gens) == 0 {
		return []object.Value{g.expr(elt)}
	}
	gen := gens[0]
	var items []object.Value
	switch v := g.expr(gen.Iter).(type) {
	case *object.Tuple:
		items = v.Items
	case *sem.Tensor:
		g.fail(gen.Iter, "type-mismatch", "a tensor cannot be iterated over")
	default:
		list, err := object.Iterate(g.u.world.In, v)
		g.check(gen.Iter, err)
		items = list
	}
	var out []object.Value
	for _, item := range items {
		g.bindTarget(gen.Target, item)
		if !g.has(triton.KeptConditions) || g.all(gen.Ifs) {
			out = append(out, g.comprehend(elt, gens[1:])...)
		}
	}
	return out
}

func (g *generator) all(conds []python.Expr) bool {
	for _, c := range conds {
		if !g.static(c, g.expr(c)) {
			return false
		}
	}
	return true
}

// bindTarget binds a target without making runtime values of numbers.
func (g *generator) bindTarget(target python.Expr, v object.Value) {
	switch t := target.(type) {
	case *python.Name:
		g.scope.set(t.ID, v)
	case *python.Tuple:
		tv, ok := v.(*object.Tuple)
		if !ok || len(tv.Items) != len(t.Elts) {
			g.fail(t, "unpack", "cannot unpack %s into %d names", describe(v), len(t.Elts))
		}
		for i, e := range t.Elts {
			g.bindTarget(e, tv.Items[i])
		}
	default:
		g.fail(target, "unsupported", "unsupported target of a comprehension")
	}
}
