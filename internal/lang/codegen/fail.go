package codegen

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// failure carries a diagnostic up to the entry point; it never leaves the package.
type failure struct {
	d     diag.Diagnostic
	param string // the parameter of the function being compiled whose argument is at fault, where it is one
	calls int    // notes about calls that were left out

	silent bool // the consequence of an earlier fault
	sure   bool // no value of a variable would mend it
}

func (g *generator) fail(n python.Node, code, format string, args ...any) {
	g.failHint(n, code, "", format, args...)
}

func (g *generator) failHint(n python.Node, code, hint, format string, args ...any) {
	g.failNotes(n, code, hint, nil, format, args...)
}

func (g *generator) failNotes(n python.Node, code, hint string, notes []diag.Note, format string,
	args ...any) {
	panic(&failure{d: diag.Diagnostic{Code: code, Span: n.Span(), Msg: fmt.Sprintf(format, args...),
		Hint: hint, Notes: notes}})
}

// check turns an error of package sem or of host Python into a failure at n.
func (g *generator) check(n python.Node, err error) {
	if err != nil {
		panic(failureOf(n, err))
	}
}

// failureOf returns the failure at n that an error of package sem or of host Python is.
func failureOf(n python.Node, err error) *failure {
	var se *sem.Error
	if errors.As(err, &se) {
		return &failure{d: diag.Diagnostic{Code: se.Code, Span: n.Span(), Msg: se.Msg, Hint: se.Hint}}
	}
	var list *diag.List // a module that does not parse
	if errors.As(err, &list) && len(list.Diags) > 0 {
		d := list.Diags[0]
		d.Notes = append(d.Notes, diag.Note{Span: n.Span(), Msg: "needed here"})
		return &failure{d: d}
	}
	var ex *object.Exception
	if errors.As(err, &ex) {
		d := ex.Diagnostic()
		if d.Span.Start.IsValid() && d.Span != n.Span() {
			d.Notes = append(d.Notes, diag.Note{Span: n.Span(), Msg: "needed here"})
		} else {
			d.Span = n.Span()
		}
		return &failure{d: d}
	}
	return &failure{d: diag.Diagnostic{Code: "invalid", Span: n.Span(), Msg: err.Error()}}
}

// checkCall does what check does, for a call of a builtin: the caret stands under the argument that is at
// fault.
func (g *generator) checkCall(n python.Node, b *sem.Builtin, method bool, args []object.Value,
	kws []object.Keyword, err error) {
	var se *sem.Error
	if err == nil || !errors.As(err, &se) {
		g.check(n, err)
		return
	}
	if u := unknownAmong(args, kws); u != nil {
		g.check(n, u.Need("the value"))
	}
	f := &failure{d: diag.Diagnostic{Code: se.Code, Span: n.Span(), Msg: se.Msg, Hint: se.Hint}}
	first := 0
	if method {
		first = 1
	}
	f.d.Span = faultyArgument(n, se, b.ParamIndex(se.Param)-first).Span()
	if arg := argumentNode(n, se.Param, b.ParamIndex(se.Param)-first); arg != nil {
		if name, ok := arg.(*python.Name); ok && g.fn.ParamIndex(name.ID) >= 0 {
			f.param = name.ID
		}
		if se.Code == sem.CodeConst && se.Hint == "" && !isLibrary(g.fn.Func.Module.Name) {
			f.d.Hint = g.constexprHint(arg)
		}
	}
	panic(f)
}

// faultyArgument returns the node that an error about a call means: an argument, a keyword that the function
// does not take, or the call.
func faultyArgument(n python.Node, e *sem.Error, at int) python.Node {
	if call, ok := n.(*python.Call); ok && e.Code == sem.CodeArgs {
		for _, k := range call.Keywords {
			if k.Arg == e.Param && k.Arg != "" {
				return k
			}
		}
	}
	if arg := argumentNode(n, e.Param, at); arg != nil {
		return arg
	}
	return n
}

// argumentNode returns the argument of a call for a parameter, given by name or at a position; nil when it is
// not there.
func argumentNode(n python.Node, param string, at int) python.Expr {
	call, ok := n.(*python.Call)
	if !ok || param == "" {
		return nil
	}
	for _, k := range call.Keywords {
		if k.Arg == param {
			return k.Value
		}
	}
	if at < 0 || at >= len(call.Args) {
		return nil
	}
	for _, a := range call.Args[:at+1] {
		if _, star := a.(*python.Starred); star {
			return nil
		}
	}
	return call.Args[at]
}

// constexprHint returns a hint that says how a name in an expression could be known at compile time.
func (g *generator) constexprHint(e python.Expr) string {
	hint := ""
	python.Inspect(e, func(n python.Node) bool {
		name, ok := n.(*python.Name)
		if !ok || hint != "" {
			return hint == ""
		}
		switch v, _ := g.scope.get(name.ID); {
		case v == nil || !hasDevice(v):
		case g.decayed[v] != "":
			hint = fmt.Sprintf("a plain assignment makes a device value; write %s: tl.constexpr = ...",
				name.ID)
		case g.fn.ParamIndex(name.ID) >= 0:
			hint = fmt.Sprintf("annotate the parameter: %s: tl.constexpr", name.ID)
		}
		return hint == ""
	})
	return hint
}

