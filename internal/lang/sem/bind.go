package sem

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// param is a parameter of a builtin.
type param struct {
	name     string
	variadic bool         // *name
	keyword  bool         // after the variadic one: by name only
	def      object.Value // nil when the argument must be given
}

// Parameters returns the parameters of Triton's function, as inspect.signature lists them.
func (bi *Builtin) Parameters() []object.Parameter {
	var out []object.Parameter
	for _, p := range bi.params {
		kind := object.PositionalOrKeyword
		switch {
		case p.variadic:
			kind = object.VarPositional
		case p.keyword:
			kind = object.KeywordOnly
		}
		out = append(out, object.Parameter{Name: p.name, Default: p.def, Kind: kind})
	}
	return append(out, object.Parameter{Name: "_semantic", Default: object.None,
		Kind: object.PositionalOrKeyword})
}

// parseParams reads a signature. It is text of this package's own tables: names, "*name", and defaults that
// defaultValue knows.
func parseParams(text string) []param {
	var out []param
	keyword := false
	for _, part := range splitParams(text) {
		if strings.TrimSpace(part) == "*" {
			keyword = true
			continue
		}
		name, def, hasDef := strings.Cut(part, "=")
		p := param{name: strings.TrimSpace(name), keyword: keyword}
		if rest, star := strings.CutPrefix(p.name, "*"); star {
			p.name, p.variadic, keyword = rest, true, true
		}
		if hasDef {
			p.def = defaultValue(strings.TrimSpace(def))
		}
		out = append(out, p)
	}
	return out
}

// splitParams cuts at commas, but not inside parentheses or quotes.
func splitParams(text string) []string {
	var parts []string
	depth, quoted, start := 0, false, 0
	for i, ch := range text {
		switch {
		case ch == '"':
			quoted = !quoted
		case quoted:
		case ch == '(':
			depth++
		case ch == ')':
			depth--
		case ch == ',' && depth == 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	if strings.TrimSpace(text[start:]) != "" {
		parts = append(parts, text[start:])
	}
	return parts
}

var defaults = map[string]object.Value{
	"None": object.None, "True": object.Bool(true), "False": object.Bool(false), "()": object.NewTuple(),
	"float32": Float32, "NONE": NanNone,
}

func defaultValue(text string) object.Value {
	if v, ok := defaults[text]; ok {
		return v
	}
	if s, err := strconv.Unquote(text); err == nil {
		return object.Str(s)
	}
	if i, ok := new(big.Int).SetString(text, 10); ok {
		return object.BigInt(i)
	}
	panic("sem: no default " + text)
}

// Bind gives arguments to parameters by Python's rules.
func (bi *Builtin) Bind(args []object.Value, kws []object.Keyword) (c *Call, err error) {
	defer guard(&err)
	c = &Call{Fn: bi, args: make([]object.Value, len(bi.params)), omitted: make([]bool, len(bi.params))}
	bi.positional(c, args)
	for _, kw := range kws {
		i := slices.IndexFunc(bi.params, func(p param) bool { return p.name == kw.Name && !p.variadic })
		if i < 0 {
			panic(bad(CodeArgs, "%s() got an unexpected keyword argument '%s'", bi.FullName(),
				kw.Name).at(kw.Name).hint("%s", bi.keywordHint(kw.Name)))
		}
		if c.args[i] != nil {
			panic(bad(CodeArgs, "%s() got multiple values for argument '%s'", bi.FullName(),
				kw.Name).at(kw.Name))
		}
		c.args[i] = kw.Value
	}
	for i, p := range bi.params {
		if c.args[i] != nil {
			continue
		}
		c.omitted[i] = true
		if c.args[i] = p.def; p.def == nil {
			panic(bad(CodeArgs, "%s() is missing its argument '%s'", bi.FullName(),
				p.name).hint("its parameters are (%s)", bi.Params))
		}
	}
	return c, nil
}

// keywordHint returns advice for a keyword that the function does not take.
func (bi *Builtin) keywordHint(name string) string {
	if hint := ParamHint(bi.Module, bi.Name, name); hint != "" {
		return hint
	}
	names := make([]string, len(bi.params))
	for i, p := range bi.params {
		names[i] = p.name
	}
	if best := diag.Nearest(name, names); best != "" {
		return "did you mean " + best + "?"
	}
	return "its parameters are (" + bi.Params + ")"
}

// Count returns a number of things in words: "1 argument", "3 arguments".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// ParamIndex returns the position of a parameter, or -1.
func (bi *Builtin) ParamIndex(name string) int {
	return slices.IndexFunc(bi.params, func(p param) bool { return p.name == name })
}

// positional binds the arguments without names.
func (bi *Builtin) positional(c *Call, args []object.Value) {
	for i, p := range bi.params {
		switch {
		case p.variadic:
			c.args[i] = object.NewTuple(slices.Clone(args)...)
			return
		case len(args) == 0:
			return
		case p.keyword:
			bi.tooMany(i + len(args))
		}
		c.args[i], args = args[0], args[1:]
	}
	if len(args) > 0 {
		bi.tooMany(len(bi.params) + len(args))
	}
}

// tooMany refuses a call with more arguments without names than there are parameters for.
func (bi *Builtin) tooMany(given int) {
	n := 0
	for _, p := range bi.params {
		if !p.keyword {
			n++
		}
	}
	words := Count(n, "argument")
	if n < len(bi.params) {
		words = "at most " + words + " without a name"
	}
	panic(bad(CodeArgs, "%s() takes %s, but %d were given", bi.FullName(), words, given).
		hint("its parameters are (%s)", bi.Params))
}
