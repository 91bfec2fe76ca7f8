package python

// store makes an expression a target: its context becomes ctx. It reports an expression that cannot be
// assigned to (or deleted), with hint.
func (p *parser) store(x Expr, ctx Ctx, hint string) {
	switch x := x.(type) {
	case *Name:
		x.Ctx = ctx
	case *Attribute:
		x.Ctx = ctx
	case *Subscript:
		x.Ctx = ctx
	case *Tuple:
		x.Ctx = ctx
		p.storeAll(x.Elts, ctx, hint)
	case *List:
		x.Ctx = ctx
		p.storeAll(x.Elts, ctx, hint)
	case *Starred:
		if ctx == Del {
			p.errorAt(x, codeTarget, "", "cannot delete a starred expression")
			return
		}
		x.Ctx = ctx
		p.store(x.Value, ctx, hint)
	case *BadExpr:
	default:
		verb := "assign to"
		if ctx == Del {
			verb = "delete"
		}
		p.errorAt(x, codeTarget, hint, "cannot %s %s", verb, describeExpr(x))
	}
}

func (p *parser) storeAll(elts []Expr, ctx Ctx, hint string) {
	for _, e := range elts {
		p.store(e, ctx, hint)
	}
}

// describeExpr returns the kind of an expression as messages name it.
func describeExpr(x Expr) string {
	if c, ok := x.(*Constant); ok {
		switch c.Value {
		case nil:
			return "None"
		case true:
			return "True"
		case false:
			return "False"
		case Ellipsis{}:
			return "an ellipsis"
		}
	}
	return exprNames[KindOf(x)]
}

var exprNames = map[string]string{
	"BoolOp": "an expression", "NamedExpr": "a named expression", "BinOp": "an expression",
	"UnaryOp": "an expression",
	"Lambda":  "a lambda", "IfExp": "a conditional expression", "Dict": "a dict display",
	"Set":      "a set display",
	"ListComp": "a list comprehension", "SetComp": "a set comprehension", "DictComp": "a dict comprehension",
	"GeneratorExp": "a generator expression", "Await": "an await expression", "Yield": "a yield expression",
	"YieldFrom": "a yield expression", "Compare": "a comparison", "Call": "a function call",
	"FormattedValue": "an f-string", "JoinedStr": "an f-string", "Constant": "a literal",
	"Attribute": "an attribute",
	"Subscript": "a subscript", "Starred": "a starred expression", "Name": "a name", "List": "a list",
	"Tuple": "a tuple", "Slice": "a slice", "BadExpr": "this",
}
