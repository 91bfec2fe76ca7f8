package codegen

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// kernelBuiltins has the names of Python that kernels see.
var kernelBuiltins = map[string]object.Value{"range": world.PyRange}

// staticForms has the functions that look at the syntax of their call.
var staticForms map[string]func(g *generator, e *python.Call) object.Value

// kernelForms has the other functions of kernels that are no operations.
var kernelForms map[string]func(g *generator, n python.Node, args []object.Value,
	kws []object.Keyword) object.Value

func init() { // the tables mention functions that mention the tables
	staticForms = map[string]func(g *generator, e *python.Call) object.Value{
		"len": staticHost("len"), "int": staticHost("int"), "float": staticHost("float"),
		"bool": staticHost("bool"),
		"str":  staticHost("str"),
	}
	kernelForms = map[string]func(g *generator, n python.Node, args []object.Value,
		kws []object.Keyword) object.Value{
		"list": toTuple, "tuple": toTuple, "isinstance": isInstance, "getattr": getAttr, "hasattr": hasAttr,
		"print": devicePrint, "min": minMax("minimum", "min"), "max": minMax("maximum", "max"),
		"abs": absolute, "breakpoint": breakpoint,
	}
	for name := range staticForms {
		kernelBuiltins[name] = &world.Form{Name: name, Static: true}
	}
	for name := range kernelForms {
		kernelBuiltins[name] = &world.Form{Name: name}
	}
	staticForms["static_assert"], staticForms["static_print"] = staticAssert, staticPrint
	kernelForms["condition"] = makeCondition
}

// castHints has, for the functions of Python that convert, the way to convert a device value.
var castHints = map[string]string{
	"int": "cast with .to(tl.int32)", "float": "cast with .to(tl.float32)",
	"bool": "compare it with zero, or cast with .to(tl.int1)", "len": "x.shape[0] is the size of a block",
}

// staticHost returns a form that calls a function of host Python on values known at compile time.
func staticHost(name string) func(g *generator, e *python.Call) object.Value {
	return func(g *generator, e *python.Call) object.Value {
		args, kws := g.arguments(e)
		for i, a := range args {
			if _, ok := a.(*sem.Tensor); ok {
				g.failHint(e.Args[i], "not-constexpr", castHints[name],
					"%s() needs a value known at compile time, not %s", name, describe(a))
			}
		}
		v, err := object.Call(g.u.world.In, g.pyBuiltin(name), args, kws)
		g.check(e, err)
		return v
	}
}

func toTuple(g *generator, n python.Node, args []object.Value, kws []object.Keyword) object.Value {
	if len(args) == 0 {
		return object.NewTuple()
	}
	if t, ok := args[0].(*object.Tuple); ok && len(args) == 1 {
		return object.NewTuple(t.Items...)
	}
	items, err := object.Iterate(g.u.world.In, args[0])
	g.check(n, err)
	return object.NewTuple(items...)
}

// breakpoint is Python's breakpoint(): a debugger stops behind it, and code has nothing for it.
func breakpoint(*generator, python.Node, []object.Value, []object.Keyword) object.Value {
	return object.None
}

func devicePrint(g *generator, n python.Node, args []object.Value, kws []object.Keyword) object.Value {
	v, err := g.u.world.Names().Lookup("", "device_print").Invoke(g.b, g, args, kws, false)
	g.check(n, err)
	return v
}

func absolute(g *generator, n python.Node, args []object.Value, kws []object.Keyword) object.Value {
	if len(args) == 1 && hasDevice(args[0]) {
		v, err := g.callBuiltin(n, "abs", args[0])
		g.check(n, err)
		return v
	}
	v, err := object.Call(g.u.world.In, g.pyBuiltin("abs"), args, kws)
	g.check(n, err)
	return v
}

// minMax returns Python's min or max: it folds, or makes a chain of tl.minimum or tl.maximum.
func minMax(device, onHost string) func(*generator, python.Node, []object.Value,
	[]object.Keyword) object.Value {
	return func(g *generator, n python.Node, args []object.Value, kws []object.Keyword) object.Value {
		if !anyDevice(args) {
			g.check(n, sem.CheckPlain(onHost, args))
			v, err := object.Call(g.u.world.In, g.pyBuiltin(onHost), args, kws)
			g.check(n, err)
			return v
		}
		if t, ok := args[0].(*object.Tuple); ok && len(args) == 1 {
			args = t.Items
		}
		r := args[0]
		for _, a := range args[1:] {
			v, err := g.u.world.Names().Lookup("", device).Invoke(g.b, g, []object.Value{r, a}, kws, false)
			g.check(n, err)
			r = v
		}
		return r
	}
}

