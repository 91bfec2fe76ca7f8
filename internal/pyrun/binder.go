package pyrun

import "github.com/nereid-lang/nereid/internal/python"

// binder finds the names that statements bind, without looking into functions and classes.
type binder struct {
	bind func(name string)
	// mutate, when set, is called with x for x[…] = …, x.a = … and x.method(…).
	mutate func(name string)
	// yield, when set, is called with each statement that holds a yield, outer ones too.
	yield func(st python.Stmt)

	sawYield bool
}

// changers are the builtins that are called for what they do to an argument.
var changers = map[string]bool{"exec": true, "setattr": true, "delattr": true}

func (b *binder) stmts(list []python.Stmt) {
	for _, st := range list {
		b.stmt(st)
	}
}

func (b *binder) stmt(st python.Stmt) {
	saw := b.sawYield
	b.sawYield = false
	b.stmtNode(st)
	if b.sawYield && b.yield != nil {
		b.yield(st)
	}
	b.sawYield = b.sawYield || saw
}

func (b *binder) stmtNode(st python.Stmt) {
	switch st := st.(type) {
	case *python.FunctionDef:
		b.function(st)
	case *python.AsyncFunctionDef:
		b.function(&st.FunctionDef)
	case *python.ClassDef:
		b.bind(st.Name)
		b.exprs(st.DecoratorList)
		b.exprs(st.Bases)
		for _, k := range st.Keywords {
			b.expr(k.Value)
		}
	case *python.Assign:
		b.expr(st.Value)
		for _, t := range st.Targets {
			b.target(t)
		}
	case *python.AugAssign:
		b.expr(st.Value)
		b.target(st.Target)
	case *python.AnnAssign:
		b.expr(st.Value)
		b.target(st.Target)
	case *python.TypeAlias:
		b.target(st.Name)
	case *python.Delete:
		for _, t := range st.Targets {
			b.target(t)
		}
	case *python.Import:
		for _, a := range st.Names {
			b.bind(importedName(a))
		}
	case *python.ImportFrom:
		for _, a := range st.Names {
			if a.Name != "*" {
				b.bind(orName(a.AsName, a.Name))
			}
		}
	case *python.ExprStmt:
		b.expr(st.Value)
		if c, ok := st.Value.(*python.Call); ok && b.mutate != nil {
			// x[…](…) calls an item, it does not change x: a kernel's launch
			if _, item := c.Func.(*python.Subscript); !item {
				b.mutates(c.Func)
			}
			if f, ok := c.Func.(*python.Name); ok && changers[f.ID] {
				for _, a := range c.Args {
					if n, ok := a.(*python.Name); ok {
						b.mutate(n.ID)
					}
				}
			}
		}
	case *python.Return:
		b.expr(st.Value)
	case *python.Raise:
		b.expr(st.Exc)
		b.expr(st.Cause)
	case *python.Assert:
		b.expr(st.Test)
		b.expr(st.Msg)
	default:
		b.compound(st)
	}
}

func (b *binder) compound(st python.Stmt) {
	switch st := st.(type) {
	case *python.If:
		b.expr(st.Test)
		b.stmts(st.Body)
		b.stmts(st.Orelse)
	case *python.For:
		b.expr(st.Iter)
		b.target(st.Target)
		b.stmts(st.Body)
		b.stmts(st.Orelse)
	case *python.While:
		b.expr(st.Test)
		b.stmts(st.Body)
		b.stmts(st.Orelse)
	case *python.With:
		for _, item := range st.Items {
			b.expr(item.ContextExpr)
			b.target(item.OptionalVars)
		}
		b.stmts(st.Body)
	case *python.Try:
		b.try(st)
	case *python.TryStar:
		b.try(&st.Try)
	case *python.Match:
		b.expr(st.Subject)
		for _, c := range st.Cases {
			b.pattern(c.Pattern)
			b.expr(c.Guard)
			b.stmts(c.Body)
		}
	}
}

func (b *binder) try(st *python.Try) {
	b.stmts(st.Body)
	for _, h := range st.Handlers {
		b.expr(h.Type)
		if h.Name != "" {
			b.bind(h.Name)
		}
		b.stmts(h.Body)
	}
	b.stmts(st.Orelse)
	b.stmts(st.Finalbody)
}

// function looks at what a def evaluates in the scope around it.
func (b *binder) function(def *python.FunctionDef) {
	b.bind(def.Name)
	b.exprs(def.DecoratorList)
	b.defaults(def.Args)
}

func (b *binder) defaults(a *python.Arguments) {
	b.exprs(a.Defaults)
	b.exprs(a.KwDefaults)
}

func (b *binder) exprs(list []python.Expr) {
	for _, x := range list {
		b.expr(x)
	}
}

// expr finds := and yield. Those inside a comprehension belong to the function around it.
func (b *binder) expr(x python.Expr) {
	if x == nil {
		return
	}
	python.Inspect(x, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.Lambda:
			b.defaults(n.Args)
			return false
		case *python.NamedExpr:
			b.bind(n.Target.ID)
		case *python.Yield, *python.YieldFrom, *python.Await:
			b.sawYield = true
		}
		return true
	})
}

func (b *binder) target(t python.Expr) {
	switch t := t.(type) {
	case *python.Name:
		b.bind(t.ID)
	case *python.Tuple:
		for _, x := range t.Elts {
			b.target(x)
		}
	case *python.List:
		for _, x := range t.Elts {
			b.target(x)
		}
	case *python.Starred:
		b.target(t.Value)
	case *python.Subscript, *python.Attribute:
		b.expr(t)
		if b.mutate != nil {
			b.mutates(t)
		}
	}
}

// mutates calls mutate with the name at the root of x.y[z].
func (b *binder) mutates(x python.Expr) {
	for {
		switch y := x.(type) {
		case *python.Attribute:
			x = y.Value
			if n, ok := x.(*python.Name); ok {
				b.mutate(n.ID)
				return
			}
		case *python.Subscript:
			x = y.Value
			if n, ok := x.(*python.Name); ok {
				b.mutate(n.ID)
				return
			}
		default:
			return
		}
	}
}

func (b *binder) pattern(p python.Pattern) {
	if p == nil {
		return
	}
	python.Inspect(p, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.MatchAs:
			b.bindNonEmpty(n.Name)
		case *python.MatchStar:
			b.bindNonEmpty(n.Name)
		case *python.MatchMapping:
			b.bindNonEmpty(n.Rest)
		}
		return true
	})
}

func (b *binder) bindNonEmpty(name string) {
	if name != "" {
		b.bind(name)
	}
}

// importedName returns the name that `import a.b as c` binds.
func importedName(a *python.Alias) string {
	if a.AsName != "" {
		return a.AsName
	}
	return firstPart(a.Name)
}

func orName(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