func unknownAmong(args []object.Value, kws []object.Keyword) *object.Unknown {
	for _, v := range args {
		if u, ok := v.(*object.Unknown); ok {
			return u
		}
		if t, ok := v.(*object.Tuple); ok {
			if u := unknownAmong(t.Items, nil); u != nil {
				return u
			}
		}
	}
	for _, k := range kws {
		if u := unknownAmong([]object.Value{k.Value}, nil); u != nil {
			return u
		}
	}
	return nil
}

// maxCallNotes bounds the calls of a chain that a message shows.
const maxCallNotes = 8

// called adds to a failure inside fn the call by which it was reached. A failure inside the library is shown
// at the user's own call.
func (g *generator) called(f *failure, n python.Node, fn *world.JITFunction) {
	span := n.Span()
	inside := isLibrary(fn.Func.Module.Name)
	switch {
	case inside && !isLibrary(g.fn.Func.Module.Name):
		note := diag.Note{Span: f.d.Span, Msg: "in tl." + fn.Func.Name}
		f.d.Notes = append([]diag.Note{note}, f.d.Notes...)
		if arg := argumentNode(n, f.param, fn.ParamIndex(f.param)); arg != nil {
			span = arg.Span()
			if f.d.Code == sem.CodeConst && f.d.Hint == "" {
				f.d.Hint = g.constexprHint(arg)
			}
		}
		f.d.Span, f.param = span, ""
	case inside: // from one function of the library to another
		f.param = g.passedOn(n, fn, f.param)
		f.d.Notes = append(f.d.Notes, diag.Note{Span: span, Msg: "called by " + g.fn.Func.Name + " here"})
	case len(f.d.Notes) >= maxCallNotes:
		f.calls++
		last := &f.d.Notes[len(f.d.Notes)-1]
		*last = diag.Note{Span: span,
			Msg: fmt.Sprintf("in the call of %s here, %d calls further out", fn.Func.Name, f.calls)}
		f.param = ""
	default:
		f.d.Notes = append(f.d.Notes, diag.Note{Span: span, Msg: "in the call of " + fn.Func.Name + " here"})
		f.param = ""
	}
}

// passedOn returns the parameter of the function being compiled that is handed on as the argument for a
// parameter of fn, or "".
func (g *generator) passedOn(n python.Node, fn *world.JITFunction, param string) string {
	arg, ok := argumentNode(n, param, fn.ParamIndex(param)).(*python.Name)
	if ok && g.fn.ParamIndex(arg.ID) >= 0 {
		return arg.ID
	}
	return ""
}

// isLibrary reports whether a module is part of the language's own library.
func isLibrary(module string) bool { return strings.HasPrefix(module, "triton.language.") }

// partial is the place where a name is bound that only some ways through the function bind.
type partial struct {
	region  string // "if" or "loop"
	bind    python.Node
	unknown bool // its value was not known there either, because of a fault
}

// undefined fails for a name that has no value.
func (g *generator) undefined(e *python.Name) {
	p, ok := g.partial[e.ID]
	args := g.fn.Func.Def.Args
	for _, a := range []*python.Arg{args.Vararg, args.Kwarg} {
		if a != nil && a.Arg == e.ID {
			g.failNotes(e, "undefined", "pass a tuple",
				[]diag.Note{{Span: a.Span(), Msg: "it is declared here"}},
				"%s cannot be used: a jit function takes no * or ** parameters", e.ID)
		}
	}
	if p.unknown || g.u.missing[e.ID] { // told already
		panic(&failure{silent: true})
	}
	g.u.missing[e.ID] = true
	if !ok {
		panic(&failure{sure: !assignedNames(g.fn.Func.Def.Body)[e.ID], d: diag.Diagnostic{Code: "undefined",
			Span: e.Span(), Hint: g.suggest(e.ID), Msg: e.ID + " is not defined"}})
	}
	g.failNotes(e, "undefined", "give it a value before the "+p.region,
		[]diag.Note{{Span: p.bind.Span(), Msg: "it gets a value here"}},
		"%s is not defined: it gets a value %s only", e.ID,
		map[string]string{"if": "on one side of an if", "loop": "inside of a loop"}[p.region])
}

// forget notes the names that a region bound and that end with it: those that are in none of the scopes that
// go on.
func (g *generator) forget(at python.Node, region string, inner *scope, outer ...*scope) {
	for _, name := range inner.names {
		if !slices.ContainsFunc(outer, func(s *scope) bool { return s.has(name) }) {
			_, unknown := inner.vals[name].(*nothingKnown)
			g.partial[name] = partial{region, g.boundAt(name, at), unknown}
		}
	}
}

// boundAt returns the statement that last gave a name its value, or n.
func (g *generator) boundAt(name string, n python.Node) python.Node {
	if b := g.where[name]; b != nil {
		return b
	}
	return n
}