func isInstance(g *generator, n python.Node, args []object.Value, kws []object.Keyword) object.Value {
	if len(args) != 2 {
		g.fail(n, "bad-arguments", "isinstance() takes 2 arguments, not %d", len(args))
	}
	ok, err := object.IsInstanceOf(g.u.world.In, args[0], g.pyType(args[1]))
	g.check(n, err)
	return object.Bool(ok)
}

// pyType returns Python's own type behind a name that calls something else in a kernel: int, float, tuple.
func (g *generator) pyType(v object.Value) object.Value {
	switch v := v.(type) {
	case *world.Form:
		return g.pyBuiltin(v.Name)
	case *object.Tuple:
		types := make([]object.Value, len(v.Items))
		for i, t := range v.Items {
			types[i] = g.pyType(t)
		}
		return object.NewTuple(types...)
	}
	return v
}

func getAttr(g *generator, n python.Node, args []object.Value, kws []object.Keyword) object.Value {
	name := attrName(g, n, args)
	if len(args) == 3 && !g.hasAttribute(n, args[0], name) {
		return args[2]
	}
	return g.attribute(n, args[0], name)
}

func hasAttr(g *generator, n python.Node, args []object.Value, kws []object.Keyword) object.Value {
	return object.Bool(g.hasAttribute(n, args[0], attrName(g, n, args)))
}

func attrName(g *generator, n python.Node, args []object.Value) string {
	if len(args) >= 2 {
		if s, ok := args[1].(object.Str); ok {
			return string(s)
		}
	}
	g.fail(n, "bad-arguments", "expected a value and the name of an attribute")
	return ""
}

// hasAttribute reports whether v has an attribute; a failure to find out counts as no.
func (g *generator) hasAttribute(n python.Node, v object.Value, name string) (ok bool) {
	if !hasDevice(v) {
		ok, err := object.HasAttribute(g.u.world.In, v, name)
		g.check(n, err)
		return ok
	}
	defer func() {
		if r := recover(); r != nil {
			if _, isFailure := r.(*failure); !isFailure {
				panic(r)
			}
			ok = false
		}
	}()
	g.attribute(n, v, name)
	return true
}

// staticAssert carries out tl.static_assert(cond, msg). It looks at the message only when the condition
// fails.
func staticAssert(g *generator, e *python.Call) object.Value {
	if len(e.Args) == 0 || len(e.Args) > 2 || len(e.Keywords) > 1 {
		g.fail(e, "bad-arguments", "static_assert takes a condition and a message")
	}
	cond := g.expr(e.Args[0])
	if hasDevice(cond) {
		g.failHint(e.Args[0], "not-constexpr", "use tl.device_assert",
			"the condition of static_assert is not known at compile time: it is %s", describe(cond))
	}
	ok := g.truth(e.Args[0], cond)
	if ok {
		return object.None
	}
	msg := ""
	if len(e.Args) == 2 {
		msg = ": " + world.Text(g.expr(e.Args[1]))
	} else if len(e.Keywords) == 1 {
		msg = ": " + world.Text(g.expr(e.Keywords[0].Value))
	}
	g.fail(e, "static-assert", "static assertion failed%s", msg)
	return nil
}

// staticPrint carries out tl.static_print: it writes while the kernel is compiled, as Python's print would.
func staticPrint(g *generator, e *python.Call) object.Value {
	args, kws := g.arguments(e)
	if g.u.opts.Stdout == nil {
		return object.None
	}
	sep, end := " ", "\n"
	for _, k := range kws {
		v, ok := world.Unwrap(k.Value).(object.Str)
		switch {
		case ok && k.Name == "sep":
			sep = string(v)
		case ok && k.Name == "end":
			end = string(v)
		}
	}
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = printed(a)
	}
	io.WriteString(g.u.opts.Stdout, strings.Join(parts, sep)+end)
	return object.None
}

