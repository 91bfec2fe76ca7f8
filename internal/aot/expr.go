package aot

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/rule"
)

// exprs holds the values of a section and the expressions over them. An expression is Python, evaluated as
// the body of a function whose parameters are the values' names.
type exprs struct {
	axes      []axis
	computed  []string // names whose values are expressions: "= 4 if BLOCK < 2048 else 8"
	where     int      // number of conditions
	constants []string
	options   []string
	byParam   map[string]any // types by parameter; nil if the signature is one text
	launch    rule.LaunchText

	host  *world.Host
	names map[string]string // of the functions, by key
	at    string            // key of the expression that is evaluated
}

// newExprs reads the values and the expressions of a section. key is the place of an error.
func newExprs(v *variants, params []lang.Param) (e *exprs, key string, err error) {
	e = &exprs{names: map[string]string{}, constants: slices.Sorted(maps.Keys(v.Constants)),
		options: slices.Sorted(maps.Keys(v.Options))}
	texts := map[string]string{} // expressions by key
	for _, part := range []map[string]any{v.Vars, v.Constants, v.Options} {
		for _, name := range slices.Sorted(maps.Keys(part)) {
			if err := e.value(name, part[name], texts); err != nil {
				return nil, name, err
			}
		}
	}
	for _, name := range e.constants {
		if err := unknown("parameter", []string{name}, namesOf(params)); err != nil {
			return nil, name, err
		}
	}
	conditions, err := stringsOf(v.Where)
	if err != nil {
		return nil, "where", err
	}
	for i, c := range conditions {
		texts[fmt.Sprint("where.", i)] = c
	}
	e.where = len(conditions)
	if v.Name == "" {
		return nil, "name", errors.New("name is missing: it names each variant, as in \"softmax_{dtype}\"")
	}
	texts["name"], texts["group"] = formatted(v.Name), formatted(v.Group)
	if err := e.signature(v.Signature, texts); err != nil {
		return nil, "signature", err
	}
	return e, e.at, e.compile(texts)
}

// value adds a name with its values, or with the expression that computes it.
func (e *exprs) value(name string, v any, texts map[string]string) error {
	taken := func(a axis) bool { return a.name == name }
	if slices.ContainsFunc(e.axes, taken) || slices.Contains(e.computed, name) {
		return fmt.Errorf("%s has values in two places", name)
	}
	if !object.IsIdentifier(name) {
		return fmt.Errorf("%q is no name: expected letters, digits and underscores", name)
	}
	if s, ok := v.(string); ok && strings.HasPrefix(s, "=") {
		e.computed = append(e.computed, name)
		texts[name+" ="] = strings.TrimSpace(s[1:])
		return nil
	}
	a, err := axisOf(name, v)
	e.axes = append(e.axes, a)
	return err
}

// signature adds the types: one text, or one for each parameter.
func (e *exprs) signature(v any, texts map[string]string) error {
	switch v := v.(type) {
	case string:
		texts["signature"] = formatted(v)
		return nil
	case map[string]any:
		e.byParam = v
		for name, t := range v {
			s, ok := t.(string)
			if !ok {
				return fmt.Errorf("the type of %s must be a string, not %v", name, t)
			}
			texts["signature."+name] = formatted(s)
		}
		return nil
	case nil:
		return errors.New(`signature is missing: expected the types of the arguments, as in "*{dtype}, i32"`)
	}
	return fmt.Errorf("signature must be a string, or a table of strings by parameter, not %v", v)
}

// formatted returns an f-string of Python's.
func formatted(text string) string { return "f" + object.Quote(text) }

// compile makes a file of Python with a function for each expression. A key with " =" behind the name
// computes its value from the axes, the others see the computed values too.
func (e *exprs) compile(texts map[string]string) error {
	var axes, all []string
	for _, a := range e.axes {
		axes = append(axes, a.name)
	}
	all = append(slices.Clone(axes), e.computed...)
	var b strings.Builder
	for i, key := range slices.Sorted(maps.Keys(texts)) {
		text := texts[key]
		e.at, _, _ = strings.Cut(strings.TrimSuffix(key, " ="), ".")
		if _, err := python.ParseExpr(diag.NewFileSet(), e.at, []byte(text)); err != nil {
			return fmt.Errorf("%s is no expression: %w", text, asError(err))
		}
		params := all
		if strings.HasSuffix(key, " =") {
			params = axes
		}
		e.names[key] = fmt.Sprintf("_f%d", i)
		fmt.Fprintf(&b, "def %s(%s): return (%s\n)\n", e.names[key], strings.Join(params, ", "), text)
	}
	src, err := lang.Load("manifest", []byte(b.String()), lang.LoadOptions{})
	if err != nil {
		return err
	}
	e.host = src.Host()
	return nil
}

// asError returns an error without its place, which would be one in the expression.
func asError(err error) error { return errors.New(asDiagnostic(err).Msg) }

// call evaluates an expression.
func (e *exprs) call(key string, values map[string]object.Value) (out object.Value, err error) {
	e.at, _, _ = strings.Cut(strings.TrimSuffix(key, " ="), ".")
	var args []object.Value
	for _, a := range e.axes {
		args = append(args, values[a.name])
	}
	if !strings.HasSuffix(key, " =") {
		for _, name := range e.computed {
			args = append(args, values[name])
		}
	}
	err = e.host.Call(e.names[key], args, func(in *object.Interp, v object.Value) error {
		if strings.HasPrefix(key, "where.") { // truth is decided here, where the interpreter is
			ok, err := object.Truth(in, v)
			out = object.Bool(ok)
			return err
		}
		out = v
		return nil
	})
	if err != nil {
		return nil, asError(err)
	}
	return out, nil
}

// text evaluates an f-string.
func (e *exprs) text(key string, values map[string]object.Value) (string, error) {
	v, err := e.call(key, values)
	s, _ := v.(object.Str)
	return string(s), err
}

// combinations returns every combination of values for which the conditions hold. The last axis changes
// fastest. After an error there are no more.
func (e *exprs) combinations() iter.Seq2[map[string]object.Value, error] {
	return func(yield func(map[string]object.Value, error) bool) {
		index := make([]int, len(e.axes))
		for n := 0; ; n++ {
			values := map[string]object.Value{}
			for i, a := range e.axes {
				values[a.name] = a.values[index[i]]
			}
			ok, err := e.complete(values)
			if n > 10*maxVariants {
				err = fmt.Errorf("over %d combinations", 10*maxVariants)
			}
			if (err != nil || ok) && !yield(values, err) || err != nil || !e.next(index) {
				return
			}
		}
	}
}

// next counts the indices of a combination up. It reports false after the last one.
func (e *exprs) next(index []int) bool {
	for i := len(index) - 1; i >= 0; i-- {
		if index[i]++; index[i] < len(e.axes[i].values) {
			return true
		}
		index[i] = 0
	}
	return false
}

// complete computes the values that are expressions, and reports whether the conditions hold.
func (e *exprs) complete(values map[string]object.Value) (bool, error) {
	for _, name := range e.computed {
		v, err := e.call(name+" =", values)
		if err != nil {
			return false, err
		}
		values[name] = v
	}
	for i := range e.where {
		ok, err := e.call(fmt.Sprint("where.", i), values)
		if err != nil || ok != object.Bool(true) {
			return false, err
		}
	}
	return true, nil
}
