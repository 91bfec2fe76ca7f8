package pyrun

import (
	"math/big"
	"slices"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// code is the result of compile() and ast.parse(): parsed text.
type code struct {
	body []python.Stmt
	expr python.Expr // of mode "eval"
	file *python.Module
}

func (*code) TypeName() string { return "code" }

// read returns v as code: text, which it parses, or code already.
func (ev *Evaluator) read(v object.Value, mode string) (*code, error) {
	if c, ok := v.(*code); ok {
		return c, nil
	}
	src, err := object.Text(v)
	if err != nil {
		return nil, err
	}
	if err := ev.Alloc(8*len(src) + 1024); err != nil {
		return nil, err
	}
	if mode == "eval" {
		x, err := python.ParseExpr(ev.Files, "<string>", []byte(src))
		if err != nil {
			return nil, syntaxError(err)
		}
		return &code{expr: x}, nil
	}
	m, err := python.Parse(ev.Files, "<string>", []byte(src))
	if err != nil {
		return nil, syntaxError(err)
	}
	return &code{body: m.Body, file: m}, nil
}

func syntaxError(err error) error { return object.Errorf(object.SyntaxError, "%v", err) }

// runText returns the function behind exec(source, globals, locals) or eval(...), called in env.
func runText(mode string) func(in *object.Interp, env *Env, args []object.Value) (object.Value, error) {
	return func(in *object.Interp, env *Env, a []object.Value) (object.Value, error) {
		if err := in.Enter(); err != nil {
			return nil, err
		}
		defer in.Leave()
		c, err := From(in).read(a[0], mode)
		if err != nil {
			return nil, err
		}
		scope, err := From(in).textScope(c, env, a[1:])
		if err != nil {
			return nil, err
		}
		if c.expr != nil {
			return From(in).eval(c.expr, scope)
		}
		if mode == "eval" {
			return nil, object.Errorf(object.TypeError, "eval() arg 1 must be a string or an expression")
		}
		_, err = From(in).block(c.body, scope)
		return object.None, err
	}
}

// textScope returns the scope in which text runs: that of the call, a module's, or a dict's. A function that
// the text defines belongs to the text.
func (ev *Evaluator) textScope(c *code, env *Env, given []object.Value) (*Env, error) {
	given = slices.DeleteFunc(slices.Clone(given), func(v object.Value) bool {
		return v == nil || v == object.None
	})
	if len(given) == 0 {
		return env, nil
	}
	switch g := given[len(given)-1].(type) {
	case *globals:
		return g.m.Env(), nil
	case *object.Dict:
		m := &Module{Name: "__main__", Syntax: c.file}
		if len(given) == 2 {
			if outer, ok := given[0].(*object.Dict); ok {
				return NewEnv(m, outer).Inner(g), nil
			}
		}
		return NewEnv(m, g), nil
	}
	return nil, object.Errorf(object.TypeError, "the scope of exec() or eval() must be a dict, not %s",
		given[len(given)-1].TypeName())
}

func compileText(in *object.Interp, a []object.Value) (object.Value, error) {
	mode, err := object.Text(a[2])
	if err != nil {
		return nil, err
	}
	return From(in).read(a[0], mode)
}

// ParseText does what ast.parse(source, filename, mode) does: it reads text without running it.
func ParseText(in *object.Interp, a []object.Value) (object.Value, error) {
	mode := "exec"
	if s, ok := a[2].(object.Str); ok {
		mode = string(s)
	}
	return From(in).read(a[0], mode)
}

// EvalLiteral does what ast.literal_eval(text) does: it evaluates text made of constants and displays alone.
func EvalLiteral(in *object.Interp, a []object.Value) (object.Value, error) {
	ev := From(in)
	c, err := ev.read(a[0], "eval")
	if err != nil {
		return nil, err
	}
	if !isLiteral(c.expr) {
		return nil, object.Errorf(object.ValueError, "malformed node or string")
	}
	return ev.eval(c.expr, NewEnv(nil, nil))
}

// isLiteral reports whether an expression is made of constants, numbers with a sign and displays alone, or is
// set(), which has no display.
func isLiteral(x python.Expr) bool {
	switch x := x.(type) {
	case *python.Constant:
		return true
	case *python.UnaryOp:
		return (x.Op == python.UAdd || x.Op == python.USub) && isNumber(x.Operand)
	case *python.Tuple:
		return areLiterals(x.Elts)
	case *python.List:
		return areLiterals(x.Elts)
	case *python.Set:
		return areLiterals(x.Elts)
	case *python.Dict:
		return areLiterals(x.Keys) && areLiterals(x.Values)
	case *python.Call:
		f, ok := x.Func.(*python.Name)
		return ok && f.ID == "set" && len(x.Args)+len(x.Keywords) == 0
	}
	return false
}

// areLiterals reports it of all expressions; a nil one stands for ** in a display.
func areLiterals(list []python.Expr) bool {
	return !slices.ContainsFunc(list, func(x python.Expr) bool { return !isLiteral(x) })
}

// isNumber reports whether an expression is a number without a sign; True and False are none.
func isNumber(x python.Expr) bool {
	c, ok := x.(*python.Constant)
	if !ok {
		return false
	}
	switch c.Value.(type) {
	case *big.Int, float64, complex128:
		return true
	}
	return false
}
