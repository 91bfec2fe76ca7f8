package python

// fieldVisitor is shown the fields of a node, in CPython's order and under CPython's names. Walking and
// dumping are its two implementations, so that the list of a node's fields stands in one place.
type fieldVisitor interface {
	// node shows a field that holds a node; a nil one is None and left out of a dump.
	node(name string, n Node)
	// begin opens a field that holds a list, item adds a node to it (nil for None), end closes it.
	begin(name string)
	item(n Node)
	end()
	// value shows a field that walks pass over: an identifier, a number, an operator, a constant.
	value(name string, v any)
	// text shows an identifier or string that is left out of a dump when empty.
	text(name, s string)
	// since says that the fields that follow in this node are new in Python 3.minor.
	since(minor int)
}

func list[T Node](v fieldVisitor, name string, nodes []T) {
	v.begin(name)
	for _, n := range nodes {
		v.item(n)
	}
	v.end()
}

func arg(v fieldVisitor, name string, a *Arg) {
	if a != nil {
		v.node(name, a)
	}
}

// names is a list of identifiers, shown as a value.
type names []string

func (n *Module) fields(v fieldVisitor) {
	list(v, "body", n.Body)
	v.begin("type_ignores")
	v.end()
}

func (n *BoolOp) fields(v fieldVisitor) {
	v.value("op", n.Op)
	list(v, "values", n.Values)
}

func (n *NamedExpr) fields(v fieldVisitor) {
	v.node("target", n.Target)
	v.node("value", n.Value)
}

func (n *BinOp) fields(v fieldVisitor) {
	v.node("left", n.Left)
	v.value("op", n.Op)
	v.node("right", n.Right)
}

func (n *UnaryOp) fields(v fieldVisitor) {
	v.value("op", n.Op)
	v.node("operand", n.Operand)
}

func (n *Lambda) fields(v fieldVisitor) {
	v.node("args", n.Args)
	v.node("body", n.Body)
}

func (n *IfExp) fields(v fieldVisitor) {
	v.node("test", n.Test)
	v.node("body", n.Body)
	v.node("orelse", n.Orelse)
}

func (n *Dict) fields(v fieldVisitor) {
	list(v, "keys", n.Keys)
	list(v, "values", n.Values)
}

func (n *Set) fields(v fieldVisitor) { list(v, "elts", n.Elts) }

func (n *ListComp) fields(v fieldVisitor) {
	v.node("elt", n.Elt)
	list(v, "generators", n.Generators)
}

func (n *SetComp) fields(v fieldVisitor) {
	v.node("elt", n.Elt)
	list(v, "generators", n.Generators)
}

func (n *DictComp) fields(v fieldVisitor) {
	v.node("key", n.Key)
	v.node("value", n.Value)
	list(v, "generators", n.Generators)
}

func (n *GeneratorExp) fields(v fieldVisitor) {
	v.node("elt", n.Elt)
	list(v, "generators", n.Generators)
}

func (n *Await) fields(v fieldVisitor)     { v.node("value", n.Value) }
func (n *Yield) fields(v fieldVisitor)     { v.node("value", n.Value) }
func (n *YieldFrom) fields(v fieldVisitor) { v.node("value", n.Value) }

func (n *Compare) fields(v fieldVisitor) {
	v.node("left", n.Left)
	v.value("ops", n.Ops)
	list(v, "comparators", n.Comparators)
}

func (n *Call) fields(v fieldVisitor) {
	v.node("func", n.Func)
	list(v, "args", n.Args)
	list(v, "keywords", n.Keywords)
}

func (n *FormattedValue) fields(v fieldVisitor) {
	v.node("value", n.Value)
	v.value("conversion", int(n.Conversion))
	if n.FormatSpec != nil {
		v.node("format_spec", n.FormatSpec)
	}
}

func (n *JoinedStr) fields(v fieldVisitor) { list(v, "values", n.Values) }

func (n *Constant) fields(v fieldVisitor) {
	v.value("value", constant{n.Value})
	if n.Kind != "" {
		v.value("kind", constant{n.Kind})
	}
}

// constant is the value of a literal, shown as repr shows it.
type constant struct{ v any }

func (n *Attribute) fields(v fieldVisitor) {
	v.node("value", n.Value)
	v.text("attr", n.Attr)
	v.value("ctx", n.Ctx)
}

func (n *Subscript) fields(v fieldVisitor) {
	v.node("value", n.Value)
	v.node("slice", n.Slice)
	v.value("ctx", n.Ctx)
}

func (n *Starred) fields(v fieldVisitor) {
	v.node("value", n.Value)
	v.value("ctx", n.Ctx)
}

func (n *Name) fields(v fieldVisitor) {
	v.text("id", n.ID)
	v.value("ctx", n.Ctx)
}

func (n *List) fields(v fieldVisitor) {
	list(v, "elts", n.Elts)
	v.value("ctx", n.Ctx)
}

func (n *Tuple) fields(v fieldVisitor) {
	list(v, "elts", n.Elts)
	v.value("ctx", n.Ctx)
}

func (n *Slice) fields(v fieldVisitor) {
	v.node("lower", n.Lower)
	v.node("upper", n.Upper)
	v.node("step", n.Step)
}

func (n *BadExpr) fields(fieldVisitor) {}

func (n *Comprehension) fields(v fieldVisitor) {
	v.node("target", n.Target)
	v.node("iter", n.Iter)
	list(v, "ifs", n.Ifs)
	v.value("is_async", flag(n.IsAsync))
}

// flag returns a truth value as CPython keeps it, 0 or 1.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (n *Arguments) fields(v fieldVisitor) {
	list(v, "posonlyargs", n.PosOnlyArgs)
	list(v, "args", n.Args)
	arg(v, "vararg", n.Vararg)
	list(v, "kwonlyargs", n.KwOnlyArgs)
	list(v, "kw_defaults", n.KwDefaults)
	arg(v, "kwarg", n.Kwarg)
	list(v, "defaults", n.Defaults)
}

func (n *Arg) fields(v fieldVisitor) {
	v.text("arg", n.Arg)
	v.node("annotation", n.Annotation)
}

func (n *Keyword) fields(v fieldVisitor) {
	v.text("arg", n.Arg)
	v.node("value", n.Value)
}