// printed returns a value as Triton prints it: a tensor by type and shape, "fp32[constexpr[64]]".
func printed(v object.Value) string {
	switch v := v.(type) {
	case *sem.Tensor:
		b, ok := v.Type.(*sem.BlockType)
		if !ok {
			return v.Type.String() + "[]"
		}
		dims := make([]string, len(b.Shape))
		for i, d := range b.Shape {
			dims[i] = fmt.Sprintf("constexpr[%d]", d)
		}
		return b.Elem.String() + "[" + strings.Join(dims, ", ") + "]"
	case *object.Tuple:
		parts := make([]string, len(v.Items))
		for i, item := range v.Items {
			if hasDevice(item) {
				parts[i] = printed(item)
			} else {
				parts[i] = world.Repr(item)
			}
		}
		if len(parts) == 1 {
			parts[0] += ","
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	if hasDevice(v) {
		return shapeOf(v).String()
	}
	return world.Text(v)
}

// loopCondition is tl.condition(cond, disable_licm): the test of a while loop with an option.
type loopCondition struct {
	cond        object.Value
	disableLICM bool
}

func (*loopCondition) TypeName() string { return "condition" }

func makeCondition(g *generator, n python.Node, args []object.Value, kws []object.Keyword) object.Value {
	c := &loopCondition{}
	for _, k := range kws {
		switch k.Name {
		case "arg1":
			c.cond = k.Value
		case "disable_licm":
			c.disableLICM = world.IsTrue(k.Value)
		}
	}
	if len(args) > 0 {
		c.cond = args[0]
	}
	if len(args) > 1 {
		c.disableLICM = world.IsTrue(args[1])
	}
	if c.cond == nil {
		g.fail(n, "bad-arguments", "tl.condition() needs a condition")
	}
	return c
}

// noLICM returns the attribute by which a loop forbids loop-invariant code motion.
func noLICM() ir.Attr {
	a, err := ir.ParseAttr("#llvm.loop_annotation<licm = <disable = true, versioningDisable = true>>")
	if err != nil {
		return ir.Unit
	}
	return a
}

// iterationOf reads the arguments of range, tl.range or tl.static_range.
func iterationOf(r *world.Range, args []object.Value, kws []object.Keyword) (iteration, error) {
	it := iteration{static: r.Static, lo: object.MakeInt(0), step: object.MakeInt(1)}
	names := append([]string{"arg1", "arg2", "step"}, r.Params...)
	bound := map[string]object.Value{}
	if len(args) > len(names) {
		return it, badRange("", "", "%s() takes at most %s, but %d were given", r.Name,
			sem.Count(len(names), "argument"), len(args))
	}
	for i, a := range args {
		bound[names[i]] = a
	}
	for _, k := range kws {
		if r == world.PyRange { // Triton takes them and does not look at them
			continue
		}
		if !slices.Contains(names, k.Name) {
			return it, badRange(k.Name, rangeHint(k.Name, names),
				"%s() got an unexpected keyword argument '%s'", r.Name, k.Name)
		}
		bound[k.Name] = k.Value
	}
	first, second := bound["arg1"], bound["arg2"]
	switch {
	case first == nil:
		return it, badRange("", "", "%s() needs an end", r.Name)
	case second == nil || second == object.None:
		it.hi = first
	default:
		it.lo, it.hi = first, second
	}
	if s := bound["step"]; s != nil && s != object.None {
		it.step = s
	}
	it.attrs = loopAttrs(bound)
	return it, nil
}

func badRange(keyword, hint, format string, args ...any) error {
	return &sem.Error{Code: sem.CodeArgs, Param: keyword, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

func rangeHint(name string, known []string) string {
	if hint := suggestFrom(name, known); hint != "" {
		return hint
	}
	return "its options are " + strings.Join(known[3:], ", ")
}

// loopAttrs returns the options of tl.range as attributes of the loop.
func loopAttrs(bound map[string]object.Value) []ir.NamedAttr {
	var attrs []ir.NamedAttr
	for _, o := range []struct{ option, attr string }{{"num_stages", "tt.num_stages"},
		{"loop_unroll_factor", "tt.loop_unroll_factor"}} {
		if n, ok := object.AsInt64(orNone(bound[o.option])); ok {
			attrs = append(attrs, ir.A(o.attr, ir.I32Attr(n)))
		}
	}
	for _, name := range []string{"disallow_acc_multi_buffer", "flatten", "warp_specialize"} {
		if world.IsTrue(orNone(bound[name])) {
			attrs = append(attrs, ir.A("tt."+name, ir.Unit))
		}
	}
	if world.IsTrue(orNone(bound["disable_licm"])) {
		attrs = append(attrs, ir.A("llvm.loop_annotation", noLICM()))
	}
	return attrs
}

func orNone(v object.Value) object.Value {
	if v == nil {
		return object.None
	}
	return v
}

// suggest returns a hint for a name that is not defined.
func (g *generator) suggest(name string) string {
	known := append([]string(nil), g.scope.names...)
	for k := range kernelBuiltins {
		known = append(known, k)
	}
	if names, err := g.fn.Func.Module.Names(g.u.world.In); err == nil {
		known = append(known, names...)
	}
	return suggestFrom(name, known)
}

// suggestFrom returns "did you mean x?" for the known name nearest to a wrong one, or "".
func suggestFrom(name string, known []string) string {
	if best := diag.Nearest(name, known); best != "" {
		return "did you mean " + best + "?"
	}
	return ""
}
